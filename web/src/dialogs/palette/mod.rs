//! Command palette.

pub mod component;
pub mod view;
