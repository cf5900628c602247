//! Division: stepping through the rounds in which a fair share came about, and pulling at weights.

use crate::dom::prelude::*;
use fairground::scenario::Path;
use leptos::html;

use super::button::IconButton;
use super::icons::Kind;
use super::picture::{insert, table_button, table_of, width_of};
use crate::charts::division::{GRIP, Layout, division as draw, layout};
use crate::model::{Command, Terms, document, edit};
use crate::store::Store;
use crate::view_model::division::{DivisionView, division, says, with_ghost};
use crate::view_model::number::resource_key;

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
    let view = Memo::new(move |_| -> Option<DivisionView> {
        let (frame, ladder) = (store.frame.get()?, store.ladder.get()?);
        let last = ladder.levels.len().checked_sub(1)?;
        let level = level.get().min(last);
        let view = division(&frame, ladder.levels.get(level)?, ladder.resource, at.get());
        let ghost = store.ghost_ladder.get().zip(store.ghost.get());
        let ghost = ghost.as_ref().and_then(|(ghost, frame)| {
            Some(division(frame, ghost.levels.get(level)?, ladder.resource, at.get()))
        });
        Some(match ghost {
            Some(ghost) => with_ghost(view, &ghost),
            None => view,
        })
    });
    let svg = Signal::derive(move || view.get().map_or(String::new(), |view| draw(&view, width.get())));
    let go = move |by: isize| {
        if let Some(view) = view.get_untracked() {
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
                let name = match (of.of.as_str(), of.pool.as_str()) {
                    ("", "") => "the cluster".to_string(),
                    ("", pool) => format!("the pool {pool}"),
                    (queue, "") => queue.to_string(),
                    (queue, pool) => format!("{queue} in {pool}"),
                };
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
        view.get().map(|view| {
            let terms = Terms::of(&view.policy);
            view.tanks.iter().map(|tank| view! { <li>{says(tank, terms)}</li> }).collect_view()
        })
    };
    let stepper = move || {
        view.get().map(|view| {
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
                <h2>{move || view.get().map_or_else(|| store.terms.get().says("Select a queue to see how its fair share came about"), |v| v.title)}</h2>
                {levels}
                {table_button(as_table)}
            </div>
            <div class="division-body">
                <div node_ref=place class="story-place">
                    <Show when=move || !as_table.get()>
                        {insert("picture", svg)}
                        <ul class="sr">{spoken}</ul>
                        <Grips view width />
                    </Show>
                </div>
            </div>
            <div class="stepper-line">
                <IconButton icon=Kind::Left label="Previous round" key="Shift+←" class="framed" on_press=Callback::new(move |()| go(-1)) />
                <IconButton icon=Kind::Right label="Next round" key="Shift+→" class="framed" on_press=Callback::new(move |()| go(1)) />
                {stepper}
            </div>
            {move || view.get().map(|view| table_of("Division by round", view.table, Some(view.at)))}
        </section>
    }
}

/// Where the weight of a queue is set.
fn weight_of(queue: &str, resource: u8) -> Path {
    Path::default().field("queues").named(queue).field(resource_key(resource)).field("weight")
}

/// The right wall of every tank whose weight is a setting can be pulled.
#[component]
fn Grips(view: Memo<Option<DivisionView>>, width: Signal<f64>) -> impl IntoView {
    let store = Store::get();
    // The picture as it lies while nothing is being pulled: walls must not run from the pointer.
    let lies = Memo::new(move |_| {
        view.with(|view| view.as_ref().map(|view| layout(view, width.get())).unwrap_or_default())
    });
    let names = move || {
        let names: Vec<String> = view
            .with(|view| view.iter().flat_map(|view| &view.tanks).map(|tank| tank.name.clone()).collect());
        let resource = store.ladder.get().map_or(2, |ladder| ladder.resource);
        let scenario = store.edited.get();
        let is_number = |name: &String| {
            document::value(&scenario, &weight_of(name, resource)).trim().parse::<f64>().is_ok()
        };
        let all: Vec<(usize, String, u8)> = names
            .into_iter()
            .enumerate()
            .filter(|(_, name)| is_number(name))
            .map(|(at, name)| (at, name, resource))
            .collect();
        all
    };
    view! {
        <For each=names key=|item| item.clone() let:item>
            <Grip at=item.0 queue=item.1 resource=item.2 lies />
        </For>
    }
}

/// Steps of a weight that is pulled: halves below four, then whole numbers.
fn rounded(weight: f64) -> f64 {
    let step = if weight < 4.0 { 0.5 } else { 1.0 };
    (weight / step).round().max(0.0) * step
}

/// The wall of one tank. Long because its markup is one tree.
#[component]
fn Grip(at: usize, queue: String, resource: u8, lies: Memo<Layout>) -> impl IntoView {
    let store = Store::get();
    let label = format!("Weight of {queue}");
    let path = StoredValue::new(weight_of(&queue, resource));
    let value = move || path.with_value(|path| document::value(&store.edited.get(), path));
    // Where the pull began, and the weight then.
    let pull = RwSignal::new(None::<(i32, f64)>);
    let wanted = RwSignal::new(None::<String>);
    let text_at = move |x: i32| {
        let (from, weight) = pull.get_untracked()?;
        let per_weight = lies.with_untracked(|lies| lies.per_weight).max(8.0);
        Some(rounded(weight + f64::from(x - from) / per_weight).to_string())
    };
    let down = move |event: web_sys::PointerEvent| {
        if event.button() == 0 {
            super::timeline::capture(&event);
            let weight = path.with_value(|path| document::value(&store.edited.get_untracked(), path));
            pull.set(Some((event.client_x(), weight.trim().parse().unwrap_or(1.0))));
        }
    };
    let moved = move |event: web_sys::PointerEvent| {
        let Some(text) = text_at(event.client_x()) else { return };
        if wanted.with_untracked(|old| old.as_ref() != Some(&text)) {
            wanted.set(Some(text.clone()));
            store.dispatch(Command::Preview { at: path.get_value(), value: text });
        }
    };
    let end = move |takes: bool| {
        pull.set(None);
        if let Some(value) = wanted.get_untracked() {
            wanted.set(None);
            store.dispatch(match takes {
                true => Command::Set { at: path.get_value(), value },
                false => Command::PreviewEnd,
            });
            store.dispatch(Command::GestureEnd);
        }
    };
    let keys = move |event: web_sys::KeyboardEvent| {
        let by = if event.shift_key() { 10 } else { 1 };
        let now = path.with_value(|path| document::value(&store.edited.get_untracked(), path));
        match event.key().as_str() {
            "ArrowUp" => set_to(store, path, edit::stepped(&now, by)),
            "ArrowDown" => set_to(store, path, edit::stepped(&now, -by)),
            "Escape" => end(false),
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    };
    let px = |v: f64| format!("{v:.1}px");
    let left = move || lies.with(|lies| lies.tanks.get(at).map_or(String::new(), |(x, w)| px(x + w - 6.0)));
    view! {
        <div
            class="grip"
            class:pulled=move || pull.with(Option::is_some)
            role="slider"
            tabindex="0"
            aria-label=label.clone()
            aria-orientation="horizontal"
            aria-valuemin="0"
            aria-valuenow=move || wanted.get().unwrap_or_else(value)
            title=label + ": pull, or ↑ and ↓"
            style:left=left
            style:top=px(GRIP.0)
            style:height=px(GRIP.1)
            on:pointerdown=down
            on:pointermove=moved
            on:pointerup=move |_| end(true)
            on:pointercancel=move |_| end(false)
            on:blur=move |_| store.dispatch(Command::GestureEnd)
            on:keydown=keys
        >
            {move || wanted.get().map(|wanted| view! { <span aria-hidden="true">{format!("weight {wanted}")}</span> })}
        </div>
    }
}

fn set_to(store: Store, path: StoredValue<Path>, value: Option<String>) {
    if let Some(value) = value {
        store.dispatch(Command::Set { at: path.get_value(), value });
    }
}
