//! Explanations of events: evictions, starts and others.

use super::check::{Comparison, Party, deciding};
use super::facts::Facts;
use super::number::{self, count, with_unit};
use super::others::not_chosen;
use super::phrases::{marked, node_state, queue_of, reason};
use super::reclaim::reclaimed;
use super::text::{self, Text, bare, job, node, queue, text};
use super::{Control, Explanation, ListEntry, RuleCard, Selection, node_scores, phrases};
use crate::id::{Id, JobId};
use crate::moment::{Amounts, EventRow, EventWord, Frame, QueueRow, What};
use crate::policy::Policy;
use crate::trace::{Event, EvictReason, Quantity};
use crate::units::Resource;

/// Explains an event.
pub fn event(frame: &Frame, event: &EventRow, resource: Resource) -> Explanation {
    let mut explanation = match event.what {
        What::Event(Event::Evicted { reason, .. }) => evicted(frame, event, reason, resource),
        What::Event(Event::Bound { node, .. }) => {
            Explanation { evidence: node_scores::table(frame, node, &event.checks), ..started(frame, event) }
        }
        What::Event(occurrence) => other(frame, event, occurrence),
        What::Mark(_) => {
            Explanation { verdict: text!("{mark}.", [mark = marked(frame, event)]), ..Explanation::default() }
        }
    };
    if let Some(priorities) = super::yunikorn::priorities(frame, event) {
        explanation.verdict = text!("{verdict} {priorities}", [verdict = explanation.verdict, priorities]);
    }
    if event.for_good {
        explanation.outlook = Text::of("The [pod] is not recreated, and its work is lost.");
    }
    let (kind, rule) = match event.what {
        What::Mark(mark) => ("note".to_string(), Some(RuleCard::of(mark.rule))),
        What::Event(_) => {
            explanation.checks = Comparison::all(frame, &event.checks, |check| check.holds);
            (name_of(event.word()), deciding(event.checks.iter().rev()).map(|check| RuleCard::of(check.rule)))
        }
    };
    explanation.about = match frame.job_of(event) {
        None => text!("{kind}, cycle {n}", [kind, n = frame.cycle]),
        Some(id) => {
            text!("{job} · {kind}, cycle {n}", [job = job(frame.job(id)), kind, n = frame.cycle])
        }
    };
    explanation.when = number::time(event.time_ms);
    explanation.list = evictions_in_order(frame, event);
    explanation.others = not_chosen(frame, event);
    explanation.also.extend(super::search::of_eviction(frame, event));
    explanation.rule = explanation.rule.or(rule);
    explanation
}

/// The name of an event, with marks for the words that a policy names itself.
fn name_of(word: EventWord) -> String {
    match word {
        EventWord::Claimed => "[claimed]".into(),
        EventWord::Evicted => "[evicted]".into(),
        EventWord::JobEvicted => "[job] [evicted]".into(),
        EventWord::Node => "[node]".into(),
        _ => word.spelled(),
    }
}

fn evicted(frame: &Frame, event: &EventRow, why: EvictReason, resource: Resource) -> Explanation {
    match why {
        EvictReason::ReclaimedForFairShare | EvictReason::ReclaimedForQuota | EvictReason::ReclaimedForPriority => {
            reclaimed(frame, event, resource)
        }
        EvictReason::Preempted => preempted(frame, event),
        EvictReason::Moved => moved(frame, event),
        EvictReason::AboveLimit => above_limit(frame, event),
        EvictReason::StaleGang => verdict_only(evicted_because(frame, event, why)),
        EvictReason::NodeLost | EvictReason::Withdrawn => {
            let job = job(frame.job_name(event));
            verdict_only(text!("{job} was stopped: {why}.", [job, why = reason(why)]))
        }
    }
}

/// An explanation that needs no more than a sentence.
fn verdict_only(verdict: Text) -> Explanation {
    Explanation { verdict, ..Explanation::default() }
}

