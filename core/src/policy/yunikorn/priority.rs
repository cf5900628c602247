//! Effective priorities: what siblings are compared by.
//!
//! # Rule
//! ```text
//! eff(q) = MIN                             if raw(q) = MIN, also for fenced queues
//!        = offset(q)                       if the queue is a fence
//!        = clamp(raw(q) + offset(q))       otherwise, computed in 64 bits
//! ```
//! The raw priority of a leaf is the largest of its applications, of a parent the largest that its children have
//! pushed up; a push goes on to the root. MIN means that nothing is outstanding, and work of that very priority
//! looks the same.
//!
//! # Source
//! yunikorn.md 2

/// Nothing outstanding.
pub const MIN: i32 = i32::MIN;

/// Whether a queue hides what is below it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PriorityPolicy {
    /// The queue adds its offset.
    #[default]
    Default,
    /// The queue shows its offset only.
    Fence,
}

/// What siblings see of a queue.
pub fn effective(policy: PriorityPolicy, offset: i32, raw: i32) -> i32 {
    if raw == MIN {
        return MIN;
    }
    match policy {
        PriorityPolicy::Fence => offset,
        PriorityPolicy::Default => raw.saturating_add(offset),
    }
}
