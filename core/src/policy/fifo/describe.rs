//! What *first in, first out* says of itself.
//!
//! # Source
//! none: this is our own

use crate::policy::JobDefaults;
use crate::policy::description::{Cycle, Description, Gangs, Knows, QueueValue, QueueValues};
use crate::policy::form::{Form, PLAIN_PREEMPTIBLE, PLAIN_PRIORITY};
use crate::policy::translation::Translation;

/// First in, first out, in hard partitions.
pub const DESCRIPTION: Description = Description {
    key: "fifo",
    name: "first in, first out",
    title: "First in, first out, hard quotas",
    short: "First in, first out",
    terms: &super::vocabulary::TERMS,
    jobs: JobDefaults::PLAIN,
    cycle: Cycle::OnChange,
    queue: QueueValues {
        // Hard partitions are made of nodes with GPUs.
        quota: Some(QueueValue { word: "hard partition", unset: [Some("0"); 3], of_gpus_alone: true }),
        limit: None,
        weight: None,
        priority: None,
        history: false,
        one_weight: false,
        unlimited_quota: true,
    },
    knows: Knows { gangs: Gangs::Never, ..Knows::BASELINE },
    silent: &[],
    form: Form { job_values: &[PLAIN_PRIORITY, PLAIN_PREEMPTIBLE], ..Form::NONE },
    translation: Translation::PLAIN,
    queue_file: None,
    queue_state: None,
    usage_rule: None,
    modelled: None,
};
