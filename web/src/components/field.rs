//! A labelled field of a form that edits one value of the scenario.

use crate::dom::prelude::*;
use fairground::scenario::Path;

use super::edit_box::Kind;
use crate::model::{Command, document};
use crate::store::Store;

/// A labelled field. An invalid text stays visible with what is wrong; the scenario keeps the old value until then.
/// Long because its markup is one tree.
#[component]
pub fn Field(
    /// The place of the value.
    at: Path,
    /// What it is called.
    label: &'static str,
    /// What it does.
    says: &'static str,
    /// What holds when it is not set.
    default: &'static str,
    /// How it is edited.
    kind: Kind,
) -> impl IntoView {
    let store = Store::get();
    let path = at.to_string();
    let at = StoredValue::new(at);
    let value = Memo::new(move |_| store.scenario.with(|s| at.with_value(|at| document::value(s, at))));
    let typed = RwSignal::new(None::<String>);
    let mistake = RwSignal::new(None::<String>);
    let shown = move || typed.get().unwrap_or_else(|| value.get());
    let change = move |text: String| {
        let wrong = at.with_value(|at| store.mistake(at, &text));
        if wrong.is_none() {
            store.dispatch(Command::Set { at: at.get_value(), value: text });
            typed.set(None);
        }
        mistake.set(wrong);
    };
    let restore = move || {
        typed.set(None);
        mistake.set(None);
        store.dispatch(Command::PreviewEnd);
    };
    let id = format!("field-{path}");
    let described = format!("{id}-says");
    let control = match kind {
        Kind::Choice(choices) => {
            let options = choices.into_iter().map(|(key, name)| {
                let this = key.clone();
                view! { <option value=key prop:selected=move || value.get() == this>{name}</option> }
            });
            view! {
                <select
                    id=id.clone()
                    class="input"
                    data-path=path
                    aria-describedby=described.clone()
                    on:change=move |event| change(field_text(&event))
                >
                    <option value="" prop:selected=move || value.with(String::is_empty)>
                        {format!("default: {default}")}
                    </option>
                    {options.collect_view()}
                </select>
            }
            .into_any()
        }
        Kind::Text | Kind::Number => view! {
            <input
                id=id.clone()
                class="input"
                data-path=path
                type="text"
                autocomplete="off"
                spellcheck="false"
                maxlength="300"
                placeholder=format!("default: {default}")
                aria-describedby=described.clone()
                aria-invalid=move || mistake.get().map(|_| "true")
                prop:value=shown
                on:input=move |event| {
                    let text = field_text(&event);
                    typed.set(Some(text.clone()));
                    let wrong = at.with_value(|at| store.mistake(at, &text));
                    if wrong.is_none() {
                        store.dispatch(Command::Preview { at: at.get_value(), value: text });
                    }
                    mistake.set(wrong);
                }
                on:change=move |event| change(field_text(&event))
                on:keydown=move |event| {
                    if event.key() == "Escape" {
                        event.stop_propagation();
                        restore();
                    }
                }
            />
        }
        .into_any(),
    };
    view! {
        <div class="field" class:wrong=move || mistake.get().is_some()>
            <label for=id>{label}</label>
            {control}
            <p class="hint" id=described>
                {move || match mistake.get() {
                    Some(wrong) => view! { <span class="mistake" role="alert">{wrong}</span> }.into_any(),
                    None => says.into_any(),
                }}
            </p>
        </div>
    }
}
