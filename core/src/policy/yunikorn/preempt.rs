//! Preemption: an ask whose queue is below its guarantee evicts tasks of queues above theirs.
//!
//! # Rule
//! Victims are searched below a fence root: the first queue from the ask's leaf upwards that fences preemption or is
//! full for the ask. Each node is evaluated alone and the best one is reserved for the ask. Further victims cover the
//! rest of the guarantee, and unnecessary victims are trimmed. Victims never come from the ask's own leaf. A
//! victim's priority is compared in the frame of the fence root, with the offsets of the ask's own path in it.
//!
//! # Source
//! yunikorn.md 5.1 to 5.6

use std::cmp::Ordering;

use super::amounts::{self, Amounts};
use super::cycle::{CycleResult, NANOS, ResultType};
use super::guarantee::{Snapshot, is_over, is_under};
use super::model::{Ask, AskIx, Core, Excess, NodeIx, Preemption, QueueIx};
use super::priority::{PriorityPolicy, counted};
use super::properties::PreemptionPolicy;

/// Interval between preemption attempts of an ask, in milliseconds.
pub(super) const RETRY: i64 = 15_000;
/// Age at which the reservation of another ask may be overridden, in milliseconds.
const FOREIGN_EXPIRY: i64 = 2 * 60 * 60_000 + 2_000;

/// Bound of scores of nodes and victims: scores below it are acceptable, higher ones are increasingly undesirable.
const FIT: i64 = 1 << 32;
const ORIGINATOR: i64 = 1 << 33;
const NOT_ALLOWED: i64 = 1 << 34;
const UNFIT: i64 = 1 << 35;

/// Sort key of victims.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VictimKey {
    /// May become a victim.
    pub allow_self: bool,
    /// Whether it is the originator of its application.
    pub originator: bool,
    /// Creation time in milliseconds.
    pub created: i64,
}

impl VictimKey {
    /// Order on one node: opted-in first, then non-originators, then the younger.
    pub fn on_node(&self, other: &VictimKey) -> Ordering {
        let key = |w: &VictimKey| (!w.allow_self, w.originator);
        key(self).cmp(&key(other)).then(other.created.cmp(&self.created))
    }

    /// Order among additional victims: by score, then the younger.
    pub fn additional(&self, other: &VictimKey) -> Ordering {
        self.score().cmp(&other.score()).then(other.created.cmp(&self.created))
    }

    fn score(&self) -> i64 {
        i64::from(self.originator) * ORIGINATOR + i64::from(!self.allow_self) * NOT_ALLOWED
    }
}

/// A potential victim.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    ask: AskIx,
    /// Index of its leaf in the snapshot.
    leaf: usize,
    node: NodeIx,
    resource: Amounts,
    willing: VictimKey,
}

/// A node on which the ask would fit after evictions.
struct Choice {
    node: NodeIx,
    /// Index of the last necessary victim; `None` if none is necessary.
    index: Option<usize>,
    victims: Vec<Candidate>,
    /// Candidates of the node, sorted.
    sorted: Vec<Candidate>,
}

impl Core {
    /// Tries to free resources for an ask; `no_node`: nodes were tried and none took it.
    pub(super) fn try_preemption(
        &mut self,
        ask: AskIx,
        headroom: &Amounts,
        attempts: &mut u32,
        no_node: bool,
    ) -> Option<CycleResult> {
        if !self.preemption || *attempts == 0 || !self.may_preempt(ask) {
            return None;
        }
        *attempts -= 1;
        self.asks[ask].last_check = Some(self.now);
        let (snapshot, candidates) = self.candidates(ask);
        if !guarantee_lets(&snapshot, &candidates, &self.asks[ask].resource) {
            return None;
        }
        self.override_reservations(ask);
        let (node, victims) = self.select(ask, &snapshot, &candidates, no_node)?;
        for victim in &victims {
            self.mark(*victim, Some(ask));
        }
        self.asks[ask].triggered = true;
        self.asks[ask].preemption = Some(Box::new(self.preemption_of(ask, node, &victims)));
        let kind = if self.asks[ask].reserved == Some(node) { ResultType::Idle } else { ResultType::Reserved };
        if kind == ResultType::Reserved {
            self.reserve(ask, node);
        }
        Some(CycleResult { victims, ..CycleResult::new(kind, ask, node, headroom) })
    }

