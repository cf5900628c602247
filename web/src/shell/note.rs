//! Notes on the selection and on the moment under the cursor.

use fairground::scenario::{Path, Scenario};
use fairground::words::Selection;
use leptos::prelude::*;

use crate::state::command::Command;
use crate::state::document;
use crate::state::document::remarks::{REMARK_CHARS_MAX, remarks};
use crate::store::Store;

/// The path of a thing's note.
fn place(scenario: &Scenario, selection: &Selection) -> Option<Path> {
    let (list, name) = match selection {
        Selection::Queue(name) if scenario.queues.iter().any(|q| q.name == *name) => ("queues", name),
        // Nodes of a group share the group's note, jobs of a pattern that of the pattern.
        Selection::Job(name) => {
            ("jobs", entry_of(name, &mut scenario.jobs.iter().map(|j| (&j.name, j.count.is_some())))?)
        }
        Selection::Node(name) => {
            ("nodes", entry_of(name, &mut scenario.nodes.iter().map(|n| (&n.name, n.count.is_some())))?)
        }
        _ => return None,
    };
    Some(Path::default().field(list).named(name).field("note"))
}

/// Name of a thing's entry in the file, given all entries and whether each is a group: its own name, or that of its
/// group.
fn entry_of<'a>(name: &str, entries: &mut dyn Iterator<Item = (&'a String, bool)>) -> Option<&'a String> {
    let number = |group: &str| name.strip_prefix(group)?.strip_prefix('-')?.parse::<u32>().ok();
    let mut of_group = None;
    for (entry, is_several) in entries {
        if !is_several && entry == name {
            return Some(entry);
        }
        of_group = of_group.or(Some(entry).filter(|_| is_several && number(entry).is_some()));
    }
    of_group
}

/// Longest note shown unfolded, in characters.
const SHOWN_CHARS: usize = 280;

/// The beginning of a long note, under which the rest is folded; `None` for a short one.
fn beginning(note: &str) -> Option<&str> {
    let (end, _) = note.char_indices().nth(SHOWN_CHARS)?;
    Some(note[..end].rsplit_once(char::is_whitespace).map_or(&note[..end], |(begin, _)| begin))
}

fn text_of(note: String) -> AnyView {
    match beginning(&note).map(str::to_string) {
        None => view! { <p class="note-text">{note}</p> }.into_any(),
        Some(begin) => view! {
            <details class="note-long">
                <summary>
                    <span class="note-text begin">{begin} " …"</span>
                    <span class="link more">"more"</span>
                    <span class="link less">"less"</span>
                </summary>
                <p class="note-text">{note}</p>
            </details>
        }
        .into_any(),
    }
}

/// The note of the selected queue, nodes or job, and a field to edit it.
#[component]
pub fn Note() -> impl IntoView {
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
                {(!note.is_empty()).then(|| text_of(note))}
                <button type="button" class="chip no-print" on:click=edit>{label}</button>
            </div>
        })
    }
}

/// The note on the moment under the cursor, and a field to edit it.
#[component]
pub fn MomentNote() -> impl IntoView {
    let store = Store::get();
    let moment = Memo::new(move |_| store.frame.with(|f| f.as_ref().map(|f| (f.cycle, f.time_ms))));
    let noted = Memo::new(move |_| {
        let (_, time_ms) = moment.get()?;
        let all = store.scenario.with(|scenario| remarks(scenario));
        all.into_iter().find(|remark| remark.time_ms == time_ms).map(|remark| remark.text)
    });
    move || {
        let (cycle, _) = moment.get()?;
        let note = noted.get();
        // The scenario's own note is about the start.
        if cycle == 0 && note.is_none() {
            return None;
        }
        let label = format!("Note on cycle {cycle}");
        let head = if note.is_some() { "Edit the note on this cycle" } else { "Add a note on this cycle" };
        let write = move |event| store.dispatch(Command::Remark(event_target_value(&event)));
        Some(view! {
            <div class="why remark">
                {note.clone().map(|note| text_of(format!("Cycle {cycle}: {note}")))}
                <details class="no-print">
                    <summary>{head}</summary>
                    <input
                        type="text"
                        class="input"
                        aria-label=label
                        maxlength=REMARK_CHARS_MAX.to_string()
                        prop:value=note.unwrap_or_default()
                        on:change=write
                    />
                </details>
            </div>
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_note_is_folded_between_words() {
        assert_eq!(beginning(&"é".repeat(SHOWN_CHARS)), None);
        let words = "äöü ".repeat(SHOWN_CHARS);
        let begin = beginning(&words).expect("it is long");
        assert!(begin.ends_with("äöü") && begin.chars().count() <= SHOWN_CHARS, "{begin}");
        assert_eq!(beginning(&"x".repeat(999)).map(str::len), Some(SHOWN_CHARS));
    }

    #[test]
    fn nodes_of_a_group_and_jobs_of_a_pattern_share_its_note() {
        let text = "format: fairground-scenario\nversion: 1\nnodes:\n- {name: big, count: 2, gpu: 8, note: new}\n\
                    - {name: big-9, gpu: 1}\nqueues: []\njobs:\n\
                    - {name: j, queue: q, count: 3, note: nightly}\n";
        let scenario = document::from_text(text).expect("it is clean");
        let note_of = |name: &str| {
            let at = place(&scenario, &Selection::Node(name.into()));
            at.map(|at| (at.to_string(), document::value(&scenario, &at)))
        };
        let at = |name: &str, note: &str| Some((format!("nodes[\"{name}\"].note"), note.to_string()));
        assert_eq!(note_of("big-2"), at("big", "new"));
        assert_eq!(note_of("big-9"), at("big-9", ""), "its own name goes first");
        assert_eq!(note_of("small-1"), None);
        let of_job = place(&scenario, &Selection::Job("j-3".into())).expect("it has a place");
        assert_eq!(document::value(&scenario, &of_job), "nightly");
        assert_eq!(place(&scenario, &Selection::Job("j-x".into())), None);
        let again = document::from_text(&document::to_yaml(&scenario)).expect("it is clean");
        assert_eq!(again, scenario, "the text says it");
    }
}
