//! One level of a serving order, reduced to the listed places: the first ones, and the subject with its neighbours.

use crate::id::{JobId, QueueId};
use crate::trace::{OrderLevel, OrderPlace};

/// Number of places listed from the front of a level.
const FRONT: usize = 8;

/// Parent and size of a level, and the position of the subject in it.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// The queue whose children or jobs form the level; `None`: the root.
    pub of: Option<QueueId>,
    /// Number of places.
    pub n: usize,
    /// Position of the subject from 0: the outer `None` if the level has none, the inner one if it requests nothing now.
    pub subject: Option<Option<usize>>,
}

/// A queue or a job of a level.
#[derive(Clone, Debug)]
pub struct Ranked {
    /// Name used by the policy.
    pub name: String,
    /// The queue, if the scenario defines it.
    pub queue: Option<QueueId>,
    /// The job; `None` for a queue.
    pub job: Option<JobId>,
}

impl Extent {
    /// The level; `place` returns the place at a position, from 0.
    pub fn level(self, place: impl FnMut(usize) -> OrderPlace) -> OrderLevel {
        let at = self.subject.flatten();
        let is_listed = |i: &usize| *i < FRONT || at.is_some_and(|at| i.abs_diff(at) <= 1);
        OrderLevel {
            of: self.of,
            n: count(self.n),
            places: (0..self.n).filter(is_listed).map(place).collect(),
            subject_is_absent: self.subject == Some(None),
        }
    }

    /// A place without keys or comparisons.
    pub fn place(self, position: usize, ranked: Ranked) -> OrderPlace {
        OrderPlace {
            position: count(position + 1),
            queue: ranked.queue,
            job: ranked.job,
            name: ranked.name,
            is_subject: self.subject == Some(Some(position)),
            keys: Vec::new(),
            behind: Vec::new(),
        }
    }
}

fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
