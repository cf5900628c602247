//! Cluster: nodes as cards, GPUs as cells.

use std::sync::Arc;
use std::time::Duration;

use fairground::words::Selection;
use leptos::html;
use leptos::leptos_dom::helpers::set_timeout;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use super::alternative::lay_alternative;
use super::cards::{Card, ClusterView as View, Rect};
use super::draw::{cluster as draw, key, marked as draw_marked};
use super::selected_cells::{SelectedCells, marked};
use super::view;
use crate::chart::alternative::Alternative;
use crate::engine::protocol::Frame;
use crate::state::command::Command;
use crate::state::layout::options::Presenting;
use crate::store::Store;
use crate::widgets::picture::{
    chart_keys, chart_menu, insert, legend_lines, move_focus, on_size, rem, table, width_of,
};
use crate::widgets::{on_leave, text_scale};

/// Nodes as cards, GPUs as cells; with many nodes one tile per node, grouped by free GPUs.
#[component]
pub fn ClusterView() -> impl IntoView {
    let store = Store::get();
    let place = NodeRef::<html::Div>::new();
    let width = width_of(place, 640.0);
    let presented = store.part(|m| m.view.presenting != Presenting::Off);
    let height = RwSignal::new(0.0);
    on_size(place, move |element| height.set(height_left(element)));
    // Height for the picture while it is presented.
    let room = Memo::new(move |_| presented.get().then(|| height.get()).filter(|height| *height > 0.0));
    let frame = after_other_views(store.frame);
    let view = Memo::new(move |_| {
        let (frame, alternative) = (frame.get()?, store.alternative.get());
        let (changed, resource) = (store.changed.get(), store.charted.get());
        let mut view = match room.get() {
            Some(height) => view::filling(&frame, (width.get(), height), resource),
            None => view::cluster(&frame, width.get(), resource),
        };
        if let Some(alternative) = alternative.as_deref() {
            let alternative = Alternative { frame: alternative, changed: changed.as_deref() };
            lay_alternative(&mut view, &frame, alternative, resource);
        }
        Some(view)
    });
    // Combined with its picture: an effect that read both this and the view would miss changes of the view.
    let selected = Memo::new(move |_| {
        let (frame, selection) = (frame.get()?, store.selection.get());
        view.with(|view| {
            let view = view.as_ref()?;
            let marked = marked(view, &frame, selection.as_ref());
            let drawn = draw_marked(view, &marked);
            Some((marked, drawn))
        })
    });
    // Scrolls a node that is selected elsewhere into view.
    Effect::new(move |_| {
        let Some(Selection::Node(node)) = store.selection.get() else { return };
        let card =
            view.with_untracked(|view| view.as_ref()?.cards.iter().find(|card| card.name == node).map(|c| c.place));
        if let Some((card, element)) = card.zip(place.get_untracked()) {
            reveal(element.unchecked_ref(), card);
        }
    });
    let scale = move || view.with(|view| view.as_ref().map_or(1.0, |view| view.scale)).to_string();
    let as_table = RwSignal::new(false);
    let svg = Signal::derive(move || view.with(|view| view.as_ref().map_or(String::new(), draw)));
    let over = Signal::derive(move || {
        selected.with(|selected| selected.as_ref().map_or(String::new(), |(_, drawn)| drawn.clone()))
    });
    let spots = Memo::new(move |_| view.with(|view| view.as_ref().map_or(Vec::new(), spots)));
    let toggle = move |event: web_sys::KeyboardEvent| {
        chart_keys(store, &event, as_table, || {
            view.get_untracked().map(|view| view::table(&view, store.terms.get_untracked()))
        });
    };
    view! {
        <section class="chart cluster" aria-label="Cluster" on:keydown=toggle>
            <div class="sect">
                <h2>"Cluster"</h2>
                <p class="summary">{move || view.with(|view| view.as_ref().map(|view| view.summary.clone()))}</p>
                {chart_menu(as_table)}
            </div>
            <div class="cluster-body" node_ref=place>
                <div class="scaled" style:zoom=scale>
                <Show
                    when=move || !as_table.get()
                    fallback=move || view.get().map(|view| table("GPUs", view::table(&view, store.terms.get())))
                >
                    {insert("picture", svg)}
                    {insert("picture over", over)}
                    <Show when=move || !spots.with(Vec::is_empty) fallback=move || view! { <Hits view /> }>
                        <Spots view spots selected />
                    </Show>
                </Show>
                </div>
            </div>
            <div class="legend">
                {move || {
                    let marks = view.with(|view| view.as_ref().map(|view| view.marks.clone()));
                    legend_lines(marks.into_iter().flatten().map(|mark| (key(mark), mark.name())))
                }}
            </div>
        </section>
    }
}

/// With more nodes the picture is drawn in a task of its own, so that a click need not wait for it and all other views.
const DRAWN_APART: usize = 1_000;

