//! Sentences about room: what a job needs, what was free, and why nodes do not take it.

use super::super::check::side;
use super::super::number::{self, amount, number, resource_name, with_unit};
use super::super::phrases::{is_of_room, nodes_because};
use super::super::text::{self, Text, joined, text};
use super::super::yunikorn;
use super::Case;
use crate::moment::{Ask, NodeCard};
use crate::trace::{Check, FreeGpus, Gate, NodeReason, Quantity, Term};
use crate::units::Resource;

impl Case<'_> {
    /// The ready nodes that the job may be offered: those of its pool, if there are several.
    fn nodes(&self) -> impl Iterator<Item = &NodeCard> {
        let pool = self.row().map_or("", |row| row.pool.as_str());
        self.frame.nodes.iter().filter(move |node| node.ready && (pool.is_empty() || node.pool == pool))
    }

    /// The missing room as a clause: *no GPU is free* if only GPUs are missing; `None`: room was not what it lacked.
    pub(super) fn no_room(&self) -> Option<String> {
        let was_tried = std::iter::once(&self.refusal.gate)
            .chain(&self.refusal.also)
            .any(|gate| matches!(gate, Gate::NoNode { .. }));
        if self.lacks_gpus() {
            Some(format!("no GPU is free{}", within(self.reasons())))
        } else {
            was_tried.then(|| "no [node] that it may use has room".into())
        }
    }

    /// Whether it needs GPUs and none was free on the nodes that it may use.
    pub(super) fn lacks_gpus(&self) -> bool {
        self.refusal.free().is_some_and(|free| free.total <= 0.0) && self.row().is_some_and(|row| row.gpus > 0.0)
    }

    /// The reasons of the nodes that were tried.
    fn reasons(&self) -> &[(NodeReason, u32)] {
        let mut gates = std::iter::once(&self.refusal.gate).chain(&self.refusal.also);
        let of_nodes = gates.find_map(|gate| match gate {
            Gate::NoNode { reasons, .. } => Some(reasons.as_slice()),
            _ => None,
        });
        of_nodes.unwrap_or_default()
    }

    /// *All 12 GPUs are in use*, if GPUs are missing and no node was excluded.
    pub(super) fn in_use(&self) -> Option<String> {
        if self.reasons().iter().any(|(reason, _)| excludes(*reason)) {
            return None;
        }
        let all: f64 = self.nodes().map(|node| node.capacity[2]).sum();
        let text = match all {
            all if all <= 0.0 => return None,
            1.0 => "the only GPU is in use".to_string(),
            _ => format!("all {} are in use", with_unit(Resource::GPU, all)),
        };
        self.lacks_gpus().then_some(text)
    }

    pub(super) fn too_large(&self, resource: Resource) -> Text {
        let is_size = |check: &&Check| matches!(check.right.quantity, Quantity::Capacity | Quantity::LargestNode);
        if let Some(check) = self.refusal.checks.iter().find(is_size) {
            return self.larger_than_its_nodes(check);
        }
        // The page numbers named resources after CPU, memory and GPUs.
        let largest_of = |index: usize| self.frame.nodes.iter().map(|node| node.capacity[index]).fold(0.0, f64::max);
        let more = |name: &str, largest: String| {
            text!(
                "{job} cannot start: a [pod] of it needs more {name} than any [node] has; the largest [node] has {largest}.",
                [job = self.job(), name = text::name(name), largest]
            )
        };
        if let Some(name) = resource.nth_named().and_then(|n| self.frame.named.get(n)) {
            return more(name, number::number(largest_of(resource.index())));
        }
        let r = self.resource(Some(resource));
        more(resource_name(r), amount(r, largest_of(r.index())))
    }

    /// The request of a pod against the largest node that it may use.
    fn larger_than_its_nodes(&self, check: &Check) -> Text {
        let named = check.subject.resource.and_then(Resource::nth_named).and_then(|n| self.frame.named.get(n));
        let r = self.resource(check.subject.resource);
        let amount_of = |term: &Term| match named {
            Some(_) => number::number(side(&term.value, Resource::GPU).unwrap_or_default()),
            None => with_unit(r, side(&term.value, r).unwrap_or_default()),
        };
        let (requested, largest) = (amount_of(&check.left), amount_of(&check.right));
        let unit = named.map(|name| text!(" {name}", [name = text::name(name)]));
        let usable = if check.right.quantity == Quantity::LargestNode { "" } else { " that it may use" };
        text!(
            "{job} cannot start: a [pod] of it needs {requested}{unit}; the largest [node]{usable} has {largest}.",
            [job = self.job(), requested, unit, usable, largest]
        )
    }

    /// The missing room when nodes were tried, as the first half of a sentence.
    pub(super) fn short_of(&self) -> String {
        let tried = self.refusal.also.iter().find_map(|gate| match gate {
            Gate::NoNode { of: n_pods, free: Some(free), reasons, .. } => Some((*n_pods, free.total, reasons)),
            _ => None,
        });
        let Some((n_pods, total, reasons)) = tried else { return String::new() };
        let place = within(reasons);
        match self.asks(n_pods) {
            Some(_) if total <= 0.0 => format!("no GPU is free{place}, and "),
            Some(asks) if total < asks.total() => {
                let (needs, were) = (with_unit(Resource::GPU, asks.total()), if total == 1.0 { "was" } else { "were" });
                format!("it needs {needs} and only {} {were} free{place}, and ", number(total))
            }
            _ => "no [node] has room, and ".into(),
        }
    }

    /// The GPUs that as many of its pending pods request, 0 standing for all of them; `None`: they need none, or it is
    /// unknown which of unlike pods are meant.
    fn asks(&self, n_pods: u32) -> Option<Asks<'_>> {
        let row = self.row()?;
        let n_pods = if n_pods == 0 { row.pending } else { n_pods };
        let alike = match row.asks.as_slice() {
            [one] => *one,
            // The pod that was tried has recorded its request.
            _ if n_pods == 1 => {
                let request = self.check(Quantity::Request)?;
                Ask { pods: 1, gpus: side(&request.left.value, Resource::GPU)? }
            }
            all if n_pods == row.pending && all.iter().any(|ask| ask.gpus > 0.0) => {
                return Some(Asks::Unlike(all));
            }
            _ => return None,
        };
        (alike.gpus > 0.0).then_some(Asks::Alike(Ask { pods: n_pods, ..alike }))
    }

    /// Needed against free GPUs at the attempt; `None`: its pods need none, the numbers are unknown, or GPUs are not
    /// what it lacks.
    fn needs(&self, n_pods: u32, place: &str) -> Option<String> {
        let (asks, FreeGpus { total, most }) = (self.asks(n_pods)?, self.refusal.free()?);
        if asks.total() <= total && asks.most() <= most {
            return None;
        }
        let are = if total == 1.0 || total <= 0.0 { "was" } else { "were" };
        if total <= 0.0 {
            return Some(format!("no GPU {are} free{place}"));
        }
        let (total, most) = (number(total), number(most));
        Some(format!("{}; {total} {are} free{place}, at most {most} on one [node]", asks.says()))
    }

    pub(super) fn no_node(
        &self,
        (placed, n_pods): (u32, u32),
        reasons: &[(NodeReason, u32)],
        free: Option<FreeGpus>,
    ) -> Text {
        let job = self.job();
        if let Some(reserved) = yunikorn::reserved(self.frame, self.refusal, reasons) {
            return text!("{job} is waiting: {reserved}.", [job, reserved]);
        }
        let lacks_gpus = reasons.iter().any(|(reason, _)| *reason == NodeReason::Insufficient(Resource::GPU));
        let needs = self.needs(n_pods, within(reasons)).filter(|_| lacks_gpus || reasons.is_empty());
        let needs = needs.unwrap_or_else(|| no_node_for(reasons).into());
        let could = if placed > 0 && n_pods > 1 && free.is_some() && lacks_gpus {
            format!(" ({placed} of {n_pods} [pods] could be placed)")
        } else {
            String::new()
        };
        if reasons.iter().all(|(_, n)| *n == 0) {
            return text!("{job} is waiting: {needs}{could}.", [job, needs, could]);
        }
        let checked = joined(reasons.iter().map(|reason| nodes_because(self.frame, reason)), ", ");
        text!("{job} is waiting: {needs}{could}. [Nodes] checked: {checked}.", [job, needs, could, checked])
    }
}

