//! States of queues under a policy that defines them: in quota, over quota, over fairshare.

use super::{Frame, QueueRow};
use crate::policy::Policy;
use crate::policy::description::QueueState;

/// Fills in the states of all queues, per pool and over all pools.
pub fn put(frame: &mut Frame, state: QueueState) {
    let of_pools = frame.pools.iter_mut().flat_map(|pool| &mut pool.queues);
    for row in frame.queues.iter_mut().chain(of_pools) {
        let state_of = |r: usize| {
            let fairshare = row.fair_share.as_ref().and_then(|share| share[r]).unwrap_or(f64::INFINITY);
            state(row.allocated[r], row.quota[r].unwrap_or(f64::INFINITY), fairshare)
        };
        let states = [state_of(0), state_of(1), state_of(2)];
        let worst = states.into_iter().max();
        row.states = states.into_iter().chain(worst).map(|(_, name)| name.to_string()).collect();
    }
}

/// The saturation ratio of a queue with the given allocation of resource `r` (0 CPU, 1 memory, 2 GPU); `None`: the
/// policy compares no such ratio, or has no fair share.
pub fn saturation(policy: &str, allocated: f64, row: &QueueRow, r: usize) -> Option<f64> {
    let ratio = Policy::described_or_default(policy).saturation?;
    let share = *row.fair_share.as_ref()?.get(r)?;
    Some(ratio(allocated, share.unwrap_or(f64::INFINITY)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// runai.md 11, example 21: one GPU of two, 20 cores of 16.
    #[test]
    fn a_queue_is_in_the_worst_of_its_states() {
        let row = QueueRow {
            allocated: [20_000.0, 0.0, 1.0].into(),
            quota: [Some(16_000.0), None, Some(2.0)],
            fair_share: Some([Some(20_000.0), None, Some(1.0)]),
            ..QueueRow::default()
        };
        let mut frame = Frame { queues: vec![row], ..Frame::default() };
        let state = Policy::ALL.iter().find_map(|policy| policy.queue_state);
        put(&mut frame, state.expect("a policy with states"));
        assert_eq!(frame.queues[0].states, ["over-quota", "in-quota", "in-quota", "over-quota"]);
    }
}
