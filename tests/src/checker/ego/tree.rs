//! The consumer tree of a pool of nodes, and the owners of its hosts (ego.md 2, 3.1), from queues and settings alone.

use std::collections::BTreeMap;

use fairground::cluster::{Cluster, GpuRequest, Node, Pod};
use fairground::id::{Id, NodeId, PartitionId, QueueId};
use fairground::policy::ego::config::{Config, ConsumerConfig};
use fairground::time::Span;
use fairground::units::{Bound, RESOURCES_MAX, Resource};

/// Amounts by dimension, in base units; the last one is pod slots.
pub type Dims = [i64; RESOURCES_MAX];

/// The dimension of pod slots.
pub const SLOTS: usize = RESOURCES_MAX - 1;

/// The root of the tree.
pub const ROOT: usize = 0;

/// Consumers by number: the root, then queues in the order of their ids.
#[derive(Debug)]
pub struct Tree {
    /// All consumers in tree order.
    pub order: Vec<usize>,
    pub parent: Vec<Option<usize>>,
    pub children: Vec<Vec<usize>>,
    /// Share ratios of siblings as whole numbers without a common divisor.
    pub ratio: Vec<u64>,
    pub priority: Vec<i64>,
    /// Share limits by resource.
    pub limit: Vec<[Option<i64>; 3]>,
    pub settings: Vec<ConsumerConfig>,
    pub default_grace: Span,
    pub lendout: bool,
    pub shares_slots: bool,
    /// Hosts with their offered capacity, in order.
    pub hosts: Vec<(NodeId, Dims)>,
    /// The owner of each host, or the consumer whose pool it is in.
    pub holder: BTreeMap<NodeId, usize>,
    /// Whether a consumer owns something.
    pub owns: Vec<bool>,
}

