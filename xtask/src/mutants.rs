//! `cargo xtask mutants`: plants mutations one by one and reports those that no test detects.
//!
//! `tests/mutants.toml` names the mutated files and the tests to run, and explains accepted survivors. Every mutation
//! takes a build of the engine and its tests, a minute or more: test single files, or a shard of all.

use std::process::Command;

use crate::root;
use crate::step::{Failure, run, step};
use crate::tools;

const EXPLAIN: &str = "write a test that notices what is missed, or explain in tests/mutants.toml why nobody could";

/// Runs cargo-mutants with these arguments.
pub fn mutants(args: &[String]) -> Result<(), Failure> {
    let target = root().join("target");
    let mut command = Command::new(tools::cargo_mutants()?);
    command.args(["mutants", "--config", "tests/mutants.toml", "--output"]).arg(&target).args(args);
    command.current_dir(root()).env("CARGO_TARGET_DIR", target.join("mutants"));
    step("Planted mistakes", || run(&mut command, EXPLAIN))
}
