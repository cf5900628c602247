//! The tables of Share usage.

use fairground::id::{Id, PartitionId, QueueId};
use fairground::trace::{Assignment, Exact, QuotaStep, ShareChoice, SharePool, UnitSize, UsageOf, UsageRow, Vector};
use fairground::units::Resource;
use fairground::words::Selection;
use fairground::words::number::{count, in_unit, number, resource_name, unit_of};

use crate::chart::queue_tree::{Tone, Tree};
use crate::chart::selection::selected_queue;
use crate::chart::table::{NONE, Section, Table};
use crate::engine::protocol::Frame;
use crate::engine::report::ShareUsage;

/// The names of all pools.
pub fn pools(usage: &ShareUsage, frame: &Frame) -> Vec<String> {
    let is_one = usage.pools.iter().all(|(part, _)| *part == usage.pools[0].0);
    let name = |(part, pool): &(PartitionId, SharePool)| {
        let in_part = if is_one { String::new() } else { format!(" in {}", frame.names.pool(*part)) };
        pool_name(frame, pool.of) + &in_part
    };
    usage.pools.iter().map(name).collect()
}

/// The tables of the pool at an index, or of the last one if it is out of range.
pub fn sections(usage: &ShareUsage, frame: &Frame, selection: Option<&Selection>, at: usize) -> Vec<Section> {
    let Some((part, pool)) = usage.pools.get(at).or(usage.pools.last()) else {
        let says = "No share pool has hosts now: consumers own all of them and lend none.".into();
        return vec![Section { title: "Share pools", says, ..Section::default() }];
    };
    let selected = selected_queue(frame, selection).map(|at| QueueId::from_index(at as usize));
    let is_meant = |row: &&UsageRow| selected.is_some() && row.queue == selected;
    let consumers: Vec<&UsageRow> = pool.rows.iter().filter(|row| row.consumer.is_some()).collect();
    vec![
        Section { meant: pool.rows.iter().position(|row| is_meant(&row)), ..numbers(frame, pool) },
        division(frame, pool),
        assigned(frame, usage, (*part, pool.of)),
        capacity(frame, pool),
        Section { meant: consumers.iter().position(is_meant), ..vectors(frame, &consumers) },
    ]
}

/// A consumer in the picture; amounts are shares of the pool.
#[derive(Clone, Debug, PartialEq)]
pub struct UsageBar {
    pub name: String,
    /// Level in the tree, 0 for the pool.
    pub depth: u32,
    pub tone: Tone,
    pub usage: f64,
    pub demand: f64,
    pub quota: f64,
    /// *1/9 of 1/3*: usage and quota.
    pub text: String,
}

/// The consumers of the pool at an index, or of the last one if it is out of range.
pub fn bars(usage: &ShareUsage, frame: &Frame, at: usize) -> Vec<UsageBar> {
    let Some((_, pool)) = usage.pools.get(at).or(usage.pools.last()) else { return Vec::new() };
    let tree = Tree::new(&frame.queues);
    let bar = |row: &UsageRow| {
        let quota = row.consumer.as_ref()?.quota;
        Some(UsageBar {
            name: if row.of == UsageOf::Pool { "whole pool".into() } else { row.name.clone() },
            depth: row.depth,
            tone: row.queue.map_or_else(Tone::default, |queue| tree.tone(queue.0)),
            usage: row.usage.real,
            demand: row.demand.real,
            quota: quota.real,
            text: format!("{} of {}", short(row.usage), short(quota)),
        })
    };
    pool.rows.iter().filter_map(bar).collect()
}

fn pool_name(frame: &Frame, of: Option<QueueId>) -> String {
    of.map_or_else(|| "public pool".into(), |queue| format!("private pool of {}", frame.queue(queue)))
}

/// *1/3 (0.3333)*; integers without the decimals.
fn exact(of: Exact) -> String {
    match of.fraction {
        Some((_, 2..)) => format!("{} ({:.4})", short(of), of.real),
        _ => short(of),
    }
}

/// The fraction alone, for tables with many columns.
fn short(of: Exact) -> String {
    match of.fraction {
        Some((n, 1)) => n.to_string(),
        Some((n, d)) => format!("{n}/{d}"),
        None => format!("≈ {:.4}", of.real),
    }
}

/// *1 GPU, 4 cores*
fn amounts(frame: &Frame, vector: &Vector) -> String {
    let amount = |&(resource, amount): &(u8, f64)| {
        let resource = Resource(resource);
        let amount = in_unit(resource, amount);
        format!("{}\u{a0}{}", number(amount), unit_of(&frame.named, resource, amount))
    };
    let all: Vec<String> = vector.iter().map(amount).collect();
    if all.is_empty() { NONE.into() } else { all.join(", ") }
}

