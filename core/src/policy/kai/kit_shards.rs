//! Shards of a kit: a scenario's settings in the form of KAI's operator.
//!
//! # Rule
//! One shard per node pool. Placement, fair share, minimum runtimes, queue depths, flags and usage measurement are
//! always written, so that no value of an earlier configuration remains; lists of plugins and actions only if the
//! scenario has them.
//!
//! # Source
//! KAI Scheduler, API type `kai.scheduler/v1` SchedulingShard; [`super::operator`]
//!
//! # Differs
//! a tumbling window begins at a time of the real clock; the scheduler uses its start time

use super::config::{Action, Config, Placement, ReclaimResolve, UsageClient, UsageParams, Window};
use super::export::{documents, duration};
use super::names::Names;
use super::operator::{ACTIONS, PLUGINS, has_action, has_plugin};
use super::settings::STUCK_THRESHOLD;
use crate::format::yaml::{Yaml, map, text};
use crate::format::{Scalar, quantity};
use crate::id::Id;
use crate::policy::Policy;
use crate::policy::export::{Source, Written};
use crate::time::Span;

/// Name of the operator's default shard.
const DEFAULT: &str = "default";

/// Shards of a scenario; `None` if it has another policy.
pub(super) fn shards(source: &Source<'_>, names: &Names) -> Option<Written> {
    let (mut objects, mut left_out) = (Vec::new(), Vec::new());
    for (pool, _, policy) in source.partitions() {
        let Policy::Kai(config) = policy else { return None };
        let shard = Shard { source, pool: pool.index(), config };
        objects.push(shard.object(names.shard(pool.index())));
        left_out.extend(shard.left_out());
    }
    Some(Written { text: documents(&objects), left_out })
}

struct Shard<'a> {
    source: &'a Source<'a>,
    pool: usize,
    config: &'a Config,
}

