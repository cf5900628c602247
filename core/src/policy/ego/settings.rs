//! Settings of EGO in a scenario, one row each: settings of the plan by name, of a consumer as `rank.team-a`.
//!
//! # Source
//! ego.md 2, 8.5

use super::config::{Config, ConsumerConfig, Placement, RATIO_MAX};
use super::plan::{EnforceAt, ShareQuota};
use super::rules::{
    ABOVE_SLOT_QUOTA, BELOW_SLOT_QUOTA, CALL_BACK, GRACE, OVER_COMMIT, OWN_HOSTS, RULES, SHARE_PRIORITY, SHARE_RATIO,
    SLOT_QUOTA, SLOT_RATIO,
};
use super::slot_findings;
use crate::format::{Findings, Scenario, quantity};
use crate::policy::form::{Ask, ON_OFF, text};
use crate::policy::setting::Affects::{Nothing, Rules};
use crate::policy::setting::{Expected, Rulebook, Setting, choice, refused, switch, unknown};
use crate::time::Span;
use crate::units::{Resource, Weight};

/// Settings of the plan.
pub static PLAN: [Setting<Config>; 9] = [
    Setting::new(
        text(
            "grace",
            "Grace period",
            "the termination time",
            "How long a unit keeps running after it is reclaimed, such as 60s: DefaultGracePeriod of the plan.",
        ),
        Rules(&[&GRACE]),
        |plan, text| span(text).map(|span| plan.grace = Some(span)),
    ),
    Setting::new(
        text("lendout", "Owners lend", "on", "Whether idle hosts of an owner are lent to others.").ask(ON_OFF),
        Rules(&[&OWN_HOSTS, &CALL_BACK]),
        |plan, text| switch(text).map(|lends| plan.lendout = lends),
    ),
    Setting::new(
        text("placement", "Host selection", "stacked", "Which host a unit is placed on.").ask(Ask::Choice(&[
            ("stacked", "the first that fits"),
            ("balanced", "the one with the most free room"),
            ("exclusive", "one used only by this consumer"),
        ])),
        Nothing("which of the hosts that fit, not whose turn it is"),
        |plan, text| {
            let all = [
                ("stacked", Placement::Stacked),
                ("balanced", Placement::Balanced),
                ("exclusive", Placement::Exclusive),
            ];
            choice(text, &all, "stacked, balanced or exclusive").map(|placement| plan.placement = placement)
        },
    ),
    Setting::new(
        text(
            "over-commit.cpu",
            "Over-commit of CPU",
            "1",
            "Hosts offer their cores multiplied by this ratio, 1 to 100: OverCommitRatio of ncpus.",
        ),
        Rules(&[&OVER_COMMIT]),
        |plan, text| ratio(text).map(|ratio| plan.over_commit.set(Resource::CPU, ratio)),
    ),
    Setting::new(
        text(
            "over-commit.memory",
            "Over-commit of memory",
            "1",
            "Hosts offer their memory multiplied by this ratio, 1 to 100.",
        ),
        Rules(&[&OVER_COMMIT]),
        |plan, text| ratio(text).map(|ratio| plan.over_commit.set(Resource::MEMORY, ratio)),
    ),
    Setting::new(
        text(
            "over-commit.gpu",
            "Over-commit of GPUs",
            "1",
            "Hosts offer their GPUs multiplied by this ratio, rounded down to whole GPUs; at most 64 on a host.",
        ),
        Rules(&[&OVER_COMMIT]),
        |plan, text| ratio(text).map(|ratio| plan.over_commit.set(Resource::GPU, ratio)),
    ),
    Setting::new(
        text("plan", "Plan", "multidimensional", "What is shared: usage of units of any size, or whole slots.").ask(
            Ask::Choice(&[
                ("multidimensional", "units of any size, by share usage"),
                ("slots", "whole slots: one GPU each, one for each pod"),
            ]),
        ),
        Rules(&[&SHARE_PRIORITY, &SHARE_RATIO, &SLOT_RATIO, &SLOT_QUOTA]),
        |plan, text| {
            let all = [("multidimensional", false), ("slots", true)];
            choice(text, &all, "multidimensional or slots").map(|slots| plan.shares_slots = slots)
        },
    ),
    Setting::new(
        text("share-quota", "Share quota", "dynamic", "Slot plans only: which quota reclaim goes by.").ask(
            Ask::Choice(&[
                ("dynamic", "only consumers with pending work, at most their demand"),
                ("static", "by share ratio alone"),
            ]),
        ),
        Rules(&[&SLOT_QUOTA]),
        |plan, text| {
            let all = [("static", ShareQuota::Static), ("dynamic", ShareQuota::Dynamic)];
            choice(text, &all, "static or dynamic").map(|quota| plan.share_quota = quota)
        },
    ),
    Setting::new(
        text("enforcement", "Enforcement", "leaf", "Slot plans only: where shares are enforced.").ask(Ask::Choice(&[
            ("leaf", "a leaf reclaims from any leaf above its quota"),
            ("parent", "only from a branch that is above its own quota"),
        ])),
        Rules(&[&BELOW_SLOT_QUOTA, &ABOVE_SLOT_QUOTA]),
        |plan, text| {
            let all = [("leaf", EnforceAt::Leaf), ("parent", EnforceAt::Parent)];
            choice(text, &all, "leaf or parent").map(|level| plan.enforce_at = level)
        },
    ),
];

