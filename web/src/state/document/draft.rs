//! What is kept on the device of a document that was changed.

use std::collections::BTreeSet;
use std::sync::Arc;

use fairground::link;
use fairground::scenario::Scenario;
use fairground::words::Selection;
use serde::{Deserialize, Serialize};

use super::history::History;
use super::opened::{Moment, Opened, Origin};
use super::states::KeptState;
use crate::state::document::{self, Checked};

/// Most drafts that are kept.
pub const DRAFTS_MAX: usize = 30;

/// A scenario of more entries is kept as a packed text, which the engine writes and reads, and without earlier states.
const LARGE_ENTRIES: usize = 20_000;

/// Whether writing and reading a scenario would hold up the page.
pub fn is_large(scenario: &Scenario) -> bool {
    scenario.jobs.len() + scenario.nodes.len() + scenario.timeline.len() > LARGE_ENTRIES
}

/// A draft as it is stored.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Draft {
    /// The scenario: format 1 in JSON, or packed as in a link if it is large.
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
    /// Whether its scenario is packed: reading it takes long.
    pub fn is_packed(&self) -> bool {
        !self.scenario.trim_start().starts_with('{')
    }

    /// The draft as a document.
    pub fn open(&self, id: &str) -> Result<Opened, Vec<String>> {
        let scenario = match self.is_packed() {
            true => link::decode(&self.scenario).map_err(|error| vec![error.to_string()])?,
            false => document::from_text(&self.scenario)?,
        };
        Ok(self.opened(id, Checked::of(scenario)))
    }

    /// The draft as a document, its scenario being read.
    pub fn opened(&self, id: &str, Checked { scenario, findings }: Checked) -> Opened {
        Opened {
            scenario,
            findings: Some(findings),
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
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::serve::Server;
    use crate::state::command::Command;
    use crate::state::document::change::Change;
    use crate::state::effect::Effect;
    use crate::state::model::Model;
    use crate::state::update::{begin, update};
    use fairground::scenario::JobEntry;

    /// A large scenario is packed, with or without the engine, and comes back as it was.
    #[test]
    fn a_large_draft_is_packed() {
        let mut large = crate::library::start();
        let job = large.jobs[0].clone();
        let jobs = (0..=LARGE_ENTRIES).map(|i| JobEntry { name: format!("j{i}"), ..job.clone() });
        large.jobs = Arc::new(jobs.collect());
        let mut model = Model::new(Opened::new(large.clone(), Origin::Files));
        let draft = Draft::of(&model, "", None);
        assert!(draft.is_packed() && draft.states.is_empty());
        let text = serde_json::to_string(&draft).expect("plain data");
        assert!(text.len() < document::to_json(&large).len() / 4, "{}", text.len());
        assert_eq!(draft.open("a").map(|opened| opened.scenario), Ok(Arc::new(large.clone())));
        let mut server = Server::default();
        let mut reply = None;
        for effect in begin(&mut model).into_iter().chain(update(&mut model, Command::Pack)) {
            if let Effect::Send(request) = effect {
                reply = server.ask(request).pop().or(reply);
            }
        }
        let reply = reply.expect("an answer");
        let kept = update(&mut model, Command::Replied(Box::new(reply)));
        assert_eq!(kept, [Effect::SavePacked(Some(draft.scenario.clone()))]);
        // It is read by the engine again.
        let mut model = Model::new(Opened::new(crate::library::start(), Origin::Start));
        let open = Command::OpenDraft { id: "a".into(), draft: Box::new(draft) };
        let asked = update(&mut model, open);
        let Some(Effect::Send(request)) = asked.first() else { panic!("{asked:?}") };
        let mut server = Server::default();
        let mut replies = server.ask(request.clone());
        while server.is_busy() {
            replies.extend(server.work());
        }
        assert!(replies.len() > 4, "in pieces");
        for reply in replies {
            update(&mut model, Command::Replied(Box::new(reply)));
        }
        assert_eq!((model.draft.as_deref(), &*model.scenario), (Some("a"), &large));
        assert!(model.view.dialog.is_none() && model.import.is_none());
    }

    #[test]
    fn an_opened_draft_undoes_and_goes_back_to_earlier_states() {
        let mut model = Model::new(Opened::new(crate::library::start(), Origin::Start));
        let start = model.scenario.clone();
        for _ in 0..2 {
            update(&mut model, Command::Change(Change::AddNodes));
        }
        let draft = Draft::of(&model, "", None);
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
