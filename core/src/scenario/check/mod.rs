//! Turns a scenario into a plan, or reports all of its errors at once.
//!
//! Each part is resolved independently, with substitutes for invalid values, so that one error does not hide others.
//! The cluster is built only if there is no error; until then nothing of unbounded size is expanded.

mod advice;
mod advice_jobs;
mod build;
mod gangs;
mod ignored;
mod jobs;
mod named;
mod names;
mod nodes;
mod patterns;
mod placement;
mod priority;
mod queues;
mod rules;
mod scheduling;
mod timeline;

pub use ignored::{reads_of_jobs, reads_of_nodes};

use std::sync::Arc;

use super::{Plan, Planned};
use crate::cluster::{Cluster, Delays};
use crate::format::quantity::{self, Wrong};
use crate::format::{Code, Diagnostic, Findings, JobEntry, Path, Scalar, Scenario, codes, quoted, set};
use crate::policy::draft::Draft;
use crate::policy::vocabulary::Terms;
use crate::policy::{Policy, Rhythm};
use crate::units::{Amount, Bound, Resource, Weight};

/// The result of a check.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    /// The input of a simulation; `None` if there are errors.
    pub plan: Option<Plan>,
    /// All findings, in the order of the file's sections.
    pub diagnostics: Vec<Diagnostic>,
}

/// Checks a scenario: reports errors and questionable values, and builds the plan.
pub fn check(scenario: &Scenario) -> Checked {
    let (parts, diagnostics) = resolve(scenario);
    Checked { plan: parts.map(Parts::plan), diagnostics }
}

/// The findings of a check, without the plan, which takes memory for every pod.
pub fn diagnose(scenario: &Scenario) -> Vec<Diagnostic> {
    resolve(scenario).1
}

/// The parts of a scenario without errors; jobs are not expanded to pods.
struct Parts {
    /// By node pool.
    charges: Vec<(Policy, Rhythm)>,
    delays: Delays,
    pools: scheduling::Pools,
    named: Vec<Arc<str>>,
    nodes: nodes::Nodes,
    queues: queues::Queues,
    jobs: jobs::Jobs,
    placed: placement::Placements,
    timeline: Vec<Planned>,
}

impl Parts {
    fn plan(mut self) -> Plan {
        let cluster = build::cluster(self.delays, &self.pools, self.nodes, self.queues, &self.jobs, &self.placed);
        let cluster = Cluster { named: self.named, ..cluster };
        let later = self.timeline.iter().flat_map(Planned::policies).collect::<Vec<_>>();
        self.charges.iter_mut().for_each(|(policy, _)| policy.with_later_configs(&later));
        let (policy, rhythm) = self.charges.remove(0);
        Plan { cluster, policy, rhythm, further: self.charges, timeline: self.timeline }
    }
}

/// Resolves all parts of a scenario and reports what is wrong with them; the parts only if there is no error.
fn resolve(scenario: &Scenario) -> (Option<Parts>, Vec<Diagnostic>) {
    let mut findings = Findings::default();
    let f = &mut findings;
    let (policy, rhythm, delays) = scheduling::settings(scenario, f);
    let pools = scheduling::pools(scenario, f);
    let charges = scheduling::of_pools(scenario, (policy.clone(), rhythm), f);
    let named = named::Named::of(scenario, f);
    let mut nodes = nodes::nodes(scenario, (&pools, &named), f);
    let queues = queues::queues(scenario, &pools, f);
    let mut jobs = jobs::jobs(scenario, (&pools, &queues, &named), policy.description(), f);
    jobs.count_gpu_memory(&nodes);
    placement::evicting_jobs(scenario, &mut jobs, f);
    let mut timeline = timeline::timeline(scenario, (&policy, rhythm), (&pools, &named), &nodes, &queues, &jobs, f);
    // From here on the capacity of nodes includes the over-commit ratio.
    nodes::over_commit(scenario, (&charges, &pools), &mut nodes, &mut timeline, f);
    let placed = placement::placements(scenario, &nodes, &jobs, f);
    placement::nominations(scenario, &nodes, &jobs, f);
    nodes::empty_pools(scenario, &nodes, f);
    advice::same_seeds(scenario, &jobs, f);
    advice::advice(scenario, &policy, &pools, &nodes, &queues, &jobs, f);
    advice_jobs::advice(scenario, (policy.description(), &named), &nodes, &jobs, &timeline, f);
    advice::small_limits(scenario, &policy, (&pools, &queues), &jobs, f);
    let queue_at = |queue| queues.location(scenario, queue).path();
    let job_at = |entry| jobs.location(scenario, entry).path();
    let draft = Draft {
        scenario,
        nodes: nodes.kinds.iter().map(|(node, _)| node).collect(),
        queues: &queues.all,
        jobs: jobs.templates.iter().map(jobs::Template::draft).collect(),
        queue_at: &queue_at,
        job_at: &job_at,
    };
    policy.advise(&draft, f);
    timeline::check_reloads(scenario, &policy, &draft, &timeline, f);
    let terms = policy.description().terms;
    let has_errors = findings.has_errors();
    let mut diagnostics = findings.finish();
    diagnostics.iter_mut().for_each(|diagnostic| in_terms(diagnostic, terms));
    drop_taken_names(scenario, &mut diagnostics);
    let named = named.names;
    let parts = Parts { charges, delays, pools, named, nodes, queues, jobs, placed, timeline };
    ((!has_errors).then_some(parts), diagnostics)
}