/// An eviction that nothing was compared for.
fn evicted_because(frame: &Frame, event: &EventRow, why: EvictReason) -> Text {
    text!("{job} was [evicted]: {why}.", [job = job(frame.job_name(event)), why = reason(why)])
}

/// An eviction without a claimant: a queue exceeds its limit.
fn above_limit(frame: &Frame, event: &EventRow) -> Explanation {
    let of_ego = super::ego::above_limit(frame, event);
    let of_yunikorn = || super::yunikorn::above_limit(frame, event);
    let plain = || evicted_because(frame, event, EvictReason::AboveLimit);
    verdict_only(of_ego.or_else(of_yunikorn).unwrap_or_else(plain))
}

/// All evictions for the same job, in the order of the decisions; `None` if there is only one.
fn evictions_in_order(frame: &Frame, event: &EventRow) -> Option<(&'static str, Vec<ListEntry>)> {
    let evictor = event.by().filter(|_| event.word().is_eviction())?;
    let mut entries = Vec::new();
    let evicted = frame.events.iter().filter(|other| other.word().is_eviction());
    for other in evicted.filter(|other| other.by() == Some(evictor)) {
        let name = frame.job_name(other);
        let pod = other.pod().and_then(|pod| frame.names.pod(pod).rsplit_once('/'));
        let pod = pod.map_or(String::new(), |(_, n)| format!(", [pod] {n}"));
        let row = frame.job_of(other).and_then(|job| frame.job_row(job));
        let submitted = row.map_or(String::new(), |job| format!(", submitted {}", number::time(job.submit_ms)));
        entries.push(ListEntry {
            when: format!("{}.", entries.len() + 1),
            text: text!("{job}{pod}{submitted}", [job = job(name), pod, submitted]),
            selection: Some(Selection::Job(name.to_string())),
            current: other.what == event.what,
            ..ListEntry::default()
        });
    }
    (entries.len() > 1).then_some(("[Evicted] for the same [job], in this order", entries))
}

fn preempted(frame: &Frame, event: &EventRow) -> Explanation {
    let name = frame.job_name(event);
    let priority = |name: &str| Control::job(name, "priority", text!("priority of {job}", [job = job(name)]));
    let victim = job(name);
    let facts = Facts::of(&event.checks, Resource::GPU);
    let priority_of = |job: JobId| facts.get(Party::Job(job), Quantity::Priority).map(bare);
    let why = event.by().map(|evictor| {
        let (victim, taker, queue) = (job(name), job(frame.job(evictor)), queue_of(frame, frame.queue_of(event)));
        match (priority_of(evictor), frame.job_of(event).and_then(priority_of)) {
            (Some(high), Some(low)) => text!(
                " so that {taker} can run: {taker} has priority {high}, {victim} has {low}, both in {queue}",
                [taker, high, victim, low, queue]
            ),
            _ => {
                text!(" so that {taker} can run: {taker} has the higher priority in {queue}", [taker, queue])
            }
        }
    });
    Explanation {
        verdict: text!("{victim} was [evicted]{why}.", [victim, why]),
        controls: std::iter::once(name).chain(event.by().map(|by| frame.job(by))).map(priority).collect(),
        outlook: super::reclaim::after_eviction(frame, event),
        ..Explanation::default()
    }
}

fn moved(frame: &Frame, event: &EventRow) -> Explanation {
    let job = job(frame.job_name(event));
    let from = event.node().map(|id| text!(" from {node}", [node = node(frame.node(id))]));
    let so_that = event.by().map(|by| text!(" so that {taker} fits", [taker = text::job(frame.job(by))]));
    // The scheduler deletes the pod and relies on a controller to create it again.
    let (then, outlook) = match event.for_good {
        true => (", but its [pods] are not recreated.", Text::default()),
        false => (
            ". It restarts on another [node]; its [queue] loses nothing.",
            Text::of("Room for it is already [claimed]."),
        ),
    };
    let verdict = text!("{job} is moved{from}{so_that}{then}", [job, from, so_that, then]);
    Explanation { verdict, outlook, ..Explanation::default() }
}

