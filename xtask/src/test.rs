//! `cargo xtask test`: runs and counts all checks and tests.

use std::process::ExitCode;
use std::time::Instant;

use crate::browser::browser;
use crate::page;
use crate::screens::screens;
use crate::step::{Failure, cargo, run, step, watch};
use crate::tally::Tally;
use crate::tools;

const LOOK_ABOVE: &str = "read the messages above";

/// Runs everything, even after a failure, and prints a line with the totals. The page is built in parallel with the native checks.
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
    // In parallel, because its optimiser uses one core for minutes and its build folder is separate from that of native code.
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
