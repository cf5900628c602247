//! Parsers of the values of KAI's settings.
//!
//! # Source
//! kai.md 4.1

use std::sync::Arc;

use super::config::{Action, DEFAULT_PLUGINS, Placement, ReclaimResolve, SEARCH_PLUGINS, UsageClient};
use crate::format::quantity;
use crate::policy::setting::{Expected, choice};
use crate::time::Span;

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
