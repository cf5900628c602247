//! Text field for editing a value in place, in a table or with a label in a form: stepping, checking, preview, Enter and
//! Esc.

use fairground::scenario::{Edit, Path};
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use crate::input_normalisation;
use crate::state::command::Command;
use crate::state::document;
use crate::state::document::{Change, ValidValue, edit};
use crate::store::Store;
use crate::widgets::picture::watch;
use crate::widgets::{capture, on_leave};

/// Above this many jobs, text is checked when editing ends, not while typing.
const CHECK_LIVE_JOBS_MAX: usize = 3_000;

/// Distance by which dragging over a number changes it by one.
const PIXELS_PER_STEP: i32 = 8;

/// How a value is edited.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum EditKind {
    /// Any text.
    #[default]
    Text,
    /// A number with stepping, or a word such as *unlimited*.
    Number,
    /// One of several values with their labels.
    Choice(Vec<(String, String)>),
    /// Any text, with suggested values and their meanings.
    Usual(Vec<(String, String)>),
}

/// How editing ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Done {
    /// By a key: the focus returns to the cell.
    Key,
    /// By moving the focus elsewhere.
    Blur,
}

/// A field that replaces the text of a cell. It stays open while its text is invalid.
#[component]
pub fn EditBox(
    at: Path,
    /// Initial text.
    start: String,
    kind: EditKind,
    /// Accessible name.
    label: String,
    /// Text that was typed to start editing; it replaces the initial text.
    #[prop(optional)]
    typed: String,
    /// Other paths that get the same value.
    others: Vec<Path>,
    /// Editing ended; the value was set if it changed.
    #[prop(into)]
    on_done: Callback<(Done, String)>,
) -> impl IntoView {
    match kind {
        EditKind::Choice(choices) => view! { <ChoiceBox at start choices label others on_done /> }.into_any(),
        kind => view! { <TextBox at start is_number=kind == EditKind::Number label typed others on_done /> }.into_any(),
    }
}

/// Sets a value at its path and at others; always a single undo step.
fn set_all(store: Store, at: Path, others: &[Path], value: String) {
    if others.is_empty() {
        return store.dispatch(Command::Set { at, value });
    }
    let name = edit::name_of_sets(&at, others.len() + 1, &value);
    let places = others.iter().cloned().chain([at]);
    let edits = places.map(|at| Edit::Set { at, value: value.clone() }).collect();
    store.dispatch(Command::Change(Change::Edits { name, edits }));
}

