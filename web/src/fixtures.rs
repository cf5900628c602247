//! Frames for tests and pictures: two teams on four GPUs, and two departments on 32.

use std::sync::Arc;

use fairground::id::{JobId, NodeId, PodId, QueueId};
use fairground::policy::Policy;
use fairground::time::Time;
use fairground::trace::{Check, Event, EvictReason, Gate, Op, Outlook, Quantity, Refusal, Subject, Term, Value};

use crate::engine::protocol::*;

fn gpus(n: f64) -> Amounts {
    [0.0, 0.0, n].into()
}

fn bound(n: f64) -> BoundTriple {
    [None, None, n.is_finite().then_some(n)]
}

/// `numbers`: allocated, quota, fair share, request, limit.
fn queue(name: &str, parent: Option<u32>, numbers: [f64; 5]) -> QueueRow {
    let [allocated, quota, share, request, limit] = numbers;
    QueueRow {
        name: name.into(),
        parent,
        allocated: gpus(allocated),
        request: gpus(request),
        fair_share: Some(bound(share)),
        quota: bound(quota),
        limit: bound(limit),
        ..QueueRow::default()
    }
}

/// The only pod of a job.
fn pod(names: &Names, job: &str) -> CellPod {
    let job = names.find(job).expect("it has a name");
    let queue = names.queue_of(job).map_or(0, |queue| queue.0);
    CellPod { pod: PodId(job.0), job, queue, portion: 1.0, ..CellPod::default() }
}

fn held(pod: CellPod) -> Cell {
    Cell { pods: vec![pod], claimed: None }
}

fn node(name: &str, cells: Vec<Cell>) -> NodeCard {
    let capacity = [64_000.0, 256e9, cells.len() as f64].into();
    let used = gpus(cells.iter().filter(|cell| !cell.pods.is_empty()).count() as f64);
    NodeCard {
        name: name.into(),
        ready: true,
        draining: false,
        capacity,
        used,
        cells,
        holds: Vec::new(),
        cpu_pods: Vec::new(),
        ..NodeCard::default()
    }
}

/// `pods`: running, pending, leaving.
fn job(names: &Names, name: &str, pods: [u32; 3], gpus: f64) -> JobRow {
    let [running, pending, leaving] = pods;
    let id = names.find(name).expect("it has a name");
    let queue = names.queue_of(id).map_or(0, |queue| queue.0);
    let request = [0.0, 0.0, gpus].into();
    let pods = running + pending + leaving;
    let asks = (pending > 0).then(|| Ask { pods: pending, gpus: gpus / f64::from(pods) }).into_iter().collect();
    JobRow { id, name: name.into(), queue, running, pending, leaving, gpus, request, asks, ..JobRow::default() }
}

/// A catalogue from names of jobs and positions of their queues; each job has one pod.
fn names(jobs: &[(&str, u32)]) -> Arc<Names> {
    Arc::new(Names {
        jobs: jobs.iter().map(|(name, queue)| ((*name).into(), QueueId(*queue))).collect(),
        pods: (0..).zip(jobs).map(|(n, (name, _))| (format!("{name}-0").into(), JobId(n))).collect(),
        ..Names::default()
    })
}

/// An event of a job's only pod.
fn event(names: &Names, job: &str, node: u32, gpus: f64, what: impl Fn(PodId, NodeId) -> Event) -> EventRow {
    let job = names.find(job).expect("it has a name");
    EventRow { amount: [0.0, 0.0, gpus].into(), ..EventRow::of(what(PodId(job.0), NodeId(node))) }
}

/// An eviction in favour of another job.
fn reclaim(names: &Names, by: &str) -> impl Fn(PodId, NodeId) -> Event {
    let by = names.find(by);
    move |pod, node| Event::Evicted { pod, node, by, reason: EvictReason::ReclaimedForFairShare }
}

/// A comparison of GPUs by a rule of the default policy.
fn check(rule: &str, subject: Subject, left: (Quantity, f64), op: Op, right: (Quantity, f64)) -> Check {
    let rules = Policy::rulebook(Policy::DEFAULT.key).expect("the default has rules").rules;
    let rule = *rules.iter().find(|known| known.key() == rule).expect("a rule");
    Check::new(rule, subject, gpus_of(left), op, gpus_of(right))
}

fn gpus_of((quantity, gpus): (Quantity, f64)) -> Term {
    Term::new(quantity, Value::Triple([0.0, 0.0, gpus]))
}

/// The comparisons of a reclaim: what the giver and the taker hold before and after it, and their fair shares, which
/// equal their quotas.
fn reclaim_checks(
    (taker, both): (Subject, Subject),
    giver: [f64; 3],
    [before, with_job, share]: [f64; 3],
) -> Arc<[Check]> {
    let [held, left, floor] = giver;
    let parts = |parts: &[(Quantity, f64)]| parts.iter().copied().map(gpus_of).collect();
    let with_job = (Quantity::AllocatedWithJob, with_job);
    let mut entitled = check("kai/reclaim/can-reclaim", taker, with_job, Op::AtMost, (Quantity::FairShare, share));
    entitled.left.parts = parts(&[(Quantity::Before, before)]);
    let (is, may) = ((Quantity::AllocatedWithoutVictims, held), (Quantity::Allocatable, floor));
    let mut over = check("kai/reclaim/maintain-fair-share", both, is, Op::Exceeds, may);
    over.left.parts = parts(&[(Quantity::Before, held), (Quantity::AllocatedAfter, left)]);
    over.right.parts = parts(&[(Quantity::Quota, floor), (Quantity::FairShare, floor)]);
    Arc::new([entitled, over])
}

