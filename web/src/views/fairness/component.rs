//! Fairness and waste: numbers of the cluster, and a bar for each queue.

use fairground::words::Selection;
use leptos::html;
use leptos::prelude::*;

use super::draw::{fairness as draw, place as place_of};
use super::view::{FairnessView, Warning, fairness, put_differences};
use crate::chart::alternative::Alternative;
use crate::engine::report::Report;
use crate::state::command::Command;
use crate::store::Store;
use crate::widgets::picture::{Stride, chart_keys, chart_menu, insert, queue_spots, table_of, walk, width_of};
use crate::widgets::term::term;

/// Numbers of the cluster, and what each queue was owed and borrowed.
#[component]
pub fn Fairness() -> impl IntoView {
    let store = Store::get();
    let place = NodeRef::<html::Div>::new();
    let width = width_of(place, 640.0);
    let as_table = RwSignal::new(false);
    let view = Memo::new(move |_| -> Option<FairnessView> {
        let (report, frame) = (store.report.get()?, store.frame.get()?);
        let Report::Fairness(tally) = &*report else { return None };
        let mut view = fairness(tally, &frame, store.selection.get().as_ref());
        if let Some((other, was, changed)) = store.reported_alternative()
            && let Report::Fairness(other) = &*other
        {
            let alternative = Alternative { frame: &was, changed: changed.as_deref() };
            put_differences(&mut view, (tally, &frame), (other, alternative));
        }
        Some(view)
    });
    let facts = move || {
        let facts = view.with(|view| view.as_ref().map(|view| view.facts.clone())).unwrap_or_default();
        let fact = |fact: crate::views::fairness::view::Fact| {
            let since = (!fact.since.is_empty()).then(|| view! { <span class="by">{fact.since}</span> });
            let reading = fact.reading.clone();
            view! {
                <div class="fact" title=reading>
                    <dt>{term(fact.name.to_string())}</dt>
                    <dd><b>{fact.value}</b>{since}<span class="unseen">{fact.reading}</span></dd>
                </div>
            }
        };
        facts.into_iter().map(fact).collect_view()
    };
    let warnings = move || {
        let warnings = view.with(|view| view.as_ref().map(|view| view.warnings.clone())).unwrap_or_default();
        let warning = |Warning { name, job, says }: Warning| {
            let selection = Selection::Job(job.clone());
            let explain = move |_| {
                store.dispatch(Command::Select(Some(selection.clone())));
                store.dispatch(Command::Why(true));
            };
            view! {
                <p class="warning">
                    <b>{name}</b>
                    <span><code>{job}</code>{says}</span>
                    <button type="button" class="link" on:click=explain>"Why?"</button>
                </p>
            }
        };
        warnings.into_iter().map(warning).collect_view()
    };
    let svg = Signal::derive(move || view.with(|v| v.as_ref().map_or(String::new(), |v| draw(v, width.get()))));
    let says = Signal::derive(move || {
        let says = |view: &FairnessView| view.bars.iter().map(|bar| (bar.name.clone(), view.says(bar))).collect();
        view.with(|view| view.as_ref().map_or(Vec::new(), says))
    });
    let keys = move |event: web_sys::KeyboardEvent| {
        if !chart_keys(store, &event, as_table, || view.get_untracked().map(|view| view.table)) {
            walk(&event, Stride { down: 1, page: 10 });
        }
    };
    let as_data = move || {
        let title = store.terms.get().fill("Fairness and waste by [queue]");
        view.get().map(|view| table_of(&title, view.table, view.meant))
    };
    view! {
        <section class="chart fairness" aria-label="Fairness and waste" data-composite on:keydown=keys>
            <div class="sect">
                <h2>"Fairness and waste"</h2>
                <p class="summary">{move || view.with(|view| view.as_ref().map(|view| view.summary.clone()))}</p>
                {chart_menu(as_table)}
            </div>
            {warnings}
            <dl class="facts-row">{facts}</dl>
            <div class="story-body">
                <div node_ref=place class="story-place">
                    <Show when=move || !as_table.get() fallback=as_data>
                        {insert("picture", svg)}
                        {queue_spots(says, place_of, width)}
                    </Show>
                </div>
            </div>
        </section>
    }
}
