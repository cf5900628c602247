//! The scenario as text, synchronised with the tables: in a plain field until the editor is loaded (`assets/editor`).

use std::collections::BTreeSet;
use std::sync::Arc;

use fairground::scenario::{Diagnostic, SCHEMA_LINE, Scenario, Severity, positions};
use js_sys::{Array, Function, Reflect};
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::HtmlTextAreaElement;

use crate::linked;
use crate::state::command::Command;
use crate::state::document;
use crate::store::Store;
use crate::widgets::button::CommandButton;
use crate::widgets::icons::{Icon, IconKind};
use crate::widgets::on_leave;

/// Longer texts are parsed when editing ends, not while typing.
const READ_LIVE_MAX: usize = 200_000;
/// Listed findings.
const LISTED_MAX: usize = 12;

/// A typed text and what it says.
#[derive(Clone, Debug, PartialEq)]
struct Draft {
    text: String,
    /// `None` if it cannot be parsed, or was not yet.
    scenario: Option<Arc<Scenario>>,
    findings: Vec<Diagnostic>,
}

impl Draft {
    fn read(text: &str) -> Draft {
        let (scenario, findings) = document::draft(text);
        Draft { text: text.to_owned(), scenario: scenario.map(Arc::new), findings }
    }
}

/// A text field with line numbers, and the editor in its place once that is loaded. Text that parses as a scenario is
/// applied immediately; until then, tables and charts keep the previous one.
#[component]
pub fn TextTab() -> impl IntoView {
    let store = Store::get();
    let field = NodeRef::<html::Textarea>::new();
    let typed = RwSignal::new(None::<Draft>);
    let unread = store.part(|m| m.document.unread.clone());
    // The typed text while it says what the scenario says, or as long as it cannot be parsed.
    let draft = Memo::new(move |_| match unread.get() {
        Some(text) => {
            let own = typed.with(|typed| typed.clone().filter(|typed| typed.text == *text));
            Some(own.unwrap_or_else(|| Draft::read(&text)))
        }
        None => {
            let scenario = store.scenario.get();
            typed.with(|typed| typed.clone().filter(|typed| typed.scenario.as_ref() == Some(&scenario)))
        }
    });
    let found = Memo::new(move |_| draft.with(|draft| draft.as_ref().map_or(Vec::new(), |d| d.findings.clone())));
    let written = Memo::new(move |_| store.scenario.with(|s| document::to_yaml(s)));
    let shown = move || draft.with(|draft| draft.as_ref().map_or_else(|| written.get(), |d| d.text.clone()));
    let read = move |text: String| {
        let draft = Draft::read(&text);
        let scenario = draft.scenario.clone();
        typed.set(Some(draft));
        store.dispatch(match scenario {
            Some(scenario) => Command::SetText(Box::new(Arc::unwrap_or_clone(scenario))),
            None => Command::Unread(Some(text)),
        });
    };
    let on_input = move |event: web_sys::Event| {
        let text = event_target_value(&event);
        if text.len() < READ_LIVE_MAX {
            read(text);
        } else {
            let findings = found.get_untracked();
            typed.set(Some(Draft { text: text.clone(), scenario: None, findings }));
            store.dispatch(Command::Unread(Some(text)));
        }
    };
    let editor = RwSignal::new_local(None::<Editor>);
    let fix = move |i: usize| {
        let fix = found.with_untracked(|all| all.get(i)?.fix.clone());
        if let Some(fix) = fix {
            store.dispatch(Command::Fix(Box::new(fix)));
        }
    };
    Effect::new(move |_| {
        let Some(field) = field.get() else { return };
        // If the tab was left meanwhile, the editor is closed at once.
        spawn_local(async move { drop(editor.try_set(Editor::open(&field, fix).await)) });
    });
    let policy = store.text(|m| m.document.scenario.policy.clone());
    Effect::new(move |_| {
        editor.with(|editor| {
            if let Some(editor) = editor {
                policy.with(|policy| found.with(|found| editor.show(&shown(), policy, found, READ_LIVE_MAX)));
            }
        });
    });
    // Line numbers are one text, except those of lines with an error.
    let lines = move || {
        let n = shown().lines().count().max(1) as u32 + 1;
        let numbers = |from: u32, to: u32| (from..to).map(|n| format!("{n}\n")).collect::<String>();
        let wrong = found.with(|all| {
            let errors = all.iter().filter(|finding| finding.severity == Severity::Error);
            errors.filter_map(|finding| finding.position.map(|(line, _)| line)).collect::<BTreeSet<u32>>()
        });
        let mut from = 1;
        let mut parts = Vec::new();
        for line in wrong.into_iter().filter(|line| (1..=n).contains(line)) {
            parts.push(numbers(from, line).into_any());
            parts.push(view! { <mark>{line}</mark>"\n" }.into_any());
            from = line + 1;
        }
        parts.push(numbers(from, n + 1).into_any());
        parts
    };
    let rows = move || (shown().lines().count() + 2).to_string();
    let has_comments = move || {
        draft.with(|draft| {
            draft.as_ref().is_some_and(|draft| {
                draft.text.lines().any(|l| l.trim_start().starts_with('#') && !l.starts_with(SCHEMA_LINE))
            })
        })
    };
    let finding = move |finding: Diagnostic| {
        let line = finding.position.map_or(0, |(line, _)| line);
        let go = move |_| {
            editor.with_untracked(|editor| match (editor, field.get_untracked()) {
                (Some(editor), _) => editor.select(line),
                (None, Some(field)) => select_line(&field, line),
                _ => {}
            });
        };
        let icon = if finding.severity == Severity::Error { IconKind::Problem } else { IconKind::Warning };
        let fix = finding.fix.map(|fix| {
            let label = fix.label.clone();
            let fix = move |_| store.dispatch(Command::Fix(Box::new(fix.clone())));
            view! { <button type="button" class="link" on:click=fix>{label}</button> }
        });
        view! {
            <li>
                <button type="button" class="link" on:click=go>
                    <Icon kind=icon />
                    {format!("Line {line}")}
                </button>
                " "
                {finding.says}
                " "
                {fix}
            </li>
        }
    };
    let findings = move || {
        let found = found.get();
        (!found.is_empty()).then(|| {
            let items = found.into_iter().take(LISTED_MAX).map(finding).collect_view();
            view! { <div id="text-findings" role="alert"><ul class="text-findings">{items}</ul></div> }
        })
    };
    view! {
        <div class="text-tab">
            <p class="hint">
                "The whole scenario as YAML. It applies as soon as it is valid; errors are listed here with their line."
            </p>
            {findings}
            {move || {
                has_comments()
                    .then(|| view! { <p class="hint warn">"Comments are not kept; use a note field instead."</p> })
            }}
            <Show when=move || unread.with(Option::is_some)>
                <p class="hint warn">
                    "Tables and charts show the last valid scenario. This text is kept on this device. "
                    <CommandButton class="link" command=Command::Unread(None)>
                        "Discard the text"
                    </CommandButton>
                </p>
            </Show>
            <div class="text-field">
                <Show when=move || editor.with(Option::is_none)>
                    <pre aria-hidden="true">{lines}</pre>
                </Show>
                <textarea
                    node_ref=field
                    aria-label="The scenario as text"
                    aria-describedby="text-findings"
                    aria-invalid=move || {
                        found.with(|all| all.iter().any(|d| d.severity == Severity::Error)).then_some("true")
                    }
                    spellcheck="false"
                    autocomplete="off"
                    wrap="off"
                    rows=rows
                    prop:value=shown
                    on:input=on_input
                    on:change=move |event| read(event_target_value(&event))
                    on:blur=on_leave(move |_| store.dispatch(Command::GestureEnd))
                ></textarea>
            </div>
        </div>
    }
}

