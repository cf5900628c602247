//! Compares a run of a scenario file with the recorded core: placements and evictions in order, and the
//! effective priority of every queue after every time point.

use std::collections::BTreeMap;

use fairground::id::{PartitionId, PodId};
use fairground::sim::{CycleRecord, Simulation, Stops, drive};
use fairground::time::Time;
use fairground::trace::{Event, EvictReason, Level};
use serde_json::Value;

use super::events::{CoreInput, points};
use super::file::File;
use crate::front;

/// Result of one cycle: victims in order, then placements.
#[derive(Clone, Debug, Default, PartialEq)]
struct CycleDecisions {
    victims: Vec<String>,
    placed: Option<(String, String)>,
}

/// A time point: results of its cycles, and the effective priorities after them by path.
#[derive(Debug, Default)]
struct Point {
    at: i64,
    steps: Vec<CycleDecisions>,
    effective: BTreeMap<String, Option<i64>>,
}

/// Compares a case with the run of its file.
pub fn compare(case: &Value, input: &CoreInput, file: &File) -> Result<(), String> {
    let expected = expected(case, input)?;
    let mut simulation = front::simulation(&file.text)?;
    simulation.set_level(Level::Outcomes);
    let mut got: Vec<Point> = expected.iter().map(|point| Point { at: point.at, ..Point::default() }).collect();
    let until = expected.last().map_or(0, |point| point.at);
    let paths: BTreeMap<&str, &str> = file.queues.iter().map(|(path, name)| (name.as_str(), path.as_str())).collect();
    let stops = Stops { cycles: None, until: Some(Time::from_millis(until + 500)) };
    drive(&mut simulation, stops, |simulation, record| {
        let at = record.time.as_millis();
        let n = got.partition_point(|point| point.at <= at);
        let Some(point) = n.checked_sub(1).and_then(|n| got.get_mut(n)) else {
            return Err(format!("a cycle at {at} before the first time point"));
        };
        let step = step(simulation, record);
        if step != CycleDecisions::default() {
            point.steps.push(step);
        }
        point.effective = effective(simulation, &paths);
        Ok(())
    })?;
    let mut last = BTreeMap::new();
    for (expected, got) in expected.iter().zip(got) {
        same(expected, got, &mut last)?;
    }
    Ok(())
}

fn same(expected: &Point, got: Point, last: &mut BTreeMap<String, Option<i64>>) -> Result<(), String> {
    let at = expected.at;
    let n = expected.steps.len().max(got.steps.len());
    for i in 0..n {
        let (expected, got) = (expected.steps.get(i), got.steps.get(i));
        if expected != got {
            return Err(format!("t {at} result {i}: expected {expected:?}, got {got:?}"));
        }
    }
    // Without a cycle the priorities are unchanged.
    if !got.effective.is_empty() {
        *last = got.effective;
    }
    for (path, got) in &*last {
        let expected = expected.effective.get(path).copied().flatten();
        if expected != *got {
            return Err(format!("t {at} effective priority of {path}: expected {expected:?}, got {got:?}"));
        }
    }
    Ok(())
}

/// Recorded results, with jobs by their names in the file.
fn expected(case: &Value, input: &CoreInput) -> Result<Vec<Point>, String> {
    let mut effective: BTreeMap<String, Option<i64>> = BTreeMap::new();
    let mut all = Vec::new();
    for point in points(case).filter(|point| point["final"] != true) {
        let at = point["t"].as_i64().ok_or("a time point without time")?;
        let mut steps = Vec::new();
        patch(&point["patch"], &mut effective);
        for cycle in point["cycles"].as_array().into_iter().flatten() {
            patch(&cycle["patch"], &mut effective);
            let key = |key: &str, app: Option<&str>| name(input, key, app);
            let mut step = CycleDecisions::default();
            for victim in crate::yunikorn::texts(&cycle["victims"]) {
                step.victims.push(key(&victim, None)?);
            }
            if let "allocated" | "allocatedReserved" = cycle["result"].as_str().unwrap_or_default() {
                let of = |field: &str| cycle[field].as_str().unwrap_or_default().to_owned();
                step.placed = Some((key(&of("ask"), Some(&of("app")))?, of("node")));
            }
            if step != CycleDecisions::default() {
                steps.push(step);
            }
        }
        all.push(Point { at, steps, effective: effective.clone() });
    }
    Ok(all)
}

/// Job name for a key; victims have no application.
fn name(input: &CoreInput, key: &str, app: Option<&str>) -> Result<String, String> {
    let mut own = input.jobs.iter().filter(|job| job.key == key && app.is_none_or(|app| job.app == app));
    match (own.next(), own.next()) {
        (Some(job), None) => Ok(job.name.clone()),
        _ => Err(format!("{key} is not the key of one job")),
    }
}

fn patch(patch: &Value, effective: &mut BTreeMap<String, Option<i64>>) {
    for (path, fields) in patch["queues"].as_object().into_iter().flatten() {
        if let Some(own) = fields.get("eff") {
            effective.insert(path.clone(), own.as_i64());
        }
    }
}

fn step(simulation: &Simulation, record: &CycleRecord) -> CycleDecisions {
    let cluster = simulation.cluster();
    let name = |pod: PodId| cluster.pods[pod].name.to_string();
    let mut step = CycleDecisions::default();
    for recorded in &record.events {
        match recorded.event {
            Event::Bound { pod, node, .. } => {
                step.placed = Some((name(pod), cluster.nodes[node].name.to_string()));
            }
            Event::Evicted { pod, reason, .. } if !matches!(reason, EvictReason::Withdrawn | EvictReason::NodeLost) => {
                step.victims.push(name(pod));
            }
            _ => {}
        }
    }
    step
}

/// Effective priorities of the file's queues by path.
fn effective(simulation: &Simulation, paths: &BTreeMap<&str, &str>) -> BTreeMap<String, Option<i64>> {
    let cluster = simulation.cluster();
    let all = simulation.priorities_in(PartitionId(0));
    let of = |row: &fairground::trace::QueuePriority| {
        let name = &*cluster.queues[row.queue].name;
        Some(((*paths.get(name)?).to_owned(), row.effective.map(i64::from)))
    };
    all.iter().filter_map(of).collect()
}
