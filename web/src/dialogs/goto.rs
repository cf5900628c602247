//! Jumps to a cycle by number.

use leptos::html;
use leptos::prelude::*;

use crate::state::command::Command;
use crate::store::Store;
use crate::widgets::dialog::DialogFrame;
use crate::widgets::{NO_CYCLE, cycle_number, target};

/// A field for the number of a cycle.
#[component]
pub fn GoTo(on_close: Callback<()>) -> impl IntoView {
    let store = Store::get();
    let input = NodeRef::<html::Input>::new();
    let wrong = RwSignal::new(false);
    let go = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        let typed = input.get_untracked().map(|input| input.value()).unwrap_or_default();
        let Some(cycle) = cycle_number(&typed) else { return wrong.set(true) };
        on_close.run(());
        store.dispatch(Command::GoTo(cycle));
    };
    view! {
        <DialogFrame title="Go to a cycle" class="small" on_close>
            <form class="row" on:submit=go>
                <label class="unseen" for="goto-cycle">"Cycle"</label>
                <input
                    id="goto-cycle"
                    node_ref=input
                    class="input"
                    inputmode="numeric"
                    autocomplete="off"
                    maxlength="9"
                    autofocus
                    aria-invalid=move || wrong.get().then_some("true")
                    on:input=move |_| wrong.set(false)
                    on:focus=|event| {
                        if let Some(field) = target::<web_sys::HtmlInputElement>(&event) {
                            field.select();
                        }
                    }
                    prop:value=store.now(|m| m.playback.cursor.to_string())
                />
                <button type="submit" class="btn primary">"Go there"</button>
                {move || wrong.get().then(|| view! { <span class="mistake" role="alert">{NO_CYCLE}</span> })}
            </form>
        </DialogFrame>
    }
}
