//! Pods that run when the scenario begins, or when their job becomes known: on the node they name, on the devices they name or
//! on its lowest free ones.

use std::collections::BTreeMap;

use super::super::schema::{JobEntry, Scenario};
use super::super::{NODE_GPUS_MAX, codes};
use super::jobs::{Jobs, Set};
use super::names;
use super::nodes::Nodes;
use crate::cluster::{Devices, GpuRequest, Node, Request};
use crate::id::NodeId;
use crate::scenario::findings::{Findings, quoted, set};
use crate::units::ResourceVec;

/// Where pods run from the start, for each entry that says so: for its pods in order, job after job.
pub type Placements = BTreeMap<usize, Vec<(NodeId, Devices)>>;

/// What pods hold on a node so far.
struct Held {
    free: ResourceVec,
    pods: u32,
    /// Thousandths in use of each device; 1000: used whole.
    devices: Vec<i64>,
    /// Which of these may be shared.
    shared: u64,
}

/// Places pods that run from the start.
pub fn placements(s: &Scenario, nodes: &Nodes, jobs: &Jobs, f: &mut Findings) -> Placements {
    let mut held: BTreeMap<NodeId, Held> = BTreeMap::new();
    let mut placements = Placements::new();
    let says_where = |entry: &JobEntry| !entry.on.is_empty() || !entry.on_devices.is_empty();
    for (i, entry) in s.jobs.iter().enumerate().filter(|(_, entry)| says_where(entry)) {
        let template = &jobs.templates[i];
        let here = jobs.here(s, i);
        let in_order = template.sets.iter().flat_map(|set| std::iter::repeat_n(set, set.pods as usize));
        let mut placed: Vec<(NodeId, Devices)> = Vec::new();
        let n_pods = template.n_pods().max(1) as usize;
        let devices = on_devices(entry, here, f);
        for (k, (name, set)) in entry.on.iter().zip(in_order.cycle()).enumerate() {
            let Some(node) = nodes.index.find(name) else {
                if nodes.complete && !f.only_counts(codes::NO_NODE) {
                    let hint = names::hint(&nodes.index, name);
                    let says = format!("node {} does not exist; {hint}", quoted(name));
                    f.add(
                        codes::NO_NODE,
                        here.field("on"),
                        says,
                        use_instead(entry.on.as_slice(), name, nodes, here),
                    );
                }
                continue;
            };
            let node = NodeId(node);
            let machine = &nodes.all[node];
            // Whether there is room at a later moment is known only then.
            let is_later = template.arrivals.submit > 0;
            let fits = (machine.ready || is_later) && Nodes::matches(machine, &entry.selector);
            // All pods of a job are in one pool, and it is one of its own.
            let of_job = placed.get(k / n_pods * n_pods).map(|(first, _)| nodes.all[*first].partition);
            let is_here =
                of_job.map_or(template.pools.contains(&machine.partition), |p| p == machine.partition);
            let fits = fits && is_here;
            let own = devices.get(k).copied().flatten();
            let mut take = || held.entry(node).or_insert_with(|| Held::new(machine)).take(set, machine, own);
            if fits && (is_later || own.is_none()) {
                // Something else than the scheduler may have placed more there than it has.
                let devices = if is_later { own } else { take() };
                placed.push((node, devices.unwrap_or_default()));
                if devices.is_none() && !is_later {
                    let says = format!("node {} has less than the pods that name it ask for", quoted(name));
                    f.add(codes::EXCEEDS, here.field("on"), says, set_on(here, &[], "Let it wait instead"));
                }
                continue;
            }
            match fits.then(&mut take).flatten() {
                Some(devices) => placed.push((node, devices)),
                None => {
                    let why = match (machine.ready || is_later, fits) {
                        (false, _) => "is down",
                        _ if !is_here => "is in another pool",
                        (_, false) => "lacks a label the job requires",
                        _ => "cannot give the pods that name it these devices",
                    };
                    let says = format!("node {} {why}; let the job wait or run elsewhere", quoted(name));
                    f.add(codes::OVERFULL, here.field("on"), says, set_on(here, &[], "Let it wait instead"));
                }
            }
        }
        placements.insert(i, placed);
    }
    placements
}

/// The devices that pods name, in order; `None`: the lowest free ones.
fn on_devices(entry: &JobEntry, here: super::Here<'_>, f: &mut Findings) -> Vec<Option<Devices>> {
    let at = || here.field("on-devices");
    if entry.on_devices.len() > entry.on.len() {
        let (n, n_on) = (entry.on_devices.len(), entry.on.len());
        let says = format!("on-devices has {n} entries for the {n_on} of on; remove some");
        let fix = set(at(), entry.on_devices[..n_on].join(", "), format!("Keep the first {n_on}"));
        f.add(codes::TOO_MANY_ON, at(), says, fix);
    }
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
                    let says = format!("{} names no GPUs such as 0, or 0+1 for several", quoted(text));
                    f.add(codes::NUMBER, at(), says, set(at(), "", "Use the lowest free ones"));
                    return Vec::new();
                }
            }
        }
        all.push(Some(devices));
    }
    all
}

