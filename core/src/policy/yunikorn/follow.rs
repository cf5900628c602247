//! Synchronises the core with the cluster: configuration, nodes, then jobs and pods by id.
//!
//! # Source
//! yunikorn.md 1.8, 3.1, 5.1

use std::borrow::Cow;

use super::amounts::Amounts;
use super::apps::{NewApp, ReleaseReason};
use super::asks::{amounts, ask_for, explicit_amount, refused_nodes};
use super::config::{Partition, Rule};
use super::memory::{Memory, application};
use super::model::{Ask, AskIx, Core, QueueIx, Settings as Surroundings};
use super::partition::{self, ResourceTypes};
use super::words::Config;
use crate::cluster::{Cluster, Node, Phase};
use crate::id::{Id, JobId, PodId};
use crate::policy::PartitionView;
use crate::units::Resource;

impl Memory {
    /// Returns a copy synchronised with the cluster, or `self` if it is up to date.
    pub(super) fn now(&self, world: PartitionView<'_>, config: &Config) -> Cow<'_, Memory> {
        let mut current = Cow::Borrowed(self);
        if !self.in_step {
            current.to_mut().follow(world, config);
        }
        current
    }

    /// Synchronises the core with the cluster: configuration, nodes, then jobs and pods by id.
    pub(super) fn follow(&mut self, world: PartitionView<'_>, config: &Config) {
        let partition = simulated(partition::partition(world.queues(), config));
        if self.core.queues.is_empty() {
            let settings = Surroundings { reservation_delay: 2000, ideal_predicates: true };
            let is_limited = world.nodes().any(|(_, node)| node.pods_max != Node::UNLIMITED_PODS);
            self.resource_types =
                ResourceTypes::new(&partition, config, &world.cluster.named).counting_pods(is_limited);
            self.core = Core::new(&partition, self.resource_types.names.clone(), settings);
        }
        let core = &mut self.core;
        core.now = world.now.as_millis();
        if partition != self.partition {
            core.apply(&partition);
            self.partition = partition;
        }
        let paths = partition::paths(world.queues());
        self.queues = paths.iter().map(|path| core.find_queue(path)).collect();
        self.follow_nodes(world);
        for job in world.live_jobs() {
            self.follow_job(world, config, job);
        }
        self.forget(world);
    }

    fn follow_nodes(&mut self, world: PartitionView<'_>) {
        let core = &mut self.core;
        for (id, node) in world.nodes() {
            let amount = |resource: Resource| explicit_amount(&node.capacity, resource);
            // A node that is not ready offers no resources, not even for its reservations.
            let ready = amounts(&self.resource_types, &amount, i64::from(node.pods_max));
            let capacity = if node.ready { ready } else { Amounts::EMPTY };
            let existing = self.nodes.iter().position(|&other| other == id);
            let index = existing.unwrap_or_else(|| {
                core.add_node(&node.name, &capacity);
                self.nodes.push(id);
                self.nodes.len() - 1
            });
            if core.nodes[index].capacity != capacity.pruned() {
                core.set_capacity(index, &capacity);
            }
            if core.nodes[index].schedulable != node.takes_pods() {
                core.set_schedulable(index, node.takes_pods());
            }
            core.nodes[index].cordoned = node.draining;
            core.nodes[index].down = !node.ready;
            if !node.ready {
                core.drop_reservations_on(index);
                self.gangs.lose_node(core, index);
            }
        }
    }

    fn follow_job(&mut self, world: PartitionView<'_>, config: &Config, id: JobId) {
        let core = &mut self.core;
        let job = &world.cluster.jobs[id];
        let application = application(world.cluster, id);
        let app = core.find_app(application).or_else(|| {
            let queue = self.queues[job.queue.index()]?;
            let user = job.user.as_deref().unwrap_or_default();
            let queue = path_of(core, queue, user);
            let groups = groups_of(world.cluster, config, id);
            let new_app =
                NewApp { id: application.to_string(), queue, user: user.to_owned(), groups, ..NewApp::default() };
            self.gangs.add_app(core, world, (&self.resource_types, &self.nodes), id, new_app)
        });
        let Some(app) = app.filter(|&app| self.gangs.may_start(core, id, app)) else { return };
        let is_gang = self.gangs.is_gang(id);
        for (pod_id, pod) in world.cluster.pods_of(id) {
            let node = pod.node.and_then(|node| self.nodes.iter().position(|&other| other == node));
            let existing = self.asks.get(&pod_id).copied();
            if let (Some(ask), Phase::Pending) = (existing, pod.phase)
                && core.asks[ask].allocated
            {
                // The pod was evicted and is pending again.
                release(core, ask);
                self.pods.remove(&ask);
                self.asks.remove(&pod_id);
            } else if existing.is_some() {
                continue;
            }
            let target = match pod.phase {
                Phase::Pending => Some(None),
                phase if phase.holds() => node.map(Some),
                _ => None,
            };
            let Some(node) = target else { continue };
            let refuses = refused_nodes(world, &self.nodes, pod);
            let set = &world.cluster.pod_sets[pod.pod_set].name;
            let ask = Ask {
                refuses,
                task_group: if is_gang { set.to_string() } else { String::new() },
                ..ask_for(&self.resource_types, (job, pod), &pod.name, app)
            };
            if core.add_ask(ask, node)
                && let Some(ask) = core.find_ask(app, &pod.name)
            {
                self.asks.insert(pod_id, ask);
                self.pods.insert(ask, pod_id);
                if let Phase::Terminating { .. } = pod.phase {
                    core.mark_leaving(ask);
                }
            }
        }
    }

    /// Removes completed pods, jobs and gangs from the core.
    fn forget(&mut self, world: PartitionView<'_>) {
        let core = &mut self.core;
        let is_over = |pod: &PodId| {
            let phase = world.cluster.pods[*pod].phase;
            phase != Phase::Pending && !phase.holds()
        };
        let ended: Vec<PodId> = self.asks.keys().copied().filter(is_over).collect();
        // Pending asks are removed first: an application counts for its user until an allocation ends and none is left.
        let is_allocated = |pod: &PodId| self.asks.get(pod).is_some_and(|&ask| core.asks[ask].allocated);
        let (running, waiting): (Vec<PodId>, Vec<PodId>) = ended.into_iter().partition(is_allocated);
        for pod in waiting.into_iter().chain(running) {
            if let Some(ask) = self.asks.remove(&pod) {
                self.pods.remove(&ask);
                release(core, ask);
            }
        }
        self.gangs.forget(core, world);
        self.evicted_for.retain(|pod, _| matches!(world.cluster.pods[*pod].phase, Phase::Terminating { .. }));
    }
}

fn release(core: &mut Core, ask: AskIx) {
    let running = core.apps[core.asks[ask].app].allocations.contains(&ask);
    if running { core.release(ask, ReleaseReason::Over) } else { core.remove_ask(ask) }
}

/// Adapts the configuration for the core: every user may submit, and placement creates the requested queues.
fn simulated(mut partition: Partition) -> Partition {
    let provided = Rule { name: "provided".to_owned(), create: true, ..Rule::default() };
    partition.placementrules = vec![provided];
    for root in &mut partition.queues {
        root.submitacl = "*".to_owned();
    }
    partition
}

/// Requested queue path of a job: its queue, or the queue of its user if YuniKorn creates queues below it only by
/// placement.
fn path_of(core: &Core, queue: QueueIx, user: &str) -> String {
    let path = &core.queues[queue].path;
    if core.queues[queue].is_leaf {
        return path.clone();
    }
    let user = if user.is_empty() { "default" } else { user };
    [path, ".", &user.replace('.', "_dot_")].concat()
}

/// Groups of a job's user: from the job, otherwise from the settings.
fn groups_of(cluster: &Cluster, config: &Config, job: JobId) -> Vec<String> {
    let first = cluster.pods_of(job).next().and_then(|(_, pod)| pod.rules.as_deref());
    match first.map(|rules| rules.groups.as_slice()) {
        Some(own @ [_, ..]) => own.iter().map(|group| group.to_string()).collect(),
        _ => {
            let user = cluster.jobs[job].user.as_deref().unwrap_or_default();
            config.groups.get(user).cloned().unwrap_or_default()
        }
    }
}
