//! The policy and its settings, each with its default.

use fairground::policy::Policy;
use fairground::policy::description::Description;
use fairground::scenario::{Edit, Path};
use fairground::words::{number, product};
use leptos::prelude::*;

use super::attributes;
use super::classes::Classes;
use super::detail::{fields, rule_link};
use crate::engine::protocol::Rulebook;
use crate::state::command::Command;
use crate::state::document::Change;
use crate::store::Store;

/// Preset delays: name, description, start and termination.
struct Delays(&'static str, &'static str, &'static str, &'static str);

/// Preset delays. Those of a cluster: Kubernetes grants pods half a minute to terminate
/// (`terminationGracePeriodSeconds`), and images and volumes take some seconds at the start.
const DELAYS: [Delays; 2] = [
    Delays("Ideal", "Pods start and stop without delay", "", ""),
    Delays("As in a cluster", "Pods take 10 s to start and 30 s to stop", "10s", "30s"),
];

fn preset(store: Store, Delays(name, says, start, termination): &Delays) -> AnyView {
    let set = |field: &str, value: &str| Edit::Set {
        at: Path::default().field("delays").field(field),
        value: value.to_string(),
    };
    let edits = vec![set("start", start), set("termination", termination)];
    let change = Change::Edits { name: format!("delays: {}", name.to_lowercase()), edits };
    let press = move |_| store.dispatch(Command::Change(change.clone()));
    view! { <button type="button" class="chip" title=*says on:click=press>{*name}</button> }.into_any()
}

/// All rules of the policy, including those without settings.
fn all_rules(store: Store, book: &Rulebook) -> AnyView {
    let title = format!("{} of {}", number::count(book.rules.len() as u64, "rule"), product(&book.policy));
    let links = book.rules.iter().map(|rule| view! { <li>{rule_link(store, rule)}</li> }).collect_view();
    view! {
        <details class="group">
            <summary>{title}</summary>
            <ul class="enters">{links}</ul>
        </details>
    }
    .into_any()
}

/// The policy's form.
#[component]
pub fn Rules() -> impl IntoView {
    let store = Store::get();
    let root = Path::default();
    let policy = store.part(|m| Policy::described_or_default(&m.document.scenario.policy).key);
    let choices = Policy::ALL.iter().copied().map(|&Description { key, title, .. }| {
        view! {
            <label class="radio">
                <input
                    type="radio"
                    name="policy"
                    value=key
                    prop:checked=move || policy.get() == key
                    on:change=move |_| {
                        store.dispatch(Command::Policy(key.to_string()));
                    }
                />
                {title}
            </label>
        }
    });
    let switches = move || {
        let group = |(title, all): &attributes::Group| {
            view! {
                <section class="group">
                    <h2>{*title}</h2>
                    {fields(store, &Path::default(), all)}
                </section>
            }
        };
        Policy::described_or_default(policy.get()).form.settings.iter().map(group).collect_view()
    };
    view! {
        <div class="form">
            <fieldset>
                <legend>"Policy"</legend>
                {choices.collect_view()}
            </fieldset>
            <section class="group">
                <h2>"Time"</h2>
                {fields(store, &root, attributes::TIME)}
                <div class="row">{DELAYS.iter().map(|delays| preset(store, delays)).collect_view()}</div>
            </section>
            {switches}
            <Classes />
            {move || store.rules.get().map(|book| all_rules(store, &book))}
            <section class="group">
                <h2>"Scenario"</h2>
                {fields(store, &root, attributes::SCENARIO)}
            </section>
        </div>
    }
}
