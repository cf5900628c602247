//! The page or its worker.
fn main() {}
