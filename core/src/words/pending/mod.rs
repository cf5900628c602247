//! Explanations of pending jobs: one dominant reason, the others as *also*.

mod evictions;
mod queues;
mod room;
mod settings;

use super::check::decisive_resource;
use super::comparison::{Comparison, table};
use super::facts::Facts;
use super::next::{expectation, is_offered};
use super::outlook::{clock, outlook};
use super::search;
use super::text::Text;
use super::{Evidence, Explanation, RuleCard};
use crate::id::{Id, QueueId};
use crate::moment::{EventRow, Frame, JobRow, QueueRow, fate};
use crate::time::Time;
use crate::trace::{Check, Delay, Ending, Gate, LostClaim, NodeReason, NotAccepted, Outlook, Quantity, Refusal};
use crate::units::Resource;

/// Explains why a job is pending.
pub fn pending(frame: &Frame, refusal: &Refusal, resource: Resource) -> Explanation {
    let case = Case { frame, refusal, resource };
    let is_loop = frame.lost_claim(refusal.job).is_some_and(LostClaim::is_loop);
    let state = match refusal.gate {
        Gate::WaitingForVictims { .. } if is_loop => "in a loop",
        Gate::WaitingForVictims { .. } => "starts soon",
        _ => fate(&refusal.gate).unwrap_or("waits"),
    };
    // The comparison that failed keeps the job waiting; others only led to it.
    let said = |check: &&Check| !check.rule.0.says.is_empty();
    let failed = refusal.checks.iter().filter(|check| !check.holds).find(said);
    let rule = failed.or_else(|| refusal.checks.iter().find(said)).map(|check| check.rule);
    let (verdict, also) = match is_offered(frame, refusal.job) {
        // The reasons are those of the pool that it has left.
        true => (case.job().say(" is waiting: it found no place in its [node] pool."), Vec::new()),
        false => (case.verdict(&refusal.gate), case.also()),
    };
    Explanation {
        about: case.job().say(format!(" · {state}")),
        verdict,
        also,
        evidence: case.evidence(),
        checks: Comparison::all(frame, &refusal.checks, |check| !check.holds),
        rule: rule.map(RuleCard::of),
        controls: case.controls(),
        outlook: expectation(frame, refusal).map_or_else(
            || match refusal.outlook {
                Outlook::At { time, what: Ending::PreemptionDelay } => {
                    let why = super::yunikorn::below_guarantee(frame, &refusal.checks);
                    let text = Text::of(format!("At {} it may preempt", clock(time)));
                    text.then(why.unwrap_or_else(|| Text::of(".")))
                }
                other => outlook(frame, other),
            },
            |expected| expected.says(frame),
        ),
        ..Explanation::default()
    }
}

struct Case<'a> {
    frame: &'a Frame,
    refusal: &'a Refusal,
    resource: Resource,
}