    /// Node and victims for an ask; `None` if no permitted preemption helps.
    fn select(
        &self,
        ask: AskIx,
        snapshot: &Snapshot,
        candidates: &[Candidate],
        no_node: bool,
    ) -> Option<(NodeIx, Vec<AskIx>)> {
        let chosen = self.choose_node(ask, snapshot, candidates, no_node)?;
        let needed = chosen.index.map_or(&[][..], |index| &chosen.victims[..=index]);
        let additional_victims = additional(snapshot, candidates, needed, &self.asks[ask].resource)?;
        let victims = self.trim(ask, chosen.node, needed.iter().chain(&additional_victims).copied())?;
        Some((chosen.node, victims))
    }

    /// Whether a preemption would find victims now, regardless of delays.
    pub(super) fn would_preempt(&self, ask: AskIx, no_node: bool) -> bool {
        let (snapshot, candidates) = self.candidates(ask);
        guarantee_lets(&snapshot, &candidates, &self.asks[ask].resource)
            && self.select(ask, &snapshot, &candidates, no_node).is_some_and(|(_, victims)| !victims.is_empty())
    }

    /// Time in milliseconds from which an ask may preempt, if only its age or its last attempt keeps it from that.
    pub(super) fn may_preempt_from(&self, ask: AskIx) -> Option<i64> {
        let Ask { app, allow_other, triggered, ref required_node, created, last_check, .. } = self.asks[ask];
        let delay = self.queues[self.apps[app].queue].properties.preemption_delay;
        let of_age = created.saturating_add(delay.saturating_add(NANOS - 1) / NANOS);
        let earliest = last_check.map_or(of_age, |last| of_age.max(last + RETRY));
        // An attempt in this pass has already failed.
        let lets = self.preemption && allow_other && !triggered && required_node.is_empty();
        (lets && last_check != Some(self.now) && earliest > self.now).then_some(earliest)
    }

    /// What marking the victims frees for the ask.
    fn preemption_of(&self, ask: AskIx, node: NodeIx, victims: &[AskIx]) -> Preemption {
        let on_node = victims.iter().map(|&victim| &self.asks[victim]).filter(|v| v.node == Some(node));
        let mut preemption = Preemption {
            node,
            available: self.nodes[node].available,
            freed: Amounts::EMPTY,
            victims: 0,
            over: self.excess_after(ask),
        };
        for victim in on_node {
            preemption.freed.add(&victim.resource);
            preemption.victims += 1;
        }
        preemption
    }

    /// The first queue on the ask's path that exceeds its maximum with the ask and without terminating tasks.
    fn excess_after(&self, ask: AskIx) -> Option<Excess> {
        let request = &self.asks[ask].resource;
        let path = self.upwards(self.apps[self.asks[ask].app].queue);
        path.filter(|&ix| self.queues[ix].parent.is_some()).find_map(|ix| {
            let queue = &self.queues[ix];
            let without_terminating = amounts::difference(&queue.allocated, &queue.preempting);
            let with_ask = amounts::sum(&without_terminating, request);
            let is_over = |&resource: &usize| request.has(resource) && with_ask.get(resource) > queue.max.get(resource);
            let resource = queue.max.types().find(is_over)?;
            Some(Excess { queue: ix, of: resource, with_ask: with_ask.get(resource), max: queue.max.get(resource) })
        })
    }

    /// Whether the preconditions (5.2) except the attempt limit hold.
    fn may_preempt(&self, ask: AskIx) -> bool {
        let Ask { app, allow_other, triggered, ref required_node, created, last_check, .. } = self.asks[ask];
        let delay = self.queues[self.apps[app].queue].properties.preemption_delay;
        let age = self.now.saturating_sub(created).saturating_mul(NANOS);
        let rested = last_check.is_none_or(|last| self.now >= last + RETRY);
        allow_other && !triggered && required_node.is_empty() && age >= delay && rested
    }

    /// Marks a task for eviction, for an ask or, above a lowered maximum, for none.
    pub(super) fn mark(&mut self, victim: AskIx, ask: Option<AskIx>) {
        self.mark_leaving(victim);
        self.marked.push(victim);
        self.marked_for.push(ask);
    }

    /// Records that a task is terminating: it is not selected again, and its queues count it as preempting.
    pub(super) fn mark_leaving(&mut self, victim: AskIx) {
        let Ask { app, resource, .. } = self.asks[victim];
        self.asks[victim].preempted = true;
        self.change_upwards(self.apps[app].queue, |queue| queue.preempting.add(&resource));
    }

