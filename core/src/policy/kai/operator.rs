//! Configuration by KAI's operator and the equivalent settings of a scenario, for imports and kits.
//!
//! # Rule
//! Each shard has its own scheduler, whose plugins and actions are the operator's lists, changed by the shard's fields.
//!
//! # Source
//! KAI Scheduler, API type `kai.scheduler/v1` SchedulingShard, `docs/operator/scheduler-config-customization.md`;
//! kai.md 4.1; kai-v0.17.md 18.1; kai-v0.18.md 2.1

use super::config::SEARCH_PLUGINS;
use super::config::default_plugins;
use super::revision::Revision;
use super::settings::{PRIORITY_IN_QUOTA, STUCK_THRESHOLD};

/// Simulated plugins with the operator's priority; higher ones come first.
pub const PLUGINS: [(&str, i64); 22] = [
    ("predicates", 1900),
    ("proportion", 1800),
    ("priority", 1700),
    ("nodeavailability", 1600),
    ("resourcetype", 1500),
    ("podaffinity", 1400),
    ("elastic", 1300),
    ("kubeflow", 1200),
    ("ray", 1100),
    ("subgrouporder", 1000),
    ("taskorder", 900),
    ("nominatednode", 800),
    ("dynamicresources", 700),
    ("minruntime", 600),
    ("topology", 500),
    ("snapshot", 400),
    ("sg-nodelocalgreedy", 360),
    ("sg-multinodegang", 350),
    ("gpupack", 300),
    ("gpuspread", 300),
    ("nodeplacement", 200),
    ("gpusharingorder", 100),
];

/// Actions with the operator's priority.
pub const ACTIONS: [(&str, i64); 5] =
    [("allocate", 500), ("consolidation", 400), ("reclaim", 300), ("preempt", 200), ("stalegangeviction", 100)];

/// Whether the operator of a revision enables a plugin, given the spread strategy of GPU and CPU pods.
pub fn has_plugin(name: &str, [gpu, _]: [bool; 2], revision: Revision) -> bool {
    match name {
        _ if SEARCH_PLUGINS.contains(&name) => default_plugins(revision).iter().any(|plugin| **plugin == *name),
        "gpupack" | "gpusharingorder" => !gpu,
        "gpuspread" => gpu,
        _ => true,
    }
}

/// Whether the operator runs an action, given the spread strategy of GPU and CPU pods.
pub fn has_action(name: &str, spreads: [bool; 2]) -> bool {
    name != "consolidation" || spreads == [false, false]
}

/// Fields of a shard and their settings.
pub const FIELDS: [(&[&str], &str); 5] = [
    (&["placementStrategy", "gpu"], "gpu-placement"),
    (&["placementStrategy", "cpu"], "cpu-placement"),
    (&["kValue"], "k-value"),
    (&["minRuntime", "preemptMinRuntime"], "default-preempt-min-runtime"),
    (&["minRuntime", "reclaimMinRuntime"], "default-reclaim-min-runtime"),
];

/// Flags of the scheduler and their settings.
pub const FLAGS: [(&str, &str); 8] = [
    ("full-hierarchy-fairness", "full-hierarchy-fairness"),
    ("max-consolidation-preemptees", "max-consolidation-preemptees"),
    ("allow-consolidating-reclaim", "consolidating-reclaim"),
    ("use-scheduling-signatures", "scheduling-signatures"),
    ("restrict-node-scheduling", "restrict-node-scheduling"),
    ("schedule-period", "cycle"),
    ("default-staleness-grace-period", "staleness-grace"),
    (STUCK_THRESHOLD, STUCK_THRESHOLD),
];

/// Arguments of plugins and their settings.
pub const ARGUMENTS: [(&str, &str, &str); 9] = [
    ("proportion", "kValue", "k-value"),
    ("proportion", "relcaimerSaturationMultiplier", "saturation-multiplier"),
    ("proportion", "reclaimerUtilizationMultiplier", "saturation-multiplier"),
    ("proportion", "queuePriorityInQuotaReclaim", PRIORITY_IN_QUOTA),
    ("minruntime", "defaultPreemptMinRuntime", "default-preempt-min-runtime"),
    ("minruntime", "defaultReclaimMinRuntime", "default-reclaim-min-runtime"),
    ("minruntime", "reclaimResolveMethod", "reclaim-resolve"),
    ("nodeplacement", "gpu", "gpu-placement"),
    ("nodeplacement", "cpu", "cpu-placement"),
];

/// Duration parameters of usage and their settings.
pub const USAGE: [(&str, &str); 3] =
    [("windowSize", "usage-window"), ("halfLifePeriod", "usage-half-life"), ("fetchInterval", "usage-fetch-interval")];
