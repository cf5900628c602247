//! Settings of KAI: one line each, with the rules it affects, its parser, and when it certainly has no effect.
//!
//! # Rule
//! An omitted setting has the upstream default (kai.md 4.1). [`super::config`] has the fields and their defaults,
//! [`super::form`] their labels and help.
//!
//! A placement strategy (`gpu-placement`, `cpu-placement`) has the operator's side effects: GPU spread enables
//! gpuspread instead of gpupack and gpusharingorder, and either spread removes consolidation from the actions, unless the
//! scenario lists plugins or actions itself.
//!
//! # Source
//! kai.md 2.4, 2.6, 4.1, 6.8, 8, appendix A; kai-v0.18.md 2.1
//!
//! # Differs
//! windows set by a cron expression are not simulated

use std::sync::Arc;

use super::config::Action::{self, Allocate, Consolidation, Preempt, Reclaim, StaleGangEviction};
use super::config::{
    Config, DEFAULT_PLUGINS, Placement, ReclaimResolve, Revision, SEARCH_PLUGINS, UsageClient, UsageParams,
    Window,
};
use super::facts::{Facts, unless};
use super::order::nondeterminism::{CANDIDATES, DEVICES, INSERTION, NODES, QUEUES, VALIDATOR};
use super::order::queue_order::{self, SHARE};
use super::place::placement::{BEST_NODE, NOMINATED, ROOM};
use super::record::recorder::{LOWER_PRIORITY, STALE_GRACE, STUCK_IN_RELEASING};
use super::share::capacity;
use super::share::division::{QUOTA, REMAINDER, ROUND};
use super::share::usage::USAGE;
use super::solve::min_runtime::RAN_LONG_ENOUGH;
use super::solve::reclaimable::{
    CAN_RECLAIM, GUARANTEE_QUOTA, KEEPS_ORDER, MAINTAIN_FAIR_SHARE, PRIORITY_WITHIN_QUOTA,
};
use crate::format::{Findings, Path, Scenario, codes, quantity, set};
use crate::policy::PRIORITY_CLASS;
use crate::policy::setting::{Wanted, priority_class, refused, switch, unknown};
use crate::policy::switches::Switch;
use crate::time::Span;

/// A setting.
pub struct Setting {
    /// Name and affected rules.
    pub switch: Switch,
    /// Upstream's documented spellings accepted in a file.
    upstream: &'static [&'static str],
    /// Parses a value.
    read: fn(&mut Reading, &str) -> Result<(), Wanted>,
    /// Reason why it certainly has no effect; `None`: it may matter. Sufficient, not necessary.
    pub unused: fn(&Facts<'_>) -> Option<&'static str>,
}

const fn setting(
    switch: Switch,
    read: fn(&mut Reading, &str) -> Result<(), Wanted>,
    unused: fn(&Facts<'_>) -> Option<&'static str>,
) -> Setting {
    Setting { switch, upstream: &[], read, unused }
}

const fn called(upstream: &'static [&'static str], setting: Setting) -> Setting {
    Setting { upstream, ..setting }
}

