//! Imports settings of KAI from scheduling shards, from the configuration that its operator generates, or from a
//! snapshot. Several shards become node pools.
//!
//! # Rule
//! The `plugins` and `actions` of a shard change the operator's lists: other entries stay, higher priorities go first,
//! and arguments replace all default arguments of their plugin. The lists become settings only if they differ from the
//! operator's. Plugins and arguments that older releases lack set the version.
//!
//! # Source
//! KAI Scheduler, API type `kai.scheduler/v1` SchedulingShard, `docs/operator/scheduler-config-customization.md`,
//! `docs/plugins/snapshot.md`; kai.md 4.1; kai-v0.17.md 18.1; kai-v0.18.md 2.1
//!
//! # Differs
//! No object contains the usage for time-based fair share: it begins at 0.

use std::collections::BTreeMap;

use super::objects::ObjectKind;
use super::{Cluster, Report};
use crate::import::date::date;
use crate::import::reader::{LocatedValue, Reader};
use crate::policy::kai::config::{Revision, SEARCH_PLUGINS};
use crate::policy::kai::operator::{ACTIONS, ARGUMENTS, FIELDS, FLAGS, PLUGINS, USAGE, has_action, has_plugin};
use crate::policy::kai::settings::PRIORITY_IN_QUOTA;
use crate::scenario::quantity::{self, print_decimal};
use crate::scenario::value::parse;
use crate::scenario::{PoolEntry, Scalar};

/// Pool of objects without a label.
const DEFAULT: &str = "default";

/// Parameters in a snapshot, the corresponding settings, and whether the values are in nanoseconds.
const PARAMETERS: [(&str, &str, bool); 5] = [
    ("maxNumberConsolidationPreemptees", "max-consolidation-preemptees", false),
    ("fullHierarchyFairness", "full-hierarchy-fairness", false),
    ("allowConsolidatingReclaim", "consolidating-reclaim", false),
    ("schedulePeriod", "cycle", true),
    ("globalDefaultStalenessGracePeriod", "staleness-grace", true),
];

/// Whether a pod set needs no pods unless it says so, under the version in these settings, which else is the newest.
pub fn has_optional_members(settings: &Settings) -> bool {
    let version = settings.get("version").map(|typed| Revision::named(&typed.0));
    version.flatten().unwrap_or(Revision::NEWEST).has_optional_members()
}

/// Settings by key.
pub type Settings = BTreeMap<String, Scalar>;

/// Returns the settings of the whole cluster, and the node pools if there are several shards.
pub fn read(cluster: &Cluster<'_>, report: &mut Report) -> (Settings, Vec<PoolEntry>) {
    let mut common = Settings::new();
    for place in &cluster.objects.parameters {
        parameters(place, &mut common);
        report.understand(format!("{}: parameters of the scheduler", place.line()));
    }
    let shards = cluster.objects.of_kind(ObjectKind::Shard);
    let mut pools: Vec<PoolEntry> = Vec::new();
    for shard in shards {
        let name = shard.place.scalar(&["spec", "partitionLabelValue"]).filter(|name| !name.is_empty());
        let mut reading = Reading::new(format!("the scheduling shard {}", shard.called()), cluster.now_ms);
        if let Some(spec) = shard.place.get("spec") {
            reading.shard(&spec);
        }
        let mut settings = reading.finish(&shard.place, report);
        let cycle = settings.remove("cycle");
        pools.push(PoolEntry { name: name.unwrap_or(DEFAULT).to_string(), cycle, settings, ..PoolEntry::default() });
    }
    if let [only] = pools.as_mut_slice() {
        common.append(&mut only.settings);
        common.extend(only.cycle.take().map(|cycle| ("cycle".to_string(), cycle)));
        pools.clear();
    }
    if shards.is_empty() {
        configurations(cluster, &mut common, report);
    }
    (common, pools)
}

