//! Settings, cycle interval and delays of the file of a recorded case.

use std::fmt::Write as _;

use fairground::policy::kai::config::default_plugins;
use fairground::policy::kai::config::{Action, Config, Placement, ReclaimResolve};

use super::file::{number, seconds};
use crate::cycle::format::Case;
use crate::cycle::snapshot;

/// Writes values that differ from the product's default.
pub fn write(case: &Case, text: &mut String) -> Result<(), &'static str> {
    let config = snapshot::opening(case).map_err(|_| "a switch that is not known")?.config;
    if let Some(cycle) = cycle(case) {
        let _ = writeln!(text, "cycle: {cycle}");
    }
    if evicted_pods_stay(case)? {
        text.push_str("delays: {termination: 365d}\n");
    }
    let switches = switches(&config)?;
    if !switches.is_empty() {
        text.push_str("settings:\n");
        for (name, value) in switches {
            let _ = writeln!(text, "  {name}: {value}");
        }
    }
    Ok(())
}

/// Whether the elapsed runtime of jobs matters.
pub fn time_matters(case: &Case) -> bool {
    let Ok(opening) = snapshot::opening(case) else { return true };
    let config = opening.config;
    let queues = case.queues.iter().flat_map(|q| [q.preempt_min_runtime_s, q.reclaim_min_runtime_s]);
    let defaults = [config.default_preempt_min_runtime_s, config.default_reclaim_min_runtime_s];
    let delays = case.jobs.iter().filter_map(|job| job.preemption_delay_s);
    queues.flatten().chain(defaults).chain(delays).any(|s| s > 0.0)
}

/// Cycle interval; `None` for the default of one second, if no time matters.
fn cycle(case: &Case) -> Option<String> {
    match case.config.round_seconds {
        // Rounds at one instant are separated by the shortest interval.
        0.0 => time_matters(case).then(|| "\"1ms, first at 0s\"".to_owned()),
        s => Some(format!("\"{}, first at 0s\"", seconds(s))),
    }
}

/// Time of the second cycle.
pub fn second_cycle(case: &Case) -> String {
    match case.config.round_seconds {
        0.0 if time_matters(case) => "1ms".to_owned(),
        0.0 => "2s".to_owned(),
        s => seconds(s),
    }
}

/// Whether evicted pods stay on their node until the end (`true`) or are gone before the next round, which in a file is
/// the same for all.
fn evicted_pods_stay(case: &Case) -> Result<bool, &'static str> {
    let (mut stay, mut go) = (false, false);
    for pair in case.outcomes.iter().flat_map(|o| o.rounds.windows(2)) {
        let Some(open) = &pair[1].open else { continue };
        let events = pair[0].steps.iter().flat_map(|s| s.commits.iter().flatten());
        for event in events.filter(|e| e.kind == "evict") {
            match open.pods.get(&*event.pod).map(|(status, ..)| status.as_str()) {
                Some("Releasing") => stay = true,
                Some("Pending") => go = true,
                _ => return Err("a pod that runs on although its eviction was committed"),
            }
        }
    }
    match (stay, go) {
        (true, true) => Err("evicted pods of which some stay and some wait again"),
        _ => Ok(stay),
    }
}

/// Rejects cases in which a pod that was bound waits again in the next round: the recorder leaves victims of a claim
/// that KAI only imagines as they were before the cycle.
pub fn starts_are_kept(case: &Case) -> Result<(), &'static str> {
    for pair in case.outcomes.iter().flat_map(|o| o.rounds.windows(2)) {
        let Some(open) = &pair[1].open else { continue };
        let events = || pair[0].steps.iter().flat_map(|s| s.commits.iter().flatten());
        let is_evicted = |pod: &str| events().any(|e| e.kind == "evict" && *e.pod == *pod);
        let waits = |pod: &str| open.pods.get(pod).is_some_and(|(status, ..)| status == "Pending") && !is_evicted(pod);
        if events().any(|e| e.kind == "bind" && waits(&e.pod)) {
            return Err("a pod that is bound and waits again without an eviction (Q-18)");
        }
    }
    Ok(())
}

/// Settings that differ from the default that the others imply.
fn switches(config: &Config) -> Result<Vec<(String, String)>, &'static str> {
    let mut all = Vec::new();
    let mut put = |name: &str, value: String| all.push((name.to_owned(), value));
    let mut default = Config { plugins: default_plugins(config.revision), ..Config::default() };
    if config.revision != default.revision {
        put("version", format!("{:?}", config.revision.name()));
    }
    for (name, own) in [("gpu-placement", config.gpu_placement), ("cpu-placement", config.cpu_placement)] {
        if own == Placement::Spread {
            put(name, "spread".to_owned());
        }
    }
    if config.gpu_placement == Placement::Spread {
        default.spread_devices();
    }
    if [config.gpu_placement, config.cpu_placement].contains(&Placement::Spread) {
        default.disable_consolidation();
    }
    if config.actions != default.actions {
        put("actions", config.actions.iter().map(|a| a.name()).collect::<Vec<_>>().join(" "));
    }
    if config.plugins != default.plugins {
        put("plugins", config.plugins.iter().map(|p| &**p).collect::<Vec<_>>().join(" "));
    }
    // Recorded pods have no time of deletion.
    if config.stuck_in_releasing().is_some() {
        put("stuck-in-releasing-threshold", "36500d".to_owned());
    }
    if config.k_value != default.k_value {
        put("k-value", number(config.k_value));
    }
    if config.saturation_multiplier != default.saturation_multiplier {
        put("saturation-multiplier", number(config.saturation_multiplier));
    }
    if config.max_consolidation_preemptees != default.max_consolidation_preemptees {
        let most = config.max_consolidation_preemptees.map_or("unlimited".to_owned(), |n| n.to_string());
        put("max-consolidation-preemptees", most);
    }
    for (name, own) in [
        ("consolidating-reclaim", config.allow_consolidating_reclaim),
        ("scheduling-signatures", config.use_scheduling_signatures),
    ] {
        if !own {
            put(name, "false".to_owned());
        }
    }
    if config.staleness_grace_s != default.staleness_grace_s {
        put("staleness-grace", config.staleness_grace_s.map_or("unlimited".to_owned(), seconds));
    }
    for (name, own) in [
        ("default-preempt-min-runtime", config.default_preempt_min_runtime_s),
        ("default-reclaim-min-runtime", config.default_reclaim_min_runtime_s),
    ] {
        if own > 0.0 {
            put(name, seconds(own));
        }
    }
    if config.reclaim_resolve == ReclaimResolve::Queue {
        put("reclaim-resolve", "queue".to_owned());
    }
    for (action, depth) in &config.queue_depth {
        if *action != Action::StaleGangEviction {
            put(&format!("queue-depth-{}", action.name()), depth.to_string());
        }
    }
    Ok(all)
}
