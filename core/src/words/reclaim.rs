//! The explanation of an eviction for another queue, from the comparisons that allowed it.

use super::check::{Party, deciding, decisive_resource, table};
use super::facts::{Fact, Facts};
use super::number::{self, unit};
use super::phrases::{queue_of, reclaimed_for, split};
use super::text::{Text, bare, job, joined, text};
use super::{Cell, Control, Evidence, Explanation, RuleCard};
use crate::id::{Id, QueueId};
use crate::moment::{EventRow, Frame};
use crate::trace::{Check, EvictReason, Quantity};
use crate::units::Resource;

/// Explains an eviction for a job of another queue.
pub fn reclaimed(frame: &Frame, event: &EventRow, resource: Resource) -> Explanation {
    let mut explanation = reclaimed_by_amounts(frame, event, resource);
    if let Some(verdict) = super::ego::reclaimed(frame, event) {
        explanation.verdict = verdict;
    }
    explanation
}

/// The sides of a reclaim at the level where the paths split.
struct Sides<'a> {
    frame: &'a Frame,
    facts: Facts<'a>,
    giver: QueueId,
    taker: QueueId,
    parent: Option<QueueId>,
    resource: Resource,
    /// Whether the taker stays within its quota, which the rule requires.
    by_quota: bool,
    /// Whether the taker's priority is what allows it.
    by_priority: bool,
}

