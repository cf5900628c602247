//! Laws of every cycle: of the state after it and of what was recorded of it.

use std::collections::{BTreeMap, BTreeSet};

use fairground::cluster::{Cluster, Finding, GpuRequest, Phase, Pod, Preemptible, audit};
use fairground::id::{Id, NodeId, PodId, QueueId};
use fairground::policy::Policy;
use fairground::policy::kai::config::Revision;
use fairground::policy::yunikorn::rules::RESERVED;
use fairground::scenario::{Plan, PlanChange};
use fairground::sim::CycleRecord;
use fairground::trace::{Check, Event, EvictReason, Protection, Recorded};
use fairground::units::{Amount, PerResource, Resource, ResourceVec};

use super::{Law, Moment, Verdict, ensure, placements};

pub fn laws<'a>() -> [Law<Moment<'a>>; 10] {
    [
        Law { name: "nothing is lost or held twice", of: nothing_is_lost_or_held_twice },
        Law { name: "no node gives more than it has", of: no_node_gives_more_than_it_has },
        Law { name: "pods run where they may", of: pods_run_where_they_may },
        Law { name: "limits hold", of: limits_hold },
        Law { name: "hard quotas hold", of: hard_quotas_hold },
        Law { name: "events suffice", of: events_suffice },
        Law { name: "checks hold", of: checks_hold },
        Law { name: "checks of a pod name its job", of: checks_of_a_pod_name_its_job },
        Law { name: "every eviction has a taker", of: every_eviction_has_a_taker },
        Law { name: "what waits has a reason", of: what_waits_has_a_reason },
    ]
}

fn bound(record: &CycleRecord) -> impl Iterator<Item = (PodId, NodeId)> {
    record.events.iter().filter_map(|recorded| match recorded.event {
        Event::Bound { pod, node, .. } => Some((pod, node)),
        _ => None,
    })
}

/// Pods that start, without pods of YuniKorn's gangs for which room was kept: where one takes the place of its
/// placeholder, it is not checked again whether it fits (yunikorn.md 7.4).
fn newly_bound(cluster: &Cluster, record: &CycleRecord) -> impl Iterator<Item = (PodId, NodeId)> {
    let is_kept = |recorded: &&Recorded| recorded.checks.iter().any(|check| check.rule == RESERVED);
    let kept = record.events.iter().filter(is_kept).filter_map(|recorded| recorded.event.subject().pod);
    let kept: BTreeSet<PodId> = kept.filter(|pod| cluster.jobs[cluster.pods[*pod].job].gang.is_some()).collect();
    bound(record).filter(move |(pod, _)| !kept.contains(pod))
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
fn nothing_is_lost_or_held_twice(moment: &Moment) -> Verdict {
    let Moment { plan, simulation, .. } = *moment;
    let cluster = simulation.cluster();
    let mut found = audit(simulation.world());
    found.retain(|finding| match finding {
        Finding::OverSlots(node) => exceeds_slots(plan, cluster, *node),
        _ => true,
    });
    ensure(found.is_empty(), || format!("{found:?}"))
}

/// Pods on a node never hold more CPU, memory, slots, devices or named resources than its capacity. The sums are
/// computed from the requests, independent of the engine.
fn no_node_gives_more_than_it_has(moment: &Moment) -> Verdict {
    let Moment { plan, simulation, record, .. } = *moment;
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
        let may_be_over = simulation.world().may_exceed(id) && !newly_bound(cluster, record).any(adds);
        ensure(!is_over || may_be_over, || {
            format!("{}: {over:?}, {devices} devices, parts {parts:?}, pods over slots {too_many_pods}", node.name)
        })?;
    }
    Ok(())
}

/// A pod starts on a schedulable node, in a pool to which its job is offered, with matching labels and without taints
/// that it does not tolerate; EGO ignores taints and affinity. A gated pod never starts.
fn pods_run_where_they_may(moment: &Moment) -> Verdict {
    let Moment { plan, simulation, record, .. } = *moment;
    let is_ego = matches!(plan.policy, Policy::Ego(_));
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
}

