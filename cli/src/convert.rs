//! Everything that makes one kind of file from another, and `check`.

use std::io::Write;

use crate::args::{Check, FailOn, Import, Link, Open};
use crate::load::{load, shown};
use crate::{End, Stop};

/// Says everything that is wrong with a scenario.
pub fn check(args: &Check) -> Result<End, Stop> {
    let loaded = load(&args.file, None)?;
    let plan = loaded.checked.plan.ok_or(Stop::BadInput)?;
    let (n, file) = (loaded.n_warnings, shown(&args.file));
    let (nodes, queues) = (plan.cluster.nodes.len(), plan.cluster.queues.len());
    let (jobs, pods) = (plan.cluster.jobs.len(), plan.cluster.pods.len());
    let warnings = if n == 1 { "1 warning".to_string() } else { format!("{n} warnings") };
    writeln!(
        std::io::stdout(),
        "{file}: can be run; {nodes} nodes, {queues} queues, {jobs} jobs, {pods} pods; {warnings}"
    )?;
    Ok(if n > 0 && args.fail_on.contains(&FailOn::Warning) { End::FailOn } else { End::Ok })
}

/// Makes a scenario from a trace.
pub fn import(_args: &Import) -> Result<End, Stop> {
    eprintln!("fairground: this build cannot import traces");
    Err(Stop::BadInput)
}

/// Prints a scenario as a link.
pub fn link(_args: &Link) -> Result<End, Stop> {
    eprintln!("fairground: this build cannot make links");
    Err(Stop::BadInput)
}

/// Prints the scenario in a link.
pub fn open(_args: &Open) -> Result<End, Stop> {
    eprintln!("fairground: this build cannot open links");
    Err(Stop::BadInput)
}