/// Reads the start parameters of the scheduler in a snapshot.
fn parameters(place: &LocatedValue<'_>, settings: &mut Settings) {
    for (key, setting, is_ns) in PARAMETERS {
        let Some(text) = place.scalar(&[key]) else { continue };
        let ns = text.parse::<i64>().ok().filter(|_| is_ns);
        let text = match ns {
            // Upstream uses negative values for never.
            Some(ns) if ns < 0 => "unlimited".to_string(),
            Some(ns) => format!("{}s", print_decimal(ns / 1_000_000, 3)),
            None => text.to_string(),
        };
        settings.insert(setting.to_string(), Scalar(text));
    }
}

/// Reads configurations of the scheduler: bare, in a snapshot, or as text in an object. The last one counts.
fn configurations(cluster: &Cluster<'_>, settings: &mut Settings, report: &mut Report) {
    for place in &cluster.objects.configurations {
        let mut reading = Reading::new("the configuration of the scheduler".into(), cluster.now_ms);
        reading.configuration(place);
        settings.append(&mut reading.finish(place, report));
    }
    for (object, text) in &cluster.objects.configuration_texts {
        let source = format!("the configuration of the scheduler in ConfigMap {}", object.called());
        match parse(text, &[]) {
            Ok(value) => {
                let mut reading = Reading::new(source, cluster.now_ms);
                reading.configuration(&Reader::default().root("", &value));
                settings.append(&mut reading.finish(&object.place, report));
            }
            Err(wrong) => report.diagnostics.push(object.place.error(format!("{source}: {}", wrong.says))),
        }
    }
}

/// Settings of one scheduler read so far.
struct Reading {
    source: String,
    now_ms: i64,
    settings: Settings,
    assumed: Vec<String>,
    ignored: Vec<String>,
}

impl Reading {
    fn new(source: String, now_ms: i64) -> Reading {
        Reading { source, now_ms, settings: Settings::new(), assumed: Vec::new(), ignored: Vec::new() }
    }

    /// Returns the settings. Reports what was read and what was not.
    fn finish(self, place: &LocatedValue<'_>, report: &mut Report) -> Settings {
        let read = self.settings.iter().map(|(name, value)| format!("{name} {}", value.0));
        let read = read.collect::<Vec<_>>().join(", ");
        let read = if read.is_empty() { "all settings have their defaults".to_string() } else { read };
        report.understand(format!("{}: {}: {read}", place.line(), self.source));
        report.assumed.extend(self.assumed);
        report.ignored.extend(self.ignored);
        self.settings
    }

    fn set(&mut self, setting: &str, text: &str) {
        self.settings.insert(setting.to_string(), Scalar(text.to_string()));
    }

    fn ignore(&mut self, place: &LocatedValue<'_>, what: &str) {
        place.mark();
        self.ignored.push(format!("{}: {what} of {}", place.line(), self.source));
    }

    /// Reads the `spec` of a shard.
    fn shard(&mut self, spec: &LocatedValue<'_>) {
        for (keys, setting) in FIELDS {
            if let Some(text) = spec.scalar(keys) {
                self.set(setting, text);
            }
        }
        for (flag, value) in spec.entries(&["args"]) {
            match (FLAGS.iter().find(|(name, _)| *name == flag), value.scalar(&[])) {
                (Some((_, setting)), Some(text)) if text.starts_with('-') => self.set(setting, "unlimited"),
                (Some((_, setting)), Some(text)) => self.set(setting, text),
                _ => self.ignore(&value, &format!("the argument {flag}")),
            }
        }
        self.depths(spec);
        let spreads = self.spreads();
        for (plugin, value) in spec.entries(&["plugins"]) {
            if let Some(arguments) = value.get("arguments") {
                self.lost_k(plugin, &arguments);
                self.settings.retain(|setting, _| !is_of(plugin, setting));
                self.arguments(plugin, &arguments);
            }
            if !PLUGINS.iter().any(|(name, _)| *name == plugin) {
                self.ignore(&value, &format!("the plugin {plugin}"));
            }
        }
        self.lists(spec, spreads);
        self.usage(spec);
        for (key, value) in spec.entries(&[]) {
            const READ: [&str; 8] = [
                "partitionLabelValue",
                "placementStrategy",
                "kValue",
                "minRuntime",
                "args",
                "queueDepthPerAction",
                "plugins",
                "actions",
            ];
            if !READ.contains(&key) && key != "usageDBConfig" && !value.is_empty() {
                self.ignore(&value, key);
            }
        }
    }

