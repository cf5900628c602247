//! Placement of a chunk, all or nothing.
//!
//! # Rule
//! The chunk as a whole passes the capacity test; then the pod sets of the tree of subgroups are visited, each task on
//! the best node that fits; the first task without a node fails the chunk. A whole-device task is bound if it fits idle
//! room and binding is allowed, else it claims. Parts of devices go to the fitting devices by their score, including
//! whole idle or releasing ones, as many as requested; if one of them is not free yet, the task claims.
//!
//! # Source
//! kai.md 5.2, 5.6; kai-v0.17.md 16.5
//!
//! # Differs
//! nothing; topology constraints are not modelled

use std::rc::Rc;

use super::super::record::notes::{Failure, Misfits};
use crate::policy::kai::job::subgroups::{Group, Member};
use crate::policy::kai::job::{Job, SetOrder};
use crate::policy::kai::order::nondeterminism::{self, RandomOrder};
use crate::policy::kai::place::equivalence_classes::{Choice, Ranked};
use crate::policy::kai::place::node::Node;
use crate::policy::kai::place::score_parts::Part;
use crate::policy::kai::record::notes::{count, real};
use crate::policy::kai::request::Request;
use crate::policy::kai::revision::Revision;
use crate::policy::kai::session::Session;
use crate::policy::kai::statement::Statement;
use crate::policy::kai::task::{GroupRef, JobRef, NodeRef, PodRef, TaskRef};
use crate::policy::node_order::{MOST, excluded};
use crate::trace::{Check, FreeGpus, NodeReason, Op, Quantity, Rule, RuleRecord, Subject, Term, Value};
use crate::units::Resource;

/// A device for a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Device {
    Shared(GroupRef),
    Whole,
}

