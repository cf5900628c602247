//! The head of a scenario: dialect, policy, its switches, rhythm and delays.

use super::super::diagnostic::{Edit, Path};
use super::super::quantity;
use super::super::schema::{Scalar, Scenario};
use super::super::{codes, nearest};
use super::Kind;
use super::settings_ego::ego;
use crate::cluster::Delays;
use crate::policy::kai::config::{Action, Config, Placement, ReclaimResolve};
use crate::policy::{Policy, Rhythm, fifo};
use crate::scenario::findings::{Findings, quoted, set};
use crate::time::Span;

/// The switches of KAI by name, in the order in which they are listed to people.
const KAI_SETTINGS: [&str; 17] = [
    "actions",
    "k-value",
    "saturation-multiplier",
    "gpu-placement",
    "cpu-placement",
    "max-consolidation-preemptees",
    "consolidating-reclaim",
    "scheduling-signatures",
    "staleness-grace",
    "default-preempt-min-runtime",
    "default-reclaim-min-runtime",
    "reclaim-resolve",
    "queue-depth-allocate",
    "queue-depth-consolidation",
    "queue-depth-reclaim",
    "queue-depth-preempt",
    "queue-depth-stalegangeviction",
];

/// Reads the head.
pub fn settings(s: &Scenario, f: &mut Findings) -> (Kind, Policy, Rhythm, Delays) {
    let root = Path::default();
    if !matches!(s.dialect.as_str(), "" | "kai") {
        let at = root.field("dialect");
        let says = format!("dialect {} is not known here; write kai", quoted(&s.dialect));
        f.add(codes::DIALECT, at.clone(), says, set(at, "kai", "Use the dialect kai"));
    }
    let (kind, policy) = match s.policy.as_str() {
        "" | "kai" => (Kind::Kai, Policy::Kai(kai(s, f))),
        "fifo" => {
            for name in s.settings.keys() {
                unknown(s, name, &[], "fifo has no switches", f);
            }
            (Kind::Fifo, Policy::Fifo(fifo::Config::default()))
        }
        "ego" => (Kind::Ego, Policy::Ego(ego(s, f))),
        other => {
            let at = root.field("policy");
            let near = nearest(other, Policy::NAMES.iter().copied()).unwrap_or("kai");
            let says = format!(
                "policy {} is not known here; write one of {}",
                quoted(other),
                Policy::NAMES.join(", ")
            );
            f.add(codes::POLICY, at.clone(), says, set(at, near, format!("Use the policy {near}")));
            (Kind::Kai, Policy::Kai(kai(s, f)))
        }
    };
    let at = root.field("delays");
    let start = f.time(&s.delays.start, Span::ZERO, &|| at.field("start"), &quantity::span);
    let termination = f.time(&s.delays.termination, Span::ZERO, &|| at.field("termination"), &quantity::span);
    (kind, policy, rhythm(s, kind, f), Delays { start, termination })
}

fn rhythm(s: &Scenario, kind: Kind, f: &mut Findings) -> Rhythm {
    let on_change = Rhythm::OnChange {
        at_least: match kind {
            Kind::Kai => Span::from_seconds(1),
            Kind::Fifo | Kind::Ego => Span::ZERO,
        },
    };
    let Some(typed) = &s.cycle else {
        return if kind == Kind::Kai { Rhythm::Every(Span::from_seconds(1)) } else { on_change };
    };
    if typed.0.trim() == "on change" {
        return on_change;
    }
    let at = || Path::default().field("cycle");
    if quantity::span(&typed.0).is_err() {
        let says = format!("cycle {} is neither a period such as 1s nor `on change`", quoted(&typed.0));
        f.add(codes::DURATION, at(), says, set(at(), "", "Use the default cycle"));
        return on_change;
    }
    let period = f.time(&s.cycle, Span::from_seconds(1), &at, &quantity::span);
    if period == Span::ZERO {
        let says =
            "a cycle of 0 seconds would never let time pass; write a period such as 1s, or `on change`";
        f.add(codes::DURATION, at(), says, set(at(), "1s", "Set the cycle to 1s"));
    }
    Rhythm::Every(period)
}

