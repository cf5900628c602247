//! What became of the settings when the policy was changed.

use crate::dom::prelude::*;

use crate::components::dialog::DialogFrame;
use crate::engine::protocol::NoteRow;
use crate::store::Store;

/// Kinds of notes with what they are called here.
const KINDS: [(&str, &str); 5] = [
    ("refused", "The real scheduler would not take this"),
    ("dropped", "Without counterpart"),
    ("assumed", "Assumed, because nothing was said"),
    ("changed", "Said in another way"),
    ("kept", "As they were"),
];

/// The notes of the last translation.
#[component]
pub fn Translated(
    /// It was closed.
    on_close: Callback<()>,
) -> impl IntoView {
    let store = Store::get();
    let translated = store.now(|m| m.translated.clone()).unwrap_or_default();
    view! {
        <DialogFrame title="What became of the settings" on_close>
            {notes(&translated.notes)}
            <p class="hint">"Undo brings back the scenario as it was."</p>
        </DialogFrame>
    }
}

/// Notes as lists by kind.
pub fn notes(notes: &[NoteRow]) -> Node {
    let list = |(kind, name): (&'static str, &'static str)| {
        let of_kind: Vec<NoteRow> = notes.iter().filter(|note| note.kind == kind).cloned().collect();
        let lines = of_kind.into_iter().map(|note| {
            let more = note.n as usize - note.at.len().min(note.n as usize);
            let mut places = note.at.join(", ");
            if more > 0 {
                places.push_str(&format!(" and {more} more"));
            }
            view! { <li>{note.says} ": " <span class="dim">{places}</span></li> }
        });
        let lines = lines.collect::<Vec<_>>();
        (!lines.is_empty()).then(|| {
            view! {
                <section>
                    <h3>{name}</h3>
                    <ul>{lines}</ul>
                </section>
            }
        })
    };
    let lists = KINDS.map(list).into_iter().flatten().collect::<Vec<_>>();
    view! { <div class="import-lists">{lists}</div> }.into_node()
}
