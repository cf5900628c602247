//! Run:ai cases through scenario files.

mod events;
mod fairshare;

use serde_json::Value;

use super::Differs;
use crate::report::Verdict;

/// Compares a case with its recording through a scenario file.
pub fn check(case: &Value) -> Verdict {
    let judged: Result<(), Differs> = match case["kind"].as_str() {
        Some("events") => events::check(case),
        Some("fairshare") => fairshare::check(case),
        Some("float") => Err("one level of queues without work".into()),
        Some("queue-order") => Err("the order of queues whose fairshare is given".into()),
        Some("time-based") => Err("a division of a given usage without work".into()),
        Some("placement") => Err("an example in parts".into()),
        Some("multi-resource") => Err("an example in parts".into()),
        _ => Err("an unknown kind".to_owned().into()),
    };
    judged.into()
}
