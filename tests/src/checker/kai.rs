//! Comparisons of KAI, and of Run:ai, which runs on its engine.

use fairground::cluster::{GpuRequest, Node};
use fairground::id::{Id, JobId, PodId, QueueId};
use fairground::policy::Policy;
use fairground::policy::kai::config::{Config, ReclaimResolve, Revision};
use fairground::time::Time;
use fairground::trace::{Quantity, Subject, Value};
use fairground::units::{Amount, Resource};

use super::accounts::{Triple, hundredths, plus, sums};
use super::moments::PodPlace;
use super::operand::{Context, Expect, Operand, mib_of};
use super::rooms::Rooms;
use super::scores::Scores;

/// What a side of a comparison has to be.
pub fn expect(context: &Context<'_>, place: Operand<'_>) -> Expect {
    let owner = place.owner();
    let queue = owner.queue;
    match place.term.quantity {
        Quantity::Before => of_queue(queue, |queue| held(context, queue, place.whole())),
        Quantity::Request if place.of.is_some() => Expect::Amounts(requests(context, place)),
        Quantity::AllocatedWithJob | Quantity::AllocatedNonPreemptible => with_job(context, place, queue),
        Quantity::AllocatedWithoutVictims | Quantity::AllocatedAfter => {
            of_queue(queue, |queue| less(&held(context, queue, place.term.quantity), &context.losses(queue)))
        }
        Quantity::FairShare => of_queue(queue, |queue| context.share(queue).into_iter().collect()),
        Quantity::FairShareWithoutUsage => of_queue(queue, |queue| vec![context.shares.without_usage[queue.index()]]),
        Quantity::Usage => of_queue(queue, |queue| vec![context.shares.usage[queue.index()]]),
        Quantity::PreemptibleJobs => Expect::Values(vec![Value::Count(preemptible(context, place))]),
        Quantity::Quota => of_queue(queue, |queue| vec![context.accounts.quota(queue)]),
        Quantity::Limit => of_queue(queue, |queue| vec![context.accounts.limit(queue)]),
        Quantity::Allocatable => of_queue(queue, |queue| {
            let (quota, limit) = (context.accounts.quota(queue), context.accounts.limit(queue));
            let of = |share: Triple| std::array::from_fn(|r| quota[r].max(share[r]).min(limit[r]));
            context.share(queue).map(of).into_iter().collect()
        }),
        Quantity::Saturation => saturation(place),
        Quantity::Priority => match owner.job.filter(|_| place.check.subject.other_queue.is_none()) {
            Some(job) => Expect::Values(vec![Value::Count(i64::from(context.accounts.cluster.jobs[job].priority))]),
            None => queue.map_or(Expect::Unknown, |queue| {
                let of = context.accounts.cluster.queues_in(context.accounts.pool)[queue].priority;
                Expect::Values(vec![Value::Count(of.map_or(100, i64::from))])
            }),
        },
        Quantity::Request | Quantity::LargestNode if is_size(place) => size(context, place),
        Quantity::Request | Quantity::IdleOrReleasing | Quantity::Idle => on_node(context, place),
        Quantity::Score
        | Quantity::ScorePlacement
        | Quantity::ScoreCpuNode
        | Quantity::ScoreFreeNow
        | Quantity::ScoreSharing
        | Quantity::ScoreNominated => score(context, place),
        Quantity::Created => owner.job.map_or(Expect::Unknown, |job| {
            let job = &context.accounts.cluster.jobs[job];
            Expect::Values(vec![Value::Real(job.created.as_seconds())])
        }),
        Quantity::Name => owner.job.map_or(Expect::Unknown, |job| {
            Expect::Values(vec![Value::Name(context.accounts.cluster.jobs[job].name.clone())])
        }),
        Quantity::Runtime => runtime(context, place),
        Quantity::MinRuntime => min_runtime(context, place),
        Quantity::Waited | Quantity::PreemptionDelay => {
            owner.job.map_or(Expect::Unknown, |job| preemption_delay(context, job, place.term.quantity))
        }
        Quantity::GpuMemory => memory_of_chunk(context),
        Quantity::GpuMemoryUnit => Expect::Values(vec![Value::Real(context.accounts.memory_basis(false))]),
        Quantity::Pods if place.check.rule.key().ends_with("/backoff") => owner.job.map_or(Expect::Unknown, |job| {
            let n = context.accounts.holders(job).count() as i64;
            Expect::Values(vec![Value::Count(n)])
        }),
        Quantity::Pods if is_part_of_fit(place) => Expect::Values(vec![Value::Count(1)]),
        Quantity::Constant => constant(context, place),
        Quantity::Applies if place.check.subject.pod.is_some() && place.is_left => score(context, place),
        Quantity::Applies if place.check.subject.pod.is_some() => Expect::Values(vec![Value::Count(0)]),
        Quantity::Applies => owner.job.map_or(Expect::Unknown, |job| filled(context, job)),
        _ => Expect::Unknown,
    }
}

