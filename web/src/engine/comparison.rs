//! A scenario under other policies: its translation and the results of its runs.

use std::sync::Arc;

use fairground::scenario::Scenario;
use fairground::sim::{Column, Comparing, Moves, first_difference};
use fairground::time::Time;
use fairground::translate::{Note, translate};

use super::protocol::{Compared, NoteRow, Response};

/// Largest number of places that a note lists.
const PLACES_MAX: usize = 20;
/// Cycle limit for runs that never become quiet.
const CYCLES_MAX: u32 = 100_000;

/// Translates a scenario to a policy.
pub fn translated(scenario: &Scenario, policy: &str) -> Response {
    let translated = translate(scenario, policy);
    let (scenario, notes) = match translated {
        Some(translated) => (Some(Box::new(translated.scenario)), rows(translated.notes)),
        None => (None, Vec::new()),
    };
    Response::Translated { policy: policy.to_owned(), scenario, notes }
}

/// Runs of one scenario under several policies, one after the other.
pub struct Comparison {
    scenario: Arc<Scenario>,
    until: Time,
    /// In reverse order: the last one is next.
    waiting: Vec<String>,
    running: Option<Comparing>,
    /// Placements and evictions of the first run.
    first: Option<Vec<Moves>>,
}

impl Comparison {
    /// A comparison whose runs have not started.
    pub fn new(scenario: Arc<Scenario>, mut policies: Vec<String>, until_ms: Option<i64>) -> Comparison {
        policies.reverse();
        let until = Time::from_millis(until_ms.unwrap_or(i64::MAX / 4));
        Comparison { scenario, until, waiting: policies, running: None, first: None }
    }

    /// Works for about one cycle; returns a result if that ended a run. `None`: all runs have ended.
    pub fn work(&mut self) -> Option<Option<Response>> {
        if let Some(mut running) = self.running.take() {
            if running.step() {
                self.running = Some(running);
                return Some(None);
            }
            return Some(Some(Response::Compared(Box::new(self.compared(running.end())))));
        }
        let policy = self.waiting.pop()?;
        self.running = Some(Comparing::new(&self.scenario, &policy, self.until, CYCLES_MAX));
        Some(None)
    }

    /// The result of a run; the first run is the reference for the first difference of the others.
    fn compared(&mut self, column: Column) -> Compared {
        let Column { policy, notes, diagnostics: findings, mut run } = column;
        // The page needs no single moves.
        let moves = run.as_mut().map(|run| std::mem::take(&mut run.moves));
        let both = self.first.as_ref().zip(moves.as_ref());
        let first_difference = both.and_then(|(first, moves)| first_difference(first, moves));
        self.first = self.first.take().or(moves);
        Compared { policy, notes: rows(notes), findings, run, first_difference }
    }

    /// Progress of the current run.
    pub fn progress(&self) -> Option<Response> {
        let running = self.running.as_ref()?;
        Some(Response::Comparing { policy: running.policy().to_owned(), cycle: running.cycle() })
    }
}

/// Notes with the first of their places.
fn rows(notes: Vec<Note>) -> Vec<NoteRow> {
    let row = |mut note: Note| {
        let n = u32::try_from(note.at.len()).unwrap_or(u32::MAX);
        note.at.truncate(PLACES_MAX);
        NoteRow { note, n }
    };
    notes.into_iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::super::protocol::{Message, Request};
    use super::super::serve::Server;
    use super::*;
    use fairground::policy::Policy;

    const FOUR: &str = include_str!("../../../assets/scenarios/four-schedulers.yaml");

    fn of(text: &str) -> Arc<Scenario> {
        Arc::new(fairground::scenario::read(text).scenario.unwrap_or_default())
    }

    fn columns(text: &str, policies: &[&str]) -> Vec<Compared> {
        let policies = policies.iter().map(|&policy| policy.to_owned()).collect();
        let mut comparison = Comparison::new(of(text), policies, None);
        let mut columns = Vec::new();
        while let Some(say) = comparison.work() {
            match say {
                Some(Response::Compared(column)) => columns.push(*column),
                Some(other) => panic!("{other:?}"),
                None => {}
            }
        }
        assert!(comparison.progress().is_none());
        columns
    }

    #[test]
    fn what_cannot_run_is_not_compared() {
        let say = translated(&of(FOUR), "nonsense");
        assert!(matches!(say, Response::Translated { scenario: None, .. }), "{say:?}");
        let wrong = FOUR.replacen("queue: ", "queue: no-", 1);
        assert!(columns(&wrong, Policy::NAMES).iter().all(|column| column.run.is_none()));
    }

    /// Between the cycles of a comparison other requests are served, and a later comparison replaces it.
    #[test]
    fn a_comparison_is_taken_in_slices() {
        let mut server = Server::default();
        let mut ids = 0..;
        let mut ask = |server: &mut Server, body: Request| {
            let replies = server.handle(Message { generation: ids.next().unwrap_or_default(), body });
            assert!(replies.is_empty(), "{replies:?}");
        };
        let compare = |policies: &[&str]| Request::Compare {
            scenario: of(FOUR),
            policies: policies.iter().map(|&policy| policy.to_owned()).collect(),
            until_ms: Some(60_000),
        };
        let end = |server: &mut Server| {
            let mut replies = Vec::new();
            while server.is_busy() {
                replies.extend(server.work().into_iter().map(|reply| reply.body));
            }
            replies
        };
        ask(&mut server, Request::Load { scenario: of(FOUR), cycle: 0 });
        end(&mut server);
        let [first_policy, last_policy] = [Policy::NAMES[0], Policy::NAMES[1]];
        ask(&mut server, compare(&[first_policy, last_policy]));
        for _ in 0..5 {
            assert!(server.work().is_empty());
        }
        let progress = server.progress().map(|reply| reply.body);
        assert!(
            matches!(&progress, Some(Response::Comparing { policy, cycle: 1.. }) if policy == first_policy),
            "{progress:?}"
        );
        ask(&mut server, Request::GoTo { cycle: 1 });
        let (mut first, mut n) = (Vec::new(), 0);
        while first.is_empty() {
            first = server.work();
            n += 1;
        }
        assert!(matches!(first[0].body, Response::Frame { .. }) && n <= 2, "a step goes first: {first:?}");
        ask(&mut server, compare(&[last_policy]));
        let replies = end(&mut server);
        assert!(
            matches!(&replies[..], [Response::Compared(column)] if column.policy == last_policy),
            "{replies:?}"
        );
        ask(&mut server, compare(&[]));
        assert!(end(&mut server).is_empty());
    }
}
