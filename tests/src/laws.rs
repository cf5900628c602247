//! Laws of the simulation, which hold for every plan under every policy.
//!
//! Each law takes a plan and a number from which it derives its choices (stopping points, seek targets).
//! The tests run them over small plans and generated scenarios, `cargo xtask soak` over any number of them.

use std::collections::{BTreeMap, BTreeSet};

use fairground::cluster::{Cluster, Devices, Finding, GpuRequest, Phase, Pod, Preemptible, Restart, audit};
use fairground::id::{Id, NodeId, PodId, QueueId};
use fairground::policy::Policy;
use fairground::policy::kai::config::Revision;
use fairground::scenario::{Plan, PlanChange};
use fairground::sim::{CycleRecord, Simulation, Timeline};
use fairground::time::Time;
use fairground::trace::{Check, Event, EvictReason, Level, Protection, Recorded};
use fairground::units::{Amount, PerResource, Resource, ResourceVec};

use crate::draw::Draw;

/// Result of a law; the error describes the violation.
pub type Verdict = Result<(), String>;

#[derive(Clone, Copy, Debug)]
pub struct Law {
    /// Statement of the law.
    pub name: &'static str,
    /// Checks the law for a plan.
    pub of: fn(&Plan, u64) -> Verdict,
}

/// All laws.
pub static LAWS: [Law; 16] = [
    Law { name: "nothing is lost or held twice", of: nothing_is_lost_or_held_twice },
    Law { name: "no node gives more than it has", of: no_node_gives_more_than_it_has },
    Law { name: "pods run where they may", of: pods_run_where_they_may },
    Law { name: "limits hold", of: limits_hold },
    Law { name: "hard quotas hold", of: hard_quotas_hold },
    Law { name: "what is not replaced never starts twice", of: what_is_not_replaced_never_starts_twice },
    Law { name: "runs are equal", of: runs_are_equal },
    Law { name: "seeking equals running", of: seeking_equals_running },
    Law { name: "copies run alike", of: copies_run_alike },
    Law { name: "events suffice", of: events_suffice },
    Law { name: "checks hold", of: checks_hold },
    Law { name: "checks of a pod name its job", of: checks_of_a_pod_name_its_job },
    Law { name: "skipping changes nothing", of: skipping_changes_nothing },
    Law { name: "recording decides nothing", of: recording_decides_nothing },
    Law { name: "every eviction has a taker", of: every_eviction_has_a_taker },
    Law { name: "what waits has a reason", of: what_waits_has_a_reason },
];

/// Number of checked cycles.
const CYCLES: u32 = 40;

fn ensure(holds: bool, says: impl FnOnce() -> String) -> Verdict {
    if holds { Ok(()) } else { Err(says()) }
}

/// Calls `each` with every record of the first cycles, including the opening, and the simulation after it.
fn walk(plan: &Plan, mut each: impl FnMut(&Simulation, &CycleRecord) -> Verdict) -> Verdict {
    let mut simulation = Simulation::new(plan);
    each(&simulation, &simulation.opening().clone())?;
    while simulation.cycle() < CYCLES {
        let Some(record) = simulation.advance() else { break };
        each(&simulation, &record).map_err(|says| format!("cycle {}: {says}", record.cycle))?;
    }
    Ok(())
}

/// Returns all records of the first cycles, including the opening.
fn run(simulation: &mut Simulation) -> Vec<CycleRecord> {
    let mut records = vec![simulation.opening().clone()];
    while let Some(record) = (simulation.cycle() < CYCLES).then(|| simulation.advance()).flatten() {
        records.push(record);
    }
    records
}

fn placements(simulation: &Simulation) -> BTreeMap<PodId, (NodeId, Devices)> {
    let pods = simulation.cluster().pods.iter();
    pods.filter_map(|(id, pod)| Some((id, (pod.node?, pod.devices)))).collect()
}

fn bound(record: &CycleRecord) -> impl Iterator<Item = (PodId, NodeId)> {
    record.events.iter().filter_map(|recorded| match recorded.event {
        Event::Bound { pod, node, .. } => Some((pod, node)),
        _ => None,
    })
}

