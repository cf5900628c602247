//! The digests of a run, by which the page is compared with the native engine.

use fairground::scenario::Plan;
use fairground::sim::Simulation;

/// The digests of the opening and of up to `n_cycles` cycles: fewer if nothing more can happen, where the page ends a run.
pub fn digests(plan: &Plan, n_cycles: u32) -> Vec<u64> {
    let mut simulation = Simulation::new(plan);
    let mut digests = vec![simulation.opening().digest];
    while simulation.cycle() < n_cycles
        && !simulation.is_quiet()
        && let Some(record) = simulation.advance()
    {
        digests.push(record.digest);
    }
    digests
}
