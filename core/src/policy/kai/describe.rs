//! Description of the policy KAI, with its words and its translation to other policies.
//!
//! # Source
//! kai.md 1.3, 2.4, 4.1, 5

use super::form;
use super::versions;
use crate::policy::JobDefaults;
use crate::policy::description::{Cycle, Description, Features, Gangs, QueuePriorityValue, QueueValue, QueueValues};
use crate::policy::form::Form;
use crate::policy::translation::{Evictions, Packing, Translation};
use crate::policy::vocabulary::Terms;
use crate::trace::Quantity;

/// KAI Scheduler.
pub const DESCRIPTION: Description = Description {
    key: "kai",
    name: "KAI",
    title: "KAI Scheduler",
    short: "KAI",
    about: "KAI Scheduler is NVIDIA's open-source GPU scheduler for Kubernetes.",
    terms: &TERMS,
    jobs: JobDefaults::CLASSES,
    cycle: Cycle::EverySecond,
    queue: QueueValues {
        quota: Some(QueueValue::new("deserved quota", "0")),
        limit: Some(QueueValue::new("limit", "0")),
        weight: Some(QueueValue::new("over-quota weight", "0")),
        priority: Some(QueuePriorityValue { word: "queue priority", quantity: Quantity::Priority, unset: 100 }),
        history: true,
        one_weight: false,
        unlimited_quota: true,
    },
    supports: Features {
        gangs: Gangs::Together,
        common_minimum: true,
        joining_pods: true,
        subgroups: true,
        optional_members: true,
        applications: false,
        parts: true,
        hundredths: true,
        job_priority: true,
        semi: Err(
            "no release of KAI that is simulated has semi-preemptible jobs, which v0.18.0 has as alpha; a job that says \
             semi is preemptible if its priority is below 100",
        ),
        evicted_for: false,
        evictions: true,
        taints: true,
        pool_lists: false,
        lists_order: true,
        share_usage: false,
        queue_priorities: false,
        reloads: None,
    },
    silent: &[],
    form: Form {
        settings: form::SETTINGS,
        queue: None,
        job: Some(&form::JOB),
        job_values: &[],
        pool: form::PLACEMENTS.1,
    },
    translation: TRANSLATION,
    schedulers: &["kai-scheduler"],
    exports: &[super::export::QUEUES],
    kit: Some(super::kit::kit),
    queue_state: None,
    saturation: Some(super::solve::reclaimable::ratio),
    usage_rule: Some(&super::share::usage::USAGE),
    modelled: Some(&versions::MODELLED),
};

/// Terms shown to the user.
pub const TERMS: Terms = Terms {
    pairs: &[],
    columns: [
        ("queue", ""),
        ("quota", "Quota: guaranteed to the queue"),
        ("weight", "Over-quota weight: relative share of unused capacity"),
        ("limit", "Limit: most that the queue can use"),
        ("prio", "Priority: higher values are served first among siblings"),
    ],
    marks: &[
        ("claimed", "pipelined"),
        ("leaving", "releasing"),
        ("quota", "deserved"),
        ("limit", "max allowed"),
        ("down", "not ready"),
    ],
};

/// Settings with equivalents in other policies.
pub const TRANSLATION: Translation = Translation {
    packing: Some(Packing { setting: "gpu-placement", pack: "binpack", spread: "spread", packs_by_default: true }),
    evictions: Some(Evictions {
        setting: "actions",
        is_off: |actions| !["reclaim", "preempt"].iter().any(|action| actions.contains(action)),
        off: "allocate, stalegangeviction",
        says_off: "without preemption KAI runs only allocate and stalegangeviction",
        says_on: Some("KAI reclaims and preempts by default"),
    }),
    default_priority: Some("default-job-priority"),
    ..Translation::PLAIN
};
