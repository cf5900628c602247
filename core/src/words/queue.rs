//! Explanations of queues: allocation and entitlement.

use super::happenings::ListEntry;
use super::number::{self, amount, bound, unit, with_unit};
use super::phrases::{after_comma, requested};
use super::text::{self, Text, text};
use super::{Cell, Control, Evidence, Explanation, Ladder, Selection, Terms, ladder};
use crate::id::{Id, QueueId};
use crate::moment::EventKind;
use crate::moment::states::saturation;
use crate::moment::{BoundTriple, Frame, JobRow, PoolRow, PriorityRow, QueueRow};
use crate::units::{Resource, ShownResource};

/// Explains a queue.
pub fn queue(frame: &Frame, name: &str, derivation: Option<&Ladder>, resource: Resource) -> Explanation {
    let Some((position, row)) = frame.queues.iter().enumerate().find(|(_, row)| row.name == name) else {
        return Explanation::missing(text::queue(name), " is not a [queue] of this scenario.");
    };
    let steps = derivation
        .filter(|d| d.queue == name && d.resource == resource && d.cycle == frame.cycle)
        .map_or_else(Vec::new, |d| ladder(&d.levels, resource));
    let terms = Terms::of(&frame.policy);
    let fates = frame.fates();
    let entry = |job: &JobRow| job_entry(frame, job, fates.get(&job.id).copied());
    let of_queue = || frame.jobs.iter().filter(|job| job.queue == position as u32);
    let mut jobs: Vec<ListEntry> = of_queue().map(entry).take(JOBS).collect();
    jobs.extend(more_jobs(of_queue().skip(JOBS).count() as u64));
    let queue = text::queue(name);
    let called = match frame.names.display_name(QueueId::from_index(position)) {
        "" => None,
        called => Some(text::name(&format!(" ({called})"))),
    };
    Explanation {
        about: text!("{queue}{called} · {of}", [queue, called, of = number::resource_name(resource)]),
        verdict: verdict(row, resource, terms)
            .then(fuller_sibling(frame, row, resource))
            .then(over_limit(row, resource))
            .then(in_pools(frame, position, resource)),
        evidence: Some(evidence(row, resource, &frame.policy)),
        controls: ["quota", "weight", "limit"]
            .into_iter()
            .filter(|field| terms.reads(field))
            .map(|field| Control::queue(name, resource, field))
            .collect(),
        ladder: steps,
        list: (!jobs.is_empty()).then_some(("Its [jobs]", jobs)),
        ..Explanation::default()
    }
}

/// Largest number of listed jobs.
const JOBS: usize = 12;

/// A line with the number of jobs that are not listed.
fn more_jobs(n: u64) -> Option<ListEntry> {
    let text = Text::of(format!("and {}", number::count(n, "more [job]")));
    (n > 0).then(|| ListEntry { text, ..ListEntry::default() })
}

fn job_entry(frame: &Frame, job: &JobRow, fate: Option<&'static str>) -> ListEntry {
    let amount = requested(frame, &job.request);
    let (kind, state) = match (job.running, job.pending, job.leaving) {
        (0, 0, _) => (EventKind::Reclaimed, "is shutting down".to_string()),
        (0, _, _) => (EventKind::Requeued, fate.unwrap_or("is waiting").into()),
        (_, 0, _) => (EventKind::Started, "is running".into()),
        (running, pending, _) => (EventKind::Started, format!("{running} of {} [pods] running", running + pending)),
    };
    ListEntry {
        when: number::time(job.submit_ms),
        kind: Some(kind),
        text: text!("{job} {state}{amount}", [job = text::job(&job.name), state, amount = after_comma(&amount)]),
        selection: Some(Selection::Job(job.name.clone())),
        ..ListEntry::default()
    }
}

