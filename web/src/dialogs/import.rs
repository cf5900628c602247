//! Import preview: what was understood, assumed and ignored in files.

use fairground::import::Mapping;
use fairground::policy::Policy;
use leptos::prelude::*;

use crate::engine::protocol::ImportOptions;
use crate::state::command::Command;
use crate::state::import::Import;
use crate::state::import::commands::reloadable;
use crate::store::Store;
use crate::widgets::button::CommandButton;
use crate::widgets::dialog::DialogFrame;

/// At most this many files are named.
const NAMES_MAX: usize = 5;

const DAY_MS: i64 = 86_400_000;

#[component]
pub fn ImportPreview() -> impl IntoView {
    let store = Store::get();
    let import = store.part(|m| m.import.clone());
    let get = move || import.get().unwrap_or_default();
    let on_close = store.press(Command::DropImport);
    let names = move || names_of(&get());
    let lists = move || {
        let import = get();
        [
            ("Understood", import.report.understood.clone()),
            ("Assumed", import.report.assumed.clone()),
            ("Ignored", import.report.ignored.clone()),
            ("Errors", import.report.findings.clone()),
        ]
        .into_iter()
        .filter(|(_, lines)| !lines.is_empty())
        .map(|(name, lines)| view! { <List name lines /> })
        .collect_view()
    };
    // A draft opens as soon as it has been read.
    let title = if store.now(|m| m.import.as_ref().is_some_and(|i| i.draft.is_some())) {
        "Opening a large draft"
    } else {
        "Import preview"
    };
    let is_trace = move || get().report.is_trace;
    let can_take = move || get().scenario.is_some() && !get().reading;
    let take = move |run_until_ms| {
        if can_take() {
            store.dispatch(Command::TakeImport { run_until_ms });
        }
    };
    view! {
        <DialogFrame title=title on_close>
            <p class="dim">{names}</p>
            <Choices />
            <Show when=move || get().reading>
                <p><progress aria-label="Reading"></progress> " Reading"</p>
            </Show>
            <div class="import-lists">{lists}</div>
            <Show when=move || !get().report.more.is_empty()>
                <p class="hint">"The first one is opened, the others are kept among your drafts."</p>
            </Show>
            <div class="row">
                <button
                    type="button"
                    class="btn primary"
                    autofocus
                    aria-disabled=move || (!can_take()).then_some("true")
                    on:click=move |_| take(is_trace().then_some(DAY_MS))
                >
                    {move || take_label(&get())}
                </button>
                <Show when=is_trace>
                    <button
                        type="button"
                        class="btn"
                        aria-disabled=move || (!can_take()).then_some("true")
                        on:click=move |_| take(None)
                    >
                        "Open at the start"
                    </button>
                </Show>
                <Reload />
                <button type="button" class="btn" on:click=move |_| on_close.run(())>"Cancel"</button>
            </div>
        </DialogFrame>
    }
}

/// Button that adds the recognised configuration as a timeline change.
#[component]
fn Reload() -> impl IntoView {
    let store = Store::get();
    let cycle = store.part(|m| reloadable(m).map(|(_, cycle, _)| cycle));
    let button = move |cycle: u32| {
        view! {
            <CommandButton
                class="btn"
                title="Adds what is different from the present scenario to its timeline"
                command=Command::ReloadImport
            >
                {format!("Reload at cycle {cycle}")}
            </CommandButton>
        }
    };
    move || cycle.get().map(button)
}

/// The first files by name.
fn names_of(import: &Import) -> String {
    let names: Vec<&str> = import.files.iter().take(NAMES_MAX).map(|(name, _)| name.as_str()).collect();
    let more = import.files.len().saturating_sub(NAMES_MAX);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", names.join(", "))
}

fn take_label(import: &Import) -> String {
    match import.report.more.len() {
        _ if import.report.is_trace => "Open and run one day".to_string(),
        0 => "Open this scenario".to_string(),
        n => format!("Open all {} scenarios", n + 1),
    }
}

#[component]
fn List(name: &'static str, lines: Vec<String>) -> impl IntoView {
    let n = lines.len();
    let more = n.saturating_sub(30);
    let lines = lines.into_iter().take(30).map(|line| view! { <li>{line}</li> });
    view! {
        <section>
            <h3>{name}</h3>
            <ul>{lines.collect_view()}</ul>
            {(more > 0).then(|| view! { <p class="dim">{format!("and {more} more")}</p> })}
        </section>
    }
}

/// Reads the files again with changed options.
fn read_again(store: Store, change: impl FnOnce(&mut ImportOptions)) {
    let Some(import) = store.now(|m| m.import.clone()) else { return };
    let mut options = import.options.clone();
    change(&mut options);
    store.dispatch(Command::Import { files: import.files.clone(), options });
}