    /// Queues from the ask's leaf up to the fence root, with the ask's priority at each (5.3).
    pub(super) fn fence(&self, ask: AskIx) -> Vec<(QueueIx, i64)> {
        let Ask { app, priority, resource, .. } = self.asks[ask];
        let mut current = i64::from(priority);
        let mut path = Vec::new();
        for ix in self.upwards(self.apps[app].queue) {
            let properties = &self.queues[ix].properties;
            current = counted(properties.priority_policy, properties.offset, current);
            path.push((ix, current));
            let fenced = properties.preemption_policy == PreemptionPolicy::Fence;
            if fenced || self.is_full_for(ix, &resource) {
                break;
            }
        }
        path
    }

    fn is_full_for(&self, queue: QueueIx, request: &Amounts) -> bool {
        let mut max = Amounts::NONE;
        for ix in self.upwards(queue) {
            max = amounts::min_union(&max, &self.queues[ix].max);
        }
        let usage = amounts::sum(&self.queues[queue].allocated, request);
        !max.is_empty() && !amounts::ge_existing(&max, &usage)
    }

    fn candidates(&self, ask: AskIx) -> (Snapshot, Vec<Candidate>) {
        let path = self.fence(ask);
        let leaf = self.apps[self.asks[ask].app].queue;
        let mut snapshot = Snapshot::new(self, leaf);
        let mut candidates = Vec::new();
        if let Some(&(root, limit)) = path.last() {
            self.collect(ask, root, limit, false, &path, &mut snapshot, &mut candidates);
        }
        (snapshot, candidates)
    }

    fn collect(
        &self,
        ask: AskIx,
        ix: QueueIx,
        limit: i64,
        fenced: bool,
        path: &[(QueueIx, i64)],
        snapshot: &mut Snapshot,
        candidates: &mut Vec<Candidate>,
    ) {
        let queue = &self.queues[ix];
        if ix == path[0].0 {
            return;
        }
        if queue.is_leaf {
            self.collect_leaf(ask, ix, limit, fenced, snapshot, candidates);
            return;
        }
        for &child in &queue.children {
            let properties = &self.queues[child].properties;
            let offset = i64::from(properties.offset);
            let on_path = path.iter().find(|(q, _)| *q == child);
            match (on_path, properties.priority_policy) {
                (Some(&(_, value)), _) => self.collect(ask, child, value, fenced, path, snapshot, candidates),
                (None, PriorityPolicy::Fence) if offset > limit => {}
                (None, PriorityPolicy::Fence) => self.collect(ask, child, limit, true, path, snapshot, candidates),
                (None, PriorityPolicy::Default) => {
                    self.collect(ask, child, limit - offset, fenced, path, snapshot, candidates);
                }
            }
        }
    }

    fn collect_leaf(
        &self,
        ask: AskIx,
        leaf: QueueIx,
        limit: i64,
        fenced: bool,
        snapshot: &mut Snapshot,
        candidates: &mut Vec<Candidate>,
    ) {
        if self.queues[leaf].properties.preemption_policy == PreemptionPolicy::Disabled {
            return;
        }
        let request = &self.asks[ask].resource;
        let snap = snapshot.add(self, leaf);
        let remaining = snapshot.remaining(snap);
        if !remaining.is_none() && !remaining.has_negative() {
            return;
        }
        for &app in &self.queues[leaf].apps {
            for &victim in &self.apps[app].allocations {
                let v = &self.asks[victim];
                let Some(node) = v.node else { continue };
                let priority = fenced || i64::from(v.priority) <= limit;
                let free = v.required_node.is_empty() && !v.released && !v.preempted;
                if free && priority && amounts::overlap(request, &v.resource) {
                    let willing = VictimKey { allow_self: v.allow_self, originator: v.originator, created: v.created };
                    candidates.push(Candidate { ask: victim, leaf: snap, node, resource: v.resource, willing });
                }
            }
        }
    }

    /// Whether the node may be considered: no reservation of another ask keeps it.
    fn is_usable(&self, ask: AskIx, node: NodeIx) -> bool {
        let candidate = &self.nodes[node];
        let others = || candidate.reserved.iter().filter(|&&other| other != ask);
        !self.refuses(ask, node)
            && candidate.exists
            && candidate.schedulable
            && amounts::fits(&candidate.capacity, &self.asks[ask].resource)
            && others().all(|&other| self.overrides(ask, other))
    }

