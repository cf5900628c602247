//! Comparisons of KAI, and of Run:ai, which runs on its engine.

use fairground::cluster::{GpuRequest, Node};
use fairground::id::{Id, PodId, QueueId};
use fairground::policy::Policy;
use fairground::policy::kai::config::ReclaimResolve;
use fairground::trace::{Quantity, Value};

use super::accounts::{Triple, plus, sums};
use super::moments::Place as Where;
use super::operand::{Context, Expect, Place, mib_of};

/// What a side of a comparison has to be.
pub fn expect(context: &Context<'_>, place: Place<'_>) -> Expect {
    let owner = place.owner();
    let queue = owner.queue;
    match place.term.quantity {
        Quantity::Before => of_queue(queue, |queue| vec![held(context, queue, place.whole())]),
        Quantity::Request if place.of.is_some() => Expect::Amounts(requests(context, place)),
        Quantity::AllocatedWithJob | Quantity::AllocatedNonPreemptible => with_job(context, place, queue),
        Quantity::AllocatedWithoutVictims | Quantity::AllocatedAfter => of_queue(queue, |queue| {
            let held = context.accounts.allocated(queue);
            context.losses(queue).into_iter().map(|lost| plus(held, lost.map(|lost| -lost))).collect()
        }),
        Quantity::FairShare | Quantity::Allocatable if context.shares.is_empty() => Expect::Unknown,
        Quantity::FairShare => of_queue(queue, |queue| context.share(queue).into_iter().collect()),
        Quantity::Quota => of_queue(queue, |queue| vec![context.accounts.quota(queue)]),
        Quantity::Limit => of_queue(queue, |queue| vec![context.accounts.limit(queue)]),
        Quantity::Allocatable => of_queue(queue, |queue| {
            let (quota, limit) = (context.accounts.quota(queue), context.accounts.limit(queue));
            let of = |share: Triple| std::array::from_fn(|r| quota[r].max(share[r]).min(limit[r]));
            context.share(queue).map(of).into_iter().collect()
        }),
        Quantity::Saturation => saturation(place),
        Quantity::Priority => match owner.job.filter(|_| place.check.subject.other_queue.is_none()) {
            Some(job) => {
                Expect::Values(vec![Value::Count(i64::from(context.accounts.cluster.jobs[job].priority))])
            }
            None => queue.map_or(Expect::Unknown, |queue| {
                let of = context.accounts.cluster.queues_in(context.accounts.pool)[queue].priority;
                Expect::Values(vec![Value::Count(of.map_or(100, i64::from))])
            }),
        },
        Quantity::Request | Quantity::IdleOrReleasing | Quantity::Idle => on_node(context, place),
        Quantity::Created => owner.job.map_or(Expect::Unknown, |job| {
            let job = &context.accounts.cluster.jobs[job];
            Expect::Values(vec![Value::Real(job.created.as_seconds())])
        }),
        Quantity::Name => owner.job.map_or(Expect::Unknown, |job| {
            Expect::Values(vec![Value::Name(context.accounts.cluster.jobs[job].name.clone())])
        }),
        Quantity::Runtime => runtime(context, place),
        Quantity::MinRuntime => min_runtime(context, place),
        Quantity::GpuMemory => memory_of_chunk(context),
        Quantity::GpuMemoryUnit => Expect::Values(vec![Value::Real(context.accounts.memory_basis(false))]),
        Quantity::Pods if place.check.rule.key().ends_with("/backoff") => {
            owner.job.map_or(Expect::Unknown, |job| {
                let n = context.accounts.holders(job).count() as i64;
                Expect::Values(vec![Value::Count(n)])
            })
        }
        Quantity::Pods | Quantity::Constant | Quantity::Applies => Expect::Nothing,
        _ => Expect::Unknown,
    }
}

