//! Tree: queues inside their parents, with widths by a measure; what no child has stays empty.

use fairground::units::ShownResource;
use std::collections::BTreeMap;

use fairground::id::QueueId;
use fairground::words::number::{amount, count, in_unit, number, unit_of};
use fairground::words::{Selection, Terms, capital};

use crate::chart::alternative::{self, Alternative};
use crate::chart::counted_in::{CountedIn, total_in};
use crate::chart::queue_tree::{Tone, Tree};
use crate::chart::selection::selected_queue;
use crate::chart::table::Table;
use crate::engine::protocol::{Frame, PriorityRow};

/// Measure of a queue's width.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Measure {
    /// Its fair share, or its quota where the policy has none.
    #[default]
    Share,
    /// Allocated amount.
    Allocated,
    Quota,
    /// Number of leaf queues; blocks are labelled with priorities. Only for policies with queue priorities.
    Priority,
}

/// The measures with their names, in order.
const MEASURES: [(Measure, &str); 4] = [
    (Measure::Priority, "priority"),
    (Measure::Share, "fair share"),
    (Measure::Allocated, "allocated"),
    (Measure::Quota, "quota"),
];

/// The measures available in a frame with their names, the default first.
pub fn measures(frame: Option<&Frame>) -> &'static [(Measure, &'static str)] {
    let has_priorities = frame.is_some_and(|frame| frame.queues.iter().any(|row| row.priority.is_some()));
    if has_priorities { &MEASURES } else { &MEASURES[1..] }
}

/// A queue in the picture.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block {
    /// Index of the queue; `None`: the cluster.
    pub queue: Option<u32>,
    /// Index of the parent, if any.
    pub above: Option<u32>,
    /// The queue at which merged blocks open; empty: none.
    pub leads_to: String,
    pub name: String,
    /// The same with the display name behind it, as long as there is room for it.
    pub long_name: String,
    pub tone: Tone,
    /// 0 for the cluster.
    pub depth: u32,
    /// Left edge, as a fraction of the whole width.
    pub x: f64,
    /// Width, as a fraction of the whole width.
    pub w: f64,
    /// Value of the measure, in the unit of the resource; infinite if unlimited.
    pub has: f64,
    /// Long and short label below the name.
    pub label: [String; 2],
    /// Priorities of its descendants are not passed to its parent.
    pub is_fence: bool,
    /// Selected, or an ancestor of the selection.
    pub on_path: bool,
    /// Description.
    pub says: String,
    /// Left edge and width in the alternative, if the value differs.
    pub alternative: Option<(f64, f64)>,
}

/// View model of Tree.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TreeView {
    /// Summary sentence.
    pub summary: String,
    /// Number of levels.
    pub levels: u32,
    /// Blocks in preorder.
    pub blocks: Vec<Block>,
    /// The view as a table.
    pub table: Table,
    /// Whether the alternative is the baseline before an edit; `None` without an alternative.
    pub alternative: Option<bool>,
}

