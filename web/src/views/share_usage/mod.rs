//! Share usage: how a pool is shared by share usage, in the numbers that decide.

pub mod view;
