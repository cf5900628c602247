//! Pods that already run at the start of the scenario or at their submission: on the given node, and on the given or
//! the lowest free devices. Some are terminating, for the jobs for which they were evicted.

use std::collections::BTreeMap;

use super::super::NODE_GPUS_MAX;
use super::jobs::Jobs;
use super::nodes::Nodes;
use super::{Location, names};
use crate::cluster::{Devices, GpuRequest, Node, NodeUse, Request};
use crate::format::{Findings, JobEntry, Scalar, Scenario, codes, quantity, quoted, set};
use crate::id::{JobId, NodeId};
use crate::time::Time;

/// Places of pods that already run, by entry: for its pods in order, job after job.
pub type Placements = BTreeMap<usize, Vec<PodPlacement>>;

/// The place of a pod that already runs.
#[derive(Clone, Copy)]
pub struct PodPlacement {
    pub node: NodeId,
    pub devices: Devices,
    /// The time at which it is gone, if it is terminating.
    pub gone: Option<Time>,
}

/// Places the pods that already run.
pub fn placements(scenario: &Scenario, nodes: &Nodes, jobs: &Jobs, f: &mut Findings) -> Placements {
    let mut used: BTreeMap<NodeId, NodeUse> = BTreeMap::new();
    let mut placements = Placements::new();
    let says_where =
        |entry: &JobEntry| !entry.on.is_empty() || !entry.on_devices.is_empty() || !entry.terminating.is_empty();
    for (i, entry) in scenario.jobs.iter().enumerate().filter(|(_, entry)| says_where(entry)) {
        let template = &jobs.templates[i];
        let location = jobs.location(scenario, i);
        let in_order = template
            .sets
            .iter()
            .filter(|set| set.after.is_none())
            .flat_map(|set| std::iter::repeat_n(set, set.pods as usize));
        let mut placed: Vec<PodPlacement> = Vec::new();
        let n_pods = template.n_at_submission().max(1) as usize;
        let devices = on_devices(entry, location, f);
        // Room at a later submission is not known yet.
        let is_later = template.arrivals.submit > 0;
        let ends = ends_of_terminating(entry, is_later, location, f);
        for (k, (name, set)) in entry.on.iter().zip(in_order.cycle()).enumerate() {
            let Some(node) = nodes.index.find(name) else {
                no_node(entry, name, nodes, location, f);
                continue;
            };
            let node = NodeId(node);
            let machine = &nodes.all[node];
            let fits = (machine.ready || is_later) && Nodes::matches(machine, &entry.selector);
            // All pods of a job have to be in one pool, which is one of the job's pools.
            let of_job = placed.get(k / n_pods * n_pods).map(|first| nodes.all[first.node].partition);
            let is_here = of_job.map_or(template.pools.contains(&machine.partition), |p| p == machine.partition);
            let fits = fits && is_here;
            let own_devices = devices.get(k).copied().flatten();
            let mut take = || {
                let node_use = used.entry(node).or_insert_with(|| NodeUse::new(machine));
                take(node_use, machine, &set.request, own_devices)
            };
            let end = ends.get(k).copied().flatten();
            if fits && (is_later || own_devices.is_none()) {
                // Pods placed outside the scheduler may exceed the capacity.
                let devices = if is_later { own_devices } else { take() };
                placed.push(PodPlacement { node, devices: devices.unwrap_or_default(), gone: end });
                if devices.is_none() && !is_later {
                    let message = format!("[node] {} has less than the [pods] that name it ask for", quoted(name));
                    f.add(codes::EXCEEDS, location.field("on"), message, set_on(location, &[], "Let it wait instead"));
                }
                continue;
            }
            match fits.then(&mut take).flatten() {
                Some(devices) => placed.push(PodPlacement { node, devices, gone: end }),
                None => {
                    let why = match (machine.ready || is_later, fits) {
                        (false, _) => "is down",
                        _ if !is_here => "is in another pool",
                        (_, false) => "lacks a label the [job] requires",
                        _ => "cannot give the [pods] that name it these devices",
                    };
                    let message = format!("[node] {} {why}; let the [job] wait or run elsewhere", quoted(name));
                    f.add(codes::OVERFULL, location.field("on"), message, set_on(location, &[], "Let it wait instead"));
                }
            }
        }
        placements.insert(i, placed);
    }
    placements
}

