//! The policy and its switches, each with its default.

use crate::dom::prelude::*;
use fairground::scenario::Path;

use crate::components::edit_box::Kind;
use crate::components::field::Field;
use crate::model::Command;
use crate::store::Store;

/// A switch of the policy.
struct Switch {
    key: &'static str,
    label: &'static str,
    says: &'static str,
    default: &'static str,
    choices: &'static [(&'static str, &'static str)],
}

const fn switch(key: &'static str, label: &'static str, default: &'static str, says: &'static str) -> Switch {
    Switch { key, label, says, default, choices: &[] }
}

const ON_OFF: &[(&str, &str)] = &[("true", "on"), ("false", "off")];
const PLACEMENT: &[(&str, &str)] = &[("binpack", "fullest node first"), ("spread", "emptiest node first")];

/// The switches of KAI in the order in which they matter to most people.
const KAI: &[Switch] = &[
    switch(
        "actions",
        "Actions of a cycle",
        "all five, in order",
        "In order: allocate, consolidation, reclaim, preempt, stalegangeviction.",
    ),
    switch(
        "k-value",
        "Weight of the past (k)",
        "1",
        "How strongly past usage lowers a queue's part in the surplus.",
    ),
    switch(
        "saturation-multiplier",
        "Saturation multiplier",
        "1",
        "Above 1, queues keep more of what they hold beyond their fair share.",
    ),
    Switch {
        choices: ON_OFF,
        ..switch(
            "consolidating-reclaim",
            "Reclaim may move",
            "on",
            "Victims that find another place do not count as taken.",
        )
    },
    switch(
        "max-consolidation-preemptees",
        "Most jobs moved at once",
        "16",
        "0 switches consolidation off; unlimited is possible.",
    ),
    switch(
        "default-reclaim-min-runtime",
        "Minimum runtime against reclaim",
        "0s",
        "A job runs at least this long before another queue may take from it.",
    ),
    switch(
        "default-preempt-min-runtime",
        "Minimum runtime against preemption",
        "0s",
        "A job runs at least this long before one of its own queue may take from it.",
    ),
    switch(
        "staleness-grace",
        "Grace of incomplete gangs",
        "60s",
        "How long a gang may run below its minimum; unlimited is possible.",
    ),
    Switch {
        choices: PLACEMENT,
        ..switch(
            "gpu-placement",
            "Placement of GPU work",
            "fullest node first",
            "Which of the nodes that fit is taken.",
        )
    },
    Switch {
        choices: PLACEMENT,
        ..switch(
            "cpu-placement",
            "Placement of CPU-only work",
            "fullest node first",
            "Which of the nodes that fit is taken.",
        )
    },
    Switch {
        choices: ON_OFF,
        ..switch(
            "scheduling-signatures",
            "Skip jobs like failed ones",
            "on",
            "A job that asks for the same as one that just failed is not tried.",
        )
    },
];

/// The policies, with what people call them.
pub const POLICIES: [(&str, &str); 2] =
    [("kai", "KAI Scheduler"), ("fifo", "First in, first out, hard quotas")];

/// The policy's form.
/// Long because its markup is one tree.
#[component]
pub fn Rules() -> impl IntoView {
    let store = Store::get();
    let root = Path::default;
    let policy = Memo::new(move |_| {
        store.scenario.with(|s| if s.policy.is_empty() { "kai".into() } else { s.policy.clone() })
    });
    let choices = POLICIES.map(|(key, name)| {
        view! {
            <label class="radio">
                <input
                    type="radio"
                    name="policy"
                    value=key
                    prop:checked=move || policy.get() == key
                    on:change=move |_| {
                        store.dispatch(Command::Set { at: root().field("policy"), value: key.to_string() });
                    }
                />
                {name}
            </label>
        }
    });
    let settings = move || {
        (policy.get() == "kai").then(|| {
            let fields = KAI.iter().map(|s| {
                let at = root().field("settings").field(s.key);
                let kind = if s.choices.is_empty() {
                    Kind::Text
                } else {
                    let named = s.choices.iter().map(|(value, name)| (value.to_string(), name.to_string()));
                    Kind::Choice(named.collect())
                };
                view! { <Field at label=s.label says=s.says default=s.default kind /> }
            });
            view! {
                <h3>"Switches of KAI"</h3>
                {fields.collect_view()}
            }
        })
    };
    view! {
        <div class="form">
            <fieldset>
                <legend>"Policy"</legend>
                {choices}
            </fieldset>
            <h3>"Time"</h3>
            <Field
                at=root().field("cycle")
                label="A cycle takes place"
                says="A period such as 1s, or: on change."
                default="every 1s (KAI), on change (first in, first out)"
                kind=Kind::Text
            />
            <Field
                at=root().field("delays").field("start")
                label="From placed to running"
                says="How long starting takes."
                default="no time"
                kind=Kind::Text
            />
            <Field
                at=root().field("delays").field("termination")
                label="From told to go to gone"
                says="How long an evicted pod keeps its GPUs."
                default="gone by the next cycle"
                kind=Kind::Text
            />
            {settings}
        </div>
    }
}
