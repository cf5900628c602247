//! Measures the engine and writes `docs/performance.md`.

use std::process::ExitCode;

use clap::Parser;
use fairground_tests::performance::document::document;

/// Measure the engine and write docs/performance.md
#[derive(Parser)]
#[command(name = "performance")]
struct Args {
    /// Measure only what contains this in its name, and print it
    #[arg(long, value_name = "SUBSTRING")]
    only: Option<String>,
}

const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/performance.md");

fn main() -> ExitCode {
    let args = Args::parse();
    if let Some(only) = args.only {
        print!("{}", document(&only));
        return ExitCode::SUCCESS;
    }
    match std::fs::write(DOCUMENT, document("")) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: docs/performance.md cannot be written: {error}");
            ExitCode::FAILURE
        }
    }
}
