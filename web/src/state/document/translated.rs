//! What became of the settings when the policy was changed.

use crate::engine::protocol::NoteRow;

/// What became of the settings when the policy was changed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Translated {
    /// The policy.
    pub policy: String,
    /// What became of the settings.
    pub notes: Vec<NoteRow>,
}

impl Translated {
    /// How many settings there are of a kind.
    pub fn count(&self, kind: &str) -> u32 {
        self.notes.iter().filter(|note| note.kind == kind).map(|note| note.n).sum()
    }
}
