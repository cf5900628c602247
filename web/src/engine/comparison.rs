//! A scenario under other policies: its translation, and runs of scenarios side by side.

use std::collections::VecDeque;

use fairground::policy::Monitor;
use fairground::scenario::Scenario;
use fairground::sim::{Column, Comparing, Difference, Moves, Runs, first_difference, under};
use fairground::time::Time;
use fairground::translate::{Note, translate};
use fairground::words::{FirstDifference, Repeated, Side};

use super::protocol::{Compared, NoteRow, Response, ToCompare};

/// Largest number of places that a note lists.
const PLACES_MAX: usize = 20;
/// Cycle limit for runs that never become quiet, until their own end.
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

/// Runs side by side: all are advanced to a common end, then each is compared with the first one. If the monitor
/// interrupts a cycle, the runs begin again.
pub struct Comparison {
    entries: VecDeque<ToCompare>,
    until: Option<Time>,
    monitor: Monitor,
    runs: Option<Runs>,
    /// The results that are not reported yet, in order.
    columns: VecDeque<Column>,
    /// The first run, with its placements and evictions.
    first: Option<(ToCompare, Vec<Moves>)>,
    differing: Option<Differing>,
}

/// A result whose first difference is being explained.
struct Differing {
    entry: ToCompare,
    column: Column,
    difference: Difference,
    /// The explanation by the first run, once that is repeated.
    first: Option<Side>,
    repeated: Repeated,
}

impl Comparison {
    /// A comparison whose runs have not started.
    pub fn new(entries: Vec<ToCompare>, until_ms: Option<i64>, monitor: Monitor) -> Comparison {
        let until = until_ms.map(Time::from_millis);
        let entries = VecDeque::from(entries);
        Comparison { entries, until, monitor, runs: None, columns: VecDeque::new(), first: None, differing: None }
    }

    /// Works for about one cycle; returns a result if one is complete. `None`: all results have been returned.
    pub fn work(&mut self) -> Option<Option<Response>> {
        if let Some(differing) = self.differing.take() {
            return Some(self.explain(differing));
        }
        if let Some(column) = self.columns.pop_front() {
            let entry = self.entries.pop_front()?;
            return Some(self.compared(entry, column));
        }
        if self.first.is_some() || self.entries.is_empty() {
            return None;
        }
        let new = || {
            let mut runs: Vec<Comparing> =
                self.entries.iter().map(|entry| Comparing::new(&entry.scenario, &entry.policy)).collect();
            runs.iter_mut().for_each(|run| run.set_monitor(&self.monitor));
            Runs::new(runs, self.until, CYCLES_MAX)
        };
        let mut runs = self.runs.take().unwrap_or_else(new);
        let goes_on = runs.step();
        if self.monitor.is_interrupted() {
            return Some(None);
        }
        if goes_on {
            self.runs = Some(runs);
        } else {
            self.columns = runs.end().into();
        }
        Some(None)
    }

    /// A result, unless its first difference from the first run has to be explained.
    fn compared(&mut self, entry: ToCompare, column: Column) -> Option<Response> {
        let moves = column.run.as_ref().map_or(&[][..], |run| &run.moves);
        let Some((first, of_first)) = &self.first else {
            self.first = Some((entry.clone(), moves.to_vec()));
            return Some(result(entry, column, None));
        };
        let difference = column.run.as_ref().and_then(|run| first_difference(of_first, &run.moves));
        let Some(difference) = difference else { return Some(result(entry, column, None)) };
        let repeated = repeated(first, &difference, 0);
        self.differing = Some(Differing { entry, column, difference, first: None, repeated });
        None
    }

    /// Repeats a cycle of one of the two runs that differ; returns the result once both are explained.
    fn explain(&mut self, mut differing: Differing) -> Option<Response> {
        if differing.repeated.step() {
            self.differing = Some(differing);
            return None;
        }
        let Differing { entry, column, difference, first, repeated: done } = differing;
        match first {
            None => {
                let repeated = repeated(&entry, &difference, 1);
                let first = Some(done.side());
                self.differing = Some(Differing { entry, column, difference, first, repeated });
                None
            }
            Some(first) => {
                let found = FirstDifference { time: difference.time, sides: [first, done.side()] };
                Some(result(entry, column, Some(found)))
            }
        }
    }

    /// Progress of the current run.
    pub fn progress(&self) -> Option<Response> {
        let (at, cycle) = self.runs.as_ref()?.running()?;
        Some(Response::Comparing { name: self.entries.get(at)?.name.clone(), cycle })
    }
}

