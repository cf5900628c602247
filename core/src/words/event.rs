//! Events: who was told to go and why, what started where, what else happened.

use super::Selection;
use super::check::{decisive_resource, says, value_of};
use super::number::{self, GPU, amount, bound, unit, with_unit};
use super::others::not_chosen;
use super::text::Text;
use super::{Control, Entry, Evidence, Explanation, RuleCard};
use crate::moment::{CheckRow, EventRow, Frame, QueueRow};

/// Why a pod was told to go, in words, for reasons without a taker.
pub fn reason(key: &str) -> &'static str {
    match key {
        "above-limit" => "its queue uses more than a limit that was lowered",
        "stale-gang" => "its gang fell below its minimum for too long",
        "node-lost" => "its node is gone",
        "withdrawn" => "the plan withdrew it",
        "consolidation" => "to be placed elsewhere",
        "priority" => "a job of higher priority comes first",
        "quota" => "another queue takes back its quota",
        "fair-share" => "another queue takes back its fair share",
        _ => "told to go",
    }
}

/// Explains an event.
pub fn event(frame: &Frame, event: &EventRow, resource: u8) -> Explanation {
    let mut explanation = match event.kind.as_str() {
        "reclaimed" => reclaimed(frame, event, resource),
        "preempted" => preempted(frame, event),
        "moved" => moved(event),
        "started" => started(frame, event),
        _ => other(frame, event),
    };
    if event.for_good {
        explanation.outlook = Text::of("Nobody replaces the pod: it is gone for good, and its work is lost.");
    }
    let is_mark = event.kind == "mark";
    let kind = if is_mark { "note".to_string() } else { event.kind.replace('-', " ") };
    explanation.about = if event.job.is_empty() {
        Text::of(format!("{kind}, cycle {}", frame.cycle))
    } else {
        Text::default().job(&event.job).say(format!(" · {kind}, cycle {}", frame.cycle))
    };
    explanation.when = number::time(event.time_ms);
    if !is_mark {
        explanation.checks = event.checks.iter().map(says).collect();
    }
    explanation.list = in_order(frame, event);
    explanation.others = not_chosen(frame, event);
    if explanation.rule.is_none() {
        explanation.rule = event.checks.iter().rev().find(|check| !check.says.is_empty()).map(RuleCard::of);
    }
    explanation
}

/// The queues at the level where the paths of two queues split: ancestors that are siblings, and their parent.
pub fn split(frame: &Frame, a: u32, b: u32) -> Option<(&QueueRow, &QueueRow, Option<&QueueRow>)> {
    let path = |mut at: u32| {
        let mut path = vec![at];
        while let Some(parent) = frame.queues.get(at as usize).and_then(|queue| queue.parent) {
            if path.len() > frame.queues.len() {
                break;
            }
            path.push(parent);
            at = parent;
        }
        path.reverse();
        path
    };
    let (one, two) = (path(a), path(b));
    let at = one.iter().zip(&two).position(|(x, y)| x != y)?;
    let row = |position: u32| frame.queues.get(position as usize);
    let parent = at.checked_sub(1).and_then(|above| row(one[above]));
    Some((row(one[at])?, row(two[at])?, parent))
}

fn is_told_to_go(event: &EventRow) -> bool {
    matches!(event.kind.as_str(), "reclaimed" | "preempted" | "moved" | "evicted")
}

/// Who is told to go for the same job, in the order in which it was decided. Of one alone there is nothing to tell.
fn in_order(frame: &Frame, event: &EventRow) -> Option<(&'static str, Vec<Entry>)> {
    if !is_told_to_go(event) || event.by.is_empty() {
        return None;
    }
    let mut entries = Vec::new();
    for other in frame.events.iter().filter(|other| is_told_to_go(other) && other.by == event.by) {
        let mut text = Text::default().job(&other.job);
        if let Some((_, n)) = other.pod.rsplit_once('/') {
            text = text.say(format!(", pod {n}"));
        }
        let row = frame.jobs.iter().find(|job| job.name == other.job);
        let submitted = row.map(|job| format!(", submitted {}", number::time(job.submit_ms)));
        entries.push(Entry {
            when: format!("{}.", entries.len() + 1),
            text: text.say(submitted.unwrap_or_default()),
            selection: Some(Selection::Job(other.job.clone())),
            current: other == event,
            ..Entry::default()
        });
    }
    (entries.len() > 1).then_some(("Told to go for the same job, in this order", entries))
}

