//! What the policies that fill queues from below say of themselves.
//!
//! # Source
//! none: this is our own

use crate::policy::JobDefaults;
use crate::policy::description::{Cycle, Description, Knows, QueueValue, QueueValues};
use crate::policy::form::{Form, PLAIN_PREEMPTIBLE, PLAIN_PRIORITY};
use crate::policy::translation::Translation;

/// What they have in common; the names are to be filled in.
pub const DESCRIPTION: Description = Description {
    key: "",
    name: "",
    title: "",
    short: "",
    terms: &super::vocabulary::TERMS,
    jobs: JobDefaults::PLAIN,
    cycle: Cycle::OnChange,
    queue: QueueValues {
        quota: None,
        limit: Some(QueueValue::new("limit", "unlimited")),
        weight: Some(QueueValue::new("weight", "1")),
        priority: None,
        history: false,
        one_weight: false,
        unlimited_quota: true,
    },
    knows: Knows { order_by_share: true, ..Knows::BASELINE },
    silent: &[],
    form: Form { job_values: &[PLAIN_PRIORITY, PLAIN_PREEMPTIBLE], ..Form::NONE },
    translation: Translation::PLAIN,
    queue_file: None,
    queue_state: None,
    usage_rule: None,
    modelled: None,
};
