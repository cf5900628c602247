//! How a fair share came about.

use fairground::sim::Simulation;
use fairground::units::Resource;

use super::convert_trace;
use super::protocol::LadderLevel;

/// The levels of a queue's ladder at the present cycle, from the root down.
pub fn levels(sim: &Simulation, queue: &str, resource: u8) -> Vec<LadderLevel> {
    let cluster = sim.cluster();
    let found = cluster.queues.iter().find(|(_, q)| &*q.name == queue);
    let Some((id, _)) = found.filter(|_| resource < 3) else { return Vec::new() };
    convert_trace::ladder(cluster, &sim.derive(id, Resource(resource)))
}
