//! Sentences about queues: their order, limits, quotas and what they may reclaim.

use super::super::check::{Party, decisive_resource, value_in};
use super::super::facts::Facts;
use super::super::phrases::split;
use super::super::text::Text;
use super::super::{ego, yunikorn};
use super::Case;
use crate::id::{JobId, QueueId};
use crate::policy::Policy;
use crate::trace::{Check, Gate, Quantity};
use crate::units::Resource;

impl Case<'_> {
    /// The job ahead of it, in its own queue or in another one; the latter is described by the common ancestor.
    pub(super) fn behind(&self, first: JobId) -> Text {
        if first == self.refusal.job {
            let text = Text::of("A [pod] of ").then(self.job());
            return text.say(" was placed in this cycle; the next one is tried in the next cycle.");
        }
        let text = self.job().say(" is waiting behind ").job(self.frame.job(first));
        if yunikorn::is_served_first(self.refusal) {
            return text.say(", which was served first because room is reserved for it.");
        }
        let came_first = yunikorn::came_first(self.refusal).unwrap_or_default();
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

    pub(super) fn over_limit(&self, gate: &Gate, resource: Resource) -> Text {
        let r = self.resource(Some(resource));
        let (Some(id), Some(queue)) = (self.queue_id(gate), self.queue(gate)) else {
            return Text::of("A [limit] is reached.");
        };
        let text = self.job().say(" is waiting: ");
        let of = |quantity| self.facts(r).get(Party::Queue(id), quantity);
        let (bound, word) = match self.refusal.is_over_quota() {
            true => (Quantity::Quota, "quota"),
            false => (Quantity::Limit, "[limit]"),
        };
        match (of(Quantity::AllocatedWithJob), of(bound)) {
            (Some(with), Some(most)) => {
                let text = text.say("with it, ").queue(&queue.name).say(" would use ").amount(with);
                text.say(format!(", over its {word} of ")).number(most).say(".")
            }
            _ => text.queue(&queue.name).say(" is at its [limit]."),
        }
    }

    /// The user or group of a job at a limit in a queue.
    pub(super) fn user_limit(&self, gate: &Gate, resource: Resource) -> Text {
        let r = self.resource(Some(resource));
        let name = self.queue(gate).map_or("", |queue| queue.name.as_str());
        let of = |quantity| self.facts(r).get(Party::Queue(self.queue_id(gate)?), quantity);
        let text = self.job().say(" is waiting: ");
        match (of(Quantity::AllocatedWithJob), of(Quantity::Limit)) {
            (Some(with), Some(limit)) => {
                let text = text.say("with it, its user or group would use ").amount(with);
                text.say(" in ").queue(name).say(", over their [limit] of ").number(limit).say(".")
            }
            _ => text.say("its user has reached a [limit] in ").queue(name).say("."),
        }
    }

    /// A queue, or a user in it, at the maximum of running jobs.
    pub(super) fn too_many_jobs(&self, gate: &Gate) -> Text {
        let name = self.queue(gate).map_or("", |queue| queue.name.as_str());
        let of = |quantity| self.facts(Resource::GPU).get(Party::Queue(self.queue_id(gate)?), quantity);
        let text = self.job().say(" is waiting: ");
        match (of(Quantity::Jobs), of(Quantity::Limit)) {
            (Some(with), Some(limit)) => {
                let text = text.say("with it, ").number(with).say(" [jobs] would run in ").queue(name);
                text.say(" or for its user there, over the maximum of ").number(limit).say(".")
            }
            _ => text.queue(name).say(", or its user there, already runs the maximum of [jobs]."),
        }
    }

    pub(super) fn over_quota(&self, gate: &Gate, resource: Resource) -> Text {
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
            (_, _, Some(quota)) if quota.value == Some(0.0) => {
                text.queue(&queue.name).say(" has a [quota] of ").amount(quota).say(".")
            }
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

    pub(super) fn not_entitled(&self, gate: &Gate) -> Text {
        let Some(queue) = self.queue(gate) else { return Text::of("Its [queue] is above its [fair share].") };
        if let Some(text) = ego::not_entitled(self.frame, self.refusal, &queue.name) {
            let room = self.in_use().map(|in_use| in_use + ", and ").unwrap_or_default();
            return self.job().say(format!(" is waiting: {room}")).then(text);
        }
        let failed = self.not_entitled_check();
        let r = failed.and_then(decisive_resource).unwrap_or(self.resource);
        let text = self.job().say(format!(" is waiting: {}", self.short_of())).queue(&queue.name);
        let of = |quantity| {
            Facts::of(failed.map_or(&[], std::slice::from_ref), r).get(Party::Queue(self.queue_id(gate)?), quantity)
        };
        if let (Some(with), Some(share)) = (of(Quantity::AllocatedWithJob), of(Quantity::FairShare)) {
            let none = share.value == Some(0.0);
            let adds = of(Quantity::Request).is_none_or(|request| request.value != Some(0.0));
            let text = text.say(" cannot reclaim for it: ");
            // Every resource counts, also one that the job does not request.
            let text = match adds {
                true => text.say("with ").then(self.job()).say(", it would use "),
                false => text.say("it already uses "),
            };
            let text = text.amount(with).say(", over its [fair share] of ");
            let first = self.higher_priority().filter(|_| none);
            let text = text.number(share).then(first.unwrap_or_else(|| Text::of(".")));
            return text.then(self.past_usage().unwrap_or_default());
        }
        let text = text.say(" cannot reclaim for it: with ").then(self.job());
        match (of(Quantity::AllocatedNonPreemptible), of(Quantity::Quota)) {
            (Some(with), Some(quota)) => {
                let text = text.say(", it would use ").amount(with);
                text.say(" for non-preemptible [jobs], over its [quota] of ").number(quota).say(".")
            }
            _ => text.say(", it would use more than it may reclaim."),
        }
    }

    /// *; gold, of higher priority (2 against 1), comes first.*
    fn higher_priority(&self) -> Option<Text> {
        let is_it = |check: &&Check| {
            check.left.quantity == Quantity::Priority && check.subject.other_queue.is_some() && check.holds
        };
        let check = self.refusal.checks.iter().find(is_it)?;
        let [first, own] = [&check.left, &check.right].map(|term| value_in(check, term, None));
        let text = Text::of("; ").queue(self.frame.queue(check.subject.queue?));
        let policy = Policy::described(&self.frame.policy).and_then(|policy| policy.queue.priority.as_ref());
        let word = policy.map_or("priority", |priority| priority.word);
        Some(text.say(format!(", of higher {word} ({first} against {own}), comes first.")))
    }

    /// *Without past usage its fair share would be 5 GPUs.*
    fn past_usage(&self) -> Option<Text> {
        let of = |check: &&Check| check.right.quantity == Quantity::FairShareWithoutUsage && check.holds;
        let check = self.refusal.checks.iter().find(of)?;
        let facts = Facts::of(std::slice::from_ref(check), decisive_resource(check)?);
        let without = facts.get(Party::Queue(check.subject.queue?), check.right.quantity)?;
        Some(Text::of(" Without past usage its [fair share] would be ").amount(without).say("."))
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
