//! Outlooks of refusals come true: laws of [`Outlook`] and [`Expectation`], over generated plans, by continuing the
//! run.

use std::collections::BTreeMap;
use std::sync::Arc;

use fairground::id::{JobId, PodId};
use fairground::moment::{self, Names};
use fairground::policy::{Policy, Rhythm, ego, yunikorn};
use fairground::scenario::Plan;
use fairground::sim::{CycleRecord, Simulation};
use fairground::time::Span;
use fairground::trace::{Ending, Event, Gate, Outlook, Refusal};
use fairground::units::Resource;
use fairground::words::{Expectation, RoomNeeded, expectation};
use fairground_tests::worlds::{Numbers, plan};
use proptest::prelude::*;

/// Number of checked cycles.
const CYCLES: u32 = 40;

fn policies() -> Vec<Policy> {
    let properties = [("preemption.delay".to_owned(), "1s".to_owned())].into_iter().collect();
    let quick = yunikorn::config::Queue { properties, ..Default::default() };
    let impatient =
        yunikorn::Config { queues: [("root".to_owned(), quick)].into_iter().collect(), ..Default::default() };
    let graceful = ego::Config { grace: Some(Span::from_seconds(3)), ..Default::default() };
    vec![
        Policy::Kai(Default::default()),
        Policy::Fifo(()),
        Policy::Runai(Default::default()),
        Policy::YuniKorn(Default::default()),
        Policy::MaxMin(()),
        Policy::Ego(Default::default()),
        Policy::Drf(()),
        Policy::YuniKorn(impatient),
        Policy::Ego(graceful),
    ]
}

fn plans() -> impl Strategy<Value = Plan> {
    let policies = policies();
    (prop::collection::vec(any::<u8>(), 0..200), 0..policies.len(), any::<bool>())
        .prop_map(move |(numbers, policy, is_slow)| world(numbers, policies[policy].clone(), is_slow))
}

/// A generated plan; a slow one has long start and termination times.
fn world(numbers: Vec<u8>, policy: Policy, is_slow: bool) -> Plan {
    let mut plan = plan(&mut Numbers::new(numbers), policy);
    if is_slow {
        plan.rhythm = Rhythm::every(Span::from_seconds(1));
        plan.cluster.delays.termination = Span::from_millis(3500);
        for (i, queue) in plan.cluster.queues.values_mut().enumerate() {
            let protection = Some(Span::from_millis(4000 + 700 * i as i64));
            (queue.reclaim_min_runtime, queue.preempt_min_runtime) = (protection, protection);
        }
    }
    plan
}

/// A run, with the data to check its outlooks.
struct Run {
    records: Vec<CycleRecord>,
    /// Job per pod.
    jobs: Vec<JobId>,
    /// What the sentences say that each refused job waits for, per cycle and refusal.
    expected: Vec<Vec<Option<Expectation>>>,
    /// Free GPUs of each node that takes pods, per cycle.
    free: Vec<Vec<f64>>,
}

impl Run {
    fn of(plan: &Plan) -> Run {
        let mut simulation = Simulation::new(plan);
        let jobs = simulation.cluster().pods.values().map(|pod| pod.job).collect();
        let names = Arc::new(Names::of(plan.policy.key(), simulation.cluster()));
        let mut run = Run { records: Vec::new(), jobs, expected: Vec::new(), free: Vec::new() };
        run.push(&names, &simulation, simulation.opening().clone());
        while let Some(record) = (simulation.cycle() < CYCLES).then(|| simulation.advance()).flatten() {
            run.push(&names, &simulation, record);
        }
        run
    }

    fn push(&mut self, names: &Arc<Names>, simulation: &Simulation, record: CycleRecord) {
        let frame = moment::frame(names, simulation, &record);
        self.expected.push(record.refusals.iter().map(|refusal| expectation(&frame, refusal)).collect());
        let nodes = simulation.cluster().nodes.iter().filter(|(_, node)| node.takes_pods());
        let free = nodes.map(|(id, node)| {
            let used = simulation.world().node_use(id).used().get(Resource::GPU);
            (node.capacity.get(Resource::GPU) - used).in_policy_units(Resource::GPU)
        });
        self.free.push(free.collect());
        self.records.push(record);
    }

