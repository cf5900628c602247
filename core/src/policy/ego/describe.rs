//! Description of IBM EGO.
//!
//! # Source
//! ego.md 2, 8.5

use super::{form, versions};
use crate::policy::JobDefaults;
use crate::policy::description::{
    Cycle, Description, Gangs, Knows, NO_SEMI, QueuePriorityValue, QueueValue, QueueValues,
};
use crate::policy::form::{Form, PLAIN_PREEMPTIBLE, PLAIN_PRIORITY};

/// IBM EGO with a multidimensional plan.
pub const DESCRIPTION: Description = Description {
    key: "ego",
    name: "EGO",
    title: "IBM EGO",
    short: "EGO",
    about: "IBM EGO is the resource manager of IBM Spectrum Symphony; its consumers are queues here.",
    terms: &super::vocabulary::TERMS,
    jobs: JobDefaults::PLAIN,
    cycle: Cycle::OnChange,
    queue: QueueValues {
        // Absent ownership of CPU or memory does not restrict anything.
        quota: Some(QueueValue { word: "ownership", unset: [None, None, Some("0")], of_gpus_alone: false }),
        limit: Some(QueueValue::new("share limit", "unlimited")),
        weight: Some(QueueValue::new("share ratio", "1")),
        priority: Some(QueuePriorityValue { word: "share priority", unset: 0 }),
        history: false,
        one_weight: true,
        unlimited_quota: false,
    },
    knows: Knows {
        gangs: Gangs::Together,
        common_minimum: false,
        joining_pods: false,
        subgroups: false,
        applications: false,
        parts: false,
        hundredths: false,
        job_priority: true,
        semi: Err(NO_SEMI),
        evicted_for: true,
        evictions: true,
        taints: false,
        pool_lists: false,
        lists_order: true,
        share_usage: true,
        queue_priorities: false,
        reloads: None,
    },
    silent: &[],
    form: Form {
        settings: form::SETTINGS,
        queue: Some(form::QUEUE),
        job: None,
        job_values: &[PLAIN_PRIORITY, PLAIN_PREEMPTIBLE],
        pool: &[],
    },
    translation: super::translate::TRANSLATION,
    exports: &[super::export::PLAN],
    kit: None,
    queue_state: None,
    saturation: None,
    usage_rule: None,
    modelled: Some(&versions::MODELLED),
};
