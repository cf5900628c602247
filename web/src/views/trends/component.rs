//! Queues: one small timeline per queue.

use leptos::html;
use leptos::prelude::*;

use super::draw::{key, place as place_of, trends as draw};
use super::view::{Measure, TrendsView, lay_behind, trends};
use crate::chart::alternative::Alternative;
use crate::chart::marks::{Mark, key as key_of};
use crate::engine::report::Report;
use crate::store::Store;
use crate::widgets::picture::{
    Stride, chart_keys, chart_menu, choice, insert, legend_lines, queue_spots, table, walk, width_of,
};

/// Names of the legend keys.
const KEYS: [&str; 3] = ["allocated", "requested", "fair share"];

/// States of queues, in the strip below the allocation.
const STATES: [Mark; 3] = [Mark::Within, Mark::Over, Mark::Beyond];

/// Small timelines with a common scale.
#[component]
pub fn Trends() -> impl IntoView {
    let store = Store::get();
    let place = NodeRef::<html::Div>::new();
    let width = width_of(place, 640.0);
    let as_table = RwSignal::new(false);
    let measure = RwSignal::new(Measure::Amounts);
    let view = Memo::new(move |_| -> Option<TrendsView> {
        let (report, run, frame) = (store.report.get()?, store.run.get()?, store.frame.get()?);
        let Report::Trends(series) = &*report else { return None };
        let mut view =
            trends(series, &run, &frame, store.selection.get().as_ref(), (store.charted.get(), measure.get()));
        if let Some((other, was, changed)) = store.reported_alternative()
            && let Report::Trends(other) = &*other
        {
            lay_behind(&mut view, (other, Alternative { frame: &was, changed: changed.as_deref() }));
        }
        Some(view)
    });
    let svg = Signal::derive(move || view.with(|v| v.as_ref().map_or(String::new(), |v| draw(v, width.get()))));
    let columns = move || (0..).take_while(|at| place_of(*at, width.get_untracked())[1] == 0.0).count();
    let keys = move |event: web_sys::KeyboardEvent| {
        if !chart_keys(store, &event, as_table, || view.get_untracked().map(|view| view.table)) {
            let down = columns();
            walk(&event, Stride { down, page: 4 * down });
        }
    };
    let says = Signal::derive(move || {
        let says = |view: &TrendsView| view.tiles.iter().map(|tile| (tile.name.clone(), tile.says.clone())).collect();
        view.with(|view| view.as_ref().map_or(Vec::new(), says))
    });
    view! {
        <section class="chart multiples" aria-label=move || store.terms.get().fill("[Queues] over time") data-composite on:keydown=keys>
            <div class="sect">
                <h2>{move || store.terms.get().fill("[Queues] over time")}</h2>
                <p class="summary">{move || view.with(|v| v.as_ref().map(|v| v.summary.clone()))}</p>
                <Measures measure />
                {chart_menu(as_table)}
            </div>
            <div class="story-body">
                <div node_ref=place class="story-place">
                    <Show
                        when=move || !as_table.get()
                        fallback=move || view.get().map(|view| table(&store.terms.get().fill("[Queues] over time"), view.table))
                    >
                        {insert("picture", svg)}
                        {queue_spots(says, place_of, width)}
                    </Show>
                </div>
            </div>
            <div class="legend">
                {keys_of(view)}
                {move || {
                    let mark = view.with(|v| v.as_ref().and_then(|v| v.alternative)).map(|(_, was)| Mark::of_alternative(was));
                    legend_lines(mark.map(|mark| (key_of(mark), mark.name())))
                }}
            </div>
        </section>
    }
}

/// Choice of the measure, if there are several.
#[component]
fn Measures(measure: RwSignal<Measure>) -> impl IntoView {
    let store = Store::get();
    let measures =
        Memo::new(move |_| store.frame.get().map_or(Vec::new(), |frame| Measure::all(&frame, store.charted.get())));
    move || {
        let all = measures.get();
        (all.len() > 1).then(|| {
            let at = all.iter().position(|(of, _)| *of == measure.get_untracked()).unwrap_or(0);
            let names = all.iter().map(|(_, name)| (*name).to_string()).collect();
            choice("Show: ", names, at, move |at| {
                measure.set(all.get(at).map_or(Measure::Amounts, |(of, _)| *of));
            })
        })
    }
}

/// Legend of the lines and of the strip of states.
fn keys_of(view: Memo<Option<TrendsView>>) -> impl IntoView {
    move || {
        let (measure, has_states) =
            view.with(|view| view.as_ref().map_or((Measure::Amounts, false), |view| (view.measure, view.has_states())));
        let names = match measure {
            Measure::Amounts => KEYS,
            Measure::Ratio => [Measure::Ratio.name(), "", "1: all of the fair share"],
            Measure::Usage => [Measure::Usage.name(), "", ""],
        };
        let keys = names.into_iter().enumerate().filter(|(_, name)| !name.is_empty());
        let keys = keys.map(|(at, name)| (key(at), name));
        let states = STATES.into_iter().filter(|_| has_states).map(|mark| (key_of(mark), mark.name()));
        legend_lines(keys.chain(states))
    }
}