/// All settings, in display order.
pub static SETTINGS: [Setting; 32] = [
    setting(
        Switch::of(
            "version",
            &[&ROOM, &BEST_NODE, &capacity::LIMIT, &CAN_RECLAIM, &LOWER_PRIORITY, &STALE_GRACE],
        ),
        |r, text| {
            let revision = Revision::named(text).ok_or("0.13 or 0.17")?;
            r.config.revision = revision;
            Ok(())
        },
        |_| None,
    ),
    setting(
        Switch::of("actions", &[&ROOM, &CAN_RECLAIM, &LOWER_PRIORITY, &STALE_GRACE]),
        |r, text| actions(text).map(|all| r.config.actions = all),
        |_| None,
    ),
    setting(
        Switch::of("plugins", &[&ROUND, &SHARE, &BEST_NODE, &NOMINATED, &RAN_LONG_ENOUGH]),
        |r, text| plugins(text).map(|all| r.config.plugins = all),
        |_| None,
    ),
    called(
        &["kValue"],
        setting(
            Switch::of("k-value", &[&ROUND]),
            |r, text| real(text).map(|k| r.config.k_value = k),
            |f| unless(f.has_usage, "it needs past usage: of a queue, or measured (usage-client)"),
        ),
    ),
    called(
        &["relcaimerSaturationMultiplier", "reclaimerUtilizationMultiplier"],
        setting(
            Switch::of("saturation-multiplier", &[&KEEPS_ORDER]),
            |r, text| real(text).and_then(at_least_one).map(|n| r.config.saturation_multiplier = n),
            |f| {
                unless(f.runs(Reclaim), "the action reclaim does not run")
                    .or(unless(f.has_tree, "it compares departments, and no queue has a parent"))
            },
        ),
    ),
    called(
        &["queuePriorityInQuotaReclaim"],
        setting(
            Switch::of(PRIORITY_IN_QUOTA, &[&PRIORITY_WITHIN_QUOTA, &queue_order::PRIORITY_WITHIN_QUOTA]),
            |r, text| switch(text).map(|on| r.config.priority_in_quota_reclaim = on),
            |f| {
                unless(f.runs(Reclaim), "the action reclaim does not run").or(unless(
                    f.has_queue_priorities,
                    "no two queues below the same parent differ in priority",
                ))
            },
        ),
    ),
    setting(
        Switch::of("full-hierarchy-fairness", &[&QUOTA, &ROUND, &REMAINDER, &KEEPS_ORDER]),
        |r, text| switch(text).map(|on| r.config.full_hierarchy_fairness = on),
        |f| unless(f.has_tree || !f.config.full_hierarchy_fairness, "no queue has a parent"),
    ),
    setting(
        Switch::of("gpu-placement", &[&BEST_NODE, &DEVICES]),
        |r, text| placement(text).map(|way| r.config.gpu_placement = way),
        |f| unless(f.has_gpus, "no node has a GPU"),
    ),
    setting(
        Switch::of("cpu-placement", &[&BEST_NODE]),
        |r, text| placement(text).map(|way| r.config.cpu_placement = way),
        |f| unless(f.has_cpu_work, "no job runs without a GPU"),
    ),
    setting(
        Switch::of("max-consolidation-preemptees", &[&CANDIDATES]),
        |r, text| number_or_unlimited(text).map(|n| r.config.max_consolidation_preemptees = n),
        |f| {
            unless(f.runs(Consolidation), "the action consolidation does not run")
                .or(unless(f.has_preemptible, "no job is preemptible, so none can be moved"))
        },
    ),
    setting(
        Switch::of("consolidating-reclaim", &[&MAINTAIN_FAIR_SHARE, &GUARANTEE_QUOTA, &KEEPS_ORDER]),
        |r, text| switch(text).map(|on| r.config.allow_consolidating_reclaim = on),
        |f| unless(f.runs(Reclaim), "the action reclaim does not run"),
    ),
    setting(
        Switch::without_rules(
            "scheduling-signatures",
            "a job that cannot succeed is left out; what decides stays the same",
        ),
        |r, text| switch(text).map(|on| r.config.use_scheduling_signatures = on),
        |f| {
            unless(
                [Consolidation, Reclaim, Preempt].into_iter().any(|a| f.runs(a)),
                "no action that looks for victims runs",
            )
        },
    ),
    setting(
        Switch::of("restrict-node-scheduling", &[&ROOM]),
        |r, text| switch(text).map(|on| r.config.restrict_node_scheduling = on),
        |f| {
            unless(
                !(f.config.restrict_node_scheduling && f.all_have_roles),
                "all nodes have both roles, gpu-worker and cpu-worker",
            )
        },
    ),
    setting(
        Switch::of("staleness-grace", &[&STALE_GRACE]),
        |r, text| unlimited_or(text, seconds).map(|grace| r.config.staleness_grace_s = grace),
        |f| {
            unless(f.runs(StaleGangEviction), "the action stalegangeviction does not run")
                .or(unless(f.has_gangs, "no job needs more than one pod to start together"))
        },
    ),
    setting(
        Switch::of(STUCK_THRESHOLD, &[&STUCK_IN_RELEASING, &ROOM]),
        |r, text| seconds(text).map(|s| r.config.stuck_in_releasing_s = s),
        |f| unless(f.config.revision.has_stuck_pods(), "KAI has it since version 0.17"),
    ),
    setting(
        Switch::of("default-job-priority", &[&LOWER_PRIORITY, &capacity::QUOTA]),
        // Resolved where job priorities are read.
        |_, text| quantity::integer(text).map(drop).map_err(|_| "a whole number"),
        |f| unless(!f.all_have_priorities, "every job says its own priority"),
    ),
    setting(
        Switch::of("default-preempt-min-runtime", &[&RAN_LONG_ENOUGH]),
        |r, text| seconds(text).map(|s| r.config.default_preempt_min_runtime_s = s),
        |f| f.min_runtime(Preempt, "the action preempt does not run"),
    ),
    setting(
        Switch::of("default-reclaim-min-runtime", &[&RAN_LONG_ENOUGH]),
        |r, text| seconds(text).map(|s| r.config.default_reclaim_min_runtime_s = s),
        |f| f.min_runtime(Reclaim, "the action reclaim does not run"),
    ),
    setting(
        Switch::of("reclaim-resolve", &[&RAN_LONG_ENOUGH]),
        |r, text| resolve(text).map(|way| r.config.reclaim_resolve = way),
        |f| unless(f.has_reclaim_min, "there is no minimum runtime against reclaim"),
    ),
    setting(
        Switch::of("queue-depth-allocate", &[&ROOM]),
        |r, text| r.depth(Allocate, text),
        |f| unless(f.runs(Allocate), "this action does not run"),
    ),
    setting(
        Switch::of("queue-depth-consolidation", &[&CANDIDATES]),
        |r, text| r.depth(Consolidation, text),
        |f| unless(f.runs(Consolidation), "this action does not run"),
    ),
    setting(
        Switch::of("queue-depth-reclaim", &[&CAN_RECLAIM]),
        |r, text| r.depth(Reclaim, text),
        |f| unless(f.runs(Reclaim), "this action does not run"),
    ),
    setting(
        Switch::of("queue-depth-preempt", &[&LOWER_PRIORITY]),
        |r, text| r.depth(Preempt, text),
        |f| unless(f.runs(Preempt), "this action does not run"),
    ),
    setting(
        Switch::without_rules("queue-depth-stalegangeviction", "nothing waits for that action"),
        |r, text| r.depth(StaleGangEviction, text),
        |_| Some("this action looks at all jobs, in any order"),
    ),
    setting(
        Switch::of("usage-client", &[&USAGE, &ROUND]),
        |r, text| client(text).map(|client| r.client = client),
        |_| None,
    ),
    setting(
        Switch::of("usage-window", &[&USAGE]),
        |r, text| positive(text).map(|span| r.usage.settings.window_s = span.as_seconds()),
        |f| f.no_usage(),
    ),
    setting(
        Switch::of("usage-window-type", &[&USAGE]),
        |r, text| window(text).map(|is_tumbling| r.is_tumbling = is_tumbling),
        |f| f.no_usage(),
    ),
    setting(
        Switch::of("usage-window-start", &[&USAGE]),
        |r, text| seconds(text).map(|s| r.window_start_s = s),
        |f| unless(f.is_tumbling(), "it needs usage-client and the window type tumbling"),
    ),
    setting(
        Switch::of("usage-half-life", &[&USAGE]),
        |r, text| half_life(text).map(|half_life| r.usage.settings.half_life_s = half_life),
        |f| f.no_usage(),
    ),
    setting(
        Switch::of("usage-resolution", &[&USAGE]),
        |r, text| positive(text).map(|span| r.usage.resolution = span),
        |f| f.no_usage(),
    ),
    setting(
        Switch::of("usage-fetch-interval", &[&USAGE]),
        |r, text| positive(text).map(|span| r.usage.fetch_interval = span),
        |f| f.no_usage(),
    ),
    setting(
        Switch::of("seed", &[&INSERTION, &QUEUES, &DEVICES, &VALIDATOR, &NODES, &CANDIDATES]),
        |r, text| {
            quantity::count(text)
                .map(|seed| r.config.seed = Some(seed))
                .map_err(|_| "a whole number not below zero")
        },
        |_| None,
    ),
];

