//! Description of IBM EGO, with its words.
//!
//! # Source
//! ego.md 2, 8.5, 16

use super::form;
use crate::policy::description::{Description, Features, QueuePriorityValue, QueueValue, QueueValues};
use crate::policy::form::Form;
use crate::policy::versions::{Modelled, Revision};
use crate::policy::vocabulary::Terms;
use crate::trace::Quantity;

/// IBM EGO with a multidimensional plan.
pub const DESCRIPTION: Description = Description {
    key: "ego",
    name: "EGO",
    title: "IBM EGO",
    short: "EGO",
    about: "IBM EGO is the resource manager of IBM Spectrum Symphony; its consumers are queues here.",
    terms: &TERMS,
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

/// Terms on screen.
pub const TERMS: Terms = Terms {
    pairs: &[
        ("how the fair share is computed", "how the dynamic share quota is computed, for reference only"),
        ("how its fair share is computed", "how its dynamic share quota is computed"),
        ("on owned nodes", "on owned hosts"),
        ("a quota", "an ownership"),
        ("within quota", "within ownership"),
        ("over quota", "beyond ownership"),
        ("beyond fair share", "beyond share quota"),
        ("fair shares", "share quotas"),
        ("fair share", "share quota"),
        ("quotas", "ownerships"),
        ("quota", "ownership"),
        ("limits", "share limits"),
        ("limit", "share limit"),
        ("weights", "share ratios"),
        ("weight", "share ratio"),
        ("top-level queues", "top-level consumers"),
        ("priority of the queue", "priority of the consumer"),
        ("queue state", "consumer state"),
        ("queues", "consumers"),
        ("queue", "consumer"),
        ("a job", "an allocation"),
        ("jobs", "allocations"),
        ("job", "allocation"),
        ("pods", "units"),
        ("pod", "unit"),
        ("nodes", "hosts"),
        ("node", "host"),
        ("claimed", "earmarked"),
        ("evictions", "reclaims"),
        ("eviction", "reclaim"),
        ("evicted", "reclaimed"),
    ],
    columns: [
        ("consumer", ""),
        ("owned", "Ownership: as many whole hosts as fit into it"),
        ("ratio", "Share ratio: relative share of share pools at equal priority"),
        ("limit", "Share limit: most that the consumer can use of share pools"),
        ("prio", "Share priority: higher values are served first among siblings"),
    ],
    marks: &[],
};
