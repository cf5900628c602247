//! A scenario under other policies: its translation, and what a run comes to.

use fairground::scenario::{self, Scenario};
use fairground::sim::{Column, compare};
use fairground::time::Time;
use fairground::translate::{Note, translate};

use super::protocol::{ColumnRow, NoteRow, QueueCell, Say};

/// Most places of a note that are told one by one.
const PLACES_MAX: usize = 20;
/// A run that does not come to rest is stopped after so many cycles.
const CYCLES_MAX: u32 = 5_000;

/// A scenario in the words of a policy.
pub fn translated(text: &str, policy: &str) -> Say {
    let translated = read(text).and_then(|scenario| translate(&scenario, policy));
    let (scenario, notes) = match translated {
        Some(translated) => (Some(scenario::to_json(&translated.scenario)), rows(&translated.notes)),
        None => (None, Vec::new()),
    };
    Say::Translated { policy: policy.to_owned(), scenario, notes }
}

/// What a run under a policy comes to.
pub fn compared(text: &str, policy: &str, until_ms: Option<i64>) -> Say {
    let until = Time::from_millis(until_ms.unwrap_or(i64::MAX / 4));
    let column = read(text).map(|scenario| column(&compare(&scenario, policy, until, CYCLES_MAX)));
    let nothing = || ColumnRow { policy: policy.to_owned(), ..ColumnRow::default() };
    Say::Compared { column: Box::new(column.unwrap_or_else(nothing)) }
}

fn read(text: &str) -> Option<Scenario> {
    scenario::read(text).scenario
}

fn rows(notes: &[Note]) -> Vec<NoteRow> {
    let row = |note: &Note| NoteRow {
        kind: note.kind.name().to_owned(),
        says: note.says.clone(),
        at: note.at.iter().take(PLACES_MAX).map(ToString::to_string).collect(),
        n: u32::try_from(note.at.len()).unwrap_or(u32::MAX),
    };
    notes.iter().map(row).collect()
}

fn column(column: &Column) -> ColumnRow {
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
    use super::*;

    const FOUR: &str = include_str!("../../../assets/scenarios/four-schedulers.yaml");

    #[test]
    fn four_schedulers_decide_differently() {
        let column = |policy: &str| match compared(FOUR, policy, Some(60_000)) {
            Say::Compared { column } => *column,
            other => panic!("{other:?}"),
        };
        let columns = ["kai", "runai", "yunikorn", "ego"].map(column);
        for column in &columns {
            assert!(column.can_run && column.findings.is_empty(), "{}: {:?}", column.policy, column.findings);
            assert_eq!((column.until_ms, column.queues.len()), (60_000, 3), "{}", column.policy);
            assert_eq!(column.queues.iter().map(|queue| queue.gpus).sum::<f64>(), 12.0, "{}", column.policy);
        }
        let [kai, _, yunikorn, ego] = &columns;
        assert!(kai.notes.is_empty() && !yunikorn.notes.is_empty() && !ego.notes.is_empty());
        assert_ne!(kai.evictions, yunikorn.evictions);
        assert_ne!(kai.evictions, ego.evictions);
        // YuniKorn preempts only for what has waited half a minute.
        assert!(yunikorn.wait_max_s >= 30.0 && kai.wait_max_s <= 1.0);
    }

    #[test]
    fn what_cannot_be_read_is_not_translated() {
        let say = translated("nonsense", "kai");
        assert!(matches!(say, Say::Translated { scenario: None, .. }), "{say:?}");
        let say = compared("nonsense", "kai", None);
        assert!(matches!(say, Say::Compared { column } if !column.can_run));
    }
}