/// Whether a request is so small that KAI before v0.15.0 starts the pod although terminating pods still hold the slots
/// that it takes over (kai.md 5.4, kai-v0.17.md 15.4).
fn is_tiny(plan: &Plan, pod: &Pod) -> bool {
    let revision = match &plan.policy {
        Policy::Kai(config) => config.revision,
        Policy::Runai(config) => config.engine.revision,
        _ => return false,
    };
    // Below 10 millicores, 10 MiB, a hundredth of a GPU, 10 of anything else.
    let is_little = |(resource, amount): (Resource, Amount)| match resource {
        Resource::MEMORY => amount.in_base_units() < 10 << 20,
        Resource::GPU => amount.in_base_units() <= 10,
        _ => amount.in_base_units() < 10,
    };
    revision == Revision::V0_13 && pod.request.resources.iter().all(is_little)
}

/// Whether a node has more pods than slots: without tiny ones, or without terminating ones.
fn exceeds_slots(plan: &Plan, cluster: &Cluster, node: NodeId) -> bool {
    let here = || cluster.pods.values().filter(|pod| pod.node == Some(node));
    let ordinary = here().filter(|pod| !is_tiny(plan, pod)).count();
    let staying = here().filter(|pod| !matches!(pod.phase, Phase::Terminating { .. })).count();
    ordinary.max(staying) > cluster.nodes[node].pods_max as usize
}

/// Every pod is in one phase, every device has one holder, and every sum is the sum of its parts, in every cycle.
pub fn nothing_is_lost_or_held_twice(plan: &Plan, _: u64) -> Verdict {
    walk(plan, |simulation, _| {
        let cluster = simulation.cluster();
        let mut found = audit(simulation.world());
        found.retain(|finding| match finding {
            Finding::OverSlots(node) => exceeds_slots(plan, cluster, *node),
            _ => true,
        });
        ensure(found.is_empty(), || format!("{found:?}"))
    })
}

/// Pods on a node never hold more CPU, memory, slots, devices or named resources than its capacity. The sums are
/// computed from the requests, independent of the engine.
pub fn no_node_gives_more_than_it_has(plan: &Plan, _: u64) -> Verdict {
    walk(plan, |simulation, record| {
        let cluster = simulation.cluster();
        for (id, node) in cluster.nodes.iter() {
            let here = || cluster.pods.values().filter(|pod| pod.node == Some(id));
            let mut sum = ResourceVec::default();
            let mut whole = 0;
            let mut parts: BTreeMap<u32, i64> = BTreeMap::new();
            for pod in here() {
                sum.add(&pod.request.resources);
                match pod.request.gpu {
                    GpuRequest::Whole { devices } => whole += devices,
                    GpuRequest::Fraction { portion, .. } => {
                        pod.devices.iter().for_each(|d| *parts.entry(d).or_default() += portion.in_base_units());
                    }
                    GpuRequest::Memory { .. } => {
                        pod.devices.iter().for_each(|d| *parts.entry(d).or_default() += 0);
                    }
                    GpuRequest::None => {}
                }
            }
            let over = sum.iter().find(|&(r, n)| r != Resource::GPU && n > node.capacity.get(r));
            let devices = whole as usize + parts.len();
            let too_many_pods = exceeds_slots(plan, cluster, id);
            let too_many_devices = devices > node.n_devices() as usize || parts.values().any(|&milli| milli > 1000);
            let is_over = over.is_some() || too_many_pods || too_many_devices;
            // Pods stay on a node whose capacity shrinks, and others are found on it; the scheduler adds nothing to an
            // exceeded resource.
            let adds = |(pod, to): (PodId, NodeId)| {
                let request = &cluster.pods[pod].request;
                let asks =
                    |(r, n)| r != Resource::GPU && n > node.capacity.get(r) && request.resources.get(r) > Amount::ZERO;
                let wants = sum.iter().any(asks) || too_many_devices && request.gpu.n_devices() > 0;
                to == id && (wants || too_many_pods)
            };
            let may_be_over = simulation.world().may_exceed(id) && !bound(record).any(adds);
            ensure(!is_over || may_be_over, || {
                format!("{}: {over:?}, {devices} devices, parts {parts:?}, pods over slots {too_many_pods}", node.name)
            })?;
        }
        Ok(())
    })
}

