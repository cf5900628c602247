//! Timeline: events, allocated amounts over time, and the cursor.

use std::sync::Arc;

use fairground::moment::EventKind;
use fairground::words::{Selection, number};
use leptos::html;
use leptos::prelude::*;

use super::condense::{condensed, cycles_per_step};
use super::draw::{event_icon, is_late, lane_height, timeline_before as draw};
use super::draw_overlays::{AreaLabel, area_labels};
use super::event_lane::{EventLane, View, lane_items};
use super::overlays::add_overlays;
use super::view::{self, Axis, LaneMark, TimelineView};
use super::zoom::{Pinch, Window, Zoom, ZoomButtons, crop, zoom_items};
use crate::chart::alternative::Alternative;
use crate::chart::backend::Size;
use crate::chart::marks::{self, Mark};
use crate::chart::selection::selected_queue;
use crate::engine::protocol::{Frame, Run};
use crate::state::command::Command;
use crate::state::document::remarks::remarks;
use crate::state::layout::options::{EventLaneOptions, Kinds};
use crate::state::moment::commands::lane;
use crate::store::Store;
use crate::widgets::picture::{
    chart_keys, chart_menu_with, icon, insert, legend_lines, move_focus, picture_height, rem, table, width_of,
};
use crate::widgets::{capture, text_scale};

