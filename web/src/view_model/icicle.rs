//! Tree: queues inside their parents, as wide as what they have; what no child has stays empty.

use super::Table;
use super::number::{amount, count, in_unit, number, unit, with_unit};
use super::queues::{Tone, Tree};
use super::shares::selected_queue;
use crate::engine::protocol::{Frame, QueueRow};
use crate::model::{Selection, Terms};

/// What the width of a queue stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Measure {
    /// Its fair share, or its quota where the policy has none.
    #[default]
    Share,
    /// What it holds.
    Allocated,
    /// Its quota.
    Quota,
}

/// The measures with their names, in order.
pub const MEASURES: [(Measure, &str); 3] =
    [(Measure::Share, "fair share"), (Measure::Allocated, "allocated"), (Measure::Quota, "quota")];

/// A queue in the picture.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block {
    /// Position of the queue; `None`: the cluster.
    pub queue: Option<u32>,
    /// Name.
    pub name: String,
    /// Colour.
    pub tone: Tone,
    /// 0 for the cluster.
    pub depth: u32,
    /// Left edge, as a part of the whole width.
    pub x: f64,
    /// Width, as a part of the whole width.
    pub w: f64,
    /// What it has, in the unit of the resource; infinite if unlimited.
    pub has: f64,
    /// It is selected, or above what is selected.
    pub on_path: bool,
    /// What it is, as a sentence.
    pub says: String,
}

/// What Tree draws.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IcicleView {
    /// One sentence about it.
    pub summary: String,
    /// Number of levels.
    pub levels: u32,
    /// From the root down, parents before their children.
    pub blocks: Vec<Block>,
    /// The same as a table.
    pub table: Table,
}

/// What Tree draws of a frame.
pub fn icicle(frame: &Frame, selection: Option<&Selection>, resource: u8, measure: Measure) -> IcicleView {
    let frame = &*super::dominant::seen(frame, resource);
    let r = usize::from(resource.min(2));
    let of = |row: &QueueRow| {
        let base = match measure {
            Measure::Allocated => Some(row.allocated[r]),
            Measure::Quota => row.quota[r],
            Measure::Share => row.fair_share.as_ref().unwrap_or(&row.quota)[r],
        };
        base.map_or(f64::INFINITY, |base| in_unit(resource, base))
    };
    let word = MEASURES.iter().find(|(this, _)| *this == measure).map_or("", |(_, name)| name);
    let word = Terms::of(&frame.policy).word(word);
    let tree = Tree::new(&frame.queues);
    let path = path(frame, selected_queue(frame, selection));
    let total = in_unit(resource, frame.total[r]);
    let mut blocks = vec![Block {
        name: "cluster".into(),
        w: 1.0,
        has: total,
        says: format!("cluster: {}", with_unit(resource, frame.total[r])),
        ..Block::default()
    }];
    let mut at = 0;
    while let Some(parent) = blocks.get(at).cloned() {
        at += 1;
        let children = parent.queue.map_or(tree.tops(), |queue| tree.children(queue));
        let amounts: Vec<f64> =
            children.iter().map(|child| of(&frame.queues[*child as usize]).min(total)).collect();
        let sum: f64 = amounts.iter().sum();
        // More may be promised than the parent has: then all shrink alike.
        let whole = sum.max(if parent.has.is_finite() { parent.has } else { total });
        let mut x = parent.x;
        for (&child, has) in children.iter().zip(amounts) {
            let row = &frame.queues[child as usize];
            let w = if whole > 0.0 { parent.w * has / whole } else { 0.0 };
            let full = of(row);
            let has_text = if full.is_finite() { number(full) } else { "unlimited".into() };
            blocks.push(Block {
                queue: Some(child),
                name: row.name.clone(),
                tone: tree.tone(child),
                depth: parent.depth + 1,
                x,
                w,
                has: full,
                on_path: path.contains(&child),
                says: format!("{}: {word} {has_text} of {}", row.name, number(parent.has)),
            });
            x += w;
        }
    }
    seen(frame, blocks, resource, word)
}

/// The blocks with what is said of all of them.
fn seen(frame: &Frame, blocks: Vec<Block>, resource: u8, word: &str) -> IcicleView {
    let r = usize::from(resource.min(2));
    let total = in_unit(resource, frame.total[r]);
    let terms = Terms::of(&frame.policy);
    let head = [terms.word("queue").to_string(), "inside".into(), format!("{word}, {}", unit(resource, 2.0))];
    let parent = |block: &Block| {
        let above = block.queue.and_then(|queue| frame.queues.get(queue as usize)?.parent);
        above
            .and_then(|above| frame.queues.get(above as usize))
            .map_or("cluster".into(), |row| row.name.clone())
    };
    let rows = blocks.iter().skip(1).map(|block| vec![block.name.clone(), parent(block), number(block.has)]);
    let given: f64 = blocks.iter().filter(|block| block.depth == 1).map(|block| block.has.min(total)).sum();
    IcicleView {
        summary: format!(
            "{word} of the {}: {} of {} {}; {} on {}",
            terms.says("top queues"),
            number(given),
            amount(resource, frame.total[r]),
            unit(resource, total),
            count(frame.queues.len() as u64, terms.word("queue")),
            count(blocks.iter().map(|block| u64::from(block.depth)).max().unwrap_or(0), "level")
        ),
        levels: blocks.iter().map(|block| block.depth + 1).max().unwrap_or(1),
        table: Table { head: head.into(), rows: rows.collect(), text_columns: 2 },
        blocks,
    }
}

/// A queue and all above it.
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
            total: [0.0, 0.0, 8.0],
            queues: vec![
                queue("a", None, 6.0),
                queue("a1", Some(0), 4.0),
                queue("a2", Some(0), 1.0),
                queue("b", None, 4.0),
                QueueRow { fair_share: Some([None; 3]), ..queue("b1", Some(3), 0.0) },
            ],
            ..Frame::default()
        };
        let view = icicle(&frame, Some(&Selection::Queue("a2".into())), 2, Measure::Share);
        let block = |name: &str| view.blocks.iter().find(|block| block.name == name).expect("a block");
        for child in view.blocks.iter().filter(|block| block.queue.is_some()) {
            let parent = frame.queues[child.queue.expect("a queue") as usize].parent;
            let parent = block(parent.map_or("cluster", |at| &frame.queues[at as usize].name));
            assert!(
                child.x >= parent.x - 1e-9 && child.x + child.w <= parent.x + parent.w + 1e-9,
                "{}",
                child.name
            );
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
}
