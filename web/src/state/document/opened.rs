//! A document to be opened.

use fairground::link::{KeptRun, RULES};
use fairground::scenario::{Path, Scenario};
use fairground::words::Selection;

use super::{Checked, Document, Origin};
use crate::state::layout::options::NowView;

/// The moment in a link, and how to show it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Moment {
    pub cycle: u32,
    /// Number of decisions of the cycle; `None`: all.
    pub decision: Option<u32>,
    pub selection: Option<Selection>,
    /// View of NOW, if the link contains one.
    pub view: Option<NowView>,
    /// The node pool whose numbers are shown; empty: all.
    pub pool: String,
    /// Explain the selection: show WHY, even if there is only one panel at a time.
    pub why: bool,
    /// Note of the sender; empty: none.
    pub note: String,
    /// The setting that the reader changes with a slider.
    pub control: Option<Path>,
    /// Runs to compare with; the first one is shown.
    pub kept: Vec<KeptRun>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Opened {
    pub document: Document,
    pub moment: Moment,
    /// Version of the rules with which it last ran.
    pub rules: u32,
}

impl Opened {
    /// A checked scenario as a document at its first cycle.
    pub fn of(checked: Checked, origin: Origin) -> Opened {
        Opened { document: Document::of(checked, origin), moment: Moment::default(), rules: RULES }
    }

    /// The same document, from elsewhere.
    pub fn with_origin(mut self, origin: Origin) -> Opened {
        self.document.origin = origin;
        self
    }

    /// A scenario as a document at its first cycle.
    pub fn new(scenario: Scenario, origin: Origin) -> Opened {
        Opened::of(Checked::of(scenario), origin)
    }
}
