//! What is not built yet, decided by what a case contains, never by its name.

use super::format::{Case, GpuRequest};

/// A part of the scheduler that cases may need.
struct Feature {
    name: &'static str,
    needed: fn(&Case) -> bool,
}

/// The parts that are missing, the most fundamental first. An entry goes when its part is built.
const UNBUILT: &[Feature] = &[
    Feature { name: "consolidation", needed: |c| acts(c, "consolidation") },
    Feature { name: "reclaim", needed: |c| acts(c, "reclaim") },
    Feature { name: "preempt", needed: |c| acts(c, "preempt") },
    Feature { name: "stale gang eviction", needed: |c| acts(c, "stalegangeviction") },
];

/// The first missing part that the case needs.
pub fn unbuilt(case: &Case) -> Option<&'static str> {
    UNBUILT.iter().find(|f| (f.needed)(case)).map(|f| f.name)
}

/// Whether some recorded execution did something in the action, or died in it.
fn acts(case: &Case, action: &str) -> bool {
    case.outcomes.iter().any(|outcome| {
        outcome.panic.as_ref().is_some_and(|crash| crash.action == action)
            || outcome.rounds.iter().flat_map(|r| &r.steps).any(|s| s.action == action)
    })
}

fn asks(case: &Case, kind: fn(&GpuRequest) -> bool) -> bool {
    case.jobs.iter().flat_map(|j| &j.pods).any(|p| kind(&p.request.gpu))
}

fn has_min_runtime(case: &Case) -> bool {
    let in_queue = |q: &super::format::Queue| {
        [q.preempt_min_runtime_s, q.reclaim_min_runtime_s].iter().any(|s| s.is_some_and(|s| s > 0.0))
    };
    let arguments = case.config.plugins.iter().flat_map(|p| p.arguments.keys());
    let mut defaults = arguments.filter(|k| k.ends_with("MinRuntime"));
    case.queues.iter().any(in_queue) || defaults.next().is_some()
}
