//! Computes reports on a whole run: what ran when, what every queue received, what was wasted.

use fairground::units::Resource;
use std::collections::{BTreeMap, BTreeSet};

use fairground::cluster::{Cluster, Restart};
use fairground::id::{Id, JobId, NodeId, PodId, QueueId};
use fairground::sim::{Simulation, explain};
use fairground::trace::{Assignment, Level, PriorityStep};

use super::placement_intervals::{PlacementInterval, PlacementIntervals};
use super::protocol::{Amounts, EventWord};
use super::report::{
    Fairness, Gantt, GanttBar, GanttBy, GanttRow, PingPong, Priorities, Report, ReportRequest, ShareUsage, Trends,
};
use super::run_log::RunLog;

/// Largest number of rows in a window.
const ROWS_MAX: u32 = 400;

/// A report on the run up to its furthest cycle; numbers are those of the simulation's current cycle.
pub fn report(sim: &Simulation, run_log: &RunLog, report_request: &ReportRequest) -> Report {
    match report_request {
        ReportRequest::Gantt { by, first, n, about, named } => {
            let window = Window { first: *first, n: (*n).clamp(1, ROWS_MAX), about, named };
            Report::Gantt(gantt(sim.cluster(), run_log, *by, &window))
        }
        ReportRequest::Fairness { resource } => {
            Report::Fairness(Box::new(fairness(sim, &run_log.placement_intervals, *resource)))
        }
        ReportRequest::Trends => Report::Trends(Trends {
            last: run_log.last_cycle,
            stride: run_log.levels.stride,
            totals: run_log.levels.totals.clone(),
            queues: run_log.levels.queues.clone(),
        }),
        ReportRequest::ShareUsage => Report::ShareUsage(share_usage(sim)),
        ReportRequest::Priorities => Report::Priorities(Priorities::default()),
    }
}

fn share_usage(sim: &Simulation) -> ShareUsage {
    let pools = sim.cluster().partitions.ids();
    let pools = pools.flat_map(|part| sim.share_pools_in(part).into_iter().map(move |pool| (part, pool)));
    ShareUsage { cycle: sim.cycle(), pools: pools.collect(), assignments: None }
}

/// How free amounts are assigned in the cycle that follows a state.
pub fn assignments(before: &Simulation) -> Option<Vec<Assignment>> {
    Some(explain(before, Level::Every)?.trace.assignments)
}

/// Placements from a state up to a cycle, with their effect on priorities.
pub fn priority_steps(mut from: Simulation, last: u32) -> Vec<(u32, PriorityStep)> {
    let mut steps = Vec::new();
    from.set_level(Level::Every);
    while from.cycle() < last
        && let Some((record, trace)) = from.advance_traced()
    {
        steps.extend(trace.priority_steps.into_iter().map(|step| (record.cycle, step)));
    }
    steps
}

fn fairness(sim: &Simulation, intervals: &PlacementIntervals, resource: Resource) -> Fairness {
    let n = Resource::ACCOUNTED.len() + sim.cluster().named.len();
    let of = if resource.index() < n { resource } else { Resource::GPU };
    let (free, stranded) = sim.free_and_stranded(of);
    Fairness { resource: of, summary: sim.summary_of(of), stranded, free, ping_pong: ping_pong(sim, intervals) }
}

/// Number of restarts after evictions from which a job is listed.
const PING_PONG_RESTARTS: u32 = 2;

/// The jobs with a pod that was restarted repeatedly, up to the current cycle.
fn ping_pong(sim: &Simulation, intervals: &PlacementIntervals) -> Vec<PingPong> {
    let cluster = sim.cluster();
    let mut pods: BTreeMap<PodId, (u32, u32)> = BTreeMap::new();
    for interval in intervals.all.iter().filter(|interval| interval.from <= sim.cycle()) {
        let (evictions, restarts) = pods.entry(interval.pod).or_default();
        *restarts += u32::from(*evictions > *restarts);
        *evictions += u32::from(interval.evicted.is_some_and(|(cycle, _)| cycle <= sim.cycle()));
    }
    let mut jobs: BTreeMap<JobId, (u32, u32)> = BTreeMap::new();
    for (pod, counts) in pods.into_iter().filter(|(_, (_, restarts))| *restarts >= PING_PONG_RESTARTS) {
        let most = jobs.entry(cluster.pods[pod].job).or_default();
        *most = counts.max(*most);
    }
    let row = |(job, (evictions, restarts)): (JobId, (u32, u32))| PingPong {
        job: cluster.jobs[job].name.to_string(),
        evictions,
        restarts,
    };
    let mut rows: Vec<PingPong> = jobs.into_iter().map(row).collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.evictions));
    rows
}

struct Window<'a> {
    first: u32,
    n: u32,
    about: &'a str,
    named: &'a [String],
}

