//! What a policy takes a job to be that leaves its priority or its preemptibility out.
//!
//! # Rule
//! KAI and Run:ai know four priority classes; a job without a priority has that of `train`, and from `build` on jobs are not
//! preemptible unless they say so. Under every other policy a job without a priority has 0, as a Kubernetes pod without a
//! priority class does, priorities are plain integers, and every job is preemptible unless it says otherwise. YuniKorn has the classes of
//! the cluster, which a scenario gives their values.
//!
//! # Source
//! kai.md 1.3; runai.md 6; yunikorn.md 1.7; Kubernetes, *PriorityClass*

use std::collections::BTreeMap;

use crate::format::{Scalar, quantity};

/// What holds for jobs that leave something out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobDefaults {
    /// The priority of a job that has none.
    pub priority: i32,
    /// Priority classes by name.
    pub classes: &'static [(&'static str, i32)],
    /// What stands before the name of a class in the setting with its value; `None`: a scenario cannot have its own.
    pub class_setting: Option<&'static str>,
    /// From this priority on jobs are not preemptible unless they say so; `None`: all jobs are preemptible.
    pub non_preemptible_from: Option<i32>,
}

impl JobDefaults {
    /// Those of KAI and of Run:ai.
    pub const CLASSES: JobDefaults = JobDefaults {
        priority: 50,
        classes: &[("train", 50), ("interactive-preemptible", 75), ("build", 100), ("inference", 125)],
        class_setting: None,
        non_preemptible_from: Some(100),
    };
    /// Those of policies without priority classes.
    pub const PLAIN: JobDefaults =
        JobDefaults { priority: 0, classes: &[], class_setting: None, non_preemptible_from: None };

    /// The value of a priority class; `None`: there is no class of that name.
    pub fn class(&self, name: &str) -> Option<i32> {
        self.classes.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }

    /// The value of what a job names as its priority: a class of the policy or of the scenario with these settings, or an integer
    /// of 32 bits.
    pub fn value(&self, typed: &str, settings: &BTreeMap<String, Scalar>) -> Option<i32> {
        let of_setting = || {
            let said = settings.get(&format!("{}{typed}", self.class_setting?))?;
            quantity::integer(said.0.trim()).ok()
        };
        self.class(typed).or_else(|| quantity::integer(typed).ok()).or_else(of_setting)
    }

    /// Whether a job of this priority is preemptible if it does not say.
    pub fn is_preemptible(&self, priority: i32) -> bool {
        self.non_preemptible_from.is_none_or(|from| priority < from)
    }
}