    /// Whether GPU jobs and CPU jobs are spread.
    fn spreads(&self) -> [bool; 2] {
        ["gpu-placement", "cpu-placement"]
            .map(|setting| self.settings.get(setting).is_some_and(|way| way.0 == "spread"))
    }

    /// Reads the plugin and action lists of a shard, unless they are those that the operator derives from the placement
    /// strategy.
    fn lists(&mut self, spec: &LocatedValue<'_>, spreads: [bool; 2]) {
        let strategy_is_kept = self.spreads() == spreads;
        let changed = |list: &str| changes(&spec.entries(&[list]));
        let plugins = changed("plugins");
        if !plugins.is_empty() || !strategy_is_kept {
            let list = merged(&PLUGINS, |name| has_plugin(name, spreads, Revision::NEWEST), &plugins);
            self.set("plugins", &list);
        }
        let actions = changed("actions");
        if !actions.is_empty() || !strategy_is_kept {
            let list = merged(&ACTIONS, |name| has_action(name, spreads), &actions);
            self.set("actions", &list);
        }
        for (action, value) in spec.entries(&["actions"]) {
            if !ACTIONS.iter().any(|(name, _)| *name == action) {
                self.ignore(&value, &format!("the action {action}"));
            }
        }
    }

    /// Reads a configuration of the scheduler.
    fn configuration(&mut self, place: &LocatedValue<'_>) {
        let mut names = Vec::new();
        for tier in place.items(&["tiers"]) {
            for plugin in tier.items(&["plugins"]) {
                let Some(name) = plugin.scalar(&["name"]) else { continue };
                if PLUGINS.iter().any(|(read_name, _)| *read_name == name) {
                    names.push(name);
                } else {
                    self.ignore(&plugin, &format!("the plugin {name}"));
                }
                if let Some(arguments) = plugin.get("arguments") {
                    self.arguments(name, &arguments);
                }
                for (key, value) in plugin.entries(&[]) {
                    if !["name", "arguments"].contains(&key) && value.scalar(&[]) == Some("true") {
                        self.ignore(&value, &format!("{key} of the plugin {name}"));
                    }
                }
            }
        }
        let spreads = self.spreads();
        let plugins = names.join(", ");
        let revision = self.revision(&names);
        let is_on = |name: &str| has_plugin(name, spreads, revision);
        if !names.is_empty() && plugins != merged(&PLUGINS, is_on, &[]) {
            self.set("plugins", &plugins);
        }
        if let Some(text) = place.scalar(&["actions"]) {
            let listed = text.split(',').map(str::trim).filter(|name| !name.is_empty());
            let (read, other): (Vec<&str>, Vec<&str>) =
                listed.partition(|name| ACTIONS.iter().any(|(other, _)| other == name));
            let actions = read.join(", ");
            if actions != merged(&ACTIONS, |name| has_action(name, spreads), &[]) {
                self.set("actions", &actions);
            }
            other.iter().for_each(|name| self.ignore(place, &format!("the action {name}")));
        }
        self.depths(place);
        self.usage(place);
    }

    /// The revision that has a complete list of plugins: the search for jobs to evict consists of plugins since
    /// v0.16.0.
    fn revision(&mut self, names: &[&str]) -> Revision {
        let is_newest =
            self.settings.contains_key(PRIORITY_IN_QUOTA) || SEARCH_PLUGINS.iter().any(|plugin| names.contains(plugin));
        if names.is_empty() || is_newest {
            return Revision::NEWEST;
        }
        let revision = Revision::default();
        self.set("version", revision.name());
        let message = "lists no plugin that searches for jobs to evict, as before v0.16.0: it is simulated as version";
        self.assumed.push(format!("{} {message} {}", self.source, revision.name()));
        revision
    }

