//! Help: how to begin, what the terms mean, and where to find more.

use fairground::policy::Policy;
use leptos::prelude::*;

use crate::state::command::Command;
use crate::state::layout::options::Dialog;
use crate::store::Store;
use crate::widgets::dialog::DialogFrame;

/// What to do, in order, and what it shows.
const GUIDE: [(&str, &str); 6] = [
    (
        "Open an example or describe your own",
        "Setup on the left lists queues, nodes and jobs. Click a value to change it.",
    ),
    (
        "Step",
        "Each step runs one cycle of the scheduler. The line under the header says what the cycle decided.",
    ),
    (
        "Ask why",
        "Click a job, a queue, a GPU or an event. Why shows the comparison that decided it and what happens next.",
    ),
    (
        "Change a value",
        "The run is computed again at once. Dashed outlines show how it was before the change.",
    ),
    (
        "Compare",
        "The policy menu runs the same scenario under another scheduler. Compare runs it under all of them, side by side. + keeps a run, to compare later ones with it.",
    ),
    ("Share", "A link holds the whole scenario and the moment that is shown. Nothing is sent to a server."),
];

/// Terms in neutral words, each with its meaning; both are put into the words of the policy.
const GLOSSARY: [(&str, &str); 15] = [
    ("queue", "A group of jobs with a share of the cluster. Queues can have child queues."),
    ("quota", "What a queue is entitled to before anything else is divided."),
    ("weight", "The relative share of unused capacity, compared with sibling queues."),
    ("limit", "The most that a queue can use."),
    ("requested", "What the jobs of a queue use and wait for, together."),
    ("allocated", "What the running jobs of a queue use."),
    (
        "fair share",
        "What a queue is entitled to now: its quota, as far as it is requested, plus its part of unused capacity.",
    ),
    ("over quota", "Allocated beyond the quota. It can be reclaimed for other queues."),
    ("claimed", "Reserved for a job until evicted pods have shut down."),
    ("leaving", "Evicted and shutting down. The GPU is not free yet."),
    ("reclaim", "Eviction of jobs of another queue, so that a queue gets its share."),
    ("preempt", "Eviction of a job of lower priority in the same queue."),
    ("preemptible", "A job that can be evicted. Jobs that cannot are non-preemptible."),
    ("gang", "Pods that start together or not at all."),
    ("cycle", "One round of decisions of the scheduler."),
];

/// Terms of pools that are shared by share usage.
const OF_SHARE_USAGE: [(&str, &str); 6] = [
    ("share usage", "Allocated units divided by the capacity of the pool for units of their size."),
    ("usage demand", "Demanded units divided by that capacity, at most 1 for each sub-allocation."),
    ("share usage quota", "The share usage that a queue deserves now. Reclaim takes from those above it."),
    ("private and public pool", "Owned nodes, and all others. Owners lend idle nodes and reclaim them."),
    ("grace period", "How long a unit keeps running after it was reclaimed."),
    ("static and dynamic share quota", "Amounts of each resource by share ratio, for reference only."),
];

/// A term of policies whose reclaim compares it.
const OF_SATURATION: [(&str, &str); 1] =
    [("saturation ratio", "Allocated divided by fair share. Reclaim compares it between queues.")];

/// Terms of queues whose priority follows from what is outstanding in them.
const OF_PRIORITIES: [(&str, &str); 3] = [
    (
        "application priority",
        "The highest priority of its outstanding requests. It falls as they are placed.",
    ),
    ("queue priority", "The highest priority of its applications or child queues, plus its offset."),
    ("fence", "A queue that shows its offset alone: priorities below it count only below it."),
];

/// How to begin, what the terms mean, where to find more.
#[component]
pub fn Help(
    /// It was closed.
    on_close: Callback<()>,
) -> impl IntoView {
    let store = Store::get();
    let guide = GUIDE
        .map(|(head, says)| view! { <li><b>{head}</b> ". " {store.terms.get_untracked().says(says)}</li> });
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

/// The pages of the guide, which stand beside this one.
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

/// What the page and the chosen policy are, in two sentences.
pub fn what_it_is(store: Store) -> impl IntoView {
    let policy = move || store.scenario.with(|s| Policy::described_or_default(&s.policy));
    view! {
        "Fairground simulates GPU schedulers. "
        {move || policy().about}
    }
}

/// Terms of the policy with their meaning; the product's own word follows ours.
fn glossary(store: Store) -> impl IntoView {
    let terms = store.terms.get_untracked();
    let line = |(term, says): (&'static str, &'static str)| {
        let own = terms.mark(term).map(|own| view! { <span class="dim">" · " {own}</span> });
        view! {
            <dt>{terms.says(term)} {own}</dt>
            <dd>{terms.says(says)}</dd>
        }
    };
    let is_read =
        |(term, _): &(&str, &str)| !matches!(*term, "quota" | "weight" | "limit") || terms.reads(term);
    let policy = store.scenario.with_untracked(|s| Policy::described_or_default(&s.policy));
    let own = [
        (policy.saturation.is_some(), &OF_SATURATION[..]),
        (policy.knows.share_usage, &OF_SHARE_USAGE[..]),
        (policy.knows.queue_priorities, &OF_PRIORITIES[..]),
    ];
    let own = own.into_iter().filter(|(is_known, _)| *is_known).flat_map(|(_, terms)| terms.iter().copied());
    let lines = GLOSSARY.into_iter().filter(is_read).chain(own).map(line);
    view! { <dl class="glossary">{lines.collect_view()}</dl> }
}