/// What the request may be: pods of the chunk, or the part of one device that the test of a pod on its node counts.
fn requests(context: &Context<'_>, place: Place<'_>) -> Vec<Triple> {
    if place.check.fault.as_deref() != Some("kai/fault/one-device") {
        return context.requests(is_test_of_bounds(place));
    }
    let of_one = |pod: &PodId| {
        let Where::On(node) = context.end.places[pod.index()] else { return None };
        let [cpu, memory, _] = context.accounts.on_node(*pod, node);
        let device = context.accounts.cluster.nodes[node].device_mib();
        let mib = mib_of(context.accounts.pod(*pod).request.gpu, device);
        Some([cpu, memory, (mib as f64 / device as f64 * 100.0).ceil() / 100.0])
    };
    context.asked.iter().filter_map(of_one).collect()
}

/// Whether a comparison tests a chunk against limits or quotas before it is placed.
fn is_test_of_bounds(place: Place<'_>) -> bool {
    let key = place.check.rule.key();
    key.starts_with("kai/capacity") || matches!(key, "runai/limit" | "runai/non-preemptible")
}

fn of_queue(queue: Option<QueueId>, amounts: impl Fn(QueueId) -> Vec<Triple>) -> Expect {
    queue.map_or(Expect::Unknown, |queue| Expect::Amounts(amounts(queue)))
}

/// What a queue holds, of the kind that a term adds to.
fn held(context: &Context<'_>, queue: QueueId, whole: Quantity) -> Triple {
    match whole {
        Quantity::AllocatedNonPreemptible => context.accounts.non_preemptible(queue),
        _ => context.accounts.allocated(queue),
    }
}

fn with_job(context: &Context<'_>, place: Place<'_>, queue: Option<QueueId>) -> Expect {
    of_queue(queue, |queue| {
        let held = held(context, queue, place.term.quantity);
        let asked = requests(context, place);
        let lost = match place.of {
            Some(_) => context.losses(queue),
            None => vec![[0.0; 3]],
        };
        let with = |asked: &Triple| {
            let with = plus(held, *asked);
            lost.iter().map(move |lost| plus(with, lost.map(|lost| -lost))).collect::<Vec<_>>()
        };
        asked.iter().flat_map(with).collect()
    })
}

/// Allocated over fair share, from the two amounts that it was computed from.
fn saturation(place: Place<'_>) -> Expect {
    let held = place.part(Quantity::AllocatedWithJob).or(place.part(Quantity::AllocatedAfter));
    let (Some(held), Some(share)) = (held, place.part(Quantity::FairShare)) else { return Expect::Unknown };
    let ratio = match share {
        share if share == f64::INFINITY => 0.0,
        0.0 => {
            if held > 0.0 {
                f64::INFINITY
            } else {
                0.0
            }
        }
        share => held / share,
    };
    let is_scaled = matches!(place.term.value, Value::Product([of, _]) if super::accounts::same(of, ratio));
    if is_scaled { Expect::Nothing } else { Expect::Values(vec![Value::Real(ratio)]) }
}

