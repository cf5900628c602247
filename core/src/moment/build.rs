//! Builds a [`Frame`] from the state of a simulation.

use std::sync::Arc;

use crate::cluster::{Cluster, ClusterState, GpuRequest, Node, Partition, Phase, Pod, Preemptible, Restart};
use crate::id::{Id, JobId, NodeId, PartitionId, PodId, QueueId};
use crate::policy::Policy;
use crate::sim::{ClaimView, CycleRecord, Simulation};
use crate::time::Time;
use crate::trace::{Event, Holdings, Ledger, LedgerRow, Recorded};
use crate::units::{PerResource, Resource};

use super::names::Names;
use super::{
    Amounts, Ask, BoundTriple, Cell, CellPod, Claim, EventRow, Frame, Holding, JobRow, NodeCard, PoolRow, QueueRow,
    orders,
};

/// Builds the frame of a simulation after the cycle of `record`, its latest one; `names` is the run's catalogue.
pub fn frame(names: &Arc<Names>, sim: &Simulation, record: &CycleRecord) -> Frame {
    let cluster = sim.cluster();
    let policy = Policy::described(&names.policy);
    let gpus_of = if policy.is_none_or(|policy| policy.supports.parts) { gpus } else { devices };
    let mut frame = Frame {
        names: names.clone(),
        policy: names.policy.clone(),
        cycle: record.cycle,
        time_ms: record.time.as_millis(),
        digest: format!("{:016x}", record.digest),
        quiet: sim.is_quiet(),
        total: amounts(&record.ledger.total, &capacity(cluster, None)),
        queues: record.ledger.rows.iter().map(|row| queue_row(cluster, row, &sums(sim.world(), row.queue))).collect(),
        pools: pools(cluster, record),
        pool: String::new(),
        named: cluster.named.iter().map(|name| name.to_string()).collect(),
        nodes: cluster.nodes.values().map(|node| node_card(cluster, node)).collect(),
        jobs: cluster.live_jobs.iter().map(|&job| job_row(cluster, job, gpus_of)).collect(),
        evicted: evicted(sim),
        events: events(cluster, record),
        actions: actions(record),
        not_selected: record.not_selected.clone(),
        searches: record.searches.clone(),
        unfinished: record.unfinished.clone(),
        n_outside: record.n_outside,
        refusals: record.refusals.to_vec(),
        lost_claims: record.lost_claims.clone(),
        next_ms: sim.next_cycle_at().map(Time::as_millis),
        next_change_ms: sim.next_change_at().map(Time::as_millis),
    };
    for pool in cluster.partitions.ids() {
        let queues = frame.pools.get_mut(pool.index()).map(|pool| &mut pool.queues);
        orders::put_priorities(sim, pool, queues.unwrap_or(&mut frame.queues));
    }
    place_pods(&mut frame, cluster, record);
    place_claims(&mut frame, cluster, claims(sim, record));
    put_holdings(&mut frame, sim);
    if let Some(state) = policy.and_then(|policy| policy.queue_state) {
        super::states::put(&mut frame, state);
    }
    frame
}

/// CPU, memory and GPU, in this order.
pub fn triple(values: &PerResource<f64>) -> [f64; 3] {
    [values.cpu, values.memory, values.gpu]
}

/// The policy's amounts of CPU, memory and GPU, with the cluster's amounts of named resources.
pub fn amounts(values: &PerResource<f64>, named: &Amounts) -> Amounts {
    Amounts::from(triple(values)).with_named(named)
}

/// CPU, memory and GPU, in this order; infinity becomes `None`.
pub fn bounds(values: &PerResource<f64>) -> BoundTriple {
    triple(values).map(|v| v.is_finite().then_some(v))
}

/// Allocated, allocated non-preemptible, and requested amounts of a queue, from the cluster's totals.
pub fn sums(world: &ClusterState, queue: QueueId) -> [Amounts; 3] {
    let sums = world.queue_sums(queue);
    let mut request = sums.allocated;
    request.iter_mut().zip(sums.waiting).for_each(|(sum, waiting)| *sum += waiting);
    [sums.allocated, sums.non_preemptible, request].map(|sums| Amounts::of_sums(&sums))
}

