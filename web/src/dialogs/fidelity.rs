//! Accuracy: what is compared with the real scheduler, in which version, and how.

use fairground::link::RULES;
use fairground::policy::versions::{self, Modelled, Since};
use leptos::prelude::*;

use super::help::what_it_is;
use crate::agreement::{self, Agreement, thousands};
use crate::checked::{self, CaseKind, Difference};
use crate::store::Store;
use crate::widgets::dialog::DialogFrame;

/// The accuracy dialog; as *About*, it begins with the product and its version.
#[component]
pub fn Fidelity(
    /// Shows the product and its version first.
    is_about: bool,
    on_close: Callback<()>,
) -> impl IntoView {
    let store = Store::get();
    let policy = store.scenario.with_untracked(|scenario| scenario.policy.clone());
    let present = versions::modelled(&policy).map_or("", |modelled| modelled.policy);
    view! {
        <DialogFrame title=if is_about { "About Fairground" } else { "How accurate is this?" } class="wide fidelity" on_close>
            {is_about.then(|| about(store))}
            <section>
                <h3>"What is modelled, and how it is tested"</h3>
                {policies()}
                <p>
                    "KAI and YuniKorn: the code of the real scheduler was run, and its decisions were recorded. The engine \
                     of this page runs the same cases on every change of its code. A case matches when every recorded number \
                     and decision is the same; where the real scheduler does not always decide the same, when the outcome is \
                     one of those recorded."
                </p>
                <p>
                    "EGO and Run:ai cannot be run for such a comparison. Their cases come from a second model that was \
                     written independently from the same published rules."
                </p>
            </section>
            <section>
                <h3>"As scenario files"</h3>
                <p>
                    "A case enters the engine in two ways: by the structures of the rules, and as a scenario file such as you \
                     write, with every default left out. The second column counts the cases that a scenario file can express. Not \
                     counted at all: YuniKorn functions that take part in no decision."
                </p>
            </section>
            <section>
                <h3>"What a case is"</h3>
                {cases()}
                <p>
                    "The recordings are in the source code, in the folder "
                    <code>{checked::FOLDER}</code> "; " <code>"cargo xtask golden --dir tests/golden"</code> " runs them all."
                </p>
            </section>
            <section>
                <h3>"Cases that differ, and why"</h3>
                {versions::all().map(differing).collect_view()}
            </section>
            <section>
                <h3>"Later versions"</h3>
                {versions::all().map(|modelled| later(modelled, modelled.policy == present)).collect_view()}
            </section>
        </DialogFrame>
    }
}

/// Source revision of this build, if known.
const REVISION: Option<&str> = option_env!("FAIRGROUND_REVISION");

/// Product, version and licence.
fn about(store: Store) -> impl IntoView {
    let revision = REVISION.map(|revision| format!(", revision {revision}")).unwrap_or_default();
    let version = format!("{}{revision}, rules version {RULES}", env!("CARGO_PKG_VERSION"));
    let licence = view! {
        {env!("CARGO_PKG_LICENSE")} "; " <a href="licences.txt" target="_blank">"licences of the libraries in this page"</a>
    };
    let facts = [
        ("Version", version.into_any()),
        ("Licence", licence.into_any()),
        ("Data", "Everything runs in this browser. Nothing is sent anywhere.".into_any()),
    ];
    let line = |(name, says)| view! { <dt>{name}</dt> <dd>{says}</dd> };
    view! {
        <p>{what_it_is(store)}</p>
        <dl class="facts-list">{facts.map(line).into_iter().collect_view()}</dl>
    }
}

fn table<const N: usize>(head: [&'static str; N], rows: Vec<AnyView>) -> impl IntoView {
    view! {
        <table class="data">
            <thead>
                <tr>{head.map(|name| view! { <th scope="col">{name}</th> }).into_iter().collect_view()}</tr>
            </thead>
            <tbody>{rows}</tbody>
        </table>
    }
}

/// The modelled versions and the number of matching cases.
fn policies() -> impl IntoView {
    let row = |modelled: &Modelled| {
        let found = agreement::of(modelled.policy);
        let Agreement { agree, agree_as_scenarios, can_be_scenarios, not_counted, .. } = found;
        let counted = thousands(found.counted());
        let revision: String = modelled.revision.chars().take(12).collect();
        view! {
            <tr>
                <th scope="row">{modelled.product}</th>
                <td>
                    {modelled.versions} "; " {modelled.source}
                    {(!revision.is_empty()).then(|| view! { " " <code>{revision}</code> })}
                </td>
                <td class="num">
                    {format!("{} of {counted}", thousands(agree))}
                    {(not_counted > 0).then(|| format!(" ({} not counted)", thousands(not_counted)))}
                </td>
                <td class="num">
                    {format!("{} of {}", thousands(agree_as_scenarios), thousands(can_be_scenarios))}
                </td>
            </tr>
        }
        .into_any()
    };
    table(
        ["Policy", "Versions modelled", "Matching test cases", "As scenario files"],
        versions::all().map(row).collect(),
    )
}

/// Number of cases of each kind.
fn cases() -> impl IntoView {
    let of_policy = |modelled: &'static Modelled| {
        let kinds = checked::kinds(modelled.policy);
        kinds.into_iter().map(move |CaseKind { says, of, .. }| {
            view! {
                <tr>
                    <th scope="row">{modelled.product}</th>
                    <td class="num">{thousands(of)}</td>
                    <td>{says}</td>
                </tr>
            }
            .into_any()
        })
    };
    let rows = versions::all().flat_map(of_policy).collect();
    table(["Policy", "Cases", "What is compared"], rows)
}

/// Cases of a policy whose results differ.
fn differing(modelled: &Modelled) -> impl IntoView {
    let item = |Difference { file, id, reason }: Difference| {
        view! { <li><code>{id}</code> " in " <code>{file}</code> ": " {reason}</li> }
    };
    let differ = checked::differences(modelled.policy);
    view! {
        <p><b>{modelled.product}</b> {if differ.is_empty() { ": none" } else { "" }}</p>
        {(!differ.is_empty()).then(|| view! { <ul>{differ.into_iter().map(item).collect_view()}</ul> })}
    }
}

/// Changes in the product after the modelled version.
fn later(modelled: &'static Modelled, is_open: bool) -> impl IntoView {
    if modelled.compared.is_empty() {
        return view! {
            <p><b>{modelled.product}</b> ": later versions were not compared with this model."</p>
        }
        .into_any();
    }
    let row = |change: &Since| {
        view! {
            <tr>
                <th scope="row">{change.version}</th>
                <td>{change.before}</td>
                <td>{change.now}</td>
                <td>{change.notice}</td>
            </tr>
        }
        .into_any()
    };
    let caption =
        format!("{}: {} changes since {}", modelled.product, modelled.changes.len(), modelled.versions);
    view! {
        <details open=is_open>
            <summary>{caption}</summary>
            <p>"Compared with " {modelled.compared} "."</p>
            {table(["Since", "Modelled here", "Changed to", "What you notice"], modelled.changes.iter().map(row).collect())}
        </details>
    }
    .into_any()
}
