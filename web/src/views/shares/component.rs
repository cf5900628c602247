//! Shares: one bullet row per queue, aligned with the rows of SETUP.

use std::sync::Arc;

use fairground::trace::Quantity;
use fairground::words::Selection;
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use super::answer_mark::AnswerMark;
use super::draggable_marks::DraggableMarks;
use super::draw::{Rows, shares as draw};
use super::view::{self, ShareRow, SharesView};
use crate::chart::alternative::Alternative;
use crate::chart::marks::{self, Mark};
use crate::engine::protocol::Frame;
use crate::linked;
use crate::state::command::Command;
use crate::state::lesson::playing::Playing;
use crate::store::Store;
use crate::widgets::picture::{
    along_line, chart_keys, chart_menu, insert, inside, legend_lines, move_among, on_size, table,
};
use crate::widgets::{on_leave, text_scale};

/// One bullet row per queue: its allocation against quota, fair share, limit and request. Rows are `var(--row)` high
/// below an axis of `var(--head)`; the first row is the cluster.
#[component]
pub fn Shares() -> impl IntoView {
    let store = Store::get();
    let pool = store.pool;
    // Queues whose children are hidden.
    let folded = Memo::new(move |_| store.view.with(|view| view.folded.clone()));
    let hides = store.part(|m| m.lesson.as_deref().is_some_and(Playing::hides_fair_shares));
    let view = Memo::new(move |_| {
        let (frame, alternative) = (store.frame.get()?, store.alternative.get());
        let in_pool = |frame: Arc<Frame>| pool.with(|pool| frame.in_pool(pool).map_or(frame, Arc::new));
        let (mut frame, alternative) = (in_pool(frame), alternative.map(in_pool));
        if hides.get() {
            Arc::make_mut(&mut frame).queues.iter_mut().for_each(|queue| queue.fair_share = None);
        }
        let folded: Vec<String> = folded.with(|folded| folded.iter().cloned().collect());
        let changed = store.changed.get();
        let alternative = alternative.as_deref().map(|frame| Alternative { frame, changed: changed.as_deref() });
        let (selection, resource) = (store.selection.get(), store.charted.get());
        let mut view = view::shares(&frame, alternative, selection.as_ref(), resource, &folded);
        if let Some(alternative) = alternative {
            view::say_since(&mut view, &frame, alternative);
        }
        Some(view)
    });
    let as_table = RwSignal::new(false);
    let tip = RwSignal::new(None::<String>);
    let toggle = move |event: web_sys::KeyboardEvent| {
        let data = || view.get_untracked().map(|view| view::table(&view));
        if !chart_keys(store, &event, as_table, data) && event.key() == "Escape" {
            tip.set(None);
        }
    };
    view! {
        <section class="chart shares" aria-label="Shares" on:keydown=toggle>
            <Show
                when=move || !as_table.get()
                fallback=move || view.get().map(|view| table("Shares", view::table(&view)))
            >
                <Body view tip pool />
            </Show>
            <p class="sr">{move || view.with(|v| v.as_ref().map(|v| v.summary.clone()))}</p>
            <div class="legend">
                <Pools />
                {move || {
                    let marks = view.with(|view| view.as_ref().map(|view| view.marks.clone()));
                    // The legend of Cluster below explains this outline; omitting it keeps the legend on one line.
                    let marks = marks.into_iter().flatten().filter(|mark| *mark != Mark::Changed);
                    legend_lines(marks.map(|mark| (marks::key(mark), mark.name())))
                }}
                {chart_menu(as_table)}
            </div>
        </section>
    }
}

/// Width of a mark that can be pointed at, in pixels.
const MARK: f64 = 12.0;

/// The view, once there is a frame.
pub type View = Memo<Option<SharesView>>;

/// Choice of the node pool, if there are several.
#[component]
fn Pools() -> impl IntoView {
    let store = Store::get();
    let pool = store.pool;
    let names = Memo::new(move |_| {
        let names = |frame: &Arc<Frame>| frame.pools.iter().map(|pool| pool.name.clone()).collect::<Vec<_>>();
        store.frame.with(|frame| frame.as_ref().map(names)).unwrap_or_default()
    });
    move || {
        let names = names.get();
        if names.is_empty() {
            return ().into_any();
        }
        let options = names.into_iter().map(|name| {
            let (this, value) = (name.clone(), name.clone());
            view! { <option value=value prop:selected=move || pool.get() == this>{name}</option> }
        });
        view! {
            <select
                class="input small no-print"
                aria-label="Node pool"
                on:change=move |event| store.dispatch(Command::ShowPool(event_target_value(&event)))
            >
                <option value="" prop:selected=move || pool.with(String::is_empty)>"all pools"</option>
                {options.collect_view()}
            </select>
        }
        .into_any()
    }
}

