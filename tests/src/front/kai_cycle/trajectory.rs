//! Rounds of a scenario file: events by action, and the state of every pod afterwards.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fairground::cluster::{Cluster, GpuRequest, Phase};
use fairground::id::{Id, PodId};
use fairground::sim::Simulation;
use fairground::trace::{Event, Ledger, Level};

use super::file::File;
use crate::cycle::decisions::EventLine;
use crate::cycle::format::Case;

/// Result of one round.
#[derive(Clone, Debug, Default)]
pub struct Round {
    /// Commits per configured action; those of a simulated round are merged.
    pub actions: BTreeMap<String, Vec<Vec<EventLine>>>,
    /// Status and node of every pod before the next round.
    pub pods: BTreeMap<String, (String, String)>,
    /// Node and shared devices of pods that held some before the round.
    pub held: BTreeMap<String, (String, Vec<String>)>,
    /// Numbers of the queues after it.
    pub ledger: Arc<Ledger>,
}

/// Rounds of a scenario.
#[derive(Clone, Debug)]
pub struct Trajectory {
    /// Numbers of the queues at the start.
    pub opening: Arc<Ledger>,
    /// Rows of the ledger by name.
    pub queues: BTreeMap<String, usize>,
    /// Rounds, in order.
    pub rounds: Vec<Round>,
}

/// Runs a file.
pub fn run(case: &Case, file: &File, rounds: usize) -> Result<Trajectory, String> {
    let mut simulation = crate::front::simulation(&file.text)?;
    simulation.set_level(Level::Outcomes);
    let cluster = simulation.cluster();
    let names: Vec<String> = cluster.pods.values().map(|p| recorded_name(file, &p.name)).collect();
    let queues = cluster.queues.iter().map(|(id, q)| (q.name.to_string(), id.index())).collect();
    let mut devices = Devices::default();
    devices.open(cluster);
    let mut trajectory = Trajectory { opening: simulation.ledger().clone(), queues, rounds: Vec::new() };
    for _ in 0..rounds {
        let round = one(case, &mut simulation, &names, &mut devices)?;
        trajectory.rounds.push(round);
    }
    Ok(trajectory)
}

fn recorded_name(file: &File, name: &str) -> String {
    file.pods.get(name).cloned().unwrap_or_else(|| format!("{name}, which is not in the recording"))
}

fn one(case: &Case, simulation: &mut Simulation, names: &[String], devices: &mut Devices) -> Result<Round, String> {
    let mut round = Round { held: devices.held(names), ..Round::default() };
    for action in &case.config.actions {
        round.actions.insert(action.clone(), vec![Vec::new()]);
    }
    // `None`: the simulation has come to rest.
    let record = simulation.advance();
    let cluster = simulation.cluster();
    for recorded in record.iter().flat_map(|r| &r.events) {
        let by = |job: Option<fairground::id::JobId>| job.map(|job| cluster.jobs[job].name.to_string());
        let node = |node| cluster.nodes[node].name.to_string();
        let (kind, pod, node, groups, by) = match recorded.event {
            Event::Bound { pod, node: on, devices: bound } => {
                let groups = devices.bind(cluster, pod, on.index(), bound.iter().collect());
                ("bind", pod, node(on), groups, None)
            }
            Event::Claimed { pod, node: on } => ("pipelined", pod, node(on), Vec::new(), None),
            Event::Unclaimed { pod, by: job, .. } => ("unclaimed", pod, String::new(), Vec::new(), by(job)),
            Event::Evicted { pod, by: job, .. } => ("evict", pod, String::new(), Vec::new(), by(job)),
            Event::Gone { pod, .. } => {
                devices.leave(pod);
                continue;
            }
            Event::Submitted { .. } | Event::Requeued { .. } => continue,
            other => return Err(format!("an event that was not recorded: {other:?}")),
        };
        let (kind, preemptor) = (kind.to_owned(), by.unwrap_or_default());
        let line = EventLine { kind, pod: names[pod.index()].clone(), node, groups, preemptor };
        let of_action = round.actions.get_mut(recorded.action);
        let of_action = of_action.ok_or_else(|| format!("{line} outside of the configured actions"))?;
        of_action[0].push(line);
    }
    round.ledger = simulation.ledger().clone();
    let next = simulation.next_cycle_at().unwrap_or(simulation.now());
    for (id, pod) in cluster.pods.iter() {
        let node = pod.node.map(|n| cluster.nodes[n].name.to_string()).unwrap_or_default();
        let now = match pod.phase {
            Phase::Pending => ("Pending", String::new()),
            Phase::Gated => ("Gated", String::new()),
            Phase::Starting { .. } | Phase::Running { .. } => ("Running", node),
            Phase::Terminating { until, .. } if until <= next => ("Pending", String::new()),
            Phase::Terminating { .. } => ("Releasing", node),
            _ => ("over", node),
        };
        round.pods.insert(names[id.index()].clone(), (now.0.to_owned(), now.1));
    }
    Ok(round)
}

/// Users of shared devices; a device that was free in between counts as another one.
#[derive(Clone, Debug, Default)]
struct Devices {
    /// By node and device: number of uses, and present users.
    shared: BTreeMap<(usize, u32), (usize, BTreeSet<PodId>)>,
    places: BTreeMap<PodId, (String, usize, Vec<u32>)>,
}

impl Devices {
    fn open(&mut self, cluster: &Cluster) {
        for (id, pod) in cluster.pods.iter() {
            if let Some(node) = pod.node {
                self.bind(cluster, id, node.index(), pod.devices.iter().collect());
            }
        }
    }

    /// Assigns devices to a pod; returns the names of shared ones.
    fn bind(&mut self, cluster: &Cluster, pod: PodId, node: usize, devices: Vec<u32>) -> Vec<String> {
        let request = cluster.pods[pod].request.gpu;
        if !matches!(request, GpuRequest::Fraction { .. } | GpuRequest::Memory { .. }) {
            return Vec::new();
        }
        for &device in &devices {
            let (opened, on) = self.shared.entry((node, device)).or_default();
            *opened += usize::from(on.is_empty());
            on.insert(pod);
        }
        let name = cluster.nodes[Id::from_index(node)].name.to_string();
        self.places.insert(pod, (name, node, devices));
        self.names(pod)
    }

    fn leave(&mut self, pod: PodId) {
        if let Some((_, node, devices)) = self.places.remove(&pod) {
            for device in devices {
                if let Some((_, on)) = self.shared.get_mut(&(node, device)) {
                    on.remove(&pod);
                }
            }
        }
    }

    fn names(&self, pod: PodId) -> Vec<String> {
        let Some((_, node, devices)) = self.places.get(&pod) else { return Vec::new() };
        devices.iter().map(|&d| format!("device {d}, {}", self.shared[&(*node, d)].0)).collect()
    }

    fn held(&self, names: &[String]) -> BTreeMap<String, (String, Vec<String>)> {
        let all = self.places.iter();
        all.map(|(pod, (node, ..))| (names[pod.index()].clone(), (node.clone(), self.names(*pod)))).collect()
    }
}