/// A queue in which a pod starts does not end the cycle above a limit nor, under KAI and Run:ai, with non-preemptible
/// allocation above its quota. Only requested resources are compared: a job without GPUs starts even if others exceed a
/// lowered limit of GPUs. Under KAI and Run:ai a request in MiB of a device is no amount of GPUs before placement
/// so such a pod passes the limit, and GPUs are not compared in a cycle in which one starts in the queue. Two
/// policies have other guarantees: EGO limits only allocation from share pools (OC-7), *first in, first out* divides
/// nodes.
fn limits_hold(moment: &Moment) -> Verdict {
    let Moment { plan, simulation, record, .. } = *moment;
    let engine = matches!(plan.policy, Policy::Kai(_) | Policy::Runai(_));
    if matches!(plan.policy, Policy::Ego(_) | Policy::Fifo(_)) {
        return Ok(());
    }
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
}

/// Under *first in, first out* a leaf queue in which a pod starts does not end the cycle with more GPUs than its quota,
/// if nothing ran initially and no quota changes.
fn hard_quotas_hold(moment: &Moment) -> Verdict {
    let Moment { plan, simulation, record, .. } = *moment;
    let runs = plan.cluster.pods.values().any(|pod| pod.node.is_some());
    let changes = plan.timeline.iter().any(|planned| matches!(planned.change, PlanChange::Queue { .. }));
    if !matches!(plan.policy, Policy::Fifo(_)) || runs || changes {
        return Ok(());
    }
    let cluster = simulation.cluster();
    for (pod, _) in bound(record) {
        let job = &cluster.jobs[cluster.pods[pod].job];
        let ledger = record.pools.get(job.partition.index()).unwrap_or(&record.ledger);
        let row = ledger.rows.iter().find(|row| row.queue == job.queue).ok_or("no row")?;
        let (has, quota) = (row.allocated.gpu, row.quota.gpu);
        ensure(has <= quota + 1e-9, || format!("{}: {has} of {quota}", cluster.queues[job.queue].name))?;
    }
    Ok(())
}

/// Folding the events gives the same placements as the cluster, after every cycle.
fn events_suffice(moment: &Moment) -> Verdict {
    let Moment { simulation, record, before, .. } = *moment;
    let mut folded = before.clone();
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
fn checks_hold(moment: &Moment) -> Verdict {
    let Moment { record, .. } = *moment;
    let wrong = checks(record).find(|c| c.op.eval(&c.left.value, &c.right.value) != c.holds);
    ensure(wrong.is_none(), || format!("{wrong:?}"))
}

/// Checks about a pod also name its job.
fn checks_of_a_pod_name_its_job(moment: &Moment) -> Verdict {
    let Moment { simulation, record, .. } = *moment;
    let pods = &simulation.cluster().pods;
    let wrong =
        checks(record).find(|check| check.subject.pod.is_some_and(|pod| check.subject.job != Some(pods[pod].job)));
    ensure(wrong.is_none(), || format!("{wrong:?}"))
}

/// No pod is evicted for a job without a placement or claim in the same cycle.
fn every_eviction_has_a_taker(moment: &Moment) -> Verdict {
    let Moment { plan, simulation, record, .. } = *moment;
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
            ensure(may, || format!("{victim:?} is evicted without a claimant"))?;
            continue;
        };
        let is_for = |pod: PodId| simulation.cluster().pods[pod].job == by;
        let placed =
            events().any(|event| matches!(event, Event::Bound { pod, .. } | Event::Claimed { pod, .. } if is_for(pod)));
        ensure(placed, || format!("{victim:?} goes for {by:?}, of which nothing is placed"))?;
    }
    Ok(())
}

/// Every job with pending pods and no placement in the cycle has a refusal. With several pools, one whose cycle is
/// later has none yet.
fn what_waits_has_a_reason(moment: &Moment) -> Verdict {
    let Moment { plan, simulation, record, .. } = *moment;
    if plan.cluster.partitions.len() > 1 {
        return Ok(());
    }
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
}
