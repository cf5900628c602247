//! Steps that print title and duration, and failures with advice.

use std::fmt;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// A failure with one sentence of advice.
#[derive(Debug)]
pub struct Failure {
    what: String,
    by_hand: String,
}

impl Failure {
    /// Returns a failure with its advice.
    pub fn new(what: impl Into<String>, by_hand: impl Into<String>) -> Self {
        Self { what: what.into(), by_hand: by_hand.into() }
    }

    /// Returns the failure of a file operation.
    pub fn file(path: &Path, error: std::io::Error) -> Self {
        Self::new(format!("{}: {error}", path.display()), "check that the file is there and may be written")
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Failed: {}\nBy hand: {}", self.what, self.by_hand)
    }
}

/// Prints `title`, runs `work`, and prints the duration.
pub fn step<T>(title: &str, work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    println!("== {title}");
    let start = Instant::now();
    let outcome = work();
    let word = if outcome.is_ok() { "done" } else { "failed" };
    println!("   {word} in {:.1} s", start.elapsed().as_secs_f64());
    outcome
}

static WITHOUT_INCREMENTAL: AtomicBool = AtomicBool::new(false);

/// Commands of cargo build without incremental compilation from now on.
pub fn without_incremental() {
    WITHOUT_INCREMENTAL.store(true, Ordering::Relaxed);
}

/// Returns a command for the cargo that started this program.
pub fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(crate::root());
    if WITHOUT_INCREMENTAL.load(Ordering::Relaxed) {
        command.env("CARGO_INCREMENTAL", "0");
    }
    command
}

/// Runs `command` and waits for it. Fails unless it succeeds.
pub fn run(command: &mut Command, by_hand: &str) -> Result<(), Failure> {
    let status = command.status().map_err(|error| not_started(command, &error, by_hand))?;
    if status.success() { Ok(()) } else { Err(Failure::new(format!("{} ({status})", line(command)), by_hand)) }
}

/// Runs `command` and returns its output; `None` if it cannot run or fails.
pub fn output(command: &mut Command) -> Option<String> {
    let output = command.stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Runs `command` and prints the lines of its output for which `is_shown` returns true. Returns whether it succeeded.
pub fn watch(command: &mut Command, mut is_shown: impl FnMut(&str) -> bool) -> Result<bool, Failure> {
    let by_hand = "check that the program is installed";
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(|error| not_started(command, &error, by_hand))?;
    if let Some(stdout) = child.stdout.take() {
        for text in BufReader::new(stdout).lines().map_while(Result::ok) {
            if is_shown(&text) {
                println!("{text}");
            }
        }
    }
    let status = child.wait().map_err(|error| not_started(command, &error, by_hand))?;
    Ok(status.success())
}

fn not_started(command: &Command, error: &std::io::Error, by_hand: &str) -> Failure {
    Failure::new(format!("{} did not start: {error}", line(command)), by_hand)
}

/// Returns the command line.
fn line(command: &Command) -> String {
    let words: Vec<_> = std::iter::once(command.get_program()).chain(command.get_args()).collect();
    words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}