    /// Jobs for which pods are evicted in a cycle.
    fn evicts_for(&self, at: usize, job: JobId) -> bool {
        let is_for = |event: &Event| matches!(event, Event::Evicted { by: Some(by), .. } if *by == job);
        self.records[at].events.iter().any(|recorded| is_for(&recorded.event))
    }

    /// Whether the room that a job had claimed in the cycle before was taken by another one, and pods are evicted for
    /// it again.
    fn loses_claim(&self, at: usize, job: JobId) -> bool {
        let claims = |event: &Event| match *event {
            Event::Claimed { pod, node } if self.job_of(pod) == job => Some(node),
            _ => None,
        };
        let Some(before) = at.checked_sub(1).map(|before| &self.records[before].events) else { return false };
        let claimed: Vec<_> = before.iter().filter_map(|recorded| claims(&recorded.event)).collect();
        let bound = self.records[at].events.iter().filter_map(|recorded| match recorded.event {
            Event::Bound { pod, node, .. } => Some((self.job_of(pod), node)),
            _ => None,
        });
        let bound: Vec<_> = bound.collect();
        let is_taken = bound.iter().any(|(other, node)| *other != job && claimed.contains(node));
        is_taken && bound.iter().all(|(other, _)| *other != job) && self.evicts_for(at, job)
    }

    /// Whether the run contradicts what a sentence says that a job waits for; `None` if it does not tell.
    fn is_expected(&self, at: usize, refusal: &Refusal, expected: &Expectation) -> Option<bool> {
        let (job, next, end) = (refusal.job, at + 1, self.records.len());
        match *expected {
            // Room that is free already is not what the job waits for.
            Expectation::Room { room: RoomNeeded::Gpus { each, pods }, .. } => {
                let fit = self.free[at].iter().map(|free| (free / each + 1e-9).floor());
                Some(fit.sum::<f64>() < f64::from(pods))
            }
            Expectation::Victims => {
                let is_gone = |later: &usize| {
                    let waits = |refusal: &&Refusal| refusal.job == job;
                    self.records[*later]
                        .refusals
                        .iter()
                        .find(waits)
                        .is_none_or(|refusal| !matches!(refusal.gate, Gate::WaitingForVictims { .. }))
                };
                let then = (next..end).find(is_gone).filter(|&then| !self.is_disturbed(next..=then))?;
                Some(!self.served(then).is_empty())
            }
            Expectation::LostClaim(lost) if lost.is_loop() => {
                let is_same = next < end && self.evicts_for(at, job) && self.is_loop_undisturbed(at, next);
                is_same.then(|| self.evicts_for(next, job) && self.starts(next, lost.taker))
            }
            _ => None,
        }
    }

    fn starts(&self, at: usize, job: JobId) -> bool {
        let is_start = |event: &Event| matches!(*event, Event::Bound { pod, .. } if self.job_of(pod) == job);
        self.records[at].events.iter().any(|recorded| is_start(&recorded.event))
    }

    /// Whether the outside events of two consecutive cycles are the same, and so are the decisions of the first one and
    /// the one before: then nothing but the passing of time can end a loop.
    fn is_loop_undisturbed(&self, at: usize, next: usize) -> bool {
        let outside = |at: usize| {
            let record = &self.records[at];
            record.events[..record.n_outside as usize].iter().map(|recorded| recorded.event).collect::<Vec<_>>()
        };
        let decided = |at: usize| {
            let record = &self.records[at];
            record.events[record.n_outside as usize..].iter().map(|recorded| recorded.event).collect::<Vec<_>>()
        };
        at > 0 && outside(at) == outside(next) && decided(at) == decided(at - 1)
    }

