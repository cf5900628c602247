//! Reads the input of KAI's bundled simulator of time-based fair share.
//!
//! # Rule
//! YAML with keys in any case: `Cycles` (100), `WindowSize` (5), `HalfLifePeriod` (0: off), `KValue` (1), `Nodes:
//! [{GPUs, Count}]`, `Queues: [{Name, Parent, Priority, DeservedGPUs, Weight}]`, `Jobs: {queue: {GPUs, NumPods,
//! NumJobs}}`. A cycle lasts a second and leaves one sample; jobs are elastic from one pod on, never end, and evicted
//! pods are not made again.
//!
//! # Source
//! kai.md 10.2; upstream `cmd/time-based-fairshare-simulator`
//!
//! # Differs
//! `Count` of nodes is honoured; `HalfLifePeriod` may be left out

use std::collections::BTreeMap;

use fairground::import::Report;
use fairground::import::reader::{self, LocatedValue};
use fairground::scenario::value::Limit;
use fairground::scenario::{NODE_GPUS_MAX, PODS_MAX, TREE_DEPTH_MAX, quantity};

/// Input of the simulator.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TimeBasedInput {
    /// Number of cycles.
    pub cycles: u32,
    /// Length of the usage window, in samples.
    pub window: u32,
    /// Half-life in samples; `None`: off.
    pub half_life: Option<f64>,
    /// Weight of past usage.
    pub k_value: f64,
    /// Number of GPUs of each node.
    pub nodes: Vec<u32>,
    /// Queues in file order.
    pub queues: Vec<TimeBasedQueue>,
    /// Groups of jobs in file order.
    pub jobs: Vec<TimeBasedJobs>,
}

/// A queue of the simulator.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TimeBasedQueue {
    /// Unique name.
    pub name: String,
    /// Name of the parent; empty for a top-level queue.
    pub parent: String,
    /// Priority; the larger is served first.
    pub priority: i64,
    /// Quota, in GPUs.
    pub deserved_gpus: f64,
    /// Over-quota weight.
    pub weight: f64,
}

/// A group of equal jobs of a queue.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TimeBasedJobs {
    /// Name of the queue.
    pub queue: String,
    /// GPUs per pod: an integer, or a fraction of one GPU in hundredths.
    pub gpus: f64,
    /// Number of pods per job.
    pub n_pods: u32,
    /// Number of jobs.
    pub n_jobs: u32,
}

/// Maximum number of cycles.
const CYCLES_MAX: i64 = 100_000;
/// Maximum number of entries per list.
const LIST_MAX: usize = 5_000;
/// Maximum number of pods.
const RUN_PODS_MAX: u64 = 20_000;
/// Maximum weight, quota and k-value, so that sums and products stay finite.
const NUMBER_MAX: f64 = 1e15;
/// Maximum number of printed rows.
const ROWS_MAX: u64 = 5_000_000;
/// Maximum number of list items.
const LISTS: [Limit; 2] =
    [Limit { key: "queues", anywhere: false, most: LIST_MAX }, Limit { key: "nodes", anywhere: false, most: LIST_MAX }];

/// Reads the input. The report contains errors and assumptions.
pub fn read(text: &str) -> (Option<TimeBasedInput>, Report) {
    reader::read(text, &LISTS, input)
}

fn input(root: &LocatedValue<'_>, report: &mut Report) -> TimeBasedInput {
    let half_life = half_life(root);
    let mut input = TimeBasedInput {
        cycles: root.integer("Cycles", 100, (1, CYCLES_MAX)) as u32,
        window: root.integer("WindowSize", 5, (1, CYCLES_MAX)) as u32,
        half_life,
        k_value: root.number("KValue", 1.0).clamp(0.0, NUMBER_MAX),
        ..TimeBasedInput::default()
    };
    for place in root.list("Nodes", LIST_MAX) {
        let gpus = place.integer("GPUs", 0, (0, NODE_GPUS_MAX)) as u32;
        let count = place.integer("Count", 1, (0, 20_000)) as usize;
        if count > 1 {
            let says =
                format!("Count of nodes is honoured: {count} nodes of {gpus} GPUs; KAI's own simulator makes one");
            report.assume(says);
        }
        let room = LIST_MAX.saturating_sub(input.nodes.len());
        if count > room {
            place.refuse(&format!("there are too many nodes; up to {LIST_MAX} are simulated"));
        }
        input.nodes.extend(std::iter::repeat_n(gpus, count.min(room)));
    }
    let places = root.list("Queues", LIST_MAX);
    for place in &places {
        queue(place, &mut input);
    }
    parents(&places, &input);
    if u64::from(input.cycles) * input.queues.len() as u64 > ROWS_MAX {
        let says = format!("{} cycles of {} queues", input.cycles, input.queues.len());
        root.refuse(&format!("{says} are a table of more than {ROWS_MAX} rows; ask for fewer cycles"));
    }
    jobs(root, &mut input);
    for (key, list_is_empty) in [("Nodes", input.nodes.is_empty()), ("Queues", input.queues.is_empty())] {
        if list_is_empty && root.is_clean() {
            root.refuse(&format!("{key} are missing"));
        }
    }
    if root.get("HalfLifePeriod").is_none() {
        report.assume("HalfLifePeriod is left out: usage does not fade; KAI's own simulator stops here");
    }
    report.understand(format!(
        "a run of {} cycles over {} nodes and {} queues",
        input.cycles,
        input.nodes.len(),
        input.queues.len()
    ));
    input
}

