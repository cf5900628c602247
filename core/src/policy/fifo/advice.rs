//! Queues in which nothing can run.
//!
//! # Source
//! none: this is our own

use crate::format::{Findings, codes, quoted, set};
use crate::policy::draft::DraftQueue;
use crate::units::{Amount, Bound, Resource};

/// Reports a queue that nothing can run in.
pub fn queue(draft: &DraftQueue<'_>, f: &mut Findings) {
    let queue = draft.queue;
    let is_used = draft.requested[Resource::GPU.index()] && queue.children.is_empty();
    if is_used && matches!(queue.resources.gpu.quota, Bound::Unset | Bound::At(Amount::ZERO)) {
        let message = format!(
            "{} has no gpu [quota]; under first in, first out nothing that requests a GPU runs there",
            quoted(&queue.name)
        );
        let place = draft.place(Resource::GPU, "quota");
        f.add(codes::NO_QUOTA, place.clone(), message, set(place, "unlimited", "Set the gpu [quota] to unlimited"));
    }
}
