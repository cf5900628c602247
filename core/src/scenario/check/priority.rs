//! Priorities of jobs: a number, or a class of the policy.

use super::Here;
use crate::format::codes;
use crate::format::nearest;
use crate::format::quantity;
use crate::format::{Findings, quoted, set};
use crate::format::{Scalar, Scenario};
use crate::policy::{JobDefaults, Policy};

/// What a policy takes jobs to be that leave something out.
pub struct Unset {
    defaults: &'static JobDefaults,
    /// The priority of jobs without one: as the settings say, else that of the policy.
    priority: i32,
}

impl Unset {
    /// Under the policy of a scenario.
    pub fn of(s: &Scenario) -> Unset {
        let defaults = Policy::job_defaults(&s.policy);
        let said = s.settings.get("default-job-priority");
        let said = said.and_then(|typed| quantity::integer(typed.0.trim()).ok());
        Unset { defaults, priority: said.unwrap_or(defaults.priority) }
    }

    /// Whether a job of this priority is preemptible if it does not say.
    pub fn is_preemptible(&self, priority: i32) -> bool {
        self.defaults.is_preemptible(priority)
    }

    /// The priority of a job.
    pub fn priority(&self, typed: &Option<Scalar>, here: Here<'_>, f: &mut Findings) -> i32 {
        let Some(typed) = typed else { return self.priority };
        let text = typed.0.trim();
        let known = self.defaults.class(text).or_else(|| quantity::integer(text).ok());
        known.unwrap_or_else(|| {
            self.unknown(text, here, f);
            self.defaults.priority
        })
    }

    fn unknown(&self, text: &str, here: Here<'_>, f: &mut Findings) {
        let at = || here.field("priority");
        let classes = self.defaults.classes.iter().map(|(name, _)| *name);
        if self.defaults.classes.is_empty() {
            let says =
                format!("priority {} is not an integer; this policy has no priority classes", quoted(text));
            let fix = match JobDefaults::CLASSES.class(text) {
                Some(value) => {
                    set(at(), value.to_string(), format!("Use {value}, its value under KAI and Run:ai"))
                }
                None => set(at(), "", "Use the default priority"),
            };
            return f.add(codes::PRIORITY, at(), says, fix);
        }
        let all: Vec<&str> = classes.clone().collect();
        let says = format!("priority {} is neither an integer nor one of {}", quoted(text), all.join(", "));
        let fix = match nearest(text, classes) {
            Some(near) => set(at(), near, format!("Use {near}")),
            None => set(at(), "", "Use the default priority"),
        };
        f.add(codes::PRIORITY, at(), says, fix);
    }
}
