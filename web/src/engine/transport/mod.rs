//! Ways to reach the engine: a worker, or the page's own thread in small slices.

pub mod inline;
pub mod worker;
