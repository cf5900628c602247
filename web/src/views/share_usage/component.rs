//! Share usage: tables of one pool.

use leptos::prelude::*;

use super::view::{Section, pools, sections};
use crate::engine::report::Report;
use crate::store::Store;
use crate::widgets::picture::table_of;

/// How a pool is shared by share usage, and which pool.
#[component]
pub fn ShareUsage() -> impl IntoView {
    let store = Store::get();
    let at = RwSignal::new(0);
    let current = move || store.report.get().zip(store.frame.get());
    let names = Memo::new(move |_| {
        let Some((report, frame)) = current() else { return Vec::new() };
        let Report::ShareUsage(usage) = &*report else { return Vec::new() };
        pools(usage, &frame)
    });
    let choice = move || {
        let pools = names.get();
        (pools.len() > 1).then(|| {
            let options = pools.into_iter().enumerate().map(|(i, name)| {
                view! { <option value=i.to_string() selected=at.get_untracked() == i>{name}</option> }
            });
            view! {
                <label class="row">
                    "Pool: "
                    <select class="input" on:change=move |event| at.set(event_target_value(&event).parse().unwrap_or(0))>
                        {options.collect_view()}
                    </select>
                </label>
            }
        })
    };
    let section = |Section { title, says, table, meant }: Section| {
        let table = (!table.rows.is_empty()).then(|| table_of(title, table, meant));
        view! {
            <h3>{title}</h3>
            <p class="summary">{says}</p>
            {table}
        }
    };
    let tables = move || {
        let (report, frame) = current()?;
        let Report::ShareUsage(usage) = &*report else { return None };
        let all = sections(usage, &frame, store.selection.get().as_ref(), at.get());
        Some(all.into_iter().map(section).collect_view())
    };
    view! {
        <section class="chart share-usage" aria-label="Share usage">
            <div class="sect">
                <h2>"Share usage"</h2>
                {choice}
            </div>
            {tables}
        </section>
    }
}
