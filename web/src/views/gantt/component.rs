//! Gantt: allocations over time.

use fairground::words::{Selection, Terms};
use leptos::html;
use leptos::prelude::*;

use super::draw::{HEAD, LINE, Plan, gantt as draw, height, key};
use super::view::{GanttView, Line, count_in, gantt, lay_behind, noun};
use crate::chart::alternative::Alternative;
use crate::chart::marks::{Mark, key as key_of};
use crate::engine::report::{GanttBy, Report};
use crate::state::command::Command;
use crate::state::layout::options::{GANTT_ROWS, GanttMove};
use crate::store::Store;
use crate::widgets::picture::{Stride, chart_keys, chart_menu, insert, legend_lines, rem, table, walk, width_of};

/// Choices of rows.
const ROWS: [GanttBy; 3] = [GanttBy::Job, GanttBy::Pod, GanttBy::Gpu];

/// A focusable mark: its place, description and action.
#[derive(Clone, Debug, PartialEq)]
struct Spot {
    place: [f64; 4],
    says: String,
    selects: Option<Selection>,
    to: Option<u32>,
}

/// Rows of jobs, pods or GPUs over all computed cycles.
#[component]
pub fn Gantt() -> impl IntoView {
    let store = Store::get();
    let place = NodeRef::<html::Div>::new();
    let width = width_of(place, 640.0);
    let as_table = RwSignal::new(false);
    let view = Memo::new(move |_| -> Option<GanttView> {
        let (report, run, frame) = (store.report.get()?, store.run.get()?, store.frame.get()?);
        let Report::Gantt(gantt_rows) = &*report else { return None };
        let mut view = gantt(gantt_rows, &run, &frame, store.selection.get().as_ref());
        if let Some((other, was, changed)) = store.reported_alternative()
            && let Report::Gantt(other) = &*other
        {
            let alternative = Alternative { frame: &was, changed: changed.as_deref() };
            lay_behind(&mut view, gantt_rows, &frame, (other, alternative));
        }
        count_in(&mut view, gantt_rows, &frame.named, store.charted.get());
        Some(view)
    });
    let svg = Signal::derive(move || view.with(|v| v.as_ref().map_or(String::new(), |v| draw(v, width.get()))));
    let spots =
        Memo::new(move |_| view.with(|v| v.as_ref().map_or(Vec::new(), |v| spots(v, width.get(), store.terms.get()))));
    let keys = move |event: web_sys::KeyboardEvent| {
        if !chart_keys(store, &event, as_table, || view.get_untracked().map(|view| view.table)) {
            walk(&event, Stride { down: 1, page: 10 });
        }
    };
    let by = store.part(|m| m.view.gantt.by);
    let options = ROWS.into_iter().enumerate().map(|(i, this)| {
        view! {
            <option value=i.to_string() prop:selected=move || by.get() == this>
                {move || store.terms.get().fill(noun(this))}
            </option>
        }
    });
    let title = move || store.terms.get().fill("[Job] timeline");
    let choose = move |event: web_sys::Event| {
        if let Some(by) = event_target_value(&event).parse::<usize>().ok().and_then(|i| ROWS.get(i)) {
            store.dispatch(Command::Gantt(GanttMove::By(*by)));
        }
    };
    let marks = Memo::new(move |_| view.with(|v| v.as_ref().map(|v| (v.marks, v.was)).unwrap_or_default()));
    let legend = move || {
        let (marks, was) = marks.get();
        let other = Mark::of_alternative(was);
        let other = marks.alternative.then(|| (key_of(other), other.name()));
        let lines = [
            (marks.waits, "pending"),
            (marks.runs, "runs"),
            (marks.lost, "its work was lost"),
            (marks.thin, "running without this resource"),
        ];
        let lines = lines.into_iter().enumerate().filter(|(_, (there, _))| *there);
        legend_lines(lines.map(|(at, (_, name))| (key(at), name)).chain(other))
    };
    view! {
        <section class="chart gantt" aria-label="Gantt" data-composite on:keydown=keys>
            <div class="sect">
                <h2>{title}</h2>
                <p class="summary">{move || view.with(|v| v.as_ref().map(|v| v.summary.clone()))}</p>
                <label class="row">
                    "Group by "
                    <select class="input" on:change=choose>{options.collect_view()}</select>
                </label>
                {chart_menu(as_table)}
            </div>
            <div class="story-body">
                <div node_ref=place class="story-place">
                    <Show
                        when=move || !as_table.get()
                        fallback=move || view.get().map(|view| table(&title(), view.table))
                    >
                        {insert("picture", svg)}
                        <Cursor view width />
                        <Spots spots />
                    </Show>
                </div>
                <Pager view />
            </div>
            <div class="legend">{legend}</div>
        </section>
    }
}