    /// Whether a steady run evicts pods for a job although its outlook does not say so: neither this cycle nor anything
    /// from outside changes anything before the next one.
    fn evicts_unannounced(&self, at: usize, refusal: &Refusal) -> bool {
        let next = at + 1;
        let is_steady = at > 0
            && next < self.records.len()
            && self.records[at].events.is_empty()
            && !self.reserves(at)
            && self.records[next].n_outside == 0;
        let is_announced = matches!(refusal.outlook, Outlook::NextCycle | Outlook::At { .. });
        is_steady && !is_announced && self.evicts_for(next, refusal.job)
    }

    /// Sentences that the run contradicts, and the number of checked ones by kind.
    fn contradicted(&self) -> (Vec<String>, BTreeMap<String, u32>) {
        let (mut broken, mut tested) = (Vec::new(), BTreeMap::new());
        for (at, record) in self.records.iter().enumerate() {
            for (refusal, expected) in record.refusals.iter().zip(&self.expected[at]) {
                let says = |what: &str| format!("cycle {}: {:?}: {what}: {expected:?}", record.cycle, refusal.job);
                let result = expected.as_ref().and_then(|expected| self.is_expected(at, refusal, expected));
                if let (Some(is_kept), Some(expected)) = (result, expected) {
                    *tested.entry(name_of(expected)).or_insert(0) += 1;
                    broken.extend((!is_kept).then(|| says("contradicted")));
                }
                let is_lost = at > 2 && (at - 2..=at).all(|at| self.loses_claim(at, refusal.job));
                let is_said = matches!(expected, Some(Expectation::LostClaim(lost)) if lost.is_loop());
                broken.extend((is_lost && !is_said).then(|| says("a loop")));
                broken.extend(self.evicts_unannounced(at, refusal).then(|| says("evicts next")));
            }
        }
        (broken, tested)
    }

    fn job_of(&self, pod: PodId) -> JobId {
        self.jobs[pod.0 as usize]
    }

    /// Jobs with starts or claims in a cycle.
    fn served(&self, at: usize) -> Vec<JobId> {
        let events = self.records[at].events.iter().map(|recorded| recorded.event);
        let of = |event| match event {
            Event::Bound { pod, .. } | Event::Claimed { pod, .. } => Some(self.job_of(pod)),
            _ => None,
        };
        events.filter_map(of).collect()
    }

    fn decides(&self, at: usize) -> bool {
        let record = &self.records[at];
        record.events.len() > record.n_outside as usize
    }

    fn gate(&self, at: usize, job: JobId) -> Option<&Gate> {
        self.records[at].refusals.iter().find(|refusal| refusal.job == job).map(|refusal| &refusal.gate)
    }

    /// Whether external events occur in some cycles.
    fn is_disturbed(&self, cycles: std::ops::RangeInclusive<usize>) -> bool {
        let comes =
            |event: &Event| matches!(event, Event::Changed { .. } | Event::Submitted { .. } | Event::Joined { .. });
        self.records[cycles].iter().any(|record| record.events.iter().any(|recorded| comes(&recorded.event)))
    }

    /// Whether only completions of jobs occur up to a cycle, and no decisions before it.
    fn is_quiet(&self, after: usize, to: usize) -> bool {
        let is_end = |event: &Event| matches!(event, Event::Finished { .. } | Event::JobDone { .. });
        let outside = |at: usize| {
            let record = &self.records[at];
            record.events[..record.n_outside as usize].iter().all(|recorded| is_end(&recorded.event))
        };
        (after + 1..=to).all(outside) && !(after + 1..to).any(|at| self.decides(at))
    }

    /// Whether a cycle serves a job without starting or evicting anything: YuniKorn reserved a node for it.
    fn reserves(&self, at: usize) -> bool {
        !self.decides(at) && self.records[at].refusals.iter().any(|refusal| matches!(refusal.gate, Gate::Behind { .. }))
    }

