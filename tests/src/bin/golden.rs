//! Runs recordings of the real schedulers and counts what agrees.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use fairground_tests::report::{FileReport, Verdict, total};
use fairground_tests::run::{Options, Through, run, short_name};
use fairground_tests::{known, recording};

/// Runs recordings of the real schedulers and counts what agrees. Exit code 0 only if nothing failed.
#[derive(Parser)]
struct Arguments {
    /// Files or directories, searched recursively for `.jsonl` and `.jsonl.gz`.
    #[arg(long, value_name = "PATH", num_args = 1.., default_value = "tests/golden")]
    dir: Vec<PathBuf>,
    /// How cases enter the engine: by the rules' own structures, or as scenario files.
    #[arg(long, value_enum, default_value_t = Through::Rules)]
    through: Through,
    /// Only cases whose id contains this.
    #[arg(long, value_name = "SUBSTRING")]
    only: Option<String>,
    /// List every failure, not only the first few of a file.
    #[arg(long)]
    verbose: bool,
}

/// Maximum number of failures listed per file without `--verbose`.
const LISTED: usize = 5;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match golden(&arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(says) => {
            eprintln!("error: {says}");
            ExitCode::FAILURE
        }
    }
}

fn golden(arguments: &Arguments) -> Result<bool, String> {
    // Panics are caught and reported as failures of their case.
    std::panic::set_hook(Box::new(|_| {}));
    let known = known::parse(include_str!("../../known-differences.yaml"))
        .map_err(|e| format!("known-differences.yaml: {e}"))?;
    let mut recordings = Vec::new();
    let mut malformed = 0;
    for dir in &arguments.dir {
        for path in recording::find(dir).map_err(|e| e.to_string())? {
            match recording::read(&path) {
                Ok(recording) => recordings.push(recording),
                Err(e) => {
                    malformed += 1;
                    println!("error: {e}");
                }
            }
        }
    }
    let start = Instant::now();
    let options = Options { only: arguments.only.clone(), known, through: arguments.through };
    let reports = run(&recordings, &options);
    for report in reports.iter().filter(|r| !r.cases.is_empty()) {
        print_file(report, arguments.verbose);
    }
    let total = total(&reports);
    println!("{:<52}{total}   {:.1?}", "total", start.elapsed());
    Ok(malformed == 0 && total.failed == 0 && total.of() > 0)
}

fn print_file(report: &FileReport, verbose: bool) {
    println!("{:<52}{}", short_name(&report.file), report.counts());
    for (title, features) in [("not built", report.not_built()), ("cannot be said", report.cannot_say())] {
        let list: Vec<String> = features.iter().map(|(feature, n)| format!("{feature} ({n})")).collect();
        if !list.is_empty() {
            println!("    {title}: {}", list.join(", "));
        }
    }
    let failures = report.cases.iter().filter_map(|c| match &c.verdict {
        Verdict::Failed(says) => Some(format!("{} (line {}): {says}", c.id, c.line)),
        _ => None,
    });
    for (i, failure) in failures.enumerate() {
        if i == LISTED && !verbose {
            println!("    ... more with --verbose");
            break;
        }
        println!("    {failure}");
    }
}
