//! Settings of EGO in a scenario: settings of the plan by name, of a consumer as `rank.team-a`.
//!
//! # Source
//! ego.md 2, 8.5

use super::config::{CONSUMER_SETTINGS, Config, ConsumerConfig, OVER_COMMIT, Placement, RATIO_MAX, SETTINGS};
use super::plan::{EnforceAt, ShareQuota};
use super::slot_findings;
use crate::format::{Findings, Scalar, Scenario, quantity};
use crate::policy::setting::{Wanted, refused, switch, unknown};
use crate::time::Span;
use crate::units::Weight;

/// Reads all settings, and reports invalid ones.
pub fn read(s: &Scenario, f: &mut Findings) -> Config {
    let mut config = Config::default();
    for (name, typed) in &s.settings {
        let of_consumer = name.split_once('.').filter(|(key, _)| CONSUMER_SETTINGS.contains(key));
        let read = match of_consumer {
            Some((key, queue)) if s.queues.iter().any(|q| q.name == queue) => {
                consumer(config.consumers.entry(queue.into()).or_default(), key, typed)
            }
            None if SETTINGS.contains(&name.as_str()) => plan(&mut config, name, typed),
            _ => {
                let consumers = CONSUMER_SETTINGS.join(", ");
                let says =
                    format!("it has {}, and for a queue, as in rank.NAME: {consumers}", SETTINGS.join(", "));
                unknown(s, name, &SETTINGS, &says, f);
                continue;
            }
        };
        if let Err(wanted) = read {
            refused(name, typed, wanted, f);
        }
    }
    slot_findings::check(s, &config, f);
    config
}

fn plan(config: &mut Config, name: &str, typed: &Scalar) -> Result<(), Wanted> {
    let text = typed.0.trim();
    if let Some((_, resource)) = OVER_COMMIT.iter().find(|(setting, _)| *setting == name) {
        config.over_commit.set(*resource, ratio(text)?);
        return Ok(());
    }
    match name {
        "grace" => config.grace = Some(span(text)?),
        "lendout" => config.lendout = switch(text)?,
        "plan" => {
            config.shares_slots = match text {
                "multidimensional" => false,
                "slots" => true,
                _ => return Err("multidimensional or slots"),
            };
        }
        "share-quota" => {
            config.share_quota = match text {
                "static" => ShareQuota::Static,
                "dynamic" => ShareQuota::Dynamic,
                _ => return Err("static or dynamic"),
            };
        }
        "enforcement" => {
            config.enforce_at = match text {
                "leaf" => EnforceAt::Leaf,
                "parent" => EnforceAt::Parent,
                _ => return Err("leaf or parent"),
            };
        }
        _ => {
            config.placement = match text {
                "stacked" => Placement::Stacked,
                "balanced" => Placement::Balanced,
                "exclusive" => Placement::Exclusive,
                _ => return Err("stacked, balanced or exclusive"),
            };
        }
    }
    Ok(())
}

fn consumer(config: &mut ConsumerConfig, key: &str, typed: &Scalar) -> Result<(), Wanted> {
    let text = typed.0.trim();
    let count = || quantity::count(text).ok().and_then(|n| u32::try_from(n).ok()).ok_or("a whole number");
    match key {
        "rank" => config.rank = count()?,
        "reserved" => config.reserved = count()?,
        "lendout" => config.lendout = Some(switch(text)?),
        "lendout-grace" => config.lendout_grace = Some(span(text)?),
        "private-pool-grace" => config.private_pool_grace = Some(span(text)?),
        _ => config.reclaim_grace = Some(span(text)?),
    }
    Ok(())
}

fn ratio(text: &str) -> Result<Weight, Wanted> {
    let within = |ratio: &Weight| *ratio >= Weight::ONE && ratio.in_millionths() <= RATIO_MAX * 1_000_000;
    let ratio = quantity::millionths(text).ok().map(Weight::millionths);
    ratio.filter(within).ok_or("a number from 1 to 100")
}

fn span(text: &str) -> Result<Span, Wanted> {
    quantity::span(text).map_err(|_| "a duration such as 60s or 5m")
}