impl<'a> Sides<'a> {
    fn new(frame: &'a Frame, event: &'a EventRow, resource: Resource) -> Option<Sides<'a>> {
        let (giver, taker, parent) = split(frame, frame.queue_of(event)?, frame.names.queue_of(event.by()?)?)?;
        let is_about =
            |check: &&Check| check.holds && [check.subject.queue, check.subject.other_queue].contains(&Some(giver));
        let decisive = event.checks.iter().filter(is_about).find_map(decisive_resource);
        let resource =
            decisive.unwrap_or(if event.amount[Resource::GPU.index()] > 0.0 { Resource::GPU } else { resource });
        let by_priority = event.eviction() == Some(EvictReason::ReclaimedForPriority);
        let by_quota = by_priority || event.eviction() == Some(EvictReason::ReclaimedForQuota);
        let facts = Facts::of(&event.checks, resource);
        Some(Sides { frame, facts, giver, taker, parent, resource, by_quota, by_priority })
    }

    fn of(&self, queue: QueueId, quantity: Quantity) -> Option<Fact> {
        self.facts.get(Party::Queue(queue), quantity)
    }

    /// The giver's allocation before the first eviction.
    fn held(&self) -> Option<Fact> {
        let giver = Party::Queue(self.giver);
        self.facts.get(giver, Quantity::Before).or_else(|| self.facts.largest(giver, Quantity::AllocatedWithoutVictims))
    }

    /// The giver's allocation after the last eviction.
    fn left(&self) -> Option<Fact> {
        self.facts.smallest(Party::Queue(self.giver), Quantity::AllocatedAfter)
    }

    /// What the giver is over: its quota, or the larger of quota and fair share.
    fn floor(&self) -> Option<(&'static str, Fact)> {
        let quota = self.of(self.giver, Quantity::Quota);
        let share = self.of(self.giver, Quantity::FairShare).filter(|_| !self.by_quota || quota.is_none());
        let amount_of =
            |fact: &Option<Fact>| fact.as_ref().map_or(f64::NEG_INFINITY, |fact| fact.value.unwrap_or(f64::INFINITY));
        match share {
            Some(share) if share.value.unwrap_or(f64::INFINITY) >= amount_of(&quota) => Some(("[fair share]", share)),
            _ => quota.map(|quota| ("[quota]", quota)),
        }
    }

    /// What the taker stays within.
    fn bound(&self) -> Option<(&'static str, Fact)> {
        if self.by_quota {
            self.of(self.taker, Quantity::Quota).map(|quota| ("[quota]", quota))
        } else {
            self.of(self.taker, Quantity::FairShare).map(|share| ("[fair share]", share))
        }
    }

    /// *`team-a` was using 3 GPUs, 1 over its fair share of 2*.
    fn giver_says(&self) -> Option<Text> {
        let (used, queue) = (self.held()?, queue_of(self.frame, self.giver));
        let Some((what, floor)) = self.floor() else {
            return Some(text!("{queue} was using {used}", [queue, used]));
        };
        let over = match (used.value, floor.value) {
            (Some(used), Some(floor)) if used > floor => {
                format!(", {} over", number::amount(self.resource, used - floor))
            }
            _ => " of".to_string(),
        };
        Some(text!(
            "{queue} was using {used}{over} its {what} of {floor}",
            [queue, used, over, what, floor = bare(floor)]
        ))
    }

    /// *the priority of `team-b`, 90, is higher than 80 of `team-a`*, if that allows it.
    fn priority_says(&self) -> Option<Text> {
        let priority_of = |queue| self.of(queue, Quantity::Priority).filter(|_| self.by_priority)?.value;
        let [high, low] = [priority_of(self.taker)?, priority_of(self.giver)?].map(number::number);
        let [taker, giver] = [self.taker, self.giver].map(|queue| queue_of(self.frame, queue));
        Some(text!("the priority of {taker}, {high}, is higher than {low} of {giver}", [taker, high, low, giver]))
    }

    /// *with `b2`, `team-b` uses exactly its fair share of 2*.
    fn taker_says(&self, job_name: &str) -> Option<Text> {
        let usage = self.of(self.taker, Quantity::AllocatedWithJob)?;
        let (job, queue) = (job(job_name), queue_of(self.frame, self.taker));
        let Some((what, bound)) = self.bound() else {
            return Some(text!("with {job}, {queue} uses {usage}", [job, queue, usage]));
        };
        let uses = match (usage.value, bound.value) {
            (Some(usage), Some(bound)) if usage == bound => Text::of("exactly"),
            (Some(used), Some(bound)) if used > bound => text!("{usage}, over", [usage]),
            _ => text!("{usage}, within", [usage]),
        };
        Some(text!(
            "with {job}, {queue} uses {uses} its {what} of {bound}",
            [job, queue, uses, what, bound = bare(bound)]
        ))
    }

    /// The rule that permits the eviction: the comparison about the giver that holds, of the strategy in use.
    fn rule(&self, checks: &[Check]) -> Option<RuleCard> {
        let of_giver = |check: &&Check| {
            let is_about = [check.subject.queue, check.subject.other_queue].contains(&Some(self.giver));
            is_about && check.holds && !check.rule.0.says.is_empty()
        };
        let is_strategy = |check: &&Check| match check.right.quantity {
            Quantity::Priority => self.by_priority,
            Quantity::Quota => self.by_quota && !self.by_priority,
            _ => !self.by_quota,
        };
        let mut matching = checks.iter().filter(of_giver);
        let first = matching.clone().find(is_strategy).or_else(|| matching.next());
        first.or_else(|| deciding(checks.iter())).map(|check| RuleCard::of(check.rule))
    }

    /// The compared amounts, a row for each quantity that was recorded for a side.
    fn evidence(&self) -> Evidence {
        let decisive = match (self.by_priority, self.by_quota) {
            (true, _) => "priority",
            (false, true) => "[quota]",
            (false, false) => "[fair share]",
        };
        let priority = |queue| self.of(queue, Quantity::Priority).filter(|_| self.by_priority);
        let rows: [(&'static str, Option<Fact>, Option<Fact>); 6] = [
            ("priority", priority(self.giver), priority(self.taker)),
            ("[fair share]", self.of(self.giver, Quantity::FairShare), self.of(self.taker, Quantity::FairShare)),
            ("[quota]", self.of(self.giver, Quantity::Quota), self.of(self.taker, Quantity::Quota)),
            ("uses before", self.held(), self.of(self.taker, Quantity::Before)),
            ("uses after", self.left(), self.of(self.taker, Quantity::AllocatedWithJob)),
            (
                "saturation ratio after",
                self.of(self.giver, Quantity::Saturation),
                self.of(self.taker, Quantity::Saturation),
            ),
        ];
        let rows = rows.into_iter().filter(|(_, giver, taker)| giver.is_some() || taker.is_some());
        let rows = rows.map(|(name, giver, taker)| (name, vec![Cell::of(giver), Cell::of(taker)], name == decisive));
        let mut rows: Vec<_> = rows.collect();
        if let Some(shares) = self.fair_shares_after() {
            let index = rows.iter().position(|(name, ..)| *name == "[fair share]").map_or(0, |i| i + 1);
            rows.insert(index, ("[fair share] after", shares.to_vec(), false));
            // The first four rows are seen at once, the others with the rule.
            rows.sort_by_key(|(name, _, is_decisive)| *name == "[quota]" && !is_decisive);
        }
        let [giver, taker] = [self.giver, self.taker].map(|queue| queue_of(self.frame, queue));
        let level = self.parent.map(|parent| text!(", both below {queue}", [queue = queue_of(self.frame, parent)]));
        Evidence {
            caption: text!(
                "{giver} and {taker} compared{level}",
                [giver = giver.clone(), taker = taker.clone(), level]
            ),
            head: vec![Text::of(unit(self.resource, 2.0)), giver, taker],
            rows,
        }
    }

    /// The fair shares after the cycle, which the charts show, if one differs from that of the decision: an evicted job
    /// requests nothing until it waits again.
    fn fair_shares_after(&self) -> Option<[Cell; 2]> {
        let sides = [self.giver, self.taker];
        let after =
            |queue: QueueId| self.frame.queues.get(queue.index())?.fair_share?.get(self.resource.index()).copied();
        let shown = |queue| after(queue).map_or_else(String::new, |share| number::bound(self.resource, share));
        let is_other = |queue| self.of(queue, Quantity::FairShare).is_some_and(|fact| fact.bare() != shown(queue));
        let has_shares = sides.iter().all(|&queue| after(queue).is_some());
        (has_shares && sides.into_iter().any(is_other)).then(|| sides.map(|queue| shown(queue).into()))
    }
}

