//! Help: first steps, terms, and links to the guide.

use fairground::policy::Policy;
use leptos::prelude::*;

use crate::state::command::Command;
use crate::state::layout::options::Dialog;
use crate::store::Store;
use crate::widgets::dialog::DialogFrame;
use crate::words::glossary::{GlossaryEntry, entries};

/// First steps: what to do, and what it shows.
const GUIDE: [(&str, &str); 6] = [
    (
        "Open an example or describe your own",
        "Setup on the left lists [queues], [nodes] and [jobs]. Click a value to change it.",
    ),
    ("Step", "Each step runs one cycle of the scheduler. The line under the header says what the cycle decided."),
    (
        "Ask why",
        "Click [a job], a [queue], a GPU or an event. Why shows the comparison that decided it and what happens next. \
         Terms in legends and tables open their definition.",
    ),
    ("Change a value", "The run is computed again at once. Dashed outlines show how it was before the change."),
    (
        "Compare",
        "The policy menu runs the same scenario under another scheduler. Compare runs it under all of them, side by side. + keeps a run, to compare later ones with it.",
    ),
    ("Share", "A link holds the whole scenario and the moment that is shown. Nothing is sent to a server."),
];

/// First steps, terms, and links to the guide.
#[component]
pub fn Help(on_close: Callback<()>) -> impl IntoView {
    let store = Store::get();
    let guide =
        GUIDE.map(|(head, says)| view! { <li><b>{head}</b> ". " {store.terms.get_untracked().fill(says)}</li> });
    let more = [
        ("Keys", Dialog::Keys),
        ("How accurate is this?", Dialog::Fidelity),
        ("Examples", Dialog::Examples),
        ("About", Dialog::About),
    ];
    let more = more.map(|(label, dialog)| {
        let open = move |_| store.dispatch(Command::Dialog(Some(dialog.clone())));
        view! { <button type="button" class="btn" on:click=open>{label}</button> }
    });
    view! {
        <DialogFrame title="Help" class="wide help-dialog" on_close>
            <p>{what_it_is(store)}</p>
            <div class="row no-print">{more.into_iter().collect_view()}</div>
            <div class="columns">
                <section>
                    <h3>"First steps"</h3>
                    <ol class="guide">{guide.into_iter().collect_view()}</ol>
                </section>
                <section>
                    <h3>"Glossary"</h3>
                    {glossary(store)}
                </section>
            </div>
            <section>
                <h3>"Guide"</h3>
                <p>{guide_pages().collect_view()}</p>
            </section>
            <section>
                <h3>"Embedding in another page"</h3>
                <p>
                    "Share gives the code. The embedded page posts "
                    <code>"{ fairground: \"moment\", cycle, height }"</code>
                    " to the page around it when its cycle or its height in pixels changes, and shows a cycle when it receives "
                    <code>"{ fairground: \"go\", cycle }"</code>
                    "."
                </p>
            </section>
        </DialogFrame>
    }
}

/// Pages of the guide, which are published beside this page.
const GUIDE_PAGES: [(&str, &str); 7] = [
    ("index", "First steps"),
    ("baselines", "Baselines"),
    ("format", "Format reference"),
    ("runner", "Runner"),
    ("links", "Links"),
    ("embedding", "Embedding"),
    ("exports", "Exports and kits"),
];

fn guide_pages() -> impl Iterator<Item = AnyView> {
    let [first, rest @ ..] = GUIDE_PAGES;
    let products = Policy::products().map(|policy| (policy.key, policy.title));
    let all = std::iter::once(first).chain(products).chain(rest);
    all.enumerate().map(|(i, (page, title))| {
        let dot = if i > 0 { " · " } else { "" };
        let href = format!("guide/{page}.html");
        view! { {dot} <a href=href target="_blank" rel="noopener">{title}</a> }.into_any()
    })
}

/// Describes the page and the chosen policy in two sentences.
pub fn what_it_is(store: Store) -> impl IntoView {
    let policy = move || store.scenario.with(|s| Policy::described_or_default(&s.policy));
    view! {
        "See how a scheduler divides GPUs among teams, and why. "
        {move || policy().about}
    }
}

/// Terms of the policy with their meanings; the product's own word follows the neutral one.
fn glossary(store: Store) -> impl IntoView {
    let terms = store.terms.get_untracked();
    let line = |of: GlossaryEntry| {
        let own = terms.mark(of.term).map(|own| view! { <span class="dim">" · " {own}</span> });
        view! {
            <dt>{terms.word(of.term)} {own}</dt>
            <dd>{terms.fill(of.says)}</dd>
        }
    };
    let policy = store.scenario.with_untracked(|s| s.policy.clone());
    view! { <dl class="glossary">{entries(&policy).map(line).collect_view()}</dl> }
}
