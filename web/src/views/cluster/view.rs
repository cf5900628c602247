//! Cluster: one card per node, one cell per GPU; with many nodes one tile per node, grouped by free GPUs. Nodes of
//! several pools are listed pool by pool. For other resources, a node is one cell, filled by the allocations of queues.

use fairground::units::{Resource, ShownResource};
use std::collections::BTreeMap;
use std::sync::Arc;

use fairground::words::Terms;
use fairground::words::number::{amount, count, in_unit, number, unit_of, with_unit};

use crate::chart::queue_tree::Tree;
use crate::chart::table::Table;
use crate::engine::protocol::{Cell, Frame, NodeCard};
use crate::views::cluster::cards::{Card, CellMark, CellView, ClusterView, Part, Rect};

/// Above this number of GPUs, nodes are tiles.
const TILES_FROM_CELLS: usize = 320;
/// Above this number of nodes, nodes are tiles.
const TILES_FROM_NODES: usize = 48;
/// Cells per line of a card.
const PER_LINE: usize = 8;
/// Gap between cards, in pixels.
const GAP: f64 = 12.0;
/// Padding of a card, in pixels.
const PAD: f64 = 12.0;

/// Enlargements of a presented picture.
const SCALES: [f64; 6] = [2.0, 1.8, 1.6, 1.4, 1.2, 1.0];

/// The view of a frame for a width in pixels.
pub fn cluster(frame: &Frame, width: f64, resource: ShownResource) -> ClusterView {
    laid_out(frame, width, resource, false)
}

/// The view of a frame as large as a room permits; tiles where cards do not fit.
pub fn filling(frame: &Frame, (width, height): (f64, f64), resource: ShownResource) -> ClusterView {
    let views = [false, true].into_iter().flat_map(|are_tiles| {
        let scaled = move |scale| ClusterView { scale, ..laid_out(frame, width / scale, resource, are_tiles) };
        SCALES.into_iter().map(scaled)
    });
    let mut last = ClusterView::default();
    for view in views {
        let fits = view.height * view.scale <= height;
        last = view;
        if fits {
            break;
        }
    }
    last
}

fn laid_out(frame: &Frame, width: f64, resource: ShownResource, are_tiles: bool) -> ClusterView {
    let tree = Tree::new(&frame.queues);
    let shown = Shown::of(frame, resource);
    let queues: Vec<Arc<str>> = frame.queues.iter().map(|queue| queue.name.as_str().into()).collect();
    let is_owned = frame.nodes.iter().any(|node| node.owner.is_some());
    let of = |(at, node): (usize, &NodeCard)| {
        let card = card(frame, node, (&tree, &queues), &shown);
        let lent = if node.lent { " · lent" } else { "" };
        Card { at, pool: group_of(frame, node, &tree, is_owned), head: card.head + lent, ..card }
    };
    let mut cards: Vec<Card> = frame.nodes.iter().enumerate().map(of).collect();
    let cells: usize = cards.iter().map(|card| card.cells.len()).sum();
    let mut view = ClusterView {
        summary: summary(frame, &shown),
        filled_with: if shown.is_gpus() { String::new() } else { shown.unit(2.0).to_string() },
        width,
        scale: 1.0,
        cards_have_text: !are_tiles && cells <= TILES_FROM_CELLS && frame.nodes.len() <= TILES_FROM_NODES,
        marks: cards.iter().flat_map(marks).collect(),
        ..ClusterView::default()
    };
    // Owners in the order of queues, then nodes without an owner.
    let place_of = |card: &Card| {
        let node = &frame.nodes[card.at];
        let pool = frame.pools.iter().position(|pool| pool.name == node.pool);
        (pool, node.owner.unwrap_or(u32::MAX))
    };
    cards.sort_by_key(place_of);
    (view.height, view.groups) = if view.cards_have_text {
        place_cards(&mut cards, width, &shown)
    } else {
        place_tiles(&mut cards, (width, cells), &shown)
    };
    view.cards = cards;
    view
}

/// Group of a node: its pool, and its owner where queues own nodes.
fn group_of(frame: &Frame, node: &NodeCard, tree: &Tree, is_owned: bool) -> String {
    let owner = match node.owner.and_then(|owner| Some((owner, frame.queues.get(owner as usize)?))) {
        Some((owner, row)) if tree.is_leaf(owner) => format!("owned by {}", row.name),
        Some((_, row)) => format!("private pool of {}", row.name),
        None if is_owned => "public pool".into(),
        None => String::new(),
    };
    [node.pool.clone(), owner].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ")
}

