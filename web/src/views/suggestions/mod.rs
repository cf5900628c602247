//! What would help a waiting job.

pub mod component;