/// Rank of a consumer; `rank.team-a` is the rank of `team-a`.
pub static RANK: Setting<ConsumerConfig> = Setting::of_queue(
    text("rank", "Rank", "0", "Order in which owners get their hosts; 0 is first."),
    Rules(&[&OWN_HOSTS]),
    |consumer, text| count(text).map(|rank| consumer.rank = rank),
);

/// Lending of a consumer.
pub static LENDING: [Setting<ConsumerConfig>; 3] = [
    Setting::of_queue(
        text("lendout", "Lends its hosts", "as the plan says", "Whether other consumers can use its idle hosts.")
            .ask(ON_OFF),
        Rules(&[&OWN_HOSTS, &CALL_BACK]),
        |consumer, text| switch(text).map(|lends| consumer.lendout = Some(lends)),
    ),
    Setting::of_queue(
        text("reserved", "Reserved hosts", "0", "Number of its own hosts that are never lent."),
        Rules(&[&CALL_BACK]),
        |consumer, text| count(text).map(|hosts| consumer.reserved = hosts),
    ),
    Setting::of_queue(
        text(
            "lendout-grace",
            "Lend-out grace",
            "as the plan's grace period",
            "Borrowers that require a longer reclaim grace are refused.",
        ),
        Rules(&[&GRACE]),
        |consumer, text| span(text).map(|span| consumer.lendout_grace = Some(span)),
    ),
];

/// Grace periods of a consumer.
pub static GRACE_PERIODS: [Setting<ConsumerConfig>; 2] = [
    Setting::of_queue(
        text(
            "reclaim-grace",
            "Reclaim grace",
            "that of the pool",
            "How long its units keep running after they are reclaimed; pools with a shorter grace refuse it.",
        ),
        Rules(&[&GRACE]),
        |consumer, text| span(text).map(|span| consumer.reclaim_grace = Some(span)),
    ),
    Setting::of_queue(
        text(
            "private-pool-grace",
            "Grace of its private pool",
            "as the plan's grace period",
            "Grace period in its private pool.",
        ),
        Rules(&[&GRACE]),
        |consumer, text| span(text).map(|span| consumer.private_pool_grace = Some(span)),
    ),
];

/// All settings of a consumer.
fn of_consumer() -> impl Iterator<Item = &'static Setting<ConsumerConfig>> {
    [&RANK].into_iter().chain(&LENDING).chain(&GRACE_PERIODS)
}

/// All rules and settings; a setting of both the plan and its consumers is listed once.
pub fn rulebook() -> Rulebook {
    let others = of_consumer().filter(|setting| Setting::find(&PLAN, setting.field.key).is_none());
    Rulebook::new(RULES.to_vec(), PLAN.iter().map(Setting::rules).chain(others.map(Setting::rules)))
}

/// Reads all settings, and reports invalid ones.
pub fn read(scenario: &Scenario, f: &mut Findings) -> Config {
    let mut config = Config::default();
    for (name, typed) in &scenario.settings {
        let consumer = name.split_once('.').and_then(|(key, queue)| Some((Setting::find(of_consumer(), key)?, queue)));
        let read = match (consumer, Setting::find(&PLAN, name)) {
            (Some((setting, queue)), _) if scenario.queues.iter().any(|q| q.name == queue) => {
                setting.read(config.consumers.entry(queue.into()).or_default(), &typed.0)
            }
            (None, Some(setting)) => setting.read(&mut config, &typed.0),
            _ => {
                let names = Setting::names(&PLAN);
                let of_consumers = Setting::names(of_consumer()).join(", ");
                let message = format!("it has {}, and for a queue, as in rank.NAME: {of_consumers}", names.join(", "));
                unknown(scenario, name, &names, &message, f);
                continue;
            }
        };
        if let Err(expected) = read {
            refused(name, typed, expected, f);
        }
    }
    slot_findings::check(scenario, &config, f);
    config
}

fn count(text: &str) -> Result<u32, Expected> {
    quantity::count(text).ok().and_then(|n| u32::try_from(n).ok()).ok_or("a whole number")
}

fn ratio(text: &str) -> Result<Weight, Expected> {
    let is_in_range = |ratio: &Weight| *ratio >= Weight::ONE && ratio.in_millionths() <= RATIO_MAX * 1_000_000;
    let ratio = quantity::millionths(text).ok().map(Weight::millionths);
    ratio.filter(is_in_range).ok_or("a number from 1 to 100")
}

fn span(text: &str) -> Result<Span, Expected> {
    quantity::span(text).map_err(|_| "a duration such as 60s or 5m")
}
