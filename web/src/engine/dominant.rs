//! The dominant resource of a queue.
//!
//! # Rule
//! A queue's dominant resource is that with the largest `allocated / total`; without allocations, that with the largest
//! `request / total`. On ties, GPU precedes memory, and memory precedes CPU.
//!
//! # Source
//! A. Ghodsi and others: Dominant Resource Fairness: Fair Allocation of Multiple Resource Types. NSDI 2011.

use fairground::moment::Amounts;
use fairground::units::Resource;

/// The resource with the largest share of the total, and that share.
fn largest(amounts: &Amounts, total: &Amounts) -> (Resource, f64) {
    let part = |r: Resource| match total[r.index()] {
        total if total > 0.0 => amounts[r.index()] / total,
        _ => 0.0,
    };
    [Resource::MEMORY, Resource::CPU]
        .into_iter()
        .fold((Resource::GPU, part(Resource::GPU)), |best, r| if part(r) > best.1 { (r, part(r)) } else { best })
}

/// The dominant resource of allocated and requested amounts.
pub fn resource_of(allocated: &Amounts, request: &Amounts, total: &Amounts) -> Resource {
    match largest(allocated, total) {
        (resource, part) if part > 0.0 => resource,
        _ => largest(request, total).0,
    }
}
