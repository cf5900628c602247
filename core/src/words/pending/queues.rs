//! Sentences about queues: their order, limits, quotas and what they may reclaim.

use super::super::check::{Party, decisive_resource, value_in};
use super::super::facts::Facts;
use super::super::phrases::{queue_of, split};
use super::super::text::{self, Text, bare, text};
use super::super::{ego, yunikorn};
use super::Case;
use crate::id::{JobId, QueueId};
use crate::policy::Policy;
use crate::trace::{Check, Gate, Quantity};
use crate::units::Resource;

impl Case<'_> {
    /// The job ahead of it, in its own queue or in another one; the latter is described by the common ancestor.
    pub(super) fn behind(&self, first: JobId) -> Text {
        let job = self.job();
        if first == self.refusal.job {
            return text!("A [pod] of {job} was placed in this cycle; the next one is tried in the next cycle.", [job]);
        }
        let name_of = |queue: QueueId| queue_of(self.frame, queue);
        let came_first = yunikorn::came_first(self.refusal).unwrap_or_default();
        let own = self.own();
        let other = self.frame.names.queue_of(first).filter(|other| Some(*other) != own);
        let first = text::job(self.frame.job(first));
        if yunikorn::is_served_first(self.refusal) {
            return text!(
                "{job} is waiting behind {first}, which was served first because room is reserved for it.",
                [job, first]
            );
        }
        let (Some(own), Some(other)) = (own, other) else {
            return text!(
                "{job} is waiting behind {first}, which comes first in {queue}{came_first}.",
                [job, first, queue = queue_of(self.frame, own), came_first]
            );
        };
        let why = match split(self.frame, other, own) {
            None => Text::of("its [queue] came first"),
            Some((theirs, ours, parent)) => {
                let top = Text::of("at the top level");
                let level = parent.map_or(top, |parent| text!("in {parent}", [parent = name_of(parent)]));
                text!(
                    "{theirs} came before {ours} {level}{came_first}",
                    [theirs = name_of(theirs), ours = name_of(ours), level, came_first]
                )
            }
        };
        text!(
            "{job} is waiting behind {first} in {queue}, which was served in this cycle: {why}.",
            [job, first, queue = name_of(other), why]
        )
    }

    pub(super) fn over_limit(&self, gate: &Gate, resource: Resource) -> Text {
        let r = self.resource(Some(resource));
        let Some(id) = self.queue_id(gate) else { return Text::of("A [limit] is reached.") };
        let (job, queue) = (self.job(), queue_of(self.frame, id));
        let (bound, word) =
            if self.refusal.is_over_quota() { (Quantity::Quota, "quota") } else { (Quantity::Limit, "[limit]") };
        let fact = |quantity| self.facts(r).get(Party::Queue(id), quantity);
        match (fact(Quantity::AllocatedWithJob), fact(bound).map(bare)) {
            (Some(usage), Some(bound)) => text!(
                "{job} is waiting: with it, {queue} would use {usage}, over its {word} of {bound}.",
                [job, queue, usage, word, bound]
            ),
            _ => text!("{job} is waiting: {queue} is at its [limit].", [job, queue]),
        }
    }

    /// The user or group of a job at a limit in a queue.
    pub(super) fn user_limit(&self, gate: &Gate, resource: Resource) -> Text {
        let r = self.resource(Some(resource));
        let fact = |quantity| self.facts(r).get(Party::Queue(self.queue_id(gate)?), quantity);
        let (job, queue) = (self.job(), queue_of(self.frame, self.queue_id(gate)));
        match (fact(Quantity::AllocatedWithJob), fact(Quantity::Limit).map(bare)) {
            (Some(with), Some(limit)) => text!(
                "{job} is waiting: with it, its user or group would use {with} in {queue}, over their [limit] of {limit}.",
                [job, with, queue, limit]
            ),
            _ => text!("{job} is waiting: its user has reached a [limit] in {queue}.", [job, queue]),
        }
    }

    /// A queue, or a user in it, at the maximum of running jobs.
    pub(super) fn too_many_jobs(&self, gate: &Gate) -> Text {
        let fact = |quantity| self.facts(Resource::GPU).get(Party::Queue(self.queue_id(gate)?), quantity).map(bare);
        let (job, queue) = (self.job(), queue_of(self.frame, self.queue_id(gate)));
        match (fact(Quantity::Jobs), fact(Quantity::Limit)) {
            (Some(with), Some(limit)) => text!(
                "{job} is waiting: with it, {with} [jobs] would run in {queue} or for its user there, over the maximum of {limit}.",
                [job, with, queue, limit]
            ),
            _ => {
                text!("{job} is waiting: {queue}, or its user there, already runs the maximum of [jobs].", [job, queue])
            }
        }
    }

    pub(super) fn over_quota(&self, gate: &Gate, resource: Resource) -> Text {
        let Some(id) = self.queue_id(gate) else { return Text::of("[A quota] is reached.") };
        let job = match self.row().map_or(0, |row| row.core) {
            0 => text!("{job} is non-preemptible", [job = self.job()]),
            1 => text!("{job}: its first [pod] is non-preemptible", [job = self.job()]),
            n => text!("{job}: its first {n} [pods] are non-preemptible", [job = self.job(), n]),
        };
        let facts = self.facts(self.resource(Some(resource)));
        let fact = |quantity| facts.get(Party::Queue(id), quantity);
        let (before, usage) = (fact(Quantity::Before), fact(Quantity::AllocatedNonPreemptible));
        let queue = queue_of(self.frame, id);
        let why = match (before, usage, fact(Quantity::Quota)) {
            (_, _, Some(quota)) if quota.value == Some(0.0) => {
                text!("{queue} has a [quota] of {quota}.", [queue, quota])
            }
            (Some(before), _, Some(quota)) if before.value == quota.value => {
                text!("{queue} already uses its whole [quota] of {quota} for non-preemptible [jobs].", [queue, quota])
            }
            (_, Some(usage), Some(quota)) => text!(
                "with it {queue} would use {usage} for non-preemptible [jobs], over its [quota] of {quota}.",
                [queue, usage, quota = bare(quota)]
            ),
            _ => text!("{queue} has no more [quota] for non-preemptible [jobs].", [queue]),
        };
        text!(
            "{job}, and {why} Non-preemptible [jobs] cannot run [over quota], even when resources are free.",
            [job, why]
        )
    }

    pub(super) fn not_entitled(&self, gate: &Gate) -> Text {
        let Some(id) = self.queue_id(gate) else { return Text::of("Its [queue] is above its [fair share].") };
        let (job, queue) = (self.job(), queue_of(self.frame, id));
        if let Some(why) = ego::not_entitled(self.frame, self.refusal, self.frame.queue(id)) {
            let room = self.in_use().map(|in_use| in_use + ", and ").unwrap_or_default();
            return text!("{job} is waiting: {room}{why}", [job, room, why]);
        }
        let failed = self.not_entitled_check();
        let r = failed.and_then(decisive_resource).unwrap_or(self.resource);
        let facts = Facts::of(failed.map_or(&[], std::slice::from_ref), r);
        let fact = |quantity| facts.get(Party::Queue(id), quantity);
        let why = if let (Some(usage), Some(share)) = (fact(Quantity::AllocatedWithJob), fact(Quantity::FairShare)) {
            let first = self.higher_priority().filter(|_| share.value == Some(0.0));
            // Every resource counts, also one that the job does not request.
            let uses = if fact(Quantity::Request).is_none_or(|request| request.value != Some(0.0)) {
                text!("with {job}, it would use", [job = self.job()])
            } else {
                Text::of("it already uses")
            };
            text!(
                "{uses} {usage}, over its [fair share] of {share}{first}.{past_usage}",
                [uses, usage, share = bare(share), first, past_usage = self.past_usage()]
            )
        } else if let (Some(with), Some(quota)) = (fact(Quantity::AllocatedNonPreemptible), fact(Quantity::Quota)) {
            text!(
                "with {job}, it would use {with} for non-preemptible [jobs], over its [quota] of {quota}.",
                [job = self.job(), with, quota = bare(quota)]
            )
        } else {
            text!("with {job}, it would use more than it may reclaim.", [job = self.job()])
        };
        text!(
            "{job} is waiting: {short_of}{queue} cannot reclaim for it: {why}",
            [job, short_of = self.short_of(), queue, why]
        )
    }

    /// *; gold, of higher priority (2 against 1), comes first*
    fn higher_priority(&self) -> Option<Text> {
        let is_it = |check: &&Check| {
            check.left.quantity == Quantity::Priority && check.subject.other_queue.is_some() && check.holds
        };
        let check = self.refusal.checks.iter().find(is_it)?;
        let [first, own] = [&check.left, &check.right].map(|term| value_in(check, term, None));
        let queue = queue_of(self.frame, check.subject.queue?);
        let policy = Policy::described(&self.frame.policy).and_then(|policy| policy.queue.priority.as_ref());
        let word = policy.map_or("priority", |priority| priority.word);
        Some(text!("; {queue}, of higher {word} ({first} against {own}), comes first", [queue, word, first, own]))
    }

    /// *Without past usage its fair share would be 5 GPUs.*
    fn past_usage(&self) -> Option<Text> {
        let is_unadjusted = |check: &&Check| check.right.quantity == Quantity::FairShareWithoutUsage && check.holds;
        let check = self.refusal.checks.iter().find(is_unadjusted)?;
        let facts = Facts::of(std::slice::from_ref(check), decisive_resource(check)?);
        let without = facts.get(Party::Queue(check.subject.queue?), check.right.quantity)?;
        Some(text!(" Without past usage its [fair share] would be {without}.", [without]))
    }

    /// The comparison that does not let its queue reclaim: with its fair share, or with its quota.
    pub(super) fn not_entitled_check(&self) -> Option<&Check> {
        let failed = |right: Quantity, left: Quantity| {
            let is_it = |check: &&Check| !check.holds && check.right.quantity == right && check.left.quantity == left;
            self.refusal.checks.iter().rfind(is_it)
        };
        failed(Quantity::FairShare, Quantity::AllocatedWithJob)
            .or_else(|| failed(Quantity::Quota, Quantity::AllocatedNonPreemptible))
    }
}
