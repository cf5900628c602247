//! Explanations of events: evictions, starts and others.

use super::check::Party;
use super::comparison::{Comparison, deciding};
use super::facts::Facts;
use super::number::{self, count, with_unit};
use super::others::not_chosen;
use super::phrases::{marked, node_state, reason};
use super::reclaim::reclaimed;
use super::text::Text;
use super::{Control, Entry, Explanation, RuleCard, Selection, node_scores, requested};
use crate::id::{Id, JobId};
use crate::moment::{Amounts, EventRow, EventWord, Frame, What};
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
        What::Event(of) => other(frame, event, of),
        What::Mark(_) => Explanation { verdict: marked(frame, event).say("."), ..Explanation::default() },
    };
    if let Some(priorities) = super::yunikorn::priorities(frame, event) {
        explanation.verdict = explanation.verdict.say(" ").then(priorities);
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
        None => Text::of(format!("{kind}, cycle {}", frame.cycle)),
        Some(job) => Text::default().job(frame.job(job)).say(format!(" · {kind}, cycle {}", frame.cycle)),
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
        EvictReason::StaleGang => stopped(frame, event, format!(" was [evicted]: {}.", reason(why))),
        EvictReason::NodeLost | EvictReason::Withdrawn => {
            stopped(frame, event, format!(" was stopped: {}.", reason(why)))
        }
    }
}

/// An eviction that nothing was compared for.
fn stopped(frame: &Frame, event: &EventRow, why: String) -> Explanation {
    let verdict = Text::default().job(frame.job_name(event)).say(why);
    Explanation { verdict, ..Explanation::default() }
}

/// An eviction without a claimant: a queue exceeds its limit.
fn above_limit(frame: &Frame, event: &EventRow) -> Explanation {
    let plain = || {
        Text::default().job(frame.job_name(event)).say(format!(" was [evicted]: {}.", reason(EvictReason::AboveLimit)))
    };
    let of_limit = || super::yunikorn::above_limit(frame, event);
    let verdict = super::ego::above_limit(frame, event).or_else(of_limit).unwrap_or_else(plain);
    Explanation { verdict, ..Explanation::default() }
}

/// All evictions for the same job, in the order of the decisions; `None` if there is only one.
fn evictions_in_order(frame: &Frame, event: &EventRow) -> Option<(&'static str, Vec<Entry>)> {
    let by = event.by().filter(|_| event.word().is_eviction())?;
    let mut entries = Vec::new();
    let evicted = frame.events.iter().filter(|other| other.word().is_eviction());
    for other in evicted.filter(|other| other.by() == Some(by)) {
        let name = frame.job_name(other);
        let mut text = Text::default().job(name);
        if let Some((_, n)) = other.pod().and_then(|pod| frame.names.pod(pod).rsplit_once('/')) {
            text = text.say(format!(", [pod] {n}"));
        }
        let row = frame.jobs.iter().find(|job| job.name == name);
        let submitted = row.map(|job| format!(", submitted {}", number::time(job.submit_ms)));
        entries.push(Entry {
            when: format!("{}.", entries.len() + 1),
            text: text.say(submitted.unwrap_or_default()),
            selection: Some(Selection::Job(name.to_string())),
            current: other == event,
            ..Entry::default()
        });
    }
    (entries.len() > 1).then_some(("[Evicted] for the same [job], in this order", entries))
}

fn preempted(frame: &Frame, event: &EventRow) -> Explanation {
    let name = frame.job_name(event);
    let queue = frame.queue_of(event).map_or("", |queue| frame.queue(queue));
    let label = |job: &str| Text::of("priority of ").job(job);
    let mut controls = vec![Control::job(name, "priority", label(name))];
    let mut verdict = Text::default().job(name).say(" was [evicted]");
    if let Some(by) = event.by() {
        let taker = frame.job(by);
        controls.push(Control::job(taker, "priority", label(taker)));
        verdict = verdict.say(" so that ").job(taker).say(" can run");
        let facts = Facts::of(&event.checks, Resource::GPU);
        let of = |job: JobId| facts.get(Party::Job(job), Quantity::Priority);
        verdict = match (of(by), frame.job_of(event).and_then(of)) {
            (Some(high), Some(low)) => {
                let verdict = verdict.say(": ").job(taker).say(" has priority ").number(high);
                verdict.say(", ").job(name).say(" has ").number(low).say(", both in ").queue(queue)
            }
            _ => verdict.say(": ").job(taker).say(" has the higher priority in ").queue(queue),
        };
    }
    Explanation {
        verdict: verdict.say("."),
        controls,
        outlook: Text::default().job(name).say(" shuts down, then waits again."),
        ..Explanation::default()
    }
}