impl Session<'_> {
    /// 5.2: places the next chunk of a job.
    pub fn allocate_job(
        &mut self,
        st: &mut Statement,
        job: JobRef,
        nodes: &[NodeRef],
        pipeline_only: bool,
    ) -> Result<(), Failure> {
        let chunk = self.chunk(job, !pipeline_only);
        if chunk.is_empty() && !self.places_empty_chunks() {
            return Err(Failure::NoTask);
        }
        let (requested, fixed) = (self.requested_by(&chunk), self.fixed_part(job, &chunk));
        if let Some(excess) = self.over_capacity(job, requested, fixed) {
            return Err(Failure::Excess(excess));
        }
        let explains = self.notes.is_on() && !pipeline_only;
        if explains {
            self.notes.gate = self.capacity_checks(job, requested, fixed);
        }
        let checkpoint = st.checkpoint();
        let sets = self.placement_order(job);
        let mut placed = 0;
        let mut choice = None;
        for set in sets {
            for &task in chunk.iter().filter(|&&t| self.pod_of(t).set == set).collect::<Vec<_>>() {
                if let Err(mut failure) = self.place_task(st, (job, task), nodes, pipeline_only, &mut choice) {
                    choice.into_iter().for_each(|choice| self.end_choice(choice));
                    st.rollback(self, checkpoint);
                    for &task in &chunk {
                        let pod = self.task(task).pod;
                        self.notes.placed.remove(&pod);
                    }
                    if let Failure::NoNode { placed: n_placed, of, free, .. } = &mut failure {
                        (*n_placed, *of) = (placed, chunk.len() as u32);
                        // The rollback has freed what was placed before.
                        let misfits = self.notes.misfits.take().filter(|_| explains);
                        *free = misfits.map(|m| if placed == 0 { m.free } else { self.free_gpus(&m.open) });
                    }
                    return Err(failure);
                }
                placed += 1;
            }
        }
        choice.into_iter().for_each(|choice| self.end_choice(choice));
        Ok(())
    }

    /// Idle and releasing GPUs on some nodes.
    fn free_gpus(&self, nodes: &[NodeRef]) -> FreeGpus {
        let nodes = nodes.iter().map(|node| &self.state.nodes[node.ix()]);
        nodes.filter(|n| n.ready).map(|n| n.sum_idle() + n.sum_releasing()).collect()
    }

    /// Why a pod fits none of the nodes.
    fn misfits(&self, choice: &Choice, pod: PodRef, nodes: &[NodeRef]) -> Misfits {
        let pod = &self.inputs.pods[pod.ix()];
        // What excludes a node stays when room becomes free, so it is told first.
        let reasons = nodes.iter().filter_map(|&node| self.excludes(pod, node).or_else(|| choice.misfit(node)));
        let reasons = NodeReason::counted(reasons.collect());
        let open: Vec<NodeRef> = nodes.iter().copied().filter(|&node| self.bars(pod, node).is_none()).collect();
        Misfits { reasons, free: self.free_gpus(&open), open }
    }

    fn place_task(
        &mut self,
        st: &mut Statement,
        (job, task): (JobRef, TaskRef),
        nodes: &[NodeRef],
        pipeline_only: bool,
        choice: &mut Option<Choice>,
    ) -> Result<(), Failure> {
        let explains = self.notes.is_on() && !pipeline_only;
        let pod = self.task(task).pod;
        if let Some(resource) = self.inputs.is_too_large(&self.inputs.pods[pod.ix()].request) {
            return Err(Failure::TooLarge { task, resource });
        }
        let last = choice.take();
        let choice = choice.insert(self.choose(last, job, pod, nodes));
        while let Some(best) = choice.take_best() {
            let checks = if explains && self.notes.explains(self.inputs.pods[pod.ix()].id) {
                let next = choice.next_best(MOST);
                self.placement_checks(task, choice, best, &next)
            } else {
                Vec::new()
            };
            if self.place_on(st, task, best.node, pipeline_only) {
                if !checks.is_empty() {
                    self.notes.placed.insert(pod, checks.into());
                }
                return Ok(());
            }
        }
        if !explains {
            return Err(Failure::NoNode { task, placed: 0, of: 0, reasons: Vec::new(), free: None });
        }
        let cached = choice.misfits.take();
        let misfits = cached.unwrap_or_else(|| Rc::new(self.misfits(choice, pod, nodes)));
        choice.misfits = Some(misfits.clone());
        let reasons = misfits.reasons.clone();
        self.notes.misfits = Some(misfits);
        Err(Failure::NoNode { task, placed: 0, of: 0, reasons, free: None })
    }

    /// 5.6: places a task on a node that fits.
    fn place_on(&mut self, st: &mut Statement, task: TaskRef, host: NodeRef, pipeline_only: bool) -> bool {
        let request = &self.pod_of(task).request;
        let node = &self.state.nodes[host.ix()];
        let is_free_now = self.inputs.is_allocatable_now(node, request);
        if !request.is_shared() {
            if is_free_now && !pipeline_only {
                st.allocate(self, task, host);
            } else {
                st.pipeline(self, task, host, !pipeline_only);
            }
            return true;
        }
        let Some((devices, is_tie)) = self.devices(node, request) else { return false };
        let mib = request.mib_on(node.device_mib);
        let waits = |device: &Device| match *device {
            Device::Whole => pipeline_only || !is_free_now,
            Device::Shared(group) => {
                let s = node.shared.get(group);
                !(s.allocated.is_some() && node.device_mib - s.alloc() - mib >= 0 && is_free_now)
            }
        };
        let waits = devices.iter().any(waits);
        if is_tie {
            let (job, pod) = (self.about_job(self.job_of(task)), Some(self.pod_of(task).id));
            let node = Some(self.state.nodes[host.ix()].id);
            self.notes.ties.met(nondeterminism::DEVICES, Subject { pod, node, ..job });
        }
        let mut groups = Vec::new();
        for device in devices {
            groups.push(match device {
                Device::Shared(group) => group,
                Device::Whole => self.state.groups.fresh(),
            });
        }
        self.state.tasks[task.ix()].groups = groups;
        if pipeline_only || waits {
            st.pipeline(self, task, host, false);
        } else {
            st.allocate(self, task, host);
        }
        true
    }

    /// Devices a shared request would use on a node, and whether other devices tie; `None` if there are too few.
    fn devices(&self, node: &Node, request: &Request) -> Option<(Vec<Device>, bool)> {
        let mut scored: Vec<(f64, Device)> = Vec::new();
        // A device of less than 100 MiB has no score and is skipped.
        for (group, s) in node.fitting(request).filter(|_| node.device_mib >= 100) {
            let filled = s.used as f64 / node.device_mib as f64;
            scored.push((self.inputs.plugins.device_score(filled), Device::Shared(group)));
        }
        let slot = |device: Device| match device {
            Device::Shared(group) => node.shared.n_before(group),
            Device::Whole => 0,
        };
        self.draw(RandomOrder::Devices, &mut scored, node.shared.n_touched(), |s| slot(s.1));
        let (idle, releasing) = (node.idle.gpus, node.releasing.gpus);
        if idle > 0.0 || releasing > 0.0 {
            let n_whole = usize::try_from(idle as i64 + releasing as i64).unwrap_or(0);
            let score = self.inputs.plugins.device_score(0.0);
            scored.extend(std::iter::repeat_n((score, Device::Whole), n_whole));
        }
        scored.sort_by(|l, r| r.0.partial_cmp(&l.0).expect("scores are never NaN"));
        let count = usize::try_from(request.count).unwrap_or(0);
        let is_tie = match scored.get(count.saturating_sub(1)..=count) {
            Some([last, next]) => last.0 == next.0 && last.1 != Device::Whole && next.1 != Device::Whole,
            _ => false,
        };
        (scored.len() >= count).then(|| (scored.into_iter().take(count).map(|s| s.1).collect(), is_tie))
    }

    /// Whether a shared request would open a new device on a node (5.4, item 5).
    pub fn opens_a_device(&self, node: &Node, request: &Request) -> bool {
        let joins = |device: &Device| matches!(*device, Device::Shared(g) if self.state.groups.is_integer(g));
        self.devices(node, request).is_none_or(|(d, _)| d.is_empty() || !d.iter().all(joins))
    }
}