/// A pod starts on a schedulable node, in a pool to which its job is offered, with matching labels and without taints
/// that it does not tolerate; EGO ignores taints and affinity. A gated pod never starts.
pub fn pods_run_where_they_may(plan: &Plan, _: u64) -> Verdict {
    let is_ego = matches!(plan.policy, Policy::Ego(_));
    walk(plan, |simulation, record| {
        let cluster = simulation.cluster();
        for (pod, node) in bound(record) {
            let (pod, node) = (&cluster.pods[pod], &cluster.nodes[node]);
            let asked = &plan.cluster.jobs[pod.job];
            let has = |key: &str, values: &[std::sync::Arc<str>]| {
                node.labels.iter().any(|(k, v)| **k == *key && values.contains(v))
            };
            let may = [
                ("takes pods", node.takes_pods()),
                ("pool", asked.pools.contains(&node.partition) || asked.partition == node.partition),
                ("selector", pod.selector.iter().all(|(key, values)| has(key, values))),
                ("affinity", is_ego || pod.selects(node)),
                ("taints", is_ego || pod.tolerates(node)),
                ("gate", !pod.rules.as_ref().is_some_and(|rules| rules.gated)),
            ];
            let wrong = may.into_iter().find(|(_, may)| !may).map(|(what, _)| what);
            ensure(wrong.is_none(), || format!("{} on {}: {wrong:?}", pod.name, node.name))?;
        }
        Ok(())
    })
}

/// A queue in which a pod starts does not end the cycle above a limit nor, under KAI and Run:ai, with non-preemptible
/// allocation above its quota. Only requested resources are compared: a job without GPUs starts even if others exceed a
/// lowered limit of GPUs. Under KAI and Run:ai a request in MiB of a device is no amount of GPUs before placement
/// so such a pod passes the limit, and GPUs are not compared in a cycle in which one starts in the queue. Two
/// policies have other guarantees: EGO limits only allocation from share pools (OC-7), *first in, first out* divides
/// nodes.
pub fn limits_hold(plan: &Plan, _: u64) -> Verdict {
    let engine = matches!(plan.policy, Policy::Kai(_) | Policy::Runai(_));
    if matches!(plan.policy, Policy::Ego(_) | Policy::Fifo(_)) {
        return Ok(());
    }
    walk(plan, |simulation, record| {
        let cluster = simulation.cluster();
        let in_mib = |(pod, _): (PodId, NodeId)| {
            let pod = &cluster.pods[pod];
            let is_in_mib = engine && matches!(pod.request.gpu, GpuRequest::Memory { .. });
            is_in_mib.then(|| cluster.path_to_root(cluster.jobs[pod.job].queue))
        };
        let in_mib: BTreeSet<QueueId> = bound(record).filter_map(in_mib).flatten().collect();
        for (pod, _) in bound(record) {
            let pod = &cluster.pods[pod];
            let job = &cluster.jobs[pod.job];
            let ledger = record.pools.get(job.partition.index()).unwrap_or(&record.ledger);
            for queue in cluster.path_to_root(job.queue) {
                let row = ledger.rows.iter().find(|row| row.queue == queue).ok_or("no row")?;
                let asked = |r: &Resource| {
                    let is_known = *r != Resource::GPU || !in_mib.contains(&queue);
                    is_known && pod.request.resources.get(*r) > Amount::ZERO
                };
                for resource in Resource::ACCOUNTED.into_iter().filter(asked) {
                    let at_most = |has: PerResource<f64>, most: PerResource<f64>| {
                        let (has, most) = (has.get(resource), most.get(resource));
                        let name = &cluster.queues[queue].name;
                        // Sums of fractions of devices may differ in their last bits.
                        let holds = has <= most + 1e-9 * most.abs().max(1.0);
                        ensure(holds, || format!("{name}, {}: {has} of {most}", resource.name()))
                    };
                    at_most(row.allocated, row.limit)?;
                    if engine && job.preemptible == Preemptible::No {
                        at_most(row.non_preemptible, row.quota)?;
                    }
                }
            }
        }
        Ok(())
    })
}

