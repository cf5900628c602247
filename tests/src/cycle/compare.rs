//! Compares simulated rounds with a recorded outcome, step by step, and finds the first difference.

use std::collections::BTreeMap;
use std::fmt;

use fairground::policy::kai::recorded::{CycleOutcome, Quantities, Status};

use super::Ran;
use super::decisions::{self, Names, RoundDecisions};
use super::format::{Case, Outcome, Round};
use super::snapshot;

/// First difference with its position.
#[derive(Clone, Debug)]
pub struct Difference {
    round: usize,
    /// 0 for the opening, then 1 + the position of the action.
    step: usize,
    says: String,
}

impl Difference {
    /// Position up to which the executions agree.
    pub fn at(&self) -> (usize, usize) {
        (self.round, self.step)
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "round {} {}", self.round, self.says)
    }
}

/// Returns the first difference between simulated rounds and those of an outcome from round `first` on.
///
/// `ran` may be longer than the recording, which stops when nothing changes.
pub(super) fn compare(case: &Case, ran: &[Ran], outcome: &Outcome, first: usize) -> Result<Option<Difference>, String> {
    let recorded: Vec<&Round> = outcome.rounds.iter().skip(first).take(ran.len()).collect();
    let ran = &ran[..recorded.len()];
    let mut expected: Vec<RoundDecisions> =
        recorded.iter().map(|r| decisions::recorded(case, r)).collect::<Result<_, _>>()?;
    let mut got: Vec<RoundDecisions> =
        ran.iter().map(|r| decisions::simulated(case, &r.outcome)).collect::<Result<_, _>>()?;
    let end = crash_step(case, outcome)?.filter(|_| first + ran.len() == outcome.rounds.len());
    if let (Some(at), Some(expected), Some(got)) = (end, expected.last_mut(), got.last_mut()) {
        cut_at_crash(expected, got, at);
    }
    let (mut expected_names, mut got_names) = (Names::new(), Names::new());
    if let Some(opening) = ran.first().map(|r| &r.opening) {
        expected_names = decisions::name_devices(case, opening, &mut expected);
        got_names = decisions::name_devices(case, opening, &mut got);
    }
    let named = (&expected_names, &got_names);
    for (i, ran) in ran.iter().enumerate() {
        let round = first + i;
        let end = end.filter(|_| round + 1 == outcome.rounds.len());
        let found = opening_difference(ran, recorded[i], named)
            .map(|says| (0, format!("opening: {says}")))
            .or_else(|| round_difference(case, outcome, recorded[i], &ran.outcome, &expected[i], &got[i], end));
        if let Some((step, says)) = found {
            return Ok(Some(Difference { round, step, says }));
        }
    }
    Ok(None)
}

/// Position of the action in which the real scheduler crashed, at the end of the outcome's last round.
fn crash_step(case: &Case, outcome: &Outcome) -> Result<Option<usize>, String> {
    let Some(crash) = &outcome.panic else { return Ok(None) };
    let at = case.config.actions.iter().position(|a| *a == crash.action);
    at.map(Some).ok_or_else(|| format!("crash in {:?}, which is not configured", crash.action))
}

/// Of the crashed action only the committed statements count; what follows is unspecified.
fn cut_at_crash(expected: &mut RoundDecisions, got: &mut RoundDecisions, at: usize) {
    let committed = expected[at].commits.len();
    for steps in [expected, got] {
        steps.truncate(at + 1);
        if let Some(last) = steps.last_mut() {
            last.commits.truncate(committed);
            last.pods.clear();
            last.started.clear();
            last.stale.clear();
        }
    }
}

/// Compares the opening of a round, which checks the write-back of the runner. Objects missing in the recording are
/// differences.
fn opening_difference(ran: &Ran, recorded: &Round, (expected_names, got_names): (&Names, &Names)) -> Option<String> {
    let open = recorded.open.as_ref()?;
    for job in &ran.opening.jobs {
        for pod in &job.pods {
            let Some((status, node, groups)) = open.pods.get(&pod.name) else {
                return Some(format!("pod {}: not in the recording", pod.name));
            };
            let got = snapshot::status_name(pod.status);
            if (got, &pod.node) != (status, node) {
                return Some(format!("pod {}: expected {status} {node}, got {got} {}", pod.name, pod.node));
            }
            let groups = decisions::named(expected_names, node, groups);
            let got = decisions::named(got_names, &pod.node, &pod.gpu_groups);
            if holds(pod.status) && got != groups {
                return Some(format!("pod {}: expected devices {groups:?}, got {got:?}", pod.name));
            }
        }
        let Some(expected) = open.jobs.get(&job.name) else {
            return Some(format!("job {}: not in the recording", job.name));
        };
        let Some((_, allocated)) = ran.outcome.jobs.iter().find(|(name, _)| *name == job.name) else {
            return Some(format!("job {}: no numbers", job.name));
        };
        if !same_triple(near, expected.allocated, *allocated) {
            let (expected, got) = (show(expected.allocated), show(*allocated));
            return Some(format!("job {}: expected allocated {expected}, got {got}", job.name));
        }
        let times = (job.last_start_s, job.stale_since_s);
        let recorded = (expected.last_start_s, expected.stale_since_s);
        if times != recorded {
            return Some(format!("job {}: expected start and staleness {recorded:?}, got {times:?}", job.name));
        }
        let (evicted, recorded) = (job.last_eviction_s, expected.last_eviction_s);
        if job.preemption_delay_s.is_some() && evicted != recorded {
            return Some(format!("job {}: expected last eviction {recorded:?}, got {evicted:?}", job.name));
        }
    }
    None
}

