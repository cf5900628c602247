//! Drafts: changed documents stored on the device.

use std::collections::BTreeSet;
use std::sync::Arc;

use fairground::link;
use fairground::scenario::Scenario;
use fairground::words::Selection;
use serde::{Deserialize, Serialize};

use super::Opened;
use super::history::{History, KeptState};
use crate::state::document::{self, Checked, Document, Origin};

/// Largest number of drafts.
pub const DRAFTS_MAX: usize = 30;

/// Scenarios with more entries are stored packed by the engine, and without earlier states.
const LARGE_ENTRIES: usize = 20_000;

/// Whether serialising a scenario would block the page.
pub fn is_large(scenario: &Scenario) -> bool {
    scenario.jobs.len() + scenario.nodes.len() + scenario.timeline.len() > LARGE_ENTRIES
}

/// A draft as it is stored.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Draft {
    /// JSON of format 1; packed as in a link if it is large.
    pub scenario: String,
    /// The cycle under the cursor.
    pub cycle: u32,
    /// The selection, as in links.
    pub selection: String,
    /// Dismissed warnings.
    pub dismissed: BTreeSet<String>,
    /// The fragment that the page last wrote to the address for it.
    pub address: String,
    /// The scenario's text while it cannot be parsed; otherwise empty.
    #[serde(default)]
    pub text: String,
    /// Earlier states, which are stored separately.
    #[serde(skip)]
    pub states: Vec<(KeptState, Arc<Scenario>)>,
}

/// An entry of the list of drafts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DraftLine {
    /// Id in the storage.
    pub id: String,
    pub title: String,
    /// Time of the last save, milliseconds since 1970.
    pub saved_ms: f64,
    /// Unique id of the tab that saved it last.
    #[serde(default)]
    pub tab: String,
}

impl Draft {
    /// Whether its scenario is packed and takes long to read.
    pub fn is_packed(&self) -> bool {
        !self.scenario.trim_start().starts_with('{')
    }

    /// Converts the draft to a document.
    pub fn open(&self, id: &str) -> Result<Opened, Vec<String>> {
        let scenario = if self.is_packed() {
            link::decode(&self.scenario).map_err(|error| vec![error.to_string()])?
        } else {
            document::from_text(&self.scenario)?
        };
        Ok(self.opened(id, Checked::of(scenario)))
    }

    /// Converts the draft to a document with a scenario that was read already.
    pub fn opened(&self, id: &str, checked: Checked) -> Opened {
        let mut opened = Opened::of(checked, Origin::Draft);
        opened.document = Document {
            is_changed: true,
            draft: Some(id.to_string()),
            dismissed: Arc::new(self.dismissed.clone()),
            history: History::of(self.states.clone()),
            unread: Some(self.text.as_str()).filter(|text| !text.is_empty()).map(Arc::from),
            ..opened.document
        };
        opened.moment.cycle = self.cycle;
        opened.moment.selection = Selection::from_text(&self.selection);
        opened
    }
}

#[cfg(test)]
mod tests {
    use super::super::Change;
    use super::*;
    use crate::engine::serve::Server;
    use crate::state::command::Command;
    use crate::state::effect::Effect;
    use crate::state::model::Model;
    use crate::state::update::{begin, update};
    use fairground::scenario::JobEntry;

    /// A large scenario is packed, by the page or the engine, and restored unchanged.
    #[test]
    fn a_large_draft_is_packed() {
        let mut large = crate::library::start();
        let job = large.jobs[0].clone();
        let jobs = (0..=LARGE_ENTRIES).map(|i| JobEntry { name: format!("j{i}"), ..job.clone() });
        large.jobs = Arc::new(jobs.collect());
        let mut model = Model::new(Opened::new(large.clone(), Origin::Files));
        let draft = model.draft("", None);
        assert!(draft.is_packed() && draft.states.is_empty());
        let text = serde_json::to_string(&draft).expect("plain data");
        assert!(text.len() < document::to_json(&large).len() / 4, "{}", text.len());
        assert_eq!(draft.open("a").map(|opened| opened.document.scenario), Ok(Arc::new(large.clone())));
        let mut server = Server::default();
        let mut reply = None;
        for effect in begin(&mut model).into_iter().chain(update(&mut model, Command::Pack)) {
            if let Effect::Send(request) = effect {
                reply = server.handle(request).pop().or(reply);
            }
        }
        let reply = reply.expect("an answer");
        let kept = update(&mut model, Command::Replied(Box::new(reply)));
        assert_eq!(kept, [Effect::SavePacked(Some(draft.scenario.clone()))]);
        // The engine unpacks it.
        let mut model = Model::new(Opened::new(crate::library::start(), Origin::Start));
        let open = Command::OpenDraft { id: "a".into(), draft: Box::new(draft) };
        let asked = update(&mut model, open);
        let Some(Effect::Send(request)) = asked.first() else { panic!("{asked:?}") };
        let mut server = Server::default();
        let mut replies = server.handle(request.clone());
        while server.is_busy() {
            replies.extend(server.work());
        }
        assert!(replies.len() > 4, "in pieces");
        for reply in replies {
            update(&mut model, Command::Replied(Box::new(reply)));
        }
        assert_eq!((model.document.draft.as_deref(), &*model.document.scenario), (Some("a"), &large));
        assert!(model.view.dialog.is_none() && model.files.preview.is_none());
    }

    #[test]
    fn an_opened_draft_undoes_and_goes_back_to_earlier_states() {
        let mut model = Model::new(Opened::new(crate::library::start(), Origin::Start));
        let start = model.document.scenario.clone();
        for _ in 0..2 {
            update(&mut model, Command::Change(Change::AddNodes));
        }
        let draft = model.draft("", None);
        let mut again = Model::new(draft.open("a").expect("it is one"));
        assert_eq!(again.document.scenario, model.document.scenario);
        update(&mut again, Command::Undo);
        assert_eq!(again.document.scenario.nodes.len(), start.nodes.len() + 1);
        update(&mut again, Command::Redo);
        let first = again.document.history.states(&again.document.scenario).pop().expect("the state that was opened");
        update(&mut again, Command::GoBackTo(first.made_ms));
        assert_eq!(again.document.scenario, start);
        update(&mut again, Command::Undo);
        assert_eq!(again.document.scenario, model.document.scenario, "going back is an edit");
        // States are stored as links, which contain the complete scenario.
        for (_, state) in &draft.states {
            let linked = fairground::link::open(&fairground::link::encode(state)).expect("a link");
            assert_eq!(linked.scenario, **state);
        }
    }
}
