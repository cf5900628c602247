//! The sides of a comparison against values from an independent account.

use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};

use fairground::cluster::GpuRequest;
use fairground::id::{Id, JobId, PodId, QueueId};
use fairground::policy::Policy;
use fairground::time::Time;
use fairground::trace::{Check, Quantity, QueuePriority, Term, Value};
use fairground::units::Resource;

use super::accounts::{Accounts, Triple, plus, same, sums, sums_in_order, sums_of_one_each};
use super::fair_shares::Shares;
use super::moments::{MomentState, PodPlace};
use super::preempted::Preempted;
use super::rooms::Rooms;

/// What a comparison was made for, at one moment.
#[derive(Debug)]
pub struct Context<'a> {
    /// Accounts of the pool of the decision.
    pub accounts: Accounts<'a>,
    pub policy: &'a Policy,
    /// Latest start of every job before the cycle.
    pub starts: &'a [Option<Time>],
    /// Since when each gang is below its minimum.
    pub stale: &'a BTreeMap<JobId, Time>,
    /// When each job last lost a pod for another job.
    pub evicted: &'a BTreeMap<JobId, Time>,
    /// The state after the cycle.
    pub end: &'a MomentState,
    /// What is free on the nodes, under KAI's engine.
    pub rooms: Later<'a, Option<Rooms<'a>>>,
    /// Jobs that the scheduler does not consider at all.
    pub rejected: Vec<JobId>,
    /// Gangs whose reservations have expired.
    pub expired: &'a BTreeSet<JobId>,
    /// Preemptions of YuniKorn until the end of the cycle.
    pub preempted: &'a [Preempted],
    /// Priority offsets of the queues of the pool, under a policy that has them.
    pub offsets: &'a [QueuePriority],
    /// Different ones that they have had.
    pub earlier_offsets: &'a [Vec<QueuePriority>],
    /// Fair shares of the pool at the start of the cycle.
    pub shares: &'a Shares,
    pub now: Time,
    /// Pods that the request may consist of, in order.
    pub asked: Vec<PodId>,
    /// How many of the first of them it includes at least; `None`: it may be any of them.
    pub at_least: Option<usize>,
    /// Pods evicted before that may have been subtracted again.
    pub twice: Vec<PodId>,
    /// Pods that the evictions may consist of.
    pub lost: Vec<PodId>,
    /// Whether they consist of the first of these, as recorded.
    pub is_recorded: bool,
    /// EGO: consumers, pools and earmarks.
    pub ego: Option<super::ego::Moment<'a>>,
}

/// A value that is computed when it is first needed.
pub type Later<'a, T> = LazyCell<T, Box<dyn FnOnce() -> T + 'a>>;

/// What a side has to be.
#[derive(Clone, Debug)]
pub enum Expect {
    /// One of these amounts.
    Amounts(Vec<Triple>),
    /// One of these values.
    Values(Vec<Value>),
    /// It says no number, or a constant of the rule.
    Nothing,
    /// No independent source is known.
    Unknown,
}

/// Result for one side or one of its parts.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    /// Equal to the independent value.
    Right,
    Wrong(String),
    Unknown,
}

/// The queue and the job of a side.
#[derive(Clone, Copy, Debug, Default)]
pub struct Owner {
    pub queue: Option<QueueId>,
    pub job: Option<JobId>,
}

/// A side of a comparison, or one of the amounts it was computed from.
#[derive(Clone, Copy, Debug)]
pub struct Operand<'a> {
    pub check: &'a Check,
    pub is_left: bool,
    pub term: &'a Term,
    /// The term that was computed from this one.
    pub of: Option<&'a Term>,
}

impl Operand<'_> {
    /// Its owner: the other queue and job if both sides have the same quantity, or if it is about a victim.
    pub fn owner(&self) -> Owner {
        let Check { subject, left, right, .. } = self.check;
        let this = Owner { queue: subject.queue, job: subject.job };
        let other = Owner { queue: subject.other_queue, job: subject.other_job };
        let has_other = subject.other_queue.is_some() || subject.other_job.is_some();
        let is_of_victim = left.quantity == Quantity::AllocatedWithoutVictims && has_other
            || left.quantity == Quantity::Runtime && subject.other_job.is_some();
        let is_other = is_of_victim || !self.is_left && left.quantity == right.quantity && has_other;
        if is_other { other } else { this }
    }

    /// The quantity of the side itself.
    pub fn whole(&self) -> Quantity {
        self.of.unwrap_or(self.term).quantity
    }

    pub fn part(&self, quantity: Quantity) -> Option<f64> {
        self.term.parts.iter().find(|part| part.quantity == quantity).and_then(|part| number(&part.value, 0))
    }

    /// The resource numbers that it has a value for.
    pub fn resources(&self) -> Vec<usize> {
        match (&self.term.value, self.check.subject.resource) {
            (Value::Triple(_), _) => vec![0, 1, 2],
            (_, Some(resource)) => vec![resource.index()],
            _ => Vec::new(),
        }
    }
}

/// The number of a value for a resource.
pub fn number(value: &Value, r: usize) -> Option<f64> {
    match value {
        Value::Real(real) => Some(*real),
        Value::Product([a, b]) => Some(a * b),
        Value::Triple(triple) => triple.get(r).copied(),
        Value::Count(n) => Some(*n as f64),
        Value::Sum([a, b]) => Some((a + b) as f64),
        Value::Time(_) | Value::Name(_) => None,
    }
}

