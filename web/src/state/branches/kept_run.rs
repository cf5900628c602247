//! Data of the runs kept for comparison.

use std::sync::Arc;

use fairground::scenario::Scenario;

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
    pub fn run(&self, letter: char) -> Option<&KeptRun> {
        self.runs.iter().find(|run| run.letter == letter)
    }

    /// Whether the current run is compared with a kept one.
    pub fn is_comparing(&self) -> bool {
        self.compared.is_some()
    }
}
