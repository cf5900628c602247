//! Division: stepping through the rounds in which a fair share came about.

use crate::dom::prelude::*;
use leptos::html;

use super::button::IconButton;
use super::icons::Kind;
use super::picture::{insert, table_button, table_of, width_of};
use crate::charts::division::division as draw;
use crate::model::Terms;
use crate::store::Store;
use crate::view_model::division::{DivisionView, division, says};

/// The tanks of one level, a stepper, and the same as a table.
/// Long because its markup is one tree.
#[component]
pub fn Division() -> impl IntoView {
    let store = Store::get();
    let place = NodeRef::<html::Div>::new();
    let width = width_of(place, 640.0);
    // Beyond the last step: all of them. From the root down; the last is the selected queue's own.
    let at = RwSignal::new(usize::MAX);
    let level = RwSignal::new(usize::MAX);
    let view = move || -> Option<DivisionView> {
        let (frame, ladder) = (store.frame.get()?, store.ladder.get()?);
        let last = ladder.levels.len().checked_sub(1)?;
        let level = ladder.levels.get(level.get().min(last))?;
        Some(division(&frame, level, ladder.resource, at.get()))
    };
    let svg = Signal::derive(move || view().map_or(String::new(), |view| draw(&view, width.get())));
    let go = move |by: isize| {
        if let Some(view) = leptos::prelude::untrack(view) {
            at.set(view.at.saturating_add_signed(by).min(view.last));
        }
    };
    let as_table = RwSignal::new(false);
    let keys = move |event: web_sys::KeyboardEvent| {
        match (event.key().as_str(), event.shift_key()) {
            ("ArrowRight", true) => go(1),
            ("ArrowLeft", true) => go(-1),
            ("t" | "T", _) if !event.ctrl_key() && !event.meta_key() => {
                as_table.update(|shown| *shown = !*shown)
            }
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    };
    let levels = move || {
        let ladder = store.ladder.get()?;
        let n = ladder.levels.len();
        (n > 1).then(|| {
            let options = ladder.levels.iter().enumerate().map(|(i, of)| {
                let name = if of.of.is_empty() { "the cluster".to_string() } else { of.of.clone() };
                view! { <option value=i.to_string() selected=level.get_untracked().min(n - 1) == i>{name}</option> }
            });
            view! {
                <label class="row">
                    "What is divided: "
                    <select class="input" on:change=move |event| level.set(field_text(&event).parse().unwrap_or(0))>
                        {options.collect_view()}
                    </select>
                </label>
            }
        })
    };
    let spoken = move || {
        view().map(|view| {
            let terms = Terms::of(&view.policy);
            view.tanks.iter().map(|tank| view! { <li>{says(tank, terms)}</li> }).collect_view()
        })
    };
    let stepper = move || {
        view().map(|view| {
            let step = format!("Step {} of {}", view.at, view.last);
            view! {
                <span class="round">{step}</span>
                <span role="status">{view.caption}</span>
            }
        })
    };
    view! {
        <section class="chart division" aria-label="Division" data-composite on:keydown=keys>
            <div class="sect">
                <h2>{move || view().map_or(store.scenario.with(|s| Terms::of(&s.policy).says("Select a queue to see how its fair share came about")), |v| v.title)}</h2>
                {levels}
                {table_button(as_table)}
            </div>
            <div node_ref=place class="division-body">
                <Show when=move || !as_table.get()>
                    {insert("picture", svg)}
                    <ul class="sr">{spoken}</ul>
                </Show>
            </div>
            <div class="stepper-line">
                <IconButton icon=Kind::Left label="Previous round" key="Shift+←" class="framed" on_press=Callback::new(move |()| go(-1)) />
                <IconButton icon=Kind::Right label="Next round" key="Shift+→" class="framed" on_press=Callback::new(move |()| go(1)) />
                {stepper}
            </div>
            {move || view().map(|view| table_of("Division by round", view.table, Some(view.at)))}
        </section>
    }
}
