//! Recordings of Apache YuniKorn: function calls, configurations, and whole scenarios, `yunikorn-pure/1`,
//! `yunikorn-config/1` and `yunikorn-trace/1`.

pub mod configs;
mod driver;
mod pure;
mod scenario;
mod state;

use std::collections::BTreeSet;

use fairground::policy::yunikorn::amounts::{Amounts, TYPES_MAX};
use serde_json::{Map, Value};

use crate::report::Verdict;

/// Kind of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaseKind {
    /// One call of a function.
    Pure,
    /// One configuration.
    Config,
    /// One scenario.
    Trace,
}

/// Name of a case; function calls have none.
pub fn id(case: &Value) -> &str {
    case["name"].as_str().unwrap_or_default()
}

/// Compares a case with its recording.
pub fn check(kind: CaseKind, case: &Value) -> Verdict {
    let differs = match kind {
        CaseKind::Pure if pure::has_no_counterpart(case) => {
            return Verdict::NotBuilt("functions of the core that decide nothing");
        }
        CaseKind::Pure => pure::check(case),
        CaseKind::Config => configs::check(case),
        CaseKind::Trace => scenario::check(case),
    };
    differs.into()
}

/// Names of resource types.
struct Names(Vec<String>);

impl Names {
    /// Collects the names in byte order.
    fn new(all: BTreeSet<String>) -> Result<Names, String> {
        if all.len() > TYPES_MAX {
            return Err(format!("{} resource types", all.len()));
        }
        Ok(Names(all.into_iter().collect()))
    }

    /// Parses a resource; *none* without an object.
    fn read(&self, value: &Value) -> Result<Amounts, String> {
        let Some(object) = value.as_object() else { return Ok(Amounts::NONE) };
        let mut out = Amounts::EMPTY;
        for (name, quantity) in object {
            let of = self.0.binary_search(name).map_err(|_| format!("type {name} is not known"))?;
            out.set(of, quantity.as_i64().ok_or_else(|| format!("{quantity} is not a quantity"))?);
        }
        Ok(out)
    }

    /// Formats amounts as in the recordings.
    fn write(&self, amounts: &Amounts) -> Value {
        if amounts.is_none() {
            return Value::Null;
        }
        let fields = amounts.iter().map(|(of, quantity)| (self.0[of].clone(), quantity.into()));
        Value::Object(fields.collect::<Map<_, _>>())
    }

    /// Formats amounts without zeros; *none* becomes empty.
    fn write_pruned(&self, amounts: &Amounts) -> Value {
        self.write(&amounts.or_empty().pruned())
    }
}

/// The texts of a list.
pub fn texts(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or_default()
}

/// An error if two values differ.
fn same(place: &str, expected: &Value, got: &Value) -> Result<(), String> {
    if expected == got { Ok(()) } else { Err(format!("{place}: expected {expected}, got {got}")) }
}
