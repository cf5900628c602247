//! Thumbnail of a scenario, from its text alone: allocation at the start, quota and request of queues.

use fairground::scenario::{JobEntry, NodeEntry, PodSetEntry, Scalar, Scenario};

use crate::chart::queue_tree::{Tone, of_scenario};

/// Maximum number of queues.
const ROWS: usize = 5;
/// Requests are cut off at this multiple of the cluster's amount.
const ASKED_MOST: f64 = 1.25;

/// A thumbnail of a scenario.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sketch {
    /// The first leaf queues, at most [`ROWS`].
    pub rows: Vec<SketchRow>,
    /// Amount at the right end of the scale.
    pub max: f64,
    /// Amount of the cluster.
    pub capacity: f64,
}

/// A queue in a thumbnail, in GPUs or cores.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SketchRow {
    pub tone: Tone,
    /// Allocated before the first cycle.
    pub held: f64,
    /// Requested by all jobs together.
    pub asked: f64,
    /// Quota; `None` if not set or unlimited.
    pub quota: Option<f64>,
}

/// The thumbnail of a scenario: its GPUs, or its cores if no node has a GPU.
pub fn sketch(scenario: &Scenario) -> Sketch {
    let (rows, tree) = of_scenario(scenario);
    let sum = |of: fn(&NodeEntry) -> &Option<Scalar>| -> f64 {
        scenario.nodes.iter().map(|node| number(&node.count, 1.0) * number(of(node), 0.0)).sum()
    };
    let gpus = sum(|node| &node.gpu);
    let by_gpu = gpus > 0.0;
    let capacity = if by_gpu { gpus } else { sum(|node| &node.cpu) };
    let amount = |job: &JobEntry| amount(job, by_gpu);
    let is_leaf = |at: usize| rows.iter().all(|row| row.parent != Some(at as u32));
    let of = |at: usize| {
        let queue = &scenario.queues[at];
        let jobs = || scenario.jobs.iter().filter(|job| job.queue == queue.name);
        SketchRow {
            tone: tree.tone(at as u32),
            held: jobs().filter(|job| job.started.is_some()).map(amount).sum(),
            asked: jobs().map(amount).sum(),
            quota: Some(number(if by_gpu { &queue.gpu.quota } else { &queue.cpu.quota }, 0.0))
                .filter(|quota| *quota > 0.0),
        }
    };
    let rows: Vec<SketchRow> = (0..rows.len()).filter(|at| is_leaf(*at)).take(ROWS).map(of).collect();
    let most = rows.iter().flat_map(|row| [row.held, row.asked, row.quota.unwrap_or(0.0)]).fold(0.0, f64::max);
    let max = if capacity > 0.0 { most.min(capacity * ASKED_MOST).max(capacity) } else { most.max(1.0) };
    Sketch { rows, max, capacity }
}

/// GPUs or cores of all pods of a job or pattern.
fn amount(job: &JobEntry, by_gpu: bool) -> f64 {
    let one = if job.pod_sets.is_empty() {
        number(&job.pods, 1.0) * number(if by_gpu { &job.gpu } else { &job.cpu }, 0.0)
    } else {
        let of = |set: &PodSetEntry| number(if by_gpu { &set.gpu } else { &set.cpu }, 0.0);
        job.pod_sets.iter().map(|set| number(&set.pods, 1.0) * of(set)).sum()
    };
    number(&job.count, 1.0) * one
}

/// A value as a number; `other` if it is missing or not a number.
fn number(value: &Option<Scalar>, other: f64) -> f64 {
    value.as_ref().map_or(Some(other), |value| value.0.trim().parse().ok()).filter(|n| n.is_finite()).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::{self, EXAMPLES};

    #[test]
    fn the_start_scenario_holds_three_and_one_of_four() {
        let sketch = sketch(&library::start());
        let rows: Vec<_> = sketch.rows.iter().map(|row| (row.held, row.asked, row.quota)).collect();
        assert_eq!(rows, [(3.0, 3.0, Some(2.0)), (1.0, 2.0, Some(2.0))]);
        assert_eq!((sketch.max, sketch.capacity), (4.0, 4.0));
    }

    #[test]
    fn every_example_has_something_to_see() {
        for example in EXAMPLES {
            let sketch = sketch(&example.scenario());
            assert!(sketch.rows.iter().any(|row| row.asked > 0.0 || row.held > 0.0), "{}", example.id);
            assert!(sketch.max > 0.0 && sketch.max.is_finite(), "{}", example.id);
        }
    }
}