/// Why no node takes a pod, if not for lack of GPUs.
fn no_node_for(reasons: &[(NodeReason, u32)]) -> &'static str {
    if is_of_room(reasons) { "no [node] that it may use has room" } else { "it may not use any [node]" }
}

/// Whether a job may not use a node, however much room it has.
fn excludes(reason: NodeReason) -> bool {
    use NodeReason::{Gate, Held, NotReady, OtherPool, Selector, Taint};
    matches!(reason, NotReady | Selector | Taint | Held | OtherPool | Gate)
}

/// *on the nodes that it may use*, if it may not use all of those that were checked.
fn within(reasons: &[(NodeReason, u32)]) -> &'static str {
    if reasons.iter().any(|(reason, _)| excludes(*reason)) { " on the [nodes] that it may use" } else { "" }
}

/// GPUs that pods request.
enum Asks<'a> {
    /// All of them the same.
    Alike(Ask),
    /// Different ones.
    Unlike(&'a [Ask]),
}

impl Asks<'_> {
    fn total(&self) -> f64 {
        let gpus_of = |ask: &Ask| ask.gpus * f64::from(ask.pods);
        match self {
            Asks::Alike(ask) => gpus_of(ask),
            Asks::Unlike(asks) => asks.iter().map(gpus_of).sum(),
        }
    }

    /// The most that one pod requests.
    fn most(&self) -> f64 {
        match self {
            Asks::Alike(ask) => ask.gpus,
            Asks::Unlike(asks) => asks.iter().map(|ask| ask.gpus).fold(0.0, f64::max),
        }
    }

    /// *it needs 5 GPUs for 4 pods (3 × 1, 1 × 2)*
    fn says(&self) -> String {
        match self {
            Asks::Alike(Ask { pods: 1, gpus }) => {
                format!("it needs {} on one [node]", with_unit(Resource::GPU, *gpus))
            }
            Asks::Alike(Ask { pods, gpus }) => {
                format!("it needs {} for each of {pods} [pods]", with_unit(Resource::GPU, *gpus))
            }
            Asks::Unlike(asks) => {
                let pods: u32 = asks.iter().map(|ask| ask.pods).sum();
                let each: Vec<String> = asks.iter().map(|ask| format!("{} × {}", ask.pods, number(ask.gpus))).collect();
                format!("it needs {} for {pods} [pods] ({})", with_unit(Resource::GPU, self.total()), each.join(", "))
            }
        }
    }
}
