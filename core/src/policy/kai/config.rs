//! Every switch of the scheduler, with the default of upstream.
//!
//! # Rule
//! A switch left out has the upstream default (kai.md 4.1).
//!
//! [`super::settings`] has the settings of a scenario that fill these fields.
//!
//! Constants of upstream that are no switches: priority of a queue 100, of the threshold for preemptibility 100. Node,
//! job and pod attributes are fields of a scenario's entries.
//!
//! # Source
//! kai.md 2.4, 2.6, 4.1, 6.8, 8, appendix A
//!
//! # Differs
//! windows set by a cron expression are not simulated; queues' usage is not measured unless the scenario asks for it;
//! MIG, DRA, topology constraints and storage are not modelled

use std::sync::Arc;

use super::share::division::DivisionParams;
pub use super::share::usage::Window;
use crate::policy::{Timers, UsageTimers};
use crate::time::Span;

/// The five actions, in upstream's default order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Action {
    /// Place pending work on free resources.
    Allocate,
    /// Move preemptible work so that pending work fits.
    Consolidation,
    /// Take from queues above their share.
    Reclaim,
    /// Take from lower priority in the same queue.
    Preempt,
    /// Evict gangs that fell below their minimum.
    StaleGangEviction,
}

impl Action {
    /// All, in default order.
    pub const ALL: [Action; 5] = [
        Action::Allocate,
        Action::Consolidation,
        Action::Reclaim,
        Action::Preempt,
        Action::StaleGangEviction,
    ];

    /// The name in configuration and recordings.
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

/// Where single pods are packed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Placement {
    /// Fullest node first.
    #[default]
    BinPack,
    /// Emptiest node first.
    Spread,
}

/// How the minimum runtime against reclaim is found in the tree (kai.md 6.8).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReclaimResolve {
    /// Below the lowest common ancestor.
    #[default]
    Lca,
    /// From the victim's queue upward.
    Queue,
}

/// Every switch.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Actions of a cycle, in order.
    pub actions: Vec<Action>,
    /// Plugins that are loaded, in order, by upstream's names; node scores are summed in this order.
    pub plugins: Vec<Arc<str>>,
    /// How strongly past usage counts, >= 0.
    pub k_value: f64,
    /// Saturation multiplier of the reclaim validator, >= 1.
    pub saturation_multiplier: f64,
    /// Strategy for GPU work.
    pub gpu_placement: Placement,
    /// Strategy for CPU-only work.
    pub cpu_placement: Placement,
    /// Most victims a consolidation may consider; `None`: any number. `Some(0)` switches it off.
    pub max_consolidation_preemptees: Option<u32>,
    /// Whether victims that are placed elsewhere are free of charge in reclaim.
    pub allow_consolidating_reclaim: bool,
    /// Whether jobs like failed ones are skipped.
    pub use_scheduling_signatures: bool,
    /// How long a gang may be below its minimum, seconds; `None`: for ever.
    pub staleness_grace_s: Option<f64>,
    /// Most jobs an action looks at in each leaf queue.
    pub queue_depth: Vec<(Action, u32)>,
    /// Default minimum runtime against preemption, seconds.
    pub default_preempt_min_runtime_s: f64,
    /// Default minimum runtime against reclaim, seconds.
    pub default_reclaim_min_runtime_s: f64,
    /// How the minimum runtime against reclaim is found.
    pub reclaim_resolve: ReclaimResolve,
    /// `false`: departments are ignored; every queue with a parent stands below one synthetic queue.
    pub full_hierarchy_fairness: bool,
    /// Whether GPU work needs nodes with the role gpu-worker, other work nodes with the role cpu-worker.
    pub restrict_node_scheduling: bool,
    /// Permutes the orders that upstream leaves to chance (kai.md 11); `None`: canonical orders.
    pub seed: Option<u64>,
    /// How usage is measured during the run; `None`: it is not, and stays what the queues say.
    pub usage: Option<UsageParams>,
    /// Where another product on the same engine differs.
    pub dialect: Dialect,
}