#[component]
fn Body(view: View, tip: RwSignal<Option<String>>, pool: Memo<String>) -> impl IntoView {
    let place = NodeRef::<html::Div>::new();
    let rows = RwSignal::new(Rows { width: 296.0, head: 28.0, row: 32.0 });
    let measure = move |element: &web_sys::HtmlElement| {
        if let Some(now) = measured(element)
            && rows.get_untracked() != now
        {
            rows.set(now);
        }
    };
    on_size(place, measure);
    let svg = Signal::derive(move || view.with(|v| v.as_ref().map_or(String::new(), |v| draw(v, rows.get()))));
    let names = move || {
        view.with(|view| {
            let rows = view.iter().flat_map(|view| &view.rows);
            rows.map(|row| (row.queue.is_some(), row.name.clone())).collect::<Vec<_>>()
        })
    };
    // Rows that fill reserved space do not change the size.
    let n_rows = Memo::new(move |_| view.with(|view| view.as_ref().map(|view| view.rows.len())));
    Effect::new(move |_| {
        n_rows.get();
        request_animation_frame(move || {
            if let Some(element) = place.try_get_untracked().flatten() {
                measure(element.unchecked_ref());
            }
        });
    });
    let stop = stop(view);
    // Without a division there is no reference.
    let reference = move || view.with(|view| view.as_ref().map_or("", |view| view.reference));
    let near = RwSignal::new(false);
    let come = move || come(near);
    let touched = Store::get().touched;
    view! {
        <div
            class="shares-body"
            node_ref=place
            on:keydown=on_arrow
            // Touch events enter with the tap, which is meant for the row below.
            on:pointerenter=move |event| if event.pointer_type() != "touch" { come() }
            // For the same reason, focus by a tap does not show the marks.
            on:focusin=move |event| if is_visible_focus(&event) { come() }
        >
            {insert("picture", svg)}
            <div class="axis" aria-hidden="true">
                <span class="v"><span>"uses"</span><span>{reference}</span><span>"requests"</span></span>
            </div>
            <ul class="brows" role="list" on:mouseleave=move |_| tip.set(None)>
                <For each=names key=|key| key.clone() let:key>
                    <Row view rows name=key.1 is_queue=key.0 tip stop />
                </For>
            </ul>
            // Only without a chosen node pool.
            <Show when=move || (near.get() || touched.get()) && pool.with(String::is_empty)>
                <DraggableMarks view rows />
            </Show>
            <AnswerMark view rows />
        </div>
    }
}

/// Moves the focus between rows, through their draggable marks.
fn on_arrow(event: web_sys::KeyboardEvent) {
    let grips = inside(&event, "grip");
    let mut all = Vec::new();
    for (at, row) in inside(&event, "brow").into_iter().enumerate() {
        all.push(row);
        let at = at.to_string();
        let of_row = grips.iter().filter(|grip| grip.get_attribute("data-row").as_ref() == Some(&at));
        all.extend(of_row.cloned());
    }
    move_among(&event, &all, |at, all| along_line(&event.key(), at, all.len()));
}

/// The row in the tab order (the last focused one, else the selected one, else the first), and the last focused one.
type Stop = (Memo<Option<(bool, String)>>, RwSignal<Option<(bool, String)>>);

fn stop(view: View) -> Stop {
    let last = RwSignal::new(None);
    let key = |row: &ShareRow| (row.queue.is_some(), row.name.clone());
    let stop = Memo::new(move |_| {
        view.with(|view| {
            let rows = &view.as_ref()?.rows;
            let had_it = |row: &&ShareRow| last.with(|last| last.as_ref() == Some(&key(row)));
            let row = rows.iter().find(had_it).or_else(|| rows.iter().find(|row| row.selected));
            row.or(rows.first()).map(key)
        })
    });
    (stop, last)
}

/// Whether the focus was moved by keyboard.
fn is_visible_focus(event: &web_sys::FocusEvent) -> bool {
    let target = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
    target.is_some_and(|target| target.matches(":focus-visible").unwrap_or(false))
}

/// Called when the pointer or focus enters the picture.
fn come(near: RwSignal<bool>) {
    if !near.get_untracked() {
        near.set(true);
    }
}

/// Layout of the rows on the page.
fn measured(body: &web_sys::HtmlElement) -> Option<Rows> {
    let one = |class: &str| -> Option<web_sys::HtmlElement> {
        body.get_elements_by_class_name(class).item(0).map(JsCast::unchecked_into)
    };
    let scale = text_scale();
    let width = f64::from(one("picture")?.offset_width()) / scale;
    let head = f64::from(one("axis")?.offset_height()) / scale;
    let row = f64::from(one("brow")?.offset_height()) / scale;
    (width > 0.0 && row > 0.0).then_some(Rows { width, head, row })
}

