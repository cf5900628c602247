//! A document to be opened.

use std::collections::BTreeSet;
use std::sync::Arc;

use fairground::link::RULES;
use fairground::scenario::{Diagnostic, Scenario};
use fairground::words::Selection;

use super::Checked;
use crate::state::document::history::History;
use crate::state::layout::options::NowView;

#[derive(Clone, Debug, Default, PartialEq)]
pub enum Origin {
    #[default]
    Start,
    Example(String),
    Link,
    Draft,
    /// Dropped, pasted or chosen files.
    Files,
    Empty,
}

/// The moment in a link, and how to show it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Moment {
    pub cycle: u32,
    /// Number of decisions of the cycle; `None`: all.
    pub decision: Option<u32>,
    pub selection: Option<Selection>,
    /// View of NOW, if the link contains one.
    pub view: Option<NowView>,
    /// Explain the selection: show WHY, even if there is only one panel at a time.
    pub why: bool,
    /// Note of the sender; empty: none.
    pub note: String,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Opened {
    pub scenario: Arc<Scenario>,
    /// Findings of `check`, if it was checked already.
    pub findings: Option<Arc<Vec<Diagnostic>>>,
    pub origin: Origin,
    pub moment: Moment,
    /// Id of the draft, if it is one.
    pub draft: Option<String>,
    /// Dismissed warnings.
    pub dismissed: Arc<BTreeSet<String>>,
    pub history: History,
    /// Version of the rules with which it last ran.
    pub rules: u32,
    /// Its text, if that cannot be parsed yet.
    pub unread: Option<Arc<str>>,
}

impl Opened {
    /// A checked scenario as a document at its first cycle.
    pub fn of(checked: Checked, origin: Origin) -> Opened {
        let Checked { scenario, findings } = checked;
        Opened { scenario, findings: Some(findings), origin, rules: RULES, ..Opened::default() }
    }

    /// A scenario as a document at its first cycle.
    pub fn new(scenario: Scenario, origin: Origin) -> Opened {
        Opened { scenario: Arc::new(scenario), origin, rules: RULES, ..Opened::default() }
    }
}
