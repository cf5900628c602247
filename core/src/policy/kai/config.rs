//! Configuration of the scheduler: its values with upstream's defaults and their parsers.
//!
//! # Rule
//! An omitted setting has the upstream default (kai.md 4.1).
//!
//! [`super::settings`] has the settings of a scenario that fill these fields.
//!
//! Upstream's constants are not settings: priority of a queue 100, preemptibility threshold 100. Node,
//! job and pod attributes are fields of a scenario's entries.
//!
//! # Source
//! kai.md 2.4, 2.6, 4.1, 6.8, 8, appendix A; kai-v0.17.md 15.6
//!
//! # Differs
//! windows set by a cron expression are not simulated; usage is measured only if the scenario requests it;
//! MIG, DRA, topology constraints and storage are not modelled

use std::sync::Arc;

pub use super::revision::Revision;
use super::share::division::DivisionParams;
pub use super::share::usage::Window;
use crate::format::quantity;
use crate::policy::setting::{Expected, choice};
use crate::policy::{Timers, UsageTimers};
use crate::time::Span;

/// The five actions, in upstream's default order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Action {
    /// Places pending jobs on free resources.
    Allocate,
    /// Moves preemptible jobs so that pending jobs fit.
    Consolidation,
    /// Evicts jobs of queues above their share.
    Reclaim,
    /// Evicts jobs of lower priority in the same queue.
    Preempt,
    /// Evicts gangs below their minimum.
    StaleGangEviction,
}

impl Action {
    /// All actions in default order.
    pub const ALL: [Action; 5] =
        [Action::Allocate, Action::Consolidation, Action::Reclaim, Action::Preempt, Action::StaleGangEviction];

    /// Name in configuration and recordings.
    pub fn name(self) -> &'static str {
        match self {
            Action::Allocate => "allocate",
            Action::Consolidation => "consolidation",
            Action::Reclaim => "reclaim",
            Action::Preempt => "preempt",
            Action::StaleGangEviction => "stalegangeviction",
        }
    }
}

/// Placement strategy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Placement {
    /// Fullest node first.
    #[default]
    BinPack,
    /// Emptiest node first.
    Spread,
}

/// Method that resolves the minimum runtime against reclaim (kai.md 6.8).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReclaimResolve {
    /// Below the lowest common ancestor.
    #[default]
    Lca,
    /// From the victim's queue upward.
    Queue,
}

/// Configuration of the scheduler.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Set of rules.
    pub revision: Revision,
    /// Actions of a cycle, in order.
    pub actions: Vec<Action>,
    /// Whether a queue within its quota reclaims from queues of lower priority within theirs (v0.18, alpha).
    pub priority_in_quota_reclaim: bool,
    /// Enabled plugins, in order, with upstream's names; node scores are summed in this order.
    pub plugins: Vec<Arc<str>>,
    /// Weight of past usage, >= 0.
    pub k_value: f64,
    /// Saturation multiplier of the reclaim validator, >= 1.
    pub saturation_multiplier: f64,
    /// Strategy for GPU work.
    pub gpu_placement: Placement,
    /// Strategy for CPU-only work.
    pub cpu_placement: Placement,
    /// Maximum number of victims of a consolidation; `None`: unlimited. `Some(0)` disables it.
    pub max_consolidation_preemptees: Option<u32>,
    /// Whether victims that are placed again do not count in reclaim.
    pub allow_consolidating_reclaim: bool,
    /// Whether jobs equivalent to failed ones are skipped.
    pub use_scheduling_signatures: bool,
    /// Grace period of a gang below its minimum, seconds; `None`: unlimited.
    pub staleness_grace_s: Option<f64>,
    /// How long a pod may terminate until its room is no longer promised to others, seconds; since v0.17.
    pub stuck_in_releasing_s: f64,
    /// Maximum number of jobs per leaf queue that an action considers.
    pub queue_depth: Vec<(Action, u32)>,
    /// Default minimum runtime against preemption, seconds.
    pub default_preempt_min_runtime_s: f64,
    /// Default minimum runtime against reclaim, seconds.
    pub default_reclaim_min_runtime_s: f64,
    /// Method that resolves the minimum runtime against reclaim.
    pub reclaim_resolve: ReclaimResolve,
    /// `false`: departments are ignored; every queue with a parent becomes a child of one synthetic queue.
    pub full_hierarchy_fairness: bool,
    /// Whether GPU pods need nodes with the role gpu-worker, other pods nodes with the role cpu-worker.
    pub restrict_node_scheduling: bool,
    /// Seed that permutes the orders upstream leaves undefined (kai.md 11); `None`: canonical orders.
    pub seed: Option<u64>,
    /// Measurement of usage; `None`: usage keeps the initial value of each queue.
    pub usage: Option<UsageParams>,
    /// Differences of another product on the same engine.
    pub dialect: Dialect,
}

