//! What a policy takes a job to be that leaves its priority or its preemptibility out.
//!
//! # Rule
//! KAI and Run:ai know four priority classes; a job without a priority has that of `train`, and from `build` on jobs are not
//! preemptible unless they say so. Under every other policy a job without a priority has 0, as a Kubernetes pod without a
//! priority class does, priorities are plain integers, and every job is preemptible unless it says otherwise.
//!
//! # Source
//! kai.md 1.3; runai.md 6; yunikorn.md 1.7

/// What holds for jobs that leave something out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobDefaults {
    /// The priority of a job that has none.
    pub priority: i32,
    /// Priority classes by name.
    pub classes: &'static [(&'static str, i32)],
    /// From this priority on jobs are not preemptible unless they say so; `None`: all jobs are preemptible.
    pub non_preemptible_from: Option<i32>,
}

impl JobDefaults {
    /// Those of KAI and of Run:ai.
    pub const CLASSES: JobDefaults = JobDefaults {
        priority: 50,
        classes: &[("train", 50), ("interactive-preemptible", 75), ("build", 100), ("inference", 125)],
        non_preemptible_from: Some(100),
    };
    /// Those of policies without priority classes.
    pub const PLAIN: JobDefaults = JobDefaults { priority: 0, classes: &[], non_preemptible_from: None };

    /// The value of a priority class; `None`: there is no class of that name.
    pub fn class(&self, name: &str) -> Option<i32> {
        self.classes.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }

    /// Whether a job of this priority is preemptible if it does not say.
    pub fn is_preemptible(&self, priority: i32) -> bool {
        self.non_preemptible_from.is_none_or(|from| priority < from)
    }
}