impl Window<'_> {
    /// Removes rows that are not named, if any are; limits their number to that of a window.
    fn keep<T>(&self, all: &mut Vec<T>, name: impl Fn(&T) -> String) {
        if !self.named.is_empty() {
            let named: BTreeSet<&str> = self.named.iter().map(String::as_str).collect();
            all.retain(|of| named.contains(name(of).as_str()));
            all.truncate(ROWS_MAX as usize);
        }
    }

    /// Row range of the window; `at` is the row that must be in it, if any.
    fn range(&self, total: usize, at: Option<usize>) -> std::ops::Range<usize> {
        if !self.named.is_empty() {
            return 0..total;
        }
        let n = self.n as usize;
        let first = at.map_or(self.first as usize, |at| at / n * n);
        let first = if first < total { first } else { total.saturating_sub(1) / n * n };
        first..(first + n).min(total)
    }
}

fn gantt(cluster: &Cluster, run_log: &RunLog, by: GanttBy, window: &Window<'_>) -> Gantt {
    let (range, total, rows) = match by {
        GanttBy::Gpu => devices(cluster, run_log, window),
        GanttBy::Job | GanttBy::Pod => jobs(cluster, run_log, by, window),
    };
    Gantt { by, first: range.start as u32, total: total as u32, last: run_log.last_cycle, rows }
}

type Rows = (std::ops::Range<usize>, usize, Vec<GanttRow>);

fn jobs(cluster: &Cluster, run_log: &RunLog, by: GanttBy, window: &Window<'_>) -> Rows {
    let placement_intervals = &run_log.placement_intervals;
    let queues = in_tree_order(cluster);
    let mut rank = vec![0; queues.len()];
    queues.iter().enumerate().for_each(|(at, queue)| rank[queue.index()] = at);
    let known = |job: &JobId| placement_intervals.jobs[job.index()].from.is_some();
    let mut jobs: Vec<JobId> = cluster.jobs.ids().filter(known).collect();
    jobs.sort_by_key(|&job| (rank[cluster.jobs[job].queue.index()], cluster.jobs[job].submit, job));
    let is_about = |job: &JobId| {
        let job = &cluster.jobs[*job];
        !window.about.is_empty()
            && (*job.name == *window.about
                || cluster.path_to_root(job.queue).any(|queue| *cluster.queues[queue].name == *window.about))
    };
    if by == GanttBy::Job {
        window.keep(&mut jobs, |&job| cluster.jobs[job].name.to_string());
        let range = window.range(jobs.len(), jobs.iter().position(is_about));
        let shown = &jobs[range.clone()];
        let mut row_of = vec![None; cluster.jobs.len()];
        shown.iter().enumerate().for_each(|(row, job)| row_of[job.index()] = Some(row));
        let of_jobs =
            placement_intervals.by_row(shown.len(), |interval| row_of[cluster.pods[interval.pod].job.index()]);
        let row = |(job, of_job): (&JobId, &Vec<&PlacementInterval>)| {
            job_row(cluster, placement_intervals, run_log.last_cycle, *job, of_job)
        };
        let rows = shown.iter().zip(&of_jobs).map(row).collect();
        return (range, jobs.len(), rows);
    }
    let mut pods: Vec<_> = jobs.iter().flat_map(|&job| cluster.jobs[job].pod_ids()).collect();
    window.keep(&mut pods, |&pod| cluster.pods[pod].name.to_string());
    let at = pods.iter().position(|&pod| is_about(&cluster.pods[pod].job));
    let range = window.range(pods.len(), at);
    let shown = &pods[range.clone()];
    let mut row_of = vec![None; cluster.pods.len()];
    shown.iter().enumerate().for_each(|(row, pod)| row_of[pod.index()] = Some(row));
    let of_pods = placement_intervals.by_row(shown.len(), |interval| row_of[interval.pod.index()]);
    let row = |(&pod, of_pod): (&PodId, &Vec<&PlacementInterval>)| {
        let row = job_row(cluster, placement_intervals, run_log.last_cycle, cluster.pods[pod].job, of_pod);
        let amount = Amounts::of(&cluster.pods[pod].request.resources);
        // A pod that is never replaced is shown until it ends.
        let is_once = cluster.jobs[cluster.pods[pod].job].restart == Restart::Never;
        let gone = of_pod.last().filter(|_| is_once).and_then(|interval| interval.to);
        let known = (row.known.0, gone.or(row.known.1));
        GanttRow { name: cluster.pods[pod].name.to_string(), n: 1, amount, known, ..row }
    };
    (range, pods.len(), shown.iter().zip(&of_pods).map(row).collect())
}