/// Under *first in, first out* a leaf queue in which a pod starts does not end the cycle with more GPUs than its quota,
/// if nothing ran initially and no quota changes.
pub fn hard_quotas_hold(plan: &Plan, _: u64) -> Verdict {
    let runs = plan.cluster.pods.values().any(|pod| pod.node.is_some());
    let changes = plan.timeline.iter().any(|planned| matches!(planned.change, PlanChange::Queue { .. }));
    if !matches!(plan.policy, Policy::Fifo(_)) || runs || changes {
        return Ok(());
    }
    walk(plan, |simulation, record| {
        let cluster = simulation.cluster();
        for (pod, _) in bound(record) {
            let job = &cluster.jobs[cluster.pods[pod].job];
            let ledger = record.pools.get(job.partition.index()).unwrap_or(&record.ledger);
            let row = ledger.rows.iter().find(|row| row.queue == job.queue).ok_or("no row")?;
            let (has, quota) = (row.allocated.gpu, row.quota.gpu);
            ensure(has <= quota + 1e-9, || format!("{}: {has} of {quota}", cluster.queues[job.queue].name))?;
        }
        Ok(())
    })
}

/// A pod that is not replaced is placed at most once; it ends when it is gone, and its job has one outcome.
pub fn what_is_not_replaced_never_starts_twice(plan: &Plan, _: u64) -> Verdict {
    let mut simulation = Simulation::new(plan);
    let starts_of = |events: &[Recorded], pod: PodId| {
        events.iter().filter(|r| matches!(r.event, Event::Bound { pod: bound, .. } if bound == pod)).count()
    };
    let at_start = placements(&simulation);
    let events: Vec<Recorded> = run(&mut simulation).into_iter().flat_map(|record| record.events).collect();
    let cluster = simulation.cluster();
    for (id, pod) in cluster.pods.iter().filter(|(_, pod)| cluster.jobs[pod.job].restart == Restart::Never) {
        let n = usize::from(at_start.contains_key(&id)) + starts_of(&events, id);
        ensure(n <= 1, || format!("{} was placed {n} times", pod.name))?;
        let is_over = matches!(pod.phase, Phase::Evicted { .. });
        let is_said = events.iter().any(|r| r.event == Event::NotReplaced { pod: id });
        ensure(is_over == is_said, || format!("{}: over {is_over}, said {is_said}", pod.name))?;
    }
    for (id, job) in cluster.jobs.iter() {
        let done = events.iter().filter(|r| r.event == Event::JobDone { job: id }).count();
        let evicted = events.iter().filter(|r| r.event == Event::JobEvicted { job: id }).count();
        let is_right = done + evicted == usize::from(job.ended.is_some()) && (evicted == 1) == cluster.is_evicted(id);
        ensure(is_right, || format!("{}: done {done}, evicted {evicted}, ended {:?}", job.name, job.ended))?;
    }
    let all = simulation.summary().all;
    let known = cluster.jobs.iter().filter(|(id, job)| job.ended.is_some() || cluster.live_jobs.contains(id));
    let counted = (all.jobs_done + all.jobs_evicted + all.jobs_unfinished) as usize;
    let known = known.count();
    ensure(counted == known, || format!("{counted} jobs are counted, {known} known"))
}

/// The same plan gives the same records, digests included.
pub fn runs_are_equal(plan: &Plan, _: u64) -> Verdict {
    let (mut one, mut other) = (Simulation::new(plan), Simulation::new(plan));
    same_records(&run(&mut one), &run(&mut other))?;
    ensure(one == other, || "the records are the same, what remains is not".into())
}

fn same_records(one: &[CycleRecord], other: &[CycleRecord]) -> Verdict {
    let differs = one.iter().zip(other).find(|(a, b)| a != b);
    ensure(differs.is_none(), || format!("{differs:?}"))?;
    ensure(one.len() == other.len(), || format!("{} and {} cycles", one.len(), other.len()))
}

