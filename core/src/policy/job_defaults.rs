//! What a policy takes a job to be that leaves its priority or its preemptibility out.
//!
//! # Rule
//! KAI and Run:ai know four priority classes; a job without a priority has that of `train`, and from `build` on jobs are not
//! preemptible unless they say so. Under every other policy a job without a priority has 0, as a Kubernetes pod without a
//! priority class does, priorities are plain integers, and every job is preemptible unless it says otherwise. All three products read any
//! class of the cluster; a scenario gives such classes their values, also one that replaces a preset of the same name. The class of value 75
//! is called `build-preemptible` by KAI's chart and `interactive-preemptible` by Run:ai; both names are read.
//!
//! # Source
//! kai.md 1.3; runai.md 6; yunikorn.md 1.7; Kubernetes, *PriorityClass*

use std::collections::BTreeMap;

use crate::format::{Scalar, quantity};

/// What stands before the name of a class in the setting with its value.
pub const PRIORITY_CLASS: &str = "priority-class.";

/// What holds for jobs that leave something out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobDefaults {
    /// The priority of a job that has none.
    pub priority: i32,
    /// Priority classes by name.
    pub classes: &'static [(&'static str, i32)],
    /// Whether a scenario can have classes of its own, by settings behind [`PRIORITY_CLASS`].
    pub has_own_classes: bool,
    /// From this priority on jobs are not preemptible unless they say so; `None`: all jobs are preemptible.
    pub non_preemptible_from: Option<i32>,
}

impl JobDefaults {
    /// Those of KAI and of Run:ai.
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
    /// Those of policies without priority classes.
    pub const PLAIN: JobDefaults =
        JobDefaults { priority: 0, classes: &[], has_own_classes: false, non_preemptible_from: None };

    /// The value of a priority class; `None`: there is no class of that name.
    pub fn class(&self, name: &str) -> Option<i32> {
        self.classes.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }

    /// The value of what a job names as its priority: an integer of 32 bits, or a class of the scenario with these settings or of the
    /// policy.
    pub fn value(&self, typed: &str, settings: &BTreeMap<String, Scalar>) -> Option<i32> {
        let of_setting = || {
            let said = settings.get(&format!("{PRIORITY_CLASS}{typed}")).filter(|_| self.has_own_classes)?;
            quantity::integer(said.0.trim()).ok()
        };
        quantity::integer(typed).ok().or_else(of_setting).or_else(|| self.class(typed))
    }

    /// Whether a job of this priority is preemptible if it does not say.
    pub fn is_preemptible(&self, priority: i32) -> bool {
        self.non_preemptible_from.is_none_or(|from| priority < from)
    }
}
