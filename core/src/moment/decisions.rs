//! Engine types to protocol types: events, comparisons, refusals, ladders.

use crate::cluster::{Cluster, NodeState};
use crate::trace::{
    Check, DivisionStep, Ending, Event, EvictReason, Gate, NodeReason, Op, Outlook, Protection, Refusal,
    RiseEnd, Rule, Spared, Term, Value, Whom,
};
use crate::units::Resource;

use super::event_word::EventWord;
use super::{
    BesideRow, CheckRow, GateRow, LadderLevel, LadderLine, OutlookRow, RefusalRow, SparedRow, ValueRow,
};

/// The word for an event.
pub fn kind(event: &Event) -> &'static str {
    EventWord::of(event).name()
}

/// The node pool to which a job is offered from now on.
pub fn pool(cluster: &Cluster, event: &Event) -> String {
    match *event {
        Event::Offered { partition, .. } => cluster.partitions[partition].name.to_string(),
        _ => String::new(),
    }
}

/// Why an evicted pod was evicted, where the kind does not say it all; the state of a node from now on.
pub fn reason(event: &Event) -> &'static str {
    let reason = match event {
        Event::Evicted { reason, .. } => reason,
        Event::Changed { node: Some((_, state)), .. } => {
            return match state {
                NodeState::Ready => "ready",
                NodeState::Draining => "draining",
                NodeState::Down => "down",
            };
        }
        _ => return "",
    };
    match reason {
        EvictReason::ReclaimedForFairShare => "fair-share",
        EvictReason::ReclaimedForQuota => "quota",
        EvictReason::AboveLimit => "above-limit",
        EvictReason::StaleGang => "stale-gang",
        EvictReason::NodeLost => "node-lost",
        EvictReason::Withdrawn => "withdrawn",
        EvictReason::Preempted | EvictReason::Moved => "",
    }
}

/// A comparison.
pub fn check(cluster: &Cluster, check: &Check) -> CheckRow {
    let subject = &check.subject;
    let queue = |id| cluster.queues[id].name.to_string();
    let job = |id| cluster.jobs[id].name.to_string();
    let (left, left_value) = term(&check.left);
    let (right, right_value) = term(&check.right);
    let Rule(rule) = check.rule;
    CheckRow {
        rule: rule.key.to_string(),
        says: rule.says.to_string(),
        formula: rule.formula.to_string(),
        source: rule.source.to_string(),
        differs: rule.differs.to_string(),
        queue: subject.queue.map(queue).unwrap_or_default(),
        other_queue: subject.other_queue.map(queue).unwrap_or_default(),
        job: subject.job.map(job).unwrap_or_default(),
        other_job: subject.other_job.map(job).unwrap_or_default(),
        node: subject.node.map(|id| cluster.nodes[id].name.to_string()).unwrap_or_default(),
        resource: subject.resource.map(|Resource(r)| r),
        left,
        left_value,
        op: match check.op {
            Op::Less => "<",
            Op::AtMost => "<=",
            Op::Equal => "=",
            Op::Exceeds => ">",
            Op::AtLeast => ">=",
        }
        .to_string(),
        right,
        right_value,
        holds: check.holds,
    }
}

/// A side of a comparison: its quantity in kebab case, and its value.
pub fn term(term: &Term) -> (String, ValueRow) {
    let finite = |v: f64| v.is_finite().then_some(v);
    let value = match &term.value {
        Value::Real(v) => ValueRow::Real(finite(*v)),
        Value::Triple(v) => ValueRow::Triple(v.map(finite)),
        Value::Count(n) => ValueRow::Count(*n),
        Value::Time(t) => ValueRow::Time(t.as_millis()),
        Value::Name(name) => ValueRow::Name(name.to_string()),
    };
    (kebab(&format!("{:?}", term.quantity)), value)
}

