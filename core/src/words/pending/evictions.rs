//! Sentences about evictions that would help and are not allowed.

use super::super::check::{Party, decisive_resource, seconds, value};
use super::super::facts::Facts;
use super::super::number::count;
use super::super::outlook::clock;
use super::super::protection::protection;
use super::super::text::Text;
use super::Case;
use crate::id::{JobId, QueueId};
use crate::time::Time;
use crate::trace::{Check, Gate, Quantity};

impl Case<'_> {
    /// Why no eviction helps: the last failed comparison, which protects the closest candidates.
    pub(super) fn no_victims(&self, gate: &Gate, tried: u32, ancestor: Option<QueueId>) -> Text {
        let why = self.why_protected(gate, ancestor);
        let is_dominant = self.refusal.gate == *gate;
        // Without other numbers, the sentence gives those of the room.
        let room = self.in_use().filter(|_| is_dominant && why == Text::default());
        let room = room.or_else(|| self.no_room().filter(|_| is_dominant));
        let text = self.job().say(no_eviction(room));
        let sets = count(tried.into(), "possible set");
        let text = if tried > 0 { text.say(format!(" ({sets} of [evictions] tried)")) } else { text };
        let why = if why == Text::default() { self.nothing_to_move(gate).unwrap_or_default() } else { why };
        text.then(why).say(".")
    }

    /// Why there is nothing that could be evicted or moved, as a further sentence without full stop.
    fn nothing_to_move(&self, gate: &Gate) -> Option<Text> {
        let failed = |left: Quantity, right: Quantity| {
            let is_it = |check: &&Check| !check.holds && check.left.quantity == left && check.right.quantity == right;
            self.refusal.checks.iter().filter(|_| self.refusal.gate == *gate).find(is_it)
        };
        if let Some(check) = failed(Quantity::PreemptibleJobs, Quantity::Constant) {
            let text = Text::of(". No other preemptible [job] runs");
            return Some(match check.subject.queue {
                Some(queue) => text.say(" in ").queue(self.frame.queue(queue)),
                None => text,
            });
        }
        let check = failed(Quantity::Priority, Quantity::Priority).filter(|c| c.subject.other_job.is_some())?;
        let [own, lowest] = [&check.left, &check.right].map(|term| value(term, None));
        let text = Text::of(". In ").queue(self.frame.queue(check.subject.queue?));
        Some(text.say(format!(", no preemptible [job] has a lower priority than {own}; the lowest is {lowest}")))
    }

    /// What protects the possible victims, as a further sentence without full stop.
    pub(super) fn why_protected(&self, gate: &Gate, ancestor: Option<QueueId>) -> Text {
        // Checks belong to the dominant reason, except that room has none of these.
        let is_dominant = self.refusal.gate == *gate || matches!(self.refusal.gate, Gate::NoNode { .. });
        let failed = self.refusal.checks.iter().filter(|check| is_dominant && !check.holds);
        let protects = |check: &Check| protection(self.frame, check);
        let above = self.at_ancestor(ancestor).filter(|_| is_dominant);
        match (above, failed.filter_map(protects).next()) {
            (Some(above), Some(why)) => Text::of(". ").then(above).say("; ").then(why),
            (Some(why), None) | (None, Some(why)) => Text::of(". ").then(why).then(self.priority_is_too_low(gate)),
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

    /// The reason of a similar job for which no eviction was permitted.
    pub(super) fn like_failed(&self, other: JobId) -> Text {
        let text = self.job().say(no_eviction(self.no_room())).say(" for ");
        let text = text.job(self.frame.job(other)).say(", which requests no more and was tried first");
        let Some(refusal) = self.frame.refusals.iter().find(|refusal| refusal.job == other) else {
            return text.say(".");
        };
        let like = Case { refusal, ..*self };
        match refusal.gate {
            Gate::NoVictims { ancestor, .. } => text.then(like.why_protected(&refusal.gate, ancestor)).say("."),
            _ => text.say("."),
        }
    }

    /// Until when the job may not evict others.
    pub(super) fn no_evictions_yet(&self, until: Time) -> Text {
        let room = self.no_room().map(|room| room + ", and ").unwrap_or_default();
        let delay = self.check(Quantity::Waited).map(|check| seconds(&check.right.value));
        let delay = delay.map(|delay| format!(" of {delay}")).unwrap_or_default();
        let until = clock(until);
        self.job().say(format!(
            " is waiting: {room}it may not evict other [jobs] before {until}, when its preemption delay{delay} ends."
        ))
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
        let until = format!(" (until {})", clock(until));
        let room = self.no_room().map(|room| room + ", and ").unwrap_or_default();
        let text = self.job().say(format!(" is waiting: {room}"));
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
    pub(super) fn at_ancestor(&self, ancestor: Option<QueueId>) -> Option<Text> {
        let own = self.own()?;
        let above = ancestor.filter(|above| *above != own)?;
        let is_it = |check: &&Check| {
            !check.holds
                && check.subject.queue == Some(above)
                && check.left.quantity == Quantity::AllocatedWithJob
                && check.right.quantity == Quantity::Quota
        };
        let check = self.refusal.checks.iter().find(is_it)?;
        let r = decisive_resource(check).unwrap_or(self.resource);
        let facts = Facts::of(std::slice::from_ref(check), r);
        let with = facts.get(Party::Queue(above), Quantity::AllocatedWithJob)?;
        let quota = facts.get(Party::Queue(above), Quantity::Quota)?;
        let text = Text::default().queue(self.frame.queue(above)).say(", the parent of ");
        let text = text.queue(self.frame.queue(own)).say(", would use ").amount(with);
        Some(text.say(" with it, over its [quota] of ").number(quota))
    }
}

/// *is waiting: no GPU is free, and no allowed eviction frees enough*
fn no_eviction(room: Option<String>) -> String {
    let room = room.map(|room| room + ", and ").unwrap_or_default();
    format!(" is waiting: {room}no allowed [eviction] frees enough")
}
