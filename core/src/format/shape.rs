//! Field table of format version 1: names, order and kinds. Reading, writing, editing by path and links all use this table, so
//! that they agree.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::schema::{
    CapacityEntry, DelaysEntry, JobEntry, NodeEntry, PodSetEntry, PoolEntry, QueueEntry, QueuePoolEntry,
    ResourceEntry, Scalar, Scenario, TimelineEntry,
};

/// Shared reference to a field.
pub enum Ref<'a> {
    /// A text; empty: left out.
    Text(&'a str),
    /// A text that may be left out.
    Name(Option<&'a str>),
    /// A value that may be left out.
    Value(Option<&'a str>),
    /// A value; empty: left out.
    Plain(&'a str),
    /// Texts by name.
    Labels(&'a BTreeMap<String, String>),
    /// Values by name.
    Settings(&'a BTreeMap<String, Scalar>),
    /// A list of texts.
    Texts(&'a [String]),
    /// A group of fields.
    Part(&'a dyn Shape),
    /// A list of entries.
    Rows(&'a dyn Rows),
}

/// Mutable reference to a field.
pub enum Mut<'a> {
    /// A text; empty: left out.
    Text(&'a mut String),
    /// A text that may be left out.
    Name(&'a mut Option<String>),
    /// A value that may be left out.
    Value(&'a mut Option<Scalar>),
    /// A value; empty: left out.
    Plain(&'a mut Scalar),
    /// Texts by name.
    Labels(&'a mut BTreeMap<String, String>),
    /// Values by name.
    Settings(&'a mut BTreeMap<String, Scalar>),
    /// A list of texts.
    Texts(&'a mut Vec<String>),
    /// A group of fields.
    Part(&'a mut dyn Shape),
    /// A list of entries.
    Rows(&'a mut dyn Rows),
}

/// A group of fields.
pub trait Shape {
    /// Returns the names of all fields in file order.
    fn names(&self) -> &'static [&'static str];
    /// Returns a field by position.
    fn field(&self, i: usize) -> Ref<'_>;
    /// Returns a mutable field by position.
    fn field_mut(&mut self, i: usize) -> Mut<'_>;
}

/// A list of entries, each a group of fields.
pub trait Rows {
    /// Returns the number of entries.
    fn count(&self) -> usize;
    /// Returns the in-memory size of an entry, in bytes.
    fn row_bytes(&self) -> usize;
    /// Returns an entry by position.
    fn row(&self, i: usize) -> Option<&dyn Shape>;
    /// Returns a mutable entry by position.
    fn row_mut(&mut self, i: usize) -> Option<&mut dyn Shape>;
    /// Replaces all entries by `n` empty ones.
    fn reset(&mut self, n: usize);
    /// Removes an entry by position.
    fn remove_row(&mut self, i: usize);
    /// Appends an empty entry.
    fn add_row(&mut self);
}

impl<T: Shape + Default + Clone> Rows for Vec<T> {
    fn row_bytes(&self) -> usize {
        size_of::<T>()
    }
    fn count(&self) -> usize {
        self.len()
    }
    fn row(&self, i: usize) -> Option<&dyn Shape> {
        self.get(i).map(|row| row as &dyn Shape)
    }
    fn row_mut(&mut self, i: usize) -> Option<&mut dyn Shape> {
        self.get_mut(i).map(|row| row as &mut dyn Shape)
    }
    fn reset(&mut self, n: usize) {
        *self = vec![T::default(); n];
    }
    fn remove_row(&mut self, i: usize) {
        if i < self.len() {
            self.remove(i);
        }
    }
    fn add_row(&mut self) {
        self.push(T::default());
    }
}

impl<T: Shape + Default + Clone> Rows for Arc<Vec<T>> {
    fn row_bytes(&self) -> usize {
        size_of::<T>()
    }
    fn count(&self) -> usize {
        self.len()
    }
    fn row(&self, i: usize) -> Option<&dyn Shape> {
        self.get(i).map(|row| row as &dyn Shape)
    }
    fn row_mut(&mut self, i: usize) -> Option<&mut dyn Shape> {
        Arc::make_mut(self).get_mut(i).map(|row| row as &mut dyn Shape)
    }
    fn reset(&mut self, n: usize) {
        *self = Arc::new(vec![T::default(); n]);
    }
    fn remove_row(&mut self, i: usize) {
        Arc::make_mut(self).remove_row(i);
    }
    fn add_row(&mut self) {
        Arc::make_mut(self).add_row();
    }
}

macro_rules! look {
    (Text $e:expr) => {
        Ref::Text(&$e)
    };
    (Name $e:expr) => {
        Ref::Name($e.as_deref())
    };
    (Value $e:expr) => {
        Ref::Value($e.as_ref().map(|s| s.0.as_str()))
    };
    (Plain $e:expr) => {
        Ref::Plain(&$e.0)
    };
    ($kind:ident $e:expr) => {
        Ref::$kind(&$e)
    };
}

macro_rules! shape {
    ($type:ident: $($i:literal $name:literal $field:ident $kind:ident,)*) => {
        impl Shape for $type {
            fn names(&self) -> &'static [&'static str] {
                &[$($name),*]
            }
            fn field(&self, i: usize) -> Ref<'_> {
                match i {
                    $($i => look!($kind self.$field),)*
                    _ => Ref::Text(""),
                }
            }
            fn field_mut(&mut self, i: usize) -> Mut<'_> {
                match i {
                    $($i => Mut::$kind(&mut self.$field),)*
                    _ => unreachable!("fields are asked for by the positions of their names"),
                }
            }
        }
    };
}

pub(crate) use {look, shape};

shape! { Scenario:
    0 "name" name Text,
    1 "note" note Text,
    2 "dialect" dialect Text,
    3 "policy" policy Text,
    4 "settings" settings Settings,
    5 "cycle" cycle Value,
    6 "delays" delays Part,
    7 "nodes" nodes Rows,
    8 "queues" queues Rows,
    9 "jobs" jobs Rows,
    10 "timeline" timeline Rows,
    11 "pools" pools Rows,
}

shape! { PoolEntry:
    0 "name" name Text,
    1 "cycle" cycle Value,
    2 "settings" settings Settings,
    3 "note" note Text,
}

shape! { DelaysEntry:
    0 "start" start Value,
    1 "termination" termination Value,
}

shape! { NodeEntry:
    0 "name" name Text,
    1 "count" count Value,
    2 "gpu" gpu Value,
    3 "gpu-memory" gpu_memory Value,
    4 "cpu" cpu Value,
    5 "memory" memory Value,
    6 "pods" pods Value,
    7 "labels" labels Labels,
    8 "state" state Value,
    9 "taints" taints Texts,
    10 "pool" pool Name,
    11 "note" note Text,
    12 "resources" resources Settings,
}

shape! { QueueEntry:
    0 "name" name Text,
    1 "parent" parent Name,
    2 "priority" priority Value,
    3 "created" created Value,
    4 "gpu" gpu Part,
    5 "cpu" cpu Part,
    6 "memory" memory Part,
    7 "preempt-min-runtime" preempt_min_runtime Value,
    8 "reclaim-min-runtime" reclaim_min_runtime Value,
    9 "note" note Text,
    10 "pools" pools Rows,
    11 "default-pools" default_pools Texts,
    12 "display-name" display_name Text,
}

shape! { QueuePoolEntry:
    0 "name" name Text,
    1 "priority" priority Value,
    2 "gpu" gpu Part,
    3 "cpu" cpu Part,
    4 "memory" memory Part,
    5 "preempt-min-runtime" preempt_min_runtime Value,
    6 "reclaim-min-runtime" reclaim_min_runtime Value,
}

shape! { ResourceEntry:
    0 "quota" quota Value,
    1 "limit" limit Value,
    2 "weight" weight Value,
    3 "usage" usage Value,
}

shape! { JobEntry:
    0 "name" name Text,
    1 "queue" queue Text,
    2 "count" count Value,
    3 "every" every Value,
    4 "submit" submit Value,
    5 "lasts" lasts Value,
    6 "priority" priority Value,
    7 "preemptible" preemptible Value,
    8 "user" user Name,
    9 "pods" pods Value,
    10 "min-available" min_available Value,
    11 "gpu" gpu Value,
    12 "gpu-memory" gpu_memory Value,
    13 "cpu" cpu Value,
    14 "memory" memory Value,
    15 "selector" selector Labels,
    16 "pod-sets" pod_sets Rows,
    17 "on" on Texts,
    18 "started" started Value,
    19 "note" note Text,
    20 "tolerations" tolerations Texts,
    21 "affinity" affinity Texts,
    22 "labels" labels Labels,
    23 "gated" gated Value,
    24 "gpu-devices" gpu_devices Value,
    25 "pools" pools Texts,
    26 "gang" gang Value,
    27 "placeholder-timeout" placeholder_timeout Value,
    28 "scheduling-backoff" scheduling_backoff Value,
    29 "nominated-node" nominated_node Name,
    30 "resources" resources Settings,
    31 "seed" seed Value,
    32 "repeat" repeat Value,
    33 "restart" restart Value,
    34 "created" created Value,
    35 "application" application Name,
    36 "originator" originator Value,
    37 "preempts" preempts Value,
    38 "required-node" required_node Name,
    39 "on-devices" on_devices Texts,
    40 "terminating" terminating Texts,
    41 "evicted-for" evicted_for Name,
    42 "groups" groups Texts,
    43 "preemption-delay" preemption_delay Value,
    44 "staleness-grace" staleness_grace Value,
    45 "min-subgroups" min_subgroups Value,
    46 "min-subgroups-of" min_subgroups_of Settings,
}

shape! { PodSetEntry:
    0 "name" name Text,
    1 "pods" pods Value,
    2 "min-available" min_available Value,
    3 "gpu" gpu Value,
    4 "gpu-memory" gpu_memory Value,
    5 "cpu" cpu Value,
    6 "memory" memory Value,
    7 "group" group Text,
    8 "labels" labels Labels,
    9 "gated" gated Value,
    10 "gpu-devices" gpu_devices Value,
    11 "nominated-node" nominated_node Name,
    12 "resources" resources Settings,
    13 "affinity" affinity Texts,
    14 "after" after Value,
}

shape! { TimelineEntry:
    0 "at" at Plain,
    1 "queue" queue Name,
    2 "priority" priority Value,
    3 "gpu" gpu Part,
    4 "cpu" cpu Part,
    5 "memory" memory Part,
    6 "node" node Name,
    7 "state" state Value,
    8 "job" job Name,
    9 "note" note Text,
    10 "pool" pool Name,
    11 "capacity" capacity Part,
    12 "settings" settings Settings,
    13 "unset" unset Texts,
}

shape! { CapacityEntry:
    0 "gpu" gpu Value,
    1 "cpu" cpu Value,
    2 "memory" memory Value,
    3 "pods" pods Value,
    4 "resources" resources Settings,
}
