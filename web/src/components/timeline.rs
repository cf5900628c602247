//! Timeline: events, allocated amounts over time, and the cursor.

use crate::dom::prelude::*;
use leptos::html;

use super::picture::{chart_keys, icon, insert, legend_line, move_focus, table, table_button, width_of};
use crate::charts::backend::Size;
use crate::charts::marks;
use crate::charts::timeline::{LANE, event_icon, timeline as draw};
use crate::deeds;
use crate::model::{Command, Selection};
use crate::props::{FrameSignal, OnSeek, OnSelect, ResourceSignal, RunSignal, SelectionSignal};
use crate::store::Store;
use crate::view_model::before::Ghost;
use crate::view_model::number;
use crate::view_model::shares::Mark;
use crate::view_model::timeline::{self, Axis, Kind, Kinds, LaneMark, TimelineView};

/// Height of the picture with its lane.
const HEIGHT: f64 = 172.0;
/// Height of the labels below the areas.
const LABELS: f64 = 24.0;

/// Stacked areas by top queue over all computed cycles, with the lane of events above and the cursor of the
/// moment across both. Click or drag moves the cursor.
/// Long because its markup is one tree.
#[component]
pub fn Timeline(
    /// The run in short.
    run: RunSignal,
    /// The moment.
    frame: FrameSignal,
    /// What is selected.
    selection: SelectionSignal,
    /// 0 cpu, 1 memory, 2 gpu.
    resource: ResourceSignal,
    /// Moves the cursor.
    on_seek: OnSeek,
    /// Selects the job of an event.
    on_select: OnSelect,
) -> impl IntoView {
    let place = NodeRef::<html::Div>::new();
    let width = width_of(place, 1200.0);
    // Names and colours do not change from moment to moment, so stepping does not draw the areas anew.
    let tree = Memo::new_with_compare(
        move |_| frame.get(),
        |old, new| match (old, new) {
            (Some(Some(old)), Some(Some(new))) => {
                let shape = |f: &crate::engine::protocol::Frame| {
                    f.queues.iter().map(|q| (q.name.clone(), q.parent)).collect::<Vec<_>>()
                };
                shape(old) != shape(new)
            }
            _ => true,
        },
    );
    let store = Store::get();
    let without = store.part(|m| m.view.without);
    let view = Memo::new(move |_| {
        let (run, frame) = (run.get()?, tree.get()?);
        let mut view = timeline::timeline(&run, &frame, selection.get().as_ref(), resource.get());
        let other = store.ghost_run.get().zip(store.ghost.get());
        if let Some(((other, frame), deeds)) = other.zip(deeds::now()) {
            let changed = store.changed.get();
            let ghost = Ghost { frame: &frame, changed: changed.as_deref() };
            (deeds.lay_behind)(&mut view, &run, (&other, ghost));
        }
        view.leave_out(without.get());
        Some(view)
    });
    let kinds =
        Memo::new(move |_| view.with(|view| view.as_ref().map_or(Kinds::default(), |view| view.kinds)));
    let axis = Memo::new(move |_| {
        view.with(|view| view.as_ref().map(|view| Axis { width: width.get(), last: view.end }))
    });
    let svg = Signal::derive(move || {
        view.with(|view| {
            let size = Size { width: width.get(), height: HEIGHT };
            view.as_ref().map_or(String::new(), |view| draw(view, size))
        })
    });
    let cycle =
        Signal::derive(move || frame.with(|frame| frame.as_ref().map(|frame| (frame.cycle, frame.time_ms))));
    let as_table = RwSignal::new(false);
    let keys = move |event: web_sys::KeyboardEvent| {
        chart_keys(store, &event, as_table, || view.get_untracked().map(|view| timeline::table(&view)));
    };
    let summary = move || view.with(|view| view.as_ref().map(|view| view.summary.clone()));
    view! {
        <section class="chart timeline" aria-label="Timeline" on:keydown=keys>
            <p class="sr">{summary}</p>
            <div node_ref=place>
                <Show
                    when=move || !as_table.get()
                    fallback=move || {
                        view.get()
                            .map(|view| {
                                let amounts = table("Allocated by cycle", timeline::table(&view));
                                let events = table("Events", timeline::events_table(&view));
                                view! { {amounts} {events} }
                            })
                    }
                >
                    <Body view axis svg cycle on_seek on_select />
                </Show>
            </div>
            <div class="legend">
                {move || {
                    let was = |view: &TimelineView| (!view.ghosts.is_empty()).then_some(view.was);
                    let mark = view.with(|view| view.as_ref().and_then(was)).map(Mark::of_ghost);
                    mark.map(|mark| legend_line(marks::key(mark), mark.name()))
                }}
                {move || kinds.get().all().map(|kind| kind_switch(store, without, kind)).collect_view()}
                {table_button(as_table)}
            </div>
        </section>
    }
}

