//! Serving order of the next cycle, below the bars; computed while it is unfolded.

use fairground::id::Id;
use fairground::moment::Serving;
use fairground::policy::Policy;
use fairground::words::number::count;
use fairground::words::{Level, Terms, order_lines};
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use crate::engine::protocol::Frame;
use crate::engine::report::Report;
use crate::state::command::Command;
use crate::store::Store;
use crate::views::why::component::{entry_list, section};

/// The order, initially folded; nothing for policies without one.
#[component]
pub fn ServedFirst() -> impl IntoView {
    let store = Store::get();
    let has_order =
        Memo::new(move |_| store.scenario.with(|s| Policy::described_or_default(&s.policy).supports.lists_order));
    let is_open = Memo::new(move |_| store.view.with(|v| v.serving));
    let toggle = move |event: web_sys::Event| {
        let details = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
        if let Some(details) = details {
            store.dispatch(Command::Serving(details.has_attribute("open")));
        }
    };
    let body = move || {
        let frame = store.frame.get().filter(|_| is_open.get())?;
        let report = store.report.get()?;
        let Report::Serving(serving) = &*report else { return None };
        Some(lines(serving, &frame))
    };
    view! {
        <Show when=move || has_order.get()>
            <details class="serving no-print" open=is_open.get_untracked() on:toggle=toggle>
                <summary>"Who is served first"</summary>
                <div class="why">{body}</div>
            </details>
        </Show>
    }
}

fn lines(serving: &Serving, frame: &Frame) -> impl IntoView + use<> {
    let terms = Terms::of(&frame.policy);
    let pools = serving.pools.iter().map(|(pool, levels)| {
        let name = frame.pools.get(pool.index()).map(|pool| pool.name.clone());
        let list = |Level { caption, entries }: Level| {
            let caption = match &name {
                Some(pool) => format!("{caption}, node pool {pool}"),
                None => caption,
            };
            section(caption, entry_list(entries).into_any())
        };
        order_lines(frame, levels).into_iter().map(list).collect_view()
    });
    let pools: Vec<_> = pools.collect();
    let says = match pools.iter().all(Vec::is_empty) {
        true => "No competition: nothing waits beside anything else.",
        false => {
            "The order of the next cycle. Each line says why it comes after the one above. Every [job] that is placed can change it."
        }
    };
    let left_out = (serving.n_left_out > 0).then(|| {
        let n = count(u64::from(serving.n_left_out), "further [queue]");
        let n = terms.fill(&n);
        view! { <p class="hint">{format!("Not listed: {n} with pending work. Select one to see its place.")}</p> }
    });
    view! {
        <p class="hint">{terms.fill(says)}</p>
        {pools}
        {left_out}
    }
}
