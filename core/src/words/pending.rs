//! Explanations of pending jobs: one dominant reason, the others as *also*.
//!
//! Long because each reason has its sentence here.

use super::check::{Party, decisive_resource, shown, side, value};
use super::comparison::{Comparison, table};
use super::facts::Facts;
use super::next::expectation;
use super::number::{self, GPU, amount, count, number, resource_name, with_unit};
use super::outlook::{clock, outlook};
use super::phrases::{is_of_room, node_reason, split};
use super::protection::protection;
use super::text::Text;
use super::{Control, Evidence, Explanation, RuleCard};
use crate::id::{Id, JobId, QueueId};
use crate::moment::{EventRow, Frame, JobRow, QueueRow, fate};
use crate::time::Time;
use crate::trace::{
    Check, Ending, FreeGpus, Gate, LostClaim, NodeReason, NotAccepted, Outlook, Quantity, Refusal,
};
use crate::units::Resource;

/// Explains why a job is pending.
pub fn pending(frame: &Frame, refusal: &Refusal, resource: u8) -> Explanation {
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
    Explanation {
        about: case.job().say(format!(" · {state}")),
        verdict: case.verdict(&refusal.gate),
        also: refusal.also.iter().filter(|gate| case.adds(gate)).map(|gate| case.verdict(gate)).collect(),
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
    resource: u8,
}

impl Case<'_> {
    /// Begins a sentence with the job.
    fn job(&self) -> Text {
        Text::default().job(self.frame.job(self.refusal.job))
    }

    /// Whether a further reason says more than that no GPU is free, which the verdict says already.
    fn adds(&self, gate: &Gate) -> bool {
        let Gate::NoNode { placed: 0, reasons, .. } = gate else { return true };
        let is_gpu = |(reason, _): &(NodeReason, u32)| *reason == NodeReason::Insufficient(Resource::GPU);
        let says_room = matches!(
            self.refusal.gate,
            Gate::VictimsProtected { .. } | Gate::NoVictims { .. } | Gate::LikeFailed { .. }
        );
        !(says_room && self.lacks_gpus() && reasons.iter().all(is_gpu))
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
    fn resource(&self, resource: Option<Resource>) -> u8 {
        resource.and_then(shown).unwrap_or(self.resource).min(2)
    }

    /// Finds the first comparison with a quantity on its left-hand side; one that failed comes first.
    fn check(&self, left: Quantity) -> Option<&Check> {
        let mut of = self.refusal.checks.iter().filter(|check| check.left.quantity == left);
        of.clone().find(|check| !check.holds).or_else(|| of.next())
    }

    /// The recorded amounts, read for a resource.
    fn facts(&self, r: u8) -> Facts<'_> {
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
            Gate::UserLimit { .. } => job().say(" is waiting: its user has reached a [limit] in ").queue(name).say("."),
            Gate::TooManyJobs { .. } => {
                job().say(" is waiting: ").queue(name).say(", or its user there, already runs the maximum of [jobs].")
            }
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
            Gate::GangRefused => job().say(" was refused: ").queue(name).say(
                " does not accept a gang of this size, or any gang because it sorts applications by fair.",
            ),
            Gate::NoDevice { node } => job()
                .say(" is waiting: it was placed on ")
                .node(self.frame.node(*node))
                .say(", which has no free GPU left for it, so its [pod] cannot be bound."),
            Gate::PreemptedTooLittle => {
                let why = super::yunikorn::freed_too_little(self.frame, &self.refusal.checks);
                job().say(" is waiting: ").then(why.unwrap_or_else(|| Text::of("its preemption freed too little.")))
            }
            Gate::Delayed { until, why } => super::yunikorn::delayed(job(), *until, *why),
            Gate::TriedOnce => job().say(
                " is waiting: it was tried once in its [node] pool, and scheduling-backoff 1 allows no further try.",
            ),
            Gate::LikeFailed { job: other } => self.like_failed(*other),
        }
    }

    /// Why no eviction helps: the last failed comparison, which protects the closest candidates.
    fn no_victims(&self, gate: &Gate, tried: u32, ancestor: Option<QueueId>) -> Text {
        let why = self.why_protected(gate, ancestor);
        // Without other numbers, the sentence gives those of the room.
        let room = match why == Text::default() && self.refusal.gate == *gate {
            true => self.in_use().or_else(|| self.needs(None)),
            false => None,
        };
        let room = room.unwrap_or_else(|| self.no_room().into());
        let text = self.job().say(format!(" is waiting: {room}, and no allowed [eviction] frees enough"));
        let sets = count(tried.into(), "possible set");
        let text = if tried > 0 { text.say(format!(" ({sets} of [evictions] tried)")) } else { text };
        text.then(why).say(".")
    }

    /// What protects the possible victims, as a further sentence without full stop.
    fn why_protected(&self, gate: &Gate, ancestor: Option<QueueId>) -> Text {
        // Checks belong to the dominant reason.
        let is_dominant = self.refusal.gate == *gate;
        let failed = self.refusal.checks.iter().filter(|check| is_dominant && !check.holds);
        let protects = |check: &Check| protection(self.frame, check);
        let above = self.at_ancestor(ancestor).filter(|_| is_dominant);
        match (above, failed.filter_map(protects).next()) {
            (Some(above), Some(why)) => Text::of(". ").then(above).say("; ").then(why),
            (Some(why), None) | (None, Some(why)) => {
                Text::of(". ").then(why).then(self.priority_is_too_low(gate))
            }
            (None, None) => Text::default(),
        }
    }

    /// *; the priority of `team-b`, 80, is not higher than 90 of `team-a`*, where a higher one would do.
    fn priority_is_too_low(&self, gate: &Gate) -> Text {
        let checks = self.refusal.checks.iter().filter(|_| self.refusal.gate == *gate);
        let mut failed = checks.filter(|check| !check.holds && check.left.quantity == Quantity::Priority);
        let said = failed.find_map(|check| {
            let (own, other) = (check.subject.queue?, check.subject.other_queue?);
            let [own_value, other_value] = [&check.left, &check.right].map(|term| value(term, None));
            let text = Text::of("; the priority of ").queue(self.frame.queue(own));
            let text = text.say(format!(", {own_value}, is not higher than {other_value} of "));
            Some(text.queue(self.frame.queue(other)))
        });
        said.unwrap_or_default()
    }

    /// The missing room: *no GPU is free* if only GPUs are missing.
    fn no_room(&self) -> &'static str {
        if self.lacks_gpus() { "no GPU is free" } else { "no room is free" }
    }

    /// Whether it needs GPUs and none is free.
    fn lacks_gpus(&self) -> bool {
        let mut ready = self.frame.nodes.iter().filter(|node| node.ready);
        ready.all(|node| node.used[2] >= node.capacity[2]) && self.row().is_some_and(|row| row.gpus > 0.0)
    }

    /// *All 12 GPUs are in use*, if GPUs are missing.
    fn in_use(&self) -> Option<String> {
        let ready = self.frame.nodes.iter().filter(|node| node.ready);
        let all: f64 = ready.map(|node| node.capacity[2]).sum();
        let says = match all {
            all if all <= 0.0 => return None,
            1.0 => "the only GPU is in use".to_string(),
            _ => format!("all {} are in use", with_unit(GPU, all)),
        };
        self.lacks_gpus().then_some(says)
    }

    /// The reason of a similar job for which no eviction was permitted.
    fn like_failed(&self, other: JobId) -> Text {
        let room = self.no_room();
        let text =
            self.job().say(format!(" is waiting: {room}, and no allowed [eviction] frees enough for "));
        let text = text.job(self.frame.job(other)).say(", which requests no more and was tried first");
        let Some(refusal) = self.frame.refusals.iter().find(|refusal| refusal.job == other) else {
            return text.say(".");
        };
        let like = Case { refusal, ..*self };
        match refusal.gate {
            Gate::NoVictims { ancestor, .. } => {
                text.then(like.why_protected(&refusal.gate, ancestor)).say(".")
            }
            _ => text.say("."),
        }
    }

    /// The job ahead of it, in its own queue or in another one; the latter is described by the common ancestor.
    fn behind(&self, first: JobId) -> Text {
        if first == self.refusal.job {
            let text = Text::of("A [pod] of ").then(self.job());
            return text.say(" was placed in this cycle; the next one is tried in the next cycle.");
        }
        let text = self.job().say(" is waiting behind ").job(self.frame.job(first));
        if super::yunikorn::is_served_first(self.refusal) {
            return text.say(", which was served first because room is reserved for it.");
        }
        let came_first = super::yunikorn::came_first(self.refusal).unwrap_or_default();
        let queue = |queue: QueueId| self.frame.queue(queue);
        let own = self.own();
        let other = self.frame.names.queue_of(first).filter(|other| Some(*other) != own);
        let (Some(own), Some(other)) = (own, other) else {
            let text = text.say(", which comes first in ").queue(own.map_or("", queue));
            return text.say(came_first).say(".");
        };
        let text = text.say(" in ").queue(queue(other)).say(", which was served in this cycle: ");
        match split(self.frame, other, own) {
            Some((theirs, ours, parent)) => {
                let text = text.queue(queue(theirs)).say(" came before ").queue(queue(ours));
                match parent {
                    Some(parent) => text.say(" in ").queue(queue(parent)).say(came_first).say("."),
                    None => text.say(" at the top level").say(came_first).say("."),
                }
            }
            None => text.say("its [queue] came first."),
        }
    }

    /// The jobs that are protected by their minimum runtime alone, as seen from the reclaiming queue.
    fn victims_protected(&self, until: Time) -> Text {
        let mut victims: Vec<JobId> = Vec::new();
        let too_short = |check: &&Check| check.left.quantity == Quantity::Runtime && !check.holds;
        for victim in self.refusal.checks.iter().filter(too_short).filter_map(|c| c.subject.other_job) {
            if !victims.contains(&victim) {
                victims.push(victim);
            }
        }
        let until = format!(" (until {})", clock(until));
        let text = self.job().say(format!(" is waiting: {}, and ", self.no_room()));
        let name = |victim: &JobId| Text::default().job(self.frame.job(*victim));
        match victims.len() {
            0 => text.say(format!("the [jobs] to evict are protected by their minimum runtime{until}.")),
            1 => text.then(name(&victims[0])).say(format!(" is protected by its minimum runtime{until}.")),
            n if n > 4 => text.say(format!("{n} [jobs] are protected by their minimum runtime{until}.")),
            _ => text
                .list(victims.iter().map(name).collect(), "and")
                .say(format!(" are protected by their minimum runtime{until}.")),
        }
    }

    /// The numbers of an ancestor of the job's queue that may not reclaim more.
    fn at_ancestor(&self, ancestor: Option<QueueId>) -> Option<Text> {
        let own = self.own()?;
        let above = ancestor.filter(|above| *above != own)?;
        let is_it = |check: &&Check| {
            !check.holds
                && check.subject.queue == Some(above)
                && check.left.quantity == Quantity::AllocatedWithJob
                && check.right.quantity == Quantity::Quota
        };
        let check = self.refusal.checks.iter().find(is_it)?;
        let r = decisive_resource(check).unwrap_or(self.resource).min(2);
        let facts = Facts::of(std::slice::from_ref(check), r);
        let with = facts.get(Party::Queue(above), Quantity::AllocatedWithJob)?;
        let quota = facts.get(Party::Queue(above), Quantity::Quota)?;
        let text = Text::default().queue(self.frame.queue(above)).say(", the parent of ");
        let text = text.queue(self.frame.queue(own)).say(", would use ").amount(with);
        Some(text.say(" with it, over its [quota] of ").number(quota))
    }

    fn too_large(&self, resource: Resource) -> Text {
        // The page numbers named resources after CPU, memory and GPUs.
        let largest_of =
            |at: usize| self.frame.nodes.iter().map(|node| node.capacity[at]).fold(0.0, f64::max);
        let more = |name: &str, largest: String| {
            self.job()
                .say(" cannot start: a [pod] of it needs more ")
                .name(name)
                .say(format!(" than any [node] has; the largest [node] has {largest}."))
        };
        if let Some(name) = resource.nth_named().and_then(|n| self.frame.named.get(n)) {
            return more(name, number::number(largest_of(resource.index())));
        }
        let r = self.resource(Some(resource));
        let largest = amount(r, largest_of(usize::from(r)));
        match self.check(Quantity::Request).and_then(|check| side(&check.left.value, r)) {
            Some(asked) => {
                let asked = with_unit(r, asked);
                self.job().say(format!(
                    " cannot start: it needs {asked} on one [node]; the largest [node] has {largest}."
                ))
            }
            None => more(resource_name(r), largest),
        }
    }

    fn over_limit(&self, gate: &Gate, resource: Resource) -> Text {
        let r = self.resource(Some(resource));
        let (Some(id), Some(queue)) = (self.queue_id(gate), self.queue(gate)) else {
            return Text::of("A [limit] is reached.");
        };
        let text = self.job().say(" is waiting: ");
        let of = |quantity| self.facts(r).get(Party::Queue(id), quantity);
        match (of(Quantity::AllocatedWithJob), of(Quantity::Limit)) {
            (Some(with), Some(limit)) => {
                let text = text.say("with it, ").queue(&queue.name).say(" would use ").amount(with);
                text.say(", over its [limit] of ").number(limit).say(".")
            }
            _ => text.queue(&queue.name).say(" is at its [limit]."),
        }
    }

    fn over_quota(&self, gate: &Gate, resource: Resource) -> Text {
        let r = self.resource(Some(resource));
        let (Some(id), Some(queue)) = (self.queue_id(gate), self.queue(gate)) else {
            return Text::of("[A quota] is reached.");
        };
        let is = match self.row().map_or(0, |row| row.core) {
            0 => " is non-preemptible, and ".to_string(),
            1 => ": its first [pod] is non-preemptible, and ".to_string(),
            n => format!(": its first {n} [pods] are non-preemptible, and "),
        };
        let of = |quantity| self.facts(r).get(Party::Queue(id), quantity);
        let text = self.job().say(is);
        let text = match (of(Quantity::Before), of(Quantity::AllocatedNonPreemptible), of(Quantity::Quota)) {
            (Some(held), _, Some(quota)) if held.value == quota.value => {
                let text = text.queue(&queue.name).say(" already uses its whole [quota] of ").amount(quota);
                text.say(" for non-preemptible [jobs].")
            }
            (_, Some(with_it), Some(quota)) => {
                let text = text.say("with it ").queue(&queue.name).say(" would use ").amount(with_it);
                text.say(" for non-preemptible [jobs], over its [quota] of ").number(quota).say(".")
            }
            _ => text.queue(&queue.name).say(" has no more [quota] for non-preemptible [jobs]."),
        };
        text.say(" Non-preemptible [jobs] cannot run [over quota], even when resources are free.")
    }

    fn not_entitled(&self, gate: &Gate) -> Text {
        let Some(queue) = self.queue(gate) else { return Text::of("Its [queue] is above its [fair share].") };
        if let Some(text) = super::ego::not_entitled(self.frame, self.refusal, &queue.name) {
            let room = self.in_use().map(|in_use| in_use + ", and ").unwrap_or_default();
            return self.job().say(format!(" is waiting: {room}")).then(text);
        }
        let failed = self.not_entitled_check();
        let r = failed.and_then(decisive_resource).unwrap_or(self.resource).min(2);
        let text = self.job().say(format!(" is waiting: {}", self.short_of())).queue(&queue.name);
        let text = text.say(" cannot reclaim for it: with ").then(self.job());
        let of = |quantity| {
            Facts::of(failed.map_or(&[], std::slice::from_ref), r)
                .get(Party::Queue(self.queue_id(gate)?), quantity)
        };
        if let (Some(with), Some(share)) = (of(Quantity::AllocatedWithJob), of(Quantity::FairShare)) {
            let text = text.say(", it would use ").amount(with).say(", over its [fair share] of ");
            return text.number(share).say(".");
        }
        match (of(Quantity::AllocatedNonPreemptible), of(Quantity::Quota)) {
            (Some(with), Some(quota)) => {
                let text = text.say(", it would use ").amount(with);
                text.say(" for non-preemptible [jobs], over its [quota] of ").number(quota).say(".")
            }
            _ => text.say(", it would use more than it may reclaim."),
        }
    }

    /// The comparison that does not let its queue reclaim: with its fair share, or with its quota.
    fn not_entitled_check(&self) -> Option<&Check> {
        let failed = |right: Quantity, left: Quantity| {
            let is_it =
                |check: &&Check| !check.holds && check.right.quantity == right && check.left.quantity == left;
            self.refusal.checks.iter().rfind(is_it)
        };
        failed(Quantity::FairShare, Quantity::AllocatedWithJob)
            .or_else(|| failed(Quantity::Quota, Quantity::AllocatedNonPreemptible))
    }

    /// The missing room when nodes were tried, as the first half of a sentence.
    fn short_of(&self) -> String {
        let tried = self.refusal.also.iter().find_map(|gate| match gate {
            Gate::NoNode { of, free: Some(free), .. } => Some((*of, free.total)),
            _ => None,
        });
        match (tried, self.per_pod()) {
            (Some((_, total)), Some(_)) if total <= 0.0 => "no GPU is free, and ".into(),
            (Some((of, total)), Some((each, _))) if total < each * f64::from(of) => {
                let (needs, were) =
                    (with_unit(GPU, each * f64::from(of)), if total == 1.0 { "was" } else { "were" });
                format!("it needs {needs} and only {} {were} free, and ", number(total))
            }
            (Some(_), _) => "no [node] has room, and ".into(),
            (None, _) => String::new(),
        }
    }

    /// GPUs per pod and number of pods, if all pods of the job are alike.
    fn per_pod(&self) -> Option<(f64, u32)> {
        let job = self.row()?;
        let pods = job.running + job.pending + job.leaving;
        (pods > 0 && job.gpus > 0.0).then(|| (job.gpus / f64::from(pods), job.pending))
    }

    /// Needed against free GPUs, now or at the attempt; `None`: its pods differ, or need no GPU.
    fn needs(&self, tried: Option<FreeGpus>) -> Option<String> {
        let (each, pods) = self.per_pod()?;
        let FreeGpus { total, most } = tried.unwrap_or_else(|| self.free_now());
        let are = match (tried.is_some(), total == 1.0 || total <= 0.0) {
            (true, true) => "was",
            (true, false) => "were",
            (false, true) => "is",
            (false, false) => "are",
        };
        if total <= 0.0 {
            return Some(format!("no GPU {are} free"));
        }
        let needs = match pods {
            1 => format!("it needs {} on one [node]", with_unit(GPU, each)),
            _ => format!("it needs {} for each of {pods} [pods]", with_unit(GPU, each)),
        };
        Some(format!("{needs}; {} {are} free, at most {} on one [node]", number(total), number(most)))
    }

    /// Free GPUs on ready nodes at the displayed moment.
    fn free_now(&self) -> FreeGpus {
        let ready = self.frame.nodes.iter().filter(|node| node.ready);
        let free = ready.map(|node| (node.capacity[2] - node.used[2]).max(0.0));
        let add = |sum: FreeGpus, free: f64| FreeGpus { total: sum.total + free, most: free.max(sum.most) };
        free.fold(FreeGpus { total: 0.0, most: 0.0 }, add)
    }

    fn no_node(
        &self,
        (placed, of): (u32, u32),
        reasons: &[(NodeReason, u32)],
        free: Option<FreeGpus>,
    ) -> Text {
        let text = self.job().say(" is waiting: ");
        if let Some(reserved) = super::yunikorn::reserved(self.frame, self.refusal, reasons) {
            return text.then(reserved).say(".");
        }
        let lacks_gpus = reasons.iter().any(|(reason, _)| *reason == NodeReason::Insufficient(Resource::GPU));
        let is_known = free.is_some() && lacks_gpus;
        let needs = self.needs(free).filter(|_| lacks_gpus || reasons.is_empty());
        let text = text.say(needs.unwrap_or_else(|| no_node_for(reasons).into()));
        let text = if placed > 0 && of > 1 && is_known {
            text.say(format!(" ({placed} of {of} [pods] could be placed)"))
        } else {
            text
        };
        let looked: u32 = reasons.iter().map(|(_, n)| n).sum();
        if looked == 0 {
            return text.say(".");
        }
        let why = |(reason, n): &(NodeReason, u32)| {
            Text::of(format!("{n} ")).then(node_reason(self.frame, *reason))
        };
        let mut text = text.say(". [Nodes] checked: ");
        for (i, reason) in reasons.iter().enumerate() {
            text = text.say(if i > 0 { ", " } else { "" }).then(why(reason));
        }
        text.say(".")
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
                return self.job().say(format!(" is waiting: the room [claimed] for it becomes free{when}."));
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
        let r = decisive_resource(check).unwrap_or(self.resource).min(2);
        table(self.frame, std::slice::from_ref(check), r, Text::of("When it was tried"))
    }

    /// The settings of the minimum runtimes that protect others.
    fn min_runtimes(&self) -> Vec<Control> {
        let mut controls: Vec<Control> = Vec::new();
        for subject in self.refusal.checks.iter().map(|check| &check.subject) {
            let Some(queue) = subject.other_queue else { continue };
            let victims = subject.other_job.and_then(|victim| self.frame.names.queue_of(victim));
            let (field, label) = match victims.is_some() && victims == self.own() {
                true => ("preempt-min-runtime", "minimum runtime before preemption of "),
                false => ("reclaim-min-runtime", "minimum runtime before reclaim of "),
            };
            let control = Control::of_queue(self.frame.queue(queue), field, label);
            if !controls.contains(&control) {
                controls.push(control);
            }
        }
        controls
    }

    fn controls(&self) -> Vec<Control> {
        let gate = &self.refusal.gate;
        let Some(queue) = self.queue(gate).map(|queue| queue.name.as_str()) else { return Vec::new() };
        let r = self.resource(gate.about().1);
        let job = self.frame.job(self.refusal.job);
        let of_queue = |fields: &[&str]| fields.iter().map(|field| Control::queue(queue, r, field)).collect();
        let of_job = |field: &str, label: &str| Control::job(job, field, Text::of(label).job(job));
        match gate {
            Gate::OverLimit { .. } => of_queue(&["limit"]),
            Gate::VictimsProtected { .. } => self.min_runtimes(),
            Gate::NotEntitled { .. } | Gate::NoVictims { .. } => of_queue(&["quota", "weight"]),
            Gate::NonPreemptibleOverQuota { .. } => {
                vec![Control::queue(queue, r, "quota"), of_job("preemptible", "preemptibility of ")]
            }
            Gate::TooLarge { resource } if resource.nth_named().is_some() => {
                vec![of_job("resources", "further resources of ")]
            }
            Gate::TooLarge { .. } | Gate::NoNode { .. } => {
                vec![of_job(number::resource_key(r), "request of ")]
            }
            Gate::Behind { .. } => vec![of_job("priority", "priority of ")],
            Gate::NotReady
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

/// Why no node takes a pod, if not for lack of GPUs.
fn no_node_for(reasons: &[(NodeReason, u32)]) -> &'static str {
    match is_of_room(reasons) {
        true => "no [node] that it may use has room",
        false => "it may not use any [node]",
    }
}