/// The start scenario before its first cycle.
pub fn start() -> Frame {
    let queues = vec![
        queue("team-a", None, [3.0, 2.0, 2.0, 3.0, f64::INFINITY]),
        queue("team-b", None, [1.0, 2.0, 2.0, 2.0, f64::INFINITY]),
    ];
    let names = names(&[("a1", 0), ("a2", 0), ("b1", 1), ("b2", 1), ("a9", 0), ("w1", 1)]);
    let gpu_of = |job: &str| held(pod(&names, job));
    let nodes =
        vec![node("node-1", vec![gpu_of("a1"), gpu_of("a1")]), node("node-2", vec![gpu_of("a2"), gpu_of("b1")])];
    Frame {
        events: vec![EventRow { amount: [0.0, 0.0, 1.0].into(), ..EventRow::of(Event::Submitted { job: JobId(3) }) }],
        total: [128_000.0, 512e9, 4.0].into(),
        queues,
        nodes,
        jobs: vec![
            job(&names, "a1", [1, 0, 0], 2.0),
            job(&names, "a2", [1, 0, 0], 1.0),
            job(&names, "b1", [1, 0, 0], 1.0),
            job(&names, "b2", [0, 1, 0], 1.0),
        ],
        names,
        ..Frame::default()
    }
}

/// The start scenario after its first cycle: `a2` was reclaimed for `b2`.
pub fn reclaimed() -> Frame {
    let mut frame = start();
    frame.cycle = 1;
    frame.time_ms = 1000;
    frame.queues[0].allocated = gpus(2.0);
    frame.queues[0].leaving = gpus(1.0);
    frame.queues[1].claimed = gpus(1.0);
    frame.nodes[1].cells[0].pods[0].leaving = true;
    frame.nodes[1].cells[0].pods[0].changed = true;
    frame.nodes[1].cells[0].claimed = Some(Claim { job: JobId(3), queue: 1 });
    let names = frame.names.clone();
    frame.jobs[1] = job(&names, "a2", [0, 0, 1], 1.0);
    let taker = Subject { queue: Some(QueueId(1)), job: names.find("b2"), ..Subject::default() };
    let both = Subject { other_queue: Some(QueueId(0)), ..taker };
    let checks = reclaim_checks((taker, both), [3.0, 2.0, 2.0], [1.0, 2.0, 2.0]);
    let evicted = EventRow { checks, ..event(&names, "a2", 1, 1.0, reclaim(&names, "b2")) };
    let claimed = event(&names, "b2", 1, 1.0, |pod, node| Event::Claimed { pod, node });
    frame.events = vec![evicted, claimed];
    frame.actions = vec![("reclaim".into(), 1)];
    frame.events.iter_mut().for_each(|event| event.time_ms = 1000);
    frame.refusals = vec![Refusal {
        job: JobId(3),
        gate: Gate::WaitingForVictims { until: Some(Time::from_millis(2000)) },
        also: Vec::new(),
        checks: Vec::new(),
        outlook: Outlook::NextCycle,
    }];
    frame
}

fn department_jobs() -> Arc<Names> {
    let of = |queue: u32, names: &'static str| names.split(' ').map(move |name| (name, queue));
    let jobs = of(1, "v1 v2 v3 v4 v5").chain(of(2, "n1 n2 n3")).chain(of(4, "r1 r2 r3"));
    names(&jobs.chain(of(5, "a1 a2")).chain(of(6, "s1 s2 s3")).collect::<Vec<_>>())
}

