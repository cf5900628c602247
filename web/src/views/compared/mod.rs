//! The same scenario under several policies.

pub mod component;
pub mod draw;
pub mod view;