/// The switch of v0.18 that lets queues within their quota reclaim by priority.
pub const PRIORITY_IN_QUOTA: &str = "queue-priority-in-quota-reclaim";

/// The time after which a terminating pod is stuck.
pub const STUCK_THRESHOLD: &str = "stuck-in-releasing-threshold";

/// Settings of the engine, shared with other policies on it.
pub const ENGINE_SETTINGS: [&str; 16] = [
    "k-value",
    "saturation-multiplier",
    "gpu-placement",
    "cpu-placement",
    "max-consolidation-preemptees",
    "staleness-grace",
    "default-job-priority",
    "default-preempt-min-runtime",
    "default-reclaim-min-runtime",
    "reclaim-resolve",
    "usage-client",
    "usage-window",
    "usage-window-type",
    "usage-window-start",
    "usage-half-life",
    "usage-fetch-interval",
];

/// Settings that upstream documents but never reads, with the text of the finding (kai.md 8, row 6).
const NEVER_READ: [(&str, &str); 1] =
    [("usage-staleness", "when usage data are stale, KAI only logs it and goes on with the last")];

/// Text of the finding for a setting that upstream never reads.
pub fn never_read(name: &str) -> Option<&'static str> {
    NEVER_READ.iter().find(|(known, _)| *known == name).map(|(_, says)| *says)
}

