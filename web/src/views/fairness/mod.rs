//! Fairness and waste of the run up to the cursor.

pub mod component;
pub mod draw;
pub mod view;