/// The sides of a reclaim at the level where the paths split.
struct Sides<'a> {
    giver: &'a QueueRow,
    taker: &'a QueueRow,
    parent: Option<&'a QueueRow>,
    /// What the giver held when it was decided, and what it has left without all that goes for the same job.
    held: f64,
    left: f64,
    /// What the taker held when it was decided, and what it holds with the job.
    before: f64,
    with_job: f64,
    resource: u8,
}

impl<'a> Sides<'a> {
    fn new(frame: &'a Frame, event: &EventRow, resource: u8) -> Option<Sides<'a>> {
        let (giver, taker, parent) = split(frame, event.queue, event.by_queue?)?;
        let about = |check: &&CheckRow, queue: &QueueRow| {
            check.queue == queue.name || check.other_queue == queue.name
        };
        let decisive = event.checks.iter().filter(|check| about(check, giver)).find_map(decisive_resource);
        let resource = decisive.unwrap_or(if event.gpus > 0.0 { GPU } else { resource.min(2) });
        let r = usize::from(resource.min(2));
        // Units are taken one by one; what was held before the first is the most.
        let of_check = |quantities: &[&str], queue: &QueueRow| {
            let known = event.checks.iter().filter(|check| about(check, queue));
            let values = known.flat_map(|check| {
                quantities.iter().filter_map(|quantity| value_of(check, &queue.name, quantity, resource))
            });
            values.max_by(f64::total_cmp)
        };
        let went = evicted_below(frame, giver, |_| true);
        let held = of_check(&["allocated", "allocated-without-victims"], giver)
            .unwrap_or(giver.allocated[r] + if r == 2 { went } else { giver.leaving[r] });
        let claims = Claims::of(frame, event, taker);
        let later = if r == 2 { claims.later } else { 0.0 };
        let with_job =
            of_check(&["allocated-with-job"], taker).unwrap_or(taker.allocated[r] + taker.claimed[r] - later);
        // Of one decision: other decisions of the cycle, before and after it, count on neither side.
        let (left, before) = match r {
            2 => (held - evicted_below(frame, giver, |other| other.by == event.by), with_job - claims.own),
            _ => (giver.allocated[r], taker.allocated[r]),
        };
        Some(Sides { giver, taker, parent, held, left, before, with_job, resource })
    }
}

/// GPUs for which room was claimed below a queue in this cycle.
#[derive(Default)]
struct Claims {
    /// For the job of an eviction.
    own: f64,
    /// For others, after that.
    later: f64,
}

impl Claims {
    fn of(frame: &Frame, event: &EventRow, queue: &QueueRow) -> Claims {
        let claimed = frame.events.iter().filter(|other| other.kind == "claimed");
        let mut claims = Claims::default();
        for other in claimed.filter(|other| is_below(frame, other.queue, queue)) {
            if other.job == event.by {
                claims = Claims { own: claims.own + other.gpus, later: 0.0 };
            } else {
                claims.later += other.gpus;
            }
        }
        claims
    }
}

/// Whether a queue is another or below it.
fn is_below(frame: &Frame, position: u32, queue: &QueueRow) -> bool {
    let mut at = Some(position);
    for _ in 0..=frame.queues.len() {
        match at.and_then(|at| frame.queues.get(at as usize)) {
            Some(row) if row.name == queue.name => return true,
            Some(row) => at = row.parent,
            None => return false,
        }
    }
    false
}

/// GPUs told to go in this cycle below a queue.
fn evicted_below(frame: &Frame, queue: &QueueRow, is_meant: impl Fn(&EventRow) -> bool) -> f64 {
    let events = frame.events.iter().filter(|event| is_told_to_go(event) && is_meant(event));
    events.filter(|event| is_below(frame, event.queue, queue)).map(|event| event.gpus).sum()
}

/// *one* for one whole unit, else the number.
fn spelled(resource: u8, base: f64) -> String {
    if base == 1.0 && resource == GPU { "one".into() } else { amount(resource, base) }
}

fn reclaimed(frame: &Frame, event: &EventRow, resource: u8) -> Explanation {
    let mut explanation = reclaimed_by_amounts(frame, event, resource);
    if let Some(verdict) = super::ego::reclaimed(event) {
        explanation.verdict = verdict;
    }
    explanation
}

fn reclaimed_by_amounts(frame: &Frame, event: &EventRow, resource: u8) -> Explanation {
    let opening = Text::default().job(&event.job).say(" was reclaimed");
    let opening = if event.by.is_empty() { opening } else { opening.say(" for ").job(&event.by) };
    let Some(sides) = Sides::new(frame, event, resource) else {
        return Explanation { verdict: opening.say("."), ..Explanation::default() };
    };
    let r = usize::from(sides.resource.min(2));
    let share = |queue: &QueueRow| queue.fair_share.as_ref().and_then(|share| share[r]);
    let by_quota = event.reason == "quota";
    let (what, floor) = match (by_quota, share(sides.giver), sides.giver.quota[r]) {
        (false, Some(share), quota) if sides.held > share || quota.is_none() => ("fair share", Some(share)),
        (_, share, quota) => ("quota", quota.or(share)),
    };
    let held = with_unit(sides.resource, sides.held);
    let mut verdict = opening.say(": ").queue(&sides.giver.name).say(format!(" held {held}"));
    if let Some(floor) = floor {
        let above = sides.held - floor;
        verdict = if above > 0.0 {
            verdict.say(format!(
                ", {} above its {what} of {}",
                spelled(sides.resource, above),
                amount(sides.resource, floor)
            ))
        } else {
            verdict.say(format!(" of its {what} of {}", amount(sides.resource, floor)))
        };
    }
    let due = if by_quota { sides.taker.quota[r] } else { share(sides.taker) };
    let word = if by_quota { "quota" } else { "fair share" };
    verdict = verdict.say("; ").queue(&sides.taker.name).say(", with ").job(&event.by);
    verdict = match due {
        Some(due) if sides.with_job <= due && !by_quota && what == "fair share" => {
            verdict.say(format!(", stays within its own {}.", amount(sides.resource, due)))
        }
        Some(due) if sides.with_job <= due => {
            verdict.say(format!(", stays within its {word} of {}.", amount(sides.resource, due)))
        }
        Some(due) => verdict.say(format!(
            ", holds {} against a {word} of {}.",
            amount(sides.resource, sides.with_job),
            amount(sides.resource, due)
        )),
        None => verdict.say(format!(", holds {}.", with_unit(sides.resource, sides.with_job))),
    };
    let giver = &sides.giver.name;
    Explanation {
        verdict,
        evidence: Some(evidence(&sides, if what == "quota" { "quota" } else { "fair share" })),
        rule: deciding_rule(event, sides.giver),
        controls: vec![
            Control::queue(giver, sides.resource, "quota"),
            Control::queue(giver, sides.resource, "weight"),
            Control::queue(&sides.taker.name, sides.resource, "quota"),
            Control::job(&event.job, "preemptible", Text::default().job(&event.job).say(" preemptible")),
        ],
        outlook: Text::default().job(&event.job).say(" waits again once it is gone."),
        ..Explanation::default()
    }
}

/// The rule that let the giver be taken from, else the first one.
fn deciding_rule(event: &EventRow, giver: &QueueRow) -> Option<RuleCard> {
    let about = |check: &&CheckRow| check.queue == giver.name || check.other_queue == giver.name;
    let says = |check: &&CheckRow| !check.says.is_empty();
    let found = event.checks.iter().filter(says).find(about).or_else(|| event.checks.iter().find(says));
    found.map(RuleCard::of)
}

fn evidence(sides: &Sides<'_>, decisive: &str) -> Evidence {
    let r = usize::from(sides.resource.min(2));
    let pair = |a: Option<f64>, b: Option<f64>| vec![bound(sides.resource, a), bound(sides.resource, b)];
    let (giver, taker) = (sides.giver, sides.taker);
    let mut rows = Vec::new();
    let by_share = decisive == "fair share";
    if let (Some(a), Some(b)) = (&giver.fair_share, &taker.fair_share) {
        rows.push(("fair share", pair(a[r], b[r]), false));
    }
    if !by_share {
        rows.push(("quota", pair(giver.quota[r], taker.quota[r]), false));
    }
    rows.push(("allocated before", pair(Some(sides.held), Some(sides.before)), true));
    rows.push(("allocated after", pair(Some(sides.left), Some(sides.with_job)), false));
    if by_share {
        rows.push(("quota", pair(giver.quota[r], taker.quota[r]), false));
    }
    rows.push(("wants", pair(Some(giver.request[r]), Some(taker.request[r])), false));
    let caption = match sides.parent {
        Some(parent) => Text::of("Both under ").queue(&parent.name).say(", where their paths split"),
        None => Text::of("Both are top queues"),
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
    let queue = frame.queues.get(event.queue as usize).map_or("", |queue| queue.name.as_str());
    let mut verdict = Text::default().job(&event.job).say(" was preempted");
    if !event.by.is_empty() {
        verdict = verdict.say(" by ").job(&event.by);
        let of = |job: &str| event.checks.iter().find_map(|check| value_of(check, job, "priority", GPU));
        verdict = match (of(&event.by), of(&event.job)) {
            (Some(high), Some(low)) => {
                let (high, low) = (number::number(high), number::number(low));
                verdict.say(format!(": its priority is {high} against {low}, both in ")).queue(queue).say(".")
            }
            _ => verdict.say(", which has the higher priority in ").queue(queue).say("."),
        };
    } else {
        verdict = verdict.say(".");
    }
    let label = |job: &str| Text::of("priority of ").job(job);
    let mut controls = vec![Control::job(&event.job, "priority", label(&event.job))];
    if !event.by.is_empty() {
        controls.push(Control::job(&event.by, "priority", label(&event.by)));
    }
    Explanation {
        verdict,
        controls,
        outlook: Text::default().job(&event.job).say(" waits again once it is gone."),
        ..Explanation::default()
    }
}

fn moved(event: &EventRow) -> Explanation {
    let mut verdict = Text::default().job(&event.job).say(" moves");
    if !event.node.is_empty() {
        verdict = verdict.say(" away from ").node(&event.node);
    }
    if !event.by.is_empty() {
        verdict = verdict.say(", so that ").job(&event.by).say(" fits");
    }
    // The scheduler deletes it and counts on somebody who makes it again.
    if event.for_good {
        return Explanation {
            verdict: verdict.say(", but nobody starts it again."),
            ..Explanation::default()
        };
    }
    Explanation {
        verdict: verdict.say(". It starts again elsewhere; its queue loses nothing."),
        outlook: Text::of("Room for it is claimed already."),
        ..Explanation::default()
    }
}

fn started(frame: &Frame, event: &EventRow) -> Explanation {
    let queue = frame.queues.get(event.queue as usize);
    let pods = frame.events.iter().filter(|other| other.kind == "started" && other.job == event.job);
    let (n, gpus) = pods.fold((0u64, 0.0), |(n, gpus), pod| (n + 1, gpus + pod.gpus));
    let mut verdict = Text::default().job(&event.job).say(" started");
    if n == 1 && !event.node.is_empty() {
        verdict = verdict.say(" on ").node(&event.node);
    } else if n > 1 {
        verdict = verdict.say(format!(" with {}", number::count(n, "pod")));
    }
    if gpus > 0.0 {
        verdict = verdict.say(format!(", {}", with_unit(GPU, gpus)));
    }
    let Some(queue) = queue else {
        return Explanation { verdict: verdict.say("."), ..Explanation::default() };
    };
    let r = 2;
    let has = queue.allocated[r];
    verdict = verdict.say(": ").queue(&queue.name).say(format!(" now holds {}", number::number(has)));
    verdict = match (queue.fair_share.as_ref().and_then(|share| share[r]), queue.quota[r]) {
        // Without a guarantee nothing is said of one.
        (Some(0.0), _) if frame.policy == "yunikorn" => verdict.say("."),
        (Some(share), _) => verdict.say(format!(" of its fair share of {}.", number::number(share))),
        (None, Some(quota)) => verdict.say(format!(" of its quota of {}.", number::number(quota))),
        (None, None) => verdict.say("."),
    };
    Explanation { verdict, ..Explanation::default() }
}

/// What a mark says, of a job or of two queues.
pub fn marked(frame: &Frame, event: &EventRow) -> Text {
    let name = |queue: u32| frame.queues.get(queue as usize).map_or("", |queue| queue.name.as_str());
    let whom = match (event.job.as_str(), event.by_queue) {
        ("", Some(other)) => Text::default().queue(name(event.queue)).say(" and ").queue(name(other)),
        (job, _) => Text::default().job(job),
    };
    whom.say(": ").say(event.reason.as_str())
}

/// A job that is over because nobody replaced its evicted pods.
pub fn gone(event: &EventRow) -> Explanation {
    let key = match event.kind.as_str() {
        "preempted" => "priority",
        "moved" => "consolidation",
        _ => event.reason.as_str(),
    };
    let mut verdict =
        Text::default().job(&event.job).say(" was evicted at ").say(number::time(event.time_ms));
    if !event.by.is_empty() {
        verdict = verdict.say(" for ").job(&event.by);
    }
    let verdict = verdict
        .say(format!(": {}. Nobody replaces its pods, so it is over and its work is lost.", reason(key)));
    Explanation {
        about: Text::default().job(&event.job).say(" · evicted"),
        verdict,
        controls: vec![Control::job(&event.job, "restart", Text::of("restart of ").job(&event.job))],
        ..Explanation::default()
    }
}

fn other(frame: &Frame, event: &EventRow) -> Explanation {
    let queue = frame.queues.get(event.queue as usize).map_or("", |queue| queue.name.as_str());
    let job = Text::default().job(&event.job);
    let gpus = with_unit(GPU, event.gpus);
    let verdict = match event.kind.as_str() {
        "submitted" => job.say(" was submitted to ").queue(queue).say(format!(" and asks for {gpus}.")),
        "claimed" if event.reason == "gang" => Text::of(format!("{gpus} on "))
            .node(&event.node)
            .say(" held for ")
            .job(&event.job)
            .say(" until there is room for its whole gang."),
        "unclaimed" if event.by.is_empty() => job
            .say(" lost what had been held for it on ")
            .node(&event.node)
            .say(": its gang did not come together in time."),
        "claimed" => Text::of(format!("{gpus} on "))
            .node(&event.node)
            .say(format!(" {} claimed for ", if event.gpus == 1.0 { "is" } else { "are" }))
            .job(&event.job)
            .say(" until those who hold it are gone."),
        "unclaimed" => job
            .say(" lost what had been claimed for it on ")
            .node(&event.node)
            .say(" earlier in the cycle; it is claimed for ")
            .job(&event.by)
            .say(" now."),
        "evicted" => job.say(format!(" was evicted: {}.", reason(&event.reason))),
        "gone" => job.say(" is gone from ").node(&event.node).say("; its place is free."),
        "requeued" => job.say(" waits again in ").queue(queue).say("."),
        "not-replaced" => job.say(" lost a pod for good: nobody replaces it."),
        "job-evicted" => job.say(" is over: nobody replaces its evicted pods."),
        "offered" => job
            .say(" found no place in its pool, so it is offered to the pool ")
            .say(&*event.pool)
            .say(" now."),
        "set-aside" => job
            .say(" found no place in this cycle, and its scheduling-backoff of 1 allows one try: it is not tried again."),
        "finished" => job.say(" finished on ").node(&event.node).say("."),
        "done" => job.say(" is done: its last pod ended."),
        "mark" => marked(frame, event).say("."),
        "node" => Text::default()
            .node(&event.node)
            .say(format!(" {} here, by an entry of the scenario's timeline.", super::happenings::node_state(&event.reason))),
        "changed" => Text::of("The plan changed here, by an entry of the scenario's timeline."),
        other => job.say(format!(": {}.", other.replace('-', " "))),
    };
    let outlook = match event.kind.as_str() {
        "submitted" => Text::of("The next cycle looks at it."),
        "claimed" if event.reason == "gang" => Text::of("Its pods start once all of them have room."),
        "claimed" => Text::of("It starts in the next cycle in which the room is free."),
        _ => Text::default(),
    };
    Explanation { verdict, outlook, ..Explanation::default() }
}
