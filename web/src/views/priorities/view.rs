//! The tables of Priorities: the steps of the run, and every queue at its last step.

use fairground::id::Id;
use fairground::moment::PriorityRow;
use fairground::trace::{BeforeAfter, PriorityStep};
use fairground::words::{Selection, Terms};

use crate::chart::queue_tree::Tree;
use crate::chart::selection::selected_queue;
use crate::chart::table::{Section, Table};
use crate::engine::protocol::Frame;
use crate::engine::report::Priorities;

/// A queue in the picture: how a priority gets from below to its parent.
#[derive(Clone, Debug, PartialEq)]
pub struct PriorityFlow {
    pub name: String,
    /// Level below the top-level queues.
    pub depth: u32,
    pub numbers: PriorityRow,
    /// The flow of the parent, unless the queue is at the top.
    pub parent: Option<usize>,
    /// Whether the parent has its priority from this queue.
    pub is_highest: bool,
}

/// The queues in the order of the tree.
pub fn flows(frame: &Frame) -> Vec<PriorityFlow> {
    let tree = Tree::new(&frame.queues);
    let mut flows: Vec<PriorityFlow> = Vec::new();
    let mut positions: Vec<Option<usize>> = vec![None; frame.queues.len()];
    for &at in tree.order() {
        let queue = &frame.queues[at as usize];
        let Some(numbers) = queue.priority else { continue };
        let parent = queue.parent.and_then(|parent| positions.get(parent as usize).copied().flatten());
        let is_highest =
            parent.is_some_and(|parent| numbers.effective.is_some() && flows[parent].numbers.raw == numbers.effective);
        positions[at as usize] = Some(flows.len());
        flows.push(PriorityFlow { name: queue.name.clone(), depth: tree.depth(at), numbers, parent, is_highest });
    }
    flows
}

/// The steps, the latest first, and the queues.
pub fn sections(of: &Priorities, frame: &Frame, selection: Option<&Selection>) -> Vec<Section> {
    let selected = selected_queue(frame, selection);
    let steps = of.steps.as_deref().unwrap_or_default();
    let is_selected = |(_, step): &(u32, PriorityStep)| step.queue.is_some_and(|queue| Some(queue.0) == selected);
    vec![
        Section {
            title: "Steps",
            says: says(of, frame.cycle),
            table: table(steps, frame),
            meant: selected.and_then(|_| steps.iter().rev().position(is_selected)),
        },
        queues(steps.last(), frame, selected),
    ]
}

fn says(of: &Priorities, cycle: u32) -> String {
    match &of.steps {
        _ if cycle == 0 => "No cycle has run yet.".into(),
        None => format!("The steps up to cycle {cycle} are too large or too far back to be computed again."),
        Some(steps) if steps.is_empty() => format!("From cycle {} on, no pod was placed.", of.from),
        Some(_) => format!(
            "Each cycle from {} on that placed a pod, the latest first. An application has the highest priority of its outstanding requests; \
             with nothing outstanding it has none (n/a). Queues whose priority did not change are left out.",
            of.from
        ),
    }
}

fn or_none(priority: Option<i32>) -> String {
    priority.map_or("n/a".into(), |priority| priority.to_string())
}

/// *1001 → n/a*; an unchanged value is written once.
fn change([before, after]: BeforeAfter) -> String {
    let (before, after) = (or_none(before), or_none(after));
    if before == after { after } else { format!("{before} → {after}") }
}

fn table(steps: &[(u32, PriorityStep)], frame: &Frame) -> Table {
    let row = |(cycle, step): &(u32, PriorityStep)| {
        let queues = step.queues.iter().map(|(queue, of)| format!("{}: {}", frame.queue(*queue), change(*of)));
        vec![
            cycle.to_string(),
            step.queue.map_or(String::new(), |queue| frame.queue(queue).to_string()),
            step.task.clone(),
            queues.collect::<Vec<_>>().join(", "),
            format!("{}: {}", step.application, change(step.dynamic)),
        ]
    };
    let head = ["step", "queue", "task", "queue priority before → after", "application"];
    Table::new(head, 5, steps.iter().rev().map(row))
}

fn queues(last: Option<&(u32, PriorityStep)>, frame: &Frame, selected: Option<u32>) -> Section {
    let tree = Tree::new(&frame.queues);
    let row = |&at: &u32| {
        let queue = frame.queues.get(at as usize)?;
        let PriorityRow { raw, offset, fence, effective } = queue.priority?;
        let changed = last.filter(|(cycle, _)| *cycle == frame.cycle).and_then(|(_, step)| {
            let of_queue = step.queues.iter().find(|(of, _)| of.index() == at as usize)?;
            Some(change(of_queue.1))
        });
        Some(vec![
            "\u{2003}".repeat(tree.depth(at) as usize) + &queue.name,
            or_none(raw),
            offset.to_string(),
            if fence { "fence" } else { "default" }.into(),
            changed.unwrap_or_else(|| or_none(effective)),
        ])
    };
    let queue = Terms::of(&frame.policy).word("queue");
    let head = [queue, "highest below", "priority offset", "priority policy", "queue priority"];
    Section {
        title: "Queue priorities",
        says: "A queue has the highest priority of its applications or child queues plus its offset; a fence shows its offset \
               alone. Among siblings, the highest queue priority is served first. Arrows: what the last step changed."
            .into(),
        table: Table::new(head, 1, tree.order().iter().filter_map(row)),
        meant: selected.and_then(|selected| tree.order().iter().position(|&at| at == selected)),
    }
}