/// Differences of another product on the same engine; the default is KAI itself.
///
/// # Source
/// runai.md 9, preset contents; RC-3, RC-7, RC-13, RC-14
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dialect {
    /// Whether a queue is over its fair share once *any* resource is, not only when all are (RC-13).
    pub over_share_in_any: bool,
    /// Whether a remainder of the division is capped by the wanted amount (RC-3).
    pub caps_remainders: bool,
    /// Whether equally old queues are ordered by name (RC-7).
    pub ties_by_name: bool,
    /// Whether pending requests of device memory are divided by the smallest device memory of the nodes (RC-14).
    pub by_smallest_device: bool,
}

/// Source of usage samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UsageClient {
    /// Samples at fixed intervals, weighted by age.
    #[default]
    Prometheus,
    /// One sample per cycle, weighted by position, as in the bundled simulator.
    FakeWithHistory,
}

/// Measurement of usage during the run (kai.md 2.6).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UsageParams {
    /// Source of the samples.
    pub client: UsageClient,
    /// Window and half-life.
    pub settings: super::share::usage::Settings,
    /// Interval between two samples.
    pub resolution: Span,
    /// Interval between two reads by the scheduler.
    pub fetch_interval: Span,
}

impl Default for UsageParams {
    fn default() -> Self {
        UsageParams {
            client: UsageClient::Prometheus,
            settings: super::share::usage::Settings::default(),
            resolution: Span::from_seconds(60),
            fetch_interval: Span::from_seconds(60),
        }
    }
}

/// Plugins enabled by default, in the order compiled into upstream.
pub const DEFAULT_PLUGINS: [&str; 18] = [
    "predicates",
    "proportion",
    "priority",
    "elastic",
    "kubeflow",
    "ray",
    "nodeavailability",
    "gpusharingorder",
    "gpupack",
    "resourcetype",
    "subgrouporder",
    "taskorder",
    "nominatednode",
    "dynamicresources",
    "nodeplacement",
    "minruntime",
    "topology",
    "snapshot",
];

/// Plugins that generate the scenarios of a search for victims, in their default order, after [`DEFAULT_PLUGINS`];
/// since v0.16. Without any of them consolidation, reclaim and preempt find nothing.
pub const SEARCH_PLUGINS: [&str; 2] = ["sg-nodelocalgreedy", "sg-multinodegang"];

/// The plugins of a revision: since v0.16 the search for victims consists of plugins.
pub fn default_plugins(revision: Revision) -> Vec<Arc<str>> {
    let search: &[&str] = match revision {
        Revision::V0_13 => &[],
        Revision::V0_17 => &SEARCH_PLUGINS,
    };
    DEFAULT_PLUGINS.iter().chain(search).map(|&plugin| Arc::from(plugin)).collect()
}

