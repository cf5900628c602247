//! Description of Apache YuniKorn, with its words.
//!
//! # Source
//! yunikorn.md 1.1 to 1.4, 1.7

use super::form;
use crate::policy::JobDefaults;
use crate::policy::description::{Description, Features, Gangs, QueuePriorityValue, QueueValue, QueueValues};
use crate::policy::form::Form;
use crate::policy::versions::{Modelled, Revision};
use crate::policy::vocabulary::{FAIR_SHARE_APART, NONE, Terms};
use crate::trace::Quantity;

/// Apache YuniKorn.
pub const DESCRIPTION: Description = Description {
    key: "yunikorn",
    name: "YuniKorn",
    title: "Apache YuniKorn",
    short: "YuniKorn",
    about: "Apache YuniKorn is an open-source scheduler for batch and data workloads on Kubernetes.",
    terms: &TERMS,
    jobs: JobDefaults { has_own_classes: true, ..JobDefaults::PLAIN },
    queue: QueueValues {
        // An absent guarantee of CPU or memory does not restrict anything.
        quota: Some(QueueValue { word: "guaranteed", unset: [None, None, Some("0")], of_gpus_alone: false }),
        limit: Some(QueueValue::new("max", "unlimited")),
        priority: Some(QueuePriorityValue { word: "priority offset", quantity: Quantity::PriorityOffset, unset: 0 }),
        unlimited_quota: false,
        ..QueueValues::NONE
    },
    supports: Features {
        gangs: Gangs::WithPlaceholders,
        applications: true,
        parts: false,
        job_priority: true,
        evictions: true,
        lists_order: true,
        queue_priorities: true,
        // These two name existing objects.
        reloads: Some(&["gpu-type", "partition"]),
        ..Features::BASELINE
    },
    // The note on a translated weight covers it.
    silent: &["weight"],
    form: Form {
        settings: form::SETTINGS,
        queue: Some(form::QUEUE),
        job: Some(&form::JOB),
        ..Description::BASELINE.form
    },
    translation: super::translate::TRANSLATION,
    schedulers: &["yunikorn"],
    exports: &[super::export::QUEUES],
    modelled: Some(&MODELLED),
    ..Description::BASELINE
};

/// The modelled versions.
const MODELLED: Modelled = Modelled {
    policy: "yunikorn",
    product: "Apache YuniKorn",
    setting: "",
    revisions: &[Revision {
        name: "",
        label: "YuniKorn after 1.9.0",
        versions: "core after release 1.9.0",
        commit: "be3bb487298956dd70906fca15e577bbc12d23cb",
        date: "2026-07-02",
        source: "source code",
    }],
    compared: "",
    changes: &[],
    engine: None,
};

/// Terms on screen.
pub const TERMS: Terms = Terms {
    pairs: &[
        // YuniKorn has no fair shares; a queue is entitled to its guarantee.
        ("beyond fair share", "beyond guarantee"),
        (FAIR_SHARE_APART, "guaranteed and wanted"),
        ("how the fair share is computed", "how the guarantee is computed"),
        ("how its fair share is computed", "how its guarantee is computed"),
        ("fair shares", "guarantees"),
        ("fair share", "guarantee"),
        ("within quota", "within guarantee"),
        ("over quota", "over guarantee"),
        ("a quota", "a guarantee"),
        ("quotas", "guarantees"),
        ("quota", "guarantee"),
        ("limits", "maxima"),
        ("limit", "maximum"),
        ("a job", "an application"),
        ("jobs", "applications"),
        ("job", "application"),
    ],
    columns: [
        ("queue", ""),
        ("guaranteed", "Guaranteed: below it, the queue can preempt others"),
        NONE,
        ("max", "Max: most that the queue and its children can use"),
        ("offset", "priority.offset: added to the priorities of all applications below"),
    ],
    marks: &[],
};
