//! Waiting jobs with their size and a short reason.

use fairground::units::Resource;
use std::collections::BTreeMap;

use fairground::scenario::{Scenario, quantity};
use fairground::words::number::{self, count, with_unit};
use fairground::words::{Terms, requested, short_reason};

use crate::chart::backend::text_width;
use crate::chart::queue_tree::{Tone, Tree};
use crate::engine::protocol::{Frame, JobRow};

/// Maximum number of listed jobs.
const MOST: usize = 24;
/// Font size of a chip.
const LETTERS: f64 = 12.0;
/// Width of a chip besides its text: swatch, padding and gap.
const BESIDE: f64 = 46.0;
/// Width reserved for the button that counts the others.
const MORE: f64 = 92.0;

/// View model of the line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WaitingView {
    /// The first waiting jobs.
    pub chips: Vec<Chip>,
    /// Number of waiting jobs.
    pub n: usize,
}

/// A waiting job.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chip {
    pub job: String,
    pub queue: String,
    pub tone: Tone,
    /// Request: *1 GPU*.
    pub size: String,
    /// Reason: *over quota*.
    pub reason: String,
}

impl Chip {
    /// *build-2 · 1 GPU · over quota*
    pub fn words(&self) -> String {
        format!("{} · {} · {}", self.job, self.size, self.reason)
    }

    fn width(&self) -> f64 {
        text_width(&self.words(), LETTERS) + BESIDE
    }
}

/// The waiting jobs of a frame.
pub fn waiting(frame: &Frame) -> WaitingView {
    let terms = Terms::of(&frame.policy);
    let fates = frame.fates();
    let waits = |job: &&JobRow| job.pending > 0 && !fates.contains_key(&job.id);
    let tree = Tree::new(&frame.queues);
    let mut n = 0;
    let mut chips: Vec<Chip> = Vec::new();
    let mut places = BTreeMap::new();
    for job in frame.jobs.iter().filter(waits) {
        n += 1;
        if chips.len() < MOST {
            places.insert(job.name.as_str(), chips.len());
            chips.push(Chip { tone: tree.tone(job.queue), ..chip(frame, job, terms) });
        }
    }
    for refusal in &frame.refusals {
        if let Some(at) = places.remove(frame.job(refusal.job)) {
            chips[at].reason = short_reason(frame, refusal);
        }
    }
    WaitingView { chips, n }
}

/// The next submission after a moment: *b2 requests 1 GPU at 0:01*. The first one of several at the same time.
pub fn upcoming(scenario: &Scenario, time_ms: i64) -> Option<String> {
    let later = |text: &str| quantity::millis(text).ok().filter(|at| *at > time_ms);
    let jobs = scenario.jobs.iter().filter_map(|job| Some((later(&job.submit.as_ref()?.0)?, job)));
    let (at, job) = jobs.min_by_key(|(at, _)| *at)?;
    let gpus = job.gpu.as_ref().filter(|_| job.pods.is_none() && job.count.is_none());
    let says = match gpus.and_then(|gpus| gpus.0.trim().parse::<f64>().ok()) {
        Some(gpus) => format!("requests {}", with_unit(Resource::GPU, gpus)),
        None => "is submitted".to_string(),
    };
    Some(format!("{} {says} at {}", job.name, number::time(at)))
}

/// What the next cycle finds submitted: *b2 asks for 1 GPU*, *b2 and 2 more arrive*.
pub fn submitted(scenario: &Scenario, frame: &Frame) -> Option<String> {
    let until = frame.next_ms?;
    let at = |text: &str| quantity::millis(text).ok();
    let is_new = |at: &i64| *at > frame.time_ms && *at <= until;
    let jobs = scenario.jobs.iter().filter_map(|job| Some((at(&job.submit.as_ref()?.0).filter(is_new)?, job)));
    let mut jobs: Vec<_> = jobs.collect();
    jobs.sort_by_key(|(at, _)| *at);
    let (_, first) = jobs.first()?;
    let gpus = first.gpu.as_ref().filter(|_| first.pods.is_none() && first.count.is_none());
    let gpus = gpus.and_then(|gpus| gpus.0.trim().parse::<f64>().ok());
    Some(match (jobs.len(), gpus) {
        (1, Some(gpus)) => format!("{} asks for {}", first.name, with_unit(Resource::GPU, gpus)),
        (1, None) => format!("{} arrives", first.name),
        (n, _) => format!("{} and {} more arrive", first.name, n - 1),
    })
}

