//! Translation of scenarios to and from YuniKorn.
//!
//! # Rule
//! A maximum above that of an ancestor, and a guarantee above a maximum, are rejected.
//!
//! # Source
//! yunikorn.md 1.2 to 1.4

use super::partition::paths;
use crate::format::Scalar;
use crate::policy::field::Field;
use crate::policy::translation::{Evictions, Packing, Refuses, Translation};
use crate::policy::translator::Translator;

/// Settings with an equivalent in other policies.
pub const TRANSLATION: Translation = Translation {
    packing: Some(Packing { setting: "node-sort", pack: "binpacking", spread: "fair", packs_by_default: false }),
    evictions: Some(Evictions {
        setting: "preemption",
        is_off: |typed| typed == "false",
        off: "false",
        says_off: "no pod is evicted: preemption is off",
        says_on: None,
    }),
    queue_priority: Some("priority.offset."),
    refuses: Some(Refuses {
        above_limits: &[
            (Field::Limit, "YuniKorn takes no maximum above that of a queue above it"),
            (Field::Quota, "YuniKorn takes no guarantee above a maximum"),
        ],
        names: |queues| {
            let last = |path: &String| path.rsplit('.').next().unwrap_or_default().to_owned();
            paths(queues).iter().map(last).collect()
        },
    }),
    ..Translation::PLAIN
};

/// An existing queue has its offset as its priority already.
pub fn setting(work: &mut Translator<'_>, name: &str, _typed: &Scalar) -> bool {
    let is_offset = name.starts_with("priority.offset.") && name != "priority.offset.root";
    if is_offset {
        work.new.settings.remove(name);
    }
    is_offset
}
