//! Facts of a moment: the claims of a lesson, and the answers to its questions.

use crate::cluster::Cluster;
use crate::moment::{EventWord, Frame, QueueRow};
use crate::units::Resource;
use crate::words::number::{number, unit};

/// A fact, a number at every moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Fact {
    pub kind: FactKind,
    /// Name of the queue, job or node; empty: all nodes.
    pub of: String,
    /// Index of the resource of an amount.
    pub resource: Resource,
    /// Node pool of an amount of a queue; empty: all pools together.
    pub pool: String,
    /// The value that is claimed or compared with.
    pub is: Option<f64>,
}

/// Kind of the subject of a fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    Queue,
    Job,
    Node,
}

macro_rules! kinds {
    ($($kind:ident = ($name:literal, $subject:ident),)*) => {
        /// Kind of a fact.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum FactKind {
            $(#[doc = $name] $kind),*
        }

        impl FactKind {
            /// Names in lesson files.
            pub const NAMES: &'static [&'static str] = &[$($name),*];

            /// Parses a name.
            pub fn from_name(name: &str) -> Option<FactKind> {
                match name {
                    $($name => Some(FactKind::$kind),)*
                    _ => None,
                }
            }

            /// The name in lesson files.
            pub fn name(self) -> &'static str {
                match self {
                    $(FactKind::$kind => $name),*
                }
            }

            /// What it is a fact of.
            pub fn subject(self) -> Subject {
                match self {
                    $(FactKind::$kind => Subject::$subject),*
                }
            }
        }
    };
}

kinds! {
    Allocated = ("allocated", Queue),
    FairShare = ("fair-share", Queue),
    Running = ("running", Job),
    Pending = ("pending", Job),
    Started = ("started", Job),
    Evicted = ("evicted", Job),
    Moved = ("moved", Job),
    FirstStart = ("first-start", Job),
    Free = ("free", Node),
}

/// Largest difference between equal values: shares are sums of floating-point numbers.
pub(super) const TOLERANCE: f64 = 1e-6;

impl Fact {
    /// The value at a moment; `None` if it is unlimited or does not exist.
    pub fn value(&self, frame: &Frame) -> Option<f64> {
        match self.kind {
            FactKind::Allocated => Some(self.in_unit(self.row(frame)?.allocated[self.resource.index()])),
            FactKind::FairShare => {
                let share = self.row(frame)?.fair_share?[self.resource.index()]?;
                Some(self.in_unit(share))
            }
            FactKind::Running => Some(f64::from(self.job(frame).map_or(0, |job| job.running))),
            FactKind::Pending => Some(f64::from(self.job(frame).map_or(0, |job| job.pending))),
            FactKind::Started => Some(self.n_events(frame, |word| word == EventWord::Started)),
            FactKind::Evicted => Some(self.n_events(frame, |word| word.is_eviction() && word != EventWord::Moved)),
            FactKind::Moved => Some(self.n_events(frame, |word| word == EventWord::Moved)),
            FactKind::FirstStart => Some(self.job(frame)?.first_start_ms? as f64 / 1000.0),
            FactKind::Free => {
                let nodes = frame.nodes.iter().filter(|node| self.of.is_empty() || node.name == self.of);
                let at = self.resource.index();
                Some(self.in_unit(nodes.map(|node| node.capacity[at] - node.used[at]).sum()))
            }
        }
    }

    /// Whether the claimed value is that of a moment; without one, whether there is any.
    pub fn holds(&self, frame: &Frame) -> bool {
        let value = self.value(frame);
        match self.is {
            Some(is) => value.is_some_and(|value| (value - is).abs() < TOLERANCE),
            None => value.is_some_and(|value| value > 0.0),
        }
    }

    /// The same fact of another subject.
    pub fn about(&self, of: &str) -> Fact {
        Fact { of: of.to_string(), ..self.clone() }
    }

    /// A value with its unit.
    pub fn spelled(&self, value: f64) -> String {
        let unit = match self.kind {
            FactKind::Allocated | FactKind::FairShare | FactKind::Free => unit(self.resource, value),
            FactKind::FirstStart if value == 1.0 => "second",
            FactKind::FirstStart => "seconds",
            _ if value == 1.0 => "pod",
            _ => "pods",
        };
        format!("{} {unit}", number(value))
    }

    /// Whether a scenario has the subject, and the node pool if one is named.
    pub(super) fn is_in(&self, cluster: &Cluster) -> bool {
        let has_pool = self.pool.is_empty() || cluster.partitions.values().any(|pool| *pool.name == *self.pool);
        let has_subject = match self.kind.subject() {
            Subject::Queue => cluster.queues.values().any(|queue| *queue.name == *self.of),
            Subject::Job => cluster.jobs.values().any(|job| *job.name == *self.of),
            Subject::Node => self.of.is_empty() || cluster.nodes.values().any(|node| *node.name == *self.of),
        };
        has_pool && has_subject
    }

    fn row<'a>(&self, frame: &'a Frame) -> Option<&'a QueueRow> {
        let queues = match self.pool.as_str() {
            "" => &frame.queues,
            name => &frame.pools.iter().find(|pool| pool.name == name)?.queues,
        };
        queues.iter().find(|queue| queue.name == self.of)
    }

    fn job<'a>(&self, frame: &'a Frame) -> Option<&'a crate::moment::JobRow> {
        frame.jobs.iter().find(|job| job.name == self.of)
    }

    fn n_events(&self, frame: &Frame, is_meant: impl Fn(EventWord) -> bool) -> f64 {
        let of_job = frame.events.iter().filter(|event| frame.job_name(event) == self.of);
        of_job.filter(|event| is_meant(event.word())).count() as f64
    }

    fn in_unit(&self, base: f64) -> f64 {
        crate::words::number::in_unit(self.resource, base)
    }
}

/// Resources with their names in scenario files.
const RESOURCES: [(Resource, &str); 3] = [(Resource::GPU, "gpu"), (Resource::CPU, "cpu"), (Resource::MEMORY, "memory")];

/// A resource by its name.
pub(super) fn resource(name: &str) -> Option<Resource> {
    RESOURCES.into_iter().find(|(_, known)| *known == name).map(|(resource, _)| resource)
}

/// The name of a resource.
pub(super) fn name_of(resource: Resource) -> Option<&'static str> {
    RESOURCES.into_iter().find(|(known, _)| *known == resource).map(|(_, name)| name)
}