#[component]
fn TextBox(
    at: Path,
    start: String,
    is_number: bool,
    label: String,
    typed: String,
    others: Vec<Path>,
    on_done: Callback<(Done, String)>,
) -> impl IntoView {
    let store = Store::get();
    let input = NodeRef::<html::Input>::new();
    let replaces = !typed.is_empty();
    let text = RwSignal::new(if replaces { typed } else { start.clone() });
    let mistake = RwSignal::new(None::<String>);
    let finished = StoredValue::new(false);
    let at = StoredValue::new(at);
    let start = StoredValue::new(start);
    let others = StoredValue::new(others);
    input.on_load(move |element| {
        let _ = element.focus();
        if !replaces {
            // Synchronously: the next typed character must replace the initial text, and must not be selected itself.
            element.set_value(&text.get_untracked());
            element.select();
        }
    });
    // Panels clip their content, so the message is positioned in the window.
    let place = RwSignal::new((0.0, 0.0));
    Effect::new(move |_| {
        if mistake.with(Option::is_some)
            && let Some(input) = input.get()
        {
            watch(&input, document().document_element(), move |input| {
                let rect = input.get_bounding_client_rect();
                let width = window().inner_width().ok().and_then(|w| w.as_f64()).unwrap_or(1e4);
                place.set((rect.left().min(width - 256.0).max(8.0), rect.bottom()));
            });
        }
    });
    // The last value that can be set.
    let valid = StoredValue::new(None::<ValidValue>);
    let try_out = move |value: String| {
        text.set(value.clone());
        if store.now(|m| m.document.scenario.jobs.len()) > CHECK_LIVE_JOBS_MAX {
            return;
        }
        match at.with_value(|at| store.try_set(at, &value)) {
            Ok(tried) => {
                valid.set_value(Some(tried));
                mistake.set(None);
                store.dispatch(Command::Preview { at: at.get_value(), value });
            }
            Err(wrong) => mistake.set(Some(wrong)),
        }
    };
    let step = move |by: i64| {
        if let Some(next) = edit::stepped(&text.get_untracked(), by) {
            try_out(next);
        }
    };
    // Dragging sideways over a number changes it: where the pointer went down, and the text there.
    let grabbed = StoredValue::new(None::<(i32, String)>);
    let drag = move |event: leptos::ev::PointerEvent| {
        let Some((from, held)) = grabbed.get_value() else { return };
        let by = i64::from((event.client_x() - from) / PIXELS_PER_STEP);
        if let Some(next) = edit::stepped(&held, by).filter(|next| by != 0 || *next != text.get_untracked()) {
            event.prevent_default();
            try_out(next);
        }
    };
    let finish = move |how: Done| {
        if finished.try_get_value() != Some(false) {
            return;
        }
        let value = text.get_untracked();
        if value == start.get_value() && others.with_value(Vec::is_empty) {
            finished.set_value(true);
            store.dispatch(Command::PreviewEnd);
            on_done.run((how, value));
            return;
        }
        let tried = valid.get_value().filter(|valid| valid.value == value).map(Ok);
        match tried.unwrap_or_else(|| at.with_value(|at| store.try_set(at, &value))) {
            Err(wrong) => mistake.set(Some(wrong)),
            Ok(valid) => {
                finished.set_value(true);
                others.with_value(|others| match others.as_slice() {
                    [] => store.dispatch(Command::SetValid(Box::new(valid))),
                    _ => set_all(store, at.get_value(), others, value.clone()),
                });
                store.dispatch(Command::GestureEnd);
                on_done.run((how, value));
            }
        }
    };
    let restore = move || {
        finished.set_value(true);
        store.dispatch(Command::PreviewEnd);
        on_done.run((Done::Key, start.get_value()));
    };
    let try_values = move || {
        restore();
        store.dispatch(Command::TryOut(Some(at.get_value())));
        request_animation_frame(|| {
            let slider = document().query_selector(".control input").ok().flatten();
            if let Some(slider) = slider.and_then(|slider| slider.dyn_into::<web_sys::HtmlElement>().ok()) {
                let _ = slider.focus();
            }
        });
    };
    let on_key = move |event: leptos::ev::KeyboardEvent| {
        event.stop_propagation();
        let by = if event.shift_key() { 10 } else { 1 };
        match event.key().as_str() {
            "Enter" if is_number && (event.ctrl_key() || event.meta_key()) => try_values(),
            "Enter" => finish(Done::Key),
            "Escape" => restore(),
            "ArrowUp" if is_number => step(by),
            "ArrowDown" if is_number => step(-by),
            _ => return,
        }
        event.prevent_default();
    };
    // Pressing must not move the focus, or the field would close.
    let keep_focus = |event: leptos::ev::PointerEvent| event.prevent_default();
    let stepper = move |class: &'static str, label: &'static str, by: i64, sign: &'static str| {
        view! {
            <button type="button" class=class tabindex="-1" aria-label=label
                on:pointerdown=keep_focus on:click=move |_| step(by)>{sign}</button>
        }
    };
    view! {
        <span class="edit-box" class:wrong=move || mistake.get().is_some()>
            {is_number.then(|| stepper("stepper less", "One less", -1, "−"))}
            <input
                node_ref=input
                class="cell edit"
                class:num=is_number
                type="text"
                inputmode=if is_number { "decimal" } else { "text" }
                autocomplete="off"
                spellcheck="false"
                maxlength="300"
                aria-label=label
                aria-invalid=move || mistake.get().map(|_| "true")
                aria-describedby=move || mistake.get().map(|_| "edit-mistake")
                prop:value=text
                on:input=move |event| try_out(event_target_value(&event))
                on:keydown=on_key
                on:pointerdown=move |event| {
                    if is_number {
                        capture(&event);
                        grabbed.set_value(Some((event.client_x(), text.get_untracked())));
                    }
                }
                on:pointermove=drag
                on:pointerup=move |_| grabbed.set_value(None)
                on:pointercancel=move |_| grabbed.set_value(None)
                on:blur=on_leave(move |_| finish(Done::Blur))
            />
            {is_number.then(|| stepper("stepper more", "One more", 1, "+"))}
            {is_number.then(|| view! {
                <button type="button" class="btn small try-values" tabindex="-1" on:pointerdown=keep_focus title="Ctrl+Enter" on:click=move |_| try_values()>
                    "Try a range of values"
                </button>
            })}
            <Show when=move || mistake.get().is_some()>
                <span
                    class="mistake"
                    id="edit-mistake"
                    role="alert"
                    style:left=move || format!("{}px", place.get().0)
                    style:top=move || format!("calc({}px + var(--below))", place.get().1)
                >
                    {mistake}
                </span>
            </Show>
        </span>
    }
}

#[component]
fn ChoiceBox(
    at: Path,
    start: String,
    choices: Vec<(String, String)>,
    label: String,
    others: Vec<Path>,
    on_done: Callback<(Done, String)>,
) -> impl IntoView {
    let store = Store::get();
    let select = NodeRef::<html::Select>::new();
    let finished = StoredValue::new(false);
    select.on_load(|element| {
        let _ = element.focus();
    });
    let choose = move |value: String| {
        if finished.try_get_value() == Some(false) {
            set_all(store, at.clone(), &others, value);
        }
    };
    let close = move |how: Done| {
        if finished.try_get_value() == Some(false) {
            finished.set_value(true);
            on_done.run((how, String::new()));
        }
    };
    let options = choices.into_iter().map(|(value, name)| {
        let chosen = value == start;
        view! { <option value=value selected=chosen>{name}</option> }
    });
    view! {
        <select
            node_ref=select
            class="cell edit"
            aria-label=label
            on:change=move |event| choose(event_target_value(&event))
            on:keydown=move |event| {
                event.stop_propagation();
                if matches!(event.key().as_str(), "Escape" | "Enter") {
                    event.prevent_default();
                    close(Done::Key);
                }
            }
            on:blur=on_leave(move |_| close(Done::Blur))
        >
            {options.collect_view()}
        </select>
    }
}

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
