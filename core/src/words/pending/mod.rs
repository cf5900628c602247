//! Explanations of pending jobs: one dominant reason, the others as *also*, and the settings that matter; or in short, in
//! two or three words.

mod evictions;
mod queues;
mod room;

use super::check::{Comparison, decisive_resource, table};
use super::facts::Facts;
use super::next::{expectation, is_offered, outlook};
use super::number::clock;
use super::phrases::queue_of;
use super::text::{self, Text, text};
use super::{Control, Evidence, Explanation, RuleCard, Terms, number, search};
use crate::id::{Id, JobId, QueueId};
use crate::moment::{EventRow, Frame, JobRow, QueueRow, fate};
use crate::policy::Policy;
use crate::time::Time;
use crate::trace::{Check, Delay, Ending, Gate, LostClaim, NodeReason, NotAccepted, Outlook, Quantity, Refusal};
use crate::units::Resource;

/// Explains why a job is pending.
pub fn pending(frame: &Frame, refusal: &Refusal, resource: Resource) -> Explanation {
    let case = Case { frame, refusal, resource };
    let is_loop = frame.lost_claim(refusal.job).is_some_and(LostClaim::is_loop);
    let state = match refusal.gate {
        Gate::WaitingForVictims { .. } if is_loop => "in a loop",
        Gate::WaitingForVictims { .. } => "place [claimed]",
        _ => fate(&refusal.gate).unwrap_or("waits"),
    };
    // The comparison that failed keeps the job waiting; others only led to it.
    let is_worded = |check: &&Check| !check.rule.0.says.is_empty();
    let failed = refusal.checks.iter().filter(|check| !check.holds).find(is_worded);
    let rule = failed.or_else(|| refusal.checks.iter().find(is_worded)).map(|check| check.rule);
    let (verdict, also) = match is_offered(frame, refusal.job) {
        // The reasons are those of the pool that it has left.
        true => (text!("{job} is waiting: it found no place in its [node] pool.", [job = case.job()]), Vec::new()),
        false => (case.verdict(&refusal.gate), case.also()),
    };
    Explanation {
        about: text!("{job} · {state}", [job = case.job(), state]),
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
                    text!("At {time} it may preempt{why}.", [time = clock(time), why])
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
    /// The name of the job.
    fn job(&self) -> Text {
        text::job(self.frame.job(self.refusal.job))
    }

    /// The further reasons that say more than the verdict does.
    fn also(&self) -> Vec<Text> {
        let also = self.refusal.also.iter().filter(|gate| self.adds(gate)).map(|gate| self.verdict(gate));
        let gates = std::iter::once(&self.refusal.gate).chain(&self.refusal.also);
        let is_tried = gates.clone().any(|gate| matches!(gate, Gate::NoVictims { tried: 1.., .. }));
        let searched = if is_tried { search::of_waiting(self.frame, self.refusal.job) } else { None };
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
        self.frame.job_row(self.refusal.job)
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
        let mut matching = self.refusal.checks.iter().filter(|check| check.left.quantity == left);
        matching.clone().find(|check| !check.holds).or_else(|| matching.next())
    }

    /// The recorded amounts, read for a resource.
    fn facts(&self, r: Resource) -> Facts<'_> {
        Facts::of(&self.refusal.checks, r)
    }

    fn verdict(&self, gate: &Gate) -> Text {
        let (job, queue) = (self.job(), queue_of(self.frame, self.queue_id(gate)));
        match gate {
            Gate::NotReady => self.not_ready(),
            Gate::NotALeaf => text!("[Jobs] cannot be placed in {queue}: it has child [queues].", [queue]),
            Gate::NotAccepted { why: NotAccepted::NoQueue } => text!(
                "{job} was not accepted into {queue}: the scheduler's configuration does not have this [queue].",
                [job, queue]
            ),
            Gate::NotAccepted { why: NotAccepted::Draining } => text!(
                "{job} was not accepted into {queue}: the [queue] is draining and takes no new [jobs].",
                [job, queue]
            ),
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
                let until = until.map(|time| text!("; the reservation expires at {time}", [time = clock(time)]));
                text!(
                    "{job} is waiting: {held} of {of} gang [pods] {are} reserved{until}.",
                    [job, held = *held, of = *of, are, until]
                )
            }
            Gate::GangFailed => {
                text!("{job} has failed: its gang did not get room for all [pods] in time.", [job])
            }
            Gate::GangRefused => text!(
                "{job} was refused: {queue} does not accept a gang of this size, or any gang because it sorts applications by fair.",
                [job, queue]
            ),
            Gate::NoDevice { node } => text!(
                "{job} is waiting: it was placed on {node}, which has no free GPU left for it, so its [pod] cannot be bound.",
                [job, node = text::node(self.frame.node(*node))]
            ),
            Gate::PreemptedTooLittle => {
                let why = super::yunikorn::freed_too_little(self.frame, &self.refusal.checks);
                let why = why.unwrap_or_else(|| Text::of("its preemption freed too little."));
                text!("{job} is waiting: {why}", [job, why])
            }
            Gate::Delayed { until, why: Delay::Preemption } => self.no_evictions_yet(*until),
            Gate::Delayed { until, why } => super::yunikorn::delayed(job, *until, *why),
            Gate::TriedOnce => text!(
                "{job} is waiting: it was tried once in its [node] pool and is not tried again (its scheduling-backoff is 1).",
                [job]
            ),
            Gate::LikeFailed { job: other } => self.like_failed(*other),
        }
    }

    /// A job whose pods do not all exist.
    fn not_ready(&self) -> Text {
        let job = self.job();
        match self.row().map_or(0, |row| row.joining) {
            0 => text!("{job} is waiting: not all of its [pods] exist yet.", [job]),
            1 => {
                text!("{job} is waiting: too few of its [pods] exist; 1 [pod] has not joined it yet.", [job])
            }
            n => text!("{job} is waiting: too few of its [pods] exist; {n} [pods] have not joined it yet.", [job, n]),
        }
    }

    fn on_its_way(&self, until: Option<Time>) -> Text {
        let mut victims: Vec<JobId> = Vec::new();
        let evicted = || self.frame.events.iter().filter(|event| event.word().is_eviction());
        let is_own = |event: &&EventRow| event.by() == Some(self.refusal.job);
        // Victims of earlier cycles are found by the claimed places; other pods may terminate for other jobs.
        let is_others = |job: JobId| evicted().any(|e| self.frame.job_of(e) == Some(job) && !is_own(&e));
        let cells = self.frame.nodes.iter().flat_map(|node| &node.cells);
        let claimed = cells.filter(|cell| cell.claimed.as_ref().is_some_and(|claim| claim.job == self.refusal.job));
        let leaving = claimed.flat_map(|cell| &cell.pods).filter(|pod| pod.leaving && !is_others(pod.job));
        let evicted_for_it = evicted().filter(is_own).filter_map(|event| self.frame.job_of(event));
        for victim in leaving.map(|pod| pod.job).chain(evicted_for_it) {
            if !victims.contains(&victim) {
                victims.push(victim);
            }
        }
        let is_later = |until: &Time| until.as_millis() > self.frame.time_ms;
        let when = until.filter(is_later).map_or(String::new(), |until| format!(" at {}", clock(until)));
        let names: Vec<Text> = victims.iter().map(|victim| text::job(self.frame.job(*victim))).collect();
        let (job, n) = (self.job(), names.len());
        let victims = Text::default().list(names, "and");
        match n {
            0 if when.is_empty() => {
                text!("{job} is waiting: the room [claimed] for it is not free yet.", [job])
            }
            0 => text!("{job} is waiting: the room [claimed] for it becomes free{when}.", [job, when]),
            1 => text!(
                "{job} is waiting for {victims} to shut down{when} and has [claimed] its place.",
                [job, victims, when]
            ),
            _ => text!(
                "{job} is waiting for {victims} to shut down{when} and has [claimed] their places.",
                [job, victims, when]
            ),
        }
    }

    /// The amounts of the comparisons that keep it waiting, a row for each side.
    fn evidence(&self) -> Option<Evidence> {
        let checks = &self.refusal.checks;
        let check = checks.iter().find(|check| !check.holds).or_else(|| checks.first())?;
        let r = decisive_resource(check).unwrap_or(self.resource);
        table(self.frame, std::slice::from_ref(check), r, Text::of("When it was tried"))
    }
}