/// The view of a frame.
/// Long because it fills in every field of a block.
pub fn tree(frame: &Frame, selection: Option<&Selection>, resource: ShownResource, measure: Measure) -> TreeView {
    let tree = Tree::new(&frame.queues);
    let leaves = leaves(frame, &tree);
    let amount_of = |queue: u32| {
        let row = &frame.queues[queue as usize];
        let unit = CountedIn::of_queue(resource, row, &frame.total);
        let base = match measure {
            Measure::Priority => return leaves[queue as usize],
            Measure::Allocated => Some(unit.base(&row.allocated)),
            Measure::Quota => unit.bound(&row.quota),
            Measure::Share => unit.bound(row.fair_share.as_ref().unwrap_or(&row.quota)),
        };
        base.map_or(f64::INFINITY, |base| in_unit(resource, base))
    };
    let word = MEASURES.iter().find(|(this, _)| *this == measure).map_or("", |(_, name)| name);
    let word = Terms::of(&frame.policy).word_apart(word);
    let path = path(frame, selected_queue(frame, selection));
    let by_priority = measure == Measure::Priority;
    let tops = || tree.tops().iter().map(|&top| leaves[top as usize]).sum();
    let capacity = total_in(resource, &frame.total);
    let total = if by_priority { tops() } else { in_unit(resource, capacity) };
    let total_text = amount(resource, capacity);
    let mut blocks = vec![Block {
        name: "cluster".into(),
        long_name: "cluster".into(),
        w: 1.0,
        has: total,
        says: format!("cluster: {total_text} {}", unit_of(&frame.named, resource, total)),
        label: if by_priority { Default::default() } else { [total_text.clone(), total_text] },
        ..Block::default()
    }];
    let mut at = 0;
    while let Some(parent) = blocks.get(at).cloned() {
        at += 1;
        let children = parent.queue.map_or(tree.tops(), |queue| tree.children(queue));
        let amounts: Vec<f64> = children.iter().map(|&child| amount_of(child).min(total)).collect();
        let sum: f64 = amounts.iter().sum();
        // Children may exceed the parent's value; then all are scaled down.
        let whole = sum.max(if parent.has.is_finite() { parent.has } else { total });
        let mut x = parent.x;
        for (&child, has) in children.iter().zip(amounts) {
            let row = &frame.queues[child as usize];
            let w = if whole > 0.0 { parent.w * has / whole } else { 0.0 };
            let full = amount_of(child);
            let has_text = if full.is_finite() { number(full) } else { "unlimited".into() };
            let label = if full.is_finite() { has_text.clone() } else { "∞".into() };
            let priority = row.priority.filter(|_| by_priority);
            let long_name = long_name(frame, child);
            blocks.push(Block {
                queue: Some(child),
                above: parent.queue,
                leads_to: row.name.clone(),
                name: row.name.clone(),
                long_name: long_name.clone(),
                tone: tree.tone(child),
                depth: parent.depth + 1,
                x,
                w,
                has: full,
                on_path: path.contains(&child),
                label: priority.map_or([label.clone(), label], |priority| priority_label(&priority)),
                is_fence: priority.is_some_and(|priority| priority.fence),
                alternative: None,
                says: match priority {
                    Some(priority) => format!("{long_name}: {}", priority_says(&priority)),
                    None => format!("{long_name}: {word} {has_text} of {}", number(parent.has)),
                },
            });
            x += w;
        }
    }
    if by_priority { by_priorities(frame, blocks) } else { by_share(frame, blocks, resource, word) }
}

/// Name of a queue, with its display name if it has one.
fn long_name(frame: &Frame, queue: u32) -> String {
    let name = &frame.queues[queue as usize].name;
    match frame.names.display_name(QueueId(queue)) {
        "" => name.clone(),
        called => format!("{name} ({called})"),
    }
}

/// Narrower blocks are merged with their neighbours, in pixels.
const NARROW: f64 = 4.0;

/// The blocks to draw at a width in pixels: narrow neighbours with the same parent are merged into one block that opens
/// the parent.
pub fn merge_narrow(view: &TreeView, width: f64) -> Vec<Block> {
    let mut seen: Vec<Block> = Vec::new();
    // Number of merged blocks; 0 for an unmerged one.
    let mut n = 0u64;
    for block in &view.blocks {
        let is_narrow = block.queue.is_some() && !block.on_path && block.w * width < NARROW;
        match seen.last_mut() {
            Some(run) if is_narrow && n > 0 && (run.depth, run.above) == (block.depth, block.above) => {
                n += 1;
                run.w = block.x + block.w - run.x;
                run.has += block.has;
                run.name = format!("{n} more");
                run.long_name.clone_from(&run.name);
                run.label = [number(run.has), String::new()];
                let above = run.above.and_then(|above| view.blocks.iter().find(|b| b.queue == Some(above)));
                run.leads_to = above.map_or(String::new(), |above| above.name.clone());
                run.queue = None;
                (run.alternative, run.is_fence) = (None, false);
                run.says = format!("{n}, each too narrow to be seen: {} in all", number(run.has));
            }
            _ => {
                n = u64::from(is_narrow);
                seen.push(block.clone());
            }
        }
    }
    seen
}

