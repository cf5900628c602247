//! Description of Apache YuniKorn.
//!
//! # Source
//! yunikorn.md 1.1 to 1.4, 1.7

use super::form;
use crate::policy::JobDefaults;
use crate::policy::description::{Description, Features, Gangs, QueuePriorityValue, QueueValue, QueueValues};
use crate::policy::form::Form;
use crate::policy::versions::{Modelled, Revision};
use crate::trace::Quantity;

/// Apache YuniKorn.
pub const DESCRIPTION: Description = Description {
    key: "yunikorn",
    name: "YuniKorn",
    title: "Apache YuniKorn",
    short: "YuniKorn",
    about: "Apache YuniKorn is an open-source scheduler for batch and data workloads on Kubernetes.",
    terms: &super::vocabulary::TERMS,
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
