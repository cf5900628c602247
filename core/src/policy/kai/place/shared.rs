//! Devices of a node in partial use.
//!
//! # Rule
//! Each device ("group") keeps used, allocated and releasing MiB. Entries are created on first touch and never removed:
//! a 0 entry differs from a missing one.
//!
//! # Source
//! kai.md 1.2, 1.6
//!
//! # Differs
//! nothing; entries with all amounts zero are kept in a separate list, because attempts leave many behind and only
//! entries in use count in any sum or choice

use crate::policy::kai::task::GroupRef;

/// Memory of a shared device; `None` for an entry that was never touched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::policy::kai) struct Shared {
    pub used: i64,
    pub allocated: Option<i64>,
    pub releasing: Option<i64>,
    pub marked: bool,
}

impl Shared {
    pub fn alloc(&self) -> i64 {
        self.allocated.unwrap_or(0)
    }
    pub fn rel(&self) -> i64 {
        self.releasing.unwrap_or(0)
    }
    /// Whether some, but not all, of the used memory is releasing.
    pub fn releases_a_part(&self) -> bool {
        self.rel() > 0 && !(self.used != 0 && self.rel() == self.used)
    }
    fn is_spent(&self) -> bool {
        (self.used, self.alloc(), self.rel(), self.marked) == (0, 0, 0, false)
    }
}

/// Shared devices by group.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::policy::kai) struct SharedDevices {
    in_use: Vec<(GroupRef, Shared)>,
    /// Entries with all amounts zero.
    spent: Vec<(GroupRef, Shared)>,
}

impl SharedDevices {
    /// Entries in use, by group.
    pub fn iter(&self) -> impl Iterator<Item = &(GroupRef, Shared)> {
        self.in_use.iter()
    }

    /// Memory of a device; all zero if it was never touched.
    pub fn get(&self, group: GroupRef) -> Shared {
        let entry = [&self.in_use, &self.spent].into_iter().find_map(|entries| entries.get(slot(entries, group).ok()?));
        entry.map_or_else(Shared::default, |s| s.1)
    }

    /// Returns the memory of a device to change, creating an entry if needed. Call [`SharedDevices::settle`]
    /// afterwards.
    pub fn touch(&mut self, group: GroupRef) -> &mut Shared {
        let i = slot(&self.in_use, group).unwrap_or_else(|i| {
            let spent = slot(&self.spent, group).map(|i| self.spent.remove(i));
            self.in_use.insert(i, spent.unwrap_or((group, Shared::default())));
            i
        });
        &mut self.in_use[i].1
    }

    /// Moves a changed entry to the list that matches its amounts.
    pub fn settle(&mut self, group: GroupRef) {
        if let Ok(i) = slot(&self.in_use, group)
            && self.in_use[i].1.is_spent()
        {
            let spent = self.in_use.remove(i);
            let i = slot(&self.spent, group).unwrap_or_else(|i| i);
            self.spent.insert(i, spent);
        }
    }

    /// Number of devices ever touched.
    pub fn n_touched(&self) -> usize {
        self.in_use.len() + self.spent.len()
    }

    /// Number of devices ever touched that precede `group`.
    pub fn n_before(&self, group: GroupRef) -> usize {
        let before = |entries: &[(GroupRef, Shared)]| slot(entries, group).unwrap_or_else(|i| i);
        before(&self.in_use) + before(&self.spent)
    }
}

/// Position of a device, or its insertion point.
fn slot(entries: &[(GroupRef, Shared)], group: GroupRef) -> Result<usize, usize> {
    entries.binary_search_by_key(&group, |s| s.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unused_device_keeps_its_entry() {
        let mut devices = SharedDevices::default();
        for group in [GroupRef(4), GroupRef(2)] {
            *devices.touch(group) = Shared { used: 5, allocated: Some(5), ..Shared::default() };
            devices.settle(group);
        }
        *devices.touch(GroupRef(2)) = Shared { allocated: Some(0), ..Shared::default() };
        devices.settle(GroupRef(2));
        assert_eq!(devices.iter().map(|s| s.0).collect::<Vec<_>>(), [GroupRef(4)]);
        assert_eq!(devices.get(GroupRef(2)).allocated, Some(0));
        assert_eq!((devices.n_touched(), devices.n_before(GroupRef(4))), (2, 1));
        devices.touch(GroupRef(2)).used = 1;
        devices.settle(GroupRef(2));
        assert_eq!(devices.iter().map(|s| s.0).collect::<Vec<_>>(), [GroupRef(2), GroupRef(4)]);
        assert_eq!(devices.get(GroupRef(2)), Shared { used: 1, allocated: Some(0), ..Shared::default() });
        assert_eq!(devices.get(GroupRef(3)), Shared::default());
    }
}
