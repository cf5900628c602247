//! The headless runner.
fn main() {}