/// Where another product on the same engine differs; the default is KAI itself.
///
/// # Source
/// runai.md 9, preset contents; RC-3, RC-7, RC-13, RC-14
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dialect {
    /// Whether a queue counts as over its fair share once *any* resource is, not only when all are (RC-13).
    pub over_share_in_any: bool,
    /// Whether a remainder of the division is capped by what is still wanted (RC-3).
    pub caps_remainders: bool,
    /// Whether equally old queues go by name (RC-7).
    pub ties_by_name: bool,
    /// Whether pending requests of device memory are measured against the smallest device there is (RC-14).
    pub by_smallest_device: bool,
}

/// Where usage comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UsageClient {
    /// Samples at fixed distances in time, weighted by age.
    #[default]
    Prometheus,
    /// One sample per cycle, weighted by position, as the bundled simulator has it.
    FakeWithHistory,
}

/// How usage is measured during the run (kai.md 2.6).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UsageParams {
    /// Where it comes from.
    pub client: UsageClient,
    /// Window and half-life.
    pub settings: super::share::usage::Settings,
    /// Distance of two samples.
    pub resolution: Span,
    /// Distance of two moments at which the scheduler learns of it.
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

/// Plugins loaded by default, in the order compiled into upstream.
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

impl Default for Config {
    fn default() -> Self {
        Config {
            actions: Action::ALL.to_vec(),
            plugins: DEFAULT_PLUGINS.iter().map(|&p| Arc::from(p)).collect(),
            k_value: 1.0,
            saturation_multiplier: 1.0,
            gpu_placement: Placement::BinPack,
            cpu_placement: Placement::BinPack,
            max_consolidation_preemptees: Some(16),
            allow_consolidating_reclaim: true,
            use_scheduling_signatures: true,
            staleness_grace_s: Some(60.0),
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
    /// Until when, after the last change, what was used changes what is decided.
    fn timers(&self) -> UsageTimers {
        let window_ms = (self.settings.window_s * 1000.0).ceil() as i64;
        match self.client {
            UsageClient::Prometheus => {
                // All samples of a window are equal once it lies after the last change.
                let rest = self.fetch_interval.as_millis() + self.resolution.as_millis();
                UsageTimers::Every {
                    interval: self.fetch_interval,
                    window: Span::from_millis(window_ms + rest),
                }
            }
            // The window counts as many cycles as it has seconds.
            UsageClient::FakeWithHistory => UsageTimers::Cycles(window_ms / 1000 + 2),
        }
    }
}

impl Config {
    /// When time alone changes what is decided: minimum runtimes, stale gangs, usage that is measured.
    pub fn timers(&self) -> Timers {
        let seconds = |s: f64| Span::from_millis((s * 1000.0).ceil().clamp(0.0, 1e15) as i64);
        Timers {
            default_min_runtimes: [
                seconds(self.default_preempt_min_runtime_s),
                seconds(self.default_reclaim_min_runtime_s),
            ],
            staleness_grace: self.staleness_grace_s.map(seconds),
            usage: self.usage.as_ref().map(UsageParams::timers),
        }
    }

    /// How levels are divided.
    pub fn division_params(&self) -> DivisionParams {
        DivisionParams { k: self.k_value, caps_remainders: self.dialect.caps_remainders }
    }
    /// How many jobs an action looks at in each leaf queue; `None`: all.
    pub fn depth(&self, action: Action) -> Option<u32> {
        self.queue_depth.iter().find(|d| d.0 == action).map(|d| d.1)
    }
    /// Takes a strategy for GPU work, with what the operator changes with it: spread takes the emptiest shared device, and
    /// moves nothing.
    pub fn place_gpus(&mut self, placement: Placement) {
        self.gpu_placement = placement;
        if placement == Placement::Spread {
            self.spread_devices();
            self.move_nothing();
        }
    }
    /// Loads gpuspread instead of gpupack and gpusharingorder.
    pub fn spread_devices(&mut self) {
        self.plugins.retain(|plugin| &**plugin != "gpusharingorder");
        for plugin in self.plugins.iter_mut().filter(|plugin| &***plugin == "gpupack") {
            *plugin = Arc::from("gpuspread");
        }
    }
    /// Takes consolidation out of the actions.
    pub fn move_nothing(&mut self) {
        self.actions.retain(|action| *action != Action::Consolidation);
    }
    /// Whether a plugin is loaded.
    pub fn has(&self, plugin: &str) -> bool {
        self.plugins.iter().any(|p| &**p == plugin)
    }
}