fn moved(frame: &Frame, event: &EventRow) -> Explanation {
    let mut verdict = Text::default().job(frame.job_name(event)).say(" is moved");
    if let Some(node) = event.node() {
        verdict = verdict.say(" from ").node(frame.node(node));
    }
    if let Some(by) = event.by() {
        verdict = verdict.say(" so that ").job(frame.job(by)).say(" fits");
    }
    // The scheduler deletes the pod and relies on a controller to create it again.
    if event.for_good {
        return Explanation { verdict: verdict.say(", but its [pods] are not recreated."), ..Explanation::default() };
    }
    Explanation {
        verdict: verdict.say(". It restarts on another [node]; its [queue] loses nothing."),
        outlook: Text::of("Room for it is already [claimed]."),
        ..Explanation::default()
    }
}

fn started(frame: &Frame, event: &EventRow) -> Explanation {
    let job = frame.job_of(event);
    let is_of_job = |other: &&EventRow| other.word() == EventWord::Started && frame.job_of(other) == job;
    let pods = frame.events.iter().filter(is_of_job);
    let (n, amount) = pods.fold((0u64, Amounts::default()), |(n, mut amount), pod| {
        amount.iter_mut().zip(pod.amount.iter()).for_each(|(sum, amount)| *sum += amount);
        (n + 1, amount)
    });
    let requested = requested::named(frame.names.resource, &amount);
    let mut verdict = Text::default().job(frame.job_name(event)).say(" started");
    if n > 1 {
        verdict = verdict.say(format!(" with {}", number::count(n, "[pod]")));
    } else if let Some(node) = event.node() {
        verdict = verdict.say(" on ").node(frame.node(node));
    }
    if let Some((resource, amount)) = requested {
        verdict = verdict.say(format!(", {}", with_unit(resource, amount)));
    }
    let Some(queue) = frame.queue_of(event).and_then(|queue| frame.queues.get(queue.index())) else {
        return Explanation { verdict: verdict.say("."), ..Explanation::default() };
    };
    let resource = requested.map_or(frame.names.resource, |(resource, _)| resource);
    let r = resource.index();
    // GPUs need no unit: the sentence has just named some.
    let shown = |amount| if resource == Resource::GPU { number::number(amount) } else { with_unit(resource, amount) };
    verdict = verdict.say(": ").queue(&queue.name).say(format!(" now uses {}", shown(queue.allocated[r])));
    let divides = Policy::described(&frame.policy).is_none_or(|policy| policy.queue.weight.is_some());
    verdict = match (queue.fair_share.as_ref().and_then(|share| share[r]), queue.quota[r]) {
        // A fair share of zero is not mentioned.
        (Some(0.0), _) if !divides => verdict.say("."),
        (Some(share), _) => verdict.say(format!(" of its [fair share] of {}.", shown(share))),
        (None, Some(quota)) => verdict.say(format!(" of its [quota] of {}.", shown(quota))),
        (None, None) => verdict.say("."),
    };
    Explanation { verdict, ..Explanation::default() }
}

/// A job that ended because its evicted pods were not replaced.
pub fn gone(frame: &Frame, event: &EventRow) -> Explanation {
    let name = frame.job_name(event);
    let mut verdict = Text::default().job(name).say(" was [evicted] at ").say(number::time(event.time_ms));
    if let Some(by) = event.by() {
        verdict = verdict.say(" for ").job(frame.job(by));
    }
    let why = event.eviction().map_or("", reason);
    let verdict =
        verdict.say(format!(": {why}. Its [pods] are not recreated, so the [job] is over and its work is lost."));
    Explanation {
        about: Text::default().job(name).say(" · [evicted]"),
        verdict,
        controls: vec![Control::job(name, "restart", Text::of("restart of ").job(name))],
        ..Explanation::default()
    }
}