/// Capacity of ready nodes of one pool, or of all; computed only if the scenario names resources.
pub fn capacity(cluster: &Cluster, pool: Option<PartitionId>) -> Amounts {
    let mut sum = Amounts::default();
    // Only the amounts of named resources are used.
    let nodes = cluster.nodes.values().filter(|node| node.ready && !cluster.named.is_empty());
    for node in nodes.filter(|node| pool.is_none_or(|pool| node.partition == pool)) {
        add(&mut sum, &Amounts::of(&node.capacity));
    }
    sum
}

fn add(sums: &mut Amounts, amounts: &Amounts) {
    for (sum, amount) in sums.iter_mut().zip(amounts.iter()) {
        *sum += amount;
    }
}

fn queue_row(cluster: &Cluster, row: &LedgerRow, [allocated, non_preemptible, request]: &[Amounts; 3]) -> QueueRow {
    let queue = &cluster.queues[row.queue];
    QueueRow {
        name: queue.name.to_string(),
        parent: queue.parent.map(|q| q.0),
        allocated: amounts(&row.allocated, allocated),
        non_preemptible: amounts(&row.non_preemptible, non_preemptible),
        request: amounts(&row.request, request),
        fair_share: row.fair_share.as_ref().map(bounds),
        quota: bounds(&row.quota),
        limit: bounds(&row.limit),
        usage: row.usage.as_ref().map(triple),
        ..QueueRow::default()
    }
}

/// The rows of all node pools.
fn pools(cluster: &Cluster, record: &CycleRecord) -> Vec<PoolRow> {
    let row = |(ledger, (id, partition)): (&Arc<Ledger>, (PartitionId, &Partition))| {
        let named = named_in(cluster, id);
        let queue = |row: &LedgerRow| queue_row(cluster, row, &named[row.queue.index()]);
        PoolRow {
            name: partition.name.to_string(),
            total: amounts(&ledger.total, &capacity(cluster, Some(id))),
            queues: ledger.rows.iter().map(queue).collect(),
        }
    };
    record.pools.iter().zip(cluster.partitions.iter()).map(row).collect()
}

/// Amounts of named resources of every queue in a pool, as in [`sums`].
fn named_in(cluster: &Cluster, pool: PartitionId) -> Vec<[Amounts; 3]> {
    let mut sums = vec![<[Amounts; 3]>::default(); cluster.queues.len()];
    let jobs = cluster.live_jobs.iter().filter(|&&job| cluster.jobs[job].partition == pool);
    for &job in jobs.filter(|_| !cluster.named.is_empty()) {
        let fixed = match cluster.jobs[job].preemptible {
            Preemptible::Semi => cluster.fixed_pods(job),
            Preemptible::Yes | Preemptible::No => Vec::new(),
        };
        let is_fixed = cluster.jobs[job].preemptible == Preemptible::No;
        for (id, pod) in cluster.pods_of(job) {
            let holds = matches!(pod.phase, Phase::Starting { .. } | Phase::Running { .. });
            let waits = matches!(pod.phase, Phase::Pending | Phase::Gated);
            let counts = [holds, holds && (is_fixed || fixed.contains(&id)), holds || waits];
            let amount = Amounts::of(&pod.request.resources);
            for queue in cluster.path_to_root(cluster.jobs[job].queue) {
                let into = sums[queue.index()].iter_mut().zip(counts).filter(|(_, counts)| *counts);
                into.for_each(|(sum, _)| add(sum, &amount));
            }
        }
    }
    sums
}

fn node_card(cluster: &Cluster, node: &Node) -> NodeCard {
    NodeCard {
        pool: pool_name(cluster, node.partition),
        name: node.name.to_string(),
        ready: node.ready,
        draining: node.draining,
        capacity: Amounts::of(&node.capacity),
        slots: (node.pods_max != Node::UNLIMITED_PODS).then_some(node.pods_max),
        cells: vec![Cell::default(); node.n_devices() as usize],
        ..NodeCard::default()
    }
}

/// The name of a node pool; empty if there is only one.
fn pool_name(cluster: &Cluster, pool: PartitionId) -> String {
    match cluster.partitions.len() {
        1 => String::new(),
        _ => cluster.partitions[pool].name.to_string(),
    }
}

