//! Imports a job trace and an optional table of queue sizes.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::options::{Mapping, Options};
use super::table::{Row, Table};
use super::trace::{self, Trace};
use super::{Imported, NODES, Report, counted, in_newest_revision, node_group};
use crate::policy::Policy;
use crate::scenario::quantity::print_decimal;
use crate::scenario::{
    JobEntry, NODE_GPUS_MAX, NODES_MAX, PODS_MAX, Path, QUEUES_MAX, QueueEntry, Scalar, Scenario, codes, finding,
    unlimited_queue,
};

/// Sections with the rows of the two tables.
const JOBS: &str = "jobs";
const QUEUES: &str = "queues";

/// First rows of a trace, for the choice of columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Preview {
    /// Name of each column and the [`Mapping`] field that it holds; empty if it is not read.
    pub columns: Vec<(String, &'static str)>,
    /// First rows.
    pub rows: Vec<Vec<String>>,
}

/// Maximum number of rows and columns of a preview.
const PREVIEW: (usize, usize) = (4, 40);

/// Returns the first rows of a trace and the fields of its columns.
pub fn preview(trace: &str, mapping: &Mapping) -> Preview {
    let mut table = Table::new(trace.as_bytes());
    let headers = table.headers.iter().take(PREVIEW.1);
    let mut columns: Vec<(String, &'static str)> = headers.map(|name| (name.clone(), "")).collect();
    for field in &Mapping::FIELDS {
        if let Some(i) = trace::column_of(&table, mapping, field)
            && let Some((_, holds)) = columns.get_mut(i)
        {
            *holds = field.key;
        }
    }
    let mut rows = Vec::new();
    while rows.len() < PREVIEW.0 {
        match table.next_row() {
            Row::End => break,
            Row::Wrong(..) => {}
            Row::Fields(_, fields) => {
                rows.push((0..columns.len()).map(|i| fields.get(i).chars().take(60).collect()).collect());
            }
        }
    }
    Preview { columns, rows }
}

/// Imports a job trace and an optional table of queue sizes. Skips and reports invalid rows; fails only if no row is
/// left or a limit of the simulation is exceeded.
pub fn import(jobs: &[u8], queues: Option<&[u8]>, options: &Options) -> Imported {
    let mut report = Report::default();
    let scenario = make(jobs, queues, options, &mut report);
    let scenario = scenario.map(|scenario| in_newest_revision(scenario, &mut report));
    report.count_skipped();
    Imported { scenario, report }
}

fn make(jobs: &[u8], queues: Option<&[u8]>, options: &Options, report: &mut Report) -> Option<Scenario> {
    let node_gpus = options.nodes.map_or(NODES.1, |(_, gpus)| gpus);
    let (numerator, denominator) = options.quota_scale;
    let n_nodes = options.nodes.map_or(1, |(n, _)| n);
    if numerator == 0 || denominator == 0 || node_gpus == 0 || n_nodes == 0 {
        report.refuse("the number of nodes, their GPUs and the scale of quotas must be above 0");
        return None;
    }
    if i64::from(node_gpus) > NODE_GPUS_MAX || u64::from(n_nodes) > NODES_MAX {
        report.refuse(format!("up to {NODES_MAX} nodes of {NODE_GPUS_MAX} GPUs are simulated"));
        return None;
    }
    let (jobs, used) = read_jobs(jobs, options, node_gpus, report)?;
    let sizes = match queues {
        Some(bytes) => Some(sizes(bytes, node_gpus, report)?),
        None => None,
    };
    check_queue_count(sizes.as_ref(), &used, report)?;
    let total = total_gpus(sizes.as_ref(), options);
    let queues = queue_entries(sizes, &used, options, report);
    let n_nodes = match options.nodes {
        Some((n, gpus)) => {
            report.assume_nodes(format!("{} with {gpus} GPUs each", counted(u64::from(n), "node")));
            n
        }
        None => {
            let largest = jobs.iter().map(gpus_of).max().unwrap_or(1);
            let n_needed = total.unwrap_or(0).div_ceil(1000).max(largest).div_ceil(u64::from(node_gpus));
            let n = u32::try_from(n_needed.clamp(1, NODES_MAX)).unwrap_or(1);
            let nodes = match n {
                1 => format!("1 node with {node_gpus} GPUs"),
                _ => format!("{n} nodes with {node_gpus} GPUs each"),
            };
            report.assume_nodes(format!("{nodes}, enough for all quotas and the largest job"));
            n
        }
    };
    let capacity = u64::from(n_nodes) * u64::from(node_gpus) * 1000;
    if let Some(total) = total.filter(|&total| total > capacity) {
        let [total, capacity] = [total, capacity].map(|n| print_decimal(i64::try_from(n).unwrap_or(i64::MAX), 3));
        let message =
            format!("the quotas add up to {total} GPUs, the nodes have {capacity}: not all can be kept at once");
        report.diagnostics.push(finding(codes::OVERSUBSCRIBED, Path::default().field("queues"), message));
    }
    report.assume("a node has 64 cores and 256 GB; jobs ask for no CPU or memory unless the trace says so");
    Some(Scenario {
        name: options.name.clone(),
        dialect: Policy::DEFAULT.key.into(),
        policy: options.policy.clone(),
        cycle: Some(Scalar(options.cycle.clone())).filter(|c| !c.0.is_empty()),
        nodes: Arc::new(vec![node_group("node", n_nodes, node_gpus)]),
        queues: Arc::new(queues),
        jobs: Arc::new(jobs),
        ..Scenario::default()
    })
}

/// Fails if the number of queues, listed or named by jobs, exceeds the limit.
fn check_queue_count(sizes: Option<&Sizes>, used: &BTreeSet<String>, report: &mut Report) -> Option<()> {
    let listed: BTreeSet<&str> = sizes.into_iter().flatten().map(|(name, _)| name.as_str()).collect();
    let n_queues = listed.len() + used.iter().filter(|name| !listed.contains(name.as_str())).count();
    if n_queues as u64 > QUEUES_MAX {
        report.refuse(format!("there are {n_queues} queues; up to {QUEUES_MAX} are simulated"));
        return None;
    }
    Some(())
}

/// Reads the jobs of a trace and the names of their queues.
fn read_jobs(
    bytes: &[u8],
    options: &Options,
    node_gpus: u32,
    report: &mut Report,
) -> Option<(Vec<JobEntry>, BTreeSet<String>)> {
    let mut table = Table::new(bytes);
    let mut trace = Trace::new(&table, &options.mapping, node_gpus, report)?;
    loop {
        match table.next_row() {
            Row::End => return trace.finish(report),
            Row::Wrong(line, message) => report.skip(line, JOBS, message),
            Row::Fields(line, fields) => {
                if let Err(message) = trace.row(fields) {
                    report.skip(line, JOBS, message);
                }
            }
        }
        if trace.n_pods() > PODS_MAX {
            let message = format!(
                "the trace has more than {PODS_MAX} pods, the most that is simulated; cut it to a shorter time"
            );
            report.refuse(message);
            return None;
        }
    }
}

/// Returns the total number of GPUs of an imported job.
fn gpus_of(job: &JobEntry) -> u64 {
    let number = |value: &Option<Scalar>| value.as_ref().and_then(|v| v.0.parse::<u64>().ok());
    number(&job.gpu).unwrap_or(0).saturating_mul(number(&job.pods).unwrap_or(1))
}

/// Queue sizes in GPUs, in file order.
type Sizes = Vec<(String, u64)>;

fn sizes(bytes: &[u8], node_gpus: u32, report: &mut Report) -> Option<Sizes> {
    let mut table = Table::new(bytes);
    let name = table.column(None, &["queue", "vc", "project", "tenant", "name"]);
    let gpus = table.column(None, &["gpus", "num_gpus", "gpu", "quota"]);
    let nodes = table.column(None, &["nodes", "num_nodes"]);
    let (Some(name), Some((size, factor))) =
        (name, gpus.map(|column| (column, 1)).or(nodes.map(|column| (column, u64::from(node_gpus)))))
    else {
        report.refuse("the list of queue sizes needs a column queue and a column gpus or nodes");
        return None;
    };
    let unit = if factor == 1 { "GPUs".to_string() } else { format!("nodes of {node_gpus} GPUs") };
    report.understand(format!(
        "queue sizes: column {} as the queue, {} as its {unit}",
        table.headers[name], table.headers[size]
    ));
    let others = table.headers.iter().enumerate().filter(|&(i, _)| i != name && i != size);
    report.ignored.extend(others.map(|(_, header)| format!("queue sizes: column {header}")));
    let mut sizes: Sizes = Vec::new();
    let mut names: BTreeSet<String> = BTreeSet::new();
    loop {
        match table.next_row() {
            Row::End => break,
            Row::Wrong(line, message) => report.skip(line, QUEUES, message),
            Row::Fields(line, fields) => match (fields.get(name), fields.get(size).parse::<u32>()) {
                ("", _) => report.skip(line, QUEUES, "the queue has no name".into()),
                (_, Err(_)) => {
                    let message = format!("{} is no whole number of {unit}", fields.get(size));
                    report.skip(line, QUEUES, message);
                }
                (queue, Ok(n)) if names.insert(queue.to_string()) => {
                    sizes.push((queue.to_string(), u64::from(n) * factor));
                }
                (queue, Ok(_)) => report.skip(line, QUEUES, format!("queue {queue} stands there twice")),
            },
        }
        if sizes.len() as u64 > QUEUES_MAX {
            report.refuse(format!("the list has more than {QUEUES_MAX} queues, the most that is simulated"));
            return None;
        }
    }
    Some(sizes)
}

/// Scales a size; returns thousandths of a GPU, rounded down.
fn scaled(gpus: u64, options: &Options) -> u64 {
    let (numerator, denominator) = options.quota_scale;
    gpus.saturating_mul(1000).saturating_mul(u64::from(numerator)) / u64::from(denominator.max(1))
}

fn total_gpus(sizes: Option<&Sizes>, options: &Options) -> Option<u64> {
    sizes.map(|sizes| sizes.iter().map(|&(_, gpus)| scaled(gpus, options)).fold(0, u64::saturating_add))
}

/// Returns the listed queues, then those that only jobs name.
fn queue_entries(
    sizes: Option<Sizes>,
    used: &BTreeSet<String>,
    options: &Options,
    report: &mut Report,
) -> Vec<QueueEntry> {
    let entry = |name: &str, quota: &str, weight: &str| {
        let mut queue = unlimited_queue(name);
        (queue.gpu.quota, queue.gpu.weight) = (Some(quota.into()), Some(weight.into()));
        queue
    };
    let mut queues = Vec::new();
    let mut listed: BTreeSet<String> = BTreeSet::new();
    let has_sizes = sizes.is_some();
    for (name, gpus) in sizes.into_iter().flatten() {
        let milli = i64::try_from(scaled(gpus, options)).unwrap_or(i64::MAX);
        let quota = print_decimal(milli, 3);
        let weight = if milli == 0 { "1" } else { &quota };
        queues.push(entry(&name, &quota, weight));
        listed.insert(name);
    }
    let others: Vec<&String> = used.iter().filter(|name| !listed.contains(*name)).collect();
    // Without queue sizes no queue has a quota, unless the policy knows only quotas.
    let reads = Policy::described(&options.policy).map(|policy| policy.queue);
    let only_quotas =
        reads.is_some_and(|queue| queue.quota.is_some() && queue.weight.is_none() && queue.limit.is_none());
    let quota = if only_quotas { "unlimited" } else { "0" };
    queues.extend(others.iter().map(|name| entry(name, quota, "1")));
    report.understand(counted(queues.len() as u64, "queue"));
    if has_sizes {
        report.has_queues = true;
        let (numerator, denominator) = options.quota_scale;
        if numerator != denominator {
            report.assume(format!("the quota of a queue is {numerator}/{denominator} of its listed size"));
        }
        report.assume("weights are proportional to quotas; limits, CPU and memory are unlimited");
    }
    if !others.is_empty() {
        let names: Vec<&str> = others.iter().take(5).map(|name| name.as_str()).collect();
        let more = if others.len() > 5 { ", …" } else { "" };
        report.assume(format!(
            "{} without a listed size ({}{more}): GPU quota {quota}, weight 1 and no limits",
            counted(others.len() as u64, "queue"),
            names.join(", ")
        ));
    }
    queues
}
