//! Commands that convert files, and `check`.

use std::io::Write;

use fairground::export::{self, Refused};
use fairground::import::{self, File, FileKind, Files, Options};
use fairground::link;
use fairground::policy::Policy;
use fairground::scenario::{self, Scenario, Severity};
use fairground::words::number::count;

use crate::args::{Check, Export, FailOn, Import, Kit, Link, Open};
use crate::load::{files, from_link, load, text};
use crate::messages::{eprint_line, report, shown};
use crate::{End, Stop};

/// Reports all findings about a scenario.
pub fn check(args: &Check) -> Result<End, Stop> {
    let loaded = load(&args.file, None)?;
    let plan = &loaded.plan;
    let (n, file) = (loaded.n_warnings, shown(&args.file));
    let counted = |n: usize, what: &str| count(n as u64, what);
    let (nodes, queues) = (counted(plan.cluster.nodes.len(), "node"), counted(plan.cluster.queues.len(), "queue"));
    let (jobs, pods) = (counted(plan.cluster.jobs.len(), "job"), counted(plan.cluster.pods.len(), "pod"));
    let warnings = counted(n, "warning");
    writeln!(std::io::stdout(), "{file}: can be run; {nodes}, {queues}, {jobs}, {pods}; {warnings}")?;
    Ok(if n > 0 && args.fail_on.contains(&FailOn::Warning) { End::FailOn } else { End::Ok })
}

/// Imports files and folders as a scenario.
pub fn import(args: &Import) -> Result<End, Stop> {
    let mut options = Options { policy: args.policy.clone().unwrap_or_default(), ..Options::default() };
    if let Some(nodes) = args.nodes {
        options.nodes = Some(nodes);
    }
    if let Some(scale) = args.quota_scale {
        options.quota_scale = scale;
    }
    for (field, column) in &args.map {
        options.mapping.set(field, column);
    }
    options.name = args.files.first().map_or_else(String::new, |file| file_stem(file));
    let mut read = Vec::new();
    for file in &args.files {
        read.extend(files(file)?);
    }
    let n_files = read.len();
    if let Some(queues) = &args.queues {
        read.extend(files(queues)?);
    }
    let given = read.iter().enumerate();
    let files: Vec<File<'_>> =
        given.map(|(i, (name, bytes))| File { name: shown(name), bytes, is_sizes: i >= n_files }).collect();
    let Files { imported, more, kind, .. } = import::import_files(&files, &options);
    if args.queues.is_some()
        && !matches!(kind, FileKind::Trace | FileKind::QueueSizes | FileKind::Organisation | FileKind::Unknown)
    {
        eprint_line("fairground: --queues goes with a trace of jobs or with projects; this file has its own queues");
        return Err(Stop::BadInput);
    }
    let r = &imported.report;
    let name = match args.files.as_slice() {
        [only] => shown(only),
        _ => "import",
    };
    report(name, &r.diagnostics)?;
    let mut err = std::io::stderr().lock();
    for (what, says) in [("understood", &r.understood), ("assumed", &r.assumed), ("ignored", &r.ignored)] {
        for line in says {
            writeln!(err, "{}", scenario::visible(&format!("{what}: {line}")))?;
        }
    }
    if !more.is_empty() {
        writeln!(err, "ignored: {} further scenarios; import them one by one", more.len())?;
    }
    let scenario = imported.scenario.ok_or(Stop::BadInput)?;
    drop(err);
    write_checked(&args.output, &scenario)
}

/// Writes an imported scenario with all findings about it. Fails if it cannot be run.
fn write_checked(file: &str, scenario: &Scenario) -> Result<End, Stop> {
    let written = scenario::to_yaml(scenario);
    let is_file = file != "-";
    let name = if is_file { file } else { "scenario" };
    let findings = scenario::load(&written, |scenario| scenario).findings;
    report(name, &findings)?;
    let n = findings.iter().filter(|found| found.severity == Severity::Error).count();
    // Findings name lines of the file, which is there to be corrected; a program behind a pipe gets nothing.
    if n == 0 || is_file {
        output(file, written.as_bytes())?;
    }
    if n == 0 {
        return Ok(End::Ok);
    }
    let errors = if n == 1 { "1 error".to_string() } else { format!("{n} errors") };
    let rest = if is_file { "correct it there" } else { "nothing was written" };
    eprint_line(&format!("{}: cannot be run: {errors}; {rest}", shown(name)));
    Err(Stop::BadInput)
}

