//! Description of Run:ai.
//!
//! # Source
//! runai.md 2, 4, 6

use super::state::State;
use super::{form, versions};
use crate::policy::description::{Description, Knows, QueuePriorityValue, QueueValue, QueueValues};
use crate::policy::form::Form;
use crate::policy::kai;

/// Run:ai, which runs on the engine of KAI.
pub const DESCRIPTION: Description = Description {
    key: "runai",
    name: "Run:ai",
    title: "Run:ai",
    short: "Run:ai",
    about: "Run:ai is NVIDIA's platform for GPU clusters, with departments and projects as queues.",
    terms: &super::vocabulary::TERMS,
    queue: QueueValues {
        quota: Some(QueueValue {
            word: "quota",
            unset: [Some("unlimited"), Some("unlimited"), Some("0")],
            of_gpus_alone: false,
        }),
        limit: Some(QueueValue::new("limit", "unlimited")),
        weight: Some(QueueValue::new("over-quota weight", "2")),
        priority: Some(QueuePriorityValue { word: "rank", unset: 100 }),
        ..kai::DESCRIPTION.queue
    },
    knows: Knows {
        semi: Ok(()),
        pool_lists: true,
        reloads: None,
        hundredths: false,
        ..kai::DESCRIPTION.knows
    },
    form: Form {
        settings: form::SETTINGS,
        queue: Some(form::QUEUE),
        job: kai::DESCRIPTION.form.job,
        job_values: &[form::PRIORITY, form::PREEMPTIBLE],
        pool: kai::DESCRIPTION.form.pool,
    },
    translation: super::translate::TRANSLATION,
    queue_state: Some(|allocated, quota, fairshare| {
        let state = State::of(allocated, quota, fairshare);
        (state as u8, state.name())
    }),
    exports: &[super::export::ORGANISATION],
    kit: None,
    modelled: Some(&versions::MODELLED),
    ..kai::DESCRIPTION
};
