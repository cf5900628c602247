//! The runs that are kept to compare with, as data.

use std::sync::Arc;

use fairground::scenario::Scenario;

use crate::engine::protocol::{Frame, LadderLevel};

/// A run that is kept.
#[derive(Clone, Debug, PartialEq)]
pub struct KeptRun {
    /// Its letter.
    pub letter: char,
    /// The last edit before it was kept: *weight of team-b 1 → 4*.
    pub label: String,
    /// Its document; the run is computed from it whenever it is shown.
    pub scenario: Arc<Scenario>,
}

/// The runs that are kept.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Kept {
    /// In the order of their letters.
    pub runs: Vec<KeptRun>,
    /// The letter of the one that charts show behind the present run.
    pub compared: Option<char>,
    /// Its moment, until the rest of its run is known.
    pub(crate) moment: Option<(Arc<Frame>, Vec<LadderLevel>)>,
}

impl Kept {
    /// The run of a letter.
    pub fn run(&self, letter: char) -> Option<&KeptRun> {
        self.runs.iter().find(|run| run.letter == letter)
    }

    /// Whether the present run is compared with one of them.
    pub fn is_comparing(&self) -> bool {
        self.compared.is_some()
    }
}
