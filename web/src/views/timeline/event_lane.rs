//! Below Timeline: which events have a separate row and stop jumps, and the selected range.

use std::collections::BTreeSet;
use std::sync::Arc;

use fairground::words::number;
use leptos::prelude::*;

use super::overlays::{listed, stops_at};
use crate::state::command::Command;
use crate::state::document::remarks::{Remark, remarks};
use crate::state::layout::event_filter::EventSubject;
use crate::state::moment::commands::lane;
use crate::store::Store;
use crate::views::timeline::view::TimelineView;
use crate::widgets::button::{CommandButton, IconButton};
use crate::widgets::icons::Kind;

/// The view of Timeline.
pub type View = Memo<Option<Arc<TimelineView>>>;

/// Maximum number of suggested names; others can be typed.
const OFFERED: usize = 200;

/// Choices of followed events.
const CHOICES: [&str; 3] = ["the selection", "all", "a [queue] or [job]"];

/// Controls for followed events and the range.
#[component]
pub fn EventLane(
    view: View,
    /// Whether dragging selects a range.
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
            <Choice view />
            {move || stops().map(|says| view! { <span>{says}</span> })}
            {move || (!is_plain.get()).then(|| view! {
                <IconButton icon=Kind::Close label="Jump between events of the selection, of every kind" class="small" on_press=stop_at_all />
            })}
            {move || view.with(|view| view.as_deref().and_then(listed)).map(|says| view! { <span>{says}</span> })}
            <button
                type="button"
                class="btn quiet small"
                aria-pressed=move || marking.get().to_string()
                title="Drag across the timeline with Shift, or press Shift and arrows"
                on:click=move |_| marking.update(|on| *on = !*on)
            >
                "Sum up a range…"
            </button>
            {move || notes.get().into_iter().map(note).collect_view()}
            {move || range().map(|says| view! {
                <div class="range-says">
                    {says}
                    <IconButton
                        icon=Kind::Close
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

/// A note on a moment, as a link there.
fn note(remark: Remark) -> impl IntoView {
    let Remark { time_ms, text } = remark;
    view! {
        <CommandButton class="chip small" title="Go to this moment" command=Command::GoToMoment(time_ms)>
            {format!("Note at {}: {text}", number::time(time_ms))}
        </CommandButton>
    }
}

/// Choice of the events that stop jumps: a list, and a field for a name.
#[component]
fn Choice(view: View) -> impl IntoView {
    let store = Store::get();
    let subject = store.part(|m| m.view.event_subject.clone());
    let is_named = RwSignal::new(false);
    let shown = move || match subject.get() {
        _ if is_named.get() => 2,
        EventSubject::Selected => 0,
        EventSubject::All => 1,
        EventSubject::Queue(_) | EventSubject::Job(_) => 2,
    };
    let choose = move |event: web_sys::Event| {
        let choice = event_target_value(&event);
        is_named.set(choice == "2");
        match choice.as_str() {
            "0" => store.dispatch(Command::EventsOf(EventSubject::Selected)),
            "1" => store.dispatch(Command::EventsOf(EventSubject::All)),
            _ => {}
        }
    };
    let filled = move |text: &str| store.terms.get().fill(text);
    let options = CHOICES.iter().enumerate().map(|(at, name)| {
        view! { <option value=at.to_string() prop:selected=move || shown() == at>{move || filled(name)}</option> }
    });
    let is_wrong = RwSignal::new(false);
    let name = move || match subject.get() {
        EventSubject::Queue(name) | EventSubject::Job(name) => name,
        _ => String::new(),
    };
    let take = move |event: web_sys::Event| {
        let typed = event_target_value(&event).trim().to_string();
        let found = leptos::prelude::untrack(|| named(store, view, &typed));
        is_wrong.set(found.is_none() && !typed.is_empty());
        if let Some(found) = found {
            is_named.set(false);
            store.dispatch(Command::EventsOf(found));
        }
    };
    let offered = Memo::new(move |_| offered(store, view));
    view! {
        <label>"Jump to events of " <select class="input" on:change=choose>{options.collect_view()}</select></label>
        {move || (shown() == 2).then(|| view! {
            <input
                class="input"
                list="lane-names"
                aria-label=move || filled("[Queue] or [job]")
                placeholder="its name"
                autocomplete="off"
                aria-invalid=move || is_wrong.get().then_some("true")
                prop:value=name
                on:change=take
            />
            <datalist id="lane-names">
                {move || offered.get().into_iter().map(|name| view! { <option value=name></option> }).collect_view()}
            </datalist>
        })}
        {move || is_wrong.get().then(|| view! { <span role="alert">{filled("No [queue] or [job] matches.")}</span> })}
    }
}

/// The queue, else the job, with a name.
fn named(store: Store, view: View, name: &str) -> Option<EventSubject> {
    let is_queue =
        store.frame.with(|frame| frame.as_ref().is_some_and(|f| f.queues.iter().any(|row| row.name == name)));
    if is_queue {
        return Some(EventSubject::Queue(name.to_string()));
    }
    let is_known = view.with(|view| view.as_deref().is_some_and(|v| v.events.iter().any(|e| e.job == name)))
        || store.frame.with(|frame| frame.as_ref().is_some_and(|f| f.jobs.iter().any(|row| row.name == name)))
        || store.scenario.with(|scenario| scenario.jobs.iter().any(|job| job.name == name));
    (is_known && !name.is_empty()).then(|| EventSubject::Job(name.to_string()))
}

/// Suggested names: queues, then jobs with events.
fn offered(store: Store, view: View) -> Vec<String> {
    let queues = store.frame.with(|frame| {
        frame.as_ref().map_or(Vec::new(), |f| f.queues.iter().map(|row| row.name.clone()).collect::<Vec<_>>())
    });
    let jobs: BTreeSet<String> = view.with(|view| {
        let jobs = view.iter().flat_map(|view| &view.events).map(|event| event.job.clone());
        jobs.filter(|job| !job.is_empty()).collect()
    });
    queues.into_iter().chain(jobs).take(OFFERED).collect()
}
