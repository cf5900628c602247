//! Settings of Run:ai in a scenario, one row each: its own, those of a queue as `over-quota.team-a`, and those of KAI
//! that its form lists.
//!
//! # Rule
//! Settings of the engine affect the engine's rules, translated to Run:ai's terms.
//!
//! # Source
//! runai.md 4.2, 7, 9

use super::config::{Config, OverQuota, Sharing};
use super::rules::{LIMIT, OVER_QUOTA, REMAINDER, of_engine, own_rules};
use crate::format::{Findings, Scenario, quantity};
use crate::policy::PRIORITY_CLASS;
use crate::policy::form::{Ask, Attribute, Group, text};
use crate::policy::kai;
use crate::policy::kai::form::{MIN_RUNTIME, PLACEMENTS, field};
use crate::policy::kai::settings::named;
use crate::policy::setting::Affects::Rules;
use crate::policy::setting::{Expected, Rulebook, Setting, choice, priority_class, refused, unknown};
use crate::trace::Rule;

/// Settings of its own.
pub static OWN: [Setting<Sharing>; 2] = [
    Setting::new(
        text(
            "department-over-quota",
            "Department over-quota sharing",
            "by quota",
            "How departments share unused capacity: in proportion to quota or to weight.",
        )
        .ask(Ask::Choice(&[("by-quota", "by quota"), ("by-weight", "by weight")])),
        Rules(&[&OVER_QUOTA]),
        |sharing, text| {
            let all = [("by-quota", false), ("by-weight", true)];
            choice(text, &all, "by-quota or by-weight").map(|is_on| sharing.departments_by_weight = is_on)
        },
    ),
    Setting::new(
        text(
            "over-quota-weights",
            "Over-quota weights",
            "on",
            "Whether projects share unused capacity by weight or by quota.",
        )
        .ask(Ask::Choice(&[("on", "on"), ("off", "off")])),
        Rules(&[&OVER_QUOTA]),
        |sharing, text| {
            // YAML 1.1 reads a plain `on` or `off` as a boolean.
            let all = [("on", false), ("true", false), ("off", true), ("false", true)];
            choice(text, &all, "on or off").map(|is_off| sharing.projects_by_quota = is_off)
        },
    ),
];

/// The setting of a queue, as in `over-quota.team-a`.
pub static OF_QUEUE: Setting<Option<OverQuota>> = Setting::of_queue(
    text(
        "over-quota",
        "Over-quota weight",
        "that of the resource, else medium (2)",
        "A level or a number: relative share of unused capacity. Departments share by quota.",
    )
    .ask(Ask::Usual(&[
        ("none", "never beyond the quota"),
        ("lowest", "0: idle GPUs only"),
        ("low", "1"),
        ("medium", "2"),
        ("high", "3"),
    ])),
    Rules(&[&OVER_QUOTA, &REMAINDER, &LIMIT]),
    |level, text| over_quota(text).map(|read| *level = Some(read)),
);

/// Fields of the settings: its own, and those of the engine that it has.
pub const FORM: &[Group] = &[
    (
        "Run:ai settings",
        &[
            OWN[0].field,
            OWN[1].field,
            Attribute { says: "A whole number; 100 and above is non-preemptible.", ..field("default-job-priority") },
            Attribute {
                says: "A factor from 1: the larger, the harder it is to reclaim from projects over their fairshare.",
                ..field("saturation-multiplier")
            },
            field("max-consolidation-preemptees"),
            field("staleness-grace"),
        ],
    ),
    MIN_RUNTIME,
    PLACEMENTS,
    (
        "Time-based fairshare",
        &[
            Attribute {
                says: "A factor from 0: how strongly past usage reduces the over-quota share.",
                ..field("k-value")
            },
            field("usage-client"),
            field("usage-window"),
            field("usage-window-type"),
            field("usage-window-start"),
            field("usage-half-life"),
            field("usage-fetch-interval"),
        ],
    ),
];

/// Names of the engine's settings that the form lists.
fn of_engine_names() -> Vec<&'static str> {
    let all = FORM.iter().flat_map(|(_, fields)| fields.iter().map(|field| field.key));
    all.filter(|name| Setting::find(&OWN, name).is_none()).collect()
}

/// Rule book: its own rules, then the engine's, and all settings.
pub(super) fn rulebook() -> Rulebook {
    let own_book = Rulebook::new(Vec::new(), OWN.iter().map(Setting::rules).chain([OF_QUEUE.rules()]));
    let engine = of_engine_names().into_iter().filter_map(named).map(Setting::rules);
    let engine = engine.map(|setting| (setting, setting.affects.rules().map(of_engine).collect()));
    let mut rules: Vec<Rule> = own_rules().collect();
    let others = kai::all_rules().into_iter().map(of_engine);
    rules.extend(others.filter(|rule| own_rules().all(|own_book| own_book != *rule)));
    Rulebook { rules, settings: own_book.settings.into_iter().chain(engine).collect() }
}

/// Reads all settings, and reports invalid ones.
pub fn read(scenario: &Scenario, f: &mut Findings) -> Config {
    let engine = of_engine_names();
    let is_of_engine = |name: &str| named(name).is_some_and(|setting| engine.contains(&setting.field.key));
    let mut config = Config::new(kai::settings::read(scenario, is_of_engine, f));
    for (name, typed) in scenario.settings.iter().filter(|(name, _)| !is_of_engine(name)) {
        if priority_class(name, typed, f) {
            continue;
        }
        let of_queue = name.split_once('.').filter(|(word, _)| *word == OF_QUEUE.field.key);
        let read = match (of_queue, Setting::find(&OWN, name)) {
            (Some((_, queue)), _) if scenario.queues.iter().any(|q| q.name == queue) => {
                let mut level = None;
                let read = OF_QUEUE.read(&mut level, &typed.0);
                config.sharing.over_quota.extend(level.map(|level| (queue.into(), level)));
                read
            }
            (None, Some(setting)) => setting.read(&mut config.sharing, &typed.0),
            _ => {
                let own_names = Setting::names(&OWN);
                let message = format!(
                    "it has {}, {}, and for a queue {}.NAME; {PRIORITY_CLASS}NAME",
                    own_names.join(", "),
                    engine.join(", "),
                    OF_QUEUE.field.key
                );
                unknown(scenario, name, &[own_names, engine.clone()].concat(), &message, f);
                continue;
            }
        };
        if let Err(expected) = read {
            refused(name, typed, expected, f);
        }
    }
    config
}

fn over_quota(text: &str) -> Result<OverQuota, Expected> {
    let level = || OverQuota::named(text);
    let number = || quantity::millionths(text).ok().map(OverQuota::millionths);
    level().or_else(number).ok_or("none, lowest, low, medium, high or a number")
}
