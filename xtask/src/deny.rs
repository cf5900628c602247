//! `cargo xtask deny`: checks licences, sources, duplicates and known vulnerabilities of all crates. `deny.toml` says
//! what is allowed, and why.

use std::process::Command;

use crate::root;
use crate::step::{Failure, run, step};
use crate::tools;

const EXPLAIN: &str = "replace or update the crate named above, or allow it in deny.toml with a reason";

/// Runs the checks named in the arguments, or all of them. That for vulnerabilities downloads a database.
pub fn deny(args: &[String]) -> Result<(), Failure> {
    let deny = tools::cargo_deny()?;
    // An exception that is no longer needed is an error, but some are needed by one of the two only.
    for (manifest, unneeded) in [("Cargo.toml", "--deny"), ("fuzz/Cargo.toml", "--allow")] {
        let mut command = Command::new(&deny);
        command.args(["--locked", "--manifest-path", manifest, "--config"]).arg(root().join("deny.toml")).arg("check");
        for exception in ["unmatched-skip", "unnecessary-skip", "license-not-encountered"] {
            command.args([unneeded, exception]);
        }
        command.args(args).current_dir(root());
        step(&format!("Crates of {manifest}"), || run(&mut command, EXPLAIN))?;
    }
    Ok(())
}
