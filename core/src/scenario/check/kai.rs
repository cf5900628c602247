//! The switches of KAI, as a scenario writes them. [`crate::policy::kai::config`] has the table of all.

use std::sync::Arc;

use super::super::codes;
use super::super::diagnostic::Path;
use super::super::quantity;
use super::super::schema::Scenario;
use super::settings::{Wanted, refused, switch, unknown};
use crate::policy::kai::config::{
    Action, Config, Placement, ReclaimResolve, UsageClient, UsageParams, Window,
};
use crate::scenario::findings::{Findings, set};
use crate::time::Span;

/// The switches by name, in the order in which they are listed to people.
pub const SETTINGS: [&str; 29] = [
    "actions",
    "plugins",
    "k-value",
    "saturation-multiplier",
    "full-hierarchy-fairness",
    "gpu-placement",
    "cpu-placement",
    "max-consolidation-preemptees",
    "consolidating-reclaim",
    "scheduling-signatures",
    "restrict-node-scheduling",
    "staleness-grace",
    "default-job-priority",
    "default-preempt-min-runtime",
    "default-reclaim-min-runtime",
    "reclaim-resolve",
    "queue-depth-allocate",
    "queue-depth-consolidation",
    "queue-depth-reclaim",
    "queue-depth-preempt",
    "queue-depth-stalegangeviction",
    "usage-client",
    "usage-window",
    "usage-window-type",
    "usage-window-start",
    "usage-half-life",
    "usage-resolution",
    "usage-fetch-interval",
    "seed",
];

/// Arguments as upstream spells them, and which switch they are; `None`: the code never reads them.
const UPSTREAM: [(&str, Option<&str>); 4] = [
    ("kValue", Some("k-value")),
    ("relcaimerSaturationMultiplier", Some("saturation-multiplier")),
    ("reclaimerUtilizationMultiplier", None),
    ("usage-staleness", None),
];

/// What an argument that the code never reads is said to do.
pub fn never_read(name: &str) -> Option<&'static str> {
    match name {
        "reclaimerUtilizationMultiplier" => Some(
            "KAI documents this name, but its code reads relcaimerSaturationMultiplier; write saturation-multiplier",
        ),
        "usage-staleness" => Some("when usage data are stale, KAI only logs it and goes on with the last"),
        _ => None,
    }
}

/// The switch that a name in a file means; `None`: there is no such switch.
pub fn switch_of(name: &str) -> Option<&str> {
    if SETTINGS.contains(&name) {
        return Some(name);
    }
    UPSTREAM.iter().find(|(known, _)| *known == name).and_then(|(_, switch)| *switch)
}

/// Reads the switches.
pub fn kai(s: &Scenario, f: &mut Findings) -> Config {
    let mut config = Config::default();
    for (name, typed) in &s.settings {
        if never_read(name).is_some() {
            continue;
        }
        let at = || Path::default().field("settings").field(name);
        let Some(switch) = switch_of(name) else {
            unknown(s, name, &SETTINGS, &format!("it has {}", SETTINGS.join(", ")), f);
            continue;
        };
        if switch != name && s.settings.contains_key(switch) {
            let says = format!("{name} and {switch} are the same switch; give only one");
            f.add(codes::CONFLICT, at(), says, set(at(), "", format!("Remove {name}")));
        } else if let Err(wanted) = setting(&mut config, switch, typed.0.trim()) {
            refused(name, typed, wanted, f);
        }
    }
    usage(s, &mut config, f);
    strategy(s, &mut config);
    config
}

/// What the operator makes of a placement strategy (kai.md 4.1): the other scores for shared devices, and no
/// consolidation. Lists that the file gives stay as they are.
fn strategy(s: &Scenario, config: &mut Config) {
    if config.gpu_placement == Placement::Spread && !s.settings.contains_key("plugins") {
        config.spread_devices();
    }
    let spreads = [config.gpu_placement, config.cpu_placement].contains(&Placement::Spread);
    if spreads && !s.settings.contains_key("actions") {
        config.move_nothing();
    }
}

