//! Tells the tests whether the Philly trace is there. Without it they are ignored, which is not passed.

use std::path::PathBuf;

fn main() {
    println!("cargo::rustc-check-cfg=cfg(philly)");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=FAIRGROUND_DATA");
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/data");
    let dir = std::env::var_os("FAIRGROUND_DATA").map_or(beside, PathBuf::from).join("philly-2017");
    let files = ["jobs.csv", "queues.csv"].map(|name| dir.join(name));
    // A file that is missing would make every build begin anew.
    for file in files.iter().filter(|file| file.is_file()) {
        println!("cargo::rerun-if-changed={}", file.display());
    }
    if files.iter().all(|file| file.is_file()) {
        println!("cargo::rustc-cfg=philly");
    }
}
