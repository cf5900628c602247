//! Division: how a fair share came about.

pub mod component;
pub mod draw;
pub mod view;