fn card(frame: &Frame, node: &NodeCard, (tree, queues): (&Tree, &[Arc<str>]), shown: &Shown<'_>) -> Card {
    if !shown.is_gpus() {
        return filled(frame, node, tree, shown);
    }
    let cells: Vec<CellView> = node.cells.iter().map(|cell| cell_view(frame, cell, (tree, queues))).collect();
    let leaving: f64 =
        node.cells.iter().flat_map(|cell| &cell.pods).filter(|pod| pod.leaving).map(|pod| pod.portion).sum();
    let mut head = match (node.ready, node.cells.len()) {
        (false, _) => "down".to_string(),
        (true, 0) => count(node.cpu_pods.len() as u64, "pod"),
        (true, _) => format!("{} of {}", number(node.used[2]), number(node.capacity[2])),
    };
    if node.draining {
        head += " · draining";
    }
    if leaving > 0.0 {
        head += &format!(" · {} leaving", number(leaving));
    }
    let part = |r: usize| if node.capacity[r] > 0.0 { node.used[r] / node.capacity[r] } else { 0.0 };
    let foot = if node.used[0] > 0.0 || node.used[1] > 0.0 || node.cells.is_empty() {
        others(node, shown)
    } else {
        String::new()
    };
    let n_free = cells.iter().filter(|cell| cell.parts.is_empty()).count();
    Card {
        name: node.name.clone(),
        ready: node.ready,
        head,
        foot,
        used: (part(0), part(1)),
        cells,
        amounts: (0.0, 0.0),
        group: (n_free, format!("{n_free} free")),
        ..Card::default()
    }
}

fn cell_view(frame: &Frame, cell: &Cell, (tree, queues): (&Tree, &[Arc<str>])) -> CellView {
    let mut from = 0.0;
    let parts: Vec<Part> = cell
        .pods
        .iter()
        .map(|pod| {
            let to = f64::min(from + pod.portion, 1.0);
            let part = Part {
                tone: tree.tone(pod.queue),
                from,
                to,
                job: frame.names.shared_job_name(pod.job),
                queue: queues.get(pod.queue as usize).cloned().unwrap_or_default(),
                leaving: pod.leaving,
                starting: pod.starting,
                locked: pod.locked,
                changed: pod.changed,
            };
            from = to;
            part
        })
        .collect();
    let claim = cell.claimed.as_ref().map(|claim| (tree.tone(claim.queue), frame.names.shared_job_name(claim.job)));
    CellView { parts, claim, ..CellView::default() }
}

fn marks(card: &Card) -> Vec<CellMark> {
    let mut marks = Vec::new();
    if !card.ready {
        marks.push(CellMark::Down);
    }
    for cell in &card.cells {
        if cell.parts.is_empty() && card.ready {
            marks.push(CellMark::Free);
        }
        marks.extend(cell.claim.as_ref().map(|_| CellMark::Claimed));
        for part in &cell.parts {
            marks.extend((part.to - part.from < 0.999).then_some(CellMark::Part));
            marks.extend(part.locked.then_some(CellMark::Locked));
            marks.extend(part.leaving.then_some(CellMark::Leaving));
            marks.extend(part.starting.then_some(CellMark::Starting));
            marks.extend(part.changed.then_some(CellMark::Changed));
        }
    }
    marks
}

/// Height of a heading with the gap below it.
const HEADING: f64 = 20.0;

/// Cards in columns, pool by pool.
fn place_cards(cards: &mut [Card], width: f64, shown: &Shown<'_>) -> (f64, Vec<(f64, String)>) {
    let most = cards.iter().map(|card| card.cells.len()).max().unwrap_or(0).clamp(1, PER_LINE);
    let least = (most as f64 * 30.0 + PAD * 2.0 + 20.0).clamp(150.0, 300.0);
    let fitting = ((width + GAP) / (least + GAP)).floor() as usize;
    let columns = fitting.clamp(1, 4).min(cards.len().max(1));
    let w = ((width - GAP * (columns - 1) as f64) / columns as f64).min(520.0);
    let cell_w = (w - PAD * 2.0 - CELL_GAP * (most - 1) as f64) / most as f64;
    let large = cards.len() <= 6 && most <= 4 && cell_w >= 56.0;
    let cell_h = if large { 64.0 } else { 30.0 };
    let mut y = 0.0;
    let mut headings = Vec::new();
    for pool in cards.chunk_by_mut(|a, b| a.pool == b.pool) {
        if !pool[0].pool.is_empty() {
            y += if headings.is_empty() { 0.0 } else { 6.0 };
            headings.push((y, pool_heading(pool, shown)));
            y += HEADING;
        }
        for line in pool.chunks_mut(columns) {
            for (column, card) in line.iter_mut().enumerate() {
                place_card(card, (column as f64 * (w + GAP), y, w), (most, cell_w, cell_h));
            }
            y += line.iter().map(|card| card.place.h).fold(0.0, f64::max) + GAP;
        }
    }
    ((y - GAP).max(0.0), headings)
}