/// Seeking to cycles or times in any order equals running there, reasons included, with few or many checkpoints.
pub fn seeking_equals_running(plan: &Plan, number: u64) -> Verdict {
    let mut d = Draw::new(number);
    let records = run(&mut Simulation::new(plan));
    let mut timeline = Timeline::with_budget(plan, d.below(200_000) as u64);
    for _ in 0..=d.below(5) {
        let mut cycle = d.below(CYCLES as usize) as u32;
        let level = d.one_of(&[Level::Outcomes, Level::Decisive]);
        if d.below(3) == 0 {
            let to = &records[(cycle as usize).min(records.len() - 1)];
            while timeline.present().cycle() <= CYCLES && timeline.step_until(to.time, level) {}
            cycle = timeline.present().cycle();
            ensure(timeline.present().now() <= to.time, || format!("beyond {:?}", to.time))?;
        }
        while timeline.step_towards(cycle, level) {}
        let record = timeline.record();
        ensure(record.cycle == cycle || timeline.end() == Some(record.cycle), || format!("not at cycle {cycle}"))?;
        let Some(expected) = records.get(record.cycle as usize) else { continue };
        ensure(record == expected, || format!("cycle {cycle}: {record:?} instead of {expected:?}"))?;
        if d.below(2) == 0 {
            timeline.look_ahead();
        }
    }
    Ok(())
}

/// A run continued with a copy after every cycle equals one that is never copied: what a policy keeps beside its state
/// changes nothing.
pub fn copies_run_alike(plan: &Plan, _: u64) -> Verdict {
    let mut one = Simulation::new(plan);
    let mut copy = one.clone();
    while one.cycle() < CYCLES {
        let (record, of_copy) = (one.advance(), copy.advance());
        ensure(record == of_copy, || format!("{of_copy:?} instead of {record:?}"))?;
        if record.is_none() {
            break;
        }
        copy = copy.clone();
    }
    ensure(one == copy, || "the records are the same, what remains is not".into())
}

/// Folding the events gives the same placements as the cluster, after every cycle.
pub fn events_suffice(plan: &Plan, _: u64) -> Verdict {
    let mut folded = placements(&Simulation::new(&Plan { timeline: Vec::new(), ..plan.clone() }));
    folded.retain(|pod, _| matches!(plan.cluster.pods[*pod].phase, Phase::Running { .. }));
    walk(plan, |simulation, record| {
        for recorded in &record.events {
            match recorded.event {
                Event::Bound { pod, node, devices } | Event::Found { pod, node, devices } => {
                    let twice = folded.insert(pod, (node, devices)).is_some();
                    ensure(!twice, || format!("{pod:?} is placed twice"))?;
                }
                Event::DevicesChanged { pod, node, devices } => {
                    let known = folded.insert(pod, (node, devices)).map(|(node, _)| node);
                    ensure(known == Some(node), || format!("{pod:?} is not on {node:?}"))?;
                }
                Event::Gone { pod, .. } | Event::Finished { pod, .. } => {
                    folded.remove(&pod);
                }
                _ => {}
            }
        }
        let placed = placements(simulation);
        ensure(folded == placed, || format!("{folded:?} instead of {placed:?}"))
    })
}

fn checks(record: &CycleRecord) -> impl Iterator<Item = &Check> {
    let events = record.events.iter().flat_map(|recorded| recorded.checks.iter());
    let not_selected = record.not_selected.iter().filter_map(|not_selected| match &not_selected.why {
        Protection::Failed(check) | Protection::Later(check) => Some(check),
        _ => None,
    });
    events.chain(record.refusals.iter().flat_map(|refusal| &refusal.checks)).chain(not_selected)
}

/// Evaluating a recorded check gives its recorded result.
pub fn checks_hold(plan: &Plan, _: u64) -> Verdict {
    walk(plan, |_, record| {
        let wrong = checks(record).find(|c| c.op.eval(&c.left.value, &c.right.value) != c.holds);
        ensure(wrong.is_none(), || format!("{wrong:?}"))
    })
}