impl Default for Config {
    fn default() -> Self {
        Config {
            revision: Revision::default(),
            actions: Action::ALL.to_vec(),
            priority_in_quota_reclaim: false,
            plugins: default_plugins(Revision::default()),
            k_value: 1.0,
            saturation_multiplier: 1.0,
            gpu_placement: Placement::BinPack,
            cpu_placement: Placement::BinPack,
            max_consolidation_preemptees: Some(16),
            allow_consolidating_reclaim: true,
            use_scheduling_signatures: true,
            staleness_grace_s: Some(60.0),
            stuck_in_releasing_s: 120.0,
            queue_depth: Vec::new(),
            default_preempt_min_runtime_s: 0.0,
            default_reclaim_min_runtime_s: 0.0,
            reclaim_resolve: ReclaimResolve::Lca,
            full_hierarchy_fairness: true,
            restrict_node_scheduling: false,
            seed: None,
            usage: None,
            dialect: Dialect::default(),
        }
    }
}

impl UsageParams {
    /// How long after the last change past usage still affects decisions.
    fn timers(&self) -> UsageTimers {
        let window_ms = (self.settings.window_s * 1000.0).ceil() as i64;
        match self.client {
            UsageClient::Prometheus => {
                // All samples of a window are equal once it begins after the last change.
                let extra_ms = self.fetch_interval.as_millis() + self.resolution.as_millis();
                UsageTimers::Every { interval: self.fetch_interval, window: Span::from_millis(window_ms + extra_ms) }
            }
            // The window counts as many cycles as its length in seconds.
            UsageClient::FakeWithHistory => UsageTimers::Cycles(window_ms / 1000 + 2),
        }
    }
}

impl Config {
    /// Timers after which decisions may change without an event: minimum runtimes, stale gangs, measured usage.
    pub fn timers(&self) -> Timers {
        let seconds = |s: f64| Span::from_millis((s * 1000.0).ceil().clamp(0.0, 1e15) as i64);
        Timers {
            default_min_runtimes: [
                seconds(self.default_preempt_min_runtime_s),
                seconds(self.default_reclaim_min_runtime_s),
            ],
            staleness_grace: self.staleness_grace_s.map(seconds),
            stuck_in_releasing: self.stuck_in_releasing().map(seconds),
            usage: self.usage.as_ref().map(UsageParams::timers),
        }
    }

    /// How long a pod may terminate until it is stuck, in seconds; `None`: for ever.
    pub fn stuck_in_releasing(&self) -> Option<f64> {
        self.revision.has_stuck_pods().then_some(self.stuck_in_releasing_s)
    }

    /// Parameters of the division.
    pub fn division_params(&self) -> DivisionParams {
        DivisionParams { k: self.k_value, caps_remainders: self.dialect.caps_remainders }
    }
    /// Maximum number of jobs per leaf queue that an action considers; `None`: all.
    pub fn depth(&self, action: Action) -> Option<u32> {
        self.queue_depth.iter().find(|d| d.0 == action).map(|d| d.1)
    }
    /// Enables gpuspread instead of gpupack and gpusharingorder.
    pub fn spread_devices(&mut self) {
        self.plugins.retain(|plugin| &**plugin != "gpusharingorder");
        for plugin in self.plugins.iter_mut().filter(|plugin| &***plugin == "gpupack") {
            *plugin = Arc::from("gpuspread");
        }
    }
    /// Removes consolidation from the actions.
    pub fn disable_consolidation(&mut self) {
        self.actions.retain(|action| *action != Action::Consolidation);
    }
    /// Whether a plugin is enabled.
    pub fn has(&self, plugin: &str) -> bool {
        self.plugins.iter().any(|p| &**p == plugin)
    }
}

pub fn list(text: &str) -> impl Iterator<Item = &str> {
    text.split([',', ' ']).map(str::trim).filter(|item| !item.is_empty())
}

pub fn action(name: &str) -> Option<Action> {
    Action::ALL.into_iter().find(|action| action.name() == name)
}

