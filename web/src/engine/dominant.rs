//! The dominant resource of a queue.
//!
//! # Rule
//! A queue's dominant resource is that with the largest `allocated / total`; without allocations, that with the largest
//! `request / total`. On ties, GPU precedes memory, and memory precedes CPU.
//!
//! # Source
//! A. Ghodsi and others: Dominant Resource Fairness: Fair Allocation of Multiple Resource Types. NSDI 2011.

use fairground::moment::Amounts;

const CPU: u8 = 0;
const MEMORY: u8 = 1;
const GPU: u8 = 2;

/// The resource with the largest share of the total, and that share.
fn largest(amounts: &Amounts, total: &Amounts) -> (u8, f64) {
    let part = |r: u8| match total[usize::from(r)] {
        total if total > 0.0 => amounts[usize::from(r)] / total,
        _ => 0.0,
    };
    [MEMORY, CPU]
        .into_iter()
        .fold((GPU, part(GPU)), |best, r| if part(r) > best.1 { (r, part(r)) } else { best })
}

/// The dominant resource of allocated and requested amounts.
pub fn resource_of(allocated: &Amounts, request: &Amounts, total: &Amounts) -> u8 {
    match largest(allocated, total) {
        (resource, part) if part > 0.0 => resource,
        _ => largest(request, total).0,
    }
}