/// Two departments on 32 GPUs during a reclaim.
pub fn departments() -> Frame {
    let inf = f64::INFINITY;
    let mut queues = vec![
        queue("research", None, [16.0, 16.0, 18.0, 24.0, inf]),
        queue("vision", Some(0), [9.0, 8.0, 9.0, 14.0, inf]),
        queue("nlp", Some(0), [7.0, 8.0, 9.0, 10.0, inf]),
        queue("product", None, [13.0, 12.0, 13.0, 13.0, 14.0]),
        queue("ranking", Some(3), [9.0, 6.0, 9.0, 9.0, inf]),
        queue("ads", Some(3), [4.0, 6.0, 4.0, 4.0, inf]),
        queue("sandbox", None, [1.0, 0.0, 1.0, 6.0, inf]),
    ];
    for (position, leaving, claimed, locked) in
        [(0, 2.0, 2.0, 4.0), (1, 2.0, 0.0, 4.0), (2, 0.0, 2.0, 0.0), (3, 0.0, 0.0, 6.0), (4, 0.0, 0.0, 6.0)]
    {
        queues[position].leaving = gpus(leaving);
        queues[position].claimed = gpus(claimed);
        queues[position].non_preemptible = gpus(locked);
    }
    let layout = [
        ("node-1", "v1 v1 v1 v1 v2 v2 v2 v2"),
        ("node-2", "v3 n1 n1 n1 n1 v4 v4 n2"),
        ("node-3", "r1 r1 r1 r1 r1 r1 n2 n2"),
        ("node-4", "r2 r2 r2 a1 a1 a2 a2 s1"),
    ];
    let names = department_jobs();
    let cell = |job: &str| {
        let locked = matches!(job, "v1" | "r1");
        let leaving = job == "v4";
        let claimed = leaving.then(|| Claim { job: names.find("n3").expect("a job"), queue: 2 });
        Cell { pods: vec![CellPod { locked, leaving, changed: leaving, ..pod(&names, job) }], claimed }
    };
    let nodes: Vec<NodeCard> =
        layout.iter().map(|(name, jobs)| node(name, jobs.split(' ').map(cell).collect())).collect();
    let (queue, other_queue) = (Some(QueueId(2)), Some(QueueId(1)));
    let both = Subject { queue, other_queue, job: names.find("n3"), ..Subject::default() };
    let taker = Subject { other_queue: None, ..both };
    let evicted = EventRow {
        checks: reclaim_checks((taker, both), [11.0, 9.0, 9.0], [7.0, 9.0, 9.0]),
        ..event(&names, "v4", 1, 2.0, reclaim(&names, "n3"))
    };
    let claimed = event(&names, "n3", 1, 2.0, |pod, node| Event::Claimed { pod, node });
    let mut events = vec![evicted, claimed];
    events.iter_mut().for_each(|event| event.time_ms = 144_000);
    Frame {
        cycle: 12,
        time_ms: 144_000,
        total: [256_000.0, 1024e9, 32.0].into(),
        queues,
        nodes,
        jobs: vec![job(&names, "v4", [0, 0, 1], 2.0), job(&names, "n3", [0, 1, 0], 2.0)],
        names,
        events,
        actions: vec![("reclaim".into(), 1)],
        ..Frame::default()
    }
}

/// A run that ends in [`departments`].
pub fn departments_run() -> Run {
    let research = [8, 8, 10, 12, 16, 18, 18, 18, 18, 18, 18, 18, 16];
    let product = [4, 6, 8, 8, 9, 10, 12, 12, 13, 13, 13, 13, 13];
    let sandbox = [6, 6, 6, 6, 6, 4, 2, 2, 1, 1, 1, 1, 1];
    let points = (0..13)
        .map(|i| Point {
            cycle: i as u32,
            time_ms: i as i64 * 12_000,
            total: gpus(32.0),
            allocated: vec![
                (0, gpus(f64::from(research[i]))),
                (3, gpus(f64::from(product[i]))),
                (6, gpus(f64::from(sandbox[i]))),
            ],
            fair_share: vec![
                (0, bound(18.0)),
                (3, bound(if i < 5 { 10.0 } else { 13.0 })),
                (6, bound(if i < 6 { 4.0 } else { 1.0 })),
            ],
            waiting: gpus(2.0),
            request: vec![(0, gpus(20.0)), (3, gpus(13.0)), (6, gpus(6.0))],
            leaving: if i == 12 { vec![(0, gpus(2.0))] } else { Vec::new() },
        })
        .collect();
    let names = department_jobs();
    let event = |cycle: u32, word: EventWord, job: &str| (cycle, word, names.find(job));
    Run {
        last_cycle: 12,
        last_time_ms: 144_000,
        complete: false,
        points,
        events: vec![
            event(0, EventWord::Submitted, "v1"),
            event(1, EventWord::Started, "v1"),
            event(2, EventWord::Started, "v2"),
            event(4, EventWord::Submitted, "v4"),
            event(5, EventWord::Started, "v4"),
            event(5, EventWord::Reclaimed, "s2"),
            event(6, EventWord::Reclaimed, "s3"),
            event(8, EventWord::Started, "r3"),
            event(11, EventWord::Submitted, "n3"),
            event(12, EventWord::Reclaimed, "v4"),
            event(12, EventWord::Claimed, "n3"),
        ],
        names: names.clone(),
        earlier: Vec::new(),
    }
}

/// Many nodes of `gpus` GPUs: most are busy, some have terminating pods, one in fifty is down.
pub fn many(nodes: usize, gpus: usize) -> Frame {
    let mut frame = departments();
    frame.nodes = (0..nodes)
        .map(|n| {
            let cells = (0..gpus)
                .map(|g| {
                    let job = ["v1", "v2", "n1", "r1", "a1", "s1"][(n * 7 + g / 2) % 6];
                    if (n * 13) % 11 > 3 || g < n % gpus {
                        held(CellPod { leaving: n % 17 == 3, ..pod(&frame.names, job) })
                    } else {
                        Cell::default()
                    }
                })
                .collect();
            let mut node = node(&format!("node-{n}"), cells);
            if n % 50 == 9 {
                node.ready = false;
                node.cells.iter_mut().for_each(|cell| cell.pods.clear());
            }
            node
        })
        .collect();
    frame
}
