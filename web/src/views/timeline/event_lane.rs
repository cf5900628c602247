//! Below Timeline: which events jumps stop at, and the selected range. Both are chosen in the menu of the chart.

use std::sync::Arc;

use fairground::words::{Selection, number};
use leptos::prelude::*;

use super::overlays::{listed, stops_at};
use crate::state::command::Command;
use crate::state::document::remarks::{Remark, remarks};
use crate::state::layout::options::{EventSubject, Kinds};
use crate::state::moment::commands::lane;
use crate::store::Store;
use crate::views::timeline::view::TimelineView;
use crate::widgets::button::{CommandButton, IconButton};
use crate::widgets::icons::IconKind;
use crate::widgets::menu::MenuItem;

/// The view of Timeline.
pub type View = Memo<Option<Arc<TimelineView>>>;

/// Followed events, notes on moments, and the range.
#[component]
pub fn EventLane(
    view: View,
    /// Whether the next drag selects a range.
    marking: RwSignal<bool>,
) -> impl IntoView {
    let store = Store::get();
    let look = store.part(lane);
    let stops = move || view.with(|view| stops_at(view.as_deref()?, &look.get()));
    let is_plain =
        store.part(|m| m.view.event_subject == EventSubject::Selected && m.view.without.all().next().is_none());
    let stop_at_all = Callback::new(move |()| {
        for kind in look.with_untracked(|look| look.without).all() {
            store.dispatch(Command::ShowEvents(kind, true));
        }
        store.dispatch(Command::EventsOf(EventSubject::Selected));
    });
    let notes = Memo::new(move |_| store.scenario.with(|scenario| remarks(scenario)));
    let range = move || view.with(|view| view.as_deref().and_then(|view| Some(view.range.as_ref()?.says.clone())));
    view! {
        <div class="lane-line no-print">
            {move || stops().map(|says| view! { <span>{says}</span> })}
            {move || (!is_plain.get()).then(|| view! {
                <IconButton icon=IconKind::Close label="Jump between events of the selection, of every kind" class="small" on_press=stop_at_all />
            })}
            {move || view.with(|view| view.as_deref().and_then(listed)).map(|says| view! { <span>{says}</span> })}
            {move || marking.get().then_some("Drag across the timeline.")}
            {move || notes.get().into_iter().map(note).collect_view()}
            {move || range().map(|says| view! {
                <div class="range-says">
                    {says}
                    <IconButton
                        icon=IconKind::Close
                        label="Clear the range"
                        key="Esc"
                        class="small"
                        on_press=store.press(Command::Mark(None))
                    />
                </div>
            })}
        </div>
    }
}

/// Menu entries: whose events jumps stop at, which kinds are shown, and the selection of a range.
pub fn lane_items(store: Store, marking: RwSignal<bool>, kinds: Kinds) -> Vec<MenuItem> {
    let (subject, followed) = store.now(|m| (m.view.event_subject.clone(), m.followed()));
    let (without, terms) = (store.view.with_untracked(|view| view.without), store.terms.get_untracked());
    let of =
        |label: String, to: EventSubject| MenuItem::new(label, Command::EventsOf(to.clone())).choice(to == subject);
    let mut items = vec![
        of("Jump to events of the selection".into(), EventSubject::Selected),
        of("Jump to all events".into(), EventSubject::All),
    ];
    let stays = match followed {
        Some(Selection::Queue(name)) => Some((name.clone(), EventSubject::Queue(name))),
        Some(Selection::Job(name)) => Some((name.clone(), EventSubject::Job(name))),
        _ => None,
    };
    items.extend(stays.map(|(name, to)| of(format!("Jump to events of {name}, whatever is selected"), to)));
    items.extend(kinds.all().map(|kind| {
        let is_hidden = without.has(kind);
        let does = if is_hidden { "Show" } else { "Hide" };
        MenuItem::new(format!("{does} events: {}", kind.name(terms)), Command::ShowEvents(kind, is_hidden))
    }));
    items.push(MenuItem::call("Sum up a range…", move |()| marking.set(true)));
    items
}

/// A note on a moment, as a link there.
fn note(remark: Remark) -> impl IntoView {
    let Remark { time_ms, text } = remark;
    view! {
        <CommandButton class="chip small" title="Go to this moment" command=Command::GoToMoment(time_ms)>
            {format!("Note at {}: {text}", number::time(time_ms))}
        </CommandButton>
    }
}