fn no_node(entry: &JobEntry, name: &str, nodes: &Nodes, location: super::Location<'_>, f: &mut Findings) {
    if nodes.complete && !f.only_counts(codes::NO_NODE) {
        let message = format!("[node] {} does not exist; {}", quoted(name), names::hint(&nodes.index, name));
        let fix = use_instead(entry.on.as_slice(), name, nodes, location);
        f.add(codes::NO_NODE, location.field("on"), message, fix);
    }
}

/// The devices given for each pod, in order; `None`: the lowest free ones.
fn on_devices(entry: &JobEntry, location: super::Location<'_>, f: &mut Findings) -> Vec<Option<Devices>> {
    not_more_than_on(entry, &entry.on_devices, location, "on-devices", f);
    let mut all = Vec::with_capacity(entry.on_devices.len());
    for text in &entry.on_devices {
        let mut devices = Devices::default();
        if text.trim().is_empty() {
            all.push(None);
            continue;
        }
        for number in text.split('+') {
            match number.trim().parse::<u32>().ok().filter(|&n| n < NODE_GPUS_MAX as u32) {
                Some(n) => devices.0 |= 1 << n,
                None => {
                    let message = format!("{} names no GPUs such as 0, or 0+1 for several", quoted(text));
                    f.suggest(codes::NUMBER, location.field("on-devices"), message, "", "Use the lowest free ones");
                    return Vec::new();
                }
            }
        }
        all.push(Some(devices));
    }
    all
}

/// Reports nominated and required nodes that do not exist.
pub fn nominations(scenario: &Scenario, nodes: &Nodes, jobs: &Jobs, f: &mut Findings) {
    for (i, entry) in scenario.jobs.iter().enumerate() {
        let location = jobs.location(scenario, i);
        let inner = location.pod_sets(entry);
        let of_sets = entry.pod_sets.iter().enumerate();
        let of_sets = of_sets.map(|(k, set)| (inner(k).field("nominated-node"), &set.nominated_node));
        let of_job = [("nominated-node", &entry.nominated_node), ("required-node", &entry.required_node)];
        let of_job = of_job.into_iter().map(|(field, name)| (location.field(field), name));
        for (path, name) in of_job.chain(of_sets) {
            let Some(name) = name else { continue };
            if nodes.index.find(name).is_none() && nodes.complete {
                let none = set(path.clone(), "", "Name none");
                names::unknown(codes::NO_NODE, "node", name, &nodes.index, path, none, f);
            }
        }
    }
}

fn set_on(location: super::Location<'_>, on: &[&str], label: &str) -> Option<crate::scenario::Fix> {
    set(location.field("on"), on.join(", "), label)
}

/// A fix that replaces a wrong name by the nearest one; only if no name contains a comma.
fn use_instead(
    on: &[String],
    wrong: &str,
    nodes: &Nodes,
    location: super::Location<'_>,
) -> Option<crate::scenario::Fix> {
    let near = nodes.index.nearest(wrong)?;
    let all: Vec<&str> = on.iter().map(|name| if name == wrong { near } else { name.as_str() }).collect();
    let plain = all.iter().all(|name| !name.contains(',') && name.trim() == *name && !name.is_empty());
    if plain { set_on(location, &all, &format!("Use {}", quoted(near))) } else { None }
}

/// Allocates the given devices, or the lowest on which the pod fits.
fn take(node_use: &mut NodeUse, node: &Node, request: &Request, own_devices: Option<Devices>) -> Option<Devices> {
    if !node_use.has_room(node, request) {
        return None;
    }
    let devices = match own_devices {
        Some(own_devices) => node_use.can_give(request.gpu, own_devices).then_some(own_devices),
        None => lowest(node_use, node, request.gpu),
    }?;
    node_use.take(request, devices);
    Some(devices)
}

