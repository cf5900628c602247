//! Sentences about evictions that would help and are not allowed.

use super::super::check::{Party, decisive_resource, seconds, value};
use super::super::facts::Facts;
use super::super::number::count;
use super::super::phrases::queue_of;
use super::super::text::{Text, bare, job, text};
use super::Case;
use crate::id::{JobId, QueueId};
use crate::time::Time;
use crate::trace::{Check, Gate, Quantity};
use crate::words::number::clock;
use crate::words::others::protection;

impl Case<'_> {
    /// Why no eviction helps: the last failed comparison, which protects the closest candidates.
    pub(super) fn no_victims(&self, gate: &Gate, tried: u32, ancestor: Option<QueueId>) -> Text {
        let why = self.why_protected(gate, ancestor);
        let is_dominant = self.refusal.gate == *gate;
        // Without other numbers, the sentence gives those of the room.
        let room = self.in_use().filter(|_| is_dominant && why.is_empty());
        let room = room.or_else(|| self.no_room().filter(|_| is_dominant));
        let sets = text!(" ({combinations} tried)", [combinations = count(tried.into(), "combination")]);
        let why = if why.is_empty() { self.nothing_to_move(gate).unwrap_or_default() } else { why };
        text!(
            "{job} is waiting: {room}no [eviction] that the rules allow frees enough{sets}{why}.",
            [job = self.job(), room = lacks(room), sets = Some(sets).filter(|_| tried > 0), why]
        )
    }

    /// Why there is nothing that could be evicted or moved, as a further sentence without full stop.
    fn nothing_to_move(&self, gate: &Gate) -> Option<Text> {
        let failed = |left: Quantity, right: Quantity| {
            let is_it = |check: &&Check| !check.holds && check.left.quantity == left && check.right.quantity == right;
            self.refusal.checks.iter().filter(|_| self.refusal.gate == *gate).find(is_it)
        };
        if let Some(check) = failed(Quantity::PreemptibleJobs, Quantity::Constant) {
            let place = check.subject.queue.map(|id| text!(" in {queue}", [queue = queue_of(self.frame, id)]));
            return Some(text!(". No other preemptible [job] runs{place}", [place]));
        }
        let check = failed(Quantity::Priority, Quantity::Priority).filter(|c| c.subject.other_job.is_some())?;
        let [own, lowest] = [&check.left, &check.right].map(|term| value(term, None));
        let queue = queue_of(self.frame, check.subject.queue?);
        Some(text!(
            ". In {queue}, no preemptible [job] has a lower priority than {own}; the lowest is {lowest}",
            [queue, own, lowest]
        ))
    }

    /// What protects the possible victims, as a further sentence without full stop.
    pub(super) fn why_protected(&self, gate: &Gate, ancestor: Option<QueueId>) -> Text {
        // Checks belong to the dominant reason, except that room has none of these.
        let is_dominant = self.refusal.gate == *gate || matches!(self.refusal.gate, Gate::NoNode { .. });
        let failed = self.refusal.checks.iter().filter(|check| is_dominant && !check.holds);
        let protects = |check: &Check| protection(self.frame, check);
        let ancestor_text = self.at_ancestor(ancestor).filter(|_| is_dominant);
        match (ancestor_text, failed.filter_map(protects).next()) {
            (Some(ancestor_text), Some(why)) => text!(". {ancestor_text}; {why}", [ancestor_text, why]),
            (Some(why), None) | (None, Some(why)) => {
                text!(". {why}{priority}", [why, priority = self.priority_is_too_low(gate)])
            }
            (None, None) => Text::default(),
        }
    }

    /// *; the priority of `team-b`, 80, is not higher than 90 of `team-a`*, where a higher one would do.
    fn priority_is_too_low(&self, gate: &Gate) -> Option<Text> {
        let checks = self.refusal.checks.iter().filter(|_| self.refusal.gate == *gate);
        let mut failed = checks.filter(|check| !check.holds && check.left.quantity == Quantity::Priority);
        failed.find_map(|check| {
            let [own, other] = [check.subject.queue?, check.subject.other_queue?];
            let [own, other] = [own, other].map(|queue| queue_of(self.frame, queue));
            let [is, most] = [&check.left, &check.right].map(|term| value(term, None));
            Some(text!("; the priority of {own}, {is}, is not higher than {most} of {other}", [own, is, most, other]))
        })
    }

    /// The reason of a similar job for which no eviction was permitted.
    pub(super) fn like_failed(&self, other: JobId) -> Text {
        let similar = self.frame.refusals.iter().find(|refusal| refusal.job == other);
        let why = similar.and_then(|refusal| match refusal.gate {
            Gate::NoVictims { ancestor, .. } => Some(Case { refusal, ..*self }.why_protected(&refusal.gate, ancestor)),
            _ => None,
        });
        text!(
            "{job} is waiting: {room}no [eviction] that the rules allow frees enough for {other}, which requests no more and was tried first{why}.",
            [job = self.job(), room = lacks(self.no_room()), other = job(self.frame.job(other)), why]
        )
    }

    /// Until when the job may not evict others.
    pub(super) fn no_evictions_yet(&self, until: Time) -> Text {
        let delay = self.check(Quantity::Waited).map(|check| seconds(&check.right.value));
        let delay = delay.map(|delay| format!(" of {delay}")).unwrap_or_default();
        text!(
            "{job} is waiting: {room}it may not evict other [jobs] before {until}, when its preemption delay{delay} ends.",
            [job = self.job(), room = lacks(self.no_room()), until = clock(until), delay]
        )
    }

    /// The jobs that are protected by their minimum runtime alone, as seen from the reclaiming queue.
    pub(super) fn victims_protected(&self, until: Time) -> Text {
        let mut victims: Vec<JobId> = Vec::new();
        let too_short = |check: &&Check| check.left.quantity == Quantity::Runtime && !check.holds;
        for victim in self.refusal.checks.iter().filter(too_short).filter_map(|c| c.subject.other_job) {
            if !victims.contains(&victim) {
                victims.push(victim);
            }
        }
        let name = |victim: &JobId| job(self.frame.job(*victim));
        let victims = match victims.len() {
            0 => Text::of("the [jobs] to evict are protected by their"),
            1 => text!("{victim} is protected by its", [victim = name(&victims[0])]),
            n if n > 4 => Text::of(format!("{n} [jobs] are protected by their")),
            _ => Text::default().list(victims.iter().map(name).collect(), "and").say(" are protected by their"),
        };
        text!(
            "{job} is waiting: {room}{victims} minimum runtime (until {until}).",
            [job = self.job(), room = lacks(self.no_room()), victims, until = clock(until)]
        )
    }

    /// The numbers of an ancestor of the job's queue that may not reclaim more.
    pub(super) fn at_ancestor(&self, ancestor: Option<QueueId>) -> Option<Text> {
        let own = self.own()?;
        let ancestor = ancestor.filter(|above| *above != own)?;
        let is_it = |check: &&Check| {
            !check.holds
                && check.subject.queue == Some(ancestor)
                && check.left.quantity == Quantity::AllocatedWithJob
                && check.right.quantity == Quantity::Quota
        };
        let check = self.refusal.checks.iter().find(is_it)?;
        let r = decisive_resource(check).unwrap_or(self.resource);
        let facts = Facts::of(std::slice::from_ref(check), r);
        let usage = facts.get(Party::Queue(ancestor), Quantity::AllocatedWithJob)?;
        let quota = facts.get(Party::Queue(ancestor), Quantity::Quota)?;
        let [ancestor, own] = [ancestor, own].map(|queue| queue_of(self.frame, queue));
        Some(text!(
            "{ancestor}, the parent of {own}, would use {usage} with it, over its [quota] of {quota}",
            [ancestor, own, usage, quota = bare(quota)]
        ))
    }
}

/// *no GPU is free, and *
fn lacks(room: Option<String>) -> String {
    room.map(|room| room + ", and ").unwrap_or_default()
}