/// Number of leaf queues below each queue.
fn leaves(frame: &Frame, tree: &Tree) -> Vec<f64> {
    let mut leaves = vec![0.0; frame.queues.len()];
    for at in 0..frame.queues.len() as u32 {
        if tree.is_leaf(at) {
            path(frame, Some(at)).into_iter().for_each(|above| leaves[above as usize] += 1.0);
        }
    }
    leaves
}

fn or_none(priority: Option<i32>) -> String {
    priority.map_or("none".into(), |priority| number(f64::from(priority)))
}

/// A queue's priority in short: the value compared with siblings, and its origin.
fn priority_label(row: &PriorityRow) -> [String; 2] {
    let (effective, offset) = (or_none(row.effective), number(f64::from(row.offset)));
    let long = match row.raw {
        Some(raw) if row.fence => format!("{effective} (fence, {} below)", number(f64::from(raw))),
        Some(raw) if row.offset > 0 => format!("{effective} = {} + {offset}", number(f64::from(raw))),
        Some(raw) if row.offset < 0 => {
            format!("{effective} = {} − {}", number(f64::from(raw)), number(f64::from(row.offset).abs()))
        }
        _ => effective.clone(),
    };
    [long, if row.effective.is_some() { effective } else { "–".into() }]
}

/// The same in words.
fn priority_says(row: &PriorityRow) -> String {
    let offset = number(f64::from(row.offset));
    match row.raw {
        None => format!("nothing outstanding, so no priority; offset {offset}"),
        Some(raw) if row.fence => {
            let raw = number(f64::from(raw));
            format!("priority {}, its offset: it is a fence and stops the {raw} from below", or_none(row.effective))
        }
        Some(raw) => {
            let raw = number(f64::from(raw));
            format!("priority {}: {raw} from below, offset {offset}", or_none(row.effective))
        }
    }
}

/// The view of blocks labelled with priorities.
fn by_priorities(frame: &Frame, blocks: Vec<Block>) -> TreeView {
    let terms = Terms::of(&frame.policy);
    let head = [terms.word("queue"), "inside", "from below", "offset", "fence", "among siblings"];
    let rows = blocks.iter().filter_map(|block| {
        let queue = &frame.queues[block.queue? as usize];
        let row = queue.priority?;
        let above = queue.parent.and_then(|above| frame.queues.get(above as usize));
        Some(vec![
            block.name.clone(),
            above.map_or("cluster".into(), |above| above.name.clone()),
            or_none(row.raw),
            number(f64::from(row.offset)),
            if row.fence { "yes" } else { "no" }.into(),
            or_none(row.effective),
        ])
    });
    let table = Table::new(head, 2, rows);
    let highest = frame.queues.iter().filter(|row| row.parent.is_none());
    let highest = highest.filter_map(|row| Some((row.priority?.effective?, row))).max_by_key(|(p, _)| *p);
    let n_fences = blocks.iter().filter(|block| block.is_fence).count() as u64;
    let first = highest.map_or("nothing is outstanding".into(), |(priority, row)| {
        format!("highest at the top: {} of {}", number(f64::from(priority)), row.name)
    });
    TreeView {
        summary: format!("priority; {first}; {}", count(n_fences, "fence")),
        levels: blocks.iter().map(|block| block.depth + 1).max().unwrap_or(1),
        table,
        blocks,
        ..TreeView::default()
    }
}

/// Adds the same tree in an alternative frame, where values differ.
pub fn with_alternative(mut view: TreeView, other: &TreeView, alternative: Alternative<'_>) -> TreeView {
    let mut differences = Vec::new();
    // The table has no row for the cluster.
    let cells = |view: &TreeView| view.table.rows.iter().filter_map(|row| row.last().cloned()).collect::<Vec<_>>();
    let (now, was) = (cells(&view), cells(other));
    let mut beside = Vec::new();
    let others = other.blocks.iter().filter(|block| block.queue.is_some()).zip(&was);
    let others: BTreeMap<&str, (&Block, &String)> =
        others.map(|(block, cell)| (block.name.as_str(), (block, cell))).collect();
    let lines = view.blocks.iter_mut().filter(|block| block.queue.is_some());
    for (block, here) in lines.zip(&now) {
        let Some((same, there)) = others.get(block.name.as_str()).copied() else {
            beside.push("–".to_string());
            continue;
        };
        beside.push(there.clone());
        if here == there {
            continue;
        }
        block.alternative = Some((same.x, same.w));
        block.says += &format!("; {}: {there}", alternative.lead());
        differences.push(format!("{} {}", block.name, alternative.beside(here, there)));
    }
    if let Some(caption) = view.table.head.last().filter(|_| !differences.is_empty()) {
        let caption = format!("{caption} ({})", alternative.word());
        view.table.head.push(caption);
        view.table.rows.iter_mut().zip(beside).for_each(|(row, cell)| row.push(cell));
        view.alternative = Some(alternative.changed.is_some());
    }
    let said = alternative::first_few(differences, "the same here");
    view.summary += &format!(". {}: {said}.", alternative.opening());
    view
}