/// Stacked areas by top queue over all computed cycles, with the event lane above and the cursor across both. Clicking
/// or dragging moves the cursor.
#[component]
pub fn Timeline(run: Signal<Option<Arc<Run>>>, frame: Signal<Option<Arc<Frame>>>) -> impl IntoView {
    let place = NodeRef::<html::Div>::new();
    let (width, height) = (width_of(place, 1200.0), picture_height(place, 172.0));
    // Names and colours are the same at every moment, so stepping does not redraw the areas.
    let tree = Memo::new_with_compare(
        move |_| frame.get(),
        |old, new| match (old, new) {
            (Some(Some(old)), Some(Some(new))) => {
                let shape = |f: &Frame| f.queues.iter().map(|q| (q.name.clone(), q.parent)).collect::<Vec<_>>();
                shape(old) != shape(new)
            }
            _ => true,
        },
    );
    let store = Store::get();
    let look = store.part(lane);
    let marking = RwSignal::new(false);
    // Without the queue of a selected event, which changes with every step.
    let selected = Memo::new(move |_| {
        let selection = store.selection.get().filter(|selection| !matches!(selection, Selection::Event { .. }))?;
        frame.with(|frame| selected_queue(frame.as_deref()?, Some(&selection)))
    });
    let view = Memo::new(move |_| {
        let (run, frame) = (run.get()?, tree.get()?);
        let mut view = view::timeline(&run, &frame, selected.get(), store.charted.get());
        let (look, other) = (look.get(), store.alternative_run.get().zip(store.alternative.get()));
        add_overlays(&mut view, &run, &frame, &look);
        let notes = store.scenario.with(|scenario| remarks(scenario));
        view.notes = notes.iter().filter_map(|note| view::place_of(&view, note.time_ms)).collect();
        if let Some((other, frame)) = other {
            let changed = store.changed.get();
            let alternative = Alternative { frame: &frame, changed: changed.as_deref() };
            view::lay_behind(&mut view, &run, (&other, alternative));
        }
        Some(Arc::new(view))
    });
    let window = RwSignal::new(None::<Window>);
    let cursor = Memo::new(move |_| frame.with(|frame| frame.as_ref().map_or(0, |frame| frame.cycle)));
    let shown = Memo::new(move |_| {
        let mut view = view.get()?;
        if let Some(window) = window.get().and_then(|window| Window::of(window.first, window.last, view.end)) {
            let window = window.following(cursor.get(), view.end);
            crop(Arc::make_mut(&mut view), window);
        }
        Some(view)
    });
    let zoom = Zoom { all: view, shown, window };
    let kinds = Memo::new(move |_| view.with(|view| view.as_deref().map_or(Kinds::default(), |view| view.kinds)));
    let axis = Memo::new(move |_| shown.with(|view| view.as_deref().map(|view| Axis::of(view, width.get()))));
    let labels = Memo::new(move |_| {
        let axis = axis.get()?;
        shown.with(|view| view.as_deref().map(|view| area_labels(&condensed(view), axis)))
    });
    // The cursor's cycle where its line would cross captions or labels; elsewhere it moves without a new picture.
    let crossing = Memo::new(move |_| {
        let cursor = cursor.get();
        let is_late = axis.get().is_some_and(|axis| is_late(axis, cursor));
        let crosses = |labels: &Vec<AreaLabel>| labels.iter().any(|label| label.is_crossed(cursor));
        (is_late || labels.with(|labels| labels.as_ref().is_some_and(crosses))).then_some(cursor)
    });
    let svg = Signal::derive(move || {
        shown.with(|view| {
            let size = Size { width: width.get(), height: height.get() };
            view.as_deref().map_or(String::new(), |view| draw(view, size, crossing.get()))
        })
    });
    let cycle = Signal::derive(move || frame.with(|frame| frame.as_ref().map(|frame| (frame.cycle, frame.time_ms))));
    let as_table = RwSignal::new(false);
    let keys = move |event: web_sys::KeyboardEvent| {
        if event.key() == "Escape" && look.with_untracked(|look| look.range.is_some()) {
            event.prevent_default();
            store.dispatch(Command::Mark(None));
        }
        let amounts = || view.get_untracked().map(|view| view::table(&view));
        chart_keys(store, &event, as_table, amounts);
    };
    let summary = move || view.with(|view| view.as_deref().map(|view| view.summary.clone()));
    view! {
        <section class="chart timeline" aria-label="Timeline" on:keydown=keys>
            <p class="sr">{summary}</p>
            <div node_ref=place>
                <Show
                    when=move || !as_table.get()
                    fallback=move || {
                        view.get().map(|view| {
                            let amounts = table("Allocated by cycle", view::table(&view));
                            let events = table("Events", view::events_table(&view));
                            view! { {amounts} {events} }
                        })
                    }
                >
                    <Body view=shown axis svg cycle look marking zoom />
                </Show>
            </div>
            <div class="legend">
                {move || {
                    let marks = |view: &TimelineView| {
                        let leaving = (!view.leaving.is_empty()).then_some(Mark::Leaving);
                        let other = (!view.alternatives.is_empty()).then_some(Mark::of_alternative(view.was));
                        [leaving, other]
                    };
                    let marks = view.with(|view| view.as_deref().map(marks)).into_iter().flatten().flatten();
                    legend_lines(marks.map(|mark| (marks::key(mark), mark.name())))
                }}
                {move || {
                    let n = shown.with(|view| view.as_deref().map_or(1, cycles_per_step));
                    (n > 1).then(|| view! { <span class="hint">{format!("mean of each {n} cycles; grey: least to most")}</span> })
                }}
                {move || kinds.get().all().map(|kind| kind_key(store, look, kind)).collect_view()}
                <EventLane view marking />
                <ZoomButtons zoom />
                {chart_menu_with(as_table, "Events, zoom, table and pictures", move || {
                    let items = lane_items(store, marking, kinds.get_untracked()).into_iter();
                    items.chain(zoom_items(store, zoom)).collect()
                })}
            </div>
        </section>
    }
}

/// Mark and name of a kind of events in the legend; crossed out if it is hidden.
fn kind_key(store: Store, look: Memo<EventLaneOptions>, kind: EventKind) -> AnyView {
    let is_hidden = move || look.with(|look| look.without.has(kind));
    view! {
        <span class="event-kind" class:out=is_hidden>
            {icon(event_icon(kind))}
            {move || kind.name(store.terms.get())}
            {move || is_hidden().then(|| view! { <span class="sr">", hidden"</span> })}
        </span>
    }
    .into_any()
}

