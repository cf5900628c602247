//! What is kept on the device of a document that was changed.

use std::collections::BTreeSet;
use std::sync::Arc;

use fairground::scenario::Scenario;
use fairground::words::Selection;
use serde::{Deserialize, Serialize};

use super::history::History;
use super::opened::{Moment, Opened, Origin};
use super::states::KeptState;
use crate::state::document;
use crate::state::model::Model;

/// Most drafts that are kept.
pub const DRAFTS_MAX: usize = 30;

/// A draft as it is stored.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Draft {
    /// The scenario (format 1, JSON).
    pub scenario: String,
    /// The cycle under the cursor.
    pub cycle: u32,
    /// What is selected, as in links.
    pub selection: String,
    /// Warnings that were answered.
    pub dismissed: BTreeSet<String>,
    /// The fragment that the page last wrote for it into the address.
    pub address: String,
    /// The scenario's text as somebody began to change it, if that cannot be read yet; else empty.
    #[serde(default)]
    pub text: String,
    /// Its earlier states, which are stored beside it.
    #[serde(skip)]
    pub states: Vec<(KeptState, Arc<Scenario>)>,
}

/// A line of the list of drafts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DraftLine {
    /// Its name in the storage.
    pub id: String,
    /// The scenario's title.
    pub title: String,
    /// When it was last kept, milliseconds since 1970.
    pub saved_ms: f64,
    /// Which tab kept it, by a name that no two tabs share.
    #[serde(default)]
    pub tab: String,
}

impl Draft {
    /// The present document as a draft.
    pub fn of(model: &Model, address: &str) -> Draft {
        Draft {
            scenario: document::to_json(&model.scenario),
            cycle: model.cursor,
            selection: model.selection.as_ref().map(Selection::to_text).unwrap_or_default(),
            dismissed: (*model.dismissed).clone(),
            address: address.to_string(),
            text: model.unread.as_deref().unwrap_or_default().to_string(),
            states: model.history.kept().into_iter().map(|(line, of)| (line, of.clone())).collect(),
        }
    }

    /// The draft as a document.
    pub fn open(&self, id: &str) -> Result<Opened, Vec<String>> {
        Ok(Opened {
            scenario: Arc::new(document::from_text(&self.scenario)?),
            findings: None,
            origin: Origin::Draft,
            moment: Moment {
                cycle: self.cycle,
                selection: Selection::from_text(&self.selection),
                ..Moment::default()
            },
            draft: Some(id.to_string()),
            dismissed: Arc::new(self.dismissed.clone()),
            history: History::of(self.states.clone()),
            rules: fairground::link::RULES,
            unread: Some(self.text.as_str()).filter(|text| !text.is_empty()).map(Arc::from),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::command::Command;
    use crate::state::document::change::Change;
    use crate::state::update::update;

    #[test]
    fn an_opened_draft_undoes_and_goes_back_to_earlier_states() {
        let mut model = Model::new(Opened::new(crate::library::start(), Origin::Start));
        let start = model.scenario.clone();
        for _ in 0..2 {
            update(&mut model, Command::Change(Change::AddNodes));
        }
        let draft = Draft::of(&model, "");
        let mut again = Model::new(draft.open("a").expect("it is one"));
        assert_eq!(again.scenario, model.scenario);
        update(&mut again, Command::Undo);
        assert_eq!(again.scenario.nodes.len(), start.nodes.len() + 1);
        update(&mut again, Command::Redo);
        let first = again.history.states(&again.scenario).pop().expect("the state that was opened");
        update(&mut again, Command::GoBackTo(first.made_ms));
        assert_eq!(again.scenario, start);
        update(&mut again, Command::Undo);
        assert_eq!(again.scenario, model.scenario, "going back is an edit");
        // Links, by which states are kept, hold all of a scenario.
        for (_, state) in &draft.states {
            let linked = fairground::link::open(&fairground::link::encode(state)).expect("a link");
            assert_eq!(linked.scenario, **state);
        }
    }
}
