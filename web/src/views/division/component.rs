//! Division: steps through the rounds that determine fair shares, with draggable weights.

use fairground::policy::Policy;
use fairground::units::Resource;
use fairground::words::{Ladder, Terms, capital};
use leptos::html;
use leptos::prelude::*;

use super::draw::{HEIGHTS, Layout, Spot, division as draw, layout, spots};
use super::view::{DivisionView, Tank, division, says, weight_of, with_alternative, with_unserved};
use crate::chart::backend::Size;
use crate::engine::protocol::{Frame, LadderLevel};
use crate::linked;
use crate::state::document::{self, edit};
use crate::state::layout::options::Presenting;
use crate::store::Store;
use crate::widgets::button::IconButton;
use crate::widgets::drag_handle::DragHandle;
use crate::widgets::icons::IconKind;
use crate::widgets::picture::{
    along_line, chart_keys, chart_menu, choice, insert, move_focus, panel_height, table_of, width_of,
};

/// Height of the title and the step in a presentation, and the smallest height of the tanks there, in chart pixels.
const PRESENTED_TEXT: f64 = 98.0;
const PRESENTED_LEAST: f64 = 150.0;

/// The position of the level that is shown: the chosen one, otherwise the selected queue's own, in the chosen node pool
/// if there is one.
fn shown_level(ladder: &Ladder, chosen: usize, pool: &str) -> usize {
    let last = ladder.levels.len().saturating_sub(1);
    let in_pool = || ladder.levels.iter().rposition(|level| level.pool == pool);
    if chosen <= last { chosen } else { in_pool().unwrap_or(last) }
}