/// Focuses the field and selects a line, counted from 1.
fn select_line(field: &web_sys::HtmlTextAreaElement, line: u32) {
    let text = field.value();
    let mut start = 0;
    for (i, of) in text.split('\n').enumerate() {
        let length = of.encode_utf16().count() as u32;
        if i as u32 + 1 == line.max(1) {
            let _ = field.focus();
            let _ = field.set_selection_range(start, start + length);
            return;
        }
        start += length + 1;
    }
}

/// An open editor.
pub struct Editor {
    object: JsValue,
    _fix: Closure<dyn FnMut(usize)>,
}

impl Editor {
    /// Loads the editor and opens it in the place of a text field. `None` if it cannot be loaded; the field remains.
    /// `fix` applies the fix of a finding.
    pub async fn open(field: &HtmlTextAreaElement, fix: impl FnMut(usize) + 'static) -> Option<Editor> {
        let boot = Reflect::get(&js_sys::global(), &"fairground".into()).ok()?;
        let module = JsFuture::from(call(&boot, "loadEditor", &[])?.dyn_into::<js_sys::Promise>().ok()?).await.ok()?;
        let fix = Closure::new(fix);
        // The panel may have been left meanwhile.
        let object = field.is_connected().then(|| call(&module, "open", &[field.as_ref(), fix.as_ref()]))??;
        Some(Editor { object, _fix: fix })
    }

    /// Shows a text, what is wrong with it, and, unless it is too long, which of its numbers others are linked with.
    pub fn show(&self, text: &str, policy: &str, findings: &[Diagnostic], linked_max: usize) {
        call(&self.object, "setText", &[&text.into()]);
        if text.len() < linked_max {
            call(&self.object, "setNumbers", &[&numbers(text, policy)]);
        }
        call(&self.object, "setFindings", &[&findings.iter().map(finding).collect::<Array>()]);
    }

    /// Selects a line, counted from 1.
    pub fn select(&self, line: u32) {
        call(&self.object, "select", &[&line.into()]);
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        call(&self.object, "close", &[]);
    }
}

fn call(object: &JsValue, name: &str, arguments: &[&JsValue]) -> Option<JsValue> {
    let function: Function = Reflect::get(object, &name.into()).ok()?.dyn_into().ok()?;
    function.apply(object, &arguments.iter().copied().collect()).ok()
}

/// The numbers in a text as line, column and name.
fn numbers(text: &str, policy: &str) -> Array {
    let named = positions(text).into_iter().filter_map(|(path, at)| Some((linked::of_field(policy, &path)?, at)));
    named.map(|(name, (line, column))| Array::of3(&line.into(), &column.into(), &name.into())).collect()
}

/// A finding as line, column, whether it is an error, message, and label of the fix.
fn finding(finding: &Diagnostic) -> Array {
    let (line, column) = finding.position.unwrap_or((1, 1));
    let fix = finding.fix.as_ref().map(|fix| fix.label.as_str());
    let is_error = finding.severity == Severity::Error;
    Array::of5(&line.into(), &column.into(), &is_error.into(), &finding.says.as_str().into(), &fix.into())
}