/// Checks about a pod also name its job.
pub fn checks_of_a_pod_name_its_job(plan: &Plan, _: u64) -> Verdict {
    walk(plan, |simulation, record| {
        let pods = &simulation.cluster().pods;
        let wrong =
            checks(record).find(|check| check.subject.pod.is_some_and(|pod| check.subject.job != Some(pods[pod].job)));
        ensure(wrong.is_none(), || format!("{wrong:?}"))
    })
}

/// Skipping idle cycles equals running them.
pub fn skipping_changes_nothing(plan: &Plan, number: u64) -> Verdict {
    let by = Time::from_millis(Draw::new(number).below(60_000) as i64);
    let (mut all, mut some) = (Simulation::new(plan), Simulation::new(plan));
    let last = 2 * CYCLES;
    while all.cycle() < last && all.advance().is_some() {}
    while some.cycle() < last {
        some.skip_idle(last, by);
        if some.cycle() == last || some.advance().is_none() {
            break;
        }
    }
    let is_same = some.digest() == all.digest() && some.summary() == all.summary();
    ensure(is_same, || format!("cycle {} at {:?} and {:?}", all.cycle(), all.now(), some.now()))
}

/// The level of recording does not affect decisions.
pub fn recording_decides_nothing(plan: &Plan, _: u64) -> Verdict {
    let digests = |level| {
        let mut simulation = Simulation::new(plan);
        simulation.set_level(level);
        run(&mut simulation).iter().map(|record| record.digest).collect::<Vec<_>>()
    };
    let outcomes = digests(Level::Outcomes);
    for level in [Level::Decisive, Level::Every] {
        let differs = digests(level).iter().zip(&outcomes).position(|(a, b)| a != b);
        ensure(differs.is_none(), || format!("{level:?}: cycle {differs:?}"))?;
    }
    Ok(())
}

/// No pod is evicted for a job without a placement or claim in the same cycle.
pub fn every_eviction_has_a_taker(plan: &Plan, _: u64) -> Verdict {
    walk(plan, |simulation, record| {
        let events = || record.events.iter().map(|recorded| recorded.event);
        for event in events() {
            let Event::Evicted { pod: victim, by, reason, .. } = event else { continue };
            if matches!(reason, EvictReason::StaleGang | EvictReason::NodeLost | EvictReason::Withdrawn) {
                continue;
            }
            // EGO evicts without a preemptor above a share limit and on a called-back host;
            // YuniKorn above a lowered maximum.
            let Some(by) = by else {
                let may = matches!(plan.policy, Policy::Ego(_) | Policy::YuniKorn(_));
                ensure(may, || format!("{victim:?} goes for nobody"))?;
                continue;
            };
            let is_for = |pod: PodId| simulation.cluster().pods[pod].job == by;
            let placed = events()
                .any(|event| matches!(event, Event::Bound { pod, .. } | Event::Claimed { pod, .. } if is_for(pod)));
            ensure(placed, || format!("{victim:?} goes for {by:?}, of which nothing is placed"))?;
        }
        Ok(())
    })
}

/// Every job with pending pods and no placement in the cycle has a refusal. With several pools, one whose cycle is
/// later has none yet.
pub fn what_waits_has_a_reason(plan: &Plan, _: u64) -> Verdict {
    if plan.cluster.partitions.len() > 1 {
        return Ok(());
    }
    walk(plan, |simulation, record| {
        let cluster = simulation.cluster();
        for &job in cluster.live_jobs.iter().filter(|_| record.cycle > 0) {
            let waits = cluster.pods_of(job).any(|(_, pod)| matches!(pod.phase, Phase::Pending | Phase::Gated));
            let is_served = record.events.iter().any(|recorded| match recorded.event {
                Event::Bound { pod, .. } | Event::Claimed { pod, .. } => cluster.pods[pod].job == job,
                _ => false,
            });
            let is_said = record.refusals.iter().any(|refusal| refusal.job == job);
            ensure(!waits || is_served || is_said, || format!("nothing is said of {}", cluster.jobs[job].name))?;
        }
        Ok(())
    })
}
