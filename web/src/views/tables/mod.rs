//! Views of single policies, as tables.

pub mod component;
