//! The rules that decide something in a run.

use std::collections::BTreeSet;

use fairground::id::{Id, PartitionId};
use fairground::sim::{CycleRecord, Simulation};
use fairground::trace::{Check, DivisionStep};
use fairground::units::Resource;

/// Cycles that are run; every shipped example has made its point by then.
const CYCLES: usize = 60;

/// Keys of the rules that decided an event, a refusal, a division or a place in an order: by comparisons that hold, or,
/// for a refusal, that failed.
pub fn decided(mut simulation: Simulation) -> BTreeSet<&'static str> {
    let mut keys = BTreeSet::new();
    for _ in 0..CYCLES {
        keys.extend(of_the_order(&simulation));
        let Some(record) = simulation.advance() else { break };
        keys.extend(of_the_record(&record));
        keys.extend(of_the_division(&simulation));
        if simulation.is_quiet() {
            break;
        }
    }
    keys
}

fn holding<'a>(checks: impl Iterator<Item = &'a Check>) -> impl Iterator<Item = &'static str> {
    checks.filter(|check| check.holds).map(|check| check.rule.key())
}

fn of_the_record(record: &CycleRecord) -> BTreeSet<&'static str> {
    let of_events = holding(record.events.iter().flat_map(|event| event.checks.iter()));
    let of_refusals = record.refusals.iter().flat_map(|refusal| &refusal.checks).map(|check| check.rule.key());
    let of_marks = record.marks.iter().map(|mark| mark.rule.key());
    of_events.chain(of_refusals).chain(of_marks).collect()
}

fn partitions(simulation: &Simulation) -> impl Iterator<Item = PartitionId> {
    (0..simulation.ledgers().len().max(1)).map(PartitionId::from_index)
}

fn of_the_order(simulation: &Simulation) -> BTreeSet<&'static str> {
    let mut keys = BTreeSet::new();
    for partition in partitions(simulation) {
        for queue in simulation.cluster().queues.ids() {
            let levels = simulation.order_in(partition, queue, None);
            keys.extend(holding(levels.iter().flat_map(|level| &level.places).flat_map(|place| &place.behind)));
        }
    }
    keys
}

fn of_the_division(simulation: &Simulation) -> BTreeSet<&'static str> {
    let mut keys = BTreeSet::new();
    for partition in partitions(simulation) {
        for queue in simulation.cluster().queues.ids() {
            for resource in Resource::ACCOUNTED {
                keys.extend(simulation.derive_in(partition, queue, resource).into_iter().filter_map(gives));
            }
        }
    }
    keys
}

/// The rule of a step that gives something, or another share.
fn gives(step: DivisionStep) -> Option<&'static str> {
    let is_empty = matches!(step, DivisionStep::Quota { .. } | DivisionStep::Round(_)) && step.given() == 0.0;
    step.rule_key().filter(|_| !is_empty)
}
