//! First in, first out, with hard partitions: the baseline for the other policies.
//!
//! # Rule
//! Each leaf queue owns its GPU quota and nothing else, as whole nodes where that divides evenly (see `owners`). Jobs
//! of a queue start strictly in submit order (submit time, then file order): the first that does not fit blocks those
//! behind it. A job whose pods fit one empty node together goes to one node, the one with the fewest free GPUs that
//! fits, the first in file order among equals; a larger one goes to empty nodes in file order, its pods in their order,
//! as many to each as fit. All pending pods of a job start together or not at all.
//!
//! # Source
//! The `fifo` policy with placer `consolidate` of the Helios simulator (HeliosArtifact, *QSSF Service*).
//!
//! # Differs
//! Empty nodes are allocated pod by pod, so that a larger job leaves the rest of its last node to other jobs. Cycles
//! take place at every arrival and completion, however close, unless the scenario gives a period.

mod describe;
mod memory;
mod owners;
mod place;
mod rules;

use crate::format::{Findings, Scenario, codes, quoted, set};
use crate::policy::description::Description;
use crate::policy::draft::DraftQueue;
use crate::policy::setting;

use super::ends::ends;
use super::node_order::Nearest;
use super::setting::Rulebook;
use super::{Change, Decision, PartitionView, Rhythm, Scheduler, Turn, ledger};
use crate::id::JobId;
use crate::time::Time;
use crate::trace::{Event, Gate, Ledger, Level, NodeReason, Outlook, Refusal, Trace};
use crate::units::{Amount, Bound, Resource};

pub use memory::Memory;
use place::Attempt;
pub use rules::RULES;

/// The scheduler.
#[derive(Clone, Debug, PartialEq)]
pub struct Fifo {
    rhythm: Rhythm,
}

impl Scheduler for Fifo {
    const DESCRIPTION: &'static Description = &describe::DESCRIPTION;
    type Config = ();
    type Memory = Memory;

    fn read(scenario: &Scenario, findings: &mut Findings) {
        setting::none(scenario, Self::DESCRIPTION, findings);
    }

    /// Reports a queue in which nothing can run.
    fn advise_queue(queue: &DraftQueue<'_>, findings: &mut Findings) {
        let is_used = queue.requested[Resource::GPU.index()] && queue.queue.children.is_empty();
        if is_used && matches!(queue.queue.resources.gpu.quota, Bound::Unset | Bound::At(Amount::ZERO)) {
            let message = format!(
                "{} has no gpu [quota]; under first in, first out nothing that requests a GPU runs there",
                quoted(&queue.queue.name)
            );
            let place = queue.place(Resource::GPU, "quota");
            findings.add(
                codes::NO_QUOTA,
                place.clone(),
                message,
                set(place, "unlimited", "Set the gpu [quota] to unlimited"),
            );
        }
    }

    fn rulebook() -> Rulebook {
        Rulebook::new(RULES.to_vec(), [])
    }

    fn new(_config: (), rhythm: Rhythm) -> Fifo {
        Fifo { rhythm: rhythm.without_delay() }
    }

    fn observe(&self, world: PartitionView<'_>, change: &Change, memory: &mut Memory) {
        memory.observe(world, *change);
    }

    fn cycle(&self, world: PartitionView<'_>, memory: &mut Memory, trace: &mut Trace) -> Turn {
        memory.refresh(world);
        let mut decisions = Vec::new();
        for leaf in memory.take_dirty() {
            while let Some(job) = memory.first_waiting(leaf) {
                let attempt = Attempt::new(world, memory, leaf, job);
                let mut near = (trace.level >= Level::Refusals).then(Nearest::default);
                let Some(places) = attempt.place(near.as_mut()) else { break };
                let compared = near.map_or(Vec::new(), |near| rules::compared(&attempt, job, &places, near));
                for &(pod, node) in &places {
                    trace.event(Event::Bound { pod, node, devices: Default::default() }, || {
                        let in_order = rules::in_order(world, memory, leaf, job);
                        let fits = rules::fits(world, memory, &places, pod, node);
                        in_order.into_iter().chain(compared.iter().cloned()).chain([fits]).collect::<Vec<_>>()
                    });
                    memory.bind(world, pod, node);
                    decisions.push(Decision::Bind { pod, node, devices: None });
                }
                memory.started(world, leaf, job);
            }
        }
        if trace.level >= Level::Refusals {
            refuse(world, memory, trace);
        }
        Turn { decisions, wake: self.rhythm.wake(world.now) }
    }

    fn ledger(&self, world: PartitionView<'_>, _memory: &Memory) -> Ledger {
        ledger::bounded(world)
    }
}

/// Records one refusal per pending job, by job id: the first job of a queue does not fit, the others wait behind it.
fn refuse(world: PartitionView<'_>, memory: &Memory, trace: &mut Trace) {
    let mut refusals = Vec::new();
    let ends = ends(world);
    for leaf in 0..memory.leaves.len() {
        let Some(first) = memory.first_waiting(leaf) else { continue };
        let refusal = refuse_first(world, memory, (leaf, first), &ends);
        let outlook = refusal.outlook.of_those_behind();
        refusals.push(refusal);
        for &(_, job) in memory.leaves[leaf].waiting.iter().skip(1) {
            refusals.push(Refusal {
                job,
                gate: Gate::Behind { job: first },
                also: Vec::new(),
                checks: vec![rules::behind(world, first, job)],
                outlook,
            });
        }
    }
    trace.refusals_by_job(refusals);
}

fn refuse_first(
    world: PartitionView<'_>,
    memory: &Memory,
    (leaf, job): (usize, JobId),
    ends: &[(Time, JobId)],
) -> Refusal {
    let attempt = Attempt::new(world, memory, leaf, job);
    let reachable = attempt.reachable();
    let is_too_large = attempt.pods.len() == 1 && !attempt.fits_empty_node(&reachable);
    let too_large = if is_too_large { rules::too_large(&attempt, job, &reachable) } else { None };
    let (gate, checks) = if let Some((resource, check)) = too_large {
        (Gate::TooLarge { resource }, vec![check])
    } else if attempt.exceeds_quota() {
        let queue = world.cluster.jobs[job].queue;
        (Gate::OverLimit { queue, resource: Resource::GPU }, vec![rules::over_quota(&attempt, job)])
    } else {
        let n_pods = u32::try_from(attempt.pods.len()).expect("ids are 32 bits wide");
        let reasons = NodeReason::counted(attempt.reasons());
        (Gate::NoNode { placed: 0, of: n_pods, reasons, free: Some(attempt.free()) }, rules::no_room(&attempt, job))
    };
    let [_, quota] = memory.held_and_quota(leaf);
    let never = reachable.is_empty() || is_too_large || attempt.gpus() > quota;
    let outlook = if never { Outlook::OnlyByEdit } else { when_ends(world, memory, (leaf, job), ends) };
    Refusal { job, gate, also: Vec::new(), checks, outlook }
}

/// Forecasts which completion lets the first job of a leaf start.
fn when_ends(
    world: PartitionView<'_>,
    memory: &Memory,
    (leaf, job): (usize, JobId),
    ends: &[(Time, JobId)],
) -> Outlook {
    let mut later = memory.clone();
    for &(time, other) in ends {
        for (pod, _) in world.cluster.pods_of(other).filter(|(_, pod)| pod.phase.holds()) {
            later.free(world, pod);
        }
        if Attempt::new(world, &later, leaf, job).place(None).is_some() {
            return Outlook::WhenEnds { job: other, at: Some(time) };
        }
    }
    Outlook::NotForeseeable
}