/// The parameters of usage; without a client they are looked at, but come to nothing.
fn usage(s: &Scenario, config: &mut Config, f: &mut Findings) {
    let client = match s.settings.get("usage-client").map(|typed| typed.0.trim()) {
        Some("prometheus") => Some(UsageClient::Prometheus),
        Some("fake-with-history") => Some(UsageClient::FakeWithHistory),
        _ => None,
    };
    let mut params = UsageParams { client: client.unwrap_or_default(), ..UsageParams::default() };
    let mut start_s = 0.0;
    let mut is_tumbling = false;
    for (name, typed) in s.settings.iter().filter(|(name, _)| name.starts_with("usage-")) {
        let text = typed.0.trim();
        let result = match name.as_str() {
            "usage-window" => positive(text).map(|span| params.settings.window_s = span.as_seconds()),
            "usage-resolution" => positive(text).map(|span| params.resolution = span),
            "usage-fetch-interval" => positive(text).map(|span| params.fetch_interval = span),
            "usage-half-life" => half_life(text).map(|half_life| params.settings.half_life_s = half_life),
            "usage-window-start" => seconds(text).map(|s| start_s = s),
            "usage-window-type" => match text {
                "sliding" => Ok(()),
                "tumbling" => {
                    is_tumbling = true;
                    Ok(())
                }
                "cron" => Err("simulated; use sliding or tumbling"),
                _ => Err("sliding or tumbling"),
            },
            _ => Ok(()),
        };
        if let Err(wanted) = result {
            refused(name, typed, wanted, f);
        }
    }
    if is_tumbling {
        params.settings.window = Window::Tumbling { start_s };
    }
    let samples = params.settings.window_s / params.resolution.as_seconds();
    if client.is_some() && samples > SAMPLES_MAX {
        let at = Path::default().field("settings").field("usage-resolution");
        let says = format!("a window of {samples} samples is too much; up to {SAMPLES_MAX} are simulated");
        f.add(codes::SETTING_VALUE, at.clone(), says, set(at, "", "Use the default of usage-resolution"));
    }
    config.usage = client.map(|_| params);
}

/// Most samples in a window.
const SAMPLES_MAX: f64 = 1_000_000.0;

fn setting(config: &mut Config, name: &str, text: &str) -> Result<(), Wanted> {
    match name {
        "actions" => config.actions = actions(text)?,
        "plugins" => config.plugins = plugins(text)?,
        "k-value" => config.k_value = real(text)?,
        "saturation-multiplier" => config.saturation_multiplier = real(text).and_then(at_least_one)?,
        "full-hierarchy-fairness" => config.full_hierarchy_fairness = switch(text)?,
        "gpu-placement" => config.gpu_placement = placement(text)?,
        "cpu-placement" => config.cpu_placement = placement(text)?,
        "max-consolidation-preemptees" => config.max_consolidation_preemptees = number_or_unlimited(text)?,
        "consolidating-reclaim" => config.allow_consolidating_reclaim = switch(text)?,
        "scheduling-signatures" => config.use_scheduling_signatures = switch(text)?,
        "restrict-node-scheduling" => config.restrict_node_scheduling = switch(text)?,
        "staleness-grace" => {
            config.staleness_grace_s = if is_unlimited(text) { None } else { Some(seconds(text)?) };
        }
        "default-job-priority" => drop(quantity::integer(text).map_err(|_| "a whole number")?),
        "default-preempt-min-runtime" => config.default_preempt_min_runtime_s = seconds(text)?,
        "default-reclaim-min-runtime" => config.default_reclaim_min_runtime_s = seconds(text)?,
        "reclaim-resolve" => {
            config.reclaim_resolve = match text {
                "lca" => ReclaimResolve::Lca,
                "queue" => ReclaimResolve::Queue,
                _ => return Err("lca or queue"),
            };
        }
        "seed" => config.seed = Some(quantity::count(text).map_err(|_| "a whole number not below zero")?),
        "usage-client" => match text {
            "none" | "prometheus" | "fake-with-history" => {}
            _ => return Err("none, prometheus or fake-with-history"),
        },
        depth => {
            if let Some(action) = depth.strip_prefix("queue-depth-").and_then(action) {
                let n = number_or_unlimited(text)?;
                config.queue_depth.extend(n.map(|n| (action, n)));
            }
        }
    }
    Ok(())
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
        let is_known = crate::policy::kai::config::DEFAULT_PLUGINS.contains(&name)
            || matches!(name, "gpuspread" | "podaffinity");
        if !is_known || plugins.iter().any(|plugin| &**plugin == name) {
            return Err(wanted);
        }
        plugins.push(name.into());
    }
    Ok(plugins)
}

/// A number not below zero as the double its decimal text parses to.
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

fn number_or_unlimited(text: &str) -> Result<Option<u32>, Wanted> {
    if is_unlimited(text) {
        return Ok(None);
    }
    let n = quantity::count(text).ok().and_then(|n| u32::try_from(n).ok());
    n.map(Some).ok_or("a whole number, or unlimited")
}

fn placement(text: &str) -> Result<Placement, Wanted> {
    match text {
        "binpack" => Ok(Placement::BinPack),
        "spread" => Ok(Placement::Spread),
        _ => Err("binpack or spread"),
    }
}
