//! Algorithms that several policies use, step by step as their references run them.

pub mod heap;