/// Exports a scenario, or the changes since it was imported.
pub fn export(args: &Export) -> Result<End, Stop> {
    let loaded = load(&args.file, None)?;
    let format = args.format.as_deref();
    let written = match &args.against {
        None => export::export(&loaded.scenario, format).map(|written| {
            for remark in &written.left_out {
                eprint_line(&format!("left out: {remark}"));
            }
            written.text
        }),
        Some(against) => {
            let imported = imported_again(against)?;
            export::changes(&imported, &loaded.scenario, format, [shown(against), "exported"])
        }
    };
    let written = written.or_else(|refused| Err(refusal(&args.file, &refused)?))?;
    output(&args.output, written.as_bytes())
}

/// Reports why an export failed.
fn refusal(file: &str, refused: &Refused) -> Result<Stop, Stop> {
    let says = match refused {
        Refused::Mistakes(mistakes) => {
            report(file, mistakes)?;
            return Ok(Stop::BadInput);
        }
        Refused::NoFormat => {
            let names: Vec<&str> = export::formats().map(|(_, format)| format.file).collect();
            format!("its policy has no format of its own; name one with --format: {}", names.join(", "))
        }
        Refused::TooLarge => "it has more than 5,000 pods; make it smaller".to_string(),
    };
    eprint_line(&format!("fairground: {}: {says}", shown(file)));
    Ok(Stop::BadInput)
}

/// Writes a kit: a virtual cluster with the real scheduler.
pub fn kit(args: &Kit) -> Result<End, Stop> {
    let loaded = load(&args.file, None)?;
    let export::Folder { files, left_out } = export::kit(&loaded.scenario).or_else(|refused| match refused {
        Refused::NoFormat => {
            let policies = Policy::ALL.iter().filter(|policy| policy.kit.is_some()).map(|policy| policy.key);
            let (file, policies) = (shown(&args.file), policies.collect::<Vec<_>>().join(" or "));
            eprint_line(&format!("fairground: {file}: not a scenario of the policy {policies}"));
            Err(Stop::BadInput)
        }
        refused => Err(refusal(&args.file, &refused)?),
    })?;
    for remark in &left_out {
        eprint_line(&format!("left out: {remark}"));
    }
    let folder = std::path::Path::new(&args.output);
    for file in &files {
        let path = folder.join(&file.name);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(path, &file.text)?;
    }
    writeln!(std::io::stdout(), "{}: {} files; begin with README.md", args.output, files.len())?;
    Ok(End::Ok)
}

/// Imports the original file of a scenario.
fn imported_again(file: &str) -> Result<Scenario, Stop> {
    let unknown = || {
        eprint_line(&format!("fairground: {}: none of the formats that are exported", shown(file)));
        Stop::BadInput
    };
    let imported = export::original(&text(file)?).ok_or_else(unknown)?;
    report(file, &imported.report.diagnostics)?;
    imported.scenario.ok_or(Stop::BadInput)
}

/// Writes to a file, or to standard output for `-`.
fn output(file: &str, written: &[u8]) -> Result<End, Stop> {
    if file == "-" {
        std::io::stdout().write_all(written)?;
    } else {
        std::fs::write(file, written)?;
    }
    Ok(End::Ok)
}

/// Returns the name of a file without folders and extension.
fn file_stem(file: &str) -> String {
    let stem = std::path::Path::new(file).file_stem();
    stem.map_or_else(|| "trace".to_string(), |stem| stem.to_string_lossy().into_owned())
}

/// Prints the JSON schema of scenario files.
pub fn schema() -> Result<End, Stop> {
    std::io::stdout().write_all(export::json_schema().as_bytes())?;
    Ok(End::Ok)
}

/// Prints a scenario as a link.
pub fn link(args: &Link) -> Result<End, Stop> {
    let loaded = load(&args.file, None)?;
    writeln!(std::io::stdout(), "#{}", link::encode(&loaded.scenario))?;
    Ok(End::Ok)
}

/// Prints the scenario in a link.
pub fn open(args: &Open) -> Result<End, Stop> {
    let given = if args.link == "-" { text("-")? } else { args.link.clone() };
    let scenario = from_link(&given)?;
    std::io::stdout().write_all(scenario::to_yaml(&scenario).as_bytes())?;
    Ok(End::Ok)
}
