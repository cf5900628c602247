//! The amount by which a sentence names a request: *2 GPUs*, or *4 cores* where no GPU is requested.

use super::number::with_unit;
use crate::moment::{Amounts, Frame};
use crate::units::Resource;

/// The resource by which a request is named, and its amount: GPUs if there are some, else the one that the jobs of the
/// run compete for, else CPU or memory; `None`: nothing but pods is requested.
pub fn named(contended: Resource, request: &Amounts) -> Option<(Resource, f64)> {
    let amount = |resource: Resource| Some((resource, request[resource.index()])).filter(|(_, amount)| *amount > 0.0);
    [Resource::GPU, contended, Resource::CPU, Resource::MEMORY].into_iter().find_map(amount)
}

/// The named amount with its unit; empty if nothing but pods is requested.
pub fn requested(frame: &Frame, request: &Amounts) -> String {
    let named = named(frame.names.resource, request);
    named.map_or(String::new(), |(resource, amount)| with_unit(resource, amount))
}

/// The amount after a comma; nothing for an empty one.
pub fn after_comma(amount: &str) -> String {
    if amount.is_empty() { String::new() } else { format!(", {amount}") }
}
