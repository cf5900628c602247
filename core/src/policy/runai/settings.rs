//! Settings of Run:ai in a scenario: its own, those of a queue as `over-quota.team-a`, and those shared with KAI.
//!
//! # Rule
//! Settings of the engine affect the engine's rules, translated to Run:ai's terms.
//!
//! # Source
//! runai.md 4.2, 7, 9

use super::config::{Config, OverQuota, Sharing};
use super::rules::{LIMIT, OVER_QUOTA, REMAINDER, of_engine, own_rules};
use crate::format::{Findings, Scalar, Scenario, quantity};
use crate::policy::PRIORITY_CLASS;
use crate::policy::kai;
use crate::policy::kai::settings::{ENGINE_SETTINGS, is_of_engine};
use crate::policy::setting::{Setting, Wanted, choice, priority_class, refused, unknown};
use crate::policy::switches::{Rulebook, Switch};
use crate::trace::Rule;

/// Settings of its own.
static OWN: [Setting<Sharing>; 2] = [
    Setting::new(Switch::of("department-over-quota", &[&OVER_QUOTA]), |sharing, text| {
        let all = [("by-quota", false), ("by-weight", true)];
        choice(text, &all, "by-quota or by-weight").map(|on| sharing.departments_by_weight = on)
    }),
    Setting::new(Switch::of("over-quota-weights", &[&OVER_QUOTA]), |sharing, text| {
        // YAML 1.1 reads a plain `on` or `off` as a boolean.
        let all = [("on", false), ("true", false), ("off", true), ("false", true)];
        choice(text, &all, "on or off").map(|off| sharing.projects_by_quota = off)
    }),
];

/// The setting of a queue, as in `over-quota.team-a`.
static OF_QUEUE: Switch = Switch::of("over-quota", &[&OVER_QUOTA, &REMAINDER, &LIMIT]);

/// Rule book: its own rules, then the engine's, and all settings.
pub(super) fn rulebook() -> Rulebook {
    let own = Rulebook::new(Vec::new(), &[OWN[0].switch, OWN[1].switch, OF_QUEUE]);
    let engine = kai::settings::SETTINGS.iter().map(|setting| setting.switch);
    let engine = engine.filter(|switch| ENGINE_SETTINGS.contains(&switch.name));
    let engine = engine.map(|switch| {
        let rules = switch.rules().iter().map(|rule| of_engine(**rule));
        (switch, rules.collect())
    });
    let mut rules: Vec<Rule> = own_rules().collect();
    let others = kai::all_rules().into_iter().map(of_engine);
    rules.extend(others.filter(|rule| own_rules().all(|own| own != *rule)));
    Rulebook { rules, switches: own.switches.into_iter().chain(engine).collect() }
}

/// Reads all settings, and reports invalid ones.
pub fn read(s: &Scenario, f: &mut Findings) -> Config {
    let mut config = Config::new(kai::settings::read(s, is_of_engine, f));
    for (name, typed) in s.settings.iter().filter(|(name, _)| !is_of_engine(name)) {
        if priority_class(name, typed, f) {
            continue;
        }
        let of_queue = name.split_once('.').filter(|(word, _)| *word == OF_QUEUE.name);
        let read = match (of_queue, Setting::find(&OWN, name)) {
            (Some((_, queue)), _) if s.queues.iter().any(|q| q.name == queue) => {
                over_quota(typed).map(|level| {
                    config.sharing.over_quota.insert(queue.into(), level);
                })
            }
            (None, Some(setting)) => setting.read(&mut config.sharing, &typed.0),
            _ => {
                let own = OWN.each_ref().map(|setting| setting.switch.name);
                let says = format!(
                    "it has {}, {}, and for a queue {}.NAME; {PRIORITY_CLASS}NAME",
                    own.join(", "),
                    ENGINE_SETTINGS.join(", "),
                    OF_QUEUE.name
                );
                let known: Vec<&'static str> = own.into_iter().chain(ENGINE_SETTINGS).collect();
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

fn over_quota(typed: &Scalar) -> Result<OverQuota, Wanted> {
    let text = typed.0.trim();
    let level = || OverQuota::named(text);
    let number = || quantity::millionths(text).ok().map(OverQuota::millionths);
    level().or_else(number).ok_or("none, lowest, low, medium, high or a number")
}
