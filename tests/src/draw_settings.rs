//! Random settings of every policy.

use std::collections::BTreeMap;

use fairground::policy::versions::modelled;
use fairground::scenario::{QueueEntry, Scalar};

use crate::draw::Draw;

/// A setting with possible values.
type Values = (&'static str, &'static [&'static str]);

const ENGINE: &[Values] = &[
    ("k-value", &["0", "0.5", "2"]),
    ("saturation-multiplier", &["1", "1.5"]),
    ("gpu-placement", &["spread", "binpack"]),
    ("cpu-placement", &["spread", "binpack"]),
    ("max-consolidation-preemptees", &["1", "unlimited", "0"]),
    ("staleness-grace", &["2s", "unlimited"]),
    ("default-job-priority", &["60", "100"]),
    ("default-preempt-min-runtime", &["2s"]),
    ("default-reclaim-min-runtime", &["2s"]),
    ("reclaim-resolve", &["queue", "lca"]),
    ("usage-client", &["prometheus", "fake-with-history"]),
    ("usage-window", &["5s", "20s"]),
    ("usage-window-type", &["tumbling", "sliding"]),
    ("usage-half-life", &["off", "3s"]),
    ("usage-fetch-interval", &["2s"]),
];

const KAI: &[Values] = &[
    ("full-hierarchy-fairness", &["true", "false"]),
    ("consolidating-reclaim", &["true", "false"]),
    ("scheduling-signatures", &["false"]),
    ("restrict-node-scheduling", &["true"]),
    ("queue-depth-allocate", &["1", "2"]),
    ("queue-depth-reclaim", &["1"]),
    ("actions", &["allocate", "allocate, reclaim", "reclaim, allocate, preempt, stalegangeviction"]),
    ("usage-resolution", &["900ms"]),
    ("seed", &["1", "7"]),
];

const RUNAI: &[Values] =
    &[("department-over-quota", &["by-quota", "by-weight"]), ("over-quota-weights", &["on", "off"])];

const EGO: &[Values] =
    &[("grace", &["0s", "3s"]), ("placement", &["stacked", "balanced", "exclusive"]), ("lendout", &["true", "false"])];

const CONSUMERS: &[Values] = &[
    ("rank", &["0", "1", "2"]),
    ("lendout", &["true", "false"]),
    ("lendout-grace", &["2s"]),
    ("private-pool-grace", &["1s"]),
    ("reclaim-grace", &["4s"]),
    ("reserved", &["1", "2"]),
];

const YUNIKORN: &[Values] = &[
    ("node-sort", &["fair", "binpacking"]),
    ("node-weights", &["vcore 1, memory 0.5"]),
    ("preemption", &["true", "false"]),
    ("quota-preemption", &["true"]),
    ("preemption.delay.root", &["1s"]),
];

const QUEUES: &[Values] = &[
    ("maxapplications", &["1", "3"]),
    ("application.sort.policy", &["fifo", "fair"]),
    ("application.sort.priority", &["enabled", "disabled"]),
    ("priority.policy", &["fence", "default"]),
    ("priority.offset", &["5", "-10"]),
    ("preemption.policy", &["fence", "disabled", "default"]),
    ("preemption.delay", &["1s"]),
    ("quota.preemption.delay", &["1s", "3s"]),
    ("application.unschedasks.backoff", &["1"]),
    ("application.unschedasks.backoff.delay", &["2s"]),
    ("limits", &["[{users: [ada], maxapplications: 2}]", "[{users: [\"*\"], maxresources: {vcore: 2}}]"]),
];

/// The setting of a random revision, if the policy's product has several.
pub fn revision(policy: &str, d: &mut Draw) -> Option<(String, Scalar)> {
    let modelled = modelled(policy).filter(|modelled| modelled.revisions.len() > 1)?;
    let names: Vec<&str> = modelled.revisions.iter().map(|revision| revision.name).collect();
    Some((modelled.setting.to_string(), d.one_of(&names).into()))
}

/// A random selection of settings of a policy.
pub fn settings(policy: &str, d: &mut Draw, queues: &[QueueEntry]) -> BTreeMap<String, Scalar> {
    let mut all = BTreeMap::new();
    let (of_all, of_queues): (&[&[Values]], &[Values]) = match policy {
        "kai" => (&[ENGINE, KAI], &[]),
        "runai" => (&[ENGINE, RUNAI], &[("over-quota", &["none", "low", "high"])]),
        "ego" => (&[EGO], CONSUMERS),
        "yunikorn" => (&[YUNIKORN], QUEUES),
        _ => (&[], &[]),
    };
    // Half of the scenarios use the product's defaults.
    if d.in_hundred(50) {
        return all;
    }
    for (name, values) in of_all.iter().copied().flatten() {
        if d.in_hundred(15) {
            all.insert(name.to_string(), d.one_of(values).into());
        }
    }
    for queue in queues {
        for (name, values) in of_queues {
            if d.in_hundred(8) {
                all.insert(format!("{name}.{}", queue.name), d.one_of(values).into());
            }
        }
    }
    all
}
