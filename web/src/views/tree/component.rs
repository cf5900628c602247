//! Tree: queues inside their parents.

use std::sync::Arc;

use fairground::words::Selection;
use leptos::html;
use leptos::prelude::*;

use super::draw::{place as place_of, tree as draw};
use super::view::{Block, TreeView, measures, merge_narrow, tree, with_alternative};
use crate::chart::alternative::Alternative;
use crate::chart::marks::{Mark, key as key_of};
use crate::engine::protocol::Frame;
use crate::state::command::Command;
use crate::store::Store;
use crate::widgets::picture::{Stride, chart_keys, chart_menu, insert, legend_lines, rem, table, walk, width_of};

/// The tree with a choice of the measure of widths.
#[component]
pub fn QueueTree() -> impl IntoView {
    let store = Store::get();
    let place = NodeRef::<html::Div>::new();
    let width = width_of(place, 640.0);
    let measure = RwSignal::new(0usize);
    let as_table = RwSignal::new(false);
    let seen = Memo::new(move |_| -> Option<TreeView> {
        let frame = store.frame.get()?;
        let all = measures(Some(&*frame));
        let (by, _) = all[measure.get().min(all.len() - 1)];
        let of = |frame: &Frame| tree(frame, store.selection.get().as_ref(), store.charted.get(), by);
        let view = of(&frame);
        Some(match store.alternative.get() {
            Some(was) => {
                let changed = store.changed.get();
                with_alternative(view, &of(&was), Alternative { frame: &was, changed: changed.as_deref() })
            }
            None => view,
        })
    });
    let view = move || seen.get();
    let svg = Signal::derive(move || view().map_or(String::new(), |view| draw(&view, width.get())));
    let keys = move |event: web_sys::KeyboardEvent| {
        if !chart_keys(store, &event, as_table, || view().map(|view| view.table)) {
            walk(&event, Stride { down: 1, page: 10 });
        }
    };
    let spot = move |block: Block| {
        let at = block.depth;
        let says = block.says.clone();
        let selection = (!block.leads_to.is_empty()).then(|| Selection::Queue(block.leads_to.clone()));
        let this = selection.clone();
        let is_selected = move || this.is_some() && store.selection.with(|selected| *selected == this);
        // A resized block keeps its element and the focus.
        let block = Arc::new(block);
        let lies = move |part: fn((f64, f64, f64, f64)) -> f64| {
            let block = block.clone();
            move || rem(part(place_of(&block, width.get())))
        };
        view! {
            <button
                class="spot"
                style:left=lies(|place| place.0)
                style:top=lies(|place| place.1)
                style:width=lies(|place| place.2.max(4.0))
                style:height=lies(|place| place.3)
                tabindex=if at == 0 { "0" } else { "-1" }
                aria-label=says.clone()
                title=says
                aria-pressed=move || is_selected().to_string()
                on:click=move |_| store.dispatch(Command::Select(selection.clone()))
            ></button>
        }
    };
    // Unchanged while only the selection changes, so that the focus stays.
    let spots = Memo::new(move |_| {
        let blocks = seen.with(|view| view.as_ref().map_or(Vec::new(), |view| merge_narrow(view, width.get())));
        blocks.into_iter().map(|block| Block { on_path: false, alternative: None, ..block }).collect::<Vec<_>>()
    });
    let key = |block: &Block| {
        let part = |share: f64| (share * 1e6) as i64;
        (block.queue, block.depth, part(block.x), part(block.w), block.says.clone())
    };
    let names = Memo::new(move |_| store.frame.with(|frame| measures(frame.as_deref())));
    let options = move || {
        let option = |(i, (_, name)): (usize, &(_, &'static str))| {
            let name = store.terms.get().word_apart(name);
            view! { <option value=i.to_string() selected=i == measure.get_untracked()>{name}</option> }
        };
        names.get().iter().enumerate().map(option).collect_view()
    };
    view! {
        <section class="chart tree" aria-label="Tree" data-composite on:keydown=keys>
            <div class="sect">
                <h2>"Tree"</h2>
                <p class="summary">{move || view().map(|view| view.summary)}</p>
                <label class="row">
                    "Width: "
                    <select class="input" on:change=move |event| measure.set(event_target_value(&event).parse().unwrap_or(0))>
                        {options}
                    </select>
                </label>
                {chart_menu(as_table)}
            </div>
            <div class="tree-body">
                <div node_ref=place class="tree-place">
                    <Show
                        when=move || !as_table.get()
                        fallback=move || view().map(|view| table(&store.terms.get().fill("[Queues] by level"), view.table))
                    >
                        {insert("picture", svg)}
                        <div role="group" aria-label=move || store.terms.get().fill("[Queues] by level")>
                            <For each=move || spots.get() key=key let:block>
                                {spot(block)}
                            </For>
                        </div>
                    </Show>
                </div>
            </div>
            {move || {
                let mark = view().and_then(|view| view.alternative).map(Mark::of_alternative);
                mark.map(|mark| view! { <div class="legend">{legend_lines([(key_of(mark), mark.name())])}</div> })
            }}
        </section>
    }
}
