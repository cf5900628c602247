//! The policy and its switches, each with its default.

use crate::dom::prelude::*;
use fairground::scenario::Path;

use super::attributes;
use super::detail::fields;
use crate::model::Command;
use crate::store::Store;

/// The policies, with what people call them.
pub const POLICIES: [(&str, &str); 2] =
    [("kai", "KAI Scheduler"), ("fifo", "First in, first out, hard quotas")];

/// The policy's form.
#[component]
pub fn Rules() -> impl IntoView {
    let store = Store::get();
    let root = Path::default();
    let policy =
        store.text(|m| if m.scenario.policy.is_empty() { "kai".into() } else { m.scenario.policy.clone() });
    let choices = POLICIES.map(|(key, name)| {
        view! {
            <label class="radio">
                <input
                    type="radio"
                    name="policy"
                    value=key
                    prop:checked=move || policy.get() == key
                    on:change=move |_| {
                        let at = Path::default().field("policy");
                        store.dispatch(Command::Set { at, value: key.to_string() });
                    }
                />
                {name}
            </label>
        }
    });
    let switches = move || {
        let groups = if policy.get() == "kai" { attributes::KAI } else { &[] };
        let group = |(title, all): &attributes::Group| {
            view! {
                <section class="group">
                    <h2>{*title}</h2>
                    {fields(store, &Path::default(), all)}
                </section>
            }
        };
        groups.iter().map(group).collect_view()
    };
    view! {
        <div class="form">
            <fieldset>
                <legend>"Policy"</legend>
                {choices}
            </fieldset>
            <section class="group">
                <h2>"Time"</h2>
                {fields(store, &root, attributes::TIME)}
            </section>
            {switches}
            <section class="group">
                <h2>"Scenario"</h2>
                {fields(store, &root, attributes::SCENARIO)}
            </section>
        </div>
    }
}