/// Events other than placements and evictions.
fn other(frame: &Frame, row: &EventRow, event: Event) -> Explanation {
    let queue = frame.queue_of(row).map_or("", |queue| frame.queue(queue));
    let job = Text::default().job(frame.job_name(row));
    let node = frame.node_name(row);
    let amount = requested::requested(frame, &row.amount);
    let mut outlook = Text::default();
    let verdict = match event {
        Event::Submitted { .. } => {
            outlook = Text::of("It is considered for the first time in the next cycle.");
            let requests = if amount.is_empty() { ".".into() } else { format!(" and requests {amount}.") };
            job.say(" was submitted to ").queue(queue).say(requests)
        }
        Event::Joined { pods, .. } => {
            outlook = Text::of("They are considered for the first time in the next cycle.");
            let pods = count(u64::from(pods), "[pod]");
            Text::of(format!("{pods} joined ")).then(job).say(" in ").queue(queue).say(".")
        }
        Event::Claimed { .. } => {
            let starts = Text::of(match row.for_gang {
                true => "Its [pods] start when all of them have room.",
                false => "It starts in the first cycle in which that room is free.",
            });
            let too_little = super::yunikorn::freed_too_little(frame, &row.checks);
            outlook = too_little.map_or(starts, |text| Text::of("It may not start then: ").then(text));
            let named = requested::named(frame.names.resource, &row.amount);
            let is_one = named.is_none_or(|(resource, amount)| number::in_unit(resource, amount) == 1.0);
            let room = if amount.is_empty() { "Room".into() } else { amount };
            claimed(Text::of(format!("{room} on ")).node(node), is_one, row, job)
        }
        Event::Unclaimed { by: None, .. } => {
            job.say(" lost its reservation on ").node(node).say(": its gang did not get room for all [pods] in time.")
        }
        Event::Unclaimed { by: Some(by), .. } => job
            .say(" lost its claim on ")
            .node(node)
            .say(", made earlier in this cycle; the room is now [claimed] for ")
            .job(frame.job(by))
            .say("."),
        Event::Bound { .. } => job.say(" started on ").node(node).say("."),
        Event::Found { .. } => job.say(" runs on ").node(node).say(" already: it was not placed by this scheduler."),
        Event::DevicesChanged { .. } => {
            job.say(" uses other devices of ").node(node).say(" from now on: the [node] has fewer or more than before.")
        }
        Event::Evicted { reason: why, .. } => job.say(format!(" was [evicted]: {}.", reason(why))),
        Event::Gone { .. } => job.say(" has left ").node(node).say("; its place is free."),
        Event::Requeued { .. } => job.say(" is waiting again in ").queue(queue).say("."),
        Event::NotReplaced { .. } => job.say(" lost a [pod] that is not recreated."),
        Event::JobEvicted { .. } => job.say(" is over: its [evicted] [pods] are not recreated."),
        Event::Offered { partition, .. } => {
            job.say(" found no place in its [node] pool and is now tried in ").say(frame.names.pool(partition)).say(".")
        }
        Event::SetAside { .. } => job
            .say(" found no place in this cycle; with scheduling-backoff 1 it is not tried again in its [node] pool."),
        Event::Finished { .. } => job.say(" finished on ").node(node).say("."),
        Event::JobDone { .. } => job.say(" is done: its last [pod] finished."),
        Event::Changed { node: Some((_, state)), .. } => {
            Text::default().node(node).say(format!(" {} by an entry of the scenario's timeline.", node_state(state)))
        }
        Event::Changed { ended: Some(_), .. } => job.say(" was ended by an entry of the scenario's timeline."),
        Event::Changed { node: None, .. } => {
            Text::of("The configuration changed by an entry of the scenario's timeline.")
        }
    };
    Explanation { verdict, outlook, ..Explanation::default() }
}

/// The sentence about a reservation and its end.
fn claimed(room: Text, is_one: bool, row: &EventRow, job: Text) -> Text {
    if row.for_gang {
        return room.say(" reserved for ").then(job).say(" until there is room for its whole gang.");
    }
    let is = if is_one { "is" } else { "are" };
    room.say(format!(" {is} [claimed] for ")).then(job).say(" until the [pods] that use it have shut down.")
}