/// Largest number of invalid names with a fix.
const RENAMED_MAX: usize = 20;

/// Drops fixes of names that another entry has, and those of further names.
fn drop_taken_names(scenario: &Scenario, diagnostics: &mut [Diagnostic]) {
    let of_names = diagnostics.iter_mut().filter(|diagnostic| diagnostic.code == crate::format::codes::BAD_NAME);
    for (n, diagnostic) in of_names.enumerate() {
        let is_free = |fix: &crate::format::Fix| n < RENAMED_MAX && crate::format::apply(scenario, &fix.edits).is_ok();
        diagnostic.fix = diagnostic.fix.take().filter(is_free);
    }
}

/// Fills the marks of a finding and of its fix. What a scenario says stands in quotes, where nothing is filled.
fn in_terms(diagnostic: &mut Diagnostic, terms: &Terms) {
    diagnostic.says = terms.fill(&diagnostic.says);
    if let Some(fix) = &mut diagnostic.fix {
        fix.label = terms.fill(&fix.label);
    }
}

/// A location that is turned into a [`Path`] only for a finding.
#[derive(Clone, Copy)]
struct Location<'a> {
    section: &'static str,
    index: usize,
    /// The entry's name, if it is the first entry with that name.
    name: Option<&'a str>,
    /// A list inside the entry: its field, position and name.
    inner: Option<(&'static str, usize, Option<&'a str>)>,
    /// A group of fields.
    group: Option<&'static str>,
}

