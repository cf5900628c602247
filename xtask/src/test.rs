//! `cargo xtask test`: runs and counts all checks and tests.

use std::process::ExitCode;
use std::time::Instant;

use crate::browser::browser;
use crate::page;
use crate::screens::screens;
use crate::step::{self, Failure, cargo, run, step, watch};
use crate::tally::Tally;

const LOOK_ABOVE: &str = "read the messages above";

/// Checks format and lints and runs the native tests: what every commit needs.
pub fn fast() -> ExitCode {
    let mut report = Report::begin();
    report.note(format());
    report.note(lints());
    report.note(native());
    report.end()
}

/// Runs everything, even after a failure, and prints a line with the totals. The page is built in parallel with the
/// native checks.
pub fn everything() -> ExitCode {
    let mut report = Report::begin();
    // What an incremental build writes for the next one only costs time here.
    step::without_incremental();
    // In parallel, because its optimiser uses one core for minutes and its build folder is separate from that of native
    // code.
    let built = std::thread::scope(|scope| {
        let page = scope.spawn(page::dist);
        report.note(format());
        report.note(lints());
        report.note(documentation());
        report.note(native());
        page.join().unwrap_or_else(|_| Err(Failure::new("the build of the page panicked", LOOK_ABOVE)))
    });
    match built {
        Ok(dist) => {
            report.note(page::check_sizes(&dist).map(|()| Tally::default()));
            report.note(browser(&dist, "journeys", &[]));
            report.note(screens(&dist, &[]));
        }
        Err(failure) => report.note(Err(failure)),
    }
    report.end()
}

/// Results so far.
struct Report {
    start: Instant,
    tally: Tally,
    failures: Vec<Failure>,
}

impl Report {
    fn begin() -> Report {
        Report { start: Instant::now(), tally: Tally::default(), failures: Vec::new() }
    }

    fn note(&mut self, outcome: Result<Tally, Failure>) {
        match outcome {
            Ok(counted) => {
                self.tally.passed += counted.passed;
                self.tally.failed += counted.failed;
            }
            Err(failure) => {
                self.tally.failed += 1;
                self.failures.push(failure);
            }
        }
    }

    /// Prints the failures and the totals.
    fn end(self) -> ExitCode {
        for failure in &self.failures {
            eprintln!("{failure}");
        }
        println!("everything took {:.0} s", self.start.elapsed().as_secs_f64());
        println!("{}", self.tally);
        if self.tally.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

fn format() -> Result<Tally, Failure> {
    check("Format", &["fmt", "--all", "--check"], "run `cargo fmt --all`")
}

fn lints() -> Result<Tally, Failure> {
    let args = ["clippy", "--quiet", "--workspace", "--all-targets", "--", "-D", "warnings"];
    check("Lints", &args, CLIPPY)
}

const CLIPPY: &str = "correct what clippy names above, or allow it in place with a reason";

fn check(title: &str, args: &[&str], by_hand: &str) -> Result<Tally, Failure> {
    step(title, || run(cargo().args(args), by_hand)).map(|()| Tally::default())
}

fn documentation() -> Result<Tally, Failure> {
    let mut doc = cargo();
    doc.args(["doc", "--quiet", "--no-deps", "-p", "fairground"]).env("RUSTDOCFLAGS", "-D warnings");
    step("Documentation", || run(&mut doc, "correct the documentation named above")).map(|()| Tally::default())
}

fn native() -> Result<Tally, Failure> {
    step("Native tests", || {
        let mut tally = Tally::default();
        let mut test = cargo();
        test.args(["test", "--quiet", "--workspace", "--no-fail-fast"]);
        let succeeded = watch(&mut test, |line| {
            tally = tally.with_cargo(line);
            !(line.is_empty() || line.starts_with("running ") || line.starts_with("test result: ok. 0 passed"))
        })?;
        if succeeded || tally.failed > 0 {
            Ok(tally)
        } else {
            Err(Failure::new("the native tests did not run to their end", LOOK_ABOVE))
        }
    })
}
