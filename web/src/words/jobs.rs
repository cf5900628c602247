//! Jobs as the subject of a sentence: a few by name, many counted by queue.

use fairground::id::JobId;
use fairground::text;
use fairground::words::number::{count, number};
use fairground::words::{Terms, Text};

use crate::engine::protocol::Frame;

/// More jobs than this are counted.
const NAMED_MAX: usize = 4;

/// Listed queues; the jobs of further ones are counted together.
const QUEUES_LISTED: usize = 3;

/// A job, and how many of its pods are concerned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Job<'a> {
    pub name: &'a str,
    pub queue: &'a str,
    /// Mentioned if there are several.
    pub pods: usize,
}

impl<'a> Job<'a> {
    pub fn of(frame: &'a Frame, job: JobId, pods: usize) -> Job<'a> {
        let queue = frame.names.queue_of(job).map_or("", |queue| frame.queue(queue));
        Job { name: frame.job(job), queue, pods }
    }
}

/// The common queue of jobs.
pub fn queue_of<'a>(jobs: &[Job<'a>]) -> Option<&'a str> {
    let queue = jobs.first()?.queue;
    (!queue.is_empty() && jobs.iter().all(|job| job.queue == queue)).then_some(queue)
}

/// *a2, a10 and b1*; of many jobs *6 jobs of research and 2 of night*.
pub fn listed(jobs: &[Job<'_>], terms: &Terms) -> Text {
    if jobs.len() > NAMED_MAX {
        return counted(jobs, terms);
    }
    let mut jobs = jobs.to_vec();
    jobs.sort_by_key(|job| numbered(job.name));
    let name = |job: Job<'_>| {
        let name = Text::default().job(job.name);
        match job.pods {
            0 | 1 => name,
            n => text!("{name} ({pods})", [name, pods = terms.fill(&count(n as u64, "[pod]"))]),
        }
    };
    Text::default().list(jobs.into_iter().map(name).collect(), "and")
}

/// The same without the queue if it is already said.
pub fn listed_in_queue(jobs: &[Job<'_>], terms: &Terms) -> Text {
    if jobs.len() > NAMED_MAX { Text::of(terms.fill(&count(jobs.len() as u64, "[job]"))) } else { listed(jobs, terms) }
}

fn counted(jobs: &[Job<'_>], terms: &Terms) -> Text {
    let mut queues: Vec<(&str, u64)> = Vec::new();
    for job in jobs {
        match queues.iter_mut().find(|(queue, _)| *queue == job.queue) {
            Some((_, n)) => *n += 1,
            None => queues.push((job.queue, 1)),
        }
    }
    // Queues with equally many jobs stay in the order of their jobs.
    queues.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    let n_listed = if queues.len() == QUEUES_LISTED + 1 { queues.len() } else { QUEUES_LISTED };
    let rest: u64 = queues.iter().skip(n_listed).map(|(_, n)| n).sum();
    let part = |(at, (queue, n)): (usize, &(&str, u64))| {
        let n = if at == 0 { terms.fill(&count(*n, "[job]")) } else { number(*n as f64) };
        text!("{n} of {queue}", [n, queue = Text::default().queue(queue)])
    };
    let mut parts: Vec<Text> = queues.iter().take(n_listed).enumerate().map(part).collect();
    if rest > 0 {
        let (n, queues) = (number(rest as f64), terms.fill("[queues]"));
        parts.push(text!("{n} of other {queues}", [n, queues]));
    }
    Text::default().list(parts, "and")
}

/// Orders names by their words, then by the number at their end: a2 before a10.
fn numbered(name: &str) -> (String, u64, String) {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    (stem.to_string(), name[stem.len()..].parse().unwrap_or(0), name.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_jobs_are_named_and_many_are_counted_by_queue() {
        let terms = &Terms::PLAIN;
        fn job<'a>(name: &'a str, queue: &'a str) -> Job<'a> {
            Job { name, queue, pods: 1 }
        }
        let few = ["a10", "b1", "a2"].map(|name| job(name, "a"));
        assert_eq!(listed(&few, terms).spoken(), "a2, a10 and b1");
        let many: Vec<Job<'_>> = (0..7).map(|at| job("j", ["a", "b"][usize::from(at % 3 > 0)])).collect();
        assert_eq!(listed(&many, terms).spoken(), "4 jobs of b and 3 of a");
        let spread = ["q0", "q1", "q2", "q3", "q4", "q5"].map(|queue| job("j", queue));
        assert_eq!(listed(&spread, terms).spoken(), "1 job of q0, 1 of q1, 1 of q2 and 3 of other queues");
        assert_eq!((queue_of(&few), queue_of(&many)), (Some("a"), None));
    }
}