impl Session<'_> {
    /// Comparisons of the best node with the next best ones.
    fn placement_checks(&self, task: TaskRef, choice: &Choice, best: Ranked, next: &[Ranked]) -> Vec<Check> {
        let host = best.node;
        let node = &self.state.nodes[host.ix()];
        let pod = self.pod_of(task);
        let job = self.about_job(self.job_of(task));
        let subject = Subject { pod: Some(pod.id), node: Some(node.id), ..job };
        let mut checks = Vec::new();
        if !pod.request.is_shared() && pod.request.gpus > 0.0 {
            let subject = Subject { resource: Some(Resource::GPU), ..subject };
            let room = node.idle.gpus + node.releasing.gpus;
            let (l, r) = (real(Quantity::Request, pod.request.gpus), real(Quantity::IdleOrReleasing, room));
            checks.push(Check::new(ROOM, subject, l, Op::AtMost, r));
        }
        for other in next {
            let subject = Subject { other_node: Some(self.state.nodes[other.node.ix()].id), ..subject };
            let (l, r) = (self.inputs.scored(choice, best), self.inputs.scored(choice, *other));
            checks.push(Check::new(BEST_NODE, subject, l, Op::AtLeast, r));
            if best.score == other.score {
                let [l, r] = [host, other.node].map(|node| self.state.nodes[node.ix()].name.clone());
                let [l, r] = [l, r].map(|name| Term::new(Quantity::Name, Value::Name(name)));
                checks.push(Check::new(BEST_NODE, subject, l, Op::Less, r));
            }
        }
        checks.extend(self.unfit_checks(task, choice, subject));
        let nominates = self.inputs.score_parts.contains(&Part::Nominated) && !next.is_empty();
        if nominates && pod.nominated == Some(host) {
            let (l, r) = (count(Quantity::Applies, 1), count(Quantity::Applies, 0));
            checks.push(Check::new(NOMINATED, subject, l, Op::Exceeds, r));
        }
        checks.extend(self.placement_faults(task, host));
        checks
    }

    /// Comparisons of nodes on which a task does not fit; without those on which no single amount decides.
    fn unfit_checks(&self, task: TaskRef, choice: &Choice, subject: Subject) -> Vec<Check> {
        let pod = self.pod_of(task);
        let check = |host: NodeRef| {
            let node = &self.state.nodes[host.ix()];
            let subject = Subject { node: Some(node.id), ..subject };
            let barred = |quantity| Some(excluded(BEST_NODE, subject, quantity));
            let resource = match self.bars(pod, host).or_else(|| choice.misfit(host))? {
                NodeReason::NotReady => return barred(Quantity::Ready),
                NodeReason::Taint => return barred(Quantity::Tolerated),
                NodeReason::Selector => return barred(Quantity::Selected),
                NodeReason::Insufficient(resource) => resource,
                _ => return None,
            };
            let request = &pod.request;
            let (requested, room) = match resource {
                Resource::CPU => (request.cpu, node.idle.cpu + node.releasing.cpu),
                Resource::MEMORY => (request.memory, node.idle.memory + node.releasing.memory),
                Resource::GPU if !request.is_shared() => (request.gpus, node.idle.gpus + node.releasing.gpus),
                _ => return None,
            };
            let subject = Subject { resource: Some(resource), ..subject };
            let (l, r) = (real(Quantity::Request, requested), real(Quantity::IdleOrReleasing, room));
            Some(Check::new(ROOM, subject, l, Op::Exceeds, r)).filter(|check| check.holds)
        };
        choice.unfit().filter_map(check).collect()
    }
}