/// Reports nominated and required nodes that do not exist.
pub fn nominations(s: &Scenario, nodes: &Nodes, jobs: &Jobs, f: &mut Findings) {
    for (i, entry) in s.jobs.iter().enumerate() {
        let here = jobs.here(s, i);
        let of_sets = entry
            .pod_sets
            .iter()
            .enumerate()
            .map(|(k, set)| (here.inside("pod-sets", k, Some(set.name.as_str())), &set.nominated_node))
            .map(|(here, name)| (here.field("nominated-node"), name));
        let of_job = [("nominated-node", &entry.nominated_node), ("required-node", &entry.required_node)];
        let of_job = of_job.into_iter().map(|(field, name)| (here.field(field), name));
        for (at, name) in of_job.chain(of_sets) {
            let Some(name) = name else { continue };
            if nodes.index.find(name).is_none() && nodes.complete && !f.only_counts(codes::NO_NODE) {
                let says =
                    format!("node {} does not exist; {}", quoted(name), names::hint(&nodes.index, name));
                let near = nodes.index.nearest(name);
                let fix = match near {
                    Some(near) => set(at.clone(), near, format!("Use {}", quoted(near))),
                    None => set(at.clone(), "", "Name none"),
                };
                f.add(codes::NO_NODE, at, says, fix);
            }
        }
    }
}

fn set_on(here: super::Here<'_>, on: &[&str], label: &str) -> Option<crate::scenario::Fix> {
    set(here.field("on"), on.join(", "), label)
}

/// A fix that puts the nearest name in the place of a wrong one; only where names have no commas.
fn use_instead(
    on: &[String],
    wrong: &str,
    nodes: &Nodes,
    here: super::Here<'_>,
) -> Option<crate::scenario::Fix> {
    let near = nodes.index.nearest(wrong)?;
    let all: Vec<&str> = on.iter().map(|name| if name == wrong { near } else { name.as_str() }).collect();
    let plain = all.iter().all(|name| !name.contains(',') && name.trim() == *name && !name.is_empty());
    plain.then(|| set_on(here, &all, &format!("Use {}", quoted(near)))).flatten()
}

impl Held {
    fn new(node: &Node) -> Held {
        let n = usize::try_from(node.capacity.get(crate::units::Resource::GPU).in_base_units() / 1000);
        Held { free: node.capacity, pods: 0, devices: vec![0; n.unwrap_or(0)], shared: 0 }
    }

    /// The devices a pod names, or the lowest on which it fits; they are its own from now on.
    fn take(&mut self, set: &Set, node: &Node, own: Option<Devices>) -> Option<Devices> {
        let request = &set.request;
        let others_fit = request
            .resources
            .iter()
            .filter(|(r, _)| *r != crate::units::Resource::GPU)
            .all(|(r, amount)| amount <= self.free.get(r));
        if !others_fit || self.pods >= node.pods_max {
            return None;
        }
        let devices = self.take_devices(request, node, own)?;
        self.pods += 1;
        for (r, amount) in request.resources.iter().filter(|(r, _)| *r != crate::units::Resource::GPU) {
            self.free.set(r, self.free.get(r) - amount);
        }
        Some(devices)
    }

    fn take_devices(&mut self, request: &Request, node: &Node, own: Option<Devices>) -> Option<Devices> {
        let (part, n, sharing) = match request.gpu {
            GpuRequest::None => return Some(Devices::default()),
            GpuRequest::Whole { devices } => (1000, devices, false),
            GpuRequest::Fraction { portion, devices } => (portion.in_base_units(), devices, true),
            GpuRequest::Memory { mib, devices } => {
                // Hundredths of a device, rounded up.
                let hundredths = (mib * 100 + node.gpu_memory_mib - 1) / node.gpu_memory_mib.max(1);
                (hundredths * 10, devices, true)
            }
        };
        let fits = |(i, used): &(usize, &i64)| {
            let begun = self.shared & (1 << i) != 0;
            **used + part <= 1000 && (**used == 0 || begun && sharing)
        };
        let open: Vec<usize> = self.devices.iter().enumerate().filter(fits).map(|(i, _)| i).collect();
        // A part goes to a device that is shared already, if one has room.
        let first = |&i: &usize| sharing && self.shared & (1 << i) != 0;
        let (mut open, others): (Vec<usize>, Vec<usize>) = open.into_iter().partition(first);
        open.extend(others);
        if let Some(own) = own {
            open.retain(|&i| own.0 & (1 << i) != 0);
        }
        let n = usize::try_from(n).ok().filter(|&n| n <= open.len())?;
        if own.is_some_and(|own| own.0.count_ones() as usize != n) {
            return None;
        }
        let mut devices = Devices::default();
        for &i in &open[..n] {
            self.devices[i] += part;
            self.shared |= u64::from(sharing) << i;
            devices.0 |= 1 << i;
        }
        Some(devices)
    }
}