fn spots(view: &GanttView, width: f64, terms: &Terms) -> Vec<Spot> {
    let plan = Plan { width, end: view.end };
    let mut spots = Vec::new();
    for (at, line) in view.lines.iter().enumerate() {
        let top = HEAD + LINE * at as f64;
        match line {
            Line::Queue(name, _) => spots.push(Spot {
                place: [0.0, top, plan.left(), LINE],
                says: format!("{} {name}", terms.fill("[Queue]")),
                selects: Some(Selection::Queue(name.clone())),
                to: None,
            }),
            Line::Row(row) => {
                let place = [0.0, top, width, LINE];
                spots.push(Spot { place, says: row.says.clone(), selects: row.selects.clone(), to: None });
                spots.extend(row.evictions.iter().map(|eviction| Spot {
                    place: [plan.middle(eviction.cycle) - 12.0, top, 24.0, LINE],
                    says: eviction.says.clone(),
                    selects: row.selects.clone(),
                    to: Some(eviction.cycle),
                }));
            }
        }
    }
    spots
}

#[component]
fn Spots(spots: Memo<Vec<Spot>>) -> impl IntoView {
    let store = Store::get();
    let spot = move |at: usize, spot: Spot| {
        let [x, y, w, h] = spot.place;
        let this = spot.selects.clone();
        let is_selected = move || this.is_some() && store.selection.with(|selected| *selected == this);
        view! {
            <button
                class="spot"
                style:left=rem(x)
                style:top=rem(y)
                style:width=rem(w)
                style:height=rem(h)
                tabindex=if at == 0 { "0" } else { "-1" }
                aria-label=spot.says.clone()
                title=spot.says
                aria-pressed=move || is_selected().to_string()
                on:click=move |_| {
                    if let Some(cycle) = spot.to {
                        store.dispatch(Command::GoTo(cycle));
                    }
                    store.dispatch(Command::Select(spot.selects.clone()));
                }
            ></button>
        }
        .into_any()
    };
    let key = |(at, spot): &(usize, Spot)| (*at, spot.place.map(|v| v.round() as i64), spot.says.clone());
    view! {
        <div role="group" aria-label="Rows">
            <For each=move || spots.get().into_iter().enumerate() key=key let:item>
                {spot(item.0, item.1)}
            </For>
        </div>
    }
}

/// The cursor across all rows.
#[component]
fn Cursor(view: Memo<Option<GanttView>>, width: Signal<f64>) -> impl IntoView {
    let store = Store::get();
    let cycle = Memo::new(move |_| store.frame.with(|frame| frame.as_ref().map(|frame| frame.cycle)));
    let at = move || {
        let cycle = cycle.get()?;
        view.with(|v| v.as_ref().map(|v| (Plan { width: width.get(), end: v.end }.middle(cycle), height(v))))
    };
    view! {
        <div
            class="cursor"
            style:left=move || at().map_or(String::new(), |(x, _)| rem(x))
            style:top=rem(HEAD - 6.0)
            style:height=move || at().map_or(String::new(), |(_, h)| rem(h - HEAD + 6.0))
            aria-hidden="true"
        ></div>
    }
}

/// Buttons for the previous and next window of rows.
#[component]
fn Pager(view: Memo<Option<GanttView>>) -> impl IntoView {
    let store = Store::get();
    let window = Memo::new(move |_| view.with(|v| v.as_ref().map_or((0, 0, 0), |v| v.window)));
    let button = move |says: &'static str, to: Option<GanttMove>| {
        let go = move |_| {
            if let Some(to) = to {
                store.dispatch(Command::Gantt(to));
            }
        };
        view! { <button type="button" class="btn small" prop:disabled=to.is_none() on:click=go>{says}</button> }
    };
    move || {
        let (first, next, total) = window.get();
        (next - first < total).then(|| {
            let earlier = (first > 0).then(|| GanttMove::To(first.saturating_sub(GANTT_ROWS)));
            let later = (next < total).then_some(GanttMove::To(next));
            let selected = store.selection.with(|s| s.is_some()).then_some(GanttMove::ToSelection);
            view! {
                <div class="stepper-line no-print">
                    {button("Rows before", earlier)}
                    {button("Rows after", later)}
                    {button("To the selection", selected)}
                    <span>{format!("Rows {} to {next} of {total}", first + 1)}</span>
                </div>
            }
        })
    }
}
