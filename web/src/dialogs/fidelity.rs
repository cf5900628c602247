//! Accuracy: what is compared with the real scheduler, in which version, and how.

use fairground::link::RULES;
use fairground::policy::agreement::{Agreement, of as agreement_of};
use fairground::policy::versions::{self, Modelled, Revision, Since};
use fairground::words::number::count;
use leptos::prelude::*;

use super::help::what_it_is;
use crate::agreement::{self, thousands};
use crate::checked::{self, CaseKind, Difference};
use crate::state::branches::Others;
use crate::state::branches::commands::compare_versions_label;
use crate::state::command::Command;
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
    let present = store.scenario.with_untracked(|scenario| versions::revision_of(scenario));
    let of_this = store.scenario.with_untracked(|scenario| agreement::checked_against(scenario));
    let of_scenario = move |modelled: &'static Modelled| {
        changes(modelled, present.filter(|(of, _)| of.policy == modelled.policy).map(|(_, revision)| revision))
    };
    view! {
        <DialogFrame title=if is_about { "About Fairground" } else { "How accurate is this?" } class="wide fidelity" on_close>
            {is_about.then(|| about(store))}
            <section>
                <h3>"What is modelled, and how it is tested"</h3>
                {of_this.map(|text| view! { <p>"This scenario: " {text} "."</p> })}
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
                {revisions().map(differing).collect_view()}
            </section>
            <section>
                <h3>"Other versions"</h3>
                {compare_versions(store)}
                {versions::all().map(of_scenario).collect_view()}
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

/// The modelled revisions and the number of matching cases.
fn policies() -> impl IntoView {
    let row = |(modelled, revision): (&Modelled, &Revision)| {
        let found = agreement_of(modelled, revision);
        let Agreement { agree, agree_as_scenarios, can_be_scenarios, not_counted, .. } = found;
        let counted = thousands(found.counted());
        let commit: String = revision.commit.chars().take(12).collect();
        view! {
            <tr>
                <th scope="row">{modelled.product}</th>
                <td>
                    {revision.versions} "; " {revision.origin()}
                    {(!commit.is_empty()).then(|| view! { " " <code>{commit}</code> })}
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
    table(["Policy", "Versions modelled", "Matching test cases", "As scenario files"], revisions().map(row).collect())
}

/// Every modelled revision of every product.
fn revisions() -> impl Iterator<Item = (&'static Modelled, &'static Revision)> {
    versions::all().flat_map(|modelled| modelled.revisions.iter().map(move |revision| (modelled, revision)))
}

/// The name of a product, with the revision if there are several.
fn named(modelled: &Modelled, revision: &Revision) -> &'static str {
    if modelled.revisions.len() > 1 { revision.label } else { modelled.product }
}

/// Number of cases of each kind.
fn cases() -> impl IntoView {
    let of_revision = |(modelled, revision): (&'static Modelled, &'static Revision)| {
        let kinds = checked::kinds(modelled, revision);
        kinds.into_iter().map(move |CaseKind { says, of, .. }| {
            view! {
                <tr>
                    <th scope="row">{named(modelled, revision)}</th>
                    <td class="num">{thousands(of)}</td>
                    <td>{says}</td>
                </tr>
            }
            .into_any()
        })
    };
    let rows = revisions().flat_map(of_revision).collect();
    table(["Policy", "Cases", "What is compared"], rows)
}

/// A button that compares the scenario with the other versions of its scheduler.
fn compare_versions(store: Store) -> Option<AnyView> {
    let label = store.scenario.with_untracked(|scenario| compare_versions_label(scenario))?;
    let compare = move |_| store.dispatch(Command::Compare(Others::Versions));
    Some(view! { <p><button type="button" class="btn" on:click=compare>{label}</button></p> }.into_any())
}

/// Cases of a revision whose results differ.
fn differing((modelled, revision): (&Modelled, &Revision)) -> impl IntoView {
    let item = |Difference { file, id, reason }: Difference| {
        view! { <li><code>{id}</code> " in " <code>{file}</code> ": " {reason}</li> }
    };
    let differ = checked::differences(modelled, revision);
    view! {
        <p><b>{named(modelled, revision)}</b> {if differ.is_empty() { ": none" } else { "" }}</p>
        {(!differ.is_empty()).then(|| view! { <ul>{differ.into_iter().map(item).collect_view()}</ul> })}
    }
}

/// What changed in a product since its first modelled revision: what a revision is simulated with, and what it is
/// simulated without.
fn changes(modelled: &'static Modelled, of_scenario: Option<&'static Revision>) -> AnyView {
    if modelled.compared.is_empty() {
        return view! {
            <p><b>{modelled.product}</b> ": later versions were not compared with this model."</p>
        }
        .into_any();
    }
    let revision = of_scenario.unwrap_or(modelled.newest());
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
    let part = |changes: Vec<&Since>, what: &str, is_open: bool, head: [&'static str; 4]| {
        let caption = format!("{} {what} {}", count(changes.len() as u64, "change"), revision.label);
        (!changes.is_empty()).then(|| {
            view! {
                <details open=is_open>
                    <summary>{caption}</summary>
                    {table(head, changes.into_iter().map(row).collect())}
                </details>
            }
        })
    };
    let (has, lacks): (Vec<&Since>, _) = modelled.changes.iter().partition(|change| modelled.has(revision, change));
    view! {
        <p><b>{modelled.product}</b> ": compared with " {modelled.compared} "."</p>
        {part(lacks, "not simulated in", of_scenario.is_some(), ["Since", "Modelled here", "Changed to", "What you notice"])}
        {part(has, "simulated in", false, ["Since", "Before", "Modelled here", "What you notice"])}
    }
    .into_any()
}
