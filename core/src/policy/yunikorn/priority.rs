//! Effective priorities, by which siblings are compared.
//!
//! # Rule
//! ```text
//! eff(q) = MIN                             if raw(q) = MIN, also for fenced queues
//!        = offset(q)                       if the queue is a fence
//!        = clamp(raw(q) + offset(q))       otherwise, computed in 64 bits
//! ```
//! The raw priority of a leaf is the largest of its applications, that of a parent the largest that its children have
//! pushed up; a push continues to the root. MIN means that nothing is outstanding; outstanding asks of priority MIN are
//! indistinguishable.
//!
//! # Source
//! yunikorn.md 2

/// Priority without outstanding asks.
pub const MIN: i32 = i32::MIN;

/// Whether a queue hides the priorities below it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PriorityPolicy {
    /// The queue adds its offset.
    #[default]
    Default,
    /// The effective priority is the offset alone.
    Fence,
}

/// Effective priority of a queue.
pub fn effective(policy: PriorityPolicy, offset: i32, raw: i32) -> i32 {
    if raw == MIN {
        return MIN;
    }
    match policy {
        PriorityPolicy::Fence => offset,
        PriorityPolicy::Default => raw.saturating_add(offset),
    }
}

/// Priority of a task in a search for victims, as a queue on its path passes it on to the parent.
pub fn counted(policy: PriorityPolicy, offset: i32, priority: i64) -> i64 {
    match policy {
        PriorityPolicy::Fence => i64::from(offset),
        PriorityPolicy::Default => priority + i64::from(offset),
    }
}