/// What the request may be: pods of the chunk, or the part of one device that the test of a pod on its node counts
///
fn requests(context: &Context<'_>, place: Operand<'_>) -> Vec<Triple> {
    if place.check.fault.as_deref() != Some("kai/fault/one-device") {
        return context.requests(is_test_of_bounds(place));
    }
    let of_one = |pod: &PodId| {
        let PodPlace::On(node) = context.end.places[pod.index()] else { return None };
        let [cpu, memory, _] = context.accounts.on_node(*pod, node);
        let device = context.accounts.cluster.nodes[node].device_mib();
        let mib = mib_of(context.accounts.pod(*pod).request.gpu, device);
        Some([cpu, memory, (mib as f64 / device as f64 * 100.0).ceil() / 100.0])
    };
    context.asked.iter().filter_map(of_one).collect()
}

/// Whether a comparison tests a chunk against limits or quotas before it is placed.
fn is_test_of_bounds(place: Operand<'_>) -> bool {
    let key = place.check.rule.key();
    key.starts_with("kai/capacity") || matches!(key, "runai/limit" | "runai/non-preemptible")
}

fn of_queue(queue: Option<QueueId>, amounts: impl Fn(QueueId) -> Vec<Triple>) -> Expect {
    queue.map_or(Expect::Unknown, |queue| Expect::Amounts(amounts(queue)))
}

/// What a queue holds, of the kind that a term adds to. Pods of an elastic job that were evicted for a set of pods may
/// have been subtracted twice.
fn held(context: &Context<'_>, queue: QueueId, whole: Quantity) -> Vec<Triple> {
    match whole {
        Quantity::AllocatedNonPreemptible => vec![context.accounts.non_preemptible(queue)],
        _ => less(&[context.accounts.allocated(queue)], &context.amounts(queue, &context.twice)),
    }
}

/// Each of some amounts without each of others.
fn less(amounts: &[Triple], others: &[Triple]) -> Vec<Triple> {
    let without = |amount: &Triple| {
        let amount = *amount;
        others.iter().map(move |other| plus(amount, other.map(|other| -other)))
    };
    amounts.iter().flat_map(without).collect()
}

fn with_job(context: &Context<'_>, place: Operand<'_>, queue: Option<QueueId>) -> Expect {
    of_queue(queue, |queue| {
        let held = held(context, queue, place.term.quantity);
        let asked = requests(context, place);
        let lost = match place.of {
            Some(_) => context.losses(queue),
            None => vec![[0.0; 3]],
        };
        let with = |asked: &Triple| held.iter().map(|held| plus(*held, *asked)).collect::<Vec<_>>();
        less(&asked.iter().flat_map(with).collect::<Vec<_>>(), &lost)
    })
}

