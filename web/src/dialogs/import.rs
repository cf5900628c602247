//! What was recognised in files: understood, assumed, ignored, before it is taken.

use fairground::policy::Policy;
use leptos::prelude::*;

use crate::engine::protocol::ImportOptions;
use crate::state::command::Command;
use crate::state::import::Import;
use crate::store::Store;
use crate::widgets::dialog::DialogFrame;

/// A simulated day.
const DAY_MS: i64 = 86_400_000;

/// The preview of an import.
#[component]
pub fn ImportPreview() -> impl IntoView {
    let store = Store::get();
    let import = store.part(|m| m.import.clone());
    let get = move || import.get().unwrap_or_default();
    let on_close = Callback::new(move |()| store.dispatch(Command::DropImport));
    let names = move || {
        let import = get();
        import.files.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>().join(", ")
    };
    let lists = move || {
        let import = get();
        [
            ("Understood", import.understood.clone()),
            ("Assumed", import.assumed.clone()),
            ("Ignored", import.ignored.clone()),
            ("Errors", import.findings.clone()),
        ]
        .into_iter()
        .filter(|(_, lines)| !lines.is_empty())
        .map(|(name, lines)| view! { <List name lines /> })
        .collect_view()
    };
    let is_trace = move || get().is_trace;
    let can_take = move || get().scenario.is_some() && !get().reading;
    let take = move |run_until_ms| {
        if can_take() {
            store.dispatch(Command::TakeImport { run_until_ms });
        }
    };
    view! {
        <DialogFrame title="Import preview" on_close>
            <p class="dim">{names}</p>
            <Show when=is_trace>
                <TraceOptions />
            </Show>
            <Show when=move || get().reading>
                <p><progress aria-label="Reading"></progress> " Reading"</p>
            </Show>
            <div class="import-lists">{lists}</div>
            <div class="row">
                <button
                    type="button"
                    class="btn primary"
                    autofocus
                    aria-disabled=move || (!can_take()).then_some("true")
                    on:click=move |_| take(is_trace().then_some(DAY_MS))
                >
                    {move || if is_trace() { "Open and run one day" } else { "Open this scenario" }}
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
                <button type="button" class="btn" on:click=move |_| on_close.run(())>"Cancel"</button>
            </div>
        </DialogFrame>
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

/// Choices for traces; each change reads the files again.
#[component]
fn TraceOptions() -> impl IntoView {
    let store = Store::get();
    let now = store.now(|m| m.import.clone()).unwrap_or_default();
    let options = RwSignal::new(now.options.clone());
    let again = move |change: fn(&mut ImportOptions, String), value: String| {
        options.update(|o| change(o, value));
        let files = store.now(|m| m.import.as_ref().map(|i: &std::sync::Arc<Import>| i.files.clone()));
        let options = options.get_untracked();
        store.dispatch(Command::Import { files: files.unwrap_or_default(), options });
    };
    let chosen = now.options.policy.clone();
    let choices = Policy::ALL.iter().map(|of| {
        view! { <option value=of.key selected=chosen == of.key>{of.short}</option> }
    });
    let choices = choices.collect_view();
    view! {
        <div class="row wrap">
            <label class="field">
                <span>"Nodes × GPUs"</span>
                <input
                    class="input"
                    placeholder="as many as needed"
                    prop:value=now.options.nodes.clone()
                    on:change=move |event| again(|o, v| o.nodes = v, event_target_value(&event))
                />
            </label>
            <label class="field">
                <span>"Quota scale"</span>
                <input
                    class="input"
                    placeholder="1"
                    prop:value=now.options.quota_scale.clone()
                    on:change=move |event| again(|o, v| o.quota_scale = v, event_target_value(&event))
                />
            </label>
            <label class="field">
                <span>"Policy"</span>
                <select class="input" on:change=move |event| again(|o, v| o.policy = v, event_target_value(&event))>
                    {choices}
                </select>
            </label>
        </div>
    }
}
