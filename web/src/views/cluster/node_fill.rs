//! Cluster for resources other than GPUs: a node is one cell, filled by the allocations of queues.

use fairground::units::{Resource, ShownResource};
use fairground::words::Terms;
use fairground::words::number::{amount, count, in_unit, number, unit_of, with_unit};

use super::cards::{Card, CellView, ClusterView, Part};
use crate::chart::queue_tree::Tree;
use crate::chart::table::Table;
use crate::engine::protocol::{Frame, NodeCard};

/// The shown resource.
pub(super) struct Shown<'a> {
    resource: Resource,
    /// Index in amounts.
    pub at: usize,
    pub named: &'a [String],
    terms: &'static Terms,
}

impl<'a> Shown<'a> {
    /// The resource to show; GPUs for dominant shares.
    pub fn of(frame: &'a Frame, resource: ShownResource) -> Shown<'a> {
        let resource = resource.counted();
        Shown { resource, at: resource.index(), named: &frame.named, terms: Terms::of(&frame.policy) }
    }
    /// `3 nodes`, with the policy's term.
    pub fn nodes(&self, n: usize) -> String {
        count(n as u64, self.terms.word("node"))
    }
    pub fn is_gpus(&self) -> bool {
        self.resource == Resource::GPU
    }
    pub fn unit(&self, n: f64) -> &str {
        unit_of(self.named, self.resource, n)
    }
    pub fn amount(&self, base: f64) -> String {
        amount(self.resource, base)
    }
    /// `12 of 64 cores`
    pub fn part(&self, held: f64, there: f64) -> String {
        let unit = self.unit(in_unit(self.resource, there));
        format!("{} of {} {unit}", self.amount(held), self.amount(there))
    }
}

/// CPU, memory and named resources of a node: allocated of total.
pub(super) fn others(node: &NodeCard, shown: &Shown<'_>) -> String {
    let mut said = format!(
        "CPU {} of {} · memory {} of {}",
        amount(Resource::CPU, node.used[0]),
        amount(Resource::CPU, node.capacity[0]),
        amount(Resource::MEMORY, node.used[1]),
        with_unit(Resource::MEMORY, node.capacity[1])
    );
    for (name, at) in shown.named.iter().zip(3..).filter(|(_, at)| node.capacity[*at] > 0.0) {
        said += &format!(" · {name} {} of {}", number(node.used[at]), number(node.capacity[at]));
    }
    said
}

/// Groups of tiles by free fraction.
const FREE: [&str; 5] = ["full", "up to 25 % free", "up to 50 % free", "up to 75 % free", "more than 75 % free"];

/// A node as one cell, filled by the allocations of queues.
pub(super) fn filled(frame: &Frame, node: &NodeCard, tree: &Tree, shown: &Shown<'_>) -> Card {
    let (held, there) = (node.used[shown.at], node.capacity[shown.at]);
    let whole = there.max(held).max(1e-9);
    let mut from = 0.0;
    let mut says = Vec::new();
    let mut parts = Vec::new();
    for held in node.holds.iter().filter(|held| held.amount[shown.at] > 0.0) {
        let queue = frame.queues.get(held.queue as usize).map_or_else(String::new, |row| row.name.clone());
        let to = f64::min(from + held.amount[shown.at] / whole, 1.0);
        let leaving = if held.leaving { ", leaving" } else { "" };
        says.push(format!("{queue} {}{leaving}", shown.amount(held.amount[shown.at])));
        let tone = tree.tone(held.queue);
        parts.push(Part { tone, from, to, job: queue.into(), leaving: held.leaving, ..Part::default() });
        from = to;
    }
    says.push(format!("{} free", shown.amount((there - held).max(0.0))));
    let head = if node.ready { shown.part(held, there) } else { "down".into() };
    let free = 1.0 - held / whole;
    let quarter = if there > 0.0 { ((free * 4.0).ceil() as usize).min(4) } else { 0 };
    let cell = CellView { parts, holds: says.join(", "), ..CellView::default() };
    Card {
        name: node.name.clone(),
        ready: node.ready,
        head,
        cells: vec![cell],
        amounts: (held, there),
        group: (quarter, FREE[quarter].into()),
        ..Card::default()
    }
}

/// The nodes as a table.
pub(super) fn filled_table(view: &ClusterView, terms: &Terms) -> Table {
    let unit = &view.filled_with;
    let row = |card: &Card| {
        let holds = card.cells.first().map_or(String::new(), |cell| cell.state(terms));
        vec![card.name.clone(), card.head.clone(), holds]
    };
    let head: [String; 3] = [terms.word("node").into(), format!("held, {unit}"), "by".into()];
    Table::new(head, 3, view.cards.iter().map(row))
}

/// Name and utilisation of a pool.
pub(super) fn pool_heading(cards: &[Card], shown: &Shown<'_>) -> String {
    if !shown.is_gpus() {
        let sum = |of: fn(&Card) -> f64| cards.iter().map(of).sum();
        let in_use = shown.part(sum(|card| card.amounts.0), sum(|card| card.amounts.1));
        return format!("{} · {} · {in_use} in use", cards[0].pool, shown.nodes(cards.len()));
    }
    let cells = || cards.iter().flat_map(|card| &card.cells);
    let held = cells().filter(|cell| !cell.parts.is_empty()).count();
    let nodes = shown.nodes(cards.len());
    format!("{} · {nodes} · {held} of {} in use", cards[0].pool, with_unit(Resource::GPU, cells().count() as f64))
}
