//! Settings of KAI's scheduler outside an object: the spec of a scheduling shard, values of its chart and arguments of
//! plugins.
//!
//! # Source
//! NVIDIA/KAI-Scheduler, `deployments/kai-scheduler/templates/default-shard.yaml`,
//! `docs/operator/scheduler-config-customization.md`

use crate::scenario::value::{Is, Value};

/// Key of the arguments by plugin.
const ARGUMENTS: &str = "pluginArguments";

/// Key of the scheduler in the values of the chart.
const SCHEDULER: &str = "scheduler";

/// Keys of the spec of a shard that only a shard has.
const SPEC: [&str; 6] =
    ["placementStrategy", "kValue", "minRuntime", "queueDepthPerAction", "plugins", "usageDBConfig"];

/// Further keys of the spec, which other texts have, too.
const COMMON: [&str; 2] = ["args", "actions"];

/// Whether a text may have a fragment.
pub fn may_have(text: &str) -> bool {
    text.contains(ARGUMENTS) || SPEC.iter().any(|key| text.contains(key))
}

/// Completes a fragment to a scheduling shard; returns whether it was one.
pub fn complete(value: Value) -> (Value, bool) {
    match spec(&value) {
        Some(spec) => (shard(value.at, spec), true),
        None => (value, false),
    }
}

/// Returns the spec of the shard that a fragment describes.
fn spec(value: &Value) -> Option<Value> {
    if ["apiVersion", "kind", "tiers"].iter().any(|key| value.get(key).is_some()) {
        return None;
    }
    if let Some(arguments) = value.get(ARGUMENTS) {
        let Is::Map(plugins) = &arguments.is else { return None };
        let plugin =
            |(name, arguments): &(String, Value)| (name.clone(), map(arguments.at, "arguments", arguments.clone()));
        let plugins = Value { at: arguments.at, is: Is::Map(plugins.iter().map(plugin).collect()) };
        return Some(map(arguments.at, "plugins", plugins));
    }
    let inner = [SCHEDULER, "spec"].iter().find_map(|key| value.get(key)).unwrap_or(value);
    let Is::Map(entries) = &inner.is else { return None };
    let is_setting = |(key, value): &&(String, Value)| {
        let is_list = matches!(value.is, Is::List(_));
        let key = key.as_str();
        SPEC.contains(&key) || COMMON.contains(&key) && !is_list
    };
    if !entries.iter().any(|(key, _)| SPEC.contains(&key.as_str())) {
        return None;
    }
    let entries: Vec<(String, Value)> =
        entries.iter().filter(is_setting).map(|(key, value)| (key.clone(), strategy(key, value))).collect();
    Some(Value { at: inner.at, is: Is::Map(entries) })
}

/// Returns the value of a key of the spec. The chart has one placement strategy for GPU and CPU.
fn strategy(key: &str, value: &Value) -> Value {
    let is_both = key == "placementStrategy" && matches!(value.is, Is::Scalar(_));
    if !is_both {
        return value.clone();
    }
    let each = ["gpu", "cpu"].map(|resource| (resource.to_string(), value.clone()));
    Value { at: value.at, is: Is::Map(each.into()) }
}

fn shard(position: (u32, u32), spec: Value) -> Value {
    let text = |text: &str| Value { at: position, is: Is::Scalar(text.to_string()) };
    let entries = [
        ("apiVersion", text("kai.scheduler/v1")),
        ("kind", text("SchedulingShard")),
        ("metadata", map(position, "name", text("default"))),
        ("spec", spec),
    ];
    Value { at: position, is: Is::Map(entries.map(|(key, value)| (key.to_string(), value)).into()) }
}

fn map(position: (u32, u32), key: &str, value: Value) -> Value {
    Value { at: position, is: Is::Map(vec![(key.to_string(), value)]) }
}