/// Finds a setting by upstream's or the format's spelling.
pub fn named(name: &str) -> Option<&'static Setting> {
    SETTINGS.iter().find(|setting| setting.switch.name == name || setting.upstream.contains(&name))
}

/// Whether a setting, in any spelling, belongs to the engine.
pub fn is_of_engine(name: &str) -> bool {
    named(name).is_some_and(|setting| ENGINE_SETTINGS.contains(&setting.switch.name))
}

/// Values parsed so far. Usage is separate: without a client its settings are parsed but have no effect.
#[derive(Default)]
struct Reading {
    config: Config,
    client: Option<UsageClient>,
    usage: UsageParams,
    is_tumbling: bool,
    window_start_s: f64,
}

impl Reading {
    fn depth(&mut self, action: Action, text: &str) -> Result<(), Wanted> {
        let n = number_or_unlimited(text)?;
        self.config.queue_depth.extend(n.map(|n| (action, n)));
        Ok(())
    }

    /// Parameters of usage; `None` if it is not measured.
    fn usage(&self, f: &mut Findings) -> Option<UsageParams> {
        let mut params = UsageParams { client: self.client?, ..self.usage };
        if self.is_tumbling {
            params.settings.window = Window::Tumbling { start_s: self.window_start_s };
        }
        let samples = params.settings.window_s / params.resolution.as_seconds();
        if samples > SAMPLES_MAX {
            let at = Path::default().field("settings").field("usage-resolution");
            let says =
                format!("a window of {samples} samples is too much; up to {SAMPLES_MAX} are simulated");
            f.add(codes::SETTING_VALUE, at.clone(), says, set(at, "", "Use the default of usage-resolution"));
        }
        Some(params)
    }
}

/// Maximum number of samples in a window.
const SAMPLES_MAX: f64 = 1_000_000.0;

/// Reads the settings of a scenario for which `is_known` holds.
pub fn read(s: &Scenario, is_known: impl Fn(&str) -> bool, f: &mut Findings) -> Config {
    let mut reading = Reading::default();
    let names = || SETTINGS.iter().map(|setting| setting.switch.name);
    for (name, typed) in s.settings.iter().filter(|(name, _)| is_known(name)) {
        if never_read(name).is_some() || priority_class(name, typed, f) {
            continue;
        }
        let at = || Path::default().field("settings").field(name);
        let Some(setting) = named(name) else {
            let all: Vec<&'static str> = names().collect();
            unknown(s, name, &all, &format!("it has {}; {PRIORITY_CLASS}NAME", all.join(", ")), f);
            continue;
        };
        let known = setting.switch.name;
        if known != name && s.settings.contains_key(known) {
            let says = format!("{name} and {known} are the same switch; give only one");
            f.add(codes::CONFLICT, at(), says, set(at(), "", format!("Remove {name}")));
        } else if let Err(wanted) = (setting.read)(&mut reading, typed.0.trim()) {
            refused(name, typed, wanted, f);
        }
    }
    let usage = reading.usage(f);
    let mut config = Config { usage, ..reading.config };
    if !s.settings.contains_key("plugins") {
        config.plugins = default_plugins(config.revision);
    }
    strategy(s, &mut config);
    needs_newest(s, &config, f);
    config
}

/// The switch of v0.18 needs the rules of the newest version simulated.
fn needs_newest(s: &Scenario, config: &Config, f: &mut Findings) {
    if !config.priority_in_quota_reclaim || config.revision == Revision::NEWEST {
        return;
    }
    let newest = Revision::NEWEST.name();
    let names =
        s.settings.keys().find(|name| named(name).is_some_and(|s| s.switch.name == PRIORITY_IN_QUOTA));
    let name = names.map_or(PRIORITY_IN_QUOTA, String::as_str);
    let at = Path::default().field("settings");
    let says = format!(
        "{name} is an alpha feature of KAI v0.18 and needs the rules of version {newest}, the newest simulated; set version to {newest}"
    );
    let fix = set(at.clone().field("version"), newest, format!("Set version to {newest}"));
    f.add(codes::CONFLICT, at.field(name), says, fix);
}

/// The plugins of a revision: since v0.16 the search for victims consists of plugins.
pub fn default_plugins(revision: Revision) -> Vec<Arc<str>> {
    let search: &[&str] = match revision {
        Revision::V0_13 => &[],
        Revision::V0_17 => &SEARCH_PLUGINS,
    };
    DEFAULT_PLUGINS.iter().chain(search).map(|&plugin| Arc::from(plugin)).collect()
}

