//! Settings of KAI: those of its scheduling shards, or of the scheduler that a snapshot is from. Several shards are node pools.
//!
//! # Source
//! KAI Scheduler, API type `kai.scheduler/v1` SchedulingShard, `docs/plugins/snapshot.md`
//!
//! # Differs
//! Usage of time-based fair share is in no object: it begins at 0.

use std::collections::BTreeMap;

use super::objects::{Kind, Object};
use super::{Cluster, Report};
use crate::import::loose::Place;
use crate::scenario::quantity::print_decimal;
use crate::scenario::{PoolEntry, Scalar};

/// The pool of what has no label.
const DEFAULT: &str = "default";

/// Fields of a shard with their settings.
const FIELDS: [(&[&str], &str); 5] = [
    (&["placementStrategy", "gpu"], "gpu-placement"),
    (&["placementStrategy", "cpu"], "cpu-placement"),
    (&["kValue"], "k-value"),
    (&["minRuntime", "preemptMinRuntime"], "default-preempt-min-runtime"),
    (&["minRuntime", "reclaimMinRuntime"], "default-reclaim-min-runtime"),
];

/// Flags of the scheduler with their settings.
const FLAGS: [(&str, &str); 7] = [
    ("full-hierarchy-fairness", "full-hierarchy-fairness"),
    ("max-consolidation-preemptees", "max-consolidation-preemptees"),
    ("allow-consolidating-reclaim", "consolidating-reclaim"),
    ("use-scheduling-signatures", "scheduling-signatures"),
    ("restrict-node-scheduling", "restrict-node-scheduling"),
    ("schedule-period", "cycle"),
    ("default-staleness-grace-period", "staleness-grace"),
];

/// Parameters in a snapshot with their settings, and whether they are nanoseconds.
const PARAMETERS: [(&str, &str, bool); 5] = [
    ("maxNumberConsolidationPreemptees", "max-consolidation-preemptees", false),
    ("fullHierarchyFairness", "full-hierarchy-fairness", false),
    ("allowConsolidatingReclaim", "consolidating-reclaim", false),
    ("schedulePeriod", "cycle", true),
    ("globalDefaultStalenessGracePeriod", "staleness-grace", true),
];

/// Settings by key.
pub type Settings = BTreeMap<String, Scalar>;

/// The settings of the whole cluster, and its node pools if it has several shards.
pub fn read(cluster: &Cluster<'_>, report: &mut Report) -> (Settings, Vec<PoolEntry>) {
    let mut common = Settings::new();
    for place in &cluster.objects.parameters {
        for (key, setting, is_ns) in PARAMETERS {
            let Some(text) = place.scalar(&[key]) else { continue };
            let ns = text.parse::<i64>().ok().filter(|_| is_ns);
            let text =
                ns.map_or_else(|| text.to_string(), |ns| format!("{}s", print_decimal(ns / 1_000_000, 3)));
            common.insert(setting.to_string(), Scalar(text));
        }
        report.understood.push(format!("{}: parameters of the scheduler", place.line()));
    }
    let shards = cluster.objects.of_kind(Kind::Shard);
    let mut pools: Vec<PoolEntry> = Vec::new();
    for shard in shards {
        let name = shard.place.scalar(&["spec", "partitionLabelValue"]).filter(|name| !name.is_empty());
        let mut settings = settings(shard, report);
        let cycle = settings.remove("cycle");
        pools.push(PoolEntry {
            name: name.unwrap_or(DEFAULT).to_string(),
            cycle,
            settings,
            ..PoolEntry::default()
        });
    }
    if let [only] = pools.as_mut_slice() {
        common.append(&mut only.settings);
        common.extend(only.cycle.take().map(|cycle| ("cycle".to_string(), cycle)));
        pools.clear();
    }
    (common, pools)
}

fn settings(shard: &Object<'_>, report: &mut Report) -> Settings {
    let spec = |keys: &[&str]| shard.place.get("spec")?.at(keys);
    let mut settings = Settings::new();
    for (keys, setting) in FIELDS {
        if let Some(text) = spec(keys).and_then(|place| place.scalar(&[])) {
            settings.insert(setting.to_string(), Scalar(text.to_string()));
        }
    }
    let entries = |keys: &[&str]| spec(keys).map(|place| place.entries()).unwrap_or_default();
    for (flag, value) in entries(&["args"]) {
        match (FLAGS.iter().find(|(known, _)| *known == flag), value.scalar(&[])) {
            (Some((_, setting)), Some(text)) => {
                settings.insert(setting.to_string(), Scalar(text.to_string()));
            }
            _ => report.ignored.push(format!("{}: the argument {flag} of {}", value.line(), shard.called())),
        }
    }
    for (action, depth) in entries(&["queueDepthPerAction"]) {
        if let Some(depth) = depth.scalar(&[]) {
            settings.insert(format!("queue-depth-{action}"), Scalar(depth.to_string()));
        }
    }
    for key in ["plugins", "actions"] {
        if let Some(place) = spec(&[key]).filter(|place| !place.is_empty()) {
            report.ignored.push(format!("{}: {key} of {}", place.line(), shard.called()));
        }
    }
    if spec(&["usageDBConfig"]).is_some_and(|place| !place.is_empty()) {
        let says = "fair share over time is on, and no object has the usage so far: it begins at 0, with the default window";
        report.assumed.push(format!("{}: {says}", shard.called()));
    }
    settings
}

/// The pool of an object: by its label, where there are pools.
pub fn pool_of(object: &Object<'_>, label: &str, pools: &[PoolEntry]) -> Option<String> {
    let name = object.label(label).filter(|name| !name.is_empty()).unwrap_or(DEFAULT);
    pools.iter().any(|pool| pool.name == name).then(|| name.to_string())
}

/// The label key of the shards, which a config may change.
pub fn label_of(places: &[Place<'_>]) -> Option<String> {
    places.iter().find_map(|place| {
        let said = place.scalar(&["partitionParams", "NodePoolLabelKey"]);
        said.filter(|key| !key.is_empty()).map(str::to_string)
    })
}