/// Options that the files leave open.
#[component]
fn Choices() -> impl IntoView {
    let store = Store::get();
    let is_foreign = store.part(|m| m.import.as_ref().is_some_and(|i| i.report.is_foreign));
    let is_trace = store.part(|m| m.import.as_ref().is_some_and(|i| i.report.is_trace));
    let has_columns = store.part(|m| m.import.as_ref().is_some_and(|i| i.report.columns.is_some()));
    view! {
        <div class="row wrap">
            <Show when=move || is_foreign.get()>
                <PolicyChoice />
            </Show>
            <Show when=move || is_trace.get()>
                <TraceOptions />
            </Show>
        </div>
        <Show when=move || has_columns.get()>
            <TraceColumns />
        </Show>
    }
}

/// The policy of the scenario.
#[component]
fn PolicyChoice() -> impl IntoView {
    let store = Store::get();
    let chosen = store.now(|m| m.import.as_ref().map(|i| i.options.policy.clone())).unwrap_or_default();
    let choices = Policy::ALL.iter().map(|of| {
        view! { <option value=of.key selected=chosen == of.key>{of.short}</option> }
    });
    let choices = choices.collect_view();
    view! {
        <label class="field">
            <span>"Policy"</span>
            <select
                class="input"
                on:change=move |event| {
                    let policy = event_target_value(&event);
                    read_again(store, |options| options.policy = policy);
                }
            >
                <option value="" selected=chosen.is_empty()>
                    "As in the files"
                </option>
                {choices}
            </select>
        </label>
    }
}

/// Sizes that a trace does not contain.
#[component]
fn TraceOptions() -> impl IntoView {
    let store = Store::get();
    let now = store.now(|m| m.import.as_ref().map(|i| i.options.clone())).unwrap_or_default();
    type Put = fn(&mut ImportOptions, String);
    let option = |(name, usual, value, put): (&'static str, &'static str, String, Put)| {
        view! {
            <label class="field">
                <span>{name}</span>
                <input
                    class="input"
                    placeholder=usual
                    prop:value=value
                    on:change=move |event| {
                        let value = event_target_value(&event);
                        read_again(store, |options| put(options, value));
                    }
                />
            </label>
        }
    };
    let nodes: Put = |options, nodes| options.nodes = nodes;
    let scale: Put = |options, scale| options.quota_scale = scale;
    [("Nodes × GPUs", "as many as needed", now.nodes, nodes), ("Quota scale", "1", now.quota_scale, scale)].map(option)
}

/// The first rows of a trace, with a choice of the field for each column.
#[component]
fn TraceColumns() -> impl IntoView {
    let store = Store::get();
    let columns = store.part(|m| m.import.as_ref().and_then(|i| i.report.columns.clone()));
    let table = move || {
        let preview = columns.get().unwrap_or_default();
        let heads = preview.columns.iter().map(|(name, holds)| {
            let column = name.clone();
            let held = holds.clone();
            let choices = Mapping::FIELDS.map(|field| {
                view! { <option value=field.key selected=held == field.key>{field.label}</option> }
            });
            let label = format!("Use of column {name}");
            view! {
                <th scope="col">
                    <span>{name.clone()}</span>
                    <select
                        class="input"
                        aria-label=label
                        on:change=move |event| {
                            let field = event_target_value(&event);
                            read_again(store, |options| map(options, &held, &field, &column));
                        }
                    >
                        <option value="" selected=holds.is_empty()>
                            "Not used"
                        </option>
                        {choices.collect_view()}
                    </select>
                </th>
            }
        });
        let heads = heads.collect_view();
        let rows = preview.rows.into_iter().map(|row| {
            let cells = row.into_iter().map(|cell| view! { <td>{cell}</td> });
            view! { <tr>{cells.collect_view()}</tr> }
        });
        let rows = rows.collect_view();
        view! {
            <table class="import-columns">
                <thead>
                    <tr>{heads}</tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        }
    };
    view! {
        <div class="import-table" tabindex="0" role="region" aria-label="Columns of the trace">
            {table}
        </div>
    }
}

/// Assigns a field to a column and removes the column's previous field.
fn map(options: &mut ImportOptions, before: &str, field: &str, column: &str) {
    options.mapping.retain(|(known, _)| known != before && known != field);
    if !before.is_empty() {
        options.mapping.push((before.to_string(), String::new()));
    }
    if !field.is_empty() {
        options.mapping.push((field.to_string(), column.to_string()));
    }
}