/// Reports a setting that the policy does not have.
pub fn unknown(s: &Scenario, name: &str, known: &[&'static str], else_says: &str, f: &mut Findings) {
    if f.only_counts(codes::SETTING) {
        return;
    }
    let at = Path::default().field("settings").field(name);
    let near = nearest(name, known.iter().copied());
    let hint = near.map_or_else(|| else_says.to_string(), |near| format!("did you mean `{near}`?"));
    let mut fix = set(at.clone(), "", format!("Remove the setting {}", quoted(name)));
    if let (Some(near), Some(fix)) = (near.filter(|near| !s.settings.contains_key(*near)), &mut fix) {
        fix.label = format!("Use {near}");
        let meant = Path::default().field("settings").field(near);
        let value = s.settings.get(name).map(|value| value.0.clone()).unwrap_or_default();
        fix.edits.push(Edit::Set { at: meant, value });
    }
    f.add(codes::SETTING, at, format!("the policy has no setting {}; {hint}", quoted(name)), fix);
}

fn kai(s: &Scenario, f: &mut Findings) -> Config {
    let mut config = Config::default();
    for (name, typed) in &s.settings {
        if !KAI_SETTINGS.contains(&name.as_str()) {
            unknown(s, name, &KAI_SETTINGS, &format!("it has {}", KAI_SETTINGS.join(", ")), f);
        } else if let Err(wanted) = kai_setting(&mut config, name, typed) {
            let at = Path::default().field("settings").field(name);
            let says = format!("{name} {} is not {wanted}", quoted(&typed.0));
            let fix = set(at.clone(), "", format!("Use the default of {name}"));
            f.add(codes::SETTING_VALUE, at, says, fix);
        }
    }
    config
}

/// What is expected instead.
pub type Wanted = &'static str;

fn kai_setting(config: &mut Config, name: &str, typed: &Scalar) -> Result<(), Wanted> {
    let text = typed.0.trim();
    match name {
        "actions" => config.actions = actions(text)?,
        "k-value" => config.k_value = real(text)?,
        "saturation-multiplier" => config.saturation_multiplier = real(text).and_then(at_least_one)?,
        "gpu-placement" => config.gpu_placement = placement(text)?,
        "cpu-placement" => config.cpu_placement = placement(text)?,
        "max-consolidation-preemptees" => config.max_consolidation_preemptees = number_or_unlimited(text)?,
        "consolidating-reclaim" => config.allow_consolidating_reclaim = switch(text)?,
        "scheduling-signatures" => config.use_scheduling_signatures = switch(text)?,
        "staleness-grace" => {
            config.staleness_grace_s = if text == "unlimited" { None } else { Some(seconds(text)?) };
        }
        "default-preempt-min-runtime" => config.default_preempt_min_runtime_s = seconds(text)?,
        "default-reclaim-min-runtime" => config.default_reclaim_min_runtime_s = seconds(text)?,
        "reclaim-resolve" => {
            config.reclaim_resolve = match text {
                "lca" => ReclaimResolve::Lca,
                "queue" => ReclaimResolve::Queue,
                _ => return Err("lca or queue"),
            };
        }
        depth => {
            let action = depth.strip_prefix("queue-depth-").and_then(action).ok_or("a known setting")?;
            let n = number_or_unlimited(text)?;
            config.queue_depth.extend(n.map(|n| (action, n)));
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

fn number_or_unlimited(text: &str) -> Result<Option<u32>, Wanted> {
    if text == "unlimited" {
        return Ok(None);
    }
    let n = quantity::count(text).ok().and_then(|n| u32::try_from(n).ok());
    n.map(Some).ok_or("a whole number, or unlimited")
}

/// `true` or `false`.
pub fn switch(text: &str) -> Result<bool, Wanted> {
    match text {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err("true or false"),
    }
}

fn placement(text: &str) -> Result<Placement, Wanted> {
    match text {
        "binpack" => Ok(Placement::BinPack),
        "spread" => Ok(Placement::Spread),
        _ => Err("binpack or spread"),
    }
}