/// The frame; one with many nodes arrives once the other views show it.
fn after_other_views(frame: Signal<Option<Arc<Frame>>>) -> Memo<Option<Arc<Frame>>> {
    let late = RwSignal::new(None);
    let is_large = |frame: &Arc<Frame>| frame.nodes.len() > DRAWN_APART;
    Effect::new(move |_| {
        if frame.with(|frame| frame.as_ref().is_some_and(is_large)) {
            let show = move || drop(late.try_set(frame.try_get_untracked().flatten().filter(is_large)));
            set_timeout(show, Duration::ZERO);
        } else {
            // Not kept beyond its scenario.
            late.set(None);
        }
    });
    Memo::new_with_compare(
        move |_| frame.get().and_then(|frame| if is_large(&frame) { late.get() } else { Some(frame) }),
        |old, new| old.map(|old| old.as_ref().map(Arc::as_ptr)) != new.map(|new| new.as_ref().map(Arc::as_ptr)),
    )
}

/// Height from the top of the picture to the end of its panel, in pixels of the default text size.
fn height_left(picture: &web_sys::HtmlElement) -> f64 {
    let Some(panel) = picture.closest(".panel").ok().flatten() else { return 0.0 };
    let above = picture.get_bounding_client_rect().top() - panel.get_bounding_client_rect().top();
    (f64::from(panel.client_height() - panel.scroll_top()) - above) / text_scale() - MARGIN
}

/// Margin below the picture, in pixels.
const MARGIN: f64 = 18.0;

/// Scrolls the panel until a rectangle of the picture is visible.
fn reveal(picture: &web_sys::Element, place: Rect) {
    let Some(panel) = picture.closest(".panel").ok().flatten() else { return };
    let (shown, from) = (panel.get_bounding_client_rect(), picture.get_bounding_client_rect().top());
    let scale = text_scale();
    let (top, bottom) = (from + place.y * scale, from + (place.y + place.h) * scale);
    if shown.height() > 0.0 && (top < shown.top() + HEADING * scale || bottom > shown.bottom()) {
        let middle = (top + bottom) / 2.0 - (shown.top() + shown.bottom()) / 2.0;
        panel.set_scroll_top(panel.scroll_top() + middle.round() as i32);
    }
}

/// Above this number of marks, the picture has no focusable elements and is hit-tested instead.
const SPOTS: usize = 400;
/// Height of a card's heading, in pixels.
const HEADING: f64 = 30.0;

/// A focusable mark: a card's heading (no cell) or a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Spot {
    card: usize,
    cell: Option<usize>,
    place: Rect,
    /// Height of the card.
    whole: f64,
}

impl Spot {
    fn key(&self) -> (usize, Option<usize>, [i64; 4]) {
        let place = [self.place.x, self.place.y, self.place.w, self.place.h];
        (self.card, self.cell, place.map(|v| v.round() as i64))
    }
}

fn spots(view: &View) -> Vec<Spot> {
    let n = view.cards.len() + view.cards.iter().map(|card| card.cells.len()).sum::<usize>();
    if !view.cards_have_text || n > SPOTS {
        return Vec::new();
    }
    let of = |(card, drawn): (usize, &Card)| {
        let whole = drawn.place.h;
        let heading = Spot { card, cell: None, place: Rect { h: HEADING, ..drawn.place }, whole };
        let cells = drawn.cells.iter().enumerate().map(move |(cell, drawn)| Spot {
            card,
            cell: Some(cell),
            place: drawn.place,
            whole,
        });
        std::iter::once(heading).chain(cells.collect::<Vec<_>>())
    };
    view.cards.iter().enumerate().flat_map(of).collect()
}

#[component]
fn Spots(
    view: Memo<Option<View>>,
    spots: Memo<Vec<Spot>>,
    selected: Memo<Option<(SelectedCells, String)>>,
) -> impl IntoView {
    let store = Store::get();
    let keys = move |event: web_sys::KeyboardEvent| {
        let rule = |at: usize, _: &[web_sys::Element]| {
            spots.with(|spots| match event.key().as_str() {
                "ArrowRight" => Some((at + 1).min(spots.len() - 1)),
                "ArrowLeft" => Some(at.saturating_sub(1)),
                "ArrowDown" => nearest(spots, at, 1.0),
                "ArrowUp" => nearest(spots, at, -1.0),
                "Home" => Some(0),
                "End" => Some(spots.len() - 1),
                _ => None,
            })
        };
        move_focus(&event, "spot", rule);
    };
    view! {
        <div role="group" aria-label=move || store.terms.get().fill("GPUs by [node]") on:keydown=keys>
            <For each=move || spots.get() key=Spot::key let:spot>
                <SpotButton view spot selected />
            </For>
        </div>
    }
}

