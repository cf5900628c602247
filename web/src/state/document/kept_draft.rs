//! The current document as a draft.

use fairground::link;
use fairground::words::Selection;

use super::draft::{Draft, is_large};
use crate::state::document;
use crate::state::model::Model;

impl Draft {
    /// Creates a draft of the current document; `packed`: its packed text, if that is written already.
    pub fn of(model: &Model, address: &str, packed: Option<String>) -> Draft {
        let is_large = is_large(&model.document.scenario);
        let pack = || link::encode_within_limit(&model.document.scenario).filter(|_| is_large);
        let states = if is_large { Vec::new() } else { model.document.history.kept() };
        Draft {
            scenario: packed.or_else(pack).unwrap_or_else(|| document::to_json(&model.document.scenario)),
            cycle: model.playback.cursor,
            selection: model.selection.as_ref().map(Selection::to_text).unwrap_or_default(),
            dismissed: (*model.document.dismissed).clone(),
            address: address.to_string(),
            text: model.document.unread.as_deref().unwrap_or_default().to_string(),
            states: states.into_iter().map(|(line, of)| (line, of.clone())).collect(),
        }
    }
}
