<<<<<<< HEAD
//! Engine types to protocol types: the moment.

use fairground::cluster::{Cluster, GpuRequest, Phase, Pod};
use fairground::id::{Id, JobId, NodeId, PodId, QueueId};
use fairground::sim::{CycleRecord, Simulation};
use fairground::trace::{Event, LedgerRow, Recorded};
use fairground::units::{PerResource, Resource, ResourceVec};

use super::convert_trace;
use super::protocol::{
    BoundTriple, Cell, CellPod, Claim, EventRow, Frame, JobRow, NodeCard, QueueRow, Triple,
};

/// What the simulation looks like after the cycle of `record`, its latest one.
pub fn frame(sim: &Simulation, record: &CycleRecord) -> Frame {
    let cluster = sim.cluster();
    let mut frame = Frame {
        cycle: record.cycle,
        time_ms: record.time.as_millis(),
        digest: format!("{:016x}", record.digest),
        quiet: sim.is_quiet(),
        total: triple(&record.ledger.total),
        queues: record.ledger.rows.iter().map(|row| queue_row(cluster, row)).collect(),
        nodes: cluster.nodes.values().map(node_card).collect(),
        jobs: cluster.live_jobs.iter().map(|&job| job_row(cluster, job)).collect(),
        events: record.events.iter().map(|recorded| event_row(cluster, record, recorded)).collect(),
        refusals: record.refusals.iter().map(|r| convert_trace::refusal(cluster, r)).collect(),
    };
    place_pods(&mut frame, cluster, record);
    place_claims(&mut frame, cluster, record);
    frame
}

/// CPU, memory, GPU.
pub fn triple(values: &PerResource<f64>) -> Triple {
    [values.cpu, values.memory, values.gpu]
}

/// CPU, memory, GPU; infinite is unlimited.
pub fn bounds(values: &PerResource<f64>) -> BoundTriple {
    triple(values).map(|v| v.is_finite().then_some(v))
}

fn amounts(resources: &ResourceVec) -> Triple {
    Resource::ACCOUNTED.map(|r| resources.get(r).in_policy_units(r))
}

fn add(to: &mut Triple, other: &Triple) {
    for (to, other) in to.iter_mut().zip(other) {
        *to += other;
    }
}

fn queue_row(cluster: &Cluster, row: &LedgerRow) -> QueueRow {
    let queue = &cluster.queues[row.queue];
    QueueRow {
        name: queue.name.to_string(),
        parent: queue.parent.map(|q| q.0),
        allocated: triple(&row.allocated),
        non_preemptible: triple(&row.non_preemptible),
        request: triple(&row.request),
        fair_share: row.fair_share.as_ref().map(bounds),
        quota: bounds(&row.quota),
        limit: bounds(&row.limit),
        leaving: Triple::default(),
        claimed: Triple::default(),
    }
}