/// A pod's request, and what is free on its node.
fn on_node(context: &Context<'_>, place: Place<'_>) -> Expect {
    let subject = place.check.subject;
    let Some(pod) = subject.pod else { return Expect::Unknown };
    let is_of_gpus = subject.resource == Some(fairground::units::Resource::GPU);
    match (place.term.quantity, subject.node) {
        (Quantity::Request, _) => Expect::Amounts(vec![context.accounts.pending(pod, true)]),
        (Quantity::IdleOrReleasing, Some(node)) if is_of_gpus => {
            // Pods of one chunk are committed in another order than they are placed in.
            let others = context.asked.iter().filter(|other| **other != pod);
            let later = others.filter(|other| context.accounts.place(**other) == Where::Waiting);
            let taken = sums(later.map(|other| {
                let devices = context.accounts.pod(*other).request.gpu.n_devices();
                [0.0, 0.0, f64::from(devices)]
            }));
            let free = context.free_devices(node);
            let without = |free: f64| taken.iter().map(move |taken| Value::Real(free - taken[2]));
            Expect::Values(free.into_iter().flat_map(without).collect())
        }
        (Quantity::IdleOrReleasing, None) if is_of_gpus => {
            let pod = context.accounts.pod(pod);
            let config = match context.policy {
                Policy::Kai(config) => config,
                Policy::Runai(config) => &config.engine,
                _ => return Expect::Unknown,
            };
            let needs_role = config.restrict_node_scheduling;
            let is_worker = |node: &Node| {
                node.labels.iter().any(|(key, _)| **key == *"node-role.kubernetes.io/gpu-worker")
            };
            let may_use = |node: &Node| {
                node.takes_pods()
                    && pod.selects(node)
                    && pod.tolerates(node)
                    && (!needs_role || is_worker(node))
            };
            let open = context.accounts.nodes().filter(|(_, node)| may_use(node));
            let free: Option<Vec<f64>> = open.map(|(node, _)| context.free_with_parts(node)).collect();
            let most = free.map(|free| free.into_iter().fold(0.0, f64::max));
            most.map_or(Expect::Unknown, |most| Expect::Values(vec![Value::Real(most)]))
        }
        _ => Expect::Unknown,
    }
}

/// Time since the latest start of a victim, or since a gang is below its minimum.
fn runtime(context: &Context<'_>, place: Place<'_>) -> Expect {
    let Some(job) = place.owner().job.filter(|_| {
        place.check.rule.key().ends_with("/ran-long-enough") || place.check.rule.key() == "runai/min-runtime"
    }) else {
        return Expect::Unknown;
    };
    let starts = context.last_start(job);
    Expect::Values(starts.into_iter().map(|start| Value::Real((context.now - start).as_seconds())).collect())
}

/// The minimum runtime that protects a victim: of the nearest queue that has one, or, against reclaim, of the nearest one from the
/// queue below the common ancestor on.
fn min_runtime(context: &Context<'_>, place: Place<'_>) -> Expect {
    let subject = place.check.subject;
    let (Some(victim), Some(job)) = (subject.other_job, subject.job) else { return Expect::Unknown };
    let cluster = context.accounts.cluster;
    let queues = cluster.queues_in(context.accounts.pool);
    let (own, of_victim) = (cluster.jobs[job].queue, cluster.jobs[victim].queue);
    let config = match context.policy {
        Policy::Kai(config) => config,
        Policy::Runai(config) => &config.engine,
        _ => return Expect::Unknown,
    };
    let reclaim = own != of_victim;
    let of = |queue: QueueId| match reclaim {
        true => queues[queue].reclaim_min_runtime,
        false => queues[queue].preempt_min_runtime,
    };
    let up = |from: QueueId| cluster.path_to_root(from);
    let nearest = |from: QueueId| up(from).find_map(of);
    let found = if !reclaim || config.reclaim_resolve == ReclaimResolve::Queue {
        nearest(of_victim)
    } else {
        let is_common = |queue: QueueId| up(own).any(|other| other == queue);
        let below = up(of_victim).take_while(|queue| !is_common(*queue)).last();
        match below {
            Some(below) if cluster.queues[below].parent.is_none() => of(below),
            below => nearest(below.unwrap_or(of_victim)),
        }
    };
    let default = match reclaim {
        true => config.default_reclaim_min_runtime_s,
        false => config.default_preempt_min_runtime_s,
    };
    Expect::Values(vec![Value::Real(found.map_or(default, |span| span.as_seconds()))])
}

/// GPU memory that the pods of a chunk request together.
fn memory_of_chunk(context: &Context<'_>) -> Expect {
    let mib = |pod: &PodId| match context.accounts.pod(*pod).request.gpu {
        GpuRequest::Memory { mib, devices } => Some(mib as f64 * f64::from(devices)),
        _ => None,
    };
    let all = sums(context.asked.iter().filter_map(mib).map(|mib| [0.0, 0.0, mib]));
    Expect::Values(all.into_iter().map(|sum| Value::Real(sum[2])).collect())
}