fn job_row(cluster: &Cluster, id: JobId, gpus_of: fn(&Pod) -> f64) -> JobRow {
    let job = &cluster.jobs[id];
    let count = |test: fn(Phase) -> bool| {
        job.pod_ids().filter(|&pod| test(cluster.pods[pod].phase)).count().try_into().unwrap_or(u32::MAX)
    };
    let request = job_amount(cluster, id);
    JobRow {
        id,
        name: job.name.to_string(),
        queue: job.queue.0,
        pool: pool_name(cluster, job.partition),
        running: count(|p| matches!(p, Phase::Running { .. } | Phase::Starting { .. })),
        pending: count(|p| matches!(p, Phase::Pending | Phase::Gated)),
        leaving: count(|p| matches!(p, Phase::Terminating { .. })),
        leaves_ms: job.pod_ids().filter_map(|pod| leaves_ms(cluster.pods[pod].phase)).min(),
        gpus: request[Resource::GPU.index()],
        request,
        asks: asks(cluster, id, gpus_of),
        submit_ms: job.submit.as_millis(),
        first_start_ms: job.first_start.map(|t| t.as_millis()),
        evictions: job.evictions,
        gone: count(|p| matches!(p, Phase::Evicted { .. })),
        joining: cluster.joining_of(id).count().try_into().unwrap_or(u32::MAX),
        joins_ms: cluster.joining_of(id).map(|joining| joining.at.as_millis()).min(),
        core: match job.preemptible {
            Preemptible::Semi => job.pod_set_ids().map(|set| cluster.pod_sets[set].min_available).sum(),
            Preemptible::Yes | Preemptible::No => 0,
        },
    }
}

fn asks(cluster: &Cluster, id: JobId, gpus_of: fn(&Pod) -> f64) -> Vec<Ask> {
    let mut asks: Vec<Ask> = Vec::new();
    for (_, pod) in cluster.pods_of(id).filter(|(_, pod)| matches!(pod.phase, Phase::Pending | Phase::Gated)) {
        let gpus = gpus_of(pod);
        match asks.iter_mut().find(|ask| ask.gpus == gpus) {
            Some(ask) => ask.pods += 1,
            None => asks.push(Ask { pods: 1, gpus }),
        }
    }
    asks
}

fn leaves_ms(phase: Phase) -> Option<i64> {
    match phase {
        Phase::Terminating { until, .. } => Some(until.as_millis()),
        _ => None,
    }
}

fn gpus(pod: &Pod) -> f64 {
    pod.request.resources.get(Resource::GPU).in_policy_units(Resource::GPU)
}

/// The GPUs of a pod under a policy without parts of GPUs.
fn devices(pod: &Pod) -> f64 {
    f64::from(pod.request.gpu.n_devices())
}

/// The amounts that pods request.
fn sum<'a>(pods: impl Iterator<Item = &'a Pod>) -> Amounts {
    pods.fold(Amounts::default(), |mut sum, pod| {
        add(&mut sum, &Amounts::of(&pod.request.resources));
        sum
    })
}

fn job_amount(cluster: &Cluster, job: JobId) -> Amounts {
    sum(cluster.jobs[job].pod_ids().map(|pod| &cluster.pods[pod]))
}

/// The rows of the queues in a pool, if there are several, and in the whole cluster.
fn all_queues(frame: &mut Frame, pool: PartitionId) -> impl Iterator<Item = &mut Vec<QueueRow>> {
    let in_pool = frame.pools.get_mut(pool.index()).map(|pool| &mut pool.queues);
    in_pool.into_iter().chain([&mut frame.queues])
}

/// Adds an amount to a queue and all its ancestors.
fn add_up(
    queues: &mut [QueueRow],
    cluster: &Cluster,
    queue: QueueId,
    amount: &Amounts,
    field: fn(&mut QueueRow) -> &mut Amounts,
) {
    for id in cluster.path_to_root(queue) {
        if let Some(row) = queues.get_mut(id.index()) {
            add(field(row), amount);
        }
    }
}

