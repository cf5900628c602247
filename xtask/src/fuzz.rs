//! `cargo xtask fuzz`: coverage-guided fuzzing of a way in, natively.
//!
//! The targets are programs of the package `fuzz`, which is no member of the workspace. The stable compiler instruments
//! them; nothing is installed. The corpus stays in `target/fuzz/corpus` and grows with every run; inputs that fail are
//! in `target/fuzz/findings`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::root;
use crate::step::{Failure, cargo, output, run, step};

/// Each target with the folders whose files are its first inputs.
const TARGETS: [(&str, &[&str]); 6] = [
    ("scenario", &["assets/scenarios"]),
    ("table", &["fuzz/seeds/table"]),
    ("files", &["tests/imports", "fuzz/seeds/table"]),
    ("link", &[]),
    ("lesson", &["assets/lessons"]),
    ("message", &[]),
];

/// What libFuzzer reads of the instrumentation: counters of edges, their addresses, and operands of comparisons.
const INSTRUMENTED: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares";

/// An input that takes longer is a finding, in seconds.
const TIMEOUT: u32 = 20;
/// An input that needs more memory is a finding, in megabytes.
const MEMORY: u32 = 2048;
/// Largest input, in bytes.
const LENGTH: u32 = 8192;

/// Runs a target for some seconds.
pub fn fuzz(args: &[String]) -> Result<(), Failure> {
    let known = TARGETS.map(|(name, _)| name).join(", ");
    let usage = || Failure::new("no such target", format!("cargo xtask fuzz TARGET [--seconds N]; {known}"));
    let (seconds, name) = match args {
        [name] => ("60", name),
        [name, option, seconds] if option == "--seconds" => (seconds.as_str(), name),
        _ => return Err(usage()),
    };
    let seconds: u32 = seconds.parse().map_err(|_| usage())?;
    let (name, seeds) = TARGETS.into_iter().find(|(known, _)| known == name).ok_or_else(usage)?;
    let program = step("Build the targets of the fuzzer", || build(name))?;
    let folder = root().join("target/fuzz");
    let (corpus, findings) = (folder.join("corpus").join(name), folder.join("findings").join(name));
    for folder in [&corpus, &findings] {
        std::fs::create_dir_all(folder).map_err(|error| Failure::file(folder, error))?;
    }
    let words = folder.join("words");
    dictionary(&words)?;
    let mut command = Command::new(program);
    command
        .arg(format!("-max_total_time={seconds}"))
        .arg(format!("-timeout={TIMEOUT}"))
        .arg(format!("-rss_limit_mb={MEMORY}"))
        .arg(format!("-max_len={LENGTH}"))
        .arg(format!("-dict={}", words.display()))
        .arg(format!("-artifact_prefix={}/", findings.display()))
        .args(["-print_final_stats=1", "-reload=0"])
        .arg(&corpus)
        .args(seeds.iter().map(|seed| root().join(seed)))
        .env("FUZZ_CORPUS", &corpus);
    let by_hand = format!("write a test with the input in {}, and mend the cause", findings.display());
    step(&format!("Fuzz {name} for {seconds} s"), || run(&mut command, &by_hand))
}

/// Builds the instrumented targets. Returns the path of one.
fn build(name: &str) -> Result<PathBuf, Failure> {
    let by_hand = "read the compiler's messages above; a C++ compiler is needed";
    let version = output(Command::new("rustc").arg("-vV").current_dir(root())).unwrap_or_default();
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    let host = host.ok_or_else(|| Failure::new("rustc did not start", "install Rust with rustup"))?;
    let folder = root().join("target/fuzz/build");
    // With a target, the flags do not reach build scripts and macros.
    let mut build = cargo();
    build
        .args(["build", "--quiet", "--release", "--locked", "--bins", "--target", host])
        .args(["--manifest-path", "fuzz/Cargo.toml", "--target-dir"])
        .arg(&folder)
        .env("RUSTFLAGS", INSTRUMENTED);
    run(&mut build, by_hand)?;
    Ok(folder.join(host).join("release").join(name))
}

/// Writes the keys of scenario files, from their schema, as a dictionary.
fn dictionary(path: &Path) -> Result<(), Failure> {
    let schema = root().join("assets/scenario.schema.json");
    let schema = std::fs::read_to_string(&schema).map_err(|error| Failure::file(&schema, error))?;
    let is_word = |word: &&str| {
        !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
    };
    let words: BTreeSet<&str> = schema.split('"').filter(is_word).collect();
    let lines: String = words.into_iter().map(|word| format!("\"{word}\"\n")).collect();
    std::fs::write(path, lines).map_err(|error| Failure::file(path, error))
}
