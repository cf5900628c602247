//! Every switch of the scheduler, with the default of upstream.
//!
//! # Rule
//! A switch left out has the upstream default (kai.md 4.1).
//!
//! # Source
//! kai.md 2.4, 4.1, 6.8, appendix A
//!
//! # Differs
//! nothing

use std::sync::Arc;

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
        }
    }
}

impl Config {
    /// How many jobs an action looks at in each leaf queue; `None`: all.
    pub fn depth(&self, action: Action) -> Option<u32> {
        self.queue_depth.iter().find(|d| d.0 == action).map(|d| d.1)
    }
    /// Whether a plugin is loaded.
    pub fn has(&self, plugin: &str) -> bool {
        self.plugins.iter().any(|p| &**p == plugin)
    }
}