/// The lowest devices on which a request fits; a part goes to an already shared device if one has room.
fn lowest(node_use: &NodeUse, node: &Node, gpu: GpuRequest) -> Option<Devices> {
    let (one, n) = match gpu {
        GpuRequest::None | GpuRequest::Whole { .. } => return node_use.pick(gpu),
        GpuRequest::Fraction { portion, devices } => (GpuRequest::Fraction { portion, devices: 1 }, devices),
        GpuRequest::Memory { mib, devices } => (GpuRequest::Memory { mib, devices: 1 }, devices),
    };
    let fits = |&device: &u32| node_use.can_give(one, Devices(1 << device));
    let is_shared = |&device: &u32| node_use.free().0 & (1 << device) == 0;
    let (shared, free): (Vec<u32>, Vec<u32>) = (0..node.n_devices()).filter(fits).partition(is_shared);
    let mut devices = Devices::default();
    for device in shared.into_iter().chain(free).take(n as usize) {
        devices.0 |= 1 << device;
    }
    (devices.0.count_ones() == n).then_some(devices)
}

/// The times at which the pods in `on` are gone, in order; `None`: the pod is not terminating.
pub fn ends_of_terminating(
    entry: &JobEntry,
    is_later: bool,
    location: Location<'_>,
    f: &mut Findings,
) -> Vec<Option<Time>> {
    let path = || location.field("terminating");
    not_more_than_on(entry, &entry.terminating, location, "terminating", f);
    let mut ends = Vec::with_capacity(entry.terminating.len());
    for text in &entry.terminating {
        let typed = Some(Scalar(text.clone())).filter(|_| !text.trim().is_empty());
        let end = typed.is_some().then(|| f.time(&typed, 0, &path, &quantity::millis));
        if end.is_some_and(|end| end < 0) {
            let message = format!("a [pod] with terminating {} is gone before the scenario begins", quoted(text));
            f.suggest(codes::NOT_AT_START, path(), message, "", "Let them run on");
        }
        if end.is_some() && is_later {
            let message = "only [pods] that run from the start are terminating; submit the [job] at 0";
            f.suggest(codes::NOT_AT_START, path(), message, "", "Let them run on");
            return Vec::new();
        }
        ends.push(end.map(Time::from_millis));
    }
    ends
}

/// Resolves the jobs for which pods are being evicted.
pub fn evicting_jobs(scenario: &Scenario, jobs: &mut Jobs, f: &mut Findings) {
    for (i, entry) in scenario.jobs.iter().enumerate() {
        let Some(name) = &entry.evicted_for else { continue };
        let location = jobs.location(scenario, i);
        let path = location.field("evicted-for");
        if entry.terminating.iter().all(|text| text.trim().is_empty()) {
            let message = "evicted-for has no effect: no [pod] of this [job] is terminating";
            f.suggest(codes::NO_EFFECT, path, message, "", "Remove evicted-for");
            continue;
        }
        match jobs.index.find(name) {
            Some(job) => jobs.templates[i].evicted_for = Some(JobId(job)),
            None if jobs.complete => {
                let none = set(path.clone(), "", "Name none");
                names::unknown(codes::NO_JOB, "job", name, &jobs.index, path, none, f);
            }
            None => {}
        }
    }
}

/// Reports a per-pod list that has more entries than `on`.
pub fn not_more_than_on(
    entry: &JobEntry,
    list: &[String],
    location: Location<'_>,
    field: &'static str,
    f: &mut Findings,
) {
    let (n, n_on) = (list.len(), entry.on.len());
    if n > n_on {
        let message = format!("{field} has {n} entries for the {n_on} of on; remove some");
        let path = location.field(field);
        f.suggest(codes::TOO_MANY_ON, path, message, list[..n_on].join(", "), format!("Keep the first {n_on}"));
    }
}
