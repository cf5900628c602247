//! Shared devices of a session: existing ones, then those opened in the cycle.
//!
//! # Rule
//! A group of a recording has the name the real scheduler gave it; a group of the cluster is a device of that number,
//! on every node that has one. A group opened in the cycle has no identity before it is bound; for comparison with a
//! recording it gets the next free name.
//!
//! # Source
//! kai.md 1.2; Q-8
//!
//! # Differs
//! nothing

use std::sync::Arc;

use crate::cluster::Devices;
use crate::policy::kai::task::GroupRef;

/// Prefix of new group names; not an integer, like the identifiers of a real cluster.
const FRESH: &str = "gpu-group-";

/// Identity of a group that existed before the cycle.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum ExistingGroup {
    /// Number of the device.
    Device(u32),
    /// Name in the recording.
    Named(Arc<str>),
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::policy::kai) struct Groups {
    /// Groups that existed before the cycle, sorted.
    existing: Vec<ExistingGroup>,
    /// Number of groups opened since.
    n_fresh: usize,
    /// Number in the name of the first opened group.
    next: u64,
}

impl Groups {
    /// Groups for the devices in partial use on any node.
    pub fn of_devices(devices: Devices) -> Groups {
        Groups { existing: devices.iter().map(ExistingGroup::Device).collect(), ..Groups::default() }
    }

    /// Groups of a recording.
    pub fn named(names: impl Iterator<Item = Arc<str>>) -> Groups {
        let mut names: Vec<Arc<str>> = names.collect();
        names.sort();
        names.dedup();
        let number = |name: &Arc<str>| name.strip_prefix(FRESH)?.parse::<u64>().ok();
        let next = names.iter().filter_map(number).max().map_or(0, |n| n + 1);
        Groups { existing: names.into_iter().map(ExistingGroup::Named).collect(), n_fresh: 0, next }
    }

    /// Group of a device; `None` if no part of it was in use.
    pub fn of_device(&self, device: u32) -> Option<GroupRef> {
        self.find(&ExistingGroup::Device(device))
    }

    /// Group of a recorded name.
    pub fn of_name(&self, name: &Arc<str>) -> Option<GroupRef> {
        self.find(&ExistingGroup::Named(name.clone()))
    }

    fn find(&self, existing: &ExistingGroup) -> Option<GroupRef> {
        self.existing.binary_search(existing).ok().map(GroupRef::of)
    }

    /// Device of a group; `None` if it was opened in this cycle or recorded by name.
    pub fn device(&self, group: GroupRef) -> Option<u32> {
        match self.existing.get(group.ix())? {
            ExistingGroup::Device(device) => Some(*device),
            ExistingGroup::Named(_) => None,
        }
    }

    /// Name of a group, for comparison with recordings.
    pub fn name(&self, group: GroupRef) -> Arc<str> {
        match self.existing.get(group.ix()) {
            Some(ExistingGroup::Named(name)) => name.clone(),
            Some(ExistingGroup::Device(device)) => Arc::from(format!("device-{device:02}")),
            None => Arc::from(format!("{FRESH}{}", self.next + (group.ix() - self.existing.len()) as u64)),
        }
    }

    /// Opens a new group.
    pub fn fresh(&mut self) -> GroupRef {
        self.n_fresh += 1;
        GroupRef::of(self.existing.len() + self.n_fresh - 1)
    }

    /// Whether the group was opened in this cycle.
    pub fn is_fresh(&self, group: GroupRef) -> bool {
        group.ix() >= self.existing.len()
    }

    /// Whether the name is a decimal integer.
    pub fn is_integer(&self, group: GroupRef) -> bool {
        match self.existing.get(group.ix()) {
            Some(ExistingGroup::Named(name)) => name.parse::<i64>().is_ok(),
            Some(ExistingGroup::Device(_)) | None => false,
        }
    }
}