/// Whether a pod uses devices; those of other pods are outdated.
fn holds(status: Status) -> bool {
    !matches!(status, Status::Pending | Status::Gated | Status::Succeeded | Status::Failed)
}

/// Allocated and allocated non-preemptible by queue.
type Numbers = BTreeMap<String, (Quantities, Quantities)>;

fn round_difference(
    case: &Case,
    outcome: &Outcome,
    recorded: &Round,
    ran: &CycleOutcome,
    expected: &RoundDecisions,
    got: &RoundDecisions,
    crash: Option<usize>,
) -> Option<(usize, String)> {
    let same = same_for(outcome);
    let mut numbers = None;
    if let Some(shares) = recorded.shares.as_ref().filter(|_| !outcome.queues_vary) {
        if let Some(says) = shares_difference(shares, ran, same) {
            return Some((0, format!("opening: {says}")));
        }
        let start = shares.iter().map(|(q, s)| (q.clone(), (s.allocated, s.allocated_non_preemptible)));
        let start: Numbers = start.collect();
        numbers = Some((start.clone(), start));
    }
    for (i, action) in case.config.actions.iter().enumerate().take(expected.len()) {
        if let Some(says) = decisions::difference(&expected[i], &got[i]) {
            return Some((i + 1, format!("{action}, {says}")));
        }
        if crash == Some(i) {
            return None;
        }
        let Some((expected, got)) = &mut numbers else { continue };
        for after in recorded.steps.iter().filter(|s| s.action == *action).flat_map(|s| &s.queues) {
            let (queue, after) = after;
            expected.insert(queue.clone(), (after.allocated, after.allocated_non_preemptible));
        }
        for (queue, allocated, non_preemptible) in &ran.steps[i].queues {
            got.insert(queue.to_string(), (*allocated, *non_preemptible));
        }
        if let Some(says) = numbers_difference(expected, got, same) {
            return Some((i + 1, format!("{action}, {says}")));
        }
    }
    None
}

fn shares_difference(
    expected: &BTreeMap<String, super::format::Shares>,
    ran: &CycleOutcome,
    same: Same,
) -> Option<String> {
    for (queue, expected) in expected {
        let Some(got) = ran.shares.iter().find(|s| *s.queue == **queue) else {
            return Some(format!("queue {queue}: no numbers"));
        };
        let columns = [
            ("request", expected.request, got.request),
            ("allocated", expected.allocated, got.allocated),
            ("non-preemptible", expected.allocated_non_preemptible, got.allocated_non_preemptible),
            ("fair share", expected.fair_share, got.fair_share),
        ];
        for (name, expected, got) in columns {
            if !same_triple(same, expected, got) {
                return Some(format!("queue {queue} {name}: expected {}, got {}", show(expected), show(got)));
            }
        }
    }
    None
}

fn numbers_difference(expected: &Numbers, got: &Numbers, same: Same) -> Option<String> {
    for (queue, (allocated, non_preemptible)) in expected {
        let Some((got_allocated, got_non_preemptible)) = got.get(queue) else {
            return Some(format!("queue {queue}: no numbers"));
        };
        for (name, expected, got) in
            [("allocated", allocated, got_allocated), ("non-preemptible", non_preemptible, got_non_preemptible)]
        {
            if !same_triple(same, *expected, *got) {
                return Some(format!("queue {queue} {name}: expected {}, got {}", show(*expected), show(*got)));
            }
        }
    }
    None
}

/// Equality of two numbers.
pub type Same = fn(f64, f64) -> bool;

/// Equality for an outcome. A single execution cannot show that sums are independent of the order of summation.
pub fn same_for(outcome: &Outcome) -> Same {
    if outcome.queues_exact && outcome.n > 1 { exact } else { near }
}

fn exact(l: f64, r: f64) -> bool {
    l == r
}

/// Relative tolerance of 1e-9; zero may be a rounding residue of amounts up to one unit.
fn near(l: f64, r: f64) -> bool {
    (l - r).abs() <= 1e-9 * l.abs().max(r.abs()).max(1.0)
}

fn same_triple(same: Same, l: Quantities, r: Quantities) -> bool {
    same(l.cpu, r.cpu) && same(l.memory, r.memory) && same(l.gpu, r.gpu)
}

fn show(q: Quantities) -> String {
    format!("{:?}/{:?}/{:?}", q.cpu, q.memory, q.gpu)
}
