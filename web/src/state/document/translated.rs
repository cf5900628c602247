//! Notes on the settings after a change of the policy.

use fairground::translate::NoteKind;

use crate::engine::protocol::NoteRow;

/// Notes on the settings after a change of the policy.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Translated {
    pub policy: String,
    pub notes: Vec<NoteRow>,
}

impl Translated {
    /// Number of settings with a kind of note.
    pub fn count(&self, kind: NoteKind) -> u32 {
        self.notes.iter().filter(|row| row.note.kind == kind).map(|row| row.n).sum()
    }
}