fn started(frame: &Frame, event: &EventRow) -> Explanation {
    let started_job = frame.job_of(event);
    let is_of_job = |other: &&EventRow| other.word() == EventWord::Started && frame.job_of(other) == started_job;
    let pods = frame.events.iter().filter(is_of_job);
    let (n, amount) = pods.fold((0u64, Amounts::default()), |(n, mut amount), pod| {
        amount.iter_mut().zip(pod.amount.iter()).for_each(|(sum, amount)| *sum += amount);
        (n + 1, amount)
    });
    let requested = phrases::requested_amount(frame.names.resource, &amount);
    let place = match event.node() {
        _ if n > 1 => text!(" with {pods}", [pods = count(n, "[pod]")]),
        Some(id) => text!(" on {node}", [node = node(frame.node(id))]),
        None => Text::default(),
    };
    let amount = requested.map_or(String::new(), |(resource, amount)| with_unit(resource, amount));
    let amount = phrases::after_comma(&amount);
    let resource = requested.map_or(frame.names.resource, |(resource, _)| resource);
    let uses = frame.queue_of(event).and_then(|queue| frame.queues.get(queue.index()));
    let uses = uses.map(|queue| now_uses(frame, queue, resource));
    verdict_only(text!("{job} started{place}{amount}{uses}.", [job = job(frame.job_name(event)), place, amount, uses]))
}

/// *: `gold` now uses 3 of its fair share of 4*
fn now_uses(frame: &Frame, row: &QueueRow, resource: Resource) -> Text {
    let r = resource.index();
    // GPUs need no unit: the sentence has just named some.
    let shown = |amount| if resource == Resource::GPU { number::number(amount) } else { with_unit(resource, amount) };
    let divides = Policy::described(&frame.policy).is_none_or(|policy| policy.queue.weight.is_some());
    let used = row.allocated[r];
    let bound = match (row.fair_share.as_ref().and_then(|share| share[r]), row.quota[r]) {
        // A fair share of zero is not mentioned.
        (Some(0.0), _) if !divides => None,
        (Some(share), _) => Some(("[fair share]", share)),
        (None, quota) => quota.map(|quota| ("[quota]", quota)),
    };
    let bound = bound.map_or(String::new(), |(what, bound)| match shown(used - bound) {
        excess if used > bound && excess != shown(0.0) => {
            format!(", {excess} more than its {what} of {}", shown(bound))
        }
        _ => format!(" of its {what} of {}", shown(bound)),
    });
    text!(": {queue} now uses {amount}{bound}", [queue = queue(&row.name), amount = shown(used), bound])
}

/// A job that ended because its evicted pods were not replaced.
pub fn gone(frame: &Frame, event: &EventRow) -> Explanation {
    let name = frame.job_name(event);
    let (time, why) = (number::time(event.time_ms), event.eviction().map_or("", reason));
    let beneficiary = event.by().map(|by| text!(" for {job}", [job = job(frame.job(by))]));
    Explanation {
        about: text!("{job} · [evicted]", [job = job(name)]),
        verdict: text!(
            "{job} was [evicted] at {time}{beneficiary}: {why}. Its [pods] are not recreated, so the [job] is over and its work is lost.",
            [job = job(name), time, beneficiary, why]
        ),
        controls: vec![Control::job(name, "restart", text!("restart of {job}", [job = job(name)]))],
        ..Explanation::default()
    }
}