/// Gap between the cells of a card, in pixels.
const CELL_GAP: f64 = 4.0;

/// Lays out one card; `most` cells per line.
fn place_card(card: &mut Card, (x, y, w): (f64, f64, f64), (most, cell_w, cell_h): (usize, f64, f64)) {
    for (j, cell) in card.cells.iter_mut().enumerate() {
        let (line, at) = ((j / most) as f64, (j % most) as f64);
        cell.place = Rect {
            x: x + PAD + at * (cell_w + CELL_GAP),
            y: y + 32.0 + line * (cell_h + CELL_GAP),
            w: cell_w,
            h: cell_h,
        };
    }
    let lines = card.cells.len().div_ceil(most) as f64;
    let cells_h = if lines > 0.0 { lines * (cell_h + CELL_GAP) - CELL_GAP } else { 0.0 };
    let foot = if card.foot.is_empty() { 0.0 } else { 26.0 };
    card.place = Rect { x, y, w, h: 32.0 + cells_h + foot + PAD };
}

/// Lays out tiles in groups by free amount: a histogram of fragmentation.
fn place_tiles(cards: &mut [Card], (width, cells): (f64, usize), shown: &Shown<'_>) -> (f64, Vec<(f64, String)>) {
    let side = match cells {
        0..=1000 => 12.0,
        1001..=8000 => 6.0,
        _ => 4.0,
    };
    let (inner, gap) = if side > 8.0 { (2.0, 10.0) } else { (1.0, 5.0) };
    let mut groups: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
    let mut n_pools = 0;
    for (i, card) in cards.iter().enumerate() {
        n_pools += usize::from(i > 0 && cards[i - 1].pool != card.pool);
        groups.entry((n_pools, if card.ready { card.group.0 } else { usize::MAX })).or_default().push(i);
    }
    let mut y = 0.0;
    let mut headings = Vec::new();
    for ((_, free), members) in groups {
        let what = if free == usize::MAX { "down" } else { &cards[members[0]].group.1 };
        let pool = match cards[members[0]].pool.as_str() {
            "" => String::new(),
            pool => format!("{pool} · "),
        };
        headings.push((y, format!("{pool}{what} · {}", shown.nodes(members.len()))));
        y += HEADING;
        let most = members.iter().map(|i| cards[*i].cells.len()).max().unwrap_or(0).clamp(1, PER_LINE);
        let tile_w = most as f64 * (side + inner) - inner;
        let columns = (((width + gap) / (tile_w + gap)).floor() as usize).max(1);
        let lines = members.iter().map(|i| cards[*i].cells.len().div_ceil(most)).max().unwrap_or(1).max(1);
        let tile_h = lines as f64 * (side + inner) - inner;
        for (n, i) in members.iter().enumerate() {
            let x = (n % columns) as f64 * (tile_w + gap);
            let top = y + (n / columns) as f64 * (tile_h + gap);
            cards[*i].place = Rect { x, y: top, w: tile_w, h: tile_h };
            for (j, cell) in cards[*i].cells.iter_mut().enumerate() {
                cell.place = Rect {
                    x: x + (j % most) as f64 * (side + inner),
                    y: top + (j / most) as f64 * (side + inner),
                    w: side,
                    h: side,
                };
            }
        }
        y += members.len().div_ceil(columns) as f64 * (tile_h + gap) + 6.0;
    }
    (y, headings)
}