/// A kind of events: its mark and name, and whether it is shown and stopped at.
fn kind_switch(store: Store, without: Memo<Kinds>, kind: Kind) -> Node {
    let shown = move || !without.get().has(kind);
    view! {
        <button
            type="button"
            class="kind-switch"
            aria-pressed=move || shown().to_string()
            title=move || if shown() { "Leave these events out" } else { "Show these events again" }
            on:click=move |_| store.dispatch(Command::ShowEvents(kind, without.get_untracked().has(kind)))
        >
            {icon(event_icon(kind))}
            {kind.name()}
        </button>
    }
    .into_node()
}

#[component]
fn Body(
    view: Memo<Option<TimelineView>>,
    axis: Memo<Option<Axis>>,
    svg: Signal<String>,
    cycle: Signal<Option<(u32, i64)>>,
    on_seek: OnSeek,
    on_select: OnSelect,
) -> impl IntoView {
    let dragging = RwSignal::new(false);
    let seek = move |event: &web_sys::PointerEvent| {
        let Some(axis) = axis.get_untracked() else { return };
        let last = view.with_untracked(|view| view.as_ref().map_or(0, |view| view.last));
        let to = axis.cycle_at(f64::from(event.offset_x())).min(last);
        if cycle.get_untracked().is_none_or(|(now, _)| now != to) {
            on_seek.run(to);
        }
    };
    let down = move |event: web_sys::PointerEvent| {
        if event.button() == 0 {
            capture(&event);
            dragging.set(true);
            seek(&event);
        }
    };
    let moved = move |event: web_sys::PointerEvent| {
        if dragging.get_untracked() {
            seek(&event);
        }
    };
    let keys = move |event: web_sys::KeyboardEvent| {
        let last = view.with_untracked(|view| view.as_ref().map_or(0, |view| view.last));
        let now = cycle.get_untracked().map_or(0, |(now, _)| now);
        if let Some(to) = cycle_by_key(&event.key(), now, last) {
            event.prevent_default();
            event.stop_propagation();
            on_seek.run(to);
        }
    };
    let now = move || cycle.get().map_or(0, |(now, _)| now);
    let says = move || {
        cycle.get().map_or(String::new(), |(now, time)| format!("Cycle {now}, {}", number::time(time)))
    };
    view! {
        <div class="timeline-body">
            {insert("picture", svg)}
            <div
                class="scrub"
                role="slider"
                tabindex="0"
                aria-label="Cycle"
                aria-valuemin="0"
                aria-valuemax=move || view.with(|view| view.as_ref().map_or(0, |view| view.last)).to_string()
                aria-valuenow=move || now().to_string()
                aria-valuetext=says
                on:pointerdown=down
                on:pointermove=moved
                on:pointerup=move |_| dragging.set(false)
                on:pointercancel=move |_| dragging.set(false)
                on:keydown=keys
            ></div>
            <Cursor axis cycle />
            <Marks view axis cycle on_seek on_select />
        </div>
    }
}

