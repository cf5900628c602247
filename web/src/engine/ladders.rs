//! How a fair share came about.

use fairground::sim::Simulation;

use super::protocol::LadderLevel;

/// The levels of a queue's ladder at the present cycle, from the root down.
pub fn levels(sim: &Simulation, queue: &str, resource: u8) -> Vec<LadderLevel> {
    let _ = (sim, queue, resource);
    Vec::new()
}
