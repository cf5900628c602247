//! The headless runner: scenario in, events, tables or JSON lines out, exit codes for pipelines.
//!
//! [`args`] is the command line; [`load`] reads files and links, [`messages`] says what is wrong with them; [`run`] is the
//! loop, which hands every cycle to [`text`] or [`lines`]; [`why`] explains one job; [`simulators`] answers like those that come with KAI; [`convert`] is everything that makes one kind of
//! file from another; [`policies`] says which versions are modelled; [`translated`] puts scenarios under other policies.

mod args;
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

/// How the runner ends; see the help text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Ok,
    FailOn,
}

/// Why it ends early.
enum Stop {
    /// The input is no good; what is wrong was said already.
    BadInput,
    /// Reading failed; why was said already.
    Failed,
    /// The other side of the pipe has heard enough, or writing failed.
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
            // Help and version are answers, not mistakes.
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
        args::Command::Compare(args) => translated::compare(&args),
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