/// The tanks of one level with a stepper, and their table.
#[component]
pub fn Division() -> impl IntoView {
    let store = Store::get();
    let place = NodeRef::<html::Div>::new();
    let (width, panel) = (width_of(place, 640.0), panel_height(place, 500.0));
    let is_presented = store.part(|m| m.view.presenting != Presenting::Off);
    // More than half of the panel; all of it but the title and the step while nothing else is in it.
    let size = Signal::derive(move || Size {
        width: width.get(),
        height: if is_presented.get() {
            (panel.get() - PRESENTED_TEXT).max(PRESENTED_LEAST)
        } else {
            (panel.get() * 0.56).round().clamp(HEIGHTS.0, HEIGHTS.1)
        },
    });
    // `usize::MAX` selects the last step and level. Levels go from the root down; the last one is the selected queue's
    // own.
    let at = RwSignal::new(usize::MAX);
    let level = RwSignal::new(usize::MAX);
    let view = Memo::new(move |_| -> Option<DivisionView> {
        let (frame, ladder) = (store.frame.get()?, store.ladder.get()?);
        let level = store.pool.with(|pool| shown_level(&ladder, level.get(), pool));
        let scenario = store.edited.get();
        let of_moment = |frame: &Frame, level: &LadderLevel| {
            let view = division(frame, level, ladder.resource, at.get());
            with_unserved(view, &scenario, ladder.resource)
        };
        let view = of_moment(&frame, ladder.levels.get(level)?);
        let alternative = store.alternative_ladder.get().zip(store.alternative.get());
        let alternative = alternative
            .as_ref()
            .and_then(|(alternative, frame)| Some(of_moment(frame, alternative.levels.get(level)?)));
        Some(match alternative {
            Some(alternative) => with_alternative(view, &alternative, store.changed.with(Option::is_some)),
            None => view,
        })
    });
    let has_usage =
        Memo::new(move |_| store.scenario.with(|s| Policy::described_or_default(&s.policy).supports.share_usage));
    let svg = Signal::derive(move || view.get().map_or(String::new(), |view| draw(&view, size.get())));
    // Changes by a step of the run are announced with the run.
    let said = RwSignal::new(String::new());
    let go = move |by: isize| {
        if let Some(now) = view.get_untracked() {
            at.set(now.at.saturating_add_signed(by).min(now.last));
            said.set(view.get_untracked().map_or(String::new(), |view| view.caption));
        }
    };
    let as_table = RwSignal::new(false);
    let keys = move |event: web_sys::KeyboardEvent| {
        match (event.key().as_str(), event.shift_key()) {
            ("ArrowRight", true) => go(1),
            ("ArrowLeft", true) => go(-1),
            _ => {
                chart_keys(store, &event, as_table, || view.get_untracked().map(|view| view.table));
                return;
            }
        }
        event.prevent_default();
        event.stop_propagation();
    };
    let levels = move || {
        let ladder = store.ladder.get()?;
        let n = ladder.levels.len();
        (n > 1).then(|| {
            let name = |of: &LadderLevel| match (of.of.as_str(), of.pool.as_str()) {
                ("", "") => "the cluster".to_string(),
                ("", pool) => format!("the pool {pool}"),
                (queue, "") => queue.to_string(),
                (queue, pool) => format!("{queue} in {pool}"),
            };
            let names = ladder.levels.iter().map(name).collect();
            let now = store.pool.with(|pool| shown_level(&ladder, level.get_untracked(), pool));
            choice("Queue: ", names, now, move |chosen| level.set(chosen))
        })
    };
    let spoken = move || {
        view.get().map(|view| {
            let terms = Terms::of(&view.policy);
            view.tanks.iter().map(|tank| view! { <li>{says(tank, view.was, terms)}</li> }).collect_view()
        })
    };
    let stepper = move || {
        view.get().map(|view| {
            let step = format!("Step {} of {}", view.at, view.last);
            view! {
                <span class="round">{step}</span>
                <span>{view.caption}</span>
            }
        })
    };
    view! {
        <section class="chart division" aria-label="Division" data-composite on:keydown=keys>
            <div class="sect">
                <h2>{move || view.get().map_or_else(|| store.terms.get().fill("Select a [queue] to see [how its fair share is computed]"), |v| v.title)}</h2>
                {levels}
                {chart_menu(as_table)}
                <p class="summary">
                    {move || view.with(|view| view.as_ref().map(|view| view.lead.clone()))}
                    {move || has_usage.get().then_some(" This is the dynamic share quota, for reference only: Share usage shows what decides.")}
                </p>
            </div>
            <div class="division-body">
                <div node_ref=place class="story-place">
                    <Show when=move || !as_table.get()>
                        {insert("picture", svg)}
                        <ul class="sr">{spoken}</ul>
                        <div class="spots">{move || view.with(|view| view.as_ref().map(|view| numbers(store, view, size.get())))}</div>
                        <DragHandles view size />
                    </Show>
                </div>
            </div>
            <div class="stepper-line">
                <IconButton icon=IconKind::Left label="Previous round" key="Shift+←" class="framed" on_press=Callback::new(move |()| go(-1)) />
                <IconButton icon=IconKind::Right label="Next round" key="Shift+→" class="framed" on_press=Callback::new(move |()| go(1)) />
                {stepper}
                <span class="sr" role="status">{said}</span>
            </div>
            {move || view.get().map(|view| table_of("Division by round", view.table, Some(view.at)))}
        </section>
    }
}

/// Where the numbers of the tanks are drawn.
fn numbers(store: Store, view: &DivisionView, size: Size) -> impl IntoView + use<> {
    let resource = store.ladder.get().map_or(Resource::GPU, |ladder| ladder.resource);
    let layout = layout(view, size);
    let of_tank = |(tank, place): (&Tank, &(f64, f64))| {
        let spots = spots(tank, *place, &layout);
        let name = |spot: &Spot| linked::of_queue(&tank.name, spot.quantity, resource);
        let named: Vec<_> = spots.into_iter().map(|spot| (name(&spot), spot)).collect();
        named
    };
    let spot = |(name, Spot { left, top, width, height, .. }): (String, Spot)| {
        let [left, top, width, height] = [left, top, width, height].map(|pixels| format!("{pixels}px"));
        view! { <i data-number=name style:left=left style:top=top style:width=width style:height=height></i> }
    };
    view.tanks.iter().zip(&layout.tanks).flat_map(of_tank).map(spot).collect_view()
}