/// *over quota*, *no room*, *behind big-1*.
pub fn short_reason(frame: &Frame, refusal: &Refusal) -> String {
    if frame.lost_claim(refusal.job).is_some_and(LostClaim::is_loop) {
        return "in a loop".into();
    }
    let text = match &refusal.gate {
        Gate::NotReady => "not all [pods] exist",
        Gate::NotALeaf => "its [queue] has children",
        Gate::NotAccepted { why: NotAccepted::NoQueue } => "no such [queue]",
        Gate::NotAccepted { why: NotAccepted::Draining } => "[queue] is draining",
        Gate::TooLarge { .. } => "larger than any [node]",
        Gate::OverLimit { .. } if refusal.is_over_quota() => "[over quota]",
        Gate::OverLimit { .. } => "over [limit]",
        Gate::UserLimit { .. } => "over the user's [limit]",
        Gate::TooManyJobs { .. } => "too many [jobs]",
        Gate::NonPreemptibleOverQuota { .. } => "[over quota]",
        Gate::NotEntitled { .. } => "would exceed its [fair share]",
        Gate::NoVictims { .. } | Gate::NoNode { .. } | Gate::LikeFailed { .. } => "no room",
        Gate::VictimsProtected { until } => {
            return format!("others protected until {}", number::time(until.as_millis()));
        }
        Gate::Behind { job } => return format!("behind {}", frame.job(*job)),
        Gate::WaitingForVictims { .. } => "place [claimed]",
        Gate::GangIncomplete { held, of, .. } => return format!("gang {held} of {of}"),
        Gate::GangFailed => "failed",
        Gate::GangRefused => "refused",
        Gate::NoDevice { .. } => "no free device",
        Gate::PreemptedTooLittle => "preempted too little",
        Gate::Delayed { until, why: Delay::Preemption } => {
            return format!("no evictions before {}", number::time(until.as_millis()));
        }
        Gate::Delayed { until, .. } => {
            return format!("not tried until {}", number::time(until.as_millis()));
        }
        Gate::TriedOnce => "not tried again",
    };
    Terms::of(&frame.policy).fill(text)
}