/// Its allocation and fair share in each node pool, where the numbers of the whole cluster are their sums.
fn in_pools(frame: &Frame, position: usize, resource: Resource) -> Text {
    if frame.pools.is_empty() || !frame.pool.is_empty() {
        return Text::default();
    }
    let r = resource.index();
    let pool_text = |pool: &PoolRow| {
        let row = pool.queues.get(position)?;
        let share = row.fair_share.as_ref().map(|share| bound(resource, share[r]));
        let share = share.map_or(String::new(), |share| format!(" of its [fair share] of {share}"));
        let (used, pool) = (amount(resource, row.allocated[r]), text::name(&pool.name));
        Some(text!("{used}{share} in {pool}", [used, share, pool]))
    };
    let each: Vec<Text> = frame.pools.iter().take(POOLS).filter_map(pool_text).collect();
    text!(" By [node] pool: {each}.", [each = Text::default().list(each, "and")])
}

/// Largest number of listed node pools.
const POOLS: usize = 6;

fn verdict(row: &QueueRow, resource: Resource, terms: &Terms) -> Text {
    let r = resource.index();
    let (used, wants) = (row.allocated[r], row.request[r]);
    // A quota that the policy does not read is not shown.
    let quota = row.quota[r].filter(|_| terms.reads("quota"));
    let (queue, uses, requests) = (text::queue(&row.name), with_unit(resource, used), amount(resource, wants));
    let share = row.fair_share.as_ref().map(|share| share[r]);
    let exceeded = |limit: Option<f64>| limit.filter(|limit| used > limit + EPSILON);
    if let Some(share) = exceeded(share.flatten()) {
        let (excess, share) = (amount(resource, used - share), amount(resource, share));
        return text!(
            "{queue} uses {uses}, {excess} over its [fair share] of {share}. [Queues] below their [fair share] can reclaim it.",
            [queue, uses, excess, share]
        );
    }
    if let Some(quota) = exceeded(quota) {
        let within = share.map(|share| format!(", within its [fair share] of {}", bound(resource, share)));
        let (excess, quota) = (amount(resource, used - quota), amount(resource, quota));
        return text!(
            "{queue} uses {uses}, {excess} over its [quota] of {quota}{within}.",
            [queue, uses, excess, quota, within = within.unwrap_or_default()]
        );
    }
    let due = share.unwrap_or(quota).unwrap_or(f64::INFINITY).min(wants);
    if due > used + EPSILON {
        let what = if share.is_some() { "[fair share]" } else { "[quota]" };
        let (entitled, short) = (bound(resource, share.unwrap_or(quota)), with_unit(resource, due - used));
        return text!(
            "{queue} is {short} below its {what}: it uses {uses} of {entitled} and requests {requests}.",
            [queue, short, what, uses, entitled, requests]
        );
    }
    if wants > used + EPSILON {
        return text!("{queue} uses {uses}, its whole share, and requests {requests}.", [queue, uses, requests]);
    }
    if wants <= EPSILON {
        return text!("{queue} requests no {unit} at this moment.", [queue, unit = unit(resource, 2.0)]);
    }
    let (due, what) = if terms.reads("quota") {
        (Some(bound(resource, quota)), "[quota]")
    } else {
        (share.flatten().map(|share| bound(resource, Some(share))), "[fair share]")
    };
    match due {
        None => text!("{queue} uses {uses}, all it requests.", [queue, uses]),
        Some(due) => {
            text!("{queue} uses {uses}, all it requests, within its {what} of {due}.", [queue, uses, what, due])
        }
    }
}

/// The amount above the limit of a queue, which is reclaimed first.
fn over_limit(row: &QueueRow, resource: Resource) -> Option<Text> {
    let excess = row.over_limit[resource.index()];
    let text = text!(" Reclaimed first: {excess} above its [limit].", [excess = with_unit(resource, excess)]);
    Some(text).filter(|_| excess > EPSILON)
}

