//! Cluster: nodes and the allocation of their GPUs.

pub mod alternative;
pub mod cards;
pub mod component;
pub mod draw;
pub mod node_actions;
pub mod selected_cells;
pub mod view;