fn node_card(node: &fairground::cluster::Node) -> NodeCard {
    NodeCard {
        name: node.name.to_string(),
        ready: node.ready,
        capacity: amounts(&node.capacity),
        used: Triple::default(),
        cells: vec![Cell::default(); node.n_devices() as usize],
        cpu_pods: Vec::new(),
    }
=======
//! From the engine's types to the protocol's. Names replace ids; infinite reals become `None`.

use std::collections::BTreeMap;

use fairground::cluster::{Cluster, GpuRequest, Phase, World};
use fairground::id::{Id, JobId, NodeId, PodId, QueueId};
use fairground::sim::{CycleRecord, Simulation};
use fairground::trace::{
    Check, DivisionStep, Event, EvictReason, Gate, LedgerRow, NodeReason, Op, Outlook, Quantity, Recorded,
    Refusal, Rule, Value,
};
use fairground::units::{Amount, PerResource, Resource};

use super::protocol::{
    BoundTriple, Cell, CellPod, CheckRow, Claim, EventRow, Frame, GateRow, JobRow, LadderLevel, LadderLine,
    NodeCard, QueueRow, RefusalRow, Triple, ValueRow,
};

/// The frame after a cycle: the state, and what happened in the cycle.
pub fn frame(simulation: &Simulation, record: &CycleRecord) -> Frame {
    let world = simulation.world();
    let cluster = world.cluster();
    let claims = claims(record);
    let changed = changed_pods(record);
    Frame {
        cycle: record.cycle,
        time_ms: record.time.as_millis(),
        digest: format!("{:016x}", record.digest),
        quiet: simulation.is_quiet(),
        total: triple(&record.ledger.total),
        queues: queues(world, record, &claims),
        nodes: cluster.nodes.ids().map(|node| node_card(world, node, &claims, &changed)).collect(),
        jobs: cluster.live_jobs.iter().map(|&job| job_row(cluster, job)).collect(),
        events: record.events.iter().map(|e| event_row(cluster, e, record.time.as_millis())).collect(),
        refusals: record.refusals.iter().map(|r| refusal_row(cluster, r)).collect(),
    }
}

fn triple(values: &PerResource<f64>) -> Triple {
    [values.cpu, values.memory, values.gpu]
}

fn bounds(values: &PerResource<f64>) -> BoundTriple {
    triple(values).map(finite)
}

fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

/// Thousandths of GPUs become GPUs; CPU and memory are in policy units already.
fn sums(values: [i64; 3]) -> Triple {
    [values[0] as f64, values[1] as f64, values[2] as f64 / 1000.0]
}

fn index(id: impl Id) -> u32 {
    u32::try_from(id.index()).unwrap_or(u32::MAX)
}

/// Pods that hold a claim at the end of the cycle, with the node.
fn claims(record: &CycleRecord) -> BTreeMap<PodId, NodeId> {
    let mut claims = BTreeMap::new();
    for recorded in &record.events {
        match recorded.event {
            Event::Claimed { pod, node } => {
                claims.insert(pod, node);
            }
            Event::Bound { pod, .. } => {
                claims.remove(&pod);
            }
            _ => {}
        }
    }
    claims
}

/// Pods that the cycle placed or told to go, ascending.
fn changed_pods(record: &CycleRecord) -> Vec<PodId> {
    let touched = |recorded: &Recorded| match recorded.event {
        Event::Bound { pod, .. } | Event::Evicted { pod, .. } => Some(pod),
        _ => None,
    };
    let mut pods: Vec<PodId> = record.events.iter().filter_map(touched).collect();
    pods.sort_unstable();
    pods
}

fn request(cluster: &Cluster, pod: PodId) -> Triple {
    let request = &cluster.pods[pod].request.resources;
    let real = |resource| request.get(resource).in_policy_units(resource);
    [real(Resource::CPU), real(Resource::MEMORY), real(Resource::GPU)]
}

fn queues(world: &World, record: &CycleRecord, claims: &BTreeMap<PodId, NodeId>) -> Vec<QueueRow> {
    let cluster = world.cluster();
    let mut rows: Vec<QueueRow> = cluster
        .queues
        .iter()
        .map(|(id, queue)| QueueRow {
            name: queue.name.to_string(),
            parent: queue.parent.map(index),
            leaving: sums(world.queue_sums(id).leaving),
            ..QueueRow::default()
        })
        .collect();
    for row in &record.ledger.rows {
        fill_in_ledger(&mut rows[row.queue.index()], row);
    }
    for &pod in claims.keys() {
        let amounts = request(cluster, pod);
        for queue in cluster.path_to_root(cluster.jobs[cluster.pods[pod].job].queue) {
            let claimed = &mut rows[queue.index()].claimed;
            for (sum, amount) in claimed.iter_mut().zip(amounts) {
                *sum += amount;
            }
        }
    }
    rows
}

fn fill_in_ledger(row: &mut QueueRow, ledger: &LedgerRow) {
    row.allocated = triple(&ledger.allocated);
    row.non_preemptible = triple(&ledger.non_preemptible);
    row.request = triple(&ledger.request);
    row.fair_share = ledger.fair_share.as_ref().map(bounds);
    row.quota = bounds(&ledger.quota);
    row.limit = bounds(&ledger.limit);
}

fn node_card(world: &World, id: NodeId, claims: &BTreeMap<PodId, NodeId>, changed: &[PodId]) -> NodeCard {
    let cluster = world.cluster();
    let node = &cluster.nodes[id];
    let used = world.node_use(id).used();
    let real = |amount: Amount, resource| amount.in_policy_units(resource);
    let mut card = NodeCard {
        name: node.name.to_string(),
        ready: node.ready,
        capacity: Resource::ACCOUNTED.map(|r| real(node.capacity.get(r), r)),
        used: Resource::ACCOUNTED.map(|r| real(used.get(r), r)),
        cells: vec![Cell::default(); node.n_devices() as usize],
        cpu_pods: Vec::new(),
    };
    for pod in world.pods_on(id) {
        place(cluster, pod, changed, &mut card);
    }
    claim_cells(cluster, id, claims, &mut card);
    card
}

fn place(cluster: &Cluster, id: PodId, changed: &[PodId], card: &mut NodeCard) {
    let pod = &cluster.pods[id];
    let job = &cluster.jobs[pod.job];
    if pod.request.gpu == GpuRequest::None {
        card.cpu_pods.push((pod.name.to_string(), job.name.to_string(), index(job.queue)));
        return;
    }
    let portion = match pod.request.gpu {
        GpuRequest::Fraction { portion, .. } => portion.in_base_units() as f64 / 1000.0,
        GpuRequest::Memory { mib, .. } => mib as f64 / cluster_memory(cluster, pod.node),
        GpuRequest::None | GpuRequest::Whole { .. } => 1.0,
    };
    for device in pod.devices.iter() {
        if let Some(cell) = card.cells.get_mut(device as usize) {
            cell.pods.push(CellPod {
                pod: pod.name.to_string(),
                job: job.name.to_string(),
                queue: index(job.queue),
                portion,
                leaving: matches!(pod.phase, Phase::Terminating { .. }),
                starting: matches!(pod.phase, Phase::Starting { .. }),
                locked: !job.preemptible,
                changed: changed.binary_search(&id).is_ok(),
            });
        }
    }
}

fn cluster_memory(cluster: &Cluster, node: Option<NodeId>) -> f64 {
    node.map_or(1.0, |node| cluster.nodes[node].gpu_memory_mib.max(1) as f64)
}

/// Shows each claim on cells that are leaving, then on free ones.
fn claim_cells(cluster: &Cluster, node: NodeId, claims: &BTreeMap<PodId, NodeId>, card: &mut NodeCard) {
    for (&pod, _) in claims.iter().filter(|&(_, &on)| on == node) {
        let wanted = match cluster.pods[pod].request.gpu {
            GpuRequest::None => 0,
            GpuRequest::Whole { devices }
            | GpuRequest::Fraction { devices, .. }
            | GpuRequest::Memory { devices, .. } => devices as usize,
        };
        let job = cluster.pods[pod].job;
        let claim = Claim { job: cluster.jobs[job].name.to_string(), queue: index(cluster.jobs[job].queue) };
        let is_open = |cell: &Cell, leaving: bool| {
            cell.claimed.is_none()
                && (if leaving { cell.pods.iter().any(|p| p.leaving) } else { cell.pods.is_empty() })
        };
        let mut open: Vec<usize> = Vec::new();
        for leaving in [true, false] {
            open.extend((0..card.cells.len()).filter(|&i| is_open(&card.cells[i], leaving)));
        }
        for i in open.into_iter().take(wanted) {
            card.cells[i].claimed = Some(claim.clone());
        }
    }
}

fn gpus_of(cluster: &Cluster, job: JobId) -> f64 {
    cluster.jobs[job].pod_ids().map(|pod| request(cluster, pod)[2]).sum()
>>>>>>> views
}

fn job_row(cluster: &Cluster, id: JobId) -> JobRow {
    let job = &cluster.jobs[id];
    let count = |is: fn(Phase) -> bool| {
        job.pod_ids().filter(|&pod| is(cluster.pods[pod].phase)).count().try_into().unwrap_or(u32::MAX)
    };
    JobRow {
        name: job.name.to_string(),
<<<<<<< HEAD
        queue: job.queue.0,
        running: count(|p| matches!(p, Phase::Running { .. } | Phase::Starting { .. })),
        pending: count(|p| matches!(p, Phase::Pending | Phase::Gated)),
        leaving: count(|p| matches!(p, Phase::Terminating { .. })),
        gpus: job_gpus(cluster, id),
=======
        queue: index(job.queue),
        running: count(|p| matches!(p, Phase::Starting { .. } | Phase::Running { .. })),
        pending: count(|p| matches!(p, Phase::Pending | Phase::Gated)),
        leaving: count(|p| matches!(p, Phase::Terminating { .. })),
        gpus: gpus_of(cluster, id),
>>>>>>> views
        submit_ms: job.submit.as_millis(),
        first_start_ms: job.first_start.map(|t| t.as_millis()),
        evictions: job.evictions,
    }
}

<<<<<<< HEAD
fn gpus(pod: &Pod) -> f64 {
    pod.request.resources.get(Resource::GPU).in_policy_units(Resource::GPU)
}

fn job_gpus(cluster: &Cluster, job: JobId) -> f64 {
    cluster.jobs[job].pod_ids().map(|pod| gpus(&cluster.pods[pod])).sum()
}

/// Adds an amount to a queue and all above it.
fn add_up(
    queues: &mut [QueueRow],
    cluster: &Cluster,
    from: QueueId,
    amount: &Triple,
    field: fn(&mut QueueRow) -> &mut Triple,
) {
    for id in cluster.path_to_root(from) {
        if let Some(row) = queues.get_mut(id.index()) {
            add(field(row), amount);
        }
    }
}

fn place_pods(frame: &mut Frame, cluster: &Cluster, record: &CycleRecord) {
    let mut changed: Vec<PodId> = record.events.iter().filter_map(placed_or_told).collect();
    changed.sort_unstable();
    for &job_id in &cluster.live_jobs {
        let job = &cluster.jobs[job_id];
        for (id, pod) in cluster.pods_of(job_id) {
            let (Some(node), true) = (pod.node, pod.phase.holds()) else { continue };
            let amount = amounts(&pod.request.resources);
            let leaving = matches!(pod.phase, Phase::Terminating { .. });
            if leaving {
                add_up(&mut frame.queues, cluster, job.queue, &amount, |row| &mut row.leaving);
            }
            let card = &mut frame.nodes[node.index()];
            add(&mut card.used, &amount);
            if matches!(pod.request.gpu, GpuRequest::None) {
                card.cpu_pods.push((pod.name.to_string(), job.name.to_string(), job.queue.0));
                continue;
            }
            let on_card = CellPod {
                pod: pod.name.to_string(),
                job: job.name.to_string(),
                queue: job.queue.0,
                portion: portion(cluster, pod, node),
                leaving,
                starting: matches!(pod.phase, Phase::Starting { .. }),
                locked: !job.preemptible,
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

fn placed_or_told(recorded: &Recorded) -> Option<PodId> {
    match recorded.event {
        Event::Bound { pod, .. } | Event::Evicted { pod, .. } => Some(pod),
        _ => None,
    }
}

fn portion(cluster: &Cluster, pod: &Pod, node: NodeId) -> f64 {
    match pod.request.gpu {
        GpuRequest::Fraction { portion, .. } => portion.in_policy_units(Resource::GPU),
        GpuRequest::Memory { mib, .. } => {
            mib as f64 / cluster.nodes[node].gpu_memory_mib.max(1) as f64
        }
        GpuRequest::Whole { .. } | GpuRequest::None => 1.0,
    }
}

/// Shows claims on the cells they are most likely to get: first those that are being left, then free ones.
fn place_claims(frame: &mut Frame, cluster: &Cluster, record: &CycleRecord) {
    for recorded in &record.events {
        let Event::Claimed { pod, node } = recorded.event else { continue };
        let pod = &cluster.pods[pod];
        let job = &cluster.jobs[pod.job];
        let amount = amounts(&pod.request.resources);
        add_up(&mut frame.queues, cluster, job.queue, &amount, |row| &mut row.claimed);
        let n = match pod.request.gpu {
            GpuRequest::None => 0,
            GpuRequest::Whole { devices }
            | GpuRequest::Fraction { devices, .. }
            | GpuRequest::Memory { devices, .. } => devices,
        };
        let claim = Claim { job: job.name.to_string(), queue: job.queue.0 };
        let cells = &mut frame.nodes[node.index()].cells;
        for _ in 0..n {
            let is_left = |c: &Cell| c.claimed.is_none() && c.pods.iter().any(|p| p.leaving);
            let is_free = |c: &Cell| c.claimed.is_none() && c.pods.is_empty();
            let at = cells.iter().position(is_left).or_else(|| cells.iter().position(is_free));
            if let Some(at) = at {
                cells[at].claimed = Some(claim.clone());
            }
        }
    }
}

/// Which thing an event is about.
enum About {
    Pod(PodId),
    Job(JobId),
    Nothing,
}

fn event_row(cluster: &Cluster, record: &CycleRecord, recorded: &Recorded) -> EventRow {
    let (about, node, by) = match recorded.event {
        Event::Submitted { job } | Event::JobDone { job } => (About::Job(job), None, None),
        Event::Bound { pod, node, .. } | Event::Claimed { pod, node } => (About::Pod(pod), Some(node), None),
        Event::Evicted { pod, node, by, .. } => (About::Pod(pod), Some(node), by),
        Event::Gone { pod, node } | Event::Finished { pod, node } => (About::Pod(pod), Some(node), None),
        Event::Requeued { pod } => (About::Pod(pod), None, None),
        Event::Changed { .. } => (About::Nothing, None, None),
    };
    let mut row = EventRow {
        kind: convert_trace::kind(&recorded.event).to_string(),
        time_ms: record.time.as_millis(),
        node: node.map_or_else(String::new, |n| cluster.nodes[n].name.to_string()),
        by: by.map_or_else(String::new, |j| cluster.jobs[j].name.to_string()),
        by_queue: by.map(|j| cluster.jobs[j].queue.0),
        reason: convert_trace::reason(&recorded.event).to_string(),
        checks: recorded.checks.iter().map(|check| convert_trace::check(cluster, check)).collect(),
        ..EventRow::default()
    };
    let job = match about {
        About::Pod(id) => {
            let pod = &cluster.pods[id];
            row.pod = pod.name.to_string();
            row.gpus = gpus(pod);
            Some(pod.job)
        }
        About::Job(id) => {
            row.gpus = job_gpus(cluster, id);
            Some(id)
        }
        About::Nothing => None,
    };
    if let Some(id) = job {
        row.job = cluster.jobs[id].name.to_string();
        row.queue = cluster.jobs[id].queue.0;
    }
    row
}
=======
/// The word for an event.
pub fn kind(event: &Event) -> &'static str {
    match event {
        Event::Submitted { .. } => "submitted",
        Event::Bound { .. } => "started",
        Event::Claimed { .. } => "claimed",
        Event::Evicted { reason, .. } => match reason {
            EvictReason::ReclaimedForFairShare | EvictReason::ReclaimedForQuota => "reclaimed",
            EvictReason::Preempted => "preempted",
            EvictReason::Moved => "moved",
            EvictReason::StaleGang | EvictReason::NodeLost | EvictReason::Withdrawn => "evicted",
        },
        Event::Gone { .. } => "gone",
        Event::Requeued { .. } => "requeued",
        Event::Finished { .. } => "finished",
        Event::JobDone { .. } => "done",
        Event::Changed { .. } => "changed",
    }
}

/// The job an event is about; none for changes of the plan.
pub fn job_of(cluster: &Cluster, event: &Event) -> Option<JobId> {
    match *event {
        Event::Submitted { job } | Event::JobDone { job } => Some(job),
        Event::Bound { pod, .. }
        | Event::Claimed { pod, .. }
        | Event::Evicted { pod, .. }
        | Event::Gone { pod, .. }
        | Event::Requeued { pod }
        | Event::Finished { pod, .. } => Some(cluster.pods[pod].job),
        Event::Changed { .. } => None,
    }
}

fn place_of(event: &Event) -> (Option<PodId>, Option<NodeId>) {
    match *event {
        Event::Bound { pod, node, .. }
        | Event::Claimed { pod, node }
        | Event::Evicted { pod, node, .. }
        | Event::Gone { pod, node }
        | Event::Finished { pod, node } => (Some(pod), Some(node)),
        Event::Requeued { pod } => (Some(pod), None),
        Event::Submitted { .. } | Event::JobDone { .. } | Event::Changed { .. } => (None, None),
    }
}

fn event_row(cluster: &Cluster, recorded: &Recorded, time_ms: i64) -> EventRow {
    let event = &recorded.event;
    let job = job_of(cluster, event);
    let (pod, node) = place_of(event);
    let (by, reason) = match *event {
        Event::Evicted { by, reason, .. } => (by, reason_word(reason)),
        _ => (None, ""),
    };
    EventRow {
        kind: kind(event).to_string(),
        time_ms,
        job: job.map(|j| cluster.jobs[j].name.to_string()).unwrap_or_default(),
        pod: pod.map(|p| cluster.pods[p].name.to_string()).unwrap_or_default(),
        node: node.map(|n| cluster.nodes[n].name.to_string()).unwrap_or_default(),
        queue: job.map_or(0, |j| index(cluster.jobs[j].queue)),
        gpus: pod.map_or_else(|| job.map_or(0.0, |j| gpus_of(cluster, j)), |p| request(cluster, p)[2]),
        by: by.map(|j| cluster.jobs[j].name.to_string()).unwrap_or_default(),
        by_queue: by.map(|j| index(cluster.jobs[j].queue)),
        reason: reason.to_string(),
        checks: recorded.checks.iter().map(|c| check_row(cluster, c)).collect(),
    }
}

fn reason_word(reason: EvictReason) -> &'static str {
    match reason {
        EvictReason::ReclaimedForFairShare => "fair-share",
        EvictReason::ReclaimedForQuota => "quota",
        EvictReason::Preempted => "priority",
        EvictReason::Moved => "consolidation",
        EvictReason::StaleGang => "stale-gang",
        EvictReason::NodeLost => "node-lost",
        EvictReason::Withdrawn => "withdrawn",
    }
}

fn check_row(cluster: &Cluster, check: &Check) -> CheckRow {
    let queue = |id: Option<QueueId>| id.map(|q| cluster.queues[q].name.to_string()).unwrap_or_default();
    let job = |id: Option<JobId>| id.map(|j| cluster.jobs[j].name.to_string()).unwrap_or_default();
    let record = check.rule.0;
    CheckRow {
        rule: record.key.to_string(),
        says: record.says.to_string(),
        formula: record.formula.to_string(),
        source: record.source.to_string(),
        queue: queue(check.subject.queue),
        other_queue: queue(check.subject.other_queue),
        job: job(check.subject.job),
        other_job: job(check.subject.other_job),
        node: check.subject.node.map(|n| cluster.nodes[n].name.to_string()).unwrap_or_default(),
        resource: check.subject.resource.map(|r| r.0),
        left: quantity(check.left.quantity).to_string(),
        left_value: value_row(&check.left.value),
        op: op(check.op).to_string(),
        right: quantity(check.right.quantity).to_string(),
        right_value: value_row(&check.right.value),
        holds: check.holds,
    }
}

fn op(op: Op) -> &'static str {
    match op {
        Op::Less => "<",
        Op::AtMost => "<=",
        Op::Equal => "=",
        Op::Exceeds => ">",
        Op::AtLeast => ">=",
    }
}

fn value_row(value: &Value) -> ValueRow {
    match value {
        Value::Real(v) => ValueRow::Real(finite(*v)),
        Value::Triple(v) => ValueRow::Triple(v.map(finite)),
        Value::Count(n) => ValueRow::Count(*n),
        Value::Time(t) => ValueRow::Time(t.as_millis()),
        Value::Name(name) => ValueRow::Name(name.to_string()),
    }
}

fn quantity(quantity: Quantity) -> &'static str {
    match quantity {
        Quantity::Allocated => "allocated",
        Quantity::AllocatedNonPreemptible => "allocated-non-preemptible",
        Quantity::AllocatedWithJob => "allocated-with-job",
        Quantity::AllocatedWithoutVictims => "allocated-without-victims",
        Quantity::Quota => "quota",
        Quantity::Limit => "limit",
        Quantity::FairShare => "fair-share",
        Quantity::Allocatable => "allocatable",
        Quantity::DominantShare => "dominant-share",
        Quantity::Saturation => "saturation",
        Quantity::Request => "request",
        Quantity::Remaining => "remaining",
        Quantity::Capacity => "capacity",
        Quantity::Idle => "idle",
        Quantity::IdleOrReleasing => "idle-or-releasing",
        Quantity::Priority => "priority",
        Quantity::Created => "created",
        Quantity::Weight => "weight",
        Quantity::Usage => "usage",
        Quantity::Pods => "pods",
        Quantity::MinAvailable => "min-available",
        Quantity::Applies => "applies",
        Quantity::Score => "score",
        Quantity::Name => "name",
        Quantity::Constant => "constant",
        Quantity::Runtime => "runtime",
        Quantity::MinRuntime => "min-runtime",
    }
}

fn refusal_row(cluster: &Cluster, refusal: &Refusal) -> RefusalRow {
    RefusalRow {
        job: cluster.jobs[refusal.job].name.to_string(),
        queue: index(cluster.jobs[refusal.job].queue),
        gate: gate_row(cluster, &refusal.gate),
        also: refusal.also.iter().map(|g| gate_row(cluster, g)).collect(),
        checks: refusal.checks.iter().map(|c| check_row(cluster, c)).collect(),
        outlook: match refusal.outlook {
            Outlook::NextCycle => "next-cycle",
            Outlook::WhenFreed => "when-freed",
            Outlook::WhenReclaimed => "when-reclaimed",
            Outlook::OnlyByEdit => "only-by-edit",
            Outlook::Never => "never",
        }
        .to_string(),
    }
}

fn gate_row(cluster: &Cluster, gate: &Gate) -> GateRow {
    let mut row = GateRow::default();
    let queue_name = |queue: QueueId| cluster.queues[queue].name.to_string();
    let job_name = |job: JobId| cluster.jobs[job].name.to_string();
    row.kind = match gate {
        Gate::NotReady => "not-ready",
        Gate::NotALeaf => "not-a-leaf",
        Gate::TooLarge { resource } => {
            row.resource = Some(resource.0);
            "too-large"
        }
        Gate::OverLimit { queue, resource } => {
            (row.queue, row.resource) = (queue_name(*queue), Some(resource.0));
            "over-limit"
        }
        Gate::NonPreemptibleOverQuota { queue, resource } => {
            (row.queue, row.resource) = (queue_name(*queue), Some(resource.0));
            "non-preemptible-over-quota"
        }
        Gate::NotEntitled { queue } => {
            row.queue = queue_name(*queue);
            "not-entitled"
        }
        Gate::NoVictims { tried } => {
            row.of = *tried;
            "no-victims"
        }
        Gate::NoNode { placed, of, reasons } => {
            (row.placed, row.of) = (*placed, *of);
            row.nodes = reasons.iter().map(|&(reason, n)| (node_reason(reason), n)).collect();
            "no-node"
        }
        Gate::Behind { job } => {
            row.job = job_name(*job);
            "behind"
        }
        Gate::WaitingForVictims { until } => {
            row.until_ms = until.map(|t| t.as_millis());
            "waiting-for-victims"
        }
        Gate::LikeFailed { job } => {
            row.job = job_name(*job);
            "like-failed"
        }
    }
    .to_string();
    row
}

fn node_reason(reason: NodeReason) -> String {
    match reason {
        NodeReason::Insufficient(resource) => format!("insufficient-{}", resource.name()),
        NodeReason::PodSlots => "pod-slots".to_string(),
        NodeReason::NotReady => "not-ready".to_string(),
        NodeReason::Selector => "selector".to_string(),
        NodeReason::Gate => "gate".to_string(),
    }
}

/// The levels of the division that ends in a queue's entitlement, from the root down.
pub fn ladder(simulation: &Simulation, queue: &str, resource: u8) -> Vec<LadderLevel> {
    let cluster = simulation.cluster();
    let resource = Resource(resource);
    let Some((id, _)) = cluster.queues.iter().find(|(_, q)| *q.name == *queue) else { return Vec::new() };
    if !Resource::ACCOUNTED.contains(&resource) {
        return Vec::new();
    }
    let mut levels: Vec<LadderLevel> = Vec::new();
    for step in simulation.derive(id, resource) {
        if let DivisionStep::Capacity { of, amount } = step {
            let of = of.map(|q| cluster.queues[q].name.to_string()).unwrap_or_default();
            levels.push(LadderLevel { of, capacity: amount, ..LadderLevel::default() });
        } else if let Some(level) = levels.last_mut() {
            add_step(cluster, level, step);
        }
    }
    levels
}

fn add_step(cluster: &Cluster, level: &mut LadderLevel, step: DivisionStep) {
    let name = |queue: QueueId| cluster.queues[queue].name.to_string();
    let line = |kind: &str, rule: Rule, queue| LadderLine {
        kind: kind.to_string(),
        rule: rule.key().to_string(),
        says: rule.0.says.to_string(),
        queue: name(queue),
        ..LadderLine::default()
    };
    match step {
        DivisionStep::Capacity { .. } => {}
        DivisionStep::Quota { rule, queue, quota, requestable, granted, remaining } => {
            let line = line("quota", rule, queue);
            level.lines.push(LadderLine {
                pot: quota,
                weight: requestable,
                given: granted,
                remaining,
                ..line
            });
        }
        DivisionStep::Round { rule, priority, round, queue, pot, weight, part, offer, wanted, given } => {
            let line = line("round", rule, queue);
            level.lines.push(LadderLine { priority, round, pot, weight, part, offer, wanted, given, ..line });
        }
        DivisionStep::Remainder { rule, queue, fraction, given } => {
            level.lines.push(LadderLine { offer: fraction, given, ..line("remainder", rule, queue) });
        }
        DivisionStep::Result { queue, fair_share } => {
            level.queue = name(queue);
            level.fair_share = fair_share;
        }
    }
}
>>>>>>> views
