//! Algorithms that several policies use, step by step as their references run them, and small shared tools.

pub mod heap;
pub mod random;
pub mod sort;
