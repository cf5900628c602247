//! YuniKorn cases through scenario files: configurations are imported from `queues.yaml`, and the input of the recorded
//! core becomes nodes, jobs and a timeline.

mod compare;
mod events;
mod file;
mod reload;
mod tree;

use crate::report::Verdict;
use crate::yunikorn::{CaseKind, configs};

/// Compares a case with its recording through a scenario file.
pub fn check(kind: CaseKind, case: &serde_json::Value) -> Verdict {
    let differs = match kind {
        CaseKind::Pure => return Verdict::CannotSay("a call of one function"),
        CaseKind::Config => configs::imported(case, case["accepted"] == true),
        CaseKind::Trace => match events::read(case) {
            Err(feature) => return Verdict::CannotSay(feature),
            Ok(input) => file::write(case, &input).and_then(|file| compare::compare(case, &input, &file)),
        },
    };
    differs.into()
}