fn row_name(row: &UsageRow) -> String {
    let name = match row.of {
        UsageOf::Pool => "whole pool".into(),
        UsageOf::Consumer => row.name.clone(),
        UsageOf::Allocation => format!("allocation {}", row.name),
        UsageOf::SubAllocation => format!("sub-allocation {}", row.name),
    };
    "\u{2003}".repeat(row.depth as usize) + &name
}

/// What the numbers of share usage mean.
const SHARE_USAGE: &str = "Share usage is allocated units divided by the pool's capacity for their size; parents add up their children. \
     Projected usage is compared with the quota: it leaves out units in their grace period and counts earmarked ones.";

/// Free slots of a pool that is divided into slots.
fn free_slots((free, slots): (u64, u64)) -> String {
    let are = if free == 1 { "is" } else { "are" };
    format!(" {free} of {} {are} free.", count(slots, "slot"))
}

/// Usage, demand, quota and limit of all consumers.
fn numbers(frame: &Frame, pool: &SharePool) -> Section {
    let row = |row: &UsageRow| {
        let size: Option<&UnitSize> = row.size.and_then(|at| pool.sizes.get(at as usize));
        let of_consumer = row.consumer.as_ref();
        let or_none = |text: Option<String>| text.unwrap_or_else(|| NONE.into());
        vec![
            row_name(row),
            short(row.usage),
            short(row.demand),
            or_none(of_consumer.map(|of| short(of.quota))),
            or_none(of_consumer.map(|of| amounts(frame, &of.limit))),
            short(row.projected),
            or_none(size.map(|size| amounts(frame, &size.unit))),
            row.units.to_string(),
            or_none(size.map(|size| size.capacity.to_string())),
        ]
    };
    let head = [
        "consumer",
        "share usage",
        "usage demand",
        "share usage quota",
        "share limit",
        "projected usage",
        "unit size",
        "allocated units",
        "capacity",
    ];
    Section {
        title: "Share usage and quota",
        says: SHARE_USAGE.to_string() + &pool.free_slots.map_or_else(String::new, free_slots),
        table: Table::new(head, 1, pool.rows.iter().map(row)).without_empty_columns(),
        meant: None,
    }
}

/// Derivation of the quotas.
fn division(frame: &Frame, pool: &SharePool) -> Section {
    let step = |step: &QuotaStep| {
        let (ratio, ratios) = step.ratio;
        let name = |queue: Option<QueueId>| queue.map_or_else(|| "whole pool".into(), |q| frame.queue(q).to_string());
        let why = match step.rest.real {
            0.0 => ", nothing left",
            _ if step.quota == step.demand => ", all of its demand",
            _ => "",
        };
        vec![
            name(step.of),
            name(step.queue),
            step.priority.to_string(),
            format!("{} × {ratio}/{ratios} = {}", short(step.rest), short(step.offer)),
            exact(step.demand),
            exact(step.quota) + why,
        ]
    };
    let head = ["divided", "consumer", "share priority", "left × share ratio", "usage demand", "share usage quota"];
    let says = match (&pool.division, pool.rows.first()) {
        (None, _) | (_, None) => {
            "No consumer has outstanding demand in this pool, so the share usage quota of each is its share usage."
                .into()
        }
        (Some(_), Some(whole)) => format!(
            "The total share usage of the pool, {}, is divided from the top of the tree: priorities from the highest to the \
             lowest, equal ones by share ratio, the smallest demand for its ratio first, no consumer above its usage demand. What one does \
             not need is divided among the others.",
            short(whole.projected)
        ),
    };
    let rows = pool.division.iter().flatten().map(step);
    Section { title: "How the share usage quota is divided", says, table: Table::new(head, 2, rows), meant: None }
}