impl Case<'_> {
    /// Begins a sentence with the job.
    fn job(&self) -> Text {
        Text::default().job(self.frame.job(self.refusal.job))
    }

    /// The further reasons that say more than the verdict does.
    fn also(&self) -> Vec<Text> {
        let also = self.refusal.also.iter().filter(|gate| self.adds(gate)).map(|gate| self.verdict(gate));
        let gates = std::iter::once(&self.refusal.gate).chain(&self.refusal.also);
        let is_tried = gates.clone().any(|gate| matches!(gate, Gate::NoVictims { tried: 1.., .. }));
        let searched = is_tried.then(|| search::of_waiting(self.frame, self.refusal.job)).flatten();
        let counted = search::counted_as_made(self.frame, self.refusal.job);
        also.chain(searched).chain(counted).collect()
    }

    /// Whether a further reason says more than the verdict does.
    fn adds(&self, gate: &Gate) -> bool {
        let is_gpu = |(reason, _): &(NodeReason, u32)| *reason == NodeReason::Insufficient(Resource::GPU);
        let main = &self.refusal.gate;
        match gate {
            // The verdict says that no GPU is free.
            Gate::NoNode { placed: 0, reasons, .. } => {
                let says_room = matches!(
                    main,
                    Gate::VictimsProtected { .. }
                        | Gate::NoVictims { .. }
                        | Gate::LikeFailed { .. }
                        | Gate::NotEntitled { .. }
                        | Gate::Delayed { why: Delay::Preemption, .. }
                );
                !(says_room && self.lacks_gpus() && reasons.iter().all(is_gpu))
            }
            // What protects the victims is told in the verdict only.
            Gate::NoVictims { .. } | Gate::LikeFailed { .. } => matches!(main, Gate::NoNode { .. }),
            // The quota of both is the same.
            Gate::NotEntitled { .. } => {
                !matches!(main, Gate::NonPreemptibleOverQuota { .. }) || {
                    let check = self.not_entitled_check();
                    check.is_none_or(|check| check.left.quantity != Quantity::AllocatedNonPreemptible)
                }
            }
            _ => true,
        }
    }

    fn own(&self) -> Option<QueueId> {
        self.frame.names.queue_of(self.refusal.job)
    }

    /// The row of the job, unless it has ended.
    fn row(&self) -> Option<&JobRow> {
        let name = self.frame.job(self.refusal.job);
        self.frame.jobs.iter().find(|row| row.name == name)
    }

    /// The queue of a gate, else that of the job.
    fn queue_id(&self, gate: &Gate) -> Option<QueueId> {
        gate.about().0.or_else(|| self.own())
    }

    fn queue(&self, gate: &Gate) -> Option<&QueueRow> {
        self.queue_id(gate).and_then(|queue| self.frame.queues.get(queue.index()))
    }

    /// The resource of a gate, else the displayed one.
    fn resource(&self, resource: Option<Resource>) -> Resource {
        resource.and_then(Resource::accounted).unwrap_or(self.resource)
    }

    /// Finds the first comparison with a quantity on its left-hand side; one that failed comes first.
    fn check(&self, left: Quantity) -> Option<&Check> {
        let mut of = self.refusal.checks.iter().filter(|check| check.left.quantity == left);
        of.clone().find(|check| !check.holds).or_else(|| of.next())
    }

    /// The recorded amounts, read for a resource.
    fn facts(&self, r: Resource) -> Facts<'_> {
        Facts::of(&self.refusal.checks, r)
    }

    fn verdict(&self, gate: &Gate) -> Text {
        let job = || self.job();
        let name = self.queue(gate).map_or("", |queue| queue.name.as_str());
        match gate {
            Gate::NotReady => match self.row().filter(|row| row.joining > 0) {
                Some(row) => job().say(format!(
                    " is waiting: too few of its [pods] exist; {} joined it yet.",
                    match row.joining {
                        1 => "1 [pod] has not".to_string(),
                        n => format!("{n} [pods] have not"),
                    }
                )),
                None => job().say(" is waiting: not all of its [pods] exist yet."),
            },
            Gate::NotALeaf => Text::of("[Jobs] cannot be placed in ").queue(name).say(": it has child [queues]."),
            Gate::NotAccepted { why } => {
                let not = job().say(" was not accepted into ").queue(name);
                match why {
                    NotAccepted::NoQueue => not.say(": the scheduler's configuration does not have this [queue]."),
                    NotAccepted::Draining => not.say(": the [queue] is draining and takes no new [jobs]."),
                }
            }
            Gate::TooLarge { resource } => self.too_large(*resource),
            Gate::OverLimit { resource, .. } => self.over_limit(gate, *resource),
            Gate::UserLimit { resource, .. } => self.user_limit(gate, *resource),
            Gate::TooManyJobs { .. } => self.too_many_jobs(gate),
            Gate::NonPreemptibleOverQuota { resource, .. } => self.over_quota(gate, *resource),
            Gate::NotEntitled { .. } => self.not_entitled(gate),
            Gate::NoVictims { tried, ancestor } => self.no_victims(gate, *tried, *ancestor),
            Gate::VictimsProtected { until } => self.victims_protected(*until),
            Gate::NoNode { placed, of, reasons, free } => self.no_node((*placed, *of), reasons, *free),
            Gate::Behind { job } => self.behind(*job),
            Gate::WaitingForVictims { until } => self.on_its_way(*until),
            Gate::GangIncomplete { held, of, until } => {
                let are = if *held == 1 { "is" } else { "are" };
                let text = format!(" is waiting: {held} of {of} gang [pods] {are} reserved");
                let until = until.map(|until| format!("; the reservation expires at {}", clock(until)));
                job().say(text + until.as_deref().unwrap_or_default() + ".")
            }
            Gate::GangFailed => job().say(" has failed: its gang did not get room for all [pods] in time."),
            Gate::GangRefused => job()
                .say(" was refused: ")
                .queue(name)
                .say(" does not accept a gang of this size, or any gang because it sorts applications by fair."),
            Gate::NoDevice { node } => job()
                .say(" is waiting: it was placed on ")
                .node(self.frame.node(*node))
                .say(", which has no free GPU left for it, so its [pod] cannot be bound."),
            Gate::PreemptedTooLittle => {
                let why = super::yunikorn::freed_too_little(self.frame, &self.refusal.checks);
                job().say(" is waiting: ").then(why.unwrap_or_else(|| Text::of("its preemption freed too little.")))
            }
            Gate::Delayed { until, why: Delay::Preemption } => self.no_evictions_yet(*until),
            Gate::Delayed { until, why } => super::yunikorn::delayed(job(), *until, *why),
            Gate::TriedOnce => job().say(
                " is waiting: it was tried once in its [node] pool, and scheduling-backoff 1 allows no further try.",
            ),
            Gate::LikeFailed { job: other } => self.like_failed(*other),
        }
    }

    fn on_its_way(&self, until: Option<Time>) -> Text {
        let name = self.frame.job(self.refusal.job);
        let mut victims: Vec<&str> = Vec::new();
        let evicted = || self.frame.events.iter().filter(|event| event.word().is_eviction());
        let is_own = |event: &&EventRow| event.by() == Some(self.refusal.job);
        // Victims of earlier cycles are found by the claimed places; other pods may terminate for other jobs.
        let is_others = |job: &str| evicted().any(|e| self.frame.job_name(e) == job && !is_own(&e));
        let cells = self.frame.nodes.iter().flat_map(|node| &node.cells);
        let claimed = cells.filter(|cell| cell.claimed.as_ref().is_some_and(|claim| claim.job == name));
        let leaving = claimed.flat_map(|cell| &cell.pods).filter(|pod| pod.leaving && !is_others(&pod.job));
        let leaving = leaving.map(|pod| pod.job.as_str());
        for victim in leaving.chain(evicted().filter(is_own).map(|event| self.frame.job_name(event))) {
            if !victims.contains(&victim) {
                victims.push(victim);
            }
        }
        let is_later = |until: &Time| until.as_millis() > self.frame.time_ms;
        let when = until.filter(is_later).map_or(String::new(), |until| format!(" at {}", clock(until)));
        let names: Vec<Text> = victims.iter().map(|victim| Text::default().job(victim)).collect();
        let claimed = match names.len() {
            0 => {
                let says = match when.is_empty() {
                    true => " is waiting: the room [claimed] for it is not free yet.".to_string(),
                    false => format!(" is waiting: the room [claimed] for it becomes free{when}."),
                };
                return self.job().say(says);
            }
            1 => format!(" to shut down{when}; its place is [claimed]."),
            _ => format!(" to shut down{when}; their places are [claimed]."),
        };
        self.job().say(" is waiting for ").list(names, "and").say(claimed)
    }

    /// The amounts of the comparisons that keep it waiting, a row for each side.
    fn evidence(&self) -> Option<Evidence> {
        let checks = &self.refusal.checks;
        let check = checks.iter().find(|check| !check.holds).or_else(|| checks.first())?;
        let r = decisive_resource(check).unwrap_or(self.resource);
        table(self.frame, std::slice::from_ref(check), r, Text::of("When it was tried"))
    }
}
