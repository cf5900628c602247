//! Fairness and waste of the run so far.

pub mod component;
pub mod view;