/// Reads the half-life: seconds, or a duration with units; 0 means off.
fn half_life(root: &LocatedValue<'_>) -> Option<f64> {
    let text = root.text("HalfLifePeriod");
    if text.is_empty() {
        return None;
    }
    match quantity::span(&text) {
        Ok(span) => Some(span.as_seconds()).filter(|&s| s > 0.0),
        Err(_) => {
            if let Some(place) = root.get("HalfLifePeriod") {
                place.refuse("this is not a number of seconds or a duration such as 30s");
            }
            None
        }
    }
}

fn queue(place: &LocatedValue<'_>, input: &mut TimeBasedInput) {
    let queue = TimeBasedQueue {
        name: place.text("Name"),
        parent: place.text("Parent"),
        priority: place.integer("Priority", 100, (i64::from(i32::MIN), i64::from(i32::MAX))),
        deserved_gpus: place.number("DeservedGPUs", 0.0),
        weight: place.number("Weight", 1.0),
    };
    if queue.name.is_empty() {
        place.refuse("Name is missing");
    } else if input.queues.iter().any(|other| other.name == queue.name) {
        place.refuse("this name is given twice");
    }
    if queue.deserved_gpus < 0.0 && queue.deserved_gpus != -1.0 {
        place.refuse("DeservedGPUs is below zero; only -1, unlimited, may be");
    }
    if queue.weight < 0.0 {
        place.refuse("Weight is below zero");
    }
    if queue.weight > NUMBER_MAX || queue.deserved_gpus > NUMBER_MAX {
        place.refuse("Weight and DeservedGPUs may be up to 1e15");
    }
    input.queues.push(queue);
}

/// Reports missing parents, cycles and trees that are too deep.
fn parents(places: &[LocatedValue<'_>], input: &TimeBasedInput) {
    let by_name: BTreeMap<&str, usize> =
        input.queues.iter().enumerate().map(|(i, queue)| (queue.name.as_str(), i)).collect();
    for (place, queue) in places.iter().zip(&input.queues) {
        let mut above = queue;
        for level in 1.. {
            if above.parent.is_empty() {
                break;
            }
            let Some(&next) = by_name.get(above.parent.as_str()) else {
                if level == 1 {
                    place.refuse("its parent does not exist");
                }
                break;
            };
            above = &input.queues[next];
            let says = if above.name == queue.name {
                "following its parents leads back to it; one of them must be a top-level queue"
            } else if level >= TREE_DEPTH_MAX {
                "it lies too deep, or below a circle of parents; queues may be nested 16 levels deep"
            } else {
                continue;
            };
            place.refuse(says);
            break;
        }
    }
}

fn jobs(root: &LocatedValue<'_>, input: &mut TimeBasedInput) {
    let Some(all) = root.map("Jobs") else { return };
    let mut n_pods = 0u64;
    let entries = all.entries(&[]);
    if entries.len() > LIST_MAX {
        all.refuse(&format!("there are {} entries; up to {LIST_MAX} are read", entries.len()));
        return;
    }
    for (queue, place) in entries {
        let most = PODS_MAX as i64;
        let jobs = TimeBasedJobs {
            queue: queue.to_string(),
            gpus: place.number("GPUs", 0.0),
            n_pods: place.integer("NumPods", 1, (0, most)) as u32,
            n_jobs: place.integer("NumJobs", 1, (0, most)) as u32,
        };
        let is_part = jobs.gpus < 1.0 && (jobs.gpus * 100.0).round() / 100.0 == jobs.gpus;
        if jobs.gpus < 0.0 || jobs.gpus > 1000.0 || jobs.gpus.fract() != 0.0 && !is_part {
            place.refuse("GPUs is neither a whole number nor a part of one GPU in hundredths");
        }
        if !input.queues.iter().any(|known| known.name == queue) {
            place.refuse("this queue does not exist");
        } else if input.queues.iter().any(|other| other.parent == queue) {
            place.refuse("this queue has children, so it takes no jobs");
        }
        n_pods = n_pods.saturating_add(u64::from(jobs.n_pods) * u64::from(jobs.n_jobs));
        input.jobs.push(jobs);
    }
    if n_pods > RUN_PODS_MAX {
        all.refuse(&format!("there are {n_pods} pods; up to {RUN_PODS_MAX} are simulated here"));
    }
}