/// The consumer of a queue.
pub fn consumer(queue: QueueId) -> usize {
    queue.index() + 1
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

impl Tree {
    /// Reads the tree of a pool of nodes.
    pub fn new(cluster: &Cluster, config: &Config, pool: PartitionId) -> Tree {
        let queues = cluster.queues_in(pool);
        let n = queues.len() + 1;
        let mut tree = Tree {
            order: Vec::new(),
            parent: vec![None; n],
            children: vec![Vec::new(); n],
            ratio: vec![1; n],
            priority: vec![0; n],
            limit: vec![[None; 3]; n],
            settings: vec![ConsumerConfig::default(); n],
            default_grace: config.grace.unwrap_or(cluster.delays.termination),
            lendout: config.lendout,
            shares_slots: config.shares_slots,
            hosts: hosts(cluster, pool),
            holder: BTreeMap::new(),
            owns: vec![false; n],
        };
        let mut own = vec![[None; 3]; n];
        for (id, queue) in queues.iter() {
            let at = consumer(id);
            let above = cluster.queues[id].parent.map_or(ROOT, consumer);
            tree.parent[at] = Some(above);
            if above == ROOT {
                tree.children[ROOT].push(at);
            }
            tree.children[at] = queue.children.iter().map(|&child| consumer(child)).collect();
            let of = Resource::ACCOUNTED.map(|r| queue.resources.get(r));
            let weight = [of[2], of[0], of[1]].into_iter().find_map(|values| values.weight);
            tree.ratio[at] = weight.map_or(1_000_000, |weight| weight.in_millionths().max(0) as u64);
            let at_most = |bound: Bound| match bound {
                Bound::At(amount) => Some(amount.in_base_units()),
                Bound::Unset | Bound::Unlimited => None,
            };
            tree.limit[at] = of.map(|values| at_most(values.limit));
            if !config.shares_slots {
                tree.priority[at] = i64::from(queue.priority.unwrap_or(0));
                own[at] = of.map(|values| at_most(values.quota).filter(|quota| *quota > 0));
            }
            tree.settings[at] = config.consumers.get(&queue.name).cloned().unwrap_or_default();
        }
        tree.list(ROOT);
        for group in tree.children.clone() {
            let divisor = group.iter().fold(0, |d, c| gcd(tree.ratio[*c], d)).max(1);
            group.iter().for_each(|c| tree.ratio[*c] /= divisor);
        }
        tree.split_hosts(own);
        tree
    }

    fn list(&mut self, node: usize) {
        self.order.push(node);
        self.children[node].clone().into_iter().for_each(|child| self.list(child));
    }

    /// Owners get the first whole hosts that fit, by rank; inner consumers own at least what their children own.
    fn split_hosts(&mut self, mut own: Vec<[Option<i64>; 3]>) {
        for &node in self.order.iter().rev().filter(|node| **node != ROOT) {
            own[node] = std::array::from_fn(|r| {
                let below: Vec<i64> = self.children[node].iter().filter_map(|c| own[*c][r]).collect();
                own[node][r].max((!below.is_empty()).then(|| below.iter().sum::<i64>()))
            });
        }
        self.owns = own.iter().map(|own| own.iter().any(Option::is_some)).collect();
        let mut available: BTreeMap<usize, Vec<(NodeId, Dims)>> = [(ROOT, self.hosts.clone())].into();
        for node in self.order.clone() {
            let mut rest = available.remove(&node).unwrap_or_default();
            let mut children = self.children[node].clone();
            children.sort_by_key(|c| self.settings[*c].rank);
            for child in children {
                let mut left = own[child];
                let mut taken = Vec::new();
                rest.retain(|&(host, has)| {
                    let fits = (0..3).all(|r| left[r].is_none_or(|left| has[r] <= left));
                    let gives = (0..3).any(|r| left[r].is_some() && has[r] > 0);
                    if fits && gives {
                        (0..3).for_each(|r| left[r] = left[r].map(|left| left - has[r]));
                        taken.push((host, has));
                    }
                    !(fits && gives)
                });
                available.insert(child, taken);
            }
            self.holder.extend(rest.into_iter().map(|(host, _)| (host, node)));
        }
    }

    pub fn is_leaf(&self, node: usize) -> bool {
        self.children[node].is_empty()
    }

    /// A consumer and those above it.
    pub fn path(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(node), |c| self.parent[*c])
    }

    pub fn is_below(&self, node: usize, above: usize) -> bool {
        self.path(node).any(|c| c == above)
    }

    /// Consumers with a pool, the deepest first.
    pub fn pools(&self) -> Vec<usize> {
        let depth = |c: usize| self.path(c).count();
        let has_pool = |c: &usize| *c == ROOT || !self.is_leaf(*c) && self.owns[*c];
        let mut pools: Vec<usize> = self.order.iter().copied().filter(has_pool).collect();
        pools.sort_by_key(|c| std::cmp::Reverse(depth(*c)));
        pools
    }

    pub fn capacity(&self, host: NodeId) -> Dims {
        self.hosts.iter().find(|(id, _)| *id == host).map_or(Dims::default(), |(_, has)| *has)
    }

    /// Grace period of a pool (ego.md 8.5).
    pub fn pool_grace(&self, pool: usize) -> Span {
        let own = self.settings[pool].private_pool_grace.filter(|_| pool != ROOT);
        own.unwrap_or(self.default_grace)
    }

    /// The least lend-out grace from an owner up to a pool.
    fn lendout_grace(&self, owner: usize, pool: usize) -> Span {
        let path = self.path(owner).take_while(|c| *c != pool);
        let of = |c: usize| self.settings[c].lendout_grace.unwrap_or(self.default_grace);
        path.map(of).min().unwrap_or(Span::ZERO)
    }

    pub fn lends(&self, node: usize) -> bool {
        self.settings[node].lendout.unwrap_or(self.lendout)
    }

    /// Whether ratio and grace let a leaf use a pool (ego.md 4, 8.5).
    pub fn is_admitted(&self, leaf: usize, pool: usize) -> bool {
        let mut path = self.path(leaf).take_while(|c| *c != pool);
        path.all(|c| self.ratio[c] > 0) && self.settings[leaf].reclaim_grace <= Some(self.pool_grace(pool))
    }

    /// Whether a leaf may borrow a host in a pool.
    pub fn may_borrow(&self, leaf: usize, host: NodeId, pool: usize) -> bool {
        let holder = self.holder[&host];
        let is_lent = self.is_leaf(holder) && holder != ROOT;
        !is_lent || self.settings[leaf].reclaim_grace <= Some(self.lendout_grace(holder, pool))
    }

    /// The siblings at which the paths of two leaves split.
    pub fn split(&self, a: usize, b: usize) -> Option<(usize, usize)> {
        let siblings = |a: usize| self.path(b).find(|b| self.parent[*b] == self.parent[a]).map(|b| (a, b));
        self.path(a).find_map(siblings).filter(|(a, b)| a != b)
    }
}

/// Ready hosts offer their capacity, the others nothing.
fn hosts(cluster: &Cluster, pool: PartitionId) -> Vec<(NodeId, Dims)> {
    let of = |node: &Node| {
        let mut has = Dims::default();
        if node.ready {
            has = node.capacity.in_base_units();
            has[SLOTS] = i64::from(node.pods_max);
        }
        has
    };
    let all = cluster.nodes.iter().filter(|(_, node)| node.partition == pool);
    all.map(|(id, node)| (id, of(node))).collect()
}

/// One unit: parts of devices count whole, and every pod takes a pod slot.
pub fn unit_of(pod: &Pod) -> Dims {
    let mut unit = pod.request.resources.in_base_units();
    unit[Resource::GPU.index()] = i64::from(pod.request.gpu.n_devices()) * 1000;
    unit[SLOTS] = 1;
    unit
}

/// Whether labels, device memory and state of a node allow a pod.
pub fn may_run(pod: &Pod, node: &Node) -> bool {
    !node.draining && has_labels(pod, node) && has_memory(pod, node)
}

pub fn has_labels(pod: &Pod, node: &Node) -> bool {
    let has = |key, values: &[_]| node.labels.iter().any(|(k, v)| k == key && values.contains(v));
    pod.selector.iter().all(|(key, values)| has(key, values))
}

pub fn has_memory(pod: &Pod, node: &Node) -> bool {
    match pod.request.gpu {
        GpuRequest::Memory { mib, .. } => mib <= node.gpu_memory_mib / 100 * 100,
        _ => true,
    }
}
