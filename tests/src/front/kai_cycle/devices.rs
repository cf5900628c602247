//! Assignment of the recorded devices to running pods. By default a pod gets the lowest free devices, in file order,
//! and a fraction goes to a shared device with room. So jobs are written in an order that gives the recorded devices;
//! devices are named only if there is no such order.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::cycle::format::{Case, GpuRequest, Job, Node, Pod};

/// Devices of a node as a file fills them: thousandths in use, and the recorded group of each.
#[derive(Clone, Debug, Default)]
struct Filled {
    used: Vec<i64>,
    group: Vec<Option<Arc<str>>>,
    mib: i64,
}

/// Text for the devices of each pod.
pub type Numbers = BTreeMap<String, String>;

/// Explicit devices of all running pods: first the shared ones of each node by name, then the whole ones.
pub fn numbers(case: &Case) -> Result<Numbers, &'static str> {
    let running = || case.jobs.iter().flat_map(|j| &j.pods).filter(|p| super::file::holds(p));
    let is_part = |p: &&Pod| !matches!(p.request.gpu, GpuRequest::Whole { .. } | GpuRequest::None { .. });
    let mut shared: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for pod in running().filter(is_part) {
        shared.entry(&pod.node).or_default().extend(pod.gpu_groups.iter().map(|g| &**g));
    }
    let mut next: BTreeMap<&str, usize> = shared.iter().map(|(node, groups)| (*node, groups.len())).collect();
    let mut numbers = Numbers::new();
    for pod in running() {
        let own: Vec<usize> = match pod.request.gpu {
            GpuRequest::None { .. } => Vec::new(),
            GpuRequest::Whole { devices } => {
                let next = next.entry(&pod.node).or_default();
                let first = *next;
                *next += usize::try_from(devices).unwrap_or(0);
                (first..*next).collect()
            }
            _ => {
                let at = |g: &Arc<str>| shared[&*pod.node].iter().position(|known| **known == **g);
                pod.gpu_groups.iter().filter_map(at).collect()
            }
        };
        let own: Vec<String> = own.iter().map(ToString::to_string).collect();
        numbers.insert(pod.name.to_string(), own.join("+"));
    }
    let is_overfull = |n: &Node| next.get(&*n.name).is_some_and(|&used| used as f64 > n.gpus);
    if case.nodes.iter().any(is_overfull) { Err("more runs on a node than it has GPUs") } else { Ok(numbers) }
}

/// Jobs in an order that gives running pods the recorded devices without naming them, if one is found.
pub fn order(case: &Case) -> Option<Vec<&Job>> {
    let mut nodes: BTreeMap<&str, Filled> = BTreeMap::new();
    for node in &case.nodes {
        let n = node.gpus as usize;
        let filled = Filled { used: vec![0; n], group: vec![None; n], mib: node.gpu_memory_mib };
        nodes.insert(&node.name, filled);
    }
    let mut left: Vec<&Job> = case.jobs.iter().collect();
    let mut order = Vec::new();
    while !left.is_empty() {
        let next = left.iter().position(|job| {
            let mut tried = nodes.clone();
            let fits = super::file::running_in_order(job).iter().all(|pod| place(&mut tried, pod));
            if fits {
                nodes = tried;
            }
            fits
        });
        order.push(left.remove(next?));
    }
    Some(order)
}

/// Places a pod as a file would; returns whether this agrees with the recording.
fn place(nodes: &mut BTreeMap<&str, Filled>, pod: &Pod) -> bool {
    let Some(node) = nodes.get_mut(&*pod.node) else { return false };
    let (part, n) = match pod.request.gpu {
        GpuRequest::None { .. } => return true,
        GpuRequest::Whole { devices } => (None, devices),
        GpuRequest::Fraction { portion, devices } => (Some((portion * 1000.0).round() as i64), devices),
        GpuRequest::Memory { mib, devices } => (Some((mib * 100 + node.mib - 1) / node.mib.max(1) * 10), devices),
    };
    let devices: Vec<usize> = (0..node.used.len()).collect();
    let shared = devices.iter().copied().filter(|&i| node.group[i].is_some());
    let unused = devices.iter().copied().filter(|&i| node.used[i] == 0 && node.group[i].is_none());
    let open: Vec<usize> = match part {
        Some(part) => shared.filter(|&i| node.used[i] + part <= 1000).chain(unused).collect(),
        None => unused.collect(),
    };
    let Some(taken) = usize::try_from(n).ok().and_then(|n| open.get(..n)) else { return false };
    let Some(part) = part else {
        taken.iter().for_each(|&i| node.used[i] = 1000);
        return true;
    };
    let recorded: BTreeSet<&Arc<str>> = pod.gpu_groups.iter().collect();
    let mut fresh = recorded.iter().filter(|g| !node.group.iter().flatten().any(|known| known == **g));
    let mut named = Vec::new();
    for &i in taken {
        let group = node.group[i].as_ref().or_else(|| fresh.next().copied()).cloned();
        match group {
            Some(group) if recorded.contains(&group) => named.push((i, group)),
            _ => return false,
        }
    }
    if named.len() != recorded.len() {
        return false;
    }
    for (i, group) in named {
        node.used[i] += part;
        node.group[i] = Some(group);
    }
    true
}
