//! Waiting jobs, in one line above the cluster.

pub mod component;
pub mod view;