fn in_tree_order(cluster: &Cluster) -> Vec<QueueId> {
    let roots = cluster.queues.iter().filter(|(_, queue)| queue.parent.is_none()).map(|(id, _)| id);
    let mut stack: Vec<QueueId> = roots.collect();
    stack.reverse();
    let mut order = Vec::new();
    while let Some(queue) = stack.pop() {
        order.push(queue);
        stack.extend(cluster.queues[queue].children.iter().rev());
    }
    order
}

fn job_row(
    cluster: &Cluster,
    placement_intervals: &PlacementIntervals,
    last: u32,
    id: JobId,
    of_job: &[&PlacementInterval],
) -> GanttRow {
    let job = &cluster.jobs[id];
    let known = placement_intervals.jobs[id.index()];
    let mut evictions: Vec<(u32, EventWord)> = of_job.iter().filter_map(|interval| interval.evicted).collect();
    evictions.sort();
    evictions.dedup();
    let mut amount = Amounts::default();
    for pod in job.pod_ids() {
        let of_pod = Amounts::of(&cluster.pods[pod].request.resources);
        amount.iter_mut().zip(of_pod.iter()).for_each(|(sum, part)| *sum += part);
    }
    GanttRow {
        amount,
        name: job.name.to_string(),
        job: job.name.to_string(),
        queue: Some(job.queue.0),
        n: job.pod_ids().count() as u32,
        known: (known.from.unwrap_or(0), known.to),
        bars: bars(of_job, last),
        evictions,
        fate: known.fate.map(|(cycle, fate)| (cycle, fate.to_string())),
    }
}

/// Merges intervals into bars in which the number of pods is constant.
fn bars(placement_intervals: &[&PlacementInterval], last: u32) -> Vec<GanttBar> {
    let mut turns: Vec<(u32, bool, i64)> = Vec::new();
    for interval in placement_intervals {
        turns.push((interval.from, interval.lost, 1));
        turns.push((interval.to.unwrap_or(last + 1), interval.lost, -1));
    }
    turns.sort();
    let (mut kept, mut lost, mut at) = (0i64, 0i64, 0);
    let mut bars = Vec::new();
    for (cycle, is_lost, by) in turns {
        if cycle > at && kept + lost > 0 {
            let (kept, lost) = (kept as u32, lost as u32);
            bars.push(GanttBar { from: at, to: cycle, open: cycle > last, kept, lost, holder: None });
        }
        at = cycle;
        *(if is_lost { &mut lost } else { &mut kept }) += by;
    }
    bars
}

fn devices(cluster: &Cluster, run_log: &RunLog, window: &Window<'_>) -> Rows {
    let device_name = |&(node, device): &(NodeId, u32)| format!("{} · {device}", cluster.nodes[node].name);
    let mut all: Vec<_> =
        cluster.nodes.iter().flat_map(|(id, node)| (0..node.n_devices()).map(move |device| (id, device))).collect();
    window.keep(&mut all, device_name);
    let is_about = |interval: &&PlacementInterval| {
        let job = &cluster.jobs[cluster.pods[interval.pod].job];
        !window.about.is_empty() && interval.to.is_none() && *job.name == *window.about
    };
    let meant = run_log.placement_intervals.all.iter().find(is_about);
    let at = meant.and_then(|interval| {
        let first = interval.devices.iter().next()?;
        all.iter().position(|&(node, device)| node == interval.node && device == first)
    });
    let range = window.range(all.len(), at);
    let shown = &all[range.clone()];
    let mut row_of: BTreeMap<NodeId, Vec<(u32, usize)>> = BTreeMap::new();
    for (row, (node, device)) in shown.iter().enumerate() {
        row_of.entry(*node).or_default().push((*device, row));
    }
    let mut placement_intervals: Vec<Vec<&PlacementInterval>> = vec![Vec::new(); shown.len()];
    for interval in &run_log.placement_intervals.all {
        let Some(rows) = row_of.get(&interval.node) else { continue };
        for (_, row) in rows.iter().filter(|(device, _)| interval.devices.iter().any(|d| d == *device)) {
            placement_intervals[*row].push(interval);
        }
    }
    let row = |(at, of_device): (&(NodeId, u32), &Vec<&PlacementInterval>)| {
        let bar = |interval: &&PlacementInterval| {
            let job = &cluster.jobs[cluster.pods[interval.pod].job];
            let to = interval.to.unwrap_or(run_log.last_cycle + 1);
            GanttBar {
                from: interval.from,
                to,
                open: interval.to.is_none(),
                kept: u32::from(!interval.lost),
                lost: u32::from(interval.lost),
                holder: Some((job.name.to_string(), job.queue.0)),
            }
        };
        GanttRow {
            name: device_name(at),
            n: 1,
            known: (0, None),
            bars: of_device.iter().map(bar).collect(),
            ..GanttRow::default()
        }
    };
    let rows = shown.iter().zip(&placement_intervals).map(row).collect();
    (range, all.len(), rows)
}