/// The view with summary and table of the blocks.
fn by_share(frame: &Frame, blocks: Vec<Block>, resource: ShownResource, word: &str) -> TreeView {
    let capacity = total_in(resource, &frame.total);
    let total = in_unit(resource, capacity);
    let terms = Terms::of(&frame.policy);
    let head =
        [terms.word("queue").to_string(), "inside".into(), format!("{word}, {}", unit_of(&frame.named, resource, 2.0))];
    let parent = |block: &Block| {
        let above = block.queue.and_then(|queue| frame.queues.get(queue as usize)?.parent);
        above.and_then(|above| frame.queues.get(above as usize)).map_or("cluster".into(), |row| row.name.clone())
    };
    let rows = blocks.iter().skip(1).map(|block| vec![block.name.clone(), parent(block), number(block.has)]);
    let allotted: f64 = blocks.iter().filter(|block| block.depth == 1).map(|block| block.has.min(total)).sum();
    TreeView {
        summary: format!(
            "{} of the {}: {} of {} {}; {} on {}",
            capital(word),
            terms.word("top-level queues"),
            number(allotted),
            amount(resource, capacity),
            unit_of(&frame.named, resource, total),
            count(frame.queues.len() as u64, terms.word("queue")),
            count(blocks.iter().map(|block| u64::from(block.depth)).max().unwrap_or(0), "level")
        ),
        levels: blocks.iter().map(|block| block.depth + 1).max().unwrap_or(1),
        table: Table::new(head, 2, rows),
        blocks,
        ..TreeView::default()
    }
}

