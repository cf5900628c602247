//! Settings of Run:ai in a scenario: its own, those of a queue as `over-quota.team-a`, and those shared with KAI.
//!
//! # Source
//! runai.md 4.2, 7, 9

use super::config::{Config, OVER_QUOTA, OverQuota, SETTINGS};
use crate::format::{Findings, Scalar, Scenario, quantity};
use crate::policy::PRIORITY_CLASS;
use crate::policy::kai;
use crate::policy::kai::settings::{ENGINE_SETTINGS, is_of_engine};
use crate::policy::setting::{Wanted, priority_class, refused, unknown};

/// Reads all settings, and reports invalid ones.
pub fn read(s: &Scenario, f: &mut Findings) -> Config {
    let mut config = Config::new(kai::settings::read(s, is_of_engine, f));
    for (name, typed) in s.settings.iter().filter(|(name, _)| !is_of_engine(name)) {
        if priority_class(name, typed, f) {
            continue;
        }
        let read = match name.split_once('.') {
            Some((OVER_QUOTA, queue)) if s.queues.iter().any(|q| q.name == queue) => {
                over_quota(typed).map(|level| {
                    config.sharing.over_quota.insert(queue.into(), level);
                })
            }
            None if SETTINGS.contains(&name.as_str()) => switch(&mut config, name, typed),
            _ => {
                let says = format!(
                    "it has {}, {}, and for a queue {OVER_QUOTA}.NAME; {PRIORITY_CLASS}NAME",
                    SETTINGS.join(", "),
                    ENGINE_SETTINGS.join(", ")
                );
                let known: Vec<&'static str> = SETTINGS.into_iter().chain(ENGINE_SETTINGS).collect();
                unknown(s, name, &known, &says, f);
                continue;
            }
        };
        if let Err(wanted) = read {
            refused(name, typed, wanted, f);
        }
    }
    config
}

fn switch(config: &mut Config, name: &str, typed: &Scalar) -> Result<(), Wanted> {
    match (name, typed.0.trim()) {
        ("department-over-quota", "by-quota") => config.sharing.departments_by_weight = false,
        ("department-over-quota", "by-weight") => config.sharing.departments_by_weight = true,
        ("department-over-quota", _) => return Err("by-quota or by-weight"),
        // YAML 1.1 reads a plain `on` or `off` as a boolean.
        (_, "on" | "true") => config.sharing.projects_by_quota = false,
        (_, "off" | "false") => config.sharing.projects_by_quota = true,
        _ => return Err("on or off"),
    }
    Ok(())
}

fn over_quota(typed: &Scalar) -> Result<OverQuota, Wanted> {
    let text = typed.0.trim();
    let level = || OverQuota::named(text);
    let number = || quantity::millionths(text).ok().map(OverQuota::millionths);
    level().or_else(number).ok_or("none, lowest, low, medium, high or a number")
}