/// Equality except for the last bits.
pub fn same_number(a: f64, b: f64) -> bool {
    same(a, b)
}

fn same_value(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Time(a), Value::Time(b)) => a == b,
        (Value::Name(a), Value::Name(b)) => a == b,
        (Value::Sum(a), Value::Sum(b)) => a == b,
        _ => match (number(a, 0), number(b, 0)) {
            (Some(a), Some(b)) => same(a, b),
            _ => false,
        },
    }
}

/// Compares a side with what it has to be.
pub fn judge(place: Operand<'_>, expect: Expect) -> Found {
    let says = |expected: String| {
        Found::Wrong(format!("{:?} is {:?} instead of {expected}", place.term.quantity, place.term.value))
    };
    match expect {
        Expect::Unknown => Found::Unknown,
        Expect::Nothing => Found::Right,
        Expect::Values(values) => {
            if values.iter().any(|value| same_value(value, &place.term.value)) {
                Found::Right
            } else {
                says(format!("{values:?}"))
            }
        }
        Expect::Amounts(amounts) => {
            let resources = place.resources();
            if resources.is_empty() || resources.iter().any(|r| *r > 2) {
                return Found::Unknown;
            }
            let is = |amount: &Triple| {
                let of = |r: usize| number(&place.term.value, r).is_some_and(|value| same(value, amount[r]));
                resources.iter().all(|&r| of(r))
            };
            if amounts.iter().any(is) { Found::Right } else { says(format!("{amounts:?}")) }
        }
    }
}

/// Calls `each` with both sides of a check and everything that they were computed from.
pub fn each_place<'a>(check: &'a Check, each: &mut dyn FnMut(Operand<'a>)) {
    fn walk<'a>(place: Operand<'a>, each: &mut dyn FnMut(Operand<'a>)) {
        each(place);
        for part in &place.term.parts {
            walk(Operand { term: part, of: Some(place.term), ..place }, each);
        }
    }
    for (is_left, term) in [(true, &check.left), (false, &check.right)] {
        walk(Operand { check, is_left, term, of: None }, each);
    }
}

impl Context<'_> {
    pub fn share(&self, queue: QueueId) -> Option<Triple> {
        self.shares.shares.get(queue.index()).copied()
    }

    /// Latest start of a job, before the cycle and in it.
    pub fn last_start(&self, job: JobId) -> Vec<Time> {
        let after = self.accounts.cluster.jobs[job].last_start;
        let claimed = self.starts_with_claims(job).then_some(self.now);
        self.starts[job.index()].into_iter().chain(after).chain(claimed).collect()
    }

    /// Whether a job with a minimum of 0 has claims: under the engine of KAI it has started then.
    fn starts_with_claims(&self, job: JobId) -> bool {
        let cluster = self.accounts.cluster;
        let mut claims = self.accounts.state.claims.iter().map(|claim| &cluster.pods[claim.0]);
        claims.any(|pod| pod.job == job && cluster.pod_sets[pod.pod_set].min_available == 0)
    }

    /// What the request may be: some of the pods that wait or, of a decision, the pods that it places from this moment
    /// on.
    pub fn requests(&self, in_test: bool) -> Vec<Triple> {
        let of = |pod: &PodId| self.accounts.pending(*pod, in_test);
        let Some(least) = self.at_least else { return sums(self.asked.iter().map(of)) };
        let mut sum = [0.0; 3];
        let mut all = Vec::new();
        for (i, pod) in self.asked.iter().enumerate() {
            sum = plus(sum, of(pod));
            if i + 1 >= least {
                all.push(sum);
            }
        }
        all
    }

    /// What evictions below a queue may free.
    pub fn losses(&self, queue: QueueId) -> Vec<Triple> {
        if self.is_recorded { sums_in_order(self.taken(queue, &self.lost)) } else { self.amounts(queue, &self.lost) }
    }

    /// Every sum of what some of these pods take below a queue.
    pub fn amounts(&self, queue: QueueId, pods: &[PodId]) -> Vec<Triple> {
        sums_of_one_each(self.taken(queue, pods))
    }

    /// What each of these pods may take below a queue.
    fn taken(&self, queue: QueueId, pods: &[PodId]) -> impl Iterator<Item = Vec<Triple>> {
        let cluster = self.accounts.cluster;
        let is_below =
            move |pod: &&PodId| cluster.path_to_root(cluster.jobs[cluster.pods[**pod].job].queue).any(|q| q == queue);
        let node = |pod: PodId| match self.accounts.place(pod) {
            PodPlace::On(node) | PodPlace::Leaving(node) => Some(node),
            _ => self.accounts.state.claims.iter().find(|claim| claim.0 == pod).map(|claim| claim.1),
        };
        let of = move |pod: &PodId| Some(self.accounts.evicted_from(*pod, node(*pod)?));
        pods.iter().filter(is_below).filter_map(of)
    }
}

/// Memory that a request takes of each of its devices.
pub fn mib_of(gpu: GpuRequest, device_mib: i64) -> i64 {
    match gpu {
        GpuRequest::Memory { mib, .. } => mib,
        GpuRequest::Fraction { portion, .. } => (portion.in_policy_units(Resource::GPU) * device_mib as f64) as i64,
        GpuRequest::Whole { .. } | GpuRequest::None => device_mib,
    }
}
