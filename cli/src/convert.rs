//! Everything that makes one kind of file from another, and `check`.

use std::io::Write;

use fairground::import::{self, Kind, Options, Source};
use fairground::policy::Policy;
use fairground::{link, scenario};

use crate::args::{Check, Export, FailOn, Import, Link, Open};
use crate::load::{from_link, load, text};
use crate::messages::{complain, report, shown};
use crate::{End, Stop};

/// Says everything that is wrong with a scenario.
pub fn check(args: &Check) -> Result<End, Stop> {
    let loaded = load(&args.file, None)?;
    let plan = &loaded.plan;
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

/// Makes a scenario from a trace, a resource plan, projects and departments of Run:ai, queues of YuniKorn, or the objects of a cluster.
pub fn import(args: &Import) -> Result<End, Stop> {
    let mut options = Options::default();
    if let Some(nodes) = args.nodes {
        options.nodes = Some(nodes);
    }
    if let Some(scale) = args.quota_scale {
        options.quota_scale = scale;
    }
    if let Some(policy) = &args.policy {
        options.policy.clone_from(policy);
    }
    options.name = file_stem(&args.trace);
    let jobs = text(&args.trace)?;
    let queues = args.queues.as_deref().map(text).transpose()?;
    let kind = import::recognise(jobs.as_bytes(), &args.trace);
    if queues.is_some() && matches!(kind, Kind::Plan | Kind::QueuesYaml | Kind::Kubernetes) {
        complain(
            "fairground: --queues goes with a trace of jobs or with projects; this file has its own queues",
        );
        return Err(Stop::BadInput);
    }
    let imported = match kind {
        Kind::Plan => import::import_plan(&jobs, &options),
        Kind::Organisation => import::import_organisation(&organisation(&jobs, queues.as_deref()), &options),
        Kind::QueuesYaml => import::import_queues_yaml(&jobs, &options),
        Kind::Kubernetes => import::import_kubernetes(&[Source { file: &args.trace, text: &jobs }], &options),
        _ => import::import(jobs.as_bytes(), queues.as_deref().map(str::as_bytes), &options),
    };
    let r = &imported.report;
    report(&args.trace, &r.diagnostics)?;
    let mut err = std::io::stderr().lock();
    for (what, says) in [("understood", &r.understood), ("assumed", &r.assumed), ("ignored", &r.ignored)] {
        for line in says {
            writeln!(err, "{}", scenario::visible(&format!("{what}: {line}")))?;
        }
    }
    let scenario = imported.scenario.ok_or(Stop::BadInput)?;
    let written = scenario::to_yaml(&scenario);
    if args.output == "-" {
        std::io::stdout().write_all(written.as_bytes())?;
    } else {
        std::fs::write(&args.output, written)?;
    }
    Ok(End::Ok)
}

/// Writes queues as YuniKorn reads them, or what changes in them.
pub fn export(args: &Export) -> Result<End, Stop> {
    let loaded = load(&args.file, None)?;
    let none = || {
        let policies = Policy::ALL.iter().filter(|policy| policy.queue_file.is_some());
        let policies: Vec<&str> = policies.map(|policy| policy.key).collect();
        let policies = policies.join(" or ");
        complain(&format!("fairground: {}: not a scenario of the policy {policies}", shown(&args.file)));
        Stop::BadInput
    };
    let mut written = import::export_queues_yaml(&loaded.scenario).ok_or_else(none)?;
    if let Some(against) = &args.against {
        let imported = import::import_queues_yaml(&text(against)?, &Options::default());
        report(against, &imported.report.diagnostics)?;
        let before = imported.scenario.as_ref().and_then(import::export_queues_yaml).ok_or(Stop::BadInput)?;
        written = import::diff::unified(&before, &written, [shown(against), "exported"]);
    }
    if args.output == "-" {
        std::io::stdout().write_all(written.as_bytes())?;
    } else {
        std::fs::write(&args.output, written)?;
    }
    Ok(End::Ok)
}

/// The list of projects, and that of departments if it is a file of its own.
fn organisation<'a>(text: &'a str, other: Option<&'a str>) -> Vec<&'a str> {
    std::iter::once(text).chain(other).collect()
}

/// The name of a file without folders and ending.
fn file_stem(file: &str) -> String {
    let stem = std::path::Path::new(file).file_stem();
    stem.map_or_else(|| "trace".to_string(), |stem| stem.to_string_lossy().into_owned())
}

/// Prints a scenario as a link.
pub fn link(args: &Link) -> Result<End, Stop> {
    let loaded = load(&args.file, None)?;
    writeln!(std::io::stdout(), "#{}", link::encode(&loaded.scenario))?;
    Ok(End::Ok)
}

/// Prints the scenario in a link.
pub fn open(args: &Open) -> Result<End, Stop> {
    let given = if args.link == "-" { text("-")? } else { args.link.clone() };
    let scenario = from_link(&given)?;
    std::io::stdout().write_all(scenario::to_yaml(&scenario).as_bytes())?;
    Ok(End::Ok)
}
