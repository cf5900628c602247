//! The head of a scenario: dialect, policy, settings, rhythm and delays.

use crate::cluster::Delays;
use crate::format::{Findings, Path, Scenario, codes, nearest, quantity, quoted};
use crate::policy::description::Cycle;
use crate::policy::{Policy, Rhythm};
use crate::time::Span;

/// Resolves the head.
pub fn settings(scenario: &Scenario, f: &mut Findings) -> (Policy, Rhythm, Delays) {
    let root = Path::default();
    let dialect = Policy::DEFAULT.key;
    if !["", dialect].contains(&scenario.dialect.as_str()) {
        let message = format!("dialect {} is not known here; write {dialect}", quoted(&scenario.dialect));
        f.suggest(codes::DIALECT, root.field("dialect"), message, dialect, format!("Use the dialect {dialect}"));
    }
    let description = Policy::described(&scenario.policy);
    if description.is_none() {
        let near = nearest(&scenario.policy, Policy::NAMES.iter().copied()).unwrap_or(Policy::DEFAULT.key);
        let all = Policy::NAMES.join(", ");
        let message = format!("policy {} is not known here; write one of {all}", quoted(&scenario.policy));
        f.suggest(codes::POLICY, root.field("policy"), message, near, format!("Use the policy {near}"));
    }
    let policy = Policy::read(scenario, f);
    let path = root.field("delays");
    let start = f.time(&scenario.delays.start, Span::ZERO, &|| path.field("start"), &quantity::span);
    let termination = f.time(&scenario.delays.termination, Span::ZERO, &|| path.field("termination"), &quantity::span);
    let rhythm = rhythm(scenario, policy.description().cycle, f);
    (policy, rhythm, Delays { start, termination })
}

fn rhythm(scenario: &Scenario, default: Cycle, f: &mut Findings) -> Rhythm {
    let on_change = Rhythm::OnChange { at_least: default.at_least() };
    let Some(typed) = &scenario.cycle else {
        return match default {
            Cycle::EverySecond => Rhythm::every(Span::from_seconds(1)),
            Cycle::OnChange => on_change,
        };
    };
    match typed.0.trim() {
        "on change" => return on_change,
        "on events" => return Rhythm::OnEvents,
        _ => {}
    }
    let path = || Path::default().field("cycle");
    let (period, first) = match typed.0.split_once("first at") {
        Some((period, first)) => (period.trim().trim_end_matches(','), Some(first)),
        None => (typed.0.as_str(), None),
    };
    if quantity::span(period).is_err() || first.is_some_and(|first| quantity::span(first).is_err()) {
        let message = format!(
            "cycle {} is neither a period such as `1s` or `120s, first at 1s`, nor `on change` or `on events`",
            quoted(&typed.0)
        );
        f.suggest(codes::DURATION, path(), message, "", "Use the default cycle");
        return on_change;
    }
    let mut time = |text: &str, default| f.time(&Some(text.into()), default, &path, &quantity::span);
    let period = time(period, Span::from_seconds(1));
    let first = first.map_or(period, |first| time(first, period));
    if period == Span::ZERO {
        let message = "a cycle of 0 seconds would never let time pass; write a period such as 1s, or `on change`";
        f.suggest(codes::DURATION, path(), message, "1s", "Set the cycle to 1s");
    }
    Rhythm::Every { period, first }
}