#[component]
fn Row(
    view: View,
    rows: RwSignal<Rows>,
    name: String,
    is_queue: bool,
    tip: RwSignal<Option<String>>,
    stop: Stop,
) -> impl IntoView {
    let store = Store::get();
    let key = move |name: &String| Some((is_queue, name.clone()));
    let name = StoredValue::new(name);
    let row = Memo::new(move |_| {
        view.with(|view| {
            let of = |row: &&ShareRow| row.queue.is_some() == is_queue && name.with_value(|name| *name == row.name);
            view.as_ref().and_then(|view| view.rows.iter().find(of).cloned()).unwrap_or_default()
        })
    });
    let numbers = Memo::new(move |_| {
        let of = |view: &SharesView| row.with(|row| numbers(view, row));
        view.with(|view| view.as_ref().map(of)).unwrap_or_default()
    });
    let shown = move || tip.with(|tip| tip.as_deref() == Some(&name.get_value())) && !row.with(|row| row.selected);
    let select = move |_| {
        store.dispatch(Command::Select(is_queue.then(|| Selection::Queue(name.get_value()))));
    };
    view! {
        <li>
            <button
                class="brow"
                class:on=move || row.with(|row| row.selected)
                tabindex=move || if stop.0.get() == name.with_value(key) { "0" } else { "-1" }
                aria-pressed=move || row.with(|row| row.selected).to_string()
                aria-label=move || row.with(ShareRow::sentence)
                on:click=select
                on:mouseenter=move |_| tip.set(Some(name.get_value()))
                on:focus=move |_| {
                    tip.set(Some(name.get_value()));
                    stop.1.set(name.with_value(key));
                }
                on:blur=on_leave(move |_| tip.set(None))
            >
                <span class="nm">{name.get_value()}</span>
                <span class="spots" aria-hidden="true">{move || spots(&numbers.get(), rows.get())}</span>
                <span class="v">{move || row.with(|row| values(row, &numbers.get()))}</span>
                <Show when=shown>
                    <span class="tip" role="presentation">
                        <b><code>{name.get_value()}</code></b>
                        <span class="facts">
                            {move || {
                                row.with(|row| row.facts.clone())
                                    .into_iter()
                                    .map(|(what, value)| view! { <span>{what}</span><span>{value}</span> })
                                    .collect_view()
                            }}
                        </span>
                    </span>
                </Show>
            </button>
        </li>
    }
}

/// A number of a row: its name, and from where to where it is drawn, as parts of the scale.
#[derive(Clone, Debug, PartialEq)]
struct Number {
    quantity: Quantity,
    name: String,
    from: f64,
    to: f64,
}

/// The numbers of a queue that are drawn; of part of a resource each, there are none.
fn numbers(view: &SharesView, row: &ShareRow) -> Vec<Number> {
    let Some(resource) = view.resource.one().filter(|_| row.queue.is_some()) else { return Vec::new() };
    let number = |quantity, from: f64, to: f64| Number {
        quantity,
        name: linked::of_queue(&row.name, quantity, resource),
        from: (from / view.max).min(1.0),
        to: (to / view.max).min(1.0),
    };
    let mark = |quantity, at: Option<f64>| at.filter(|at| *at <= view.max).map(|at| number(quantity, at, at));
    let amounts = [
        Some(number(Quantity::Allocated, 0.0, row.allocated)),
        Some(number(Quantity::Request, row.allocated, row.request.max(row.allocated))),
    ];
    let marks = [(Quantity::Limit, row.limit), (Quantity::Quota, row.quota), (Quantity::FairShare, row.fair_share)];
    amounts.into_iter().chain(marks.map(|(quantity, at)| mark(quantity, at))).flatten().collect()
}

/// Where the numbers of a row are in its bar.
fn spots(numbers: &[Number], rows: Rows) -> impl IntoView + use<> {
    let (top, height) = rows.bar();
    let spot = |number: &Number| {
        let is_mark = number.from == number.to;
        let (from, to) = (number.from * rows.scale(), number.to * rows.scale());
        let (left, width) = if is_mark { (from - MARK / 2.0, MARK) } else { (from, to - from) };
        let [left, width, top, height] = [left, width, top, height].map(|pixels| format!("{pixels}px"));
        view! {
            <i data-number=number.name.clone() style:left=left style:width=width style:top=top style:height=height></i>
        }
    };
    numbers.iter().map(spot).collect_view()
}

/// The numbers of a row, each with a word for where there is no axis with captions.
fn values(row: &ShareRow, numbers: &[Number]) -> impl IntoView + use<> {
    let name = |quantity| numbers.iter().find(|number| number.quantity == quantity).map(|number| number.name.clone());
    let reference = if row.fair_share.is_some() { Quantity::FairShare } else { Quantity::Quota };
    let plus = (!row.plus.is_empty()).then(|| format!(" {}", row.plus));
    let of = (row.queue.is_some() && !row.of.is_empty()).then(|| view! { <i>"of "</i> });
    let first = (!row.first.is_empty()).then(|| view! { <span class="dim">{row.first.clone()}</span> });
    view! {
        <span data-number=name(Quantity::Allocated)>
            <b>{row.has.clone()}</b>
            {plus}
        </span>
        <span class="dim" data-number=name(reference)>
            {of}
            {row.of.clone()}
        </span>
        <span class="dim" data-number=name(Quantity::Request)>
            <i>"requests "</i>
            {row.wants.clone()}
        </span>
        {first}
    }
}
