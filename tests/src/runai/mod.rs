//! Recordings of format `runai-model/1`: an independent model of the Run:ai specification.
//!
//! Results of the engine are converted to the format of the recording, with reduced fractions, and compared as a whole.

pub mod events;
mod fairshare;
mod order;
mod special;

use fairground::policy::runai::exact::Exact;
use serde_json::Value;

use crate::report::Verdict;

/// Compares a case with its recording.
pub fn check(case: &Value) -> Verdict {
    let judged = match case["kind"].as_str() {
        Some("fairshare") => fairshare::table(case),
        Some("float") => fairshare::float(case),
        Some("time-based") => fairshare::time_based(case),
        Some("queue-order") => order::check(case),
        Some("events") => events::check(case),
        Some("placement") => special::placement(case),
        Some("multi-resource") => special::multi_resource(case),
        other => Err(format!("unknown kind {other:?}")),
    };
    judged.into()
}

/// Parses an amount; `None` for unlimited or absent.
fn amount(value: &Value) -> Result<Option<Exact>, String> {
    match value {
        Value::Null => Ok(None),
        Value::String(text) if text == "unlimited" => Ok(None),
        other => exact(other).map(Some),
    }
}

/// Parses a fraction in a string, or an integer JSON number.
fn exact(value: &Value) -> Result<Exact, String> {
    let error = || format!("{value} is no fraction");
    if let Some(n) = value.as_i64() {
        return Ok(Exact::whole(n));
    }
    let text = value.as_str().ok_or_else(error)?;
    let (n, d) = text.split_once('/').unwrap_or((text, "1"));
    let fraction = n.parse().ok().zip(d.parse().ok()).and_then(|(n, d)| Exact::new(n, d));
    fraction.ok_or_else(error)
}

/// Parses an amount as a double; -1 for unlimited.
pub(crate) fn real(value: &Value) -> Result<f64, String> {
    Ok(amount(value)?.map_or(-1.0, Exact::as_real))
}

pub(crate) fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

pub(crate) fn text(value: &Value) -> Result<&str, String> {
    value.as_str().ok_or_else(|| format!("{value} is no text"))
}
