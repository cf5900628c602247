//! Priorities of jobs (a number, or a class of the policy or of the scenario) and the preemptibility that follows.

use std::collections::BTreeMap;

use super::Location;
use crate::cluster::Preemptible;
use crate::format::{Findings, JobEntry, Scalar, Scenario, codes, nearest, quantity, quoted, set};
use crate::policy::description::Description;
use crate::policy::{JobDefaults, PRIORITY_CLASS, Policy};

/// A policy's defaults for jobs.
pub struct Unset<'s> {
    settings: &'s BTreeMap<String, Scalar>,
    defaults: &'static JobDefaults,
    /// Default priority: that of the settings, else that of the policy.
    priority: i32,
}

impl<'s> Unset<'s> {
    /// The defaults under the policy of a scenario.
    pub fn of(scenario: &'s Scenario) -> Unset<'s> {
        let defaults = Policy::job_defaults(&scenario.policy);
        let typed = scenario.settings.get("default-job-priority");
        let priority = typed.and_then(|typed| quantity::integer(typed.0.trim()).ok());
        Unset { settings: &scenario.settings, defaults, priority: priority.unwrap_or(defaults.priority) }
    }

    /// Whether a job of this priority is preemptible by default.
    pub fn is_preemptible(&self, priority: i32) -> bool {
        self.defaults.is_preemptible(priority)
    }

    /// The priority of a job.
    pub fn priority(&self, typed: &Option<Scalar>, location: Location<'_>, f: &mut Findings) -> i32 {
        let Some(typed) = typed else { return self.priority };
        let text = typed.0.trim();
        self.defaults.value(text, self.settings).unwrap_or_else(|| {
            self.unknown(text, location, f);
            self.defaults.priority
        })
    }

    fn unknown(&self, text: &str, location: Location<'_>, f: &mut Findings) {
        let path = || location.field("priority");
        let JobDefaults { classes, has_own_classes, .. } = self.defaults;
        let own_classes =
            self.settings.keys().filter(|_| *has_own_classes).filter_map(|name| name.strip_prefix(PRIORITY_CLASS));
        let names: Vec<&str> = classes.iter().map(|(name, _)| *name).chain(own_classes).collect();
        let expected = match (has_own_classes, names.is_empty()) {
            (false, true) => "not an integer; this policy has no priority classes".into(),
            (false, false) => format!("neither an integer nor one of {}", names.join(", ")),
            (true, true) => {
                format!("neither an integer nor a priority class whose value is in the settings ({PRIORITY_CLASS}NAME)")
            }
            (true, false) => format!(
                "neither an integer nor one of {}; {PRIORITY_CLASS}NAME in the settings adds a class",
                names.join(", ")
            ),
        };
        let fix = match (nearest(text, names.iter().copied()), JobDefaults::CLASSES.class(text)) {
            (Some(near), _) => set(path(), near, format!("Use {near}")),
            (None, Some(value)) => {
                set(path(), value.to_string(), format!("Use {value}, its value under KAI and Run:ai"))
            }
            (None, None) => set(path(), "", "Use the default priority"),
        };
        f.add(codes::PRIORITY, path(), format!("priority {} is {expected}", quoted(text)), fix);
    }
}

/// The value for semi-preemptible jobs.
const SEMI: &str = "semi";

/// Whether a value is that of semi-preemptible jobs.
pub fn is_semi(typed: &Option<Scalar>) -> bool {
    typed.as_ref().is_some_and(|typed| typed.0.trim() == SEMI)
}

/// The preemptibility of a job, or the policy's default `unset`; `is_elastic` means that not all pods have to start
/// together. Under a policy without semi-preemptible jobs `semi` counts as omitted and is reported by
/// [`super::ignored`].
pub fn preemptible(
    entry: &JobEntry,
    (unset, is_elastic): (bool, bool),
    location: Location<'_>,
    policy: &Description,
    f: &mut Findings,
) -> Preemptible {
    let unset = Preemptible::from(unset);
    let path = || location.field("preemptible");
    match entry.preemptible.as_ref().map(|t| t.0.trim()) {
        None => unset,
        Some("true") => Preemptible::Yes,
        Some("false") => Preemptible::No,
        Some(SEMI) if policy.supports.semi.is_ok() => {
            if !is_elastic {
                let message = "preemptible semi is the same as false here: all [pods] must start together, so none is above \
                            the minimum; a smaller min-available would make a difference";
                f.suggest(codes::NO_EFFECT, path(), message.to_string(), "false", "Write false");
            }
            Preemptible::Semi
        }
        Some(SEMI) => unset,
        Some(other) => {
            let message = format!("preemptible {} is none of true, false and semi", quoted(other));
            f.suggest(codes::CHOICE, path(), message, "", "Use the default");
            unset
        }
    }
}