/// Events other than placements and evictions.
fn other(frame: &Frame, row: &EventRow, event: Event) -> Explanation {
    let job = job(frame.job_name(row));
    let queue = queue_of(frame, frame.queue_of(row));
    let node = node(frame.node_name(row));
    let amount = phrases::requested(frame, &row.amount);
    let verdict = match event {
        Event::Submitted { .. } if amount.is_empty() => {
            text!("{job} was submitted to {queue}.", [job, queue])
        }
        Event::Submitted { .. } => {
            text!("{job} was submitted to {queue} and requests {amount}.", [job, queue, amount])
        }
        Event::Joined { pods, .. } => {
            text!("{pods} joined {job} in {queue}.", [pods = count(pods.into(), "[pod]"), job, queue])
        }
        Event::Claimed { .. } => claimed(frame, row),
        Event::Unclaimed { by: None, .. } => text!(
            "{job} lost its reservation on {node}: its gang did not get room for all [pods] in time.",
            [job, node]
        ),
        Event::Unclaimed { by: Some(by), .. } => text!(
            "{job} lost its claim on {node}, made earlier in this cycle; the room is now [claimed] for {taker}.",
            [job, node, taker = text::job(frame.job(by))]
        ),
        Event::Bound { .. } => text!("{job} started on {node}.", [job, node]),
        Event::Found { .. } => {
            text!("{job} runs on {node} already: it was not placed by this scheduler.", [job, node])
        }
        Event::DevicesChanged { .. } => text!(
            "{job} uses other devices of {node} from now on: the [node] has fewer or more than before.",
            [job, node]
        ),
        Event::Evicted { reason: why, .. } => text!("{job} was [evicted]: {why}.", [job, why = reason(why)]),
        Event::Gone { .. } => text!("{job} has left {node}; its place is free.", [job, node]),
        Event::Requeued { .. } => text!("{job} is waiting again in {queue}.", [job, queue]),
        Event::NotReplaced { .. } => text!("{job} lost a [pod] that is not recreated.", [job]),
        Event::JobEvicted { .. } => text!("{job} is over: its [evicted] [pods] are not recreated.", [job]),
        Event::Offered { partition, .. } => text!(
            "{job} found no place in its [node] pool and is now tried in {pool}.",
            [job, pool = frame.names.pool(partition)]
        ),
        Event::SetAside { .. } => text!(
            "{job} found no place in this cycle; with scheduling-backoff 1 it is not tried again in its [node] pool.",
            [job]
        ),
        Event::Finished { .. } => text!("{job} finished on {node}.", [job, node]),
        Event::JobDone { .. } => text!("{job} is done: its last [pod] finished.", [job]),
        Event::Changed { node: Some((_, state)), .. } => {
            text!("{node} {state} by an entry of the scenario's timeline.", [node, state = node_state(state)])
        }
        Event::Changed { ended: Some(_), .. } => {
            text!("{job} was ended by an entry of the scenario's timeline.", [job])
        }
        Event::Changed { node: None, .. } => {
            text!("The configuration changed by an entry of the scenario's timeline.")
        }
    };
    Explanation { verdict, outlook: after(frame, row, event), ..Explanation::default() }
}

/// What follows such an event.
fn after(frame: &Frame, row: &EventRow, event: Event) -> Text {
    match event {
        Event::Submitted { .. } => Text::of("It is considered for the first time in the next cycle."),
        Event::Joined { .. } => Text::of("They are considered for the first time in the next cycle."),
        Event::Claimed { .. } => match super::yunikorn::freed_too_little(frame, &row.checks) {
            Some(why) => text!("It may not start then: {why}", [why]),
            None if row.for_gang => Text::of("Its [pods] start when all of them have room."),
            None => Text::of("It starts in the first cycle in which that room is free."),
        },
        _ => Text::default(),
    }
}

/// The sentence about a reservation and its end.
fn claimed(frame: &Frame, row: &EventRow) -> Text {
    let (job, node) = (job(frame.job_name(row)), node(frame.node_name(row)));
    let named = phrases::requested_amount(frame.names.resource, &row.amount);
    let room = named.map_or("Room".into(), |(resource, amount)| with_unit(resource, amount));
    if row.for_gang {
        return text!("{room} on {node} reserved for {job} until there is room for its whole gang.", [room, node, job]);
    }
    let is_one = named.is_none_or(|(resource, amount)| number::in_unit(resource, amount) == 1.0);
    let verb = if is_one { "is" } else { "are" };
    text!(
        "{room} on {node} {verb} [claimed] for {job} until the [pods] that use it have shut down.",
        [room, node, verb, job]
    )
}
