//! Explanations of events: evictions, starts and others.

use super::check::{Party, decisive_resource, says, value_of};
use super::number::{self, GPU, amount, bound, count, unit, with_unit};
use super::others::not_chosen;
use super::phrases::{marked, node_state, reason, reclaimed_for, split};
use super::text::Text;
use super::{Control, Entry, Evidence, Explanation, RuleCard, Selection};
use crate::id::{Id, JobId, QueueId};
use crate::moment::states::saturation;
use crate::moment::{EventRow, EventWord, Frame, QueueRow, What};
use crate::policy::Policy;
use crate::trace::{Check, Event, EvictReason, Quantity};

/// Explains an event.
pub fn event(frame: &Frame, event: &EventRow, resource: u8) -> Explanation {
    let mut explanation = match event.what {
        What::Event(Event::Evicted { reason, .. }) => evicted(frame, event, reason, resource),
        What::Event(Event::Bound { .. }) => started(frame, event),
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
            explanation.checks = event.checks.iter().map(|check| says(frame, check)).collect();
            let rules = event.checks.iter().rev().map(|check| check.rule);
            (name_of(event.word()), rules.filter(|rule| !rule.0.says.is_empty()).map(RuleCard::of).next())
        }
    };
    explanation.about = match frame.job_of(event) {
        None => Text::of(format!("{kind}, cycle {}", frame.cycle)),
        Some(job) => Text::default().job(frame.job(job)).say(format!(" · {kind}, cycle {}", frame.cycle)),
    };
    explanation.when = number::time(event.time_ms);
    explanation.list = evictions_in_order(frame, event);
    explanation.others = not_chosen(frame, event);
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

fn evicted(frame: &Frame, event: &EventRow, why: EvictReason, resource: u8) -> Explanation {
    match why {
        EvictReason::ReclaimedForFairShare | EvictReason::ReclaimedForQuota => {
            reclaimed(frame, event, resource)
        }
        EvictReason::Preempted => preempted(frame, event),
        EvictReason::Moved => moved(frame, event),
        EvictReason::AboveLimit => above_limit(frame, event),
        EvictReason::StaleGang | EvictReason::NodeLost | EvictReason::Withdrawn => Explanation {
            verdict: Text::default()
                .job(frame.job_name(event))
                .say(format!(" was [evicted]: {}.", reason(why))),
            ..Explanation::default()
        },
    }
}