fn summary(frame: &Frame, shown: &Shown<'_>) -> String {
    let total: f64 = frame.nodes.iter().map(|node| node.capacity[shown.at]).sum();
    let used: f64 = frame.nodes.iter().map(|node| node.used[shown.at]).sum();
    let pods = || frame.nodes.iter().flat_map(|node| &node.cells).flat_map(|cell| &cell.pods);
    let holds = || frame.nodes.iter().flat_map(|node| &node.holds).filter(|held| held.leaving);
    let leaving: f64 = if shown.is_gpus() {
        pods().filter(|pod| pod.leaving).map(|pod| pod.portion).sum()
    } else {
        holds().map(|held| held.amount[shown.at]).sum()
    };
    let terms = Terms::of(&frame.policy);
    let mut said = if total > 0.0 {
        format!("{} in use", shown.part(used, total))
    } else {
        count(frame.nodes.len() as u64, terms.word("node"))
    };
    if leaving > 0.0 {
        said += &format!(", {} of them leaving", shown.amount(leaving));
    }
    let fates = frame.fates();
    let waits = |job: &&crate::engine::protocol::JobRow| job.pending > 0 && !fates.contains_key(&job.id);
    let waiting: Vec<_> = frame.jobs.iter().filter(waits).collect();
    match &waiting[..] {
        [] => {}
        [job] => said += &format!("; {} waits", job.name),
        jobs => said += &format!("; {} wait", count(jobs.len() as u64, terms.word("job"))),
    }
    match fates.iter().next() {
        Some((job, fate)) if fates.len() == 1 => said += &format!("; {} {fate}", frame.job(*job)),
        Some(_) => said += &format!("; {} failed or refused", count(fates.len() as u64, terms.word("job"))),
        None => {}
    }
    let down = frame.nodes.iter().filter(|node| !node.ready).count();
    let draining = frame.nodes.iter().filter(|node| node.draining).count();
    for (n, word) in [(down, "down"), (draining, "draining")] {
        if n > 0 {
            said += &format!("; {} {word}", count(n as u64, terms.word("node")));
        }
    }
    said
}

/// The view as a table.
pub fn table(view: &ClusterView, terms: &Terms) -> Table {
    if !view.filled_with.is_empty() {
        return filled_table(view, terms);
    }
    let rows = view.cards.iter().flat_map(|card| {
        let row = |(i, cell): (usize, &CellView)| {
            vec![card.name.clone(), (i + 1).to_string(), cell.label(), cell.state(terms)]
        };
        card.cells.iter().enumerate().map(row)
    });
    Table::new([terms.word("node"), "GPU", "holds", "GPU state"], 4, rows)
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::protocol::PoolRow;

    #[test]
    fn a_presented_cluster_fills_the_room() {
        let frame = crate::fixtures::reclaimed();
        let view = |height: f64| filling(&frame, (340.0, height), ShownResource::GPU);
        let fits = |view: &ClusterView, height: f64| view.height * view.scale <= height;
        let (large, small, tiny) = (view(600.0), view(120.0), view(1.0));
        assert!(fits(&large, 600.0) && large.scale > 1.0 && large.cards_have_text, "{}", large.scale);
        assert!(large.width * large.scale <= 340.0 + 1e-9);
        assert!(fits(&small, 120.0), "{} {}", small.height, small.scale);
        assert!(!tiny.cards_have_text, "the smallest there is");
    }

    #[test]
    fn nodes_of_several_pools_stand_pool_by_pool() {
        let node = |name: &str, pool: &str| NodeCard {
            name: name.into(),
            pool: pool.into(),
            ready: true,
            cells: vec![Cell::default(); 2],
            ..NodeCard::default()
        };
        let pools = ["fast", "slow"].map(|name| PoolRow { name: name.into(), ..PoolRow::default() });
        let nodes = vec![node("s1", "slow"), node("f1", "fast"), node("s2", "slow")];
        let frame = Frame { nodes, pools: pools.into(), ..Frame::default() };
        let view = cluster(&frame, 400.0, ShownResource::GPU);
        let names: Vec<&str> = view.cards.iter().map(|card| card.name.as_str()).collect();
        assert_eq!(names, ["f1", "s1", "s2"]);
        let headings: Vec<&str> = view.groups.iter().map(|(_, heading)| heading.as_str()).collect();
        assert_eq!(headings, ["fast · 1 node · 0 of 2 GPUs in use", "slow · 2 nodes · 0 of 4 GPUs in use"]);
        let below = |card: usize, heading: usize| view.cards[card].place.y > view.groups[heading].0;
        assert!(below(0, 0) && !below(0, 1) && below(1, 1) && below(2, 1));
        assert!(view.cards.iter().all(|card| card.place.y + card.place.h <= view.height));
    }
}
