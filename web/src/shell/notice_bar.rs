//! The line under the header: the author's note, then the effect of each step; chips of the start scenario, the origin
//! of the document; the hint on an example; and notices.

use std::time::Duration;

use fairground::lesson::{Hint, Suggestion};
use fairground::scenario::{Edit, Path};
use fairground::words::{Explanation, Text};
use leptos::leptos_dom::helpers::set_timeout;
use leptos::prelude::*;

use crate::chart::alternative;
use crate::dialogs::help::what_it_is;
use crate::lessons::fetch::fetch_hint;
use crate::state::command::Command;
use crate::state::document::{Change, Origin};
use crate::state::layout::options::{Dialog, Presenting};
use crate::state::model::{Model, Notice};
use crate::state::playback::decision_step;
use crate::store::Store;
use crate::views::why::component::text;
use crate::widgets::button::{CommandButton, IconButton};
use crate::widgets::icons::{Icon, IconKind};
use crate::words::step_sentence;

/// Time after which notices other than problems disappear.
const NOTICE_STAYS: Duration = Duration::from_secs(9);

/// Content of the line under the header.
#[derive(Clone, Debug, PartialEq)]
enum Line {
    /// The author's note on the scenario.
    Note(String),
    /// Effect of a step.
    Step(Text),
    /// Effect of an edit.
    Edit(String),
}

impl Line {
    fn n_letters(&self) -> usize {
        match self {
            Line::Note(text) | Line::Edit(text) => text.chars().count(),
            Line::Step(text) => text.spoken().chars().count(),
        }
    }
}

/// The current line: the effect of the last edit or cycle; before the first cycle, the author's note. In a
/// presentation, which has no other place for it, the verdict on what the visitor selected.
fn line(store: Store, explanation: Memo<Option<Explanation>>) -> Memo<Line> {
    let decision = store.part(|m| m.playback.decision);
    let told_edit = store.part(|m| m.branches.told_edit.clone());
    let is_explained =
        store.part(|m| m.view.presenting != Presenting::Off && m.selection.is_some() && !m.auto_selected);
    Memo::new(move |_| {
        if is_explained.get()
            && let Some(shown) = explanation.get()
        {
            return Line::Step(shown.verdict);
        }
        if let Some((before, run)) = told_edit.get().zip(store.run.get())
            && let Some(frame) = store.frame.get()
        {
            return Line::Edit(alternative::says(&before, &frame, &run, store.resource.get()));
        }
        let note = store.scenario.with(|s| s.note.clone());
        let Some(frame) = store.frame.get() else { return Line::Note(note) };
        if frame.cycle == 0 && !note.is_empty() {
            return Line::Note(note);
        }
        let last_of = |m: &Model| decision_step::last_of(m.moment.frame.as_ref()?, m.playback.decision?);
        let last = decision.get().and_then(|_| store.now(last_of));
        Line::Step(step_sentence(last.as_ref().unwrap_or(&frame)))
    })
}

/// The line under the header.
#[component]
pub fn NoticeBar(explanation: Memo<Option<Explanation>>) -> impl IntoView {
    let store = Store::get();
    let line = line(store, explanation);
    let hint = hint_of(store);
    let has_jobs = Memo::new(move |_| store.scenario.with(|s| !s.jobs.is_empty()));
    let closed = Memo::new(move |_| store.view.with(|v| v.note_closed));
    let is_link = store.part(|m| m.document.origin == Origin::Link);
    // Only an undone edit can be redone.
    let can_redo = store.part(|m| m.document.history.redo_name().is_some());
    let can_undo = store.part(|m| m.document.history.undo_name().is_some());
    let chips = store.part(|m| m.document.origin == Origin::Start && m.view.chips && !m.document.is_changed);
    let is_start =
        store.part(|m| m.document.origin == Origin::Start && m.playback.cursor == 0 && m.branches.told_edit.is_none());
    let has_line = move || line.with(|line| line.n_letters() > 0 && (matches!(line, Line::Note(_)) || has_jobs.get()));
    let is_edit = move || line.with(|line| matches!(line, Line::Edit(_)));
    let is_long = move || line.with(|line| line.n_letters() > 90);
    let is_step = move || line.with(|line| !matches!(line, Line::Note(_)));
    // What happened cannot be closed.
    let shown = move || has_line() && is_step() || (has_line() || is_link.get()) && !closed.get();
    let says = move || match line.get() {
        Line::Note(note) => marked(store, &note).into_any(),
        Line::Step(said) => text(said).into_any(),
        Line::Edit(said) => said.into_any(),
    };
    view! {
        <Show when=shown>
            <div class="strip" class:told=is_step>
                <div class="ask" class:long=is_long>
                    <Show when=move || is_link.get()>
                        <p class="shared">
                            <b>"Shared scenario."</b>
                            " Any edit makes it your own copy."
                        </p>
                    </Show>
                    <Show when=has_line>
                        <p>{says}</p>
                    </Show>
                    <Show when=move || !is_step()>
                        <p class="watch">{move || hint.get().map(|hint| hint.watch)}</p>
                    </Show>
                    <Show when=move || is_start.get()>
                        <p class="what">{what_it_is(store)}</p>
                    </Show>
                </div>
                {move || match (is_edit(), can_redo.get(), can_undo.get()) {
                    (true, true, _) => view! { <CommandButton class="btn" command=Command::Redo>"Redo"</CommandButton> }.into_any(),
                    (true, false, true) => view! { <CommandButton class="btn" command=Command::Undo>"Undo"</CommandButton> }.into_any(),
                    _ => ().into_any(),
                }}
                <Show when=move || chips.get()>
                    <Chips />
                </Show>
                <NextEdit hint />
                <Show when=move || !chips.get() && !is_step()>
                    <IconButton
                        icon=IconKind::Close
                        label="Close this line"
                        on_press=store.press(Command::CloseNote)
                    />
                </Show>
            </div>
        </Show>
    }
}

