//! Shared by charts: colours, marks, scales, the queue tree, tables, and the SVG backend.

pub mod alternative;
pub mod backend;
pub mod counted_in;
pub mod export;
pub mod marks;
pub mod paint;
pub mod queue_tree;
pub mod scale;
pub mod selection;
pub mod table;
