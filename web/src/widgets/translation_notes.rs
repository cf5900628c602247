//! Changes to settings under another policy, as lists.

use fairground::scenario::Path;
use fairground::translate::NoteKind;
use leptos::prelude::*;

use crate::engine::protocol::NoteRow;
use crate::state::command::Command;
use crate::state::document::edit;
use crate::store::Store;

/// Kinds of notes and their headings.
const KINDS: [(NoteKind, &str); 5] = [
    (NoteKind::Refused, "The real scheduler rejects this"),
    (NoteKind::Dropped, "Dropped (no counterpart)"),
    (NoteKind::Assumed, "Assumed (not set in the scenario)"),
    (NoteKind::Changed, "Converted"),
    (NoteKind::Kept, "Unchanged"),
];

/// A text in which parts in backquotes are marked up as code.
pub fn with_code(says: &str) -> AnyView {
    let part = |(at, text): (usize, &str)| match at % 2 {
        0 => text.to_string().into_any(),
        _ => view! { <code>{text.to_string()}</code> }.into_any(),
    };
    says.split('`').enumerate().map(part).collect_view().into_any()
}

/// Notes as lists by kind; every path links to its field.
pub fn notes(notes: &[NoteRow]) -> AnyView {
    let store = Store::get();
    let terms = store.terms.get_untracked();
    let place = |(i, at): (usize, Path)| {
        let name = edit::name_of(&at, terms);
        let go = move |_| {
            store.dispatch(Command::Dialog(None));
            store.dispatch(Command::FocusField(at.clone()));
        };
        view! {
            {(i > 0).then_some(", ")}
            <button type="button" class="link" on:click=go>{name}</button>
        }
        .into_any()
    };
    let list = |(kind, name): (NoteKind, &'static str)| {
        let of_kind = notes.iter().filter(|row| row.note.kind == kind);
        let lines = of_kind.map(|NoteRow { note, n }| {
            let more = (*n as usize).saturating_sub(note.at.len());
            let more = (more > 0).then(|| format!(" and {more} more"));
            let places = note.at.iter().cloned().enumerate().map(place).collect_view();
            view! { <li>{with_code(&note.says)} ": " {places} {more}</li> }
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
    view! { <div class="import-lists">{lists}</div> }.into_any()
}