fn place_pods(frame: &mut Frame, cluster: &Cluster, record: &CycleRecord) {
    let mut changed: Vec<PodId> = record.events.iter().filter_map(placed_or_evicted).collect();
    changed.sort();
    for &job_id in &cluster.live_jobs {
        let job = &cluster.jobs[job_id];
        let core = match job.preemptible {
            Preemptible::Semi => cluster.fixed_pods(job_id),
            Preemptible::Yes | Preemptible::No => Vec::new(),
        };
        for (id, pod) in cluster.pods_of(job_id) {
            let Some(node) = pod.node.filter(|_| pod.phase.holds()) else { continue };
            let amount = amount_on(cluster, pod, Some(node));
            let leaving = matches!(pod.phase, Phase::Terminating { .. });
            if leaving {
                for queues in all_queues(frame, cluster.nodes[node].partition) {
                    add_up(queues, cluster, job.queue, &amount, |row| &mut row.leaving);
                }
            }
            let card = &mut frame.nodes[node.index()];
            add(&mut card.used, &amount);
            card.pods += 1;
            hold(card, job.queue, leaving, &amount);
            if matches!(pod.request.gpu, GpuRequest::None) {
                card.cpu_pods.push(id);
                continue;
            }
            let on_card = CellPod {
                pod: id,
                job: job_id,
                queue: job.queue.0,
                portion: portion(cluster, pod, node),
                leaving,
                starting: matches!(pod.phase, Phase::Starting { .. }),
                locked: job.preemptible == Preemptible::No || core.contains(&id),
                changed: changed.binary_search(&id).is_ok(),
            };
            for device in pod.devices.iter() {
                if let Some(cell) = card.cells.get_mut(device as usize) {
                    cell.pods.push(on_card.clone());
                }
            }
        }
    }
}

/// Adds a pod's amount to that of its queue on the node. Pods with GPUs only are shown in the cells instead.
fn hold(card: &mut NodeCard, queue: QueueId, leaving: bool, amount: &Amounts) {
    if amount.iter().enumerate().all(|(i, amount)| i == Resource::GPU.index() || *amount == 0.0) {
        return;
    }
    let is_same = |holding: &&mut Holding| holding.queue == queue.0 && holding.leaving == leaving;
    match card.holds.iter_mut().find(is_same) {
        Some(holding) => add(&mut holding.amount, amount),
        None => card.holds.push(Holding { queue: queue.0, leaving, amount: *amount }),
    }
}

/// Fills in the owners of nodes, and the private and over-limit allocations of queues.
fn put_holdings(frame: &mut Frame, sim: &Simulation) {
    let cluster = sim.cluster();
    for part in cluster.partitions.ids() {
        let Holdings { nodes, private, over_limit } = sim.holdings_in(part);
        for owned in &nodes {
            let card = &mut frame.nodes[owned.node.index()];
            (card.owner, card.lent) = (Some(owned.owner.0), owned.is_lent);
        }
        for queues in all_queues(frame, part) {
            for row in queues.iter_mut().filter(|_| !nodes.is_empty()) {
                row.private.get_or_insert_default();
            }
            add_pods(queues, cluster, &private, |row| row.private.get_or_insert_default());
            add_pods(queues, cluster, &over_limit, |row| &mut row.over_limit);
        }
    }
}

/// Adds the requests of pods that are not terminating to their queues and all ancestors.
fn add_pods(queues: &mut [QueueRow], cluster: &Cluster, pods: &[PodId], field: fn(&mut QueueRow) -> &mut Amounts) {
    for pod in pods.iter().map(|&pod| &cluster.pods[pod]) {
        if leaves_ms(pod.phase).is_none() {
            let amount = Amounts::of(&pod.request.resources);
            add_up(queues, cluster, cluster.jobs[pod.job].queue, &amount, field);
        }
    }
}

fn placed_or_evicted(recorded: &Recorded) -> Option<PodId> {
    match recorded.event {
        Event::Bound { pod, .. } | Event::Evicted { pod, .. } => Some(pod),
        _ => None,
    }
}

/// The amounts of a pod on a node: a request for GPU memory takes the part of the devices that the node's memory gives.
fn amount_on(cluster: &Cluster, pod: &Pod, node: Option<NodeId>) -> Amounts {
    let mut amount = Amounts::of(&pod.request.resources);
    if let (GpuRequest::Memory { devices, .. }, Some(node)) = (pod.request.gpu, node) {
        amount[Resource::GPU.index()] = portion(cluster, pod, node) * f64::from(devices);
    }
    amount
}

fn portion(cluster: &Cluster, pod: &Pod, node: NodeId) -> f64 {
    match pod.request.gpu {
        GpuRequest::Fraction { portion, .. } => portion.in_policy_units(Resource::GPU),
        GpuRequest::Memory { mib, .. } => mib as f64 / cluster.nodes[node].gpu_memory_mib.max(1) as f64,
        GpuRequest::Whole { .. } | GpuRequest::None => 1.0,
    }
}

