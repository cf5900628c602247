//! Description of Run:ai, with its words.
//!
//! # Source
//! runai.md 2, 4, 6, 7, 9, 15

use super::state::FairshareState;
use super::{form, settings};
use crate::policy::description::{Description, Features, QueuePriorityValue, QueueValue, QueueValues};
use crate::policy::form::Form;
use crate::policy::kai;
use crate::policy::versions::{Modelled, Revision};
use crate::policy::vocabulary::Terms;
use crate::trace::Quantity;

/// Run:ai, which runs on the engine of KAI.
pub const DESCRIPTION: Description = Description {
    key: "runai",
    name: "Run:ai",
    title: "Run:ai",
    short: "Run:ai",
    about: "Run:ai is NVIDIA's platform for GPU clusters, with departments and projects as queues.",
    terms: &TERMS,
    queue: QueueValues {
        quota: Some(QueueValue {
            word: "quota",
            unset: [Some("unlimited"), Some("unlimited"), Some("0")],
            of_gpus_alone: false,
        }),
        limit: Some(QueueValue::new("limit", "unlimited")),
        weight: Some(QueueValue::new("over-quota weight", "2")),
        priority: Some(QueuePriorityValue { word: "rank", quantity: Quantity::Priority, unset: 100 }),
        ..kai::DESCRIPTION.queue
    },
    supports: Features {
        semi: Ok(()),
        pool_lists: true,
        hundredths: false,
        optional_members: false,
        ..kai::DESCRIPTION.supports
    },
    form: Form {
        settings: settings::FORM,
        queue: Some(form::QUEUE),
        job: kai::DESCRIPTION.form.job,
        job_values: &[form::PRIORITY, form::PREEMPTIBLE],
        pool: kai::DESCRIPTION.form.pool,
    },
    translation: super::translate::TRANSLATION,
    queue_state: Some(|allocated, quota, fairshare| {
        let state = FairshareState::of(allocated, quota, fairshare);
        (state as u8, state.name())
    }),
    schedulers: &["runai-scheduler"],
    exports: &[super::export::ORGANISATION],
    kit: None,
    modelled: Some(&MODELLED),
    ..kai::DESCRIPTION
};

/// The modelled versions.
const MODELLED: Modelled = Modelled {
    policy: "runai",
    product: "Run:ai",
    setting: "",
    revisions: &[Revision {
        name: "",
        label: "Run:ai",
        versions: "as described in its public documentation at docs.run.ai, which names no version",
        commit: "",
        date: "",
        source: "“The Run:ai Scheduler” and related pages; what it leaves open is decided as in KAI \
                 Scheduler v0.13, whose generation they describe",
    }],
    compared: "",
    changes: &[],
    engine: kai::DESCRIPTION.modelled,
};

/// Terms on screen.
pub const TERMS: Terms = Terms {
    pairs: &[
        ("within quota", "in quota"),
        ("beyond fair share", "over fairshare"),
        ("how the fair share is computed", "how the fairshare is computed"),
        ("how its fair share is computed", "how its fairshare is computed"),
        ("fair shares", "fairshares"),
        ("fair share", "fairshare"),
        ("top-level queues", "departments"),
        ("queue state", "project state"),
        ("queues", "projects"),
        ("queue", "project"),
        ("priority of the queue", "rank"),
        ("weights", "over-quota weights"),
        ("weight", "over-quota weight"),
        ("a job", "a workload"),
        ("jobs", "workloads"),
        ("job", "workload"),
    ],
    columns: [
        ("project", "Department, or project of a department"),
        ("quota", "Quota: guaranteed, lent to others while unused"),
        ("weight", "Over-quota weight: relative share of unused resources"),
        ("limit", "Limit: most that the project can use"),
        ("rank", "Rank: higher values are served first"),
    ],
    marks: &[],
};
