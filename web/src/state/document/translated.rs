//! Notes on the settings after a change of the policy.

use crate::engine::protocol::NoteRow;

/// Notes on the settings after a change of the policy.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Translated {
    pub policy: String,
    pub notes: Vec<NoteRow>,
}

impl Translated {
    /// Number of settings with a kind of note.
    pub fn count(&self, kind: &str) -> u32 {
        self.notes.iter().filter(|note| note.kind == kind).map(|note| note.n).sum()
    }
}