    fn depths(&mut self, place: &LocatedValue<'_>) {
        for (action, depth) in place.entries(&["queueDepthPerAction"]) {
            match depth.scalar(&[]).filter(|_| ACTIONS.iter().any(|(name, _)| *name == action)) {
                Some(text) => self.set(&format!("queue-depth-{action}"), text),
                None => self.ignore(&depth, &format!("the queue depth of {action}")),
            }
        }
    }

    fn arguments(&mut self, plugin: &str, place: &LocatedValue<'_>) {
        for (key, value) in place.entries(&[]) {
            let argument = ARGUMENTS.iter().find(|(owner, name, _)| (*owner, *name) == (plugin, key));
            match (argument, value.scalar(&[])) {
                (Some((.., PRIORITY_IN_QUOTA)), Some(text)) => self.priority_in_quota(&value, text),
                (Some((.., setting)), Some(text)) => self.set(setting, text),
                _ => self.ignore(&value, &format!("the argument {key} of the plugin {plugin}")),
            }
        }
    }

    /// Reads the switch for in-quota reclaim by priority, a boolean as Go reads it; upstream takes anything else as
    /// false.
    fn priority_in_quota(&mut self, place: &LocatedValue<'_>, text: &str) {
        match text {
            "1" | "t" | "T" | "true" | "TRUE" | "True" => {
                self.set(PRIORITY_IN_QUOTA, "true");
            }
            "0" | "f" | "F" | "false" | "FALSE" | "False" => {}
            _ => self.ignore(place, "queuePriorityInQuotaReclaim, which is no boolean and counts as false,"),
        }
    }

    /// Reports a k that the shard sets and the arguments of a plugin replace.
    fn lost_k(&mut self, plugin: &str, arguments: &LocatedValue<'_>) {
        let is_lost = plugin == "proportion" && arguments.get("kValue").is_none();
        let discarded = self.settings.get("k-value").filter(|k| is_lost && !matches!(k.0.as_str(), "1" | "1.0"));
        self.assumed.extend(discarded.map(|k| {
            format!(
                "{}: the arguments of proportion replace the kValue {} of {}, so that k is 1",
                arguments.line(),
                k.0,
                self.source
            )
        }));
    }

    /// Reads how past usage is measured.
    fn usage(&mut self, place: &LocatedValue<'_>) {
        let Some(usage) = place.get("usageDBConfig").filter(|usage| !usage.is_empty()) else { return };
        match usage.scalar(&["clientType"]) {
            Some(client @ ("prometheus" | "fake-with-history")) => self.set("usage-client", client),
            other => {
                let client = other.unwrap_or("none");
                self.ignore(&usage, &format!("the usage client {client}, so that no usage is measured,"));
                return;
            }
        }
        let message = "fair share over time is on, and no object has the usage so far: it begins at 0";
        self.assumed.push(format!("{}: {message}", self.source));
        for (key, value) in usage.entries(&["usageParams"]) {
            let text = value.scalar(&[]).unwrap_or_default();
            let setting = USAGE.iter().find(|(usage_key, _)| *usage_key == key).map(|(_, setting)| *setting);
            match (key, setting) {
                (_, Some(setting)) => match duration(text) {
                    Some(span) => self.set(setting, &span),
                    None => self.ignore(&value, &format!("{key} {text}, which is no duration,")),
                },
                ("windowType", _) if matches!(text, "sliding" | "tumbling") => {
                    self.set("usage-window-type", text);
                }
                ("windowType", _) => {
                    self.ignore(&value, &format!("the window type {text}: a sliding window is simulated; it is"));
                }
                ("tumblingWindowStartTime", _) => self.window_start(&usage, &value),
                _ => self.ignore(&value, key),
            }
        }
        if let Some(connection) = usage.get("connectionString") {
            self.ignore(&connection, "the connection to the usage database");
        }
    }

