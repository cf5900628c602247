//! Why jobs still wait at the end of a cycle.
//!
//! # Rule
//! The first job of a queue that still waits is the one at which the queue was frozen; the others are behind it.
//!
//! # Source
//! see [`super`]
//!
//! # Differs
//! nothing

use super::books::{Books, Stop};
use super::{place, rules};
use crate::id::{JobId, PodId, QueueId};
use crate::kit::sort;
use crate::trace::{Gate, Outlook, Refusal, Trace};

/// One refusal per waiting job, by job.
pub fn refuse(books: &Books<'_>, trace: &mut Trace) {
    let mut refusals: Vec<Refusal> = Vec::new();
    for &job in &books.not_ready {
        refusals.push(refusal(job, Gate::NotReady, Outlook::OnlyByEdit));
    }
    for (leaf, line) in books.lines.iter() {
        let Some(stop) = line.stop else { continue };
        let mut waiting = line.jobs[line.at..].iter().copied();
        let Some(first) = waiting.next() else { continue };
        refusals.push(frozen(books, leaf, first, stop));
        for job in waiting {
            let checks = vec![rules::before(books, first, job)];
            let behind = refusal(job, Gate::Behind { job: first }, Outlook::WhenFreed);
            refusals.push(Refusal { checks, ..behind });
        }
    }
    sort::sort_by_key(&mut refusals, |refusal: &Refusal| refusal.job);
    for refusal in refusals {
        trace.refusal(|| refusal);
    }
}

fn refusal(job: JobId, gate: Gate, outlook: Outlook) -> Refusal {
    Refusal { job, gate, also: Vec::new(), checks: Vec::new(), outlook }
}

fn frozen(books: &Books<'_>, leaf: QueueId, job: JobId, stop: Stop) -> Refusal {
    let pods: &[PodId] = books.next_pods(leaf);
    match stop {
        Stop::Limit { queue, resource } => {
            // Alone the job would exceed it too: then waiting does not help.
            let alone = books.request(pods)[resource.index()];
            let limit = books.world.queues()[queue].resources.get(resource).limit;
            let never = matches!(limit, crate::units::Bound::At(limit) if alone > limit.in_base_units());
            let outlook = if never { Outlook::OnlyByEdit } else { Outlook::WhenFreed };
            let checks = rules::over(books, job, queue, resource, pods).into_iter().collect();
            Refusal { checks, ..refusal(job, Gate::OverLimit { queue, resource }, outlook) }
        }
        Stop::NoRoom { placed } => {
            let pod = &books.world.cluster.pods[pods[placed.min(pods.len() - 1)]];
            if let Some(resource) = place::too_large(books.world, pod) {
                return refusal(job, Gate::TooLarge { resource }, Outlook::OnlyByEdit);
            }
            let count = |n: usize| u32::try_from(n).expect("ids are 32 bits wide");
            let reasons = place::reasons(books, pod);
            let gate = Gate::NoNode { placed: count(placed), of: count(pods.len()), reasons };
            let checks =
                rules::no_room(books, job, &pods[placed.min(pods.len() - 1)..]).into_iter().collect();
            Refusal { checks, ..refusal(job, gate, Outlook::WhenFreed) }
        }
    }
}
