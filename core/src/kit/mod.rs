//! Algorithms shared by several policies, step by step as in their references, and small common tools.

pub mod heap;
pub mod random;