    /// Whether an ask overrides the reservation of another one: an old one of lower priority.
    fn overrides(&self, ask: AskIx, other: AskIx) -> bool {
        let o = &self.asks[other];
        let is_weak = o.required_node.is_empty() && !o.triggered && o.priority < self.asks[ask].priority;
        is_weak && self.now - o.created > FOREIGN_EXPIRY
    }

    /// Drops the reservations that an ask overrides on the nodes that it considers.
    fn override_reservations(&mut self, ask: AskIx) {
        for node in self.nodes_by_id() {
            if self.nodes[node].reserved.is_empty() || !self.is_usable(ask, node) {
                continue;
            }
            for other in self.nodes[node].reserved.clone() {
                if other != ask {
                    self.lose_reservation(other);
                }
            }
        }
    }

    fn nodes_by_id(&self) -> Vec<NodeIx> {
        let mut by_id: Vec<NodeIx> = self.node_order.iter().collect();
        by_id.sort_by(|&a, &b| self.nodes[a].id.cmp(&self.nodes[b].id));
        by_id
    }

    fn choose_node(&self, ask: AskIx, snapshot: &Snapshot, candidates: &[Candidate], no_node: bool) -> Option<Choice> {
        let request = self.asks[ask].resource;
        let mut options = Vec::new();
        for node in self.nodes_by_id() {
            if !self.is_usable(ask, node) {
                continue;
            }
            let mut sorted: Vec<Candidate> = candidates.iter().filter(|c| c.node == node).copied().collect();
            sorted.sort_by(|a, b| a.willing.on_node(&b.willing));
            let available = self.nodes[node].available;
            if let Some((index, victims)) = weigh(snapshot, &sorted, &available, &request)
                && (index.is_some() || !no_node)
            {
                options.push(Choice { node, index, victims, sorted });
            }
        }
        // By number of victims; nodes are in order of id already.
        options.sort_by_key(|option| option.index.map_or(-1, |index| index as i64));
        if !self.settings.ideal_predicates {
            return options.into_iter().next();
        }
        let mut best: Option<(i64, Choice)> = None;
        for option in options {
            let score = option.score();
            if best.as_ref().is_none_or(|(least, _)| score < *least) {
                best = Some((score, option));
            }
            if score < FIT {
                break;
            }
        }
        best.map(|(_, option)| option)
    }

    /// Trims the victims to those that the ask needs; `None` if they are not enough (5.5 f).
    fn trim(&self, ask: AskIx, node: NodeIx, all: impl Iterator<Item = Candidate>) -> Option<Vec<AskIx>> {
        let request = &self.asks[ask].resource;
        let fits_now = amounts::fits(&self.nodes[node].available, request);
        let mut total = Amounts::EMPTY;
        let mut victims = Vec::new();
        let mut has_removed = false;
        for victim in all {
            has_removed = true;
            if !fits_now && victim.node != node {
                continue;
            }
            if amounts::gt_existing(request, &total) {
                victims.push(victim.ask);
            }
            total.add(&victim.resource);
        }
        (has_removed && !amounts::gt_existing(request, &total)).then_some(victims)
    }
}

impl Choice {
    /// Score of a resource manager that accepts every proposal (5.5 d). It depends on the candidates, not the victims
    ///
    fn score(&self) -> i64 {
        if self.sorted.is_empty() {
            return UNFIT;
        }
        let Some(index) = self.index else { return 0 };
        let read = &self.sorted[..self.sorted.len().min(index + 1)];
        let originator = i64::from(read.iter().any(|c| c.willing.originator)) * ORIGINATOR;
        let not_allowed = i64::from(read.iter().any(|c| !c.willing.allow_self)) * NOT_ALLOWED;
        originator + not_allowed + index as i64 + 1
    }
}

/// Whether the ask's guarantee can be satisfied if all candidates are evicted (5.5 a).
fn guarantee_lets(snapshot: &Snapshot, candidates: &[Candidate], request: &Amounts) -> bool {
    let remaining = snapshot.remaining(snapshot.leaf);
    if !remaining.is_none() && amounts::fits_actual(&remaining, request) {
        return true;
    }
    let mut work = snapshot.clone();
    work.put(work.leaf, request);
    candidates.iter().any(|candidate| {
        work.take(candidate.leaf, &candidate.resource);
        let remaining = work.remaining(work.leaf);
        !remaining.is_none() && is_under(&remaining, request)
    })
}