/// The nearest mark below (`way` 1) or above (−1).
fn nearest(spots: &[Spot], at: usize, way: f64) -> Option<usize> {
    let middle = |place: Rect| (place.x + place.w / 2.0, place.y + place.h / 2.0);
    let (x, y) = middle(spots.get(at)?.place);
    let distance = |spot: &Spot| {
        let (sx, sy) = middle(spot.place);
        ((sy - y) * way > 4.0).then_some((sy - y).abs() * 3.0 + (sx - x).abs())
    };
    let found = spots.iter().enumerate().filter_map(|(i, spot)| Some((i, distance(spot)?)));
    found.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(i, _)| i)
}

#[component]
fn SpotButton(view: Memo<Option<View>>, spot: Spot, selected: Memo<Option<(SelectedCells, String)>>) -> impl IntoView {
    let store = Store::get();
    let says = Memo::new(move |_| {
        view.with(|view| {
            let card = view.as_ref().and_then(|view| Some((view, view.cards.get(spot.card)?)));
            let Some((view, card)) = card else { return (String::new(), None) };
            let node = || Selection::Node(card.name.clone());
            match spot.cell.and_then(|cell| Some((cell, card.cells.get(cell)?))) {
                Some((at, cell)) => {
                    let job = cell.job().map(|job| Selection::Job(job.into()));
                    (view.says(card, at, store.terms.get()), job.or_else(|| (!cell.holds.is_empty()).then(node)))
                }
                None => (format!("{}: {}", card.name, card.head), Some(node())),
            }
        })
    });
    view! {
        <button
            class="spot"
            class:node=spot.cell.is_none()
            style:left=rem(spot.place.x)
            style:top=rem(spot.place.y)
            style:width=rem(spot.place.w)
            style:height=rem(spot.place.h)
            style=("--card", rem(spot.whole))
            tabindex=if spot.card == 0 && spot.cell.is_none() { "0" } else { "-1" }
            aria-label=move || says.get().0
            title=move || says.get().0
            aria-pressed=move || {
                let has = |marked: &SelectedCells| marked.has(spot.card, spot.cell);
                selected.with(|selected| selected.as_ref().is_some_and(|(marked, _)| has(marked))).to_string()
            }
            on:click=move |_| {
                if let Some(selection) = says.get_untracked().1 {
                    store.dispatch(Command::Select(Some(selection)));
                }
            }
        ></button>
    }
}

/// Many nodes: one surface with hit testing; arrow keys move a ring from node to node.
#[component]
fn Hits(view: Memo<Option<View>>) -> impl IntoView {
    let store = Store::get();
    let at = RwSignal::new(0usize);
    let focused = RwSignal::new(false);
    let card = Memo::new(move |_| {
        view.with(|view| {
            let card = view.as_ref()?.cards.get(at.get())?;
            Some((card.place, card.name.clone(), format!("{}: {}", card.name, card.head)))
        })
    });
    let click = move |event: web_sys::MouseEvent| {
        let scale = text_scale();
        let (x, y) = (f64::from(event.offset_x()) / scale, f64::from(event.offset_y()) / scale);
        let hit = view.with_untracked(|view| {
            let (card, cell) = view.as_ref()?.hit(x, y)?;
            let job = cell.and_then(|cell| cell.job()).map(|job| Selection::Job(job.into()));
            Some(job.unwrap_or_else(|| Selection::Node(card.name.clone())))
        });
        if let Some(selection) = hit {
            store.dispatch(Command::Select(Some(selection)));
        }
    };
    let keys = move |event: web_sys::KeyboardEvent| {
        let last = view.with_untracked(|view| view.as_ref().map_or(0, |view| view.cards.len().saturating_sub(1)));
        let now = at.get_untracked();
        let next = match event.key().as_str() {
            "ArrowRight" | "ArrowDown" => (now + 1).min(last),
            "ArrowLeft" | "ArrowUp" => now.saturating_sub(1),
            "Home" => 0,
            "End" => last,
            "Enter" | " " => {
                store.dispatch(Command::Select(card.get_untracked().map(|card| Selection::Node(card.1))));
                now
            }
            _ => return,
        };
        event.prevent_default();
        event.stop_propagation();
        at.set(next);
    };
    let ring = move |part: fn(&Rect) -> f64| card.with(|card| card.as_ref().map_or(String::new(), |c| rem(part(&c.0))));
    view! {
        <div
            class="hits"
            tabindex="0"
            role="button"
            aria-label=move || card.get().map_or(String::new(), |card| card.2)
            on:click=click
            on:keydown=keys
            on:focus=move |_| focused.set(true)
            on:blur=on_leave(move |_| focused.set(false))
        ></div>
        <Show when=move || focused.get()>
            <div
                class="ring"
                style:left=move || ring(|place| place.x - 3.0)
                style:top=move || ring(|place| place.y - 3.0)
                style:width=move || ring(|place| place.w + 6.0)
                style:height=move || ring(|place| place.h + 6.0)
            ></div>
        </Show>
    }
}