    /// Whether nothing occurs up to a cycle but its own decisions: a job that ends may be the one that would be evicted,
    /// and a reservation takes a node away from others.
    fn is_steady(&self, after: usize, to: usize) -> bool {
        let changes = |at: usize| self.records[at].n_outside > 0 || self.reserves(at);
        self.is_quiet(after, to) && !(after + 1..=to).any(changes)
    }

    /// Whether an outlook comes true; `None` if the run does not tell.
    fn keeps(&self, at: usize, refusal: &Refusal) -> Option<bool> {
        let job = refusal.job;
        let end = self.records.len();
        let first_from = |time| (at + 1..end).find(|&later| self.records[later].time >= time);
        match refusal.outlook {
            Outlook::NotForeseeable => None,
            Outlook::NextCycle => {
                let next = Some(at + 1).filter(|&next| next < end && !self.is_disturbed(next..=next))?;
                Some(!self.served(next).is_empty() || self.gate(next, job) != Some(&refusal.gate))
            }
            Outlook::At { time, what: Ending::PreemptionDelay } => {
                let then = first_from(time).filter(|&then| !self.is_disturbed(at + 1..=then))?;
                self.is_steady(at, then).then(|| self.decides(then))
            }
            Outlook::At { time, what } => {
                let then = first_from(time).filter(|&then| !self.is_disturbed(at + 1..=then))?;
                if what == Ending::Protection && self.is_steady(at, then) && !self.decides(then) {
                    return Some(false);
                }
                let is_served = (at + 1..=then).any(|cycle| self.served(cycle).contains(&job));
                Some(is_served || self.gate(then, job) != Some(&refusal.gate))
            }
            Outlook::WhenEnds { at: Some(time), .. } => {
                let then = first_from(time).filter(|&then| !self.is_disturbed(at + 1..=then))?;
                self.is_quiet(at, then).then(|| !self.served(then).is_empty())
            }
            Outlook::WhenEnds { job: other, at: None } => {
                let lets_go = |event: &Event| match *event {
                    Event::Evicted { pod, .. } | Event::Finished { pod, .. } => self.job_of(pod) == other,
                    Event::Changed { .. } | Event::Submitted { .. } | Event::Joined { .. } => true,
                    _ => false,
                };
                let keeps_on = |later: &usize| !self.records[*later].events.iter().any(|r| lets_go(&r.event));
                let mut held = (at + 1..end).take_while(keeps_on).peekable();
                held.peek()?;
                Some(!held.any(|later| self.served(later).contains(&job)))
            }
            Outlook::OnlyByEdit => {
                let is_edit = |event: &Event| matches!(event, Event::Changed { .. });
                let same = |later: &usize| !self.records[*later].events.iter().any(|r| is_edit(&r.event));
                let starts = |event: &Event| matches!(*event, Event::Bound { pod, .. } if self.job_of(pod) == job);
                let mut unchanged = (at + 1..end).take_while(same).peekable();
                unchanged.peek()?;
                Some(!unchanged.any(|later| self.records[later].events.iter().any(|r| starts(&r.event))))
            }
        }
    }

    /// Wrong outlooks, and the number of checked ones by kind.
    fn broken(&self) -> (Vec<(u32, Refusal)>, BTreeMap<String, u32>) {
        let (mut broken, mut tested) = (Vec::new(), BTreeMap::new());
        for (at, record) in self.records.iter().enumerate() {
            for refusal in record.refusals.iter() {
                let Some(is_kept) = self.keeps(at, refusal) else { continue };
                *tested.entry(kind(refusal.outlook)).or_insert(0) += 1;
                if !is_kept {
                    broken.push((record.cycle, refusal.clone()));
                }
            }
        }
        (broken, tested)
    }
}

fn name_of(expected: &Expectation) -> String {
    format!("{expected:?}").split([' ', '(']).next().unwrap_or_default().to_owned()
}

