//! Ready-made scenarios by question, and what was edited here before.

use crate::dom::prelude::*;

use crate::components::dialog::DialogFrame;
use crate::library::{EXAMPLES, Example};
use crate::model::draft::DraftLine;
use crate::model::{Command, Dialog, Opened, Origin};
use crate::storage;
use crate::store::Store;

/// Ready-made scenarios and drafts.
#[component]
pub fn Examples(
    /// It was closed.
    on_close: Callback<()>,
) -> impl IntoView {
    let store = Store::get();
    let mut groups: Vec<(&str, Vec<&'static Example>)> = Vec::new();
    for example in EXAMPLES {
        match groups.iter_mut().find(|(question, _)| *question == example.question) {
            Some((_, examples)) => examples.push(example),
            None => groups.push((example.question, vec![example])),
        }
    }
    let groups = groups.into_iter().map(|(question, examples)| {
        let cards = examples.into_iter().map(|example| view! { <Card example /> });
        view! {
            <section>
                <h3>{question}</h3>
                <ul class="cards">{cards.collect_view()}</ul>
            </section>
        }
    });
    view! {
        <DialogFrame title="Examples" class="wide" on_close>
            <p class="hint">
                "Those of KAI and YuniKorn were run on the real schedulers; those of Run:ai and EGO are worked examples of their \
                 documents; the last group compares them. What one tells is what happens. Opening one leaves your own \
                 scenario among the drafts below."
            </p>
            {groups.collect_view()}
            <Drafts />
            <div class="row">
                <button
                    type="button"
                    class="btn"
                    on:click=move |_| store.dispatch(Command::Dialog(Some(Dialog::Paste)))
                >
                    "Empty scenario, or paste yours"
                </button>
            </div>
        </DialogFrame>
    }
}

/// Opens an example.
pub fn open(store: Store, example: &Example) {
    let origin = if example.id == "start" { Origin::Start } else { Origin::Example(example.id.to_string()) };
    store.dispatch(Command::Open(Box::new(Opened::new(example.scenario(), origin))));
}

#[component]
fn Card(example: &'static Example) -> impl IntoView {
    let store = Store::get();
    let open = move |_| open(store, example);
    view! {
        <li>
            <button type="button" class="card" data-example=example.id on:click=open>
                <b>{example.head("name")}</b>
                <span>{example.head("note")}</span>
            </button>
        </li>
    }
}

/// What was edited on this device.
#[component]
fn Drafts() -> impl IntoView {
    let lines = RwSignal::new(storage::drafts());
    let wipe = move |_| {
        storage::wipe();
        lines.set(storage::drafts());
    };
    view! {
        <Show when=move || lines.with(|lines| !lines.is_empty())>
            <section>
                <h3>"Yours, on this device"</h3>
                <ul class="drafts">
                    <For each=move || lines.get() key=|line| line.id.clone() let:line>
                        <DraftEntry line lines />
                    </For>
                </ul>
                <button type="button" class="link" on:click=wipe>"Remove everything this page keeps here"</button>
            </section>
        </Show>
    }
}

#[component]
fn DraftEntry(line: DraftLine, lines: RwSignal<Vec<DraftLine>>) -> impl IntoView {
    let store = Store::get();
    let DraftLine { id, title, saved_ms, .. } = line;
    let when =
        js_sys::Date::new(&saved_ms.into()).to_locale_string("default", &wasm_bindgen::JsValue::UNDEFINED);
    let name = if title.is_empty() { "Untitled".to_string() } else { title };
    let remove_label = format!("Remove the draft {name}");
    let (open_id, remove_id) = (id.clone(), id);
    let open = move |_| match storage::draft(&open_id).map(|draft| draft.open(&open_id)) {
        Some(Ok(opened)) => store.dispatch(Command::Open(Box::new(opened))),
        _ => {
            let text = "This draft cannot be read any more.".to_string();
            store.dispatch(Command::Notify { is_problem: true, text });
        }
    };
    let remove = move |_| {
        storage::remove(&remove_id);
        lines.set(storage::drafts());
    };
    view! {
        <li>
            <button type="button" class="link" on:click=open>{name}</button>
            <span class="dim">{String::from(when)}</span>
            <button type="button" class="link" aria-label=remove_label on:click=remove>"Remove"</button>
        </li>
    }
}