    /// Sets the start of the first window after the current time; upstream's start is in the past.
    fn window_start(&mut self, usage: &LocatedValue<'_>, value: &LocatedValue<'_>) {
        let window = usage.scalar(&["usageParams", "windowSize"]).and_then(duration);
        let window_ms = window.and_then(|span| quantity::span(&span).ok()).map_or(WEEK_MS, |span| span.as_millis());
        match value.scalar(&[]).and_then(date) {
            Some(start_ms) if window_ms > 0 => {
                let ms = (start_ms - self.now_ms).rem_euclid(window_ms);
                self.set("usage-window-start", &format!("{}s", print_decimal(ms, 3)));
            }
            _ => self.ignore(value, "tumblingWindowStartTime"),
        }
    }
}

/// Default usage window of upstream.
const WEEK_MS: i64 = 7 * 86_400_000;

/// Converts a Go duration, or one in weeks, to a scenario value; 0 means off.
fn duration(text: &str) -> Option<String> {
    let weeks = text.strip_suffix('w').and_then(|n| n.parse::<u32>().ok());
    let text = weeks.map_or_else(|| text.to_string(), |n| format!("{}d", u64::from(n) * 7));
    quantity::span(&text).ok().map(|_| text)
}

/// Whether a setting is an argument of a plugin.
fn is_of(plugin: &str, setting: &str) -> bool {
    ARGUMENTS.iter().any(|(owner, _, name)| *owner == plugin && *name == setting)
}

/// Returns the pool of an object by its label, if there are pools.
pub fn pool_of(object: &super::objects::Object<'_>, label: &str, pools: &[PoolEntry]) -> Option<String> {
    let name = object.label(label).filter(|name| !name.is_empty()).unwrap_or(DEFAULT);
    pools.iter().any(|pool| pool.name == name).then(|| name.to_string())
}

/// Returns the configured label key of the shards.
pub fn label_of(places: &[LocatedValue<'_>]) -> Option<String> {
    places.iter().find_map(|place| {
        let configured = place.scalar(&["partitionParams", "NodePoolLabelKey"]);
        configured.filter(|key| !key.is_empty()).map(str::to_string)
    })
}

/// Change to a plugin or an action.
pub struct Change<'a> {
    name: &'a str,
    enabled: Option<bool>,
    priority: Option<i64>,
}

/// Returns the changes to a list; entries with arguments only change nothing in it.
pub fn changes<'a>(entries: &[(&'a str, LocatedValue<'a>)]) -> Vec<Change<'a>> {
    let change = |(name, place): &(&'a str, LocatedValue<'a>)| Change {
        name,
        enabled: place.scalar(&["enabled"]).map(|text| text == "true"),
        priority: place.scalar(&["priority"]).and_then(|text| text.parse().ok()),
    };
    entries.iter().map(change).filter(|change| change.enabled.is_some() || change.priority.is_some()).collect()
}

/// Returns the names in the list after the changes, by descending priority.
pub fn merged(defaults: &[(&str, i64)], is_on: impl Fn(&str) -> bool, changes: &[Change<'_>]) -> String {
    let mut list: Vec<(i64, &str)> = Vec::new();
    for (name, priority) in defaults {
        let change = changes.iter().find(|change| change.name == *name);
        // An entry that the operator does not load by default is appended.
        let default = if is_on(name) { *priority } else { 0 };
        let is_enabled = change.map_or(is_on(name), |change| change.enabled.unwrap_or(true));
        if is_enabled {
            list.push((change.and_then(|change| change.priority).unwrap_or(default), name));
        }
    }
    list.sort_by_key(|(priority, name)| (std::cmp::Reverse(*priority), *name));
    list.into_iter().map(|(_, name)| name).collect::<Vec<_>>().join(", ")
}
