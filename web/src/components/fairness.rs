//! Fairness and waste, as numbers.

use crate::dom::prelude::*;

use super::picture::table_of;
use crate::engine::story::Story;
use crate::store::Store;
use crate::view_model::before::Ghost;
use crate::view_model::fairness::{FairnessView, fairness, put_differences};

/// Numbers of the cluster, and a table of the queues.
#[component]
pub fn Fairness() -> impl IntoView {
    let store = Store::get();
    let view = Memo::new(move |_| -> Option<FairnessView> {
        let (story, frame) = (store.story.get()?, store.frame.get()?);
        let Story::Tally(tally) = &*story else { return None };
        let mut view = fairness(tally, &frame, store.selection.get().as_ref());
        if let Some((other, was, changed)) = store.other_story()
            && let Story::Tally(other) = &*other
        {
            let ghost = Ghost { frame: &was, changed: changed.as_deref() };
            put_differences(&mut view, (tally, &frame), (other, ghost));
        }
        Some(view)
    });
    let facts = move || {
        let facts = view.with(|view| view.as_ref().map(|view| view.facts.clone())).unwrap_or_default();
        let fact = |fact: crate::view_model::fairness::Fact| {
            let since = (!fact.since.is_empty()).then(|| view! { <span class="by">{fact.since}</span> });
            view! {
                <div class="fact">
                    <dt>{fact.name}</dt>
                    <dd><b>{fact.value}</b>{since}<span class="dim">{fact.reading}</span></dd>
                </div>
            }
        };
        facts.into_iter().map(fact).collect_view()
    };
    view! {
        <section class="chart fairness" aria-label="Fairness and waste">
            <div class="sect">
                <h2>"Fairness and waste"</h2>
                <p class="summary">{move || view.with(|view| view.as_ref().map(|view| view.summary.clone()))}</p>
            </div>
            <dl class="facts-row">{facts}</dl>
            {move || view.get().map(|view| table_of(&store.terms.get().says("Fairness and waste by queue"), view.table, view.meant))}
        </section>
    }
}
