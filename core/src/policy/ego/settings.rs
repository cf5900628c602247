//! Settings of EGO in a scenario, each with the rules it affects and its parser: settings of the plan by name, of a consumer as
//! `rank.team-a`.
//!
//! # Source
//! ego.md 2, 8.5

use super::config::{Config, ConsumerConfig, Placement, RATIO_MAX};
use super::plan::{EnforceAt, ShareQuota};
use super::rules::{
    ABOVE_SLOT_QUOTA, BELOW_SLOT_QUOTA, CALL_BACK, GRACE, OVER_COMMIT, OWN_HOSTS, RULES, SHARE_PRIORITY,
    SHARE_RATIO, SLOT_QUOTA, SLOT_RATIO,
};
use super::slot_findings;
use crate::format::{Findings, Scenario, quantity};
use crate::policy::setting::{Setting, Wanted, choice, refused, switch, unknown};
use crate::policy::switches::{Rulebook, Switch};
use crate::time::Span;
use crate::units::{Resource, Weight};

/// Settings of the plan.
static PLAN: [Setting<Config>; 9] = [
    Setting::new(Switch::of("grace", &[&GRACE]), |plan, text| span(text).map(|span| plan.grace = Some(span))),
    Setting::new(
        Switch::without_rules("placement", "which of the hosts that fit, not whose turn it is"),
        |plan, text| {
            let all = [
                ("stacked", Placement::Stacked),
                ("balanced", Placement::Balanced),
                ("exclusive", Placement::Exclusive),
            ];
            choice(text, &all, "stacked, balanced or exclusive").map(|placement| plan.placement = placement)
        },
    ),
    Setting::new(Switch::of("lendout", &[&OWN_HOSTS, &CALL_BACK]), |plan, text| {
        switch(text).map(|lends| plan.lendout = lends)
    }),
    Setting::new(Switch::of("over-commit.cpu", &[&OVER_COMMIT]), |plan, text| {
        ratio(text).map(|ratio| plan.over_commit.set(Resource::CPU, ratio))
    }),
    Setting::new(Switch::of("over-commit.memory", &[&OVER_COMMIT]), |plan, text| {
        ratio(text).map(|ratio| plan.over_commit.set(Resource::MEMORY, ratio))
    }),
    Setting::new(Switch::of("over-commit.gpu", &[&OVER_COMMIT]), |plan, text| {
        ratio(text).map(|ratio| plan.over_commit.set(Resource::GPU, ratio))
    }),
    Setting::new(
        Switch::of("plan", &[&SHARE_PRIORITY, &SHARE_RATIO, &SLOT_RATIO, &SLOT_QUOTA]),
        |plan, text| {
            let all = [("multidimensional", false), ("slots", true)];
            choice(text, &all, "multidimensional or slots").map(|slots| plan.shares_slots = slots)
        },
    ),
    Setting::new(Switch::of("share-quota", &[&SLOT_QUOTA]), |plan, text| {
        let all = [("static", ShareQuota::Static), ("dynamic", ShareQuota::Dynamic)];
        choice(text, &all, "static or dynamic").map(|quota| plan.share_quota = quota)
    }),
    Setting::new(Switch::of("enforcement", &[&BELOW_SLOT_QUOTA, &ABOVE_SLOT_QUOTA]), |plan, text| {
        let all = [("leaf", EnforceAt::Leaf), ("parent", EnforceAt::Parent)];
        choice(text, &all, "leaf or parent").map(|level| plan.enforce_at = level)
    }),
];

/// Settings of a consumer; `rank.team-a` is the rank of `team-a`.
static CONSUMER: [Setting<ConsumerConfig>; 6] = [
    Setting::new(Switch::of("rank", &[&OWN_HOSTS]), |consumer, text| {
        count(text).map(|rank| consumer.rank = rank)
    }),
    Setting::new(Switch::of("lendout", &[&OWN_HOSTS, &CALL_BACK]), |consumer, text| {
        switch(text).map(|lends| consumer.lendout = Some(lends))
    }),
    Setting::new(Switch::of("lendout-grace", &[&GRACE]), |consumer, text| {
        span(text).map(|span| consumer.lendout_grace = Some(span))
    }),
    Setting::new(Switch::of("private-pool-grace", &[&GRACE]), |consumer, text| {
        span(text).map(|span| consumer.private_pool_grace = Some(span))
    }),
    Setting::new(Switch::of("reclaim-grace", &[&GRACE]), |consumer, text| {
        span(text).map(|span| consumer.reclaim_grace = Some(span))
    }),
    Setting::new(Switch::of("reserved", &[&CALL_BACK]), |consumer, text| {
        count(text).map(|hosts| consumer.reserved = hosts)
    }),
];

/// All rules and settings; a setting of both the plan and its consumers is listed once.
pub fn rulebook() -> Rulebook {
    let of_plan = PLAN.each_ref().map(|setting| setting.switch);
    let of_consumers = CONSUMER.iter().map(|setting| setting.switch);
    let others = of_consumers.filter(|own| of_plan.iter().all(|other| other.name != own.name));
    let all: Vec<Switch> = of_plan.into_iter().chain(others).collect();
    Rulebook::new(RULES.to_vec(), &all)
}

/// Reads all settings, and reports invalid ones.
pub fn read(s: &Scenario, f: &mut Findings) -> Config {
    let mut config = Config::default();
    for (name, typed) in &s.settings {
        let of_consumer =
            name.split_once('.').and_then(|(key, queue)| Some((Setting::find(&CONSUMER, key)?, queue)));
        let read = match (of_consumer, Setting::find(&PLAN, name)) {
            (Some((setting, queue)), _) if s.queues.iter().any(|q| q.name == queue) => {
                setting.read(config.consumers.entry(queue.into()).or_default(), &typed.0)
            }
            (None, Some(setting)) => setting.read(&mut config, &typed.0),
            _ => {
                let names = PLAN.each_ref().map(|setting| setting.switch.name);
                let of_consumers = CONSUMER.each_ref().map(|setting| setting.switch.name).join(", ");
                let says =
                    format!("it has {}, and for a queue, as in rank.NAME: {of_consumers}", names.join(", "));
                unknown(s, name, &names, &says, f);
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

fn count(text: &str) -> Result<u32, Wanted> {
    quantity::count(text).ok().and_then(|n| u32::try_from(n).ok()).ok_or("a whole number")
}

fn ratio(text: &str) -> Result<Weight, Wanted> {
    let within = |ratio: &Weight| *ratio >= Weight::ONE && ratio.in_millionths() <= RATIO_MAX * 1_000_000;
    let ratio = quantity::millionths(text).ok().map(Weight::millionths);
    ratio.filter(within).ok_or("a number from 1 to 100")
}

fn span(text: &str) -> Result<Span, Wanted> {
    quantity::span(text).map_err(|_| "a duration such as 60s or 5m")
}
