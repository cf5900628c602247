//! A document as it is opened.

use std::collections::BTreeSet;
use std::sync::Arc;

use fairground::scenario::{Diagnostic, Scenario};
use fairground::words::Selection;

use super::Checked;
use crate::state::document::history::History;
use crate::state::layout::options::NowView;

/// Where a document came from.
#[derive(Clone, Debug, PartialEq)]
pub enum Origin {
    /// The start scenario.
    Start,
    /// An example, by its file name.
    Example(String),
    /// A link.
    Link,
    /// Kept on this device.
    Draft,
    /// Files that were dropped, pasted or chosen.
    Files,
    /// An empty scenario.
    Empty,
}

/// A moment: what a link says besides the scenario.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Moment {
    /// The cycle.
    pub cycle: u32,
    /// After how many decisions of it; `None`: after all.
    pub decision: Option<u32>,
    /// What is selected.
    pub selection: Option<Selection>,
    /// What NOW shows, if the link says it.
    pub view: Option<NowView>,
    /// What is selected is explained: WHY is to be seen, also where there is one panel at a time.
    pub why: bool,
    /// What the sender of a link says about it; empty: nothing.
    pub note: String,
}

/// A document to be opened.
#[derive(Clone, Debug, PartialEq)]
pub struct Opened {
    /// The scenario.
    pub scenario: Arc<Scenario>,
    /// What `check` says about it, if it was checked already.
    pub findings: Option<Arc<Vec<Diagnostic>>>,
    /// Where it came from.
    pub origin: Origin,
    /// The moment.
    pub moment: Moment,
    /// Its name among the drafts, if it is one.
    pub draft: Option<String>,
    /// Warnings that were answered.
    pub dismissed: Arc<BTreeSet<String>>,
    /// What can be undone.
    pub history: History,
    /// The version of the rules that it was last run with.
    pub rules: u32,
    /// Its text as somebody began to change it, if that cannot be read yet.
    pub unread: Option<Arc<str>>,
}

impl Opened {
    /// A document at its start, of a scenario that was checked.
    pub fn of(checked: Checked, origin: Origin) -> Opened {
        let Checked { scenario, findings } = checked;
        Opened { scenario, findings: Some(findings), ..Opened::new(Scenario::default(), origin) }
    }

    /// A document at its start.
    pub fn new(scenario: Scenario, origin: Origin) -> Opened {
        Opened {
            scenario: Arc::new(scenario),
            findings: None,
            origin,
            moment: Moment::default(),
            draft: None,
            dismissed: Arc::default(),
            history: History::default(),
            rules: fairground::link::RULES,
            unread: None,
        }
    }
}