/// The picture, and above it the elements for pointer and keys.
#[component]
fn Body(
    view: View,
    axis: Memo<Option<Axis>>,
    svg: Signal<String>,
    cycle: Signal<Option<(u32, i64)>>,
    look: Memo<EventLaneOptions>,
    marking: RwSignal<bool>,
    zoom: Zoom,
) -> impl IntoView {
    let store = Store::get();
    let dragging = RwSignal::new(false);
    let pinch = StoredValue::new(Pinch::default());
    let go = move |to: u32, marks: bool| {
        if marks { store.dispatch(Command::Mark(Some(to))) } else { store.dispatch(Command::GoTo(to)) }
    };
    // The requested cycle, even before its frame has arrived.
    let at = move || store.now(|m| m.playback.cursor);
    let seek = move |event: &web_sys::PointerEvent| {
        let Some(axis) = axis.get_untracked() else { return };
        let last = zoom.last();
        let to = axis.cycle_at(f64::from(event.offset_x()) / text_scale()).min(last);
        if at() != to {
            go(to, dragging.get_untracked() && (event.shift_key() || marking.get_untracked()));
        }
    };
    let down = move |event: web_sys::PointerEvent| {
        if event.button() != 0 {
            return;
        }
        capture(&event);
        pinch.update_value(|pinch| pinch.put(event.pointer_id(), f64::from(event.offset_x())));
        let is_one = pinch.with_value(|pinch| pinch.middle().is_none());
        if is_one {
            seek(&event);
        }
        dragging.set(is_one);
    };
    let moved = move |event: web_sys::PointerEvent| {
        if dragging.get_untracked() {
            return seek(&event);
        }
        let factor =
            pinch.try_update_value(|pinch| pinch.moved(event.pointer_id(), f64::from(event.offset_x()))).flatten();
        let middle = pinch.with_value(Pinch::middle);
        if let (Some(factor), Some(middle), Some(axis)) = (factor, middle, axis.get_untracked()) {
            zoom.scale(factor, axis.cycle_at(middle / text_scale()));
        }
    };
    let up = move |event: web_sys::PointerEvent| {
        pinch.update_value(|pinch| pinch.remove(event.pointer_id()));
        dragging.set(false);
        marking.set(false);
    };
    let keys = move |event: web_sys::KeyboardEvent| {
        if zoom.by_key(&event.key(), at()) {
            event.prevent_default();
            event.stop_propagation();
        } else if let Some(to) = cycle_by_key(&event.key(), at(), zoom.last()) {
            event.prevent_default();
            event.stop_propagation();
            go(to, event.shift_key());
        }
    };
    let turned = move |event: web_sys::WheelEvent| {
        let Some(axis) = axis.get_untracked() else { return };
        let about = axis.cycle_at(f64::from(event.offset_x()) / text_scale());
        if zoom.by_wheel(&event, about) {
            event.prevent_default();
        }
    };
    let now = move || cycle.get().map_or(0, |(now, _)| now);
    let says = move || {
        let mut said = match look.with(|look| look.range) {
            Some((from, to)) => format!("; cycles {from} to {to} are selected"),
            None => String::new(),
        };
        if zoom.window.get().is_some() {
            let (first, last) = view.with(|view| view.as_deref().map_or((0, 0), |view| (view.first, view.end)));
            said += &format!("; zoomed to cycles {first} to {last}");
        }
        cycle.get().map_or(String::new(), |(now, time)| format!("Cycle {now}, {}{said}", number::time(time)))
    };
    let lane = Memo::new(move |_| view.with(|view| view.as_deref().map_or((0.0, 0.0), lane_height)));
    let followed = Memo::new(move |_| view.with(|view| view.as_deref().and_then(|view| view.followed.clone())));
    view! {
        <div class="timeline-body">
            {insert("picture", svg)}
            <div
                class="scrub"
                role="slider"
                tabindex="0"
                aria-label="Cycle"
                aria-valuemin="0"
                aria-valuemax=move || zoom.all.with(|view| view.as_deref().map_or(0, |view| view.last)).to_string()
                aria-valuenow=move || now().to_string()
                aria-valuetext=says
                style:top=move || rem(lane.get().0)
                on:pointerdown=down
                on:pointermove=moved
                on:pointerup=up
                on:pointercancel=up
                on:keydown=keys
                on:wheel=turned
            ></div>
            <Cursor axis cycle lane />
            <Marks view axis cycle lane of=None />
            {move || followed.get().map(|of| view! { <Marks view axis cycle lane of=Some(of) /> })}
        </div>
    }
}

