//! The machine, the compiler and the revision of the figures.

use std::process::Command;

/// Lines of the document that say what was measured where.
pub fn lines() -> String {
    let cores = std::thread::available_parallelism().map_or("unknown".to_owned(), |n| n.to_string());
    format!(
        "| machine | |\n|---|---|\n| processor | {} |\n| cores | {cores}; the engine uses one |\n| compiler | {} |\n\
         | revision | {} |\n",
        processor(),
        says("rustc", &["--version"]),
        says("git", &["describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]),
    )
}

fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = text.lines().find(|line| line.starts_with("model name")).and_then(|line| line.split_once(':'));
    model.map_or("unknown", |(_, model)| model.trim()).to_owned()
}

fn says(program: &str, args: &[&str]) -> String {
    let output = Command::new(program).args(args).current_dir(env!("CARGO_MANIFEST_DIR")).output();
    let text = output.ok().filter(|output| output.status.success()).map(|output| output.stdout);
    text.map_or("unknown".to_owned(), |text| String::from_utf8_lossy(&text).trim().to_owned())
}
