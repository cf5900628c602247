//! Algorithms that several policies use, step by step as their references run them, and one small sort.

pub mod heap;
pub mod sort;