/// Where a key moves the cursor.
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

/// Lets an element hear of a pointer until it is let go.
pub fn capture(event: &web_sys::PointerEvent) {
    use wasm_bindgen::JsCast;
    if let Some(target) = event.target() {
        let _ = target.unchecked_into::<web_sys::Element>().set_pointer_capture(event.pointer_id());
    }
}

#[component]
fn Cursor(axis: Memo<Option<Axis>>, cycle: Signal<Option<(u32, i64)>>) -> impl IntoView {
    let x = move || {
        let (axis, (cycle, _)) = (axis.get()?, cycle.get()?);
        Some((axis.x(cycle), axis.width))
    };
    view! {
        <div
            class="cursor"
            class:flip=move || x().is_some_and(|(x, width)| x > width - 150.0)
            style:left=move || x().map_or(String::new(), |(x, _)| format!("{x:.1}px"))
            style:height=format!("{}px", HEIGHT - LABELS - LANE)
            aria-hidden="true"
        >
            <span>
                {move || cycle.get().map(|(cycle, time)| format!("cycle {cycle} · {}", number::time(time)))}
            </span>
        </div>
    }
}

#[component]
fn Marks(
    view: Memo<Option<TimelineView>>,
    axis: Memo<Option<Axis>>,
    cycle: Signal<Option<(u32, i64)>>,
    on_seek: OnSeek,
    on_select: OnSelect,
) -> impl IntoView {
    let marks = Memo::new(move |_| match (view.get(), axis.get()) {
        (Some(view), Some(axis)) => timeline::lane(&view, axis),
        _ => Vec::new(),
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
        <div role="group" aria-label="Events" on:keydown=keys>
            <For each=move || 0..marks.with(Vec::len) key=|at| *at let:at>
                <MarkSpot view marks at cycle on_seek on_select />
            </For>
        </div>
    }
}

/// One mark. It stays the same element when the mark becomes another one, so that the focus stays.
#[component]
fn MarkSpot(
    view: Memo<Option<TimelineView>>,
    marks: Memo<Vec<LaneMark>>,
    at: usize,
    cycle: Signal<Option<(u32, i64)>>,
    on_seek: OnSeek,
    on_select: OnSelect,
) -> impl IntoView {
    let mark = Memo::new(move |_| marks.with(|marks| marks.get(at).cloned()));
    let says = move || mark.with(|mark| mark.as_ref().map_or(String::new(), |mark| mark.says.clone()));
    let is_now = move || {
        let to = mark.with(|mark| mark.as_ref().map(|mark| mark.cycle));
        to.is_some() && cycle.get().map(|(now, _)| now) == to
    };
    let go = move |_| {
        let Some(mark) = mark.get_untracked() else { return };
        let job = job_of(view, &mark);
        on_seek.run(mark.cycle);
        if let Some(job) = job {
            on_select.run(Some(Selection::Job(job)));
        }
    };
    view! {
        <button
            class="spot"
            class:on=is_now
            style:left=move || {
                mark.with(|mark| mark.as_ref().map_or(String::new(), |mark| format!("{:.1}px", mark.x - 12.0)))
            }
            style:top=format!("{:.1}px", LANE / 2.0 - 12.0)
            style:width="24px"
            style:height="24px"
            tabindex=if at == 0 { "0" } else { "-1" }
            aria-label=says
            title=says
            on:click=go
        ></button>
    }
}

/// The job of a mark that stands for one event.
fn job_of(view: Memo<Option<TimelineView>>, mark: &LaneMark) -> Option<String> {
    view.with_untracked(|view| {
        let of = |event: &&timeline::LaneEvent| event.cycle == mark.cycle && event.kind == mark.kind;
        let event = view.as_ref()?.events.iter().find(of)?;
        (mark.n == 1 && !event.job.is_empty()).then(|| event.job.clone())
    })
}
