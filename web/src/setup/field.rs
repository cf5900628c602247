//! A labelled field of a form that edits one value of the scenario.

use fairground::scenario::Path;
use leptos::prelude::*;

use super::edit_box::EditKind;
use crate::input_normalisation;
use crate::state::command::Command;
use crate::state::document;
use crate::state::document::ValidValue;
use crate::store::Store;

/// A labelled field. Invalid text stays visible with its error; the scenario keeps the old value meanwhile.
#[component]
pub fn Field(
    at: Path,
    label: String,
    /// Help text.
    says: String,
    default: &'static str,
    /// How it is edited.
    kind: EditKind,
) -> impl IntoView {
    let store = Store::get();
    let path = at.to_string();
    let at = StoredValue::new(at);
    let value = Memo::new(move |_| store.edited.with(|scenario| at.with_value(|at| document::value(scenario, at))));
    let typed = RwSignal::new(None::<String>);
    let mistake = RwSignal::new(None::<String>);
    let shown = move || typed.get().unwrap_or_else(|| value.get());
    let valid = StoredValue::new(None::<ValidValue>);
    let check = move |text: &str| {
        let outcome = at.with_value(|at| store.try_set(at, text));
        mistake.set(outcome.as_ref().err().cloned());
        valid.set_value(outcome.ok());
    };
    let change = move |text: String| {
        if valid.with_value(|valid| valid.as_ref().is_none_or(|valid| valid.value != text)) {
            check(&text);
        }
        if let Some(valid) = valid.get_value() {
            typed.set(None);
            // Last: a new name rebuilds the form, which removes this field.
            store.dispatch(Command::SetValid(Box::new(valid)));
        }
    };
    let restore = move || {
        typed.set(None);
        mistake.set(None);
        store.dispatch(Command::PreviewEnd);
    };
    let id = format!("field-{}", path.replace(char::is_whitespace, "_"));
    let described = format!("{id}-says");
    let usual = if matches!(kind, EditKind::Usual(_)) { format!("{id}-usual") } else { String::new() };
    let note = store.text(move |m| {
        let here = m.document.findings.iter().find(|d| at.with_value(|at| d.at == *at));
        here.map(|d| d.says.clone()).unwrap_or_default()
    });
    let normal = move || at.with_value(|at| input_normalisation::normal(at, &shown()));
    let control = match kind {
        EditKind::Choice(choices) => {
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
                    on:change=move |event| change(event_target_value(&event))
                >
                    <option value="" prop:selected=move || value.with(String::is_empty)>
                        {if default.is_empty() { "not set" } else { default }}
                    </option>
                    {options.collect_view()}
                </select>
            }
            .into_any()
        }
        kind => view! {
            <input
                id=id.clone()
                class="input"
                data-path=path
                type="text"
                autocomplete="off"
                spellcheck="false"
                maxlength="300"
                list=(!usual.is_empty()).then(|| usual.clone())
                placeholder=default
                aria-describedby=described.clone()
                aria-invalid=move || mistake.get().map(|_| "true")
                prop:value=shown
                on:input=move |event| {
                    let text = event_target_value(&event);
                    typed.set(Some(text.clone()));
                    check(&text);
                    if valid.with_value(Option::is_some) {
                        store.dispatch(Command::Preview { at: at.get_value(), value: text });
                    }
                }
                on:change=move |event| change(event_target_value(&event))
                on:keydown=move |event| {
                    // Without text to restore, Esc closes the form.
                    if event.key() == "Escape" && typed.with_untracked(Option::is_some) {
                        event.stop_propagation();
                        restore();
                    }
                }
            />
            {values(kind, usual)}
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
                    None => says.clone().into_any(),
                }}
            </p>
            {move || {
                let normal = normal().filter(|_| mistake.with(Option::is_none));
                normal.map(|normal| view! { <p class="hint">{format!("= {normal}")}</p> })
            }}
            {move || {
                let note = note.get();
                let shows = !note.is_empty() && mistake.with(Option::is_none);
                shows.then(|| view! { <p class="hint warn">{note}</p> })
            }}
        </div>
    }
}

/// Suggested values, offered by the browser while typing.
fn values(kind: EditKind, id: String) -> AnyView {
    let EditKind::Usual(values) = kind else { return ().into_any() };
    let values = values.into_iter().map(|(value, means)| view! { <option value=value>{means}</option> });
    view! { <datalist id=id>{values.collect_view()}</datalist> }.into_any()
}
