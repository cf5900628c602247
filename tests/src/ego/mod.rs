//! Recordings of format `ego-model/1`: an independent model of the EGO specification, in three shapes.
//!
//! Results of the engine are converted to the format of the recording, with reduced fractions, and compared as a whole.

pub mod format;
mod slots;
mod steps;
mod whole_plan;

pub use format::Case;

use crate::report::Verdict;
use fairground::id::Id;
use fairground::policy::ego::ids::{ConsumerId, UnitId};
use fairground::policy::ego::number::Fraction;
use fairground::policy::ego::pool_state::{PoolState, Source, UnitState};
use fairground::policy::ego::quota::Table;
use format::Names;
use serde_json::{Map, Value, json};

/// Compares a case with its recording.
pub fn check(case: &Case) -> Verdict {
    let differs = if case.slots.is_some() {
        slots::run(case)
    } else if case.plan.is_some() {
        whole_plan::run(case)
    } else {
        steps::run(case)
    };
    differs.into()
}

/// Compares two values; the error has the path of the first difference.
fn compare(place: &str, expected: &Value, got: &Value) -> Result<(), String> {
    match (expected, got) {
        (Value::Object(e), Value::Object(g)) => {
            if let Some(key) = e.keys().find(|key| !g.contains_key(*key)) {
                return Err(format!("{place} {key}: missing"));
            }
            if let Some(key) = g.keys().find(|key| !e.contains_key(*key)) {
                return Err(format!("{place} {key}: not expected, {}", g[key]));
            }
            e.iter().try_for_each(|(key, value)| compare(&format!("{place} {key}"), value, &g[key]))
        }
        _ if expected == got => Ok(()),
        _ => Err(format!("{place}: expected {expected}, got {got}")),
    }
}

/// Formats a reduced fraction as in the recordings.
fn text(fraction: &Fraction) -> Value {
    match fraction.lowest_terms() {
        Some((n, 1)) => json!(n.to_string()),
        Some((n, d)) => json!(format!("{n}/{d}")),
        None => json!("beyond 128 bits"),
    }
}

fn table(names: &Names, table: &Table) -> Value {
    let mut rows = Map::new();
    for row in table.usage.ids() {
        let parts = [&table.usage[row], &table.projected[row], &table.demand[row]].map(|n| table.part(n));
        let quota = table.quota_part(row);
        let columns: Vec<Value> = parts.iter().chain([&quota]).map(text).collect();
        rows.insert(names.consumers[row].clone(), Value::Array(columns));
    }
    Value::Object(rows)
}

fn unit_name(id: UnitId) -> String {
    format!("u{}", id.index() + 1)
}

pub(crate) fn unit_id(name: &Value) -> Result<UnitId, String> {
    let number = name.as_str().and_then(|name| name.strip_prefix('u')).and_then(|n| n.parse::<usize>().ok());
    number.and_then(|n| n.checked_sub(1)).map(UnitId::from_index).ok_or_else(|| format!("unit {name}"))
}

fn units(ids: &[UnitId]) -> Value {
    ids.iter().map(|&id| unit_name(id)).collect()
}

fn leaves(names: &Names, state: &PoolState<'_>, units: &[UnitId]) -> Value {
    let mut leaves: Vec<&str> = Vec::new();
    for &id in units {
        let leaf = names.consumers[state.subs[state.units[id].sub].leaf].as_str();
        if !leaves.contains(&leaf) {
            leaves.push(leaf);
        }
    }
    json!(leaves)
}

fn seconds(time: fairground::time::Time) -> i64 {
    time.as_millis() / 1000
}

fn reclaiming(state: &PoolState<'_>) -> Value {
    let mut found = Map::new();
    for (id, unit) in state.units.iter() {
        if let UnitState::Reclaiming(deadline) = unit.state {
            found.insert(unit_name(id), json!(seconds(deadline)));
        }
    }
    Value::Object(found)
}

fn source_name(names: &Names, source: Source) -> String {
    match source {
        Source::Owned => "owned".to_owned(),
        Source::Pool(ConsumerId::ROOT) => "public".to_owned(),
        Source::Pool(consumer) => format!("private:{}", names.consumers[consumer]),
    }
}

/// Completes units whose tasks are done.
fn complete(state: &mut PoolState<'_>, units: &Value) -> Result<(), String> {
    for name in units.as_array().into_iter().flatten() {
        let id = unit_id(name)?;
        let unit = state.units.get(id).ok_or_else(|| format!("no unit {name}"))?;
        let sub = unit.sub;
        state.subs[sub].want = state.subs[sub].want.saturating_sub(1);
        state.stop(id);
    }
    Ok(())
}

/// Reads a number from a JSON field.
pub(crate) fn number(value: &Value, key: &str) -> Result<u64, String> {
    value[key].as_u64().ok_or_else(|| format!("{key} is no number: {value}"))
}
