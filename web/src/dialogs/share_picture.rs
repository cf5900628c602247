//! The picture of the chosen view, as the share sheet sends it.

use leptos::prelude::*;

use crate::address;
use crate::store::Store;
use crate::widgets::save_picture::Saved;

/// The charts of the moment; the first of them is the chosen view.
const CHARTS: &str = "[aria-label=\"Now\"] .chart";

/// The picture, and ways to take it; nothing where the view is a table. It shows the names of the scenario: where others are shared,
/// there is none.
pub fn section(store: Store, is_renamed: RwSignal<bool>) -> Option<AnyView> {
    address::browser()?;
    let chart = document().query_selector(CHARTS).ok()??;
    let saved = StoredValue::new_local(Saved::of(store, &chart)?);
    let (source, title) = saved.with_value(|saved| (saved.source(), saved.title().to_string()));
    let save = move |as_png: bool| move |_| saved.with_value(|saved| saved.download(as_png));
    let section = view! {
        <section class="group" data-part="picture">
            <h3>"Picture"</h3>
            <Show when=move || is_renamed.get()>
                <p class="hint">"The picture shows the names of your scenario. To share others, open the link and save its picture."</p>
            </Show>
            <div hidden=move || is_renamed.get()>
                <img class="share-picture" src=source alt=title />
                <p class="hint">"The view that is chosen, with the link in the file. Other views are chosen above the chart."</p>
                <div class="row">
                    <button type="button" class="btn" on:click=save(false)>"Download the picture (SVG)"</button>
                    <button type="button" class="btn" on:click=save(true)>"Download the picture (PNG)"</button>
                </div>
            </div>
        </section>
    };
    Some(section.into_any())
}
