//! The line under the bar: what to watch, the start scenario's chips, where a document came from; and notices.

use std::time::Duration;

use fairground::scenario::{Edit, Path};
use leptos::leptos_dom::helpers::set_timeout;
use leptos::prelude::*;

use crate::state::command::Command;
use crate::state::document::change::Change;
use crate::state::document::opened::Origin;
use crate::state::layout::options::Dialog;
use crate::state::notice::Notice;
use crate::store::Store;
use crate::widgets::button::IconButton;
use crate::widgets::icons::{Icon, Kind};

/// How long a line that is no problem stays.
const NOTICE_STAYS: Duration = Duration::from_secs(9);

/// The line under the bar.
#[component]
pub fn NoticeBar() -> impl IntoView {
    let store = Store::get();
    let note = Memo::new(move |_| store.scenario.with(|s| s.note.clone()));
    let closed = Memo::new(move |_| store.view.with(|v| v.note_closed));
    let is_link = store.part(|m| m.origin == Origin::Link);
    let chips = store.part(|m| m.origin == Origin::Start && m.view.chips);
    let has_note = move || !note.with(String::is_empty);
    let is_long = move || note.with(|n| n.chars().count() > 90);
    let shown = move || (has_note() || is_link.get()) && !closed.get();
    view! {
        <Show when=shown>
            <div class="strip">
                <div class="ask" class:long=is_long>
                    <Show when=move || is_link.get()>
                        <p class="shared">
                            <b>"Shared scenario."</b>
                            " Any edit makes it your own copy."
                        </p>
                    </Show>
                    <Show when=has_note>
                        <p>{move || marked(store, &note.get())}</p>
                    </Show>
                </div>
                <Show when=move || chips.get()>
                    <Chips />
                </Show>
                <Show when=move || !chips.get()>
                    <IconButton
                        icon=Kind::Close
                        label="Close this line"
                        on_press=Callback::new(move |()| store.dispatch(Command::CloseNote))
                    />
                </Show>
            </div>
        </Show>
    }
}

/// A text with the names of queues and jobs set as code.
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

/// Three things to try with the start scenario; gone after the first use.
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

/// Lines that tell what happened.
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
    let action = action.map(|(label, command)| {
        let press = move |_| {
            store.dispatch(Command::CloseNotice(id));
            store.dispatch(command.clone());
        };
        view! { <button type="button" class="btn" on:click=press>{label}</button> }
    });
    view! {
        <div class="notice" class:problem=is_problem>
            {is_problem.then(|| view! { <Icon kind=Kind::Problem /> })}
            <span>{text}</span>
            {action}
            <IconButton
                icon=Kind::Close
                label="Close"
                on_press=Callback::new(move |()| store.dispatch(Command::CloseNotice(id)))
            />
        </div>
    }
}