/// Allocated over fair share, from the two amounts that it was computed from.
fn saturation(place: Operand<'_>) -> Expect {
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

/// The configuration of the engine.
pub fn config(policy: &Policy) -> Option<&Config> {
    match policy {
        Policy::Kai(config) => Some(config),
        Policy::Runai(config) => Some(&config.engine),
        _ => None,
    }
}

/// Whether a comparison is that of a pod with the largest node.
fn is_size(place: Operand<'_>) -> bool {
    place.check.right.quantity == Quantity::LargestNode
}

/// What a pod requests, or the most that a node of the pool has.
fn size(context: &Context<'_>, place: Operand<'_>) -> Expect {
    let accounts = &context.accounts;
    let (Some(pod), Some(resource)) = (place.check.subject.pod, place.check.subject.resource) else {
        return Expect::Unknown;
    };
    let in_units = |amount: Amount| amount.in_policy_units(resource);
    let request = &accounts.pod(pod).request;
    let value = match (place.is_left, resource, request.gpu) {
        (false, ..) => {
            let of = accounts.nodes().map(|(_, node)| in_units(node.capacity.get(resource)));
            of.fold(0.0, f64::max)
        }
        (true, Resource::GPU, GpuRequest::Fraction { portion, devices }) => {
            hundredths(portion.in_policy_units(Resource::GPU), devices)
        }
        (true, Resource::GPU, gpu) => f64::from(gpu.n_devices()),
        (true, ..) => in_units(request.resources.get(resource)),
    };
    Expect::Values(vec![Value::Real(value)])
}

/// A pod's request, and what is free on its node, or the most that is free on one that it may use.
fn on_node(context: &Context<'_>, place: Operand<'_>) -> Expect {
    let subject = place.check.subject;
    let (Some(pod), Some(rooms)) = (subject.pod, &*context.rooms) else { return Expect::Unknown };
    let one = |value: f64| Expect::Values(vec![Value::Real(value)]);
    match (place.term.quantity, subject.node, subject.resource) {
        (Quantity::Request, ..) => Expect::Amounts(vec![context.accounts.pending(pod, true)]),
        (Quantity::Idle, Some(node), Some(r)) => one(rooms.room(node).idle[r.index()]),
        (Quantity::Idle, Some(node), None) => Expect::Values(vec![Value::Count(rooms.room(node).idle_pods)]),
        (Quantity::IdleOrReleasing, Some(node), Some(Resource::GPU)) => one(rooms.room(node).gpus()),
        (Quantity::IdleOrReleasing, None, Some(Resource::GPU)) => {
            one(free_gpus(context, rooms, pod).fold(0.0, f64::max))
        }
        _ => Expect::Unknown,
    }
}

/// Free devices and parts on each node that a pod may use.
pub fn free_gpus<'a>(context: &'a Context<'_>, rooms: &'a Rooms<'_>, pod: PodId) -> impl Iterator<Item = f64> + 'a {
    let needs_role = config(context.policy).is_some_and(|config| config.restrict_node_scheduling);
    let of = context.accounts.pod(pod);
    let is_worker = |node: &Node| node.labels.iter().any(|(key, _)| **key == *"node-role.kubernetes.io/gpu-worker");
    let may_use = move |node: &Node| {
        node.takes_pods() && of.selects(node) && of.tolerates(node) && (!needs_role || is_worker(node))
    };
    let open = context.accounts.nodes().filter(move |(_, node)| may_use(node));
    open.map(|(node, _)| rooms.room(node).gpus_with_parts())
}

/// The score of one of the two nodes, or a part of it.
fn score(context: &Context<'_>, place: Operand<'_>) -> Expect {
    let Subject { pod, node, other_node, .. } = place.check.subject;
    let node = if place.is_left { node } else { other_node };
    let (Some(pod), Some(node), Some(rooms), Some(config)) = (pod, node, &*context.rooms, config(context.policy))
    else {
        return Expect::Unknown;
    };
    let scores = Scores { accounts: context.accounts, config, rooms, pod };
    let value = match place.term.quantity {
        Quantity::Score => Some(scores.score(node)),
        Quantity::Applies => return Expect::Values(vec![Value::Count(scores.is_nominated(node).into())]),
        part => scores.part(part, node),
    };
    Expect::Values(value.into_iter().map(Value::Real).collect())
}

/// Whether a comparison is about the room of a node.
fn is_part_of_fit(place: Operand<'_>) -> bool {
    place.check.rule.key().ends_with("/room")
}

/// The constant that a quantity is compared with.
fn constant(context: &Context<'_>, place: Operand<'_>) -> Expect {
    let real = |value: f64| Expect::Values(vec![Value::Real(value)]);
    match (place.check.left.quantity, place.owner().job) {
        (Quantity::Saturation, _) => real(1.0),
        (Quantity::FairShare, _) => real(0.0),
        (Quantity::Pods, _) => Expect::Values(vec![Value::Count(0)]),
        (Quantity::PreemptibleJobs, _) => Expect::Values(vec![Value::Count(1)]),
        (Quantity::Runtime, Some(job)) => real(staleness_grace(context, job)),
        _ => Expect::Unknown,
    }
}

/// Number of other jobs that run and may lose some of what they hold, in the queue of the comparison or in all. A job
/// that was evicted and only has claims does not run.
fn preemptible(context: &Context<'_>, place: Operand<'_>) -> i64 {
    let (accounts, subject) = (&context.accounts, place.check.subject);
    let jobs = accounts.cluster.jobs.ids().filter(|job| {
        let is_there = accounts.state.pools[job.index()] == accounts.pool;
        let is_own = subject.queue.is_none_or(|queue| accounts.cluster.jobs[*job].queue == queue);
        is_there && is_own && Some(*job) != subject.job
    });
    let runs =
        |job: &JobId| accounts.cluster.jobs[*job].pod_ids().any(|pod| matches!(accounts.place(pod), PodPlace::On(_)));
    jobs.filter(runs).filter(|job| accounts.fixed(*job).len() < accounts.holders(*job).count()).count() as i64
}

/// How long a gang may be below its minimum, in seconds: since v0.17 a job can have its own time.
fn staleness_grace(context: &Context<'_>, job: JobId) -> f64 {
    let config = config(context.policy);
    let own = context.accounts.cluster.jobs[job].staleness_grace;
    let own = own.filter(|_| config.is_some_and(|config| config.revision == Revision::V0_17));
    let grace_s = match own {
        Some(own) => own.map(|span| span.as_seconds()),
        None => config.and_then(|config| config.staleness_grace_s),
    };
    grace_s.unwrap_or(f64::INFINITY)
}

/// Whether a job has fewer pods than its minimum (0), exactly as many (1), or more (2).
fn filled(context: &Context<'_>, job: JobId) -> Expect {
    let cluster = context.accounts.cluster;
    let least = match config(context.policy).map(|config| config.revision) {
        Some(Revision::V0_13) => 1,
        _ => 0,
    };
    let holders: Vec<PodId> = context.accounts.holders(job).map(|(pod, _)| pod).collect();
    let orders = cluster.jobs[job].pod_set_ids().map(|set| {
        let n = holders.iter().filter(|pod| context.accounts.pod(**pod).pod_set == set).count();
        n.cmp(&(cluster.pod_sets[set].min_available.max(least) as usize))
    });
    let orders: Vec<std::cmp::Ordering> = orders.collect();
    let filled = match orders {
        orders if orders.iter().any(|order| order.is_lt()) => 0,
        orders if orders.iter().all(|order| order.is_eq()) => 1,
        _ => 2,
    };
    Expect::Values(vec![Value::Count(filled)])
}

/// Time since the latest start of a victim, or since a gang is below its minimum.
fn runtime(context: &Context<'_>, place: Operand<'_>) -> Expect {
    let ages = |since: Vec<Time>| {
        Expect::Values(since.into_iter().map(|since| Value::Real((context.now - since).as_seconds())).collect())
    };
    if let (Quantity::Constant, Some(job)) = (place.check.right.quantity, place.owner().job) {
        return ages(vec![context.stale.get(&job).copied().unwrap_or(context.now)]);
    }
    let Some(job) = place.owner().job.filter(|_| {
        place.check.rule.key().ends_with("/ran-long-enough") || place.check.rule.key() == "runai/min-runtime"
    }) else {
        return Expect::Unknown;
    };
    ages(context.last_start(job))
}

/// The preemption delay of a job in seconds, and the part that is over: since its creation, or since the last eviction
/// of one of its pods for another job.
fn preemption_delay(context: &Context<'_>, job: JobId, quantity: Quantity) -> Expect {
    let of = &context.accounts.cluster.jobs[job];
    let since = context.evicted.get(&job).map_or(of.created, |evicted| of.created.max(*evicted));
    let span = match quantity {
        Quantity::Waited => Some(context.now - since),
        _ => of.preemption_delay,
    };
    span.map_or(Expect::Unknown, |span| Expect::Values(vec![Value::Real(span.as_seconds())]))
}

/// The minimum runtime that protects a victim: of the nearest queue that has one, or, against reclaim, of the nearest
/// one from the queue below the common ancestor on.
fn min_runtime(context: &Context<'_>, place: Operand<'_>) -> Expect {
    let subject = place.check.subject;
    let (Some(victim), Some(job)) = (subject.other_job, subject.job) else { return Expect::Unknown };
    let cluster = context.accounts.cluster;
    let queues = cluster.queues_in(context.accounts.pool);
    let (own, of_victim) = (cluster.jobs[job].queue, cluster.jobs[victim].queue);
    let Some(config) = config(context.policy) else { return Expect::Unknown };
    let reclaim = own != of_victim;
    let of =
        |queue: QueueId| if reclaim { queues[queue].reclaim_min_runtime } else { queues[queue].preempt_min_runtime };
    let up = |from: QueueId| context.accounts.path(from);
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
    let default = if reclaim { config.default_reclaim_min_runtime_s } else { config.default_preempt_min_runtime_s };
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
