//! Division: derivation of fair shares.

pub mod component;
pub mod draw;
pub mod view;
