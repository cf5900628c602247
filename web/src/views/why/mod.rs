//! WHY: explanation of the selection.

pub mod component;