/// A queue and its ancestors.
fn path(frame: &Frame, queue: Option<u32>) -> Vec<u32> {
    let mut path = Vec::new();
    let mut at = queue;
    while let Some(here) = at.filter(|here| !path.contains(here)) {
        path.push(here);
        at = frame.queues.get(here as usize).and_then(|row| row.parent);
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::protocol::QueueRow;
    use fairground::policy::Policy;

    fn queue(name: &str, parent: Option<u32>, share: f64) -> QueueRow {
        QueueRow {
            name: name.into(),
            parent,
            fair_share: Some([Some(0.0), Some(0.0), Some(share)]),
            ..QueueRow::default()
        }
    }

    #[test]
    fn children_lie_inside_their_parents() {
        let frame = Frame {
            total: [0.0, 0.0, 8.0].into(),
            queues: vec![
                queue("a", None, 6.0),
                queue("a1", Some(0), 4.0),
                queue("a2", Some(0), 1.0),
                queue("b", None, 4.0),
                QueueRow { fair_share: Some([None; 3]), ..queue("b1", Some(3), 0.0) },
            ],
            ..Frame::default()
        };
        let view = tree(&frame, Some(&Selection::Queue("a2".into())), ShownResource::GPU, Measure::Share);
        let block = |name: &str| view.blocks.iter().find(|block| block.name == name).expect("a block");
        for child in view.blocks.iter().filter(|block| block.queue.is_some()) {
            let parent = frame.queues[child.queue.expect("a queue") as usize].parent;
            let parent = block(parent.map_or("cluster", |at| &frame.queues[at as usize].name));
            assert!(child.x >= parent.x - 1e-9 && child.x + child.w <= parent.x + parent.w + 1e-9, "{}", child.name);
            assert_eq!(child.depth, parent.depth + 1);
        }
        assert!((block("a").w - 0.6).abs() < 1e-9, "6 and 4 on 8: both shrink");
        assert!((block("a1").w - 0.4).abs() < 1e-9 && (block("a2").w - 0.1).abs() < 1e-9);
        assert!((block("b1").w - block("b").w).abs() < 1e-9, "unlimited is all of the parent");
        let marked: Vec<&str> =
            view.blocks.iter().filter(|block| block.on_path).map(|block| block.name.as_str()).collect();
        assert_eq!(marked, ["a", "a2"]);
        assert_eq!(view.table.rows.len(), 5);
    }
    #[test]
    fn what_is_too_narrow_is_seen_together() {
        let mut queues = vec![queue("root", None, 100.0), queue("wide", Some(0), 50.0)];
        queues.extend((0..50).map(|i| queue(&format!("q{i}"), Some(0), 1.0)));
        let frame = Frame { total: [0.0, 0.0, 100.0].into(), queues, ..Frame::default() };
        let names = |selected: Option<&str>, width: f64| -> Vec<(String, String)> {
            let selection = selected.map(|name| Selection::Queue(name.into()));
            let view = tree(&frame, selection.as_ref(), ShownResource::GPU, Measure::Share);
            let seen = merge_narrow(&view, width);
            assert!((seen.iter().filter(|b| b.depth == 2).map(|b| b.w).sum::<f64>() - 1.0).abs() < 1e-9);
            seen.into_iter().skip(2).map(|block| (block.name, block.leads_to)).collect()
        };
        let pair = |name: &str, to: &str| (name.to_string(), to.to_string());
        assert_eq!(names(None, 500.0).len(), 51, "five pixels each");
        assert_eq!(names(None, 200.0), [pair("wide", "wide"), pair("50 more", "root")]);
        // The selected queue is revealed in place.
        let around = [pair("wide", "wide"), pair("20 more", "root"), pair("q20", "q20"), pair("29 more", "root")];
        assert_eq!(names(Some("q20"), 200.0), around);
    }

    #[test]
    fn priorities_and_what_stops_them() {
        let with = |row: QueueRow, raw: Option<i32>, offset: i32, fence: bool, effective: Option<i32>| QueueRow {
            priority: Some(PriorityRow { raw, offset, fence, effective }),
            ..row
        };
        let policy = Policy::ALL.iter().find(|policy| policy.supports.queue_priorities);
        let frame = Frame {
            policy: policy.expect("a policy with priorities of queues").key.into(),
            queues: vec![
                with(queue("tenants", None, 0.0), Some(10), 0, true, Some(0)),
                with(queue("tenant-a", Some(0), 0.0), Some(8), 2, false, Some(10)),
                with(queue("idle", Some(0), 0.0), None, -5, true, None),
                with(queue("system", None, 0.0), Some(3), -1000, false, Some(-997)),
            ],
            ..Frame::default()
        };
        assert_eq!(measures(Some(&frame))[0].0, Measure::Priority);
        assert_eq!(measures(Some(&Frame::default()))[0].0, Measure::Share);
        let view = tree(&frame, None, ShownResource::GPU, Measure::Priority);
        let labels: Vec<_> =
            view.blocks.iter().map(|block| (block.label[0].as_str(), block.label[1].as_str())).collect();
        let (fence, sum) = ("0 (fence, 10 below)", "10 = 8 + 2");
        assert_eq!(labels, [("", ""), (fence, "0"), ("−997 = 3 − 1,000", "−997"), (sum, "10"), ("none", "–")]);
        // Widths depend on the number of leaves, not on guarantees.
        let widths: Vec<i64> = view.blocks.iter().map(|block| (block.w * 6.0).round() as i64).collect();
        assert_eq!(widths, [6, 4, 2, 2, 2]);
        assert_eq!(view.blocks[1].says, "tenants: priority 0, its offset: it is a fence and stops the 10 from below");
        assert_eq!(view.summary, "priority; highest at the top: 0 of tenants; 2 fences");
        assert_eq!(view.table.rows[2], ["tenant-a", "tenants", "8", "2", "no", "10"].map(String::from));
    }
}
