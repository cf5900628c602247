//! Fairness and waste, as numbers.

use fairground::words::Selection;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use super::view::{FairnessView, Warning, fairness, put_differences};
use crate::chart::alternative::Alternative;
use crate::engine::report::Report;
use crate::state::command::Command;
use crate::store::Store;
use crate::widgets::picture::{copy, table_with};
use crate::widgets::term::term;

/// Numbers of the cluster, and a table of the queues.
#[component]
pub fn Fairness() -> impl IntoView {
    let store = Store::get();
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
            view! {
                <div class="fact">
                    <dt>{term(fact.name.to_string())}</dt>
                    <dd><b>{fact.value}</b>{since}<span class="dim">{fact.reading}</span></dd>
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
    let keys = move |event: web_sys::KeyboardEvent| {
        let is_copy = (event.ctrl_key() || event.meta_key()) && event.key() == "c";
        if is_copy && !has_marked_text() {
            copy(store, view.get_untracked().map(|view| view.table));
        }
    };
    view! {
        <section class="chart fairness" aria-label="Fairness and waste" on:keydown=keys>
            <div class="sect">
                <h2>"Fairness and waste"</h2>
                <p class="summary">{move || view.with(|view| view.as_ref().map(|view| view.summary.clone()))}</p>
            </div>
            {warnings}
            <dl class="facts-row">{facts}</dl>
            {move || view.get().map(|view| table_with(&store.terms.get().fill("Fairness and waste by [queue]"), view.table, view.meant, view.parts))}
        </section>
    }
}

/// Whether text on the page is selected, for example to copy it.
fn has_marked_text() -> bool {
    let window = window();
    let marked = js_sys::Reflect::get(&window, &"getSelection".into()).ok();
    let marked = marked.and_then(|get| get.dyn_into::<js_sys::Function>().ok()?.call0(&window).ok());
    marked.is_some_and(|marked| marked.dyn_into::<js_sys::Object>().is_ok_and(|m| m.to_string().length() > 0))
}