/// 5.4.
pub static ROOM: Rule = Rule(&RuleRecord {
    key: "kai/fit/room",
    says: "a pod is placed where its requests are free or being freed",
    formula: "request <= idle + releasing",
    source: "kai.md 5.4",
    differs: "",
});
/// 5.5.
pub static BEST_NODE: Rule = Rule(&RuleRecord {
    key: "kai/score/best-node",
    says: "among the nodes that fit, the one with the highest score is chosen, then by name",
    formula: "score = packing or spreading + 10 CPU node + 100 free now + 1000 shares a device + 1000000 nominated",
    source: "kai.md 3.5, 5.5; kai-v0.17.md 15.7",
    differs: "in v0.17 the last three are 1000, 10000 and 10000000",
});
/// 5.5.
pub static NOMINATED: Rule = Rule(&RuleRecord {
    key: "kai/score/nominated",
    says: "a nominated node comes before all other nodes on which the pod fits",
    formula: "nominated(node) > nominated(next best)",
    source: "kai.md 5.5, plugin nominatednode",
    differs: "KAI never nominates a node itself",
});

impl Session<'_> {
    /// Whether a chunk without tasks counts as placed: until v0.13.
    fn places_empty_chunks(&self) -> bool {
        match self.inputs.config.revision {
            Revision::V0_13 => true,
            Revision::V0_17 => false,
        }
    }

    /// Pod sets of a job in the order of placement.
    ///
    /// # v0.13
    /// In each group, inner groups by name, then its pod sets in order.
    ///
    /// # v0.17
    /// In each group, its members in order.
    fn placement_order(&self, job: JobRef) -> SetOrder {
        let job = self.job(job);
        let Some(tree) = &job.tree else { return self.inputs.sets_in_order(job) };
        let mut order = SetOrder::new();
        match self.inputs.config.revision {
            Revision::V0_13 => groups_first(tree, &self.inputs.sets_in_order(job), &mut order),
            Revision::V0_17 => members_in_order(tree, (job, self.inputs.plugins.subgroup_order), &mut order),
        }
        order
    }
}

fn groups_first(group: &Group, by_rank: &[usize], order: &mut SetOrder) {
    for member in &group.members {
        if let Member::Group(child) = member {
            groups_first(child, by_rank, order);
        }
    }
    order.extend(by_rank.iter().copied().filter(|set| group.members.contains(&Member::Set(*set))));
}

fn members_in_order(group: &Group, (job, is_ordered): (&Job, bool), order: &mut SetOrder) {
    for member in group.members_in_order(&job.fills(), is_ordered) {
        match member {
            Member::Group(group) => members_in_order(group, (job, is_ordered), order),
            Member::Set(set) => order.push(*set),
        }
    }
}