/// Applies the operator's side effects of a placement strategy (kai.md 4.1): other scores for shared devices, and no
/// consolidation. Lists given in the file are unchanged.
fn strategy(s: &Scenario, config: &mut Config) {
    if config.gpu_placement == Placement::Spread && !s.settings.contains_key("plugins") {
        config.spread_devices();
    }
    let spreads = [config.gpu_placement, config.cpu_placement].contains(&Placement::Spread);
    if spreads && !s.settings.contains_key("actions") {
        config.disable_consolidation();
    }
}

fn list(text: &str) -> impl Iterator<Item = &str> {
    text.split([',', ' ']).map(str::trim).filter(|item| !item.is_empty())
}

fn action(name: &str) -> Option<Action> {
    Action::ALL.into_iter().find(|action| action.name() == name)
}

fn actions(text: &str) -> Result<Vec<Action>, Wanted> {
    let wanted =
        "a list of different actions out of allocate, consolidation, reclaim, preempt, stalegangeviction";
    let mut actions = Vec::new();
    for name in list(text) {
        let action = action(name).ok_or(wanted)?;
        if actions.contains(&action) {
            return Err(wanted);
        }
        actions.push(action);
    }
    Ok(actions)
}

fn plugins(text: &str) -> Result<Vec<Arc<str>>, Wanted> {
    let wanted =
        "a list of different plugins by their names in KAI, such as predicates, proportion, priority";
    let mut plugins: Vec<Arc<str>> = Vec::new();
    for name in list(text) {
        let is_default = DEFAULT_PLUGINS.contains(&name) || SEARCH_PLUGINS.contains(&name);
        let is_known = is_default || matches!(name, "gpuspread" | "podaffinity");
        if !is_known || plugins.iter().any(|plugin| &**plugin == name) {
            return Err(wanted);
        }
        plugins.push(name.into());
    }
    Ok(plugins)
}

/// A non-negative number, parsed from decimal text to a double.
fn real(text: &str) -> Result<f64, Wanted> {
    let n = quantity::millionths(text).map_err(|_| "a number not below zero, with at most six digits")?;
    Ok(n as f64 / 1_000_000.0)
}

fn at_least_one(n: f64) -> Result<f64, Wanted> {
    if n >= 1.0 { Ok(n) } else { Err("a number of at least 1") }
}

fn seconds(text: &str) -> Result<f64, Wanted> {
    quantity::span(text).map(Span::as_seconds).map_err(|_| "a duration such as 60s or 5m")
}

fn positive(text: &str) -> Result<Span, Wanted> {
    let span = quantity::span(text).ok().filter(|&span| span > Span::ZERO);
    span.ok_or("a duration above zero such as 60s or 7d")
}

fn half_life(text: &str) -> Result<Option<f64>, Wanted> {
    if text == "off" {
        return Ok(None);
    }
    let span = quantity::span(text).map_err(|_| "a duration such as 1h, or off")?;
    Ok((span > Span::ZERO).then(|| span.as_seconds()))
}

/// Upstream writes -1.
fn is_unlimited(text: &str) -> bool {
    text == "-1" || quantity::is_no_ceiling(text)
}

fn unlimited_or<T>(text: &str, read: fn(&str) -> Result<T, Wanted>) -> Result<Option<T>, Wanted> {
    if is_unlimited(text) { Ok(None) } else { read(text).map(Some) }
}

fn number_or_unlimited(text: &str) -> Result<Option<u32>, Wanted> {
    unlimited_or(text, |text| {
        let n = quantity::count(text).ok().and_then(|n| u32::try_from(n).ok());
        n.ok_or("a whole number, or unlimited")
    })
}

fn resolve(text: &str) -> Result<ReclaimResolve, Wanted> {
    match text {
        "lca" => Ok(ReclaimResolve::Lca),
        "queue" => Ok(ReclaimResolve::Queue),
        _ => Err("lca or queue"),
    }
}

fn client(text: &str) -> Result<Option<UsageClient>, Wanted> {
    match text {
        "none" => Ok(None),
        "prometheus" => Ok(Some(UsageClient::Prometheus)),
        "fake-with-history" => Ok(Some(UsageClient::FakeWithHistory)),
        _ => Err("none, prometheus or fake-with-history"),
    }
}

/// Whether the window is tumbling.
fn window(text: &str) -> Result<bool, Wanted> {
    match text {
        "sliding" => Ok(false),
        "tumbling" => Ok(true),
        "cron" => Err("simulated; use sliding or tumbling"),
        _ => Err("sliding or tumbling"),
    }
}

fn placement(text: &str) -> Result<Placement, Wanted> {
    match text {
        "binpack" => Ok(Placement::BinPack),
        "spread" => Ok(Placement::Spread),
        _ => Err("binpack or spread"),
    }
}