fn reclaimed_by_amounts(frame: &Frame, event: &EventRow, resource: Resource) -> Explanation {
    let name = frame.job_name(event);
    let claimant = event.by().map_or("", |by| frame.job(by));
    let evicted = reclaimed_for(frame, event);
    let Some(sides) = Sides::new(frame, event, resource) else {
        return Explanation { verdict: text!("{evicted}.", [evicted]), ..Explanation::default() };
    };
    let clauses = [sides.giver_says(), sides.taker_says(claimant), sides.priority_says()];
    let why = joined(clauses.into_iter().flatten(), "; ");
    let verdict =
        if why.is_empty() { text!("{evicted}.", [evicted]) } else { text!("{evicted}. {why}.", [evicted, why]) };
    let (giver, taker) = (frame.queue(sides.giver), frame.queue(sides.taker));
    let evidence = match sides.held() {
        Some(_) => Some(sides.evidence()),
        None => table(frame, &event.checks, sides.resource, Text::of("When it was decided")),
    };
    Explanation {
        verdict,
        evidence,
        rule: sides.rule(&event.checks),
        controls: vec![
            Control::queue(giver, sides.resource, "quota"),
            Control::queue(giver, sides.resource, "weight"),
            Control::queue(taker, sides.resource, "quota"),
            Control::job(name, "preemptible", text!("{job} preemptible", [job = job(name)])),
        ],
        outlook: after_eviction(frame, event),
        ..Explanation::default()
    }
}

/// What becomes of the job of an evicted pod.
pub fn after_eviction(frame: &Frame, event: &EventRow) -> Text {
    let name = frame.job_name(event);
    let running = frame.job_of(event).and_then(|job| frame.job_row(job)).map_or(0, |row| row.running);
    let (job, queue) = (job(name), queue_of(frame, frame.queue_of(event)));
    match running {
        0 => text!("{job} shuts down and goes back to waiting in {queue}.", [job, queue]),
        n => text!(
            "The [evicted] [pod] of {job} shuts down and goes back to waiting in {queue}; {pods} of it {run} on.",
            [job, queue, pods = number::count(n.into(), "[pod]"), run = if n == 1 { "runs" } else { "run" }]
        ),
    }
}