/// `AllocatedWithJob` as `allocated-with-job`.
fn kebab(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    for (i, c) in name.char_indices() {
        if c.is_ascii_uppercase() && i > 0 {
            out.push('-');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

/// Who stays, and why.
pub fn spared(cluster: &Cluster, spared: &Spared) -> SparedRow {
    let (job, queue) = match spared.whom {
        Whom::Queue(queue) => (String::new(), queue),
        Whom::Job(job) => (cluster.jobs[job].name.to_string(), cluster.jobs[job].queue),
    };
    let (why, n, decided) = match &spared.why {
        Protection::NonPreemptible => ("non-preemptible", 0, None),
        Protection::Core { pods } => ("core", *pods, None),
        Protection::Failed(check) => ("failed", 0, Some(check)),
        Protection::Later(check) => ("later", 0, Some(check)),
        Protection::OwnQueue { jobs } => ("own-queue", *jobs, None),
        Protection::NotNeeded => ("not-needed", 0, None),
    };
    let by = cluster.jobs[spared.by].name.to_string();
    let check = decided.map(|decided| check(cluster, decided));
    SparedRow { by, job, queue: queue.0, why: why.to_string(), n, check }
}

/// Why a job is still pending.
pub fn refusal(cluster: &Cluster, refusal: &Refusal) -> RefusalRow {
    let job = &cluster.jobs[refusal.job];
    RefusalRow {
        job: job.name.to_string(),
        queue: job.queue.0,
        gate: gate(cluster, &refusal.gate),
        also: refusal.also.iter().map(|g| gate(cluster, g)).collect(),
        checks: refusal.checks.iter().map(|c| check(cluster, c)).collect(),
        outlook: outlook(cluster, refusal.outlook),
    }
}

fn outlook(cluster: &Cluster, outlook: Outlook) -> OutlookRow {
    match outlook {
        Outlook::NextCycle => OutlookRow::NextCycle,
        Outlook::At { time, what } => {
            let at_ms = time.as_millis();
            match what {
                Ending::Termination => OutlookRow::Terminated(at_ms),
                Ending::Protection => OutlookRow::Unprotected(at_ms),
                Ending::Reservation => OutlookRow::Unreserved(at_ms),
                Ending::Backoff => OutlookRow::Retried(at_ms),
            }
        }
        Outlook::WhenEnds { job, at } => {
            let job = cluster.jobs[job].name.to_string();
            OutlookRow::WhenEnds(job, at.map(|at| at.as_millis()))
        }
        Outlook::OnlyByEdit => OutlookRow::OnlyByEdit,
        Outlook::NotForeseeable => OutlookRow::NotForeseeable,
    }
}

/// What became of a job that waits no more, though it is not over.
pub fn fate(gate: &Gate) -> Option<&'static str> {
    match gate {
        Gate::GangFailed => Some("failed"),
        Gate::GangRefused => Some("refused"),
        _ => None,
    }
}

fn gate(cluster: &Cluster, gate: &Gate) -> GateRow {
    let row = |kind: &str| GateRow { kind: kind.to_string(), ..GateRow::default() };
    let queue = |id| cluster.queues[id].name.to_string();
    match gate {
        Gate::NotReady => row("not-ready"),
        Gate::NotALeaf => row("not-a-leaf"),
        Gate::TooLarge { resource } => GateRow { resource: Some(resource.0), ..row("too-large") },
        Gate::OverLimit { queue: q, resource } => {
            GateRow { queue: queue(*q), resource: Some(resource.0), ..row("over-limit") }
        }
        Gate::UserLimit { queue: q, resource } => {
            GateRow { queue: queue(*q), resource: Some(resource.0), ..row("user-limit") }
        }
        Gate::TooManyJobs { queue: q } => GateRow { queue: queue(*q), ..row("too-many-jobs") },
        Gate::NonPreemptibleOverQuota { queue: q, resource } => {
            GateRow { queue: queue(*q), resource: Some(resource.0), ..row("non-preemptible-over-quota") }
        }
        Gate::NotEntitled { queue: q } => GateRow { queue: queue(*q), ..row("not-entitled") },
        Gate::NoVictims { tried, ancestor } => {
            let queue = ancestor.map(queue).unwrap_or_default();
            GateRow { placed: *tried, queue, ..row("no-victims") }
        }
        Gate::VictimsProtected { until } => {
            GateRow { until_ms: Some(until.as_millis()), ..row("victims-protected") }
        }
        Gate::NoNode { placed, of, reasons, free } => GateRow {
            placed: *placed,
            free: free.map(|free| (free.total, free.most)),
            of: *of,
            nodes: reasons.iter().map(|(reason, n)| (node_reason(cluster, *reason), *n)).collect(),
            ..row("no-node")
        },
        Gate::Behind { job } => GateRow { job: cluster.jobs[*job].name.to_string(), ..row("behind") },
        Gate::WaitingForVictims { until } => {
            GateRow { until_ms: until.map(|t| t.as_millis()), ..row("waiting-for-victims") }
        }
        Gate::GangIncomplete { held, of, until } => GateRow {
            placed: *held,
            of: *of,
            until_ms: until.map(|t| t.as_millis()),
            ..row("gang-incomplete")
        },
        Gate::GangFailed => row("gang-failed"),
        Gate::GangRefused => row("gang-refused"),
        Gate::TriedOnce => row("tried-once"),
        Gate::LikeFailed { job } => {
            GateRow { job: cluster.jobs[*job].name.to_string(), ..row("like-failed") }
        }
    }
}

fn node_reason(cluster: &Cluster, reason: NodeReason) -> String {
    match reason {
        NodeReason::Insufficient(resource) => {
            let named = resource.nth_named().and_then(|n| cluster.named.get(n));
            format!("insufficient-{}", named.map_or(resource.name(), |name| name))
        }
        NodeReason::PodSlots => "pod-slots".to_string(),
        NodeReason::NotReady => "not-ready".to_string(),
        NodeReason::Selector => "selector".to_string(),
        NodeReason::Taint => "taint".to_string(),
        NodeReason::Gate => "gate".to_string(),
    }
}

/// The steps of a division as the levels of a ladder.
pub fn ladder(cluster: &Cluster, steps: &[DivisionStep]) -> Vec<LadderLevel> {
    let name = |id| cluster.queues[id].name.to_string();
    let mut levels: Vec<LadderLevel> = Vec::new();
    for step in steps {
        let line = match step {
            DivisionStep::Capacity { of, amount } => {
                let of = of.map(name).unwrap_or_default();
                levels.push(LadderLevel { of, capacity: *amount, ..LadderLevel::default() });
                continue;
            }
            DivisionStep::Result { queue, fair_share } => {
                if let Some(level) = levels.last_mut() {
                    level.queue = name(*queue);
                    level.fair_share = *fair_share;
                }
                continue;
            }
            DivisionStep::Beside { rule: Rule(rule), fair_share, .. } => {
                if let Some(level) = levels.last_mut() {
                    level.beside.push(BesideRow {
                        says: rule.says.to_string(),
                        formula: rule.formula.to_string(),
                        fair_share: *fair_share,
                    });
                }
                continue;
            }
            DivisionStep::Quota { rule, queue, quota, requestable, granted, remaining } => LadderLine {
                kind: "quota".to_string(),
                pot: *quota,
                weight: *requestable,
                given: *granted,
                remaining: *remaining,
                ..line(*rule, name(*queue))
            },
            DivisionStep::Round { rule, priority, round, queue, pot, weight, part, offer, wanted, given } => {
                LadderLine {
                    kind: "round".to_string(),
                    priority: *priority,
                    round: *round,
                    pot: *pot,
                    weight: *weight,
                    part: *part,
                    offer: *offer,
                    wanted: *wanted,
                    given: *given,
                    ..line(*rule, name(*queue))
                }
            }
            DivisionStep::Rise { rule, queue, .. } => rise(step, line(*rule, name(*queue))),
            DivisionStep::Remainder { rule, queue, fraction, given } => LadderLine {
                kind: "remainder".to_string(),
                offer: *fraction,
                given: *given,
                ..line(*rule, name(*queue))
            },
        };
        if let Some(level) = levels.last_mut() {
            level.lines.push(line);
        }
    }
    levels
}

/// A round in which dominant shares rise.
fn rise(step: &DivisionStep, line: LadderLine) -> LadderLine {
    let DivisionStep::Rise { round, shares, dominant, weight, wanted, given, end, .. } = step else {
        return line;
    };
    LadderLine {
        kind: if shares.is_some() { "rise" } else { "rest" }.to_string(),
        round: *round,
        weight: *weight,
        part: shares.unwrap_or_default(),
        wanted: *wanted,
        given: *given,
        dominant: dominant.name().to_string(),
        end: match end {
            RiseEnd::GoesOn => String::new(),
            RiseEnd::HasAll => "all".to_string(),
            RiseEnd::UsedUp(resource) => resource.name().to_string(),
        },
        ..line
    }
}

fn line(Rule(rule): Rule, queue: String) -> LadderLine {
    LadderLine { rule: rule.key.to_string(), says: rule.says.to_string(), queue, ..LadderLine::default() }
}

#[cfg(test)]
mod tests {
    use super::kebab;

    #[test]
    fn quantities_are_spelled_in_kebab_case() {
        assert_eq!(kebab("AllocatedWithJob"), "allocated-with-job");
        assert_eq!(kebab("Quota"), "quota");
    }
}