/// Whether a queue exceeds its guarantee in a type of the ask.
fn exceeds_guarantee(remaining: &Amounts, request: &Amounts) -> bool {
    remaining.is_none() || is_over(remaining, request)
}

fn shortfall(request: &Amounts, available: &Amounts) -> Amounts {
    let mut short = Amounts::EMPTY;
    for (resource, amount) in request.iter() {
        short.set(resource, amount.saturating_sub(available.get(resource)).max(0));
    }
    short
}

/// Takes a victim's resources from its queue, unless the queue would fall below its guarantee.
fn take_from(work: &mut Snapshot, victim: &Candidate, request: &Amounts) -> bool {
    let remaining = work.remaining(victim.leaf);
    work.take(victim.leaf, &victim.resource);
    let is_over = exceeds_guarantee(&remaining, request);
    if !is_over {
        work.put(victim.leaf, &victim.resource);
    }
    is_over
}

/// Moves the resources of a victim to the preempting queue. Returns the unused guarantee of that queue before.
/// `None`: it does not cover them; the first such victim ends a search.
fn give_to_ask(work: &mut Snapshot, victim: &Candidate) -> Option<Amounts> {
    let unused_guarantee = work.remaining(work.leaf);
    if unused_guarantee.is_none() || !amounts::fits_actual(&unused_guarantee, &victim.resource) {
        work.put(victim.leaf, &victim.resource);
        return None;
    }
    work.put(work.leaf, &victim.resource);
    Some(unused_guarantee)
}

/// Moves the resources of a victim from the preempting queue back to its own.
fn give_back(work: &mut Snapshot, victim: &Candidate) {
    work.take(work.leaf, &victim.resource);
    work.put(victim.leaf, &victim.resource);
}

/// Victims on one node and the index of the last necessary one (5.5 c); `None` if the node does not qualify.
fn weigh(
    snapshot: &Snapshot,
    sorted: &[Candidate],
    available: &Amounts,
    request: &Amounts,
) -> Option<(Option<usize>, Vec<Candidate>)> {
    if amounts::fits(available, request) {
        return Some((None, Vec::new()));
    }
    let mut work = snapshot.clone();
    let mut free = *available;
    let (mut head, mut tail) = (Vec::new(), Vec::new());
    for victim in sorted {
        if !take_from(&mut work, victim, request) {
            continue;
        }
        if give_to_ask(&mut work, victim).is_none() {
            break;
        }
        let freed = amounts::sum(&free, &victim.resource);
        if amounts::equal(&shortfall(request, &free), &shortfall(request, &freed)) {
            give_back(&mut work, victim);
            tail.push(*victim);
        } else {
            free = freed;
            head.push(*victim);
        }
    }
    head.append(&mut tail);
    let mut work = snapshot.clone();
    let mut free = *available;
    let mut victims = Vec::new();
    let mut index = None;
    for victim in head {
        if !take_from(&mut work, &victim, request) {
            continue;
        }
        free.add(&victim.resource);
        victims.push(victim);
        if index.is_none() && amounts::fits(&free, request) {
            index = Some(victims.len() - 1);
        }
    }
    index.map(|index| (Some(index), victims))
}

/// Victims on other nodes, up to the whole remaining guarantee (5.5 e, Q-17); `None` if the guarantee would be
/// exceeded.
fn additional(
    snapshot: &Snapshot,
    candidates: &[Candidate],
    chosen: &[Candidate],
    request: &Amounts,
) -> Option<Vec<Candidate>> {
    let mut work = snapshot.clone();
    for victim in chosen {
        work.take(victim.leaf, &victim.resource);
    }
    let is_chosen = |c: &&Candidate| chosen.iter().any(|v| v.ask == c.ask);
    let mut others: Vec<Candidate> = candidates.iter().filter(|c| !is_chosen(c)).copied().collect();
    others.sort_by(|a, b| a.willing.additional(&b.willing));
    let mut additional = Vec::new();
    for victim in others {
        if !take_from(&mut work, &victim, request) {
            continue;
        }
        let Some(unused_guarantee) = give_to_ask(&mut work, &victim) else { break };
        if amounts::equal(&unused_guarantee, &work.remaining(work.leaf)) {
            give_back(&mut work, &victim);
        } else {
            additional.push(victim);
        }
    }
    let unused_guarantee = work.remaining(work.leaf);
    (additional.is_empty() || !unused_guarantee.is_none() && is_under(&unused_guarantee, request)).then_some(additional)
}
