//! The picture of the current view, in the share sheet.

use leptos::prelude::*;

use crate::address;
use crate::store::Store;
use crate::widgets::save_picture::Saved;

/// Charts of NOW; the first one is the current view.
const CHARTS: &str = "[aria-label=\"Now\"] .chart";

/// The picture with download and copy buttons; nothing if the view is a table. Pictures contain the scenario's names,
/// so there is none while names are replaced.
pub fn section(
    store: Store,
    is_renamed: RwSignal<bool>,
    link: Memo<String>,
    card: impl Fn() -> Option<String> + Copy + Send + 'static,
) -> Option<AnyView> {
    address::browser()?;
    let chart = document().query_selector(CHARTS).ok()??;
    let saved = StoredValue::new_local(Saved::of(store, &chart)?);
    let (source, title) = saved.with_value(|saved| (saved.source(), saved.title().to_string()));
    let save = move |as_png: bool| move |_| saved.with_value(|saved| saved.download(as_png));
    let copy = move |_| {
        let copy = |card: String| saved.with_value(|saved| saved.copy(store, &link.get_untracked(), card));
        card().into_iter().for_each(copy);
    };
    let section = view! {
        <section class="group" data-part="picture">
            <h3>"Picture"</h3>
            <Show when=move || is_renamed.get()>
                <p class="hint">"The picture shows the names of your scenario. To share others, open the link and save its picture."</p>
            </Show>
            <div hidden=move || is_renamed.get()>
                <img class="share-picture" src=source alt=title />
                <p class="hint">"The view that is chosen. A click on the SVG opens the link, so it can stand where a page cannot be embedded."</p>
                <div class="row">
                    <button type="button" class="btn" on:click=copy>"Copy picture and card"</button>
                    <button type="button" class="btn" on:click=save(false)>"Download the picture (SVG)"</button>
                    <button type="button" class="btn" on:click=save(true)>"Download the picture (PNG)"</button>
                </div>
            </div>
        </section>
    };
    Some(section.into_any())
}