/// A text in which names of queues and jobs are marked up as code.
fn marked(store: Store, text: &str) -> Vec<AnyView> {
    store.scenario.with(|scenario| {
        let is_name = |word: &str| {
            let word = word.strip_suffix("'s").unwrap_or(word);
            scenario.queues.iter().any(|q| q.name == word)
        };
        text.split_inclusive(' ')
            .map(|piece| {
                let end = piece.trim_end_matches(|c: char| !c.is_alphanumeric());
                if is_name(end) && (end.contains('-') || end.chars().any(|c| c.is_ascii_digit())) {
                    let rest = piece[end.len()..].to_string();
                    view! { <code>{end.to_string()}</code> {rest} }.into_any()
                } else {
                    piece.to_string().into_any()
                }
            })
            .collect()
    })
}

/// Three suggestions for the start scenario, removed after the first use or edit.
#[component]
fn Chips() -> impl IntoView {
    let store = Store::get();
    let set = |name: &str, at: Path, value: &str| {
        let edits = vec![Edit::Set { at, value: value.to_string() }];
        Command::Change(Change::Edits { name: name.to_string(), edits })
    };
    let quota = Path::default().field("queues").named("team-a").field("gpu").field("quota");
    let count = Path::default().field("nodes").named("node").field("count");
    let chips = [
        ("Raise team-a's quota to 3", set("quota of team-a 2 → 3", quota, "3")),
        ("Add a node", set("Add a third node", count, "3")),
        ("Start empty or import your own", Command::Dialog(Some(Dialog::Paste))),
    ];
    let buttons = chips.map(|(label, command)| {
        let press = move |_| {
            store.dispatch(command.clone());
            store.dispatch(Command::ChipsUsed);
        };
        view! { <button type="button" class="chip" on:click=press>{label}</button> }
    });
    view! { <div class="chips">{buttons}</div> }
}

/// Notices in cards over the page, so that nothing shifts; those that are not problems disappear.
#[component]
pub fn Notices() -> impl IntoView {
    let store = Store::get();
    let notices = store.part(|m| m.notices.clone());
    view! {
        <div class="notices">
            <For each=move || (*notices.get()).clone() key=|notice| notice.id let:notice>
                <NoticeLine notice />
            </For>
        </div>
    }
}

#[component]
fn NoticeLine(notice: Notice) -> impl IntoView {
    let store = Store::get();
    let Notice { id, is_problem, text, action } = notice;
    if !is_problem {
        set_timeout(move || store.dispatch(Command::CloseNotice(id)), NOTICE_STAYS);
    }
    // The line under the header offers to undo the edit whose effect it tells.
    let is_told = store.part(|m| m.branches.told_edit.is_some());
    let action = action.map(|(label, command)| {
        let is_undo = command == Command::Undo;
        let hidden = move || is_undo && is_told.get();
        let press = move |_| {
            store.dispatch(Command::CloseNotice(id));
            store.dispatch(command.clone());
        };
        view! { <button type="button" class="btn" hidden=hidden on:click=press>{label}</button> }
    });
    view! {
        <div class="notice toast" class:problem=is_problem>
            {is_problem.then(|| view! { <Icon kind=IconKind::Problem /> })}
            <span>{text}</span>
            {action}
            <IconButton icon=IconKind::Close label="Close" on_press=store.press(Command::CloseNotice(id)) />
        </div>
    }
}

/// The hint on the open example, once it was fetched.
pub fn hint_of(store: Store) -> RwSignal<Option<Hint>> {
    let example = store.part(|m| match &m.document.origin {
        Origin::Example(id) => Some(id.clone()),
        _ => None,
    });
    let hint = RwSignal::new(None);
    Effect::new(move |_| {
        hint.set(None);
        let Some(id) = example.get() else { return };
        fetch_hint(id.clone(), move |fetched| {
            // Another example may have been opened since.
            if example.try_get_untracked().flatten() == Some(id) {
                hint.try_set(fetched);
            }
        });
    });
    hint
}

/// The edit to try next, until there was an edit.
#[component]
pub fn NextEdit(hint: RwSignal<Option<Hint>>) -> impl IntoView {
    let store = Store::get();
    let is_edited = store.part(|m| m.document.history.undo_name().is_some());
    move || {
        let next = hint.get().and_then(|hint| hint.next).filter(|_| !is_edited.get());
        next.map(|Suggestion { label, edits }| {
            let command = Command::Change(Change::Edits { name: label.clone(), edits });
            view! { <div class="chips"><CommandButton class="chip" command title="Try this edit">{label}</CommandButton></div> }
        })
    }
}
