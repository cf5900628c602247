//! The note that was kept with what is selected.

use crate::dom::prelude::*;
use fairground::scenario::{Path, Scenario};

use crate::model::{Command, Selection, document};
use crate::store::Store;

/// Where the note of a thing is kept.
fn place(scenario: &Scenario, selection: &Selection) -> Option<Path> {
    let (list, name) = match selection {
        Selection::Queue(name) if scenario.queues.iter().any(|q| q.name == *name) => ("queues", name),
        Selection::Job(name) if scenario.jobs.iter().any(|j| j.name == *name) => ("jobs", name),
        _ => return None,
    };
    Some(Path::default().field(list).named(name).field("note"))
}

/// The note of the selected queue or job, and a way to write one.
#[component]
pub fn Remark() -> impl IntoView {
    let store = Store::get();
    let shown = Memo::new(move |_| {
        let (scenario, selection) = (store.scenario.get(), store.selection.get()?);
        let at = place(&scenario, &selection)?;
        let note = document::value(&scenario, &at);
        Some((at, note))
    });
    move || {
        let (at, note) = shown.get()?;
        let label = if note.is_empty() { "Add a note" } else { "Edit the note" };
        let edit = move |_| store.dispatch(Command::FocusField(at.clone()));
        Some(view! {
            <div class="why remark">
                {(!note.is_empty()).then(|| view! { <p class="note-text">{note}</p> })}
                <button type="button" class="chip no-print" on:click=edit>{label}</button>
            </div>
        })
    }
}
