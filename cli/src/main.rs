//! The headless runner: reads a scenario, prints events, tables or JSON Lines, and sets exit codes for pipelines.
//!
//! [`args`] defines the command line; [`load`] reads files and links, and [`messages`] prints findings about them;
//! [`run`] runs the simulation and prints each cycle through [`text`] or [`lines`]; [`why`] explains one job;
//! [`simulators`] replaces KAI's bundled simulators; [`convert`] converts files; [`policies`] lists modelled versions;
//! [`translated`] translates scenarios to other policies; [`compared`] runs several side by side.

mod args;
mod compared;
mod convert;
mod lines;
mod load;
mod messages;
mod policies;
mod progress;
mod run;
mod simulators;
mod text;
mod translated;
mod why;

use std::io::ErrorKind;
use std::process::ExitCode;

use clap::Parser;

/// Regular end of the runner; see the help text for exit codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Ok,
    FailOn,
}

/// Reason for an early end.
enum Stop {
    /// The input is invalid; already reported.
    BadInput,
    /// Reading failed; already reported.
    Failed,
    /// Writing failed, or the reader of the pipe closed it.
    Io(std::io::Error),
}

impl From<std::io::Error> for Stop {
    fn from(error: std::io::Error) -> Stop {
        Stop::Io(error)
    }
}

fn main() -> ExitCode {
    let args = match args::Args::try_parse() {
        Ok(args) => args,
        Err(error) => {
            // Help and version are not errors.
            let code = if error.use_stderr() { 3 } else { 0 };
            let _ = error.print();
            return ExitCode::from(code);
        }
    };
    let end = match args.command {
        args::Command::Run(args) => run::run(&args),
        args::Command::Why(args) => why::why(&args),
        args::Command::Check(args) => convert::check(&args),
        args::Command::Import(args) => convert::import(&args),
        args::Command::Export(args) => convert::export(&args),
        args::Command::Kit(args) => convert::kit(&args),
        args::Command::Fairshare(args) => simulators::fairshare(&args),
        args::Command::TimeBased(args) => simulators::time_based(&args),
        args::Command::Translate(args) => translated::translate(&args),
        args::Command::Compare(args) => compared::compare(&args),
        args::Command::Policies(args) => policies::policies(&args),
        args::Command::Schema => convert::schema(),
        args::Command::Link(args) => convert::link(&args),
        args::Command::Open(args) => convert::open(&args),
    };
    match end {
        Ok(End::Ok) => ExitCode::SUCCESS,
        Ok(End::FailOn) => ExitCode::from(1),
        Err(Stop::BadInput) => ExitCode::from(2),
        Err(Stop::Failed) => ExitCode::from(4),
        Err(Stop::Io(error)) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(Stop::Io(error)) => {
            eprintln!("fairground: {error}");
            ExitCode::from(4)
        }
    }
}
