//! One level of a serving order, reduced to the listed places: the first ones, and the subject with its neighbours.

use crate::id::{JobId, QueueId};
use crate::trace::{Check, OrderLevel, OrderPlace, Term};

/// Number of places listed from the front of a level.
const FRONT: usize = 8;

/// A queue or a job of a level.
#[derive(Clone, Debug, Default)]
pub struct Ranked {
    /// Name used by the policy.
    pub name: String,
    /// The queue, if the scenario defines it.
    pub queue: Option<QueueId>,
    /// The job; `None` for a queue.
    pub job: Option<JobId>,
    /// Sort keys, the most significant first.
    pub keys: Vec<Term>,
    /// Comparisons with its predecessor, the most significant first.
    pub behind: Vec<Check>,
}

/// The level below a queue (`None`: the root) whose children or jobs are `all`, in serving order. `subject`: the
/// subject of the query; it is absent from `all` if it requests nothing now. `rank` describes the item at a position,
/// from 0, and gets the position of its predecessor.
pub fn level<T: PartialEq>(
    of: Option<QueueId>,
    all: &[T],
    subject: Option<T>,
    mut rank: impl FnMut(usize, Option<usize>) -> Ranked,
) -> OrderLevel {
    let at = subject.as_ref().and_then(|subject| all.iter().position(|item| item == subject));
    let is_listed = |i: &usize| *i < FRONT || at.is_some_and(|at| i.abs_diff(at) <= 1);
    let place = |i: usize| {
        let Ranked { name, queue, job, keys, behind } = rank(i, i.checked_sub(1));
        OrderPlace { position: count(i + 1), queue, job, name, is_subject: at == Some(i), keys, behind }
    };
    OrderLevel {
        of,
        n: count(all.len()),
        places: (0..all.len()).filter(is_listed).map(place).collect(),
        subject_is_absent: subject.is_some() && at.is_none(),
    }
}

fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
