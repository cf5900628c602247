//! A scenario at a glance, for lists of scenarios.

pub mod draw;
pub mod view;
