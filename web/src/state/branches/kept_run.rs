//! Data of the runs kept for comparison.

use std::sync::Arc;

use fairground::link;
use fairground::scenario::{Edit, Scenario, apply, check, dotted, edits_between};

/// Letters of kept runs; they limit their number.
pub const LETTERS: [char; 5] = ['A', 'B', 'C', 'D', 'E'];

#[derive(Clone, Debug, PartialEq)]
pub struct KeptRun {
    pub letter: char,
    /// The last edit before it was kept, such as *weight of team-b 1 → 4*.
    pub label: String,
    /// The document; the run is computed from it whenever it is shown.
    pub scenario: Arc<Scenario>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Kept {
    /// Ordered by letter.
    pub runs: Vec<KeptRun>,
    /// The letter of the run that charts show behind the current one.
    pub compared: Option<char>,
}

impl Kept {
    /// The runs of a link to a scenario; those that do not fit it are left out.
    pub(crate) fn of_link(kept: &[link::KeptRun], scenario: &Scenario) -> Kept {
        let run = |of: &link::KeptRun| {
            let edits = of.values.iter().map(|(at, value)| Edit::Set { at: at.clone(), value: value.clone() });
            let scenario = apply(scenario, &edits.collect::<Vec<_>>()).ok()?;
            let can_run = check(&scenario).plan.is_some();
            can_run.then(|| KeptRun { letter: of.letter, label: of.label.clone(), scenario: Arc::new(scenario) })
        };
        let mut runs: Vec<KeptRun> = kept.iter().filter_map(run).filter(|run| LETTERS.contains(&run.letter)).collect();
        let compared = runs.first().map(|run| run.letter);
        runs.sort_by_key(|run| run.letter);
        runs.dedup_by_key(|run| run.letter);
        Kept { runs, compared }
    }

    /// The runs that differ from the scenario in values only, for a link to it: the compared one first.
    pub fn in_link(&self, scenario: &Scenario) -> Vec<link::KeptRun> {
        let run = |run: &KeptRun| {
            let pair = |edit: Edit| match edit {
                Edit::Set { at, value } if dotted(&at).is_some() => Some((at, value)),
                _ => None,
            };
            let edits = edits_between(scenario, &run.scenario)?;
            let values = edits.into_iter().map(pair).collect::<Option<Vec<_>>>()?;
            let fits = values.len() <= link::VALUES_MAX;
            fits.then(|| link::KeptRun { letter: run.letter, label: run.label.clone(), values })
        };
        let mut runs: Vec<link::KeptRun> = self.runs.iter().filter_map(run).collect();
        runs.sort_by_key(|run| Some(run.letter) != self.compared);
        runs
    }

    pub fn run(&self, letter: char) -> Option<&KeptRun> {
        self.runs.iter().find(|run| run.letter == letter)
    }

    /// Whether the current run is compared with a kept one.
    pub fn is_comparing(&self) -> bool {
        self.compared.is_some()
    }
}
