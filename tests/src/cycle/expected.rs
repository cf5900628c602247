//! A cross-check against the final states that upstream's own tests state.

use fairground::policy::kai::recorded::{Snapshot, SnapshotJob, SnapshotPod, Status};

use super::Ran;
use super::format::{Case, ExpectedState};
use super::snapshot::{status_name, write_back};

/// Checks the final states of pods if the case comes from a test of upstream.
///
/// A test of one round checks right after the actions, the others after the write-back.
pub fn check(case: &Case, ran: &[Ran]) -> Result<(), String> {
    let Some(expected) = &case.expected else { return Ok(()) };
    let Some(last) = expected.after_round.checked_sub(1).and_then(|i| ran.get(i)) else { return Ok(()) };
    let mut end = last.opening.clone();
    if case.config.rounds == 1 {
        after_actions(&mut end, last);
    } else {
        let invented = case.outcomes[0].rounds.get(expected.after_round).and_then(|r| r.open.as_ref());
        write_back(case, &mut end, &last.outcome, invented)?;
    }
    for job in &end.jobs {
        for pod in &job.pods {
            let by_job = expected.jobs.get(&*job.name);
            for state in by_job.into_iter().chain(expected.pods.get(&*pod.name)) {
                if let Some(says) = difference(job, pod, state) {
                    return Err(format!("upstream's own expectation: {says}"));
                }
            }
        }
    }
    Ok(())
}

fn after_actions(end: &mut Snapshot, last: &Ran) {
    for pod in end.jobs.iter_mut().flat_map(|j| &mut j.pods) {
        let mut changes = last.outcome.steps.iter().flat_map(|s| &s.pods);
        if let Some(after) = changes.rfind(|p| p.pod == pod.name) {
            pod.status = after.status;
            pod.node = after.node.clone();
        }
    }
}

fn difference(job: &SnapshotJob, pod: &SnapshotPod, expected: &ExpectedState) -> Option<String> {
    let got = status_name(pod.status);
    let is_placed = matches!(pod.status, Status::Binding | Status::Running);
    let same = got == expected.status || (is_placed && expected.status == "Running");
    if !same {
        return Some(format!("{} of {}: expected {}, got {got}", pod.name, job.name, expected.status));
    }
    match &expected.node {
        Some(node) if **node != *pod.node && pod.status != Status::Pending => {
            Some(format!("{} of {}: expected on {node}, got {}", pod.name, job.name, pod.node))
        }
        _ => None,
    }
}
