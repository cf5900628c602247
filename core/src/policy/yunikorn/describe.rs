//! Description of Apache YuniKorn.
//!
//! # Source
//! yunikorn.md 1.1 to 1.4, 1.7

use super::{form, versions};
use crate::policy::JobDefaults;
use crate::policy::description::{
    Cycle, Description, Gangs, Knows, NO_SEMI, QueuePriorityValue, QueueValue, QueueValues,
};
use crate::policy::form::{Form, PLAIN_PREEMPTIBLE, PLAIN_PRIORITY};

/// Apache YuniKorn.
pub const DESCRIPTION: Description = Description {
    key: "yunikorn",
    name: "YuniKorn",
    title: "Apache YuniKorn",
    short: "YuniKorn",
    about: "Apache YuniKorn is an open-source scheduler for batch and data workloads on Kubernetes.",
    terms: &super::vocabulary::TERMS,
    jobs: JobDefaults { has_own_classes: true, ..JobDefaults::PLAIN },
    cycle: Cycle::OnChange,
    queue: QueueValues {
        // An absent guarantee of CPU or memory does not restrict anything.
        quota: Some(QueueValue { word: "guaranteed", unset: [None, None, Some("0")], of_gpus_alone: false }),
        limit: Some(QueueValue::new("max", "unlimited")),
        weight: None,
        priority: Some(QueuePriorityValue { word: "priority offset", unset: 0 }),
        history: false,
        one_weight: false,
        unlimited_quota: false,
    },
    knows: Knows {
        gangs: Gangs::WithPlaceholders,
        common_minimum: true,
        joining_pods: false,
        subgroups: false,
        applications: true,
        parts: false,
        hundredths: false,
        job_priority: true,
        semi: Err(NO_SEMI),
        evicted_for: false,
        evictions: true,
        taints: true,
        pool_lists: false,
        lists_order: true,
        share_usage: false,
        queue_priorities: true,
        // These two name existing objects.
        reloads: Some(&["gpu-type", "partition"]),
    },
    // The note on a translated weight covers it.
    silent: &["weight"],
    form: Form {
        settings: form::SETTINGS,
        queue: Some(form::QUEUE),
        job: Some(&form::JOB),
        job_values: &[PLAIN_PRIORITY, PLAIN_PREEMPTIBLE],
        pool: &[],
    },
    translation: super::translate::TRANSLATION,
    exports: &[super::export::QUEUES],
    kit: None,
    queue_state: None,
    saturation: None,
    usage_rule: None,
    modelled: Some(&versions::MODELLED),
};
