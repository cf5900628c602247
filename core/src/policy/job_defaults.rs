//! Defaults for jobs that omit priority or preemptibility.
//!
//! # Rule
//! KAI and Run:ai have four priority classes; a job without a priority gets that of `train`, and from `build` on jobs
//! are not preemptible by default. Under every other policy a job without a priority has 0, like a Kubernetes pod
//! without a priority class, priorities are plain integers, and jobs are preemptible by default. All three products
//! read any class of the cluster; a scenario sets the values of such classes and may override a preset of the same
//! name. The class of value 75 is named `build-preemptible` by KAI's chart and `interactive-preemptible` by Run:ai;
//! both names are accepted.
//!
//! # Source
//! kai.md 1.3; runai.md 6; yunikorn.md 1.7; Kubernetes, *PriorityClass*

use std::collections::BTreeMap;

use crate::format::{Scalar, quantity};

/// Prefix of a setting with the value of a priority class; the class's name follows.
pub const PRIORITY_CLASS: &str = "priority-class.";

/// Defaults of jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobDefaults {
    /// Default priority.
    pub priority: i32,
    /// Priority classes by name.
    pub classes: &'static [(&'static str, i32)],
    /// Whether a scenario may define classes by settings with [`PRIORITY_CLASS`].
    pub has_own_classes: bool,
    /// Jobs of at least this priority are not preemptible by default; `None`: all jobs are preemptible by default.
    pub non_preemptible_from: Option<i32>,
}

impl JobDefaults {
    /// Defaults of KAI and of Run:ai.
    pub const CLASSES: JobDefaults = JobDefaults {
        priority: 50,
        classes: &[
            ("train", 50),
            ("build-preemptible", 75),
            ("interactive-preemptible", 75),
            ("build", 100),
            ("inference", 125),
        ],
        has_own_classes: true,
        non_preemptible_from: Some(100),
    };
    /// Defaults of policies without priority classes.
    pub const PLAIN: JobDefaults =
        JobDefaults { priority: 0, classes: &[], has_own_classes: false, non_preemptible_from: None };

    /// The value of a priority class; `None` if no class has that name.
    pub fn class(&self, name: &str) -> Option<i32> {
        self.classes.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }

    /// The value of a job's `priority` field: a 32-bit integer, or a class defined by these settings or by the
    /// policy.
    pub fn value(&self, typed: &str, settings: &BTreeMap<String, Scalar>) -> Option<i32> {
        let of_setting = || {
            let said = settings.get(&format!("{PRIORITY_CLASS}{typed}")).filter(|_| self.has_own_classes)?;
            quantity::integer(said.0.trim()).ok()
        };
        quantity::integer(typed).ok().or_else(of_setting).or_else(|| self.class(typed))
    }

    /// Default preemptibility of a job with this priority.
    pub fn is_preemptible(&self, priority: i32) -> bool {
        self.non_preemptible_from.is_none_or(|from| priority < from)
    }
}
