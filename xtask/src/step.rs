//! Steps that say what they do and how long it took, and failures that say what to do by hand.

use std::fmt;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// What went wrong, and one sentence on what to do about it.
#[derive(Debug)]
pub struct Failure {
    what: String,
    by_hand: String,
}

impl Failure {
    /// A failure with its advice.
    pub fn new(what: impl Into<String>, by_hand: impl Into<String>) -> Self {
        Self { what: what.into(), by_hand: by_hand.into() }
    }

    /// A file operation that failed.
    pub fn file(path: &Path, error: std::io::Error) -> Self {
        Self::new(format!("{}: {error}", path.display()), "check that the file is there and may be written")
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Failed: {}\nBy hand: {}", self.what, self.by_hand)
    }
}

/// Announces `title`, does `work`, says how long it took.
pub fn step<T>(title: &str, work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    println!("== {title}");
    let start = Instant::now();
    let outcome = work();
    let word = if outcome.is_ok() { "done" } else { "failed" };
    println!("   {word} in {:.1} s", start.elapsed().as_secs_f64());
    outcome
}

/// The cargo that started this program.
pub fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(crate::root());
    command
}

/// Runs `command` to its end; anything but success is a failure.
pub fn run(command: &mut Command, by_hand: &str) -> Result<(), Failure> {
    let status = command.status().map_err(|error| not_started(command, &error, by_hand))?;
    if status.success() {
        Ok(())
    } else {
        Err(Failure::new(format!("{} ({status})", line(command)), by_hand))
    }
}

/// Runs `command` and gives its output, or nothing if it cannot run or fails.
pub fn output(command: &mut Command) -> Option<String> {
    let output = command.stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Runs `command` and shows every line of its output that `look` finds worth showing; says whether it succeeded.
pub fn watch(command: &mut Command, mut look: impl FnMut(&str) -> bool) -> Result<bool, Failure> {
    let by_hand = "check that the program is installed";
    let mut child =
        command.stdout(Stdio::piped()).spawn().map_err(|error| not_started(command, &error, by_hand))?;
    if let Some(stdout) = child.stdout.take() {
        for text in BufReader::new(stdout).lines().map_while(Result::ok) {
            if look(&text) {
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

/// The command as one would type it.
fn line(command: &Command) -> String {
    let words: Vec<_> = std::iter::once(command.get_program()).chain(command.get_args()).collect();
    words.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}