/// Draggable right walls of the tanks whose weights are settings.
#[component]
fn DragHandles(view: Memo<Option<DivisionView>>, size: Signal<Size>) -> impl IntoView {
    let store = Store::get();
    // The layout without the value being dragged, so that walls do not move away from the pointer.
    let lies =
        Memo::new(move |_| view.with(|view| view.as_ref().map(|view| layout(view, size.get())).unwrap_or_default()));
    let names = move || {
        let names: Vec<String> =
            view.with(|view| view.iter().flat_map(|view| &view.tanks).map(|tank| tank.name.clone()).collect());
        let resource = store.ladder.get().map_or(Resource::GPU, |ladder| ladder.resource);
        let scenario = store.edited.get();
        let is_number =
            |name: &String| document::value(&scenario, &weight_of(name, resource)).trim().parse::<f64>().is_ok();
        let all: Vec<(usize, String, Resource)> = names
            .into_iter()
            .enumerate()
            .filter(|(_, name)| is_number(name))
            .map(|(at, name)| (at, name, resource))
            .collect();
        all
    };
    // The wall in the tab order: the last focused one, else the first.
    let last = RwSignal::new(String::new());
    let stop = Memo::new(move |_| {
        let names = names();
        let had_it = names.iter().find(|(_, name, _)| last.with(|last| last == name));
        had_it.or(names.first()).map_or(String::new(), |(_, name, _)| name.clone())
    });
    let tab_of = move |name: String| {
        Signal::derive(move || if stop.with(|stop| *stop == name) { "0" } else { "-1" }.to_string())
    };
    let keys = move |event: web_sys::KeyboardEvent| {
        move_focus(&event, "grip", |at, all| along_line(&event.key(), at, all.len()));
    };
    view! {
        <div role="group" aria-label=move || store.terms.get().fill("Draggable [weights]") on:keydown=keys>
            <For each=names key=|item| item.clone() let:item>
                <Wall at=item.0 queue=item.1.clone() resource=item.2 lies tab=tab_of(item.1) last />
            </For>
        </div>
    }
}

/// Rounds a dragged weight: to halves below four, then to integers.
fn rounded(weight: f64) -> f64 {
    let step = if weight < 4.0 { 0.5 } else { 1.0 };
    (weight / step).round().max(0.0) * step
}

/// The draggable wall of one tank.
#[component]
fn Wall(
    at: usize,
    queue: String,
    resource: Resource,
    lies: Memo<Layout>,
    tab: Signal<String>,
    last: RwSignal<String>,
) -> impl IntoView {
    let store = Store::get();
    let word = store.terms.get_untracked().word("weight");
    let path = StoredValue::new(weight_of(&queue, resource));
    let now = move || path.with_value(|path| document::value(&store.edited.get_untracked(), path));
    let place = Signal::derive(move || {
        lies.with(|lies| {
            let x = lies.tanks.get(at).map_or(0.0, |(x, w)| x + w - 6.0);
            (x, lies.top, lies.base - lies.top)
        })
    });
    let at_pull = Callback::new(move |by: f64| {
        let weight = now().trim().parse().unwrap_or(1.0);
        let per_weight = lies.with_untracked(|lies| lies.per_weight.get(at).copied().unwrap_or(0.0)).max(8.0);
        Some(rounded(weight + by / per_weight).to_string())
    });
    let at_step = Callback::new(move |(wanted, by): (String, i64)| {
        edit::stepped(&if wanted.is_empty() { now() } else { wanted }, by)
    });
    view! {
        <DragHandle
            label=format!("{} of {queue}", capital(word))
            word=word.to_string()
            path=path.get_value()
            place
            row=None
            on_right=false
            tab
            at_pull
            at_step
            on_focus=Callback::new(move |()| last.set(queue.clone()))
            on_press=Callback::new(|()| {})
        />
    }
}
