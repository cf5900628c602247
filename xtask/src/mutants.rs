//! `cargo xtask mutants`: mistakes planted one by one, and which of them no test notices.
//!
//! Which tests have to notice them and which survivors are explained stands in `tests/mutants.toml`. Every mistake costs a
//! build of the engine and its tests, a minute or more, so it is for single files and for nights.

use std::collections::BTreeMap;
use std::process::Command;

use crate::root;
use crate::step::{Failure, run, step};
use crate::tools;

const EXPLAIN: &str = "write a test that notices them, or explain in tests/mutants.toml why nobody could";

/// Adapters and rules, the simulation, and what a scenario means: more than 9,000 mistakes.
const WHERE: [&str; 3] = ["core/src/policy/**", "core/src/sim/**", "core/src/scenario/**"];

/// Plants mistakes in these files, in all of [`WHERE`] if none is named, and says what became of them.
pub fn mutants(files: &[String]) -> Result<(), Failure> {
    let program = tools::cargo_mutants()?;
    let out = root().join("target");
    let mut command = Command::new(program);
    command
        .args(["mutants", "--config", "tests/mutants.toml", "--output"])
        .arg(&out)
        .current_dir(root())
        .env("CARGO_TARGET_DIR", out.join("mutants"));
    let all = WHERE.map(str::to_owned);
    for file in if files.is_empty() { &all } else { files } {
        command.args(["--file", file]);
    }
    // It fails when a mistake survives, which is judged here; what it could not do leaves no results.
    let results = out.join("mutants.out");
    let _ = std::fs::remove_dir_all(&results);
    let ran = step("Planted mistakes", || run(&mut command, "read the messages above"));
    let read = |name: &str| std::fs::read_to_string(results.join(name)).unwrap_or_default();
    let (caught, missed) = (read("caught.txt") + &read("timeout.txt"), read("missed.txt"));
    if caught.is_empty() && missed.is_empty() {
        return ran;
    }
    for line in table(&caught, &missed) {
        println!("{line}");
    }
    if missed.is_empty() {
        return Ok(());
    }
    println!("\n{missed}");
    Err(Failure::new(format!("no test notices {} planted mistakes", missed.lines().count()), EXPLAIN))
}

/// One line for each file: how many of its mistakes were noticed. The results have lines such as
/// `core/src/id.rs:12:5: replace index with 0`.
fn table(caught: &str, missed: &str) -> Vec<String> {
    let mut files: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let file = |line: &'_ str| line.find(':').unwrap_or(line.len());
    for line in caught.lines() {
        files.entry(&line[..file(line)]).or_default().0 += 1;
    }
    for line in missed.lines() {
        files.entry(&line[..file(line)]).or_default().1 += 1;
    }
    files
        .iter()
        .map(|(file, (caught, missed))| format!("{caught:4} of {:4}  {file}", caught + missed))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::table;

    #[test]
    fn noticed_mistakes_are_counted_by_file() {
        let caught = "core/src/id.rs:12:5: replace a\ncore/src/id.rs:13:5: replace b\n";
        let missed = "core/src/id.rs:14:5: replace c\ncore/src/time.rs:1:1: replace d\n";
        assert_eq!(table(caught, missed), ["   2 of    3  core/src/id.rs", "   0 of    1  core/src/time.rs"]);
    }
}
