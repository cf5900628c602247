//! Share usage: how a pool is divided by share usage, with the numbers that decide.

pub mod draw;
pub mod view;