/// Assignment of free resources, one row per turn.
fn assigned(frame: &Frame, usage: &ShareUsage, pool: (PartitionId, Option<QueueId>)) -> Section {
    let of_pool = |turn: &&Assignment| (turn.partition, turn.pool) == pool;
    let join = |turn: &Assignment, of: &dyn Fn(&ShareChoice) -> String, by: &str| {
        turn.choices.iter().map(of).collect::<Vec<_>>().join(by)
    };
    let percentages = |choice: &ShareChoice| {
        let part = |child: &fairground::trace::ShareCandidate| {
            let part = match child.part {
                None => "removed".into(),
                Some((n, d)) => format!("{}\u{a0}%", number(n as f64 / d as f64 * 100.0)),
            };
            format!("{}\u{a0}{part}", frame.queue(child.queue))
        };
        choice.children.iter().map(part).collect::<Vec<_>>().join(", ")
    };
    let per_ratio = |choice: &ShareChoice| {
        let candidates = choice.children.iter().filter(|child| child.part.is_some_and(|(n, _)| n > 0));
        let one = |child: &fairground::trace::ShareCandidate| {
            format!("{}\u{a0}{}", frame.queue(child.queue), short(child.usage[1]))
        };
        candidates.map(one).collect::<Vec<_>>().join(", ")
    };
    let name =
        |choice: &ShareChoice| choice.children.get(choice.chosen as usize).map_or("", |child| frame.queue(child.queue));
    let chosen = |choice: &ShareChoice| {
        let tie = if choice.is_tie { " (tie: first in the tree)" } else { "" };
        format!("{}{tie}", name(choice))
    };
    let update = |choice: &ShareChoice| format!("{}\u{a0}{}", name(choice), short(choice.after));
    let row = |(at, turn): (usize, &Assignment)| {
        let nodes: Vec<&str> = turn.nodes.iter().map(|&node| frame.node(node)).collect();
        let is_placed = !nodes.is_empty();
        vec![
            (at + 1).to_string(),
            join(turn, &percentages, "; "),
            join(turn, &per_ratio, "; "),
            join(turn, &chosen, " › "),
            if is_placed { nodes.join(", ") } else { "none fits: removed".into() },
            if is_placed { join(turn, &update, ", ") } else { "–".into() },
        ]
    };
    let head = ["turn", "percentages", "share usage / share ratio", "assigned to", "host", "share usage after"];
    let rows: Vec<_> = usage.assignments.iter().flatten().filter(of_pool).enumerate().map(row).collect();
    let cycle = usage.cycle;
    let says = match (&usage.assignments, rows.len()) {
        (None, _) if cycle == 0 => "No cycle has run yet.".into(),
        (None, _) => format!("Cycle {cycle} is too large or too far back to be computed again."),
        (_, 0) => format!("Cycle {cycle} assigned nothing that was free in this pool."),
        (_, n) => format!(
            "Cycle {cycle} took {}. Satisfied consumers are removed; of those with the highest share priority the one with the \
             smallest share usage / share ratio gets the next unit.",
            count(n as u64, "turn")
        ),
    };
    Section { title: "How free resources are assigned", says, table: Table::new(head, 6, rows), meant: None }
}

/// Capacity of the pool per unit size, with the packing that achieves it.
fn capacity(frame: &Frame, pool: &SharePool) -> Section {
    let row = |size: &UnitSize| {
        let hosts = size.hosts.iter().map(|(hosts, units)| format!("{} × {units}", count(u64::from(*hosts), "host")));
        vec![amounts(frame, &size.unit), hosts.collect::<Vec<_>>().join(" + "), size.capacity.to_string()]
    };
    let ratios = pool.over_commit.iter().map(|&(resource, ratio)| {
        let name = resource_name(Resource(resource));
        format!("{name}\u{a0}×\u{a0}{}", number(ratio))
    });
    let ratios = ratios.collect::<Vec<_>>().join(", ");
    let over_commit = match ratios.as_str() {
        "" => String::new(),
        ratios => format!(" Over-commit ratios of the plan are included: {ratios}."),
    };
    Section {
        title: "Capacity of the pool",
        says: format!(
            "The most units of a size that the hosts of the pool hold when they are empty, host by host.{over_commit}"
        ),
        table: Table::new(["unit size", "units per host", "capacity"], 2, pool.sizes.iter().map(row)),
        meant: None,
    }
}

/// Static and dynamic share quota.
fn vectors(frame: &Frame, consumers: &[&UsageRow]) -> Section {
    let row = |row: &&UsageRow| {
        let of = row.consumer.as_ref();
        let vector = |vector: Option<&Vector>| vector.map_or_else(String::new, |vector| amounts(frame, vector));
        vec![row_name(row), vector(of.map(|of| &of.static_quota)), vector(of.map(|of| &of.dynamic_quota))]
    };
    Section {
        title: "Static and dynamic share quota",
        says: "For reference only, not guaranteed: what a consumer gets depends on how units of different sizes are packed onto \
               hosts. The static quota assumes that every consumer has enough work; the dynamic quota counts present demand."
            .into(),
        table: Table::new(
            ["consumer", "static share quota", "dynamic share quota"],
            3,
            consumers.iter().map(row),
        ),
        meant: None,
    }
}