fn repeated(entry: &ToCompare, difference: &Difference, which: usize) -> Repeated {
    Repeated::new(&under(&entry.scenario, &entry.policy).0, difference, which)
}

fn result(entry: ToCompare, column: Column, first_difference: Option<FirstDifference>) -> Response {
    let Column { policy, notes, diagnostics: findings, mut run } = column;
    // The page needs no single moves.
    if let Some(run) = &mut run {
        run.moves = Vec::new();
    }
    let compared = Compared { name: entry.name, policy, notes: rows(notes), findings, run, first_difference };
    Response::Compared(Box::new(compared))
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
    use crate::engine::protocol::MomentRequest;
    use fairground::policy::Policy;
    use std::sync::Arc;

    const FOUR: &str = include_str!("../../../assets/scenarios/four-schedulers.yaml");

    fn of(text: &str) -> Arc<Scenario> {
        Arc::new(fairground::scenario::read(text).scenario.unwrap_or_default())
    }

    fn entries(scenario: &Arc<Scenario>, policies: &[&str]) -> Vec<ToCompare> {
        let entry = |&policy: &&str| {
            let (name, scenario, policy) = (policy.to_uppercase(), scenario.clone(), policy.to_owned());
            ToCompare { name, scenario, policy }
        };
        policies.iter().map(entry).collect()
    }

    fn columns(text: &str, policies: &[&str]) -> Vec<Compared> {
        let mut comparison = Comparison::new(entries(&of(text), policies), None, Monitor::default());
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

    /// All runs end together; a wait that has not ended counts until then, and both sides of a difference are
    /// explained.
    #[test]
    fn runs_of_different_length_have_one_end() {
        let start = include_str!("../../../assets/scenarios/start.yaml");
        let policies: Vec<&str> = Policy::products().map(|policy| policy.key).collect();
        let columns = columns(start, &policies);
        let ends = columns.iter().map(|column| column.run.as_ref().map(|run| run.summary.until));
        let ends: Vec<_> = ends.collect();
        assert!(ends.iter().all(|end| *end == ends[0] && *end > Some(Time::from_millis(30_000))), "{ends:?}");
        assert_eq!(columns[0].first_difference, None);
        // One of the others evicts a2 for b2 only after a delay.
        let waits = |column: &Compared| {
            let Some(FirstDifference { sides: [one, other], .. }) = &column.first_difference else {
                return false;
            };
            let evicts = one.moves().starts_with("a2 is evicted from node-2 for b2");
            let is_explained = one.lines.concat().contains("a2 was evicted so that b2 can run");
            let waits = other.only.is_empty() && other.lines.concat().contains("b2 is waiting");
            evicts && is_explained && waits
        };
        assert!(columns.iter().any(waits), "{columns:?}");
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
        let compare =
            |policies: &[&str]| Request::Compare { runs: entries(&of(FOUR), policies), until_ms: Some(60_000) };
        let end = |server: &mut Server| {
            let mut replies = Vec::new();
            while server.is_busy() {
                replies.extend(server.work().into_iter().map(|reply| reply.body));
            }
            replies
        };
        ask(&mut server, Request::Moment(MomentRequest::main_at(&of(FOUR), 0)));
        end(&mut server);
        let [first_policy, last_policy] = [Policy::NAMES[0], Policy::NAMES[1]];
        ask(&mut server, compare(&[first_policy, last_policy]));
        for _ in 0..5 {
            assert!(server.work().is_empty());
        }
        let progress = server.progress().map(|reply| reply.body);
        assert!(
            matches!(&progress, Some(Response::Comparing { name, cycle: 1.. }) if *name == first_policy.to_uppercase()),
            "{progress:?}"
        );
        ask(&mut server, Request::Moment(MomentRequest::go_to(1)));
        let (mut first, mut n) = (Vec::new(), 0);
        while first.is_empty() {
            first = server.work();
            n += 1;
        }
        assert!(matches!(first[0].body, Response::Moment(_)) && n <= 2, "a step goes first: {first:?}");
        ask(&mut server, compare(&[last_policy]));
        let replies = end(&mut server);
        assert!(matches!(&replies[..], [Response::Compared(column)] if column.policy == last_policy), "{replies:?}");
        ask(&mut server, compare(&[]));
        assert!(end(&mut server).is_empty());
    }
}