/// A sibling with a larger allocation that is protected because it is within its own fair share.
fn fuller_sibling(frame: &Frame, row: &QueueRow, resource: Resource) -> Option<Text> {
    let r = resource.index();
    let share = |row: &QueueRow| row.fair_share.as_ref().and_then(|share| share[r]);
    let is_full = |row: &QueueRow| share(row).is_some_and(|share| row.allocated[r] >= share - EPSILON);
    let wants_more = row.request[r] > row.allocated[r] + EPSILON;
    // Only under policies whose reclaim compares fair shares.
    if !wants_more || !is_full(row) || saturation(&frame.policy, 0.0, row, r).is_none() {
        return None;
    }
    let keeps = |other: &&QueueRow| {
        other.parent == row.parent
            && other.allocated[r] > row.allocated[r] + EPSILON
            && share(other).is_some_and(|share| other.allocated[r] <= share + EPSILON)
    };
    let fullest = frame.queues.iter().filter(keeps).max_by(|a, b| a.allocated[r].total_cmp(&b.allocated[r]));
    let other = fullest?;
    let (uses, share) = (amount(resource, other.allocated[r]), amount(resource, share(other)?));
    Some(text!(
        " Its sibling {other} uses {uses} of its own [fair share] of {share}, so {queue} cannot reclaim any from it.",
        [other = text::queue(&other.name), uses, share, queue = text::queue(&row.name)]
    ))
}

/// Smaller differences are rounding errors.
const EPSILON: f64 = 1e-9;

fn evidence(row: &QueueRow, resource: Resource, policy: &str) -> Evidence {
    let terms = Terms::of(policy);
    let r = resource.index();
    let shown = |bounds: &BoundTriple| bound(resource, bounds[r]);
    let mut rows = vec![("allocated", vec![amount(resource, row.allocated[r]).into()], true)];
    if terms.reads("quota") {
        rows.push(("[quota]", vec![shown(&row.quota).into()], false));
    }
    if let Some(share) = &row.fair_share {
        rows.push(("[fair share]", vec![shown(share).into()], false));
    }
    if let Some(ratio) = saturation(policy, row.allocated[r], row, r) {
        rows.push(("saturation ratio", vec![number::ratio(Some(ratio)).into()], false));
    }
    if let Some(usage) = row.usage {
        rows.push(("past usage", vec![with_unit(ShownResource::Dominant, usage[r] * 100.0).into()], false));
    }
    if terms.reads("limit") {
        rows.push(("[limit]", vec![shown(&row.limit).into()], false));
    }
    if let Some(private) = &row.private {
        rows.push(("allocated [on owned nodes]", vec![amount(resource, private[r]).into()], false));
    }
    rows.push(("requested", vec![amount(resource, row.request[r]).into()], false));
    for (what, value) in
        [("shutting down", &row.leaving), ("[claimed]", &row.claimed), ("non-preemptible", &row.non_preemptible)]
    {
        if value[r] > 0.0 {
            rows.push((what, vec![amount(resource, value[r]).into()], false));
        }
    }
    rows.extend(row.priority.iter().flat_map(priorities));
    if let (Some(state), Some(worst)) = (row.states.get(r), row.states.get(3)) {
        rows.push(("state", vec![state.clone().into()], false));
        rows.extend((worst != state).then(|| ("state, worst resource", vec![worst.clone().into()], false)));
    }
    Evidence {
        caption: Text::of("At this moment"),
        head: vec![Text::of(unit(resource, 2.0)), text::queue(&row.name)],
        rows,
    }
}

/// The rows of a queue's priority: from below, with its offset, and as compared with its siblings.
fn priorities(row: &PriorityRow) -> [(&'static str, Vec<Cell>, bool); 3] {
    let shown = |priority: Option<i32>| priority.map_or("none".to_string(), |p| number::number(f64::from(p)));
    let offset = number::number(f64::from(row.offset));
    let made = if row.fence { format!("{offset}, fence: not passed on") } else { offset };
    [
        ("priority from below", vec![shown(row.raw).into()], false),
        ("offset", vec![made.into()], row.fence),
        ("priority among siblings", vec![shown(row.effective).into()], true),
    ]
}
