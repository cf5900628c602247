//! Views of single policies: a picture and tables of an engine report, each with an introduction.

use leptos::html;
use leptos::prelude::*;

use crate::chart::table::Section;
use crate::engine::report::Report;
use crate::store::Store;
use crate::views::{priorities, share_usage};
use crate::widgets::picture::{choice, insert, table_of, width_of};

/// The tables of a report; for share usage, those of one pool with a choice of the pool.
#[component]
pub fn Tables(
    /// The name of the view.
    name: &'static str,
) -> impl IntoView {
    let store = Store::get();
    let at = RwSignal::new(0);
    let current = move || store.report.get().zip(store.frame.get());
    let names = Memo::new(move |_| {
        let Some((report, frame)) = current() else { return Vec::new() };
        let Report::ShareUsage(usage) = &*report else { return Vec::new() };
        share_usage::view::pools(usage, &frame)
    });
    let pool = move || {
        let pools = names.get();
        (pools.len() > 1).then(|| choice("Pool: ", pools, at.get_untracked(), move |pool| at.set(pool)))
    };
    let place = NodeRef::<html::Div>::new();
    let width = width_of(place, 640.0);
    let svg = Signal::derive(move || {
        let Some((report, frame)) = current() else { return String::new() };
        match &*report {
            Report::ShareUsage(usage) => {
                share_usage::draw::usage(&share_usage::view::bars(usage, &frame, at.get()), width.get())
            }
            Report::Priorities(_) => priorities::draw::priorities(&priorities::view::flows(&frame), width.get()),
            _ => String::new(),
        }
    });
    let reading = move || {
        store.report.with(|report| match report.as_deref() {
            Some(Report::ShareUsage(_)) => "Filled: share usage. Outlined: usage demand. Diamond: share usage quota.",
            Some(Report::Priorities(_)) => {
                "Priorities go up the tree, from right to left. Thick: where a parent has its priority from. A wall is a fence: only the \
                 offset passes."
            }
            _ => "",
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
        let selection = store.selection.get();
        let all = match &*report {
            Report::ShareUsage(usage) => share_usage::view::sections(usage, &frame, selection.as_ref(), at.get()),
            Report::Priorities(of) => priorities::view::sections(of, &frame, selection.as_ref()),
            _ => return None,
        };
        Some(all.into_iter().map(section).collect_view())
    };
    view! {
        <section class="chart tables" aria-label=name>
            <div class="sect">
                <h2>{name}</h2>
                {pool}
            </div>
            <div class="story-body">
                <div node_ref=place class="story-place">{insert("picture", svg)}</div>
                <p class="hint">{move || (!svg.with(String::is_empty)).then(reading)}</p>
            </div>
            {tables}
        </section>
    }
}