/// An eviction for nobody: a queue exceeds its limit.
fn above_limit(frame: &Frame, event: &EventRow) -> Explanation {
    let plain = || {
        Text::default()
            .job(frame.job_name(event))
            .say(format!(" was [evicted]: {}.", reason(EvictReason::AboveLimit)))
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

/// The sides of a reclaim at the level where the paths split.
struct Sides<'a> {
    giver: &'a QueueRow,
    taker: &'a QueueRow,
    parent: Option<&'a QueueRow>,
    /// Allocation of the giver at the decision, and the rest without all evictions for the same job.
    held: f64,
    left: f64,
    /// Allocation of the taker at the decision, and with the job.
    before: f64,
    with_job: f64,
    resource: u8,
    /// The rule that permits reclaiming from the giver, else the first one.
    rule: Option<RuleCard>,
}

impl<'a> Sides<'a> {
    fn new(frame: &'a Frame, event: &EventRow, resource: u8) -> Option<Sides<'a>> {
        let by = event.by()?;
        let (giver, taker, parent) = split(frame, frame.queue_of(event)?, frame.names.queue_of(by)?)?;
        let about = |check: &&Check, queue: QueueId| {
            check.subject.queue == Some(queue) || check.subject.other_queue == Some(queue)
        };
        let decisive = event.checks.iter().filter(|check| about(check, giver)).find_map(decisive_resource);
        let resource = decisive.unwrap_or(if event.gpus > 0.0 { GPU } else { resource.min(2) });
        let r = usize::from(resource.min(2));
        // Units are reclaimed one by one; the amount before the first is the largest.
        let of_check = |quantities: &[Quantity], queue: QueueId| {
            let known = event.checks.iter().filter(|check| about(check, queue));
            let values = known.flat_map(|check| {
                let of = |quantity: &Quantity| value_of(check, Party::Queue(queue), *quantity, resource);
                quantities.iter().filter_map(of)
            });
            values.max_by(f64::total_cmp)
        };
        let row = |queue: QueueId| frame.queues.get(queue.index());
        let (from, to) = (row(giver)?, row(taker)?);
        let went = evicted_below(frame, giver, |_| true);
        let held = of_check(&[Quantity::Allocated, Quantity::AllocatedWithoutVictims], giver)
            .unwrap_or(from.allocated[r] + if r == 2 { went } else { from.leaving[r] });
        let claims = Claims::of(frame, by, taker);
        let later = if r == 2 { claims.later } else { 0.0 };
        let with_job =
            of_check(&[Quantity::AllocatedWithJob], taker).unwrap_or(to.allocated[r] + to.claimed[r] - later);
        // Other decisions of the cycle, before and after this one, count on neither side.
        let (left, before) = match r {
            2 => (held - evicted_below(frame, giver, |other| other.by() == Some(by)), with_job - claims.own),
            _ => (from.allocated[r], to.allocated[r]),
        };
        let said = |check: &&Check| !check.rule.0.says.is_empty();
        let mut rules = event.checks.iter().filter(said);
        let rule = rules.clone().find(|check| about(check, giver)).or_else(|| rules.next());
        let rule = rule.map(|check| RuleCard::of(check.rule));
        let parent = parent.and_then(row);
        Some(Sides { giver: from, taker: to, parent, held, left, before, with_job, resource, rule })
    }
}

/// GPUs reserved below a queue in this cycle.
#[derive(Default)]
struct Claims {
    /// For the job of an eviction.
    own: f64,
    /// For other jobs, after that.
    later: f64,
}

impl Claims {
    fn of(frame: &Frame, by: JobId, queue: QueueId) -> Claims {
        let mut claims = Claims::default();
        for other in frame.events.iter().filter(|other| other.word() == EventWord::Claimed) {
            if !is_below(frame, frame.queue_of(other), queue) {
                continue;
            }
            if frame.job_of(other) == Some(by) {
                claims = Claims { own: claims.own + other.gpus, later: 0.0 };
            } else {
                claims.later += other.gpus;
            }
        }
        claims
    }
}

/// Whether a queue equals another one or is below it.
fn is_below(frame: &Frame, queue: Option<QueueId>, other: QueueId) -> bool {
    let mut at = queue;
    for _ in 0..=frame.queues.len() {
        match at {
            Some(queue) if queue == other => return true,
            Some(queue) => {
                at = frame.queues.get(queue.index()).and_then(|row| row.parent).map(QueueId);
            }
            None => return false,
        }
    }
    false
}

/// GPUs evicted in this cycle below a queue.
fn evicted_below(frame: &Frame, queue: QueueId, is_meant: impl Fn(&EventRow) -> bool) -> f64 {
    let events = frame.events.iter().filter(|event| event.word().is_eviction() && is_meant(event));
    events.filter(|event| is_below(frame, frame.queue_of(event), queue)).map(|event| event.gpus).sum()
}

fn reclaimed(frame: &Frame, event: &EventRow, resource: u8) -> Explanation {
    let mut explanation = reclaimed_by_amounts(frame, event, resource);
    if let Some(verdict) = super::ego::reclaimed(frame, event) {
        explanation.verdict = verdict;
    }
    explanation
}

fn reclaimed_by_amounts(frame: &Frame, event: &EventRow, resource: u8) -> Explanation {
    let name = frame.job_name(event);
    let by = event.by().map_or("", |by| frame.job(by));
    let opening = reclaimed_for(frame, event);
    let Some(sides) = Sides::new(frame, event, resource) else {
        return Explanation { verdict: opening.say("."), ..Explanation::default() };
    };
    let r = usize::from(sides.resource.min(2));
    let share = |queue: &QueueRow| queue.fair_share.as_ref().and_then(|share| share[r]);
    let by_quota = event.eviction() == Some(EvictReason::ReclaimedForQuota);
    let (what, floor) = match (by_quota, share(sides.giver), sides.giver.quota[r]) {
        (false, Some(share), quota) if sides.held > share || quota.is_none() => ("fair share", Some(share)),
        (_, share, quota) => ("quota", quota.or(share)),
    };
    let held = with_unit(sides.resource, sides.held);
    let mut verdict = opening.say(". ").queue(&sides.giver.name).say(format!(" was using {held}"));
    if let Some(floor) = floor {
        let above = sides.held - floor;
        verdict = if above > 0.0 {
            verdict.say(format!(
                ", {} over its [{what}] of {}",
                amount(sides.resource, above),
                amount(sides.resource, floor)
            ))
        } else {
            verdict.say(format!(" of its [{what}] of {}", amount(sides.resource, floor)))
        };
    }
    let due = if by_quota { sides.taker.quota[r] } else { share(sides.taker) };
    let word = if by_quota { "quota" } else { "fair share" };
    verdict = verdict.say("; with ").job(by).say(", ").queue(&sides.taker.name);
    let with_job = with_unit(sides.resource, sides.with_job);
    verdict = match due.map(|due| (due, amount(sides.resource, due))) {
        Some((due, is)) if sides.with_job == due => {
            verdict.say(format!(" uses exactly its [{word}] of {is}."))
        }
        Some((due, is)) if sides.with_job < due => {
            verdict.say(format!(" uses {with_job}, within its [{word}] of {is}."))
        }
        Some((_, is)) => verdict.say(format!(" uses {with_job}, over its [{word}] of {is}.")),
        None => verdict.say(format!(" uses {with_job}.")),
    };
    let giver = &sides.giver.name;
    Explanation {
        verdict,
        evidence: Some(evidence(&sides, if what == "quota" { "quota" } else { "fair share" }, &frame.policy)),
        rule: sides.rule.clone(),
        controls: vec![
            Control::queue(giver, sides.resource, "quota"),
            Control::queue(giver, sides.resource, "weight"),
            Control::queue(&sides.taker.name, sides.resource, "quota"),
            Control::job(name, "preemptible", Text::default().job(name).say(" preemptible")),
        ],
        outlook: Text::default().job(name).say(" shuts down, then waits again."),
        ..Explanation::default()
    }
}

fn evidence(sides: &Sides<'_>, decisive: &str, policy: &str) -> Evidence {
    let r = usize::from(sides.resource.min(2));
    let pair = |a: Option<f64>, b: Option<f64>| vec![bound(sides.resource, a), bound(sides.resource, b)];
    let (giver, taker) = (sides.giver, sides.taker);
    let mut rows = Vec::new();
    let by_share = decisive == "fair share";
    if let (Some(a), Some(b)) = (&giver.fair_share, &taker.fair_share) {
        rows.push(("[fair share]", pair(a[r], b[r]), false));
    }
    if !by_share {
        rows.push(("[quota]", pair(giver.quota[r], taker.quota[r]), false));
    }
    rows.push(("allocated before", pair(Some(sides.held), Some(sides.before)), true));
    rows.push(("allocated after", pair(Some(sides.left), Some(sides.with_job)), false));
    if by_share {
        rows.push(("[quota]", pair(giver.quota[r], taker.quota[r]), false));
    }
    for (name, giver_has, taker_has) in [
        ("saturation ratio before", sides.held, sides.before),
        ("saturation ratio after", sides.left, sides.with_job),
    ] {
        let both = [(giver, giver_has), (taker, taker_has)];
        let both = both.map(|(row, has)| Some(number::ratio(Some(saturation(policy, has, row, r)?))));
        let both: Option<Vec<String>> = both.into_iter().collect();
        rows.extend(both.map(|both| (name, both, false)));
    }
    rows.push(("requested", pair(Some(giver.request[r]), Some(taker.request[r])), false));
    let caption = match sides.parent {
        Some(parent) => Text::of("Compared below ").queue(&parent.name),
        None => Text::of("Compared at the top level"),
    };
    Evidence {
        caption,
        head: vec![
            Text::of(unit(sides.resource, 2.0)),
            Text::default().queue(&giver.name),
            Text::default().queue(&taker.name),
        ],
        rows,
    }
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
        let of = |job: JobId| {
            let of_check = |check| value_of(check, Party::Job(job), Quantity::Priority, GPU);
            event.checks.iter().find_map(of_check)
        };
        verdict = match (of(by), frame.job_of(event).and_then(of)) {
            (Some(high), Some(low)) => {
                let (high, low) = (number::number(high), number::number(low));
                let verdict = verdict.say(": ").job(taker).say(format!(" has priority {high}, "));
                verdict.job(name).say(format!(" has {low}, both in ")).queue(queue)
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
        return Explanation {
            verdict: verdict.say(", but its [pods] are not recreated."),
            ..Explanation::default()
        };
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
    let (n, gpus) = pods.fold((0u64, 0.0), |(n, gpus), pod| (n + 1, gpus + pod.gpus));
    let mut verdict = Text::default().job(frame.job_name(event)).say(" started");
    if n > 1 {
        verdict = verdict.say(format!(" with {}", number::count(n, "[pod]")));
    } else if let Some(node) = event.node() {
        verdict = verdict.say(" on ").node(frame.node(node));
    }
    if gpus > 0.0 {
        verdict = verdict.say(format!(", {}", with_unit(GPU, gpus)));
    }
    let Some(queue) = frame.queue_of(event).and_then(|queue| frame.queues.get(queue.index())) else {
        return Explanation { verdict: verdict.say("."), ..Explanation::default() };
    };
    let r = 2;
    let has = queue.allocated[r];
    verdict = verdict.say(": ").queue(&queue.name).say(format!(" now uses {}", number::number(has)));
    let divides = Policy::described(&frame.policy).is_none_or(|policy| policy.queue.weight.is_some());
    verdict = match (queue.fair_share.as_ref().and_then(|share| share[r]), queue.quota[r]) {
        // A fair share of zero is not mentioned.
        (Some(0.0), _) if !divides => verdict.say("."),
        (Some(share), _) => verdict.say(format!(" of its [fair share] of {}.", number::number(share))),
        (None, Some(quota)) => verdict.say(format!(" of its [quota] of {}.", number::number(quota))),
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
    let verdict = verdict
        .say(format!(": {why}. Its [pods] are not recreated, so the [job] is over and its work is lost."));
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
    let gpus = with_unit(GPU, row.gpus);
    let mut outlook = Text::default();
    let verdict = match event {
        Event::Submitted { .. } => {
            outlook = Text::of("It is considered for the first time in the next cycle.");
            job.say(" was submitted to ").queue(queue).say(format!(" and requests {gpus}."))
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
            claimed(Text::of(format!("{gpus} on ")).node(node), row, job)
        }
        Event::Unclaimed { by: None, .. } => job
            .say(" lost its reservation on ")
            .node(node)
            .say(": its gang did not get room for all [pods] in time."),
        Event::Unclaimed { by: Some(by), .. } => job
            .say(" lost its claim on ")
            .node(node)
            .say(", made earlier in this cycle; the room is now [claimed] for ")
            .job(frame.job(by))
            .say("."),
        Event::Bound { .. } => job.say(" started on ").node(node).say("."),
        Event::Found { .. } => {
            job.say(" runs on ").node(node).say(" already: it was not placed by this scheduler.")
        }
        Event::DevicesChanged { .. } => job
            .say(" uses other devices of ")
            .node(node)
            .say(" from now on: the [node] has fewer or more than before."),
        Event::Evicted { reason: why, .. } => job.say(format!(" was [evicted]: {}.", reason(why))),
        Event::Gone { .. } => job.say(" has left ").node(node).say("; its place is free."),
        Event::Requeued { .. } => job.say(" is waiting again in ").queue(queue).say("."),
        Event::NotReplaced { .. } => job.say(" lost a [pod] that is not recreated."),
        Event::JobEvicted { .. } => job.say(" is over: its [evicted] [pods] are not recreated."),
        Event::Offered { partition, .. } => job
            .say(" found no place in its [node] pool and is now tried in ")
            .say(frame.names.pool(partition))
            .say("."),
        Event::SetAside { .. } => {
            job.say(" found no place in this cycle; with scheduling-backoff 1 it is not tried again.")
        }
        Event::Finished { .. } => job.say(" finished on ").node(node).say("."),
        Event::JobDone { .. } => job.say(" is done: its last [pod] finished."),
        Event::Changed { node: Some((_, state)), .. } => Text::default()
            .node(node)
            .say(format!(" {} by an entry of the scenario's timeline.", node_state(state))),
        Event::Changed { ended: Some(_), .. } => {
            job.say(" was ended by an entry of the scenario's timeline.")
        }
        Event::Changed { node: None, .. } => {
            Text::of("The configuration changed by an entry of the scenario's timeline.")
        }
    };
    Explanation { verdict, outlook, ..Explanation::default() }
}

/// The sentence about a reservation and its end.
fn claimed(room: Text, row: &EventRow, job: Text) -> Text {
    if row.for_gang {
        return room.say(" reserved for ").then(job).say(" until there is room for its whole gang.");
    }
    let is = if row.gpus == 1.0 { "is" } else { "are" };
    room.say(format!(" {is} [claimed] for ")).then(job).say(" until the [pods] that use it have shut down.")
}
