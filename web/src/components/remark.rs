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
        // A node of a group of equal ones has the group's note.
        Selection::Node(name) => ("nodes", nodes_of(scenario, name)?),
        _ => return None,
    };
    Some(Path::default().field(list).named(name).field("note"))
}

/// The name under which a node stands in the file: its own, or that of its group.
fn nodes_of<'a>(scenario: &'a Scenario, node: &str) -> Option<&'a String> {
    let number = |group: &str| node.strip_prefix(group)?.strip_prefix('-')?.parse::<u32>().ok();
    let mut nodes = scenario.nodes.iter();
    let own = nodes.clone().find(|n| n.count.is_none() && n.name == node);
    own.or_else(|| nodes.find(|n| n.count.is_some() && number(&n.name).is_some())).map(|n| &n.name)
}

/// The note of the selected queue, nodes or job, and a way to write one.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_of_a_group_share_its_note() {
        let text = "format: fairground-scenario\nversion: 1\nnodes:\n- {name: big, count: 2, gpu: 8, note: new}\n\
                    - {name: big-9, gpu: 1}\nqueues: []\njobs: []\n";
        let scenario = document::from_text(text).expect("it is clean");
        let note_of = |name: &str| {
            let at = place(&scenario, &Selection::Node(name.into()));
            at.map(|at| (at.to_string(), document::value(&scenario, &at)))
        };
        let at = |name: &str, note: &str| Some((format!("nodes[\"{name}\"].note"), note.to_string()));
        assert_eq!(note_of("big-2"), at("big", "new"));
        assert_eq!(note_of("big-9"), at("big-9", ""), "its own name goes first");
        assert_eq!(note_of("small-1"), None);
        let again = document::from_text(&document::to_yaml(&scenario)).expect("it is clean");
        assert_eq!(again, scenario, "the text says it");
    }
}