/// The cycle to which a key moves the cursor.
fn cycle_by_key(key: &str, now: u32, last: u32) -> Option<u32> {
    Some(match key {
        "ArrowRight" | "ArrowUp" => (now + 1).min(last),
        "ArrowLeft" | "ArrowDown" => now.saturating_sub(1),
        "PageUp" => (now + 10).min(last),
        "PageDown" => now.saturating_sub(10),
        "Home" => 0,
        "End" => last,
        _ => return None,
    })
}

#[component]
fn Cursor(axis: Memo<Option<Axis>>, cycle: Signal<Option<(u32, i64)>>, lane: Memo<(f64, f64)>) -> impl IntoView {
    let x = move || {
        let (axis, (cycle, _)) = (axis.get()?, cycle.get()?);
        Some((axis.x(cycle), axis.width))
    };
    view! {
        <div
            class="cursor"
            class:flip=move || x().is_some_and(|(x, width)| x > width - 72.0)
            style:left=move || x().map_or(String::new(), |(x, _)| rem(x))
            style:top=move || rem(lane.get().0)
            aria-hidden="true"
        >
            <span>
                {move || cycle.get().map(|(cycle, time)| format!("cycle {cycle} · {}", number::time(time)))}
            </span>
        </div>
    }
}

/// A row of the lane: all events, or the followed ones.
#[component]
fn Marks(
    view: View,
    axis: Memo<Option<Axis>>,
    cycle: Signal<Option<(u32, i64)>>,
    lane: Memo<(f64, f64)>,
    of: Option<String>,
) -> impl IntoView {
    let is_second = of.is_some();
    let marks = Memo::new(move |_| match (view.get(), axis.get()) {
        (Some(view), Some(axis)) => view::lane(&view, axis, is_second),
        _ => Vec::new(),
    });
    let label = of.map_or_else(|| "Events".to_string(), |of| format!("Events of {of}"));
    let top = Memo::new(move |_| {
        let (_, row) = lane.get();
        row / 2.0 - 12.0 + if is_second { row } else { 0.0 }
    });
    let keys = move |event: web_sys::KeyboardEvent| {
        let rule = |at: usize, all: &[web_sys::Element]| match event.key().as_str() {
            "ArrowRight" => Some((at + 1).min(all.len() - 1)),
            "ArrowLeft" => Some(at.saturating_sub(1)),
            "Home" => Some(0),
            "End" => Some(all.len() - 1),
            _ => None,
        };
        move_focus(&event, "spot", rule);
    };
    view! {
        <div role="group" aria-label=label on:keydown=keys>
            <For each=move || 0..marks.with(Vec::len) key=|at| *at let:at>
                <MarkSpot marks at cycle top />
            </For>
        </div>
    }
}

/// One mark. Its element is reused when the mark changes, so that the focus stays.
#[component]
fn MarkSpot(marks: Memo<Vec<LaneMark>>, at: usize, cycle: Signal<Option<(u32, i64)>>, top: Memo<f64>) -> impl IntoView {
    let store = Store::get();
    let mark = Memo::new(move |_| marks.with(|marks| marks.get(at).cloned()));
    let says = move || mark.with(|mark| mark.as_ref().map_or(String::new(), |mark| mark.says.clone()));
    let is_now = move || {
        let to = mark.with(|mark| mark.as_ref().map(|mark| mark.cycle));
        to.is_some() && cycle.get().map(|(now, _)| now) == to
    };
    let go = move |_| {
        let Some(mark) = mark.get_untracked() else { return };
        store.dispatch(Command::GoTo(mark.cycle));
        if let Some(index) = mark.index {
            store.dispatch(Command::Select(Some(Selection::Event { cycle: mark.cycle, index })));
        }
    };
    view! {
        <button
            class="spot"
            class:on=is_now
            style:left=move || {
                mark.with(|mark| mark.as_ref().map_or(String::new(), |mark| rem(mark.x - 12.0)))
            }
            style:top=move || rem(top.get())
            style:width="1.5rem"
            style:height="1.5rem"
            tabindex=if at == 0 { "0" } else { "-1" }
            aria-label=says
            title=says
            on:click=go
        ></button>
    }
}
