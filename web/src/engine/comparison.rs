//! A scenario under other policies: its translation and the results of its runs.

use std::sync::Arc;

use fairground::scenario::Scenario;
use fairground::sim::{Column, Comparing, Moves, first_difference};
use fairground::time::Time;
use fairground::translate::{Note, translate};

use super::protocol::{ColumnRow, NoteRow, QueueCell, Say};

/// Largest number of places that a note lists.
const PLACES_MAX: usize = 20;
/// Cycle limit for runs that never become quiet.
const CYCLES_MAX: u32 = 100_000;

/// Translates a scenario to a policy.
pub fn translated(scenario: &Scenario, policy: &str) -> Say {
    let translated = translate(scenario, policy);
    let (scenario, notes) = match translated {
        Some(translated) => (Some(Box::new(translated.scenario)), rows(&translated.notes)),
        None => (None, Vec::new()),
    };
    Say::Translated { policy: policy.to_owned(), scenario, notes }
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
    pub fn work(&mut self) -> Option<Option<Say>> {
        if let Some(mut running) = self.running.take() {
            if running.step() {
                self.running = Some(running);
                return Some(None);
            }
            return Some(Some(Say::Compared { column: Box::new(self.column(running.end())) }));
        }
        let policy = self.waiting.pop()?;
        self.running = Some(Comparing::new(&self.scenario, &policy, self.until, CYCLES_MAX));
        Some(None)
    }

    /// The result of a run; the first run is the reference for the first difference of the others.
    fn column(&mut self, column: Column) -> ColumnRow {
        let row = row_of(&column);
        let Some(run) = column.run else { return row };
        match &self.first {
            Some(first) => {
                let first_difference = first_difference(first, &run.moves).map(Time::as_millis);
                ColumnRow { first_difference_ms: first_difference, ..row }
            }
            None => {
                self.first = Some(run.moves);
                row
            }
        }
    }

    /// Progress of the current run.
    pub fn progress(&self) -> Option<Say> {
        let running = self.running.as_ref()?;
        Some(Say::Comparing { policy: running.policy().to_owned(), cycle: running.cycle() })
    }
}

fn rows(notes: &[Note]) -> Vec<NoteRow> {
    let row = |note: &Note| NoteRow {
        kind: note.kind.name().to_owned(),
        says: note.says.clone(),
        at: note.at.iter().take(PLACES_MAX).map(NoteRow::sent).collect(),
        n: u32::try_from(note.at.len()).unwrap_or(u32::MAX),
    };
    notes.iter().map(row).collect()
}

fn row_of(column: &Column) -> ColumnRow {
    let mut row = ColumnRow {
        policy: column.policy.clone(),
        notes: rows(&column.notes),
        findings: column.diagnostics.iter().map(|d| d.says.clone()).collect(),
        ..ColumnRow::default()
    };
    let Some(run) = &column.run else { return row };
    let all = &run.summary.all;
    row.can_run = true;
    row.until_ms = run.summary.until.as_millis();
    row.is_over = run.is_over;
    row.jobs_done = all.jobs_done;
    row.jobs_evicted = all.jobs_evicted;
    row.jobs_waiting = run.n_waiting;
    row.wait_mean_s = all.waits.mean_s;
    row.wait_max_s = all.waits.max_s;
    row.evictions = u32::try_from(all.evictions).unwrap_or(u32::MAX);
    row.lost_gpu_s = all.gpu_seconds_lost;
    row.utilisation = all.utilisation;
    let queue = |(i, name): (usize, &std::sync::Arc<str>)| QueueCell {
        queue: name.to_string(),
        gpus: run.held[i],
        used_gpu_s: run.summary.queues[i].gpu_seconds_used,
        wait_mean_s: run.summary.queues[i].waits.mean_s,
    };
    row.queues = run.queues.iter().enumerate().map(queue).collect();
    row
}

#[cfg(test)]
mod tests {
    use super::super::protocol::{Ask, Request};
    use super::super::serve::Server;
    use super::*;
    use fairground::policy::Policy;

    const FOUR: &str = include_str!("../../../assets/scenarios/four-schedulers.yaml");

    fn of(text: &str) -> Arc<Scenario> {
        Arc::new(fairground::scenario::read(text).scenario.unwrap_or_default())
    }

    fn columns(text: &str, policies: &[&str]) -> Vec<ColumnRow> {
        let policies = policies.iter().map(|&policy| policy.to_owned()).collect();
        let mut comparison = Comparison::new(of(text), policies, None);
        let mut columns = Vec::new();
        while let Some(say) = comparison.work() {
            match say {
                Some(Say::Compared { column }) => columns.push(*column),
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
        assert!(matches!(say, Say::Translated { scenario: None, .. }), "{say:?}");
        let wrong = FOUR.replacen("queue: ", "queue: no-", 1);
        assert!(columns(&wrong, Policy::NAMES).iter().all(|column| !column.can_run));
    }

    /// Between the cycles of a comparison other requests are served, and a later comparison replaces it.
    #[test]
    fn a_comparison_is_taken_in_slices() {
        let mut server = Server::default();
        let mut ids = 0..;
        let mut ask = |server: &mut Server, ask: Ask| {
            let replies = server.ask(Request { generation: ids.next().unwrap_or_default(), ask });
            assert!(replies.is_empty(), "{replies:?}");
        };
        let compare = |policies: &[&str]| Ask::Compare {
            scenario: of(FOUR),
            policies: policies.iter().map(|&policy| policy.to_owned()).collect(),
            until_ms: Some(60_000),
        };
        let end = |server: &mut Server| {
            let mut replies = Vec::new();
            while server.is_busy() {
                replies.extend(server.work().into_iter().map(|reply| reply.say));
            }
            replies
        };
        ask(&mut server, Ask::Load { scenario: of(FOUR), cycle: 0 });
        end(&mut server);
        let [first_policy, last_policy] = [Policy::NAMES[0], Policy::NAMES[1]];
        ask(&mut server, compare(&[first_policy, last_policy]));
        for _ in 0..5 {
            assert!(server.work().is_empty());
        }
        let progress = server.progress().map(|reply| reply.say);
        assert!(
            matches!(&progress, Some(Say::Comparing { policy, cycle: 1.. }) if policy == first_policy),
            "{progress:?}"
        );
        ask(&mut server, Ask::GoTo { cycle: 1 });
        let (mut first, mut n) = (Vec::new(), 0);
        while first.is_empty() {
            first = server.work();
            n += 1;
        }
        assert!(matches!(first[0].say, Say::Frame { .. }) && n <= 2, "a step goes first: {first:?}");
        ask(&mut server, compare(&[last_policy]));
        let replies = end(&mut server);
        assert!(
            matches!(&replies[..], [Say::Compared { column }] if column.policy == last_policy),
            "{replies:?}"
        );
        ask(&mut server, compare(&[]));
        assert!(end(&mut server).is_empty());
    }
}