impl<'a> Location<'a> {
    fn section(section: &'static str, index: usize, name: Option<&'a str>) -> Location<'a> {
        Location { section, index, name, inner: None, group: None }
    }

    fn inside(self, list: &'static str, index: usize, name: Option<&'a str>) -> Location<'a> {
        Location { inner: Some((list, index, name.filter(|n| !n.is_empty()))), ..self }
    }

    /// Locates the pod sets of a job by position; by name where it does not repeat an earlier one.
    fn pod_sets(self, job: &'a JobEntry) -> impl Fn(usize) -> Location<'a> {
        let repeats = names::repeats(job.pod_sets.iter().map(|set| set.name.as_str()));
        move |k| self.inside("pod-sets", k, (!repeats[k]).then_some(job.pod_sets[k].name.as_str()))
    }

    fn group(self, name: &'static str) -> Location<'a> {
        Location { group: Some(name), ..self }
    }

    fn path(self) -> Path {
        let element = |list: Path, index: usize, name: Option<&str>| match name {
            Some(name) => list.named(name),
            None => list.at(u32::try_from(index).unwrap_or(u32::MAX)),
        };
        let mut path = element(Path::default().field(self.section), self.index, self.name);
        if let Some((list, index, name)) = self.inner {
            path = element(path.field(list), index, name);
        }
        match self.group {
            Some(group) => path.field(group),
            None => path,
        }
    }

    fn field(self, field: &str) -> Path {
        self.path().field(field)
    }
}

/// Reads values, and reports invalid ones.
impl Findings {
    /// Parses a value; returns the default if it is omitted or invalid. `expected` completes *… is not*.
    fn value<T>(
        &mut self,
        typed: &Option<Scalar>,
        default: T,
        expected: &str,
        path: &dyn Fn() -> Path,
        parse: &dyn Fn(&str) -> Result<T, Wrong>,
    ) -> T {
        self.parsed(typed, default, (codes::NUMBER, expected), path, parse)
    }

    /// Parses a duration or a time.
    fn time<T>(
        &mut self,
        typed: &Option<Scalar>,
        default: T,
        path: &dyn Fn() -> Path,
        parse: &dyn Fn(&str) -> Result<T, Wrong>,
    ) -> T {
        let expected = "a time such as 90, 90s, 5m, 2h30m or 1d";
        self.parsed(typed, default, (codes::DURATION, expected), path, parse)
    }

    /// Parses a value whose wrong form has a code of its own.
    fn parsed<T>(
        &mut self,
        typed: &Option<Scalar>,
        default: T,
        (form, expected): (Code, &str),
        path: &dyn Fn() -> Path,
        parse: &dyn Fn(&str) -> Result<T, Wrong>,
    ) -> T {
        let Some(typed) = typed else { return default };
        parse(&typed.0).unwrap_or_else(|wrong| {
            self.wrong(wrong, form, &typed.0, expected, path());
            default
        })
    }

    /// Parses an amount of a resource.
    fn amount(
        &mut self,
        typed: &Option<Scalar>,
        resource: Resource,
        location: Location<'_>,
        default: Amount,
    ) -> Amount {
        let path = &|| location.field(resource.name());
        if resource == Resource::MEMORY {
            self.few_bytes(typed, path);
        }
        self.value(typed, default, expected(resource), path, &|text| quantity::amount(text, resource, 1))
    }

    fn few_bytes(&mut self, typed: &Option<Scalar>, path: &dyn Fn() -> Path) {
        let Some(typed) = typed else { return };
        if quantity::count(&typed.0).is_ok_and(|n| n > 0 && n < 1 << 20) {
            let message = format!("memory {} counts bytes; did you mean {}Gi?", quoted(&typed.0), typed.0.trim());
            let meant = format!("{}Gi", typed.0.trim());
            self.suggest(codes::FEW_BYTES, path(), message, &meant, format!("Set the memory to {meant}"));
        }
    }

    /// Reports a GPU memory size that no GPU has.
    fn gpu_memory(&mut self, typed: &Option<Scalar>, mib: i64, path: &dyn Fn() -> Path) {
        let Some(typed) = typed.as_ref().filter(|_| !quantity::is_plausible_gpu_memory(mib)) else { return };
        let path = path();
        let message = format!("gpu-memory {} is {mib} MiB, which no GPU has", quoted(&typed.0));
        match quantity::meant_gpu_memory(&typed.0) {
            Some(meant) => {
                let fix = set(path.clone(), &meant, format!("Set gpu-memory to {meant}"));
                self.add(codes::GPU_MEMORY, path, format!("{message}; did you mean {meant}?"), fix);
            }
            None => self.add(codes::GPU_MEMORY, path, message, None),
        }
    }

    /// Parses a quota or a limit, which `is_unlimited` distinguishes. Memory without a unit is in KAI's 10^6 bytes, and
    /// -1 is KAI's *unlimited*.
    fn bound(
        &mut self,
        typed: &Option<Scalar>,
        resource: Resource,
        path: &dyn Fn() -> Path,
        is_unlimited: fn(&str) -> bool,
    ) -> Bound {
        let parse = |text: &str| {
            if text.trim() == "-1" || is_unlimited(text) {
                Ok(Bound::Unlimited)
            } else {
                quantity::amount(text, resource, 1_000_000).map(Bound::At)
            }
        };
        if typed.is_none() {
            return Bound::Unset;
        }
        let expected = format!("{}, or unlimited", expected(resource));
        // An unlimited bound causes no further findings.
        self.value(typed, Bound::Unlimited, &expected, path, &parse)
    }

    /// Parses a weight or a share, in millionths.
    fn weight(&mut self, typed: &Option<Scalar>, path: &dyn Fn() -> Path) -> Option<Weight> {
        let parse = |text: &str| quantity::millionths(text).map(|n| Some(Weight::millionths(n)));
        self.value(typed, None, "a number such as 1 or 0.5", path, &parse).or(typed.as_ref().map(|_| Weight::ONE))
    }

    fn wrong(&mut self, wrong: Wrong, form: Code, typed: &str, expected: &str, path: Path) {
        let field = last_field(&path);
        let shown = quoted(typed);
        let (code, message, fix) = match wrong {
            Wrong::Form => (form, format!("{field} {shown} is not {expected}"), None),
            Wrong::Fine => {
                let message = format!("{field} {shown} has too many decimals; it takes {expected}");
                (codes::NUMBER, message, None)
            }
            Wrong::Large => {
                let message = format!("{field} {shown} is too large; it takes {expected}");
                (codes::LARGE, message, None)
            }
            Wrong::Negative => {
                let positive = typed.trim().trim_start_matches('-').to_string();
                let label = format!("Set {field} to {positive}");
                let message = format!("{field} {shown} is below zero; it takes {expected}");
                (codes::NEGATIVE, message, set(path.clone(), positive, label))
            }
        };
        self.add(code, path, message, fix);
    }
}

/// The last field of a path, for sentences.
fn last_field(path: &Path) -> &str {
    path.0
        .iter()
        .rev()
        .find_map(|segment| match segment {
            super::Segment::Field(name) => Some(name.as_str()),
            _ => None,
        })
        .unwrap_or("the value")
}

/// The expected form of an amount, for findings.
fn expected(resource: Resource) -> &'static str {
    match resource {
        Resource::CPU => "a number of cores such as 8, 1.5 or 500m",
        Resource::MEMORY => "a memory size such as 16Gi or 64 GB",
        _ => "a number of GPUs such as 8 or 0.5",
    }
}