impl Shard<'_> {
    /// Text of a setting, of the pool or else of the whole scenario.
    fn typed(&self, setting: &str) -> Option<&Scalar> {
        let scenario = self.source.scenario;
        let of_pool = scenario.pools.get(self.pool).and_then(|pool| pool.settings.get(setting));
        of_pool.or_else(|| scenario.settings.get(setting))
    }

    fn object(&self, label: Option<&str>) -> Yaml {
        let config = self.config;
        let placement = |way: Placement| text(if way == Placement::Spread { "spread" } else { "binpack" });
        map([
            ("apiVersion", text("kai.scheduler/v1")),
            ("kind", text("SchedulingShard")),
            ("metadata", map([("name", text(label.unwrap_or(DEFAULT)))])),
            (
                "spec",
                map([
                    ("partitionLabelValue", text(label.unwrap_or_default())),
                    (
                        "placementStrategy",
                        map([("gpu", placement(config.gpu_placement)), ("cpu", placement(config.cpu_placement))]),
                    ),
                    ("kValue", Yaml::Value(number(config.k_value))),
                    (
                        "minRuntime",
                        map([
                            ("preemptMinRuntime", seconds(config.default_preempt_min_runtime_s)),
                            ("reclaimMinRuntime", seconds(config.default_reclaim_min_runtime_s)),
                        ]),
                    ),
                    ("queueDepthPerAction", self.depths()),
                    ("args", self.args()),
                    ("plugins", self.plugins()),
                    ("actions", self.actions()),
                    ("usageDBConfig", config.usage.as_ref().map_or(Yaml::Map(Vec::new()), usage)),
                ]),
            ),
        ])
    }

    fn depths(&self) -> Yaml {
        let depth = |(action, n): &(Action, u32)| (action.name().to_string(), Yaml::Value(n.to_string()));
        Yaml::Map(self.config.queue_depth.iter().map(depth).collect())
    }

    /// Flags of the scheduler, all of them strings.
    fn args(&self) -> Yaml {
        let config = self.config;
        let switch = |on: bool| text(if on { "true" } else { "false" });
        let preemptees = config.max_consolidation_preemptees.map_or("-1".to_string(), |n| n.to_string());
        map([
            ("full-hierarchy-fairness", switch(config.full_hierarchy_fairness)),
            ("max-consolidation-preemptees", text(&preemptees)),
            ("allow-consolidating-reclaim", switch(config.allow_consolidating_reclaim)),
            ("use-scheduling-signatures", switch(config.use_scheduling_signatures)),
            ("restrict-node-scheduling", switch(config.restrict_node_scheduling)),
            ("schedule-period", duration(self.period())),
            ("default-staleness-grace-period", config.staleness_grace_s.map_or(text("-1s"), seconds)),
            (STUCK_THRESHOLD, config.stuck_in_releasing().map_or(text(""), seconds)),
        ])
    }

    /// Interval between cycles, if constant.
    fn period(&self) -> Option<Span> {
        let scenario = self.source.scenario;
        let of_pool = scenario.pools.get(self.pool).and_then(|pool| pool.cycle.as_ref());
        let typed = of_pool.or(scenario.cycle.as_ref())?;
        quantity::span(typed.0.split(',').next().unwrap_or_default().trim()).ok()
    }

    /// Plugin arguments without a field in the shard, and the list of plugins if the scenario has one.
    fn plugins(&self) -> Yaml {
        let config = self.config;
        let mut entries: Vec<(String, Vec<(String, Yaml)>)> = Vec::new();
        let mut add = |plugin: &str, key: &str, value: Yaml| match entries.iter_mut().find(|(name, _)| name == plugin) {
            Some((_, fields)) => fields.push((key.to_string(), value)),
            None => entries.push((plugin.to_string(), vec![(key.to_string(), value)])),
        };
        // These arguments replace those derived by the operator from the fields above.
        if config.saturation_multiplier != 1.0 || config.priority_in_quota_reclaim {
            let multiplier = match config.saturation_multiplier {
                1.0 => text(""),
                multiplier => text(&number(multiplier)),
            };
            let by_priority = if config.priority_in_quota_reclaim { text("true") } else { text("") };
            let arguments = [
                ("kValue", text(&number(config.k_value))),
                ("relcaimerSaturationMultiplier", multiplier),
                ("queuePriorityInQuotaReclaim", by_priority),
            ];
            add("proportion", "arguments", map(arguments));
        }
        if config.reclaim_resolve == ReclaimResolve::Queue {
            let arguments = [
                ("defaultPreemptMinRuntime", seconds(config.default_preempt_min_runtime_s)),
                ("defaultReclaimMinRuntime", seconds(config.default_reclaim_min_runtime_s)),
                ("reclaimResolveMethod", text("queue")),
            ];
            add("minruntime", "arguments", map(arguments));
        }
        if self.typed("plugins").is_some() {
            let list: Vec<&str> = config.plugins.iter().map(|plugin| &**plugin).collect();
            let is_on = |name: &str| has_plugin(name, self.spreads(), config.revision);
            for (name, key, value) in listed(&PLUGINS, is_on, &list) {
                add(name, key, value);
            }
        }
        Yaml::Map(entries.into_iter().map(|(name, fields)| (name, Yaml::Map(fields))).collect())
    }

    fn actions(&self) -> Yaml {
        if self.typed("actions").is_none() {
            return Yaml::Map(Vec::new());
        }
        let list: Vec<&str> = self.config.actions.iter().map(|action| action.name()).collect();
        let mut entries: Vec<(String, Yaml)> = Vec::new();
        for (name, key, value) in listed(&ACTIONS, |name| has_action(name, self.spreads()), &list) {
            match entries.iter_mut().find(|(existing, _)| existing == name) {
                Some((_, Yaml::Map(fields))) => fields.push((key.to_string(), value)),
                _ => entries.push((name.to_string(), map([(key, value)]))),
            }
        }
        Yaml::Map(entries)
    }

    fn spreads(&self) -> [bool; 2] {
        [self.config.gpu_placement, self.config.cpu_placement].map(|way| way == Placement::Spread)
    }

    fn left_out(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if self.period().is_none() && self.source.scenario.cycle.is_some() {
            lines.push("cycles at changes: the real scheduler runs one every second".to_string());
        }
        if self.config.seed.is_some() {
            lines.push("the seed: the real scheduler leaves these orders to chance".to_string());
        }
        if let Some(UsageParams { client, settings, resolution, .. }) = &self.config.usage {
            if matches!(settings.window, Window::Tumbling { .. }) {
                lines.push("where the window of usage begins: it begins when the scheduler starts".to_string());
            }
            if *client == UsageClient::Prometheus {
                let resolution = quantity::print_decimal(resolution.as_millis(), 3);
                lines.push(format!(
                    "samples of usage every {resolution} s: that is set in Prometheus, which the cluster needs"
                ));
            }
        }
        lines
    }
}

/// Turns the operator's list into the given one: sets the order of the listed entries and disables the others.
fn listed<'a>(
    defaults: &[(&'a str, i64)],
    is_on: impl Fn(&str) -> bool,
    list: &[&str],
) -> Vec<(&'a str, &'static str, Yaml)> {
    let mut changes = Vec::new();
    for (name, _) in defaults {
        match list.iter().position(|listed| listed == name) {
            Some(i) => {
                let priority = (list.len() - i) * 100;
                changes.push((*name, "enabled", Yaml::Value("true".into())));
                changes.push((*name, "priority", Yaml::Value(priority.to_string())));
            }
            None if is_on(name) => changes.push((*name, "enabled", Yaml::Value("false".into()))),
            None => {}
        }
    }
    changes
}

fn usage(usage: &UsageParams) -> Yaml {
    let client = match usage.client {
        UsageClient::Prometheus => "prometheus",
        UsageClient::FakeWithHistory => "fake-with-history",
    };
    let window = if usage.settings.window == Window::Sliding { "sliding" } else { "tumbling" };
    map([
        ("clientType", text(client)),
        (
            "usageParams",
            map([
                ("windowSize", seconds(usage.settings.window_s)),
                ("windowType", text(window)),
                ("halfLifePeriod", usage.settings.half_life_s.map_or(text(""), seconds)),
                ("fetchInterval", duration(Some(usage.fetch_interval))),
            ]),
        ),
    ])
}

/// Seconds in Go's duration format.
fn seconds(s: f64) -> Yaml {
    duration(Some(Span::from_millis((s * 1000.0).round() as i64)))
}

/// A number with at most six decimal places, as settings are parsed.
fn number(n: f64) -> String {
    quantity::print_decimal((n * 1_000_000.0).round() as i64, 6)
}