/// Reservations for pending pods, of the cycle and beyond.
fn claims(sim: &Simulation, record: &CycleRecord) -> Vec<ClaimView> {
    let mut claims = sim.held();
    let n_held = claims.len();
    for claim in record.claims() {
        if claims[..n_held].iter().all(|held| held.pod != claim.pod) {
            claims.push(claim);
        }
    }
    claims
}

/// Shows claims on the cells they are most likely to get: first those of terminating pods, then free ones.
fn place_claims(frame: &mut Frame, cluster: &Cluster, claims: Vec<ClaimView>) {
    for ClaimView { pod, node } in claims {
        let pod = &cluster.pods[pod];
        let job = &cluster.jobs[pod.job];
        let amount = Amounts::of(&pod.request.resources);
        for queues in all_queues(frame, cluster.nodes[node].partition) {
            add_up(queues, cluster, job.queue, &amount, |row| &mut row.claimed);
        }
        let claim = Claim { job: pod.job, queue: job.queue.0 };
        let cells = &mut frame.nodes[node.index()].cells;
        for _ in 0..pod.request.gpu.n_devices() {
            let is_leaving = |c: &Cell| c.claimed.is_none() && c.pods.iter().any(|p| p.leaving);
            let is_free = |c: &Cell| c.claimed.is_none() && c.pods.is_empty();
            let position = cells.iter().position(is_leaving).or_else(|| cells.iter().position(is_free));
            if let Some(position) = position {
                cells[position].claimed = Some(claim.clone());
            }
        }
    }
}

/// The events of the cycle, followed by its marks.
fn events(cluster: &Cluster, record: &CycleRecord) -> Vec<EventRow> {
    let happened = record.events.iter().map(|recorded| event_row(cluster, record.time, recorded));
    let time_ms = record.time.as_millis();
    let marks = record.marks.iter().map(|mark| EventRow { time_ms, ..EventRow::of(*mark) });
    happened.chain(marks).collect()
}

fn actions(record: &CycleRecord) -> Vec<(String, u32)> {
    let mut actions: Vec<(String, u32)> = Vec::new();
    for (n, recorded) in (1..).zip(&record.events) {
        match actions.last_mut().filter(|last| last.0 == recorded.action) {
            Some(last) => last.1 = n,
            None => actions.push((recorded.action.to_string(), n)),
        }
    }
    actions
}

/// The latest jobs that ended because evicted pods were not replaced.
fn evicted(sim: &Simulation) -> Vec<EventRow> {
    let jobs = sim.evicted_jobs();
    let latest = &jobs[jobs.len().saturating_sub(EVICTED_MAX)..];
    let row = |(time, event): &(Time, Event)| {
        let recorded = Recorded { event: *event, action: "", checks: Default::default() };
        event_row(sim.cluster(), *time, &recorded)
    };
    latest.iter().map(row).collect()
}

/// Largest number of such jobs in a frame.
const EVICTED_MAX: usize = 1_000;

fn event_row(cluster: &Cluster, time: Time, recorded: &Recorded) -> EventRow {
    let mut row =
        EventRow { time_ms: time.as_millis(), checks: recorded.checks.clone(), ..EventRow::of(recorded.event) };
    let job_of = |pod: PodId| &cluster.jobs[cluster.pods[pod].job];
    match recorded.event {
        Event::Submitted { job } => {
            let at_submission = cluster.pods_of(job).filter(|(pod, _)| cluster.joins_at(*pod).is_none());
            row.amount = sum(at_submission.map(|(_, pod)| pod));
        }
        Event::JobDone { job } | Event::JobEvicted { job } | Event::SetAside { job } | Event::Offered { job, .. } => {
            row.amount = job_amount(cluster, job);
        }
        Event::Evicted { pod, .. } => row.for_good = job_of(pod).restart == Restart::Never,
        Event::Claimed { pod, .. } | Event::Unclaimed { pod, .. } => row.for_gang = job_of(pod).gang.is_some(),
        Event::Bound { .. }
        | Event::Found { .. }
        | Event::DevicesChanged { .. }
        | Event::Gone { .. }
        | Event::Finished { .. }
        | Event::Requeued { .. }
        | Event::NotReplaced { .. }
        | Event::Joined { .. }
        | Event::Changed { .. } => {}
    }
    let subject = recorded.event.subject();
    if let Some(pod) = subject.pod {
        row.amount = amount_on(cluster, &cluster.pods[pod], subject.node);
    }
    row
}
