//! Description of IBM EGO.
//!
//! # Source
//! ego.md 2, 8.5, 16

use super::form;
use crate::policy::description::{Description, Features, QueuePriorityValue, QueueValue, QueueValues};
use crate::policy::form::Form;
use crate::policy::versions::{Modelled, Revision};
use crate::trace::Quantity;

/// IBM EGO with a multidimensional plan.
pub const DESCRIPTION: Description = Description {
    key: "ego",
    name: "EGO",
    title: "IBM EGO",
    short: "EGO",
    about: "IBM EGO is the resource manager of IBM Spectrum Symphony; its consumers are queues here.",
    terms: &super::vocabulary::TERMS,
    queue: QueueValues {
        // Absent ownership of CPU or memory does not restrict anything.
        quota: Some(QueueValue { word: "ownership", unset: [None, None, Some("0")], of_gpus_alone: false }),
        limit: Some(QueueValue::new("share limit", "unlimited")),
        weight: Some(QueueValue::new("share ratio", "1")),
        priority: Some(QueuePriorityValue { word: "share priority", quantity: Quantity::Priority, unset: 0 }),
        one_weight: true,
        unlimited_quota: false,
        ..QueueValues::NONE
    },
    supports: Features {
        common_minimum: false,
        parts: false,
        job_priority: true,
        evicted_for: true,
        evictions: true,
        taints: false,
        lists_order: true,
        share_usage: true,
        ..Features::BASELINE
    },
    form: Form { settings: form::SETTINGS, queue: Some(form::QUEUE), ..Description::BASELINE.form },
    translation: super::translate::TRANSLATION,
    exports: &[super::export::PLAN],
    modelled: Some(&MODELLED),
    ..Description::BASELINE
};

/// The modelled versions.
const MODELLED: Modelled = Modelled {
    policy: "ego",
    product: "IBM EGO",
    setting: "",
    revisions: &[Revision {
        name: "",
        label: "EGO 7.3.2",
        versions: "of IBM Spectrum Symphony 7.3.1 to 7.3.2 and IBM Spectrum Conductor 2.3.0 to 2.4.1",
        commit: "",
        date: "",
        source: "public documentation of these versions",
    }],
    compared: "",
    changes: &[],
    engine: None,
};
