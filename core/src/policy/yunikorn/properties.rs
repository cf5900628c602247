//! Queue properties: values, defaults and inheritance.
//!
//! # Rule
//! Invalid values silently become defaults. A configured child starts from its parent's merged properties without
//! `priority.policy`, `priority.offset` and any `preemption.policy` but `disabled`, and overrides them with its own. So
//! `application.sort.priority` on a parent also changes how the leaves below sort their applications.
//!
//! # Source
//! yunikorn.md 1.3

use std::collections::BTreeMap;

use super::priority::PriorityPolicy;
use super::quantity::parse_duration;

/// Names and values as written.
pub type Written = BTreeMap<String, String>;

/// Order of the applications of a leaf.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SortPolicy {
    /// By submission time.
    #[default]
    Fifo,
    /// By usage.
    Fair,
}

/// Preemption policy of a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PreemptionPolicy {
    /// Without restriction.
    #[default]
    Default,
    /// Asks of the subtree do not preempt outside it.
    Fence,
    /// No task of the leaf is preempted.
    Disabled,
}

/// Properties that affect scheduling. Delays are in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Properties {
    /// `application.sort.policy`.
    pub sort_policy: SortPolicy,
    /// `application.sort.priority`, of a leaf for its applications, of a parent for its children.
    pub sort_priority: bool,
    pub priority_policy: PriorityPolicy,
    /// `priority.offset`.
    pub offset: i32,
    pub preemption_policy: PreemptionPolicy,
    pub preemption_delay: i64,
    /// `quota.preemption.delay`; 0 is off.
    pub quota_delay: i64,
    /// `application.unschedasks.backoff`; 0 is off.
    pub backoff: u64,
    /// `application.unschedasks.backoff.delay`.
    pub backoff_delay: i64,
}

const SORT_POLICY: &str = "application.sort.policy";
const SORT_PRIORITY: &str = "application.sort.priority";
const PRIORITY_POLICY: &str = "priority.policy";
const PRIORITY_OFFSET: &str = "priority.offset";
const PREEMPTION_POLICY: &str = "preemption.policy";
const PREEMPTION_DELAY: &str = "preemption.delay";
const QUOTA_DELAY: &str = "quota.preemption.delay";
const BACKOFF: &str = "application.unschedasks.backoff";
const BACKOFF_DELAY: &str = "application.unschedasks.backoff.delay";

const HALF_MINUTE: i64 = 30_000_000_000;

impl Default for Properties {
    fn default() -> Properties {
        Properties::read(&Written::new())
    }
}

impl Properties {
    /// Parses properties; invalid or missing values become defaults.
    pub fn read(written: &Written) -> Properties {
        let text = |name: &str| written.get(name).map_or("", String::as_str);
        let delay = |name: &str, default: i64| parse_duration(text(name)).filter(|d| *d > 0).unwrap_or(default);
        Properties {
            sort_policy: if text(SORT_POLICY) == "fair" { SortPolicy::Fair } else { SortPolicy::Fifo },
            sort_priority: !text(SORT_PRIORITY).eq_ignore_ascii_case("disabled"),
            priority_policy: if text(PRIORITY_POLICY).eq_ignore_ascii_case("fence") {
                PriorityPolicy::Fence
            } else {
                PriorityPolicy::Default
            },
            offset: text(PRIORITY_OFFSET).parse().unwrap_or(0),
            preemption_policy: preemption_policy(text(PREEMPTION_POLICY)),
            preemption_delay: delay(PREEMPTION_DELAY, HALF_MINUTE),
            quota_delay: delay(QUOTA_DELAY, 0),
            backoff: text(BACKOFF).parse().unwrap_or(0),
            backoff_delay: delay(BACKOFF_DELAY, HALF_MINUTE),
        }
    }
}

fn preemption_policy(text: &str) -> PreemptionPolicy {
    if text.eq_ignore_ascii_case("fence") {
        PreemptionPolicy::Fence
    } else if text.eq_ignore_ascii_case("disabled") {
        PreemptionPolicy::Disabled
    } else {
        PreemptionPolicy::Default
    }
}

/// Merged properties of a configured child.
pub fn inherit(parent: &Written, properties: &Written) -> Written {
    let mut merged = parent.clone();
    merged.remove(PRIORITY_POLICY);
    merged.remove(PRIORITY_OFFSET);
    if merged.get(PREEMPTION_POLICY).is_some_and(|p| preemption_policy(p) != PreemptionPolicy::Disabled) {
        merged.remove(PREEMPTION_POLICY);
    }
    for (name, value) in properties {
        merged.insert(name.clone(), value.clone());
    }
    merged
}

/// Default value, which also replaces an invalid one.
pub fn default_of(property: &str) -> &'static str {
    match property {
        SORT_POLICY => "fifo",
        SORT_PRIORITY => "enabled",
        PRIORITY_POLICY | PREEMPTION_POLICY => "default",
        PRIORITY_OFFSET | BACKOFF => "0",
        QUOTA_DELAY => "0s",
        _ => "30s",
    }
}