fn kind(outlook: Outlook) -> String {
    match outlook {
        Outlook::At { what, .. } => format!("{what:?}"),
        Outlook::WhenEnds { at: None, .. } => "Endless".to_owned(),
        other => format!("{other:?}").split(' ').next().unwrap_or_default().to_owned(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// Outlooks come true at their time, unless external events interfere.
    #[test]
    fn outlooks_come_true(plan in plans()) {
        let run = Run::of(&plan);
        prop_assert_eq!(run.broken().0, vec![]);
        prop_assert_eq!(run.contradicted().0, Vec::<String>::new());
    }
}

/// Coverage of the law: each kind of outlook occurs and is checked in many generated runs.
#[test]
fn every_kind_of_outlook_occurs() {
    let mut state = 1u64;
    let mut byte = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    let (mut all, mut all_broken): (BTreeMap<String, u32>, Vec<String>) = Default::default();
    for i in 0..2700 {
        let bytes = (0..150).map(|_| byte()).collect();
        let policies = policies();
        let plan = world(bytes, policies[i % policies.len()].clone(), i % 2 == 0);
        let run = Run::of(&plan);
        let (broken, tested) = run.broken();
        let policy = i % policies.len();
        let (contradicted, of_sentences) = run.contradicted();
        all_broken.extend(contradicted.into_iter().map(|says| format!("world {i}, policy {policy}, {says}")));
        of_sentences.into_iter().for_each(|(kind, n)| *all.entry(kind).or_insert(0) += n);
        all_broken.extend(broken.into_iter().map(|(cycle, r)| {
            format!("world {i}, policy {policy}, cycle {cycle}: {:?}, {:?} {:?}", r.job, r.outlook, r.gate)
        }));
        tested.into_iter().for_each(|(kind, n)| *all.entry(kind).or_insert(0) += n);
    }
    all_broken.truncate(20);
    assert!(all_broken.is_empty(), "{all:?}\n{}", all_broken.join("\n"));
    for kind in [
        "NextCycle",
        "Termination",
        "Protection",
        "PreemptionDelay",
        "WhenEnds",
        "Endless",
        "OnlyByEdit",
        "Room",
        "Victims",
    ] {
        let n = all.get(kind).copied().unwrap_or(0);
        assert!(n >= 20, "{kind}: {n}; all: {all:?}");
    }
}

/// Outlooks of the newest release of KAI come true.
#[test]
fn outlooks_of_the_newest_kai() {
    let mut state = 1u64;
    let mut byte = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    let newest = fairground::policy::kai::config::Config {
        revision: fairground::policy::kai::config::Revision::V0_17,
        ..Default::default()
    };
    let (mut all, mut n_delays) = (Vec::new(), 0);
    for i in 0..400 {
        let bytes = (0..150).map(|_| byte()).collect();
        let mut plan = world(bytes, Policy::Kai(newest.clone()), i % 2 == 0);
        for job in plan.cluster.jobs.values_mut().skip(1).step_by(2) {
            std::sync::Arc::make_mut(&mut job.spec).preemption_delay = Some(Span::from_millis(5_000));
        }
        let run = Run::of(&plan);
        all.extend(run.contradicted().0.into_iter().map(|says| format!("world {i}, {says}")));
        let (broken, tested) = run.broken();
        n_delays += tested.get("NoEvictions").copied().unwrap_or(0);
        all.extend(
            broken
                .into_iter()
                .map(|(cycle, r)| format!("world {i}, cycle {cycle}: {:?}, {:?} {:?}", r.job, r.outlook, r.gate)),
        );
    }
    all.truncate(20);
    assert!(all.is_empty(), "{}", all.join("\n"));
    assert!(n_delays >= 20, "{n_delays}");
}

/// The loop of the example goes on until it is disturbed, and the sentence of every cycle from the third loss on says
/// so.
#[test]
fn a_loop_is_announced() {
    let text = include_str!("../../assets/scenarios/tug-of-war.yaml");
    let plan = fairground::scenario::load(text, |scenario| scenario).plan.expect("a plan");
    let run = Run::of(&plan);
    let (broken, tested) = run.contradicted();
    assert_eq!(broken, Vec::<String>::new());
    assert!(tested.get("LostClaim").is_some_and(|n| *n >= 30), "{tested:?}");
}