impl Case<'_> {
    /// The settings of the minimum runtimes that protect others.
    pub(super) fn min_runtimes(&self) -> Vec<Control> {
        let mut controls: Vec<Control> = Vec::new();
        for subject in self.refusal.checks.iter().map(|check| &check.subject) {
            let Some(queue) = subject.other_queue else { continue };
            let victims = subject.other_job.and_then(|victim| self.frame.names.queue_of(victim));
            let (field, label) = if victims.is_some() && victims == self.own() {
                ("preempt-min-runtime", "minimum runtime before preemption of ")
            } else {
                ("reclaim-min-runtime", "minimum runtime before reclaim of ")
            };
            let control = Control::of_queue(self.frame.queue(queue), field, label);
            if !controls.contains(&control) {
                controls.push(control);
            }
        }
        controls
    }

    /// The resource that the reason or its comparison is about, else the displayed one.
    fn compared_resource(&self) -> Resource {
        let gate = &self.refusal.gate;
        let lacking = match gate {
            Gate::NoNode { reasons, .. } => reasons.iter().find_map(|(reason, _)| match reason {
                NodeReason::Insufficient(resource) => resource.accounted(),
                _ => None,
            }),
            _ => None,
        };
        let failed = || self.refusal.checks.iter().find(|check: &&Check| !check.holds);
        let of_check = match gate {
            Gate::NotEntitled { .. } => self.not_entitled_check().or_else(failed).and_then(decisive_resource),
            _ => None,
        };
        let of_gate = gate.about().1.and_then(Resource::accounted);
        of_gate.or(lacking).or(of_check).unwrap_or(self.resource)
    }

    pub(super) fn controls(&self) -> Vec<Control> {
        let gate = &self.refusal.gate;
        let Some(queue) = self.queue(gate).map(|queue| queue.name.as_str()) else { return Vec::new() };
        let r = self.compared_resource();
        let job = self.frame.job(self.refusal.job);
        let of_queue = |fields: &[&str]| fields.iter().map(|field| Control::queue(queue, r, field)).collect();
        let of_job = |field: &str, label: &str| Control::job(job, field, Text::of(label).then(text::job(job)));
        match gate {
            Gate::OverLimit { .. } if self.refusal.is_over_quota() => of_queue(&["quota"]),
            Gate::OverLimit { .. } => of_queue(&["limit"]),
            Gate::VictimsProtected { .. } => self.min_runtimes(),
            Gate::NotEntitled { .. } | Gate::NoVictims { .. } => of_queue(&["quota", "weight"]),
            Gate::NonPreemptibleOverQuota { .. } => {
                vec![Control::queue(queue, r, "quota"), of_job("preemptible", "preemptibility of ")]
            }
            Gate::TooLarge { resource } if resource.nth_named().is_some() => {
                vec![of_job("resources", "further resources of ")]
            }
            Gate::NoNode { reasons, .. } if !reasons.is_empty() && !lacks_resources(reasons) => Vec::new(),
            Gate::TooLarge { .. } | Gate::NoNode { .. } => {
                vec![of_job(number::resource_key(r), "request of ")]
            }
            Gate::Behind { .. } if reads_priorities(&self.frame.policy) => {
                vec![of_job("priority", "priority of ")]
            }
            Gate::Behind { .. }
            | Gate::NotReady
            | Gate::NotALeaf
            | Gate::NotAccepted { .. }
            | Gate::UserLimit { .. }
            | Gate::TooManyJobs { .. }
            | Gate::WaitingForVictims { .. }
            | Gate::GangIncomplete { .. }
            | Gate::GangFailed
            | Gate::GangRefused
            | Gate::NoDevice { .. }
            | Gate::PreemptedTooLittle
            | Gate::Delayed { .. }
            | Gate::TriedOnce
            | Gate::LikeFailed { .. } => Vec::new(),
        }
    }
}

/// Whether some node has too little of a resource.
fn lacks_resources(reasons: &[(NodeReason, u32)]) -> bool {
    reasons.iter().any(|(reason, _)| matches!(reason, NodeReason::Insufficient(_)))
}

/// Whether a policy reads the priorities of jobs.
fn reads_priorities(policy: &str) -> bool {
    Policy::described(policy).is_none_or(|policy| policy.supports.job_priority)
}
