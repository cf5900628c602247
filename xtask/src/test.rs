//! `cargo xtask test`: every check and every test, counted.

use std::fmt;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Instant;

use crate::page;
use crate::screens::screens;
use crate::server::Server;
use crate::step::{Failure, cargo, run, step, watch};
use crate::tools;

/// What to do about failed browser tests.
pub const LOOK_AT_RESULTS: &str = "read the messages above; screenshots are in tests/e2e/results";

const LOOK_ABOVE: &str = "read the messages above";

/// The browser tests run below a path, because the page must work on any.
const MOUNT: &str = "/some/path/";

/// Tests that passed and failed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    /// Tests that passed.
    pub passed: u32,
    /// Tests that failed, and checks and builds that failed as a whole.
    pub failed: u32,
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)
    }
}

/// Runs everything, also after a failure, and closes with one line. The page is built beside the native checks.
pub fn everything() -> ExitCode {
    let start = Instant::now();
    let mut tally = Tally::default();
    let mut failures = Vec::new();
    let mut note = |outcome: Result<Tally, Failure>| match outcome {
        Ok(counted) => {
            tally.passed += counted.passed;
            tally.failed += counted.failed;
        }
        Err(failure) => {
            tally.failed += 1;
            failures.push(failure);
        }
    };
    // Its optimiser is busy on one core for minutes, and it shares no folder with what is compiled for this machine.
    let built = std::thread::scope(|scope| {
        let page = scope.spawn(page::dist);
        note(check("Format", &["fmt", "--all", "--check"], "run `cargo fmt --all`"));
        note(check(
            "Lints",
            &["clippy", "--quiet", "--workspace", "--all-targets", "--", "-D", "warnings"],
            CLIPPY,
        ));
        note(lint_for_browser());
        note(documentation());
        note(native());
        page.join().unwrap_or_else(|_| Err(Failure::new("the build of the page panicked", LOOK_ABOVE)))
    });
    match built {
        Ok(dist) => {
            note(browser(&dist, "journeys", &[]));
            note(screens(&dist, &[]));
        }
        Err(failure) => note(Err(failure)),
    }
    for failure in &failures {
        eprintln!("{failure}");
    }
    println!("everything took {:.0} s", start.elapsed().as_secs_f64());
    println!("{tally}");
    if tally.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

const CLIPPY: &str = "correct what clippy names above, or allow it in place with a reason";

fn check(title: &str, args: &[&str], by_hand: &str) -> Result<Tally, Failure> {
    step(title, || run(cargo().args(args), by_hand)).map(|()| Tally::default())
}

fn lint_for_browser() -> Result<Tally, Failure> {
    let target = tools::wasm_target()?;
    let args = ["clippy", "--quiet", "-p", "fairground-web", "--target", target, "--", "-D", "warnings"];
    check("Lints of the page as WASM", &args, CLIPPY)
}

fn documentation() -> Result<Tally, Failure> {
    let mut doc = cargo();
    doc.args(["doc", "--quiet", "--no-deps", "-p", "fairground"]).env("RUSTDOCFLAGS", "-D warnings");
    step("Documentation", || run(&mut doc, "correct the documentation named above"))
        .map(|()| Tally::default())
}

fn native() -> Result<Tally, Failure> {
    step("Native tests", || {
        let mut tally = Tally::default();
        let mut test = cargo();
        test.args(["test", "--quiet", "--workspace", "--no-fail-fast"]);
        let succeeded = watch(&mut test, |line| {
            tally = tally.with_cargo(line);
            !(line.is_empty()
                || line.starts_with("running ")
                || line.starts_with("test result: ok. 0 passed"))
        })?;
        if succeeded || tally.failed > 0 {
            Ok(tally)
        } else {
            Err(Failure::new("the native tests did not run to their end", LOOK_ABOVE))
        }
    })
}

/// Runs one project of the browser tests on the files in `dist`.
pub fn browser(dist: &Path, project: &str, args: &[String]) -> Result<Tally, Failure> {
    let folder = tools::node_packages()?;
    let chromium = tools::chromium()?;
    let server = Server::bind(dist.to_owned(), MOUNT)?;
    let address = server.address();
    std::thread::spawn(move || server.run());
    step("Browser tests", || {
        let mut tally = Tally::default();
        let mut playwright = Command::new(folder.join("node_modules/.bin/playwright"));
        playwright
            .args(["test", &format!("--project={project}")])
            .args(args)
            .current_dir(&folder)
            .env("FAIRGROUND_URL", address)
            .env("FAIRGROUND_CHROMIUM", chromium)
            .env("FORCE_COLOR", "0");
        let succeeded = watch(&mut playwright, |line| {
            tally = tally.with_playwright(line);
            true
        })?;
        if succeeded || tally.failed > 0 {
            Ok(tally)
        } else {
            Err(Failure::new("the browser tests did not run to their end", LOOK_AT_RESULTS))
        }
    })
}

impl Tally {
    /// Counts a line such as `test result: ok. 5 passed; 0 failed; 0 ignored; ...`.
    fn with_cargo(self, line: &str) -> Self {
        let Some(result) = line.strip_prefix("test result: ") else { return self };
        let count = |word: &str| {
            result
                .split([';', '.'])
                .find_map(|part| part.trim().strip_suffix(word)?.trim().parse::<u32>().ok())
                .unwrap_or(0)
        };
        Self { passed: self.passed + count("passed"), failed: self.failed + count("failed") }
    }

    /// Counts a line such as `  3 passed (4.1s)`; what neither passed nor was left out on purpose failed.
    fn with_playwright(self, line: &str) -> Self {
        let Some((number, word)) = line.trim().split_once(' ') else { return self };
        let Ok(number) = number.parse::<u32>() else { return self };
        match word.split(" (").next().unwrap_or_default() {
            "passed" => Self { passed: self.passed + number, ..self },
            "failed" | "flaky" | "interrupted" | "did not run" => {
                Self { failed: self.failed + number, ..self }
            }
            _ => self,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Tally;

    #[test]
    fn results_are_counted() {
        let none = Tally::default();
        let cargo = none.with_cargo("test result: FAILED. 5 passed; 2 failed; 0 ignored; 0 measured");
        assert_eq!(cargo, Tally { passed: 5, failed: 2 });
        assert_eq!(cargo.with_cargo("running 3 tests"), cargo);
        let browser = none.with_playwright("  3 passed (4.1s)").with_playwright("  1 did not run");
        assert_eq!(browser, Tally { passed: 3, failed: 1 });
        assert_eq!(browser.with_playwright("  1 error was not a part of any test"), browser);
    }
}