pub fn actions(text: &str) -> Result<Vec<Action>, Expected> {
    let expected = "a list of different actions out of allocate, consolidation, reclaim, preempt, stalegangeviction";
    let mut actions = Vec::new();
    for name in list(text) {
        let action = action(name).ok_or(expected)?;
        if actions.contains(&action) {
            return Err(expected);
        }
        actions.push(action);
    }
    Ok(actions)
}

pub fn plugins(text: &str) -> Result<Vec<Arc<str>>, Expected> {
    let expected = "a list of different plugins by their names in KAI, such as predicates, proportion, priority";
    let mut plugins: Vec<Arc<str>> = Vec::new();
    for name in list(text) {
        let is_default = DEFAULT_PLUGINS.contains(&name) || SEARCH_PLUGINS.contains(&name);
        let is_known = is_default || matches!(name, "gpuspread" | "podaffinity");
        if !is_known || plugins.iter().any(|plugin| &**plugin == name) {
            return Err(expected);
        }
        plugins.push(name.into());
    }
    Ok(plugins)
}

/// A non-negative number, parsed from decimal text to a double.
pub fn real(text: &str) -> Result<f64, Expected> {
    let n = quantity::millionths(text).map_err(|_| "a number not below zero, with at most six digits")?;
    Ok(n as f64 / 1_000_000.0)
}

pub fn at_least_one(n: f64) -> Result<f64, Expected> {
    if n >= 1.0 { Ok(n) } else { Err("a number of at least 1") }
}

pub fn seconds(text: &str) -> Result<f64, Expected> {
    quantity::span(text).map(Span::as_seconds).map_err(|_| "a duration such as 60s or 5m")
}

pub fn positive(text: &str) -> Result<Span, Expected> {
    let span = quantity::span(text).ok().filter(|&span| span > Span::ZERO);
    span.ok_or("a duration above zero such as 60s or 7d")
}

pub fn half_life(text: &str) -> Result<Option<f64>, Expected> {
    if text == "off" {
        return Ok(None);
    }
    let span = quantity::span(text).map_err(|_| "a duration such as 1h, or off")?;
    Ok((span > Span::ZERO).then(|| span.as_seconds()))
}

/// Upstream writes -1.
pub fn is_unlimited(text: &str) -> bool {
    text == "-1" || quantity::is_no_ceiling(text)
}

pub fn unlimited_or<T>(text: &str, read: fn(&str) -> Result<T, Expected>) -> Result<Option<T>, Expected> {
    if is_unlimited(text) { Ok(None) } else { read(text).map(Some) }
}

pub fn number_or_unlimited(text: &str) -> Result<Option<u32>, Expected> {
    unlimited_or(text, |text| {
        let n = quantity::count(text).ok().and_then(|n| u32::try_from(n).ok());
        n.ok_or("a whole number, or unlimited")
    })
}

pub fn resolve(text: &str) -> Result<ReclaimResolve, Expected> {
    choice(text, &[("lca", ReclaimResolve::Lca), ("queue", ReclaimResolve::Queue)], "lca or queue")
}

pub fn client(text: &str) -> Result<Option<UsageClient>, Expected> {
    let all = [
        ("none", None),
        ("prometheus", Some(UsageClient::Prometheus)),
        ("fake-with-history", Some(UsageClient::FakeWithHistory)),
    ];
    choice(text, &all, "none, prometheus or fake-with-history")
}

/// Whether the window is tumbling.
pub fn window(text: &str) -> Result<bool, Expected> {
    match text {
        "sliding" => Ok(false),
        "tumbling" => Ok(true),
        "cron" => Err("simulated; use sliding or tumbling"),
        _ => Err("sliding or tumbling"),
    }
}

pub fn placement(text: &str) -> Result<Placement, Expected> {
    choice(text, &[("binpack", Placement::BinPack), ("spread", Placement::Spread)], "binpack or spread")
}
