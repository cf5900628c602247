//! What tests and benches share.

pub mod philly;
pub mod worlds;