fn chip(frame: &Frame, job: &JobRow, terms: &Terms) -> Chip {
    let pods = u64::from(job.pending);
    let amount = requested(frame, &job.request);
    let size = match job.running {
        0 if !amount.is_empty() => amount,
        0 => terms.fill(&count(pods, "[pod]")),
        _ => terms.fill(&count(pods, "more [pod]")),
    };
    let queue = frame.queues.get(job.queue as usize).map_or("", |queue| queue.name.as_str());
    let reason = terms.fill(if job.evictions > 0 { "was [evicted]" } else { "new" });
    Chip { job: job.name.clone(), queue: queue.into(), size, reason, ..Chip::default() }
}

/// Number of chips that fit a width, at least one if there are any.
pub fn fitting(view: &WaitingView, width: f64) -> usize {
    let mut used = 0.0;
    let fits = |chip: &&Chip| {
        used += chip.width();
        used <= width
    };
    let all = view.chips.iter().take_while(fits).count();
    if all == view.n {
        return all;
    }
    let mut used = MORE;
    let fits = |chip: &&Chip| {
        used += chip.width();
        used <= width
    };
    view.chips.iter().take_while(fits).count().max(1).min(view.chips.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairground::policy::Policy;

    fn view(n: usize) -> WaitingView {
        let chip = |at: usize| Chip {
            job: format!("job-{at}"),
            size: "1 GPU".into(),
            reason: "no room".into(),
            ..Chip::default()
        };
        WaitingView { chips: (0..n.min(MOST)).map(chip).collect(), n }
    }

    #[test]
    fn one_line_holds_what_fits() {
        let one = view(1).chips[0].width();
        assert_eq!(fitting(&view(0), 600.0), 0);
        assert_eq!(fitting(&view(1), 10.0), 1, "one is always there");
        assert_eq!(fitting(&view(3), 3.0 * one + 1.0), 3, "no room for a count is needed");
        assert_eq!(fitting(&view(4), 3.0 * one + 1.0), 2, "the count takes room");
        assert_eq!(fitting(&view(50_000), 1e6), MOST);
    }

    #[test]
    fn the_next_job_is_named_before_it_is_submitted() {
        let start = crate::library::start();
        assert_eq!(upcoming(&start, 0).as_deref(), Some("b2 requests 1 GPU at 0:01"));
        assert_eq!(upcoming(&start, 1000), None);
        let frame = |next_ms| Frame { next_ms, ..Frame::default() };
        assert_eq!(submitted(&start, &frame(Some(1000))).as_deref(), Some("b2 asks for 1 GPU"));
        assert_eq!(submitted(&start, &frame(Some(500))), None, "not with the next step");
        assert_eq!(submitted(&start, &frame(None)), None);
    }

    #[test]
    fn jobs_that_wait_say_why() {
        let frame = crate::fixtures::start();
        let view = waiting(&frame);
        assert_eq!(view.n, frame.jobs.iter().filter(|job| job.pending > 0).count());
        assert!(view.chips.iter().all(|chip| !chip.reason.is_empty() && !chip.size.is_empty()), "{view:?}");
        let evicted = JobRow { evictions: 1, ..frame.jobs[0].clone() };
        for policy in Policy::ALL {
            let says = format!("was {}", policy.terms.word("evicted"));
            assert_eq!(chip(&frame, &evicted, policy.terms).reason, says, "{}", policy.key);
        }
    }
}
