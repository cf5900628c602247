//! The document: machine, published benchmarks, targets, growth, limits.

use super::{machine, own, published};

const HEADING: &str = "\
# Performance

Made by `cargo xtask bench --report`. Each time is the median of up to fifteen runs, of one if a run takes more than two
seconds; above 20 ms it is the time of the processor, so that other programs do not count. Times of another machine
differ; what is decided does not.

";

/// Limits of what misses its target, as understood.
const LIMITS: &str = include_str!("limits.md");

/// The whole document; with `only`, the figures whose name contains it.
pub fn document(only: &str) -> String {
    let parts = [machine::lines(), published::section(only), own::sections(only), LIMITS.to_owned()];
    HEADING.to_owned() + &parts.join("\n")
}
