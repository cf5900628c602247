//! Project tasks: `cargo xtask serve`, `cargo xtask test` and their parts. See [`USAGE`].
//!
//! Only these tasks install anything: pinned tools in `target/tools` and pinned Node packages in
//! `tests/e2e/node_modules`, and only if they are missing.

mod browser;
mod deny;
mod documents;
mod files;
mod fuzz;
mod licences;
mod mutants;
mod page;
mod screens;
mod server;
mod step;
mod tally;
mod test;
mod tools;

use std::path::PathBuf;
use std::process::ExitCode;

use step::{Failure, cargo, run, step};

const USAGE: &str = "\
Usage: cargo xtask TASK

  serve [--release] [--port N]   build the page, serve it on this machine; what is changed is built again
  test [--fast]                  format, lints, docs, all tests, browser tests; one closing line; --fast: format, lints and
                                 native tests
  e2e [--no-build] [--firefox | --webkit] [ARGS]
                                 browser tests alone, on the release build, in Chromium or Firefox, or a short one in WebKit;
                                 ARGS go to playwright
  screens [--no-build] [ARGS]    pictures of every screen, to be looked at, in target/screens
  dist                           static files for any web host and any sub-path in dist/, with a size table
  bench [ARGS]                   benchmarks of the engine
  bench --report [--only TEXT]   times beside those of the real schedulers and the targets, into docs/performance.md
  bench --browser [--no-build]   of the page in a browser: time to paint, steps, edits, playing
  golden --dir PATH              run every recording of the reference schedulers below PATH
  soak [--cases N] [--policy P] [--seed S]
                                 run every law over drawn scenarios; the first that breaks one is printed, made small
  fuzz TARGET [--seconds N]      feed mutated inputs to one way in, guided by the code they reach; scenario, table, files, link,
                                 lesson or message
  mutants [--shard K/N] [--file FILE]…
                                 plant mistakes in the engine and say which of them no test notices; arguments go to
                                 cargo-mutants
  deny [advisories] [bans] [licenses] [sources]
                                 check all crates: known vulnerabilities, duplicates, licences, where they are from

FAIRGROUND_CHROMIUM, FAIRGROUND_FIREFOX and FAIRGROUND_WEBKIT name other browsers for the browser tests.";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let task = args.first().map(String::as_str).unwrap_or("help");
    let rest = args.get(1..).unwrap_or_default();
    let outcome = match task {
        task if asks_for_help(rest) && !HAS_OWN_HELP.contains(&task) => help(),
        "serve" => serve(rest),
        "test" if rest == ["--fast"] => return test::fast(),
        "test" if rest.is_empty() => return test::everything(),
        "test" => Err(Failure::new(format!("test does not know {rest:?}"), USAGE)),
        "e2e" => e2e(rest),
        "dist" if rest.is_empty() => page::dist().and_then(|dist| page::check_sizes(&dist)),
        "dist" => Err(Failure::new(format!("dist does not know {rest:?}"), USAGE)),
        "screens" => screens(rest),
        "bench" if rest.first().is_some_and(|arg| arg == "--report") => return of_tests("performance", &rest[1..]),
        "bench" => bench(rest),
        "golden" => return golden(rest),
        "soak" => return soak(rest),
        "fuzz" => fuzz::fuzz(rest),
        "mutants" => mutants::mutants(rest),
        "deny" => deny::deny(rest),
        "help" | "--help" | "-h" => help(),
        other => Err(Failure::new(format!("there is no task {other:?}"), USAGE)),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
    }
}

fn help() -> Result<(), Failure> {
    println!("{USAGE}");
    Ok(())
}

/// Tasks whose arguments go to a program that explains them.
const HAS_OWN_HELP: [&str; 3] = ["golden", "soak", "mutants"];

/// Whether the arguments of a task ask for its usage.
fn asks_for_help(args: &[String]) -> bool {
    args.iter().any(|arg| arg == "--help" || arg == "-h")
}

/// Returns the root folder of the workspace.
fn root() -> PathBuf {
    let mut root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    root.pop();
    root
}

fn serve(args: &[String]) -> Result<(), Failure> {
    let mut release = false;
    let mut port = None;
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--release" => release = true,
            "--port" => {
                let number = args.next().and_then(|text| text.parse().ok());
                port = Some(number.ok_or_else(|| Failure::new("--port needs a number", USAGE))?);
            }
            other => return Err(Failure::new(format!("serve does not know {other:?}"), USAGE)),
        }
    }
    page::serve(release, port)
}

fn e2e(args: &[String]) -> Result<(), Failure> {
    let (dist, args) = built(args)?;
    let (project, args) = match args.split_first() {
        Some((first, rest)) if first == "--firefox" => ("firefox", rest),
        Some((first, rest)) if first == "--webkit" => ("webkit", rest),
        _ => ("journeys", args),
    };
    passed(browser::browser(&dist, project, args)?)
}

fn screens(args: &[String]) -> Result<(), Failure> {
    let (dist, args) = built(args)?;
    passed(screens::screens(&dist, args)?)
}

fn passed(tally: tally::Tally) -> Result<(), Failure> {
    println!("{tally}");
    if tally.failed == 0 { Ok(()) } else { Err(Failure::new("browser tests failed", browser::LOOK_AT_RESULTS)) }
}

/// Builds the page into `dist/` unless the first argument is `--no-build`. Returns the folder and the other arguments.
fn built(args: &[String]) -> Result<(PathBuf, &[String]), Failure> {
    let Some((_, rest)) = args.split_first().filter(|(first, _)| *first == "--no-build") else {
        return Ok((page::dist()?, args));
    };
    let dist = root().join("dist");
    if !dist.join("index.html").exists() {
        return Err(Failure::new("there is no page in dist/", "run `cargo xtask dist`"));
    }
    Ok((dist, rest))
}

fn bench(args: &[String]) -> Result<(), Failure> {
    if args.first().is_some_and(|arg| arg == "--browser") {
        let (dist, args) = built(&args[1..])?;
        return browser::browser(&dist, "bench", args).map(|_| ());
    }
    step("Benchmarks of the engine", || {
        run(cargo().args(["bench", "-p", "fairground"]).args(args), "read the compiler's messages above")
    })
}

fn golden(args: &[String]) -> ExitCode {
    of_tests("golden", args)
}

fn soak(args: &[String]) -> ExitCode {
    of_tests("soak", args)
}

/// Runs a program of the `tests` package with these arguments. Returns its exit code.
fn of_tests(program: &str, args: &[String]) -> ExitCode {
    let mut command = cargo();
    command.args(["run", "--quiet", "--release", "-p", "fairground-tests", "--bin", program, "--"]).args(args);
    match command.status() {
        Ok(status) => ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)),
        Err(error) => {
            eprintln!("{}", Failure::new(format!("cargo did not start: {error}"), "check the Rust installation"));
            ExitCode::FAILURE
        }
    }
}
