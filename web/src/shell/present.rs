//! Present: the class of the root element that enlarges the page, the link to the speaker notes, and the button that
//! ends it.

use leptos::prelude::*;
use wasm_bindgen::JsCast;

use super::speaker_notes::SpeakerNotes;
use crate::state::command::Command;
use crate::state::layout::options::Presenting;
use crate::store::Store;
use crate::widgets::button::CommandButton;

/// The link to the notes and the button that ends the presentation, while there is one.
#[component]
pub fn Present() -> impl IntoView {
    let store = Store::get();
    let presenting = store.part(|m| m.view.presenting);
    Effect::new(move |was: Option<Presenting>| {
        let now = presenting.get();
        if let Some(root) = document().document_element() {
            root.set_class_name(now.classes());
        }
        if was.is_some_and(|was| (was == Presenting::Off) != (now == Presenting::Off)) {
            // Panels are arranged by the width of the window in characters.
            let _ = web_sys::Event::new("resize").map(|event| window().dispatch_event(&event));
            focus_now();
        }
        now
    });
    view! {
        <Show when=move || presenting.get() != Presenting::Off>
            <SpeakerNotes />
            <CommandButton class="btn end" command=Command::Present(Presenting::Off)>
                "End"
                <span class="kbd" aria-hidden="true">"Esc"</span>
            </CommandButton>
        </Show>
    }
}

/// Space presses no button, and ↑ and ↓ scroll what is too large.
fn focus_now() {
    let now = document().get_elements_by_class_name("now-panel").item(0);
    if let Some(now) = now {
        let _ = now.unchecked_into::<web_sys::HtmlElement>().focus();
    }
}
