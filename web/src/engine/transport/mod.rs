//! Transports between page and engine: a worker, or small slices on the page's thread.

pub mod inline;
pub mod worker;
