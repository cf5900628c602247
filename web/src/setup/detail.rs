//! The form with all values of a queue, node group or job, shown instead of the table.

use fairground::policy::Policy;
use fairground::policy::form::{Form, Stored};
use fairground::scenario::{Edit, Path, Scenario, reads_of_jobs, reads_of_nodes};
use fairground::words::{Selection, Terms};
use leptos::prelude::*;

use super::attributes::{self, Ask, Attribute, Group};
use super::edit_box::{EditKind, Field};
use super::rows::own_names;
use crate::engine::protocol::RuleRow;
use crate::state::command::Command;
use crate::state::document::{self, Change, RequestKind, pod_requests};
use crate::state::layout::options::SetupTab;
use crate::state::layout::table;
use crate::state::model::Model;
use crate::store::Store;
use crate::widgets::icons::{Icon, IconKind};
use crate::words;

/// The form of a thing. Opening it focuses the heading.
#[component]
pub fn Detail(
    /// The queue, nodes or job.
    at: Path,
) -> impl IntoView {
    let store = Store::get();
    let tab = table::tab(&at);
    let (groups, back) = match tab {
        SetupTab::Queues => (
            store.now(|m| form(m).queue).unwrap_or(attributes::QUEUE),
            store.now(|m| Terms::of(&m.document.scenario.policy).fill("[Queues]")),
        ),
        SetupTab::Nodes => (attributes::NODES, "Nodes".into()),
        _ => (attributes::JOB, "Work".into()),
    };
    let close = move || store.dispatch(Command::Detail(None));
    let mut sections: Vec<AnyView> = groups.iter().map(|group| section(store, &at, group)).collect();
    match tab {
        SetupTab::Work => {
            let remark = sections.pop();
            let own = store.now(|m| form(m).job);
            sections.extend(own.map(|group| section(store, &at, group)));
            sections.push(groups_of_user(store, &at));
            sections.extend(remark);
            sections.insert(1, pods(store, &at));
        }
        SetupTab::Queues => {
            let remark = sections.pop();
            sections.extend(in_pools(store, &at));
            sections.extend(remark);
        }
        _ => {}
    }
    view! {
        <div
            class="form detail"
            on:keydown=move |event| {
                if event.key() == "Escape" {
                    event.stop_propagation();
                    close();
                }
            }
        >
            <div class="detail-head">
                <button type="button" class="btn quiet" on:click=move |_| close()>
                    <Icon kind=IconKind::Left />
                    {back}
                </button>
                <h2 tabindex="-1" data-path=at.to_string()><code>{table::owner_name(&at).to_string()}</code></h2>
            </div>
            {sections}
        </div>
    }
}

fn section(store: Store, at: &Path, (title, all): &'static Group) -> AnyView {
    view! {
        <section class="group">
            <h3>{*title}</h3>
            {fields(store, at, all)}
        </section>
    }
    .into_any()
}

/// The forms of the scenario's policy.
fn form(model: &Model) -> &'static Form {
    &Policy::described_or_default(&model.document.scenario.policy).form
}

/// Fields for attributes of the thing at a path. Attributes that the policy ignores are shown only if they are set.
pub fn fields(store: Store, at: &Path, all: &'static [Attribute]) -> AnyView {
    let is_shown = |attribute: &&Attribute| {
        store.now(|m| {
            let policy = Policy::described_or_default(&m.document.scenario.policy);
            let is_ignored = match table::tab(at) {
                SetupTab::Queues if at.0.len() > 2 => {
                    let (_, field) = attribute.key.rsplit_once('.').unwrap_or(("", attribute.key));
                    !policy.terms.reads(field)
                }
                SetupTab::Nodes => !reads_of_nodes(policy, attribute.key),
                SetupTab::Work => !reads_of_jobs(policy, attribute.key),
                _ => false,
            };
            !is_ignored || !document::value(&m.document.scenario, &attribute.place(at)).is_empty()
        })
    };
    let shown = all.iter().filter(is_shown);
    let fields: Vec<AnyView> = shown.map(|attribute| field(store, at, attribute)).collect();
    view! { <div class="fields">{fields}</div> }.into_any()
}

fn field(store: Store, owner: &Path, attribute: &'static Attribute) -> AnyView {
    let attribute = match table::tab(owner) {
        SetupTab::Work => store.now(|m| form(m).job_value(attribute)),
        _ => attribute,
    };
    let at = attribute.place(owner);
    let named = |pairs: &[(&str, &str)]| pairs.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect();
    let kind = match attribute.ask {
        Ask::Text => EditKind::Text,
        Ask::Choice(choices) => EditKind::Choice(named(choices)),
        Ask::Usual(values) => EditKind::Usual(named(values)),
        Ask::Leaf => EditKind::Choice(store.now(|m| leaves(&m.document.scenario))),
        Ask::Pool => EditKind::Choice(store.now(|m| pools(&m.document.scenario))),
        Ask::Parent => EditKind::Choice(store.now(|m| parents(&m.document.scenario, table::owner_name(owner)))),
        Ask::Request => return request(store, owner.clone()),
    };
    // Queues and settings have forms per policy; values of queues in single pools do not.
    let terms = match table::tab(owner) {
        SetupTab::Rules => Terms::of(""),
        SetupTab::Queues if owner.0.len() == 2 => Terms::of(""),
        _ => store.now(|m| Terms::of(&m.document.scenario.policy)),
    };
    let (label, says) = (terms.fill(attribute.label), terms.fill(attribute.says));
    let default = match table::tab(owner) {
        SetupTab::Queues if owner.0.len() == 2 && store.now(|m| form(m).queue.is_none()) => {
            store.now(|m| attributes::default_of(Policy::described_or_default(&m.document.scenario.policy), attribute))
        }
        _ => attribute.default,
    };
    match attribute.stored {
        Stored::Setting => view! {
            <div>
                <Field at label says default kind />
                {rules_of(store, attribute.key)}
            </div>
        }
        .into_any(),
        _ => view! { <Field at label says default kind /> }.into_any(),
    }
}

/// Links to the rules that read a setting, once the rule book is loaded.
fn rules_of(store: Store, setting: &'static str) -> AnyView {
    let links = move || {
        let Some(book) = store.rules.get() else { return ().into_any() };
        let links: Vec<AnyView> = book.rules_of(setting).map(|rule| rule_link(store, rule)).collect();
        let lead = match links.len() {
            0 => return ().into_any(),
            1 => "rule: ",
            _ => "rules: ",
        };
        view! { <p class="hint enters">{lead}{links}</p> }.into_any()
    };
    links.into_any()
}

/// A link to the card of a rule, shown in WHY.
pub fn rule_link(store: Store, rule: &RuleRow) -> AnyView {
    let (key, name) = (rule.key.clone(), words::rule_name(&rule.key));
    let show = move |_| {
        store.dispatch(Command::Select(Some(Selection::Rule(key.clone()))));
        // WHY may appear only in the next frame.
        request_animation_frame(|| crate::widgets::focus_id("why"));
    };
    view! { <button type="button" class="link" title=rule.says.clone() on:click=show>{name}</button> }.into_any()
}

fn leaves(scenario: &Scenario) -> Vec<(String, String)> {
    let is_parent = |name: &str| scenario.queues.iter().any(|q| q.parent.as_deref() == Some(name));
    own_names(scenario.queues.iter().map(|q| &q.name).filter(|name| !is_parent(name)))
}

/// Groups of a job's user, if limits name groups. They are set once for all jobs of the user.
fn groups_of_user(store: Store, job: &Path) -> AnyView {
    let at = job.field("user");
    let user = store.text(move |m| match Policy::described(&m.document.scenario.policy) {
        Some(policy) if policy.supports.applications => document::value(&m.document.scenario, &at),
        _ => String::new(),
    });
    let groups = move || {
        let user = user.get();
        (!user.is_empty()).then(|| {
            let at = Path::default().field("settings").field(&format!("groups.{user}"));
            let label = format!("Groups of {user}");
            let says = "Separated by commas; apply to all jobs of this user. Queue limits refer to them.".to_string();
            view! { <div class="fields"><Field at label says default="none" kind=EditKind::Text /></div> }
        })
    };
    groups.into_any()
}

/// Node pools by name.
fn pools(scenario: &Scenario) -> Vec<(String, String)> {
    own_names(scenario.pools.iter().map(|pool| &pool.name))
}

/// Values of a queue in each of several pools.
fn in_pools(store: Store, queue: &Path) -> Vec<AnyView> {
    let names = store.now(|m| pools(&m.document.scenario));
    let section = |(name, _): &(String, String)| {
        let at = queue.field("pools").named(name);
        view! {
            <section class="group">
                <h3>{format!("In the pool {name}")}</h3>
                {fields(store, &at, attributes::IN_POOL)}
            </section>
        }
        .into_any()
    };
    if names.len() > 1 { names.iter().map(section).collect() } else { Vec::new() }
}

/// Queues that are not below this one.
fn parents(scenario: &Scenario, name: &str) -> Vec<(String, String)> {
    let below = crate::state::document::tree::subtree(scenario, name);
    own_names(scenario.queues.iter().map(|q| &q.name).filter(|name| !below.contains(name)))
}

const REQUESTS: [(RequestKind, &str, &str); 4] = [
    (RequestKind::CpuOnly, "cpu", "no GPU"),
    (RequestKind::Whole, "whole", "whole GPUs"),
    (RequestKind::Fraction, "fraction", "a GPU fraction"),
    (RequestKind::Memory, "memory", "GPU memory"),
];

/// How pods request GPUs, and the amount.
fn request(store: Store, at: Path) -> AnyView {
    let id = format!("request-{}", at.to_string().replace(char::is_whitespace, "_"));
    let here = at.clone();
    let kind = store.text(move |m| {
        let kind = pod_requests::kind(&m.document.scenario, &here);
        REQUESTS.iter().find(|(this, ..)| *this == kind).map_or("", |(_, key, _)| key).to_string()
    });
    let options = REQUESTS.map(|(_, key, name)| {
        view! { <option value=key prop:selected=move || kind.get() == key>{name}</option> }
    });
    let choose = {
        let at = at.clone();
        move |key: String| {
            if let Some((kind, ..)) = REQUESTS.into_iter().find(|(_, this, _)| *this == key) {
                store.dispatch(Command::Change(Change::Request { at: at.clone(), kind }));
            }
        }
    };
    let amount = move || {
        let amount = |field: &str, label, says| {
            let at = at.field(field);
            let (label, says): (&str, &str) = (label, says);
            view! { <Field at label=label.to_string() says=says.to_string() default="none" kind=EditKind::Text /> }
                .into_any()
        };
        match kind.get().as_str() {
            "whole" => amount("gpu", "GPUs per pod", "A whole number, all on one node."),
            "fraction" => amount("gpu", "GPU fraction", "Between 0 and 1, in hundredths. Several jobs share a GPU."),
            "memory" => amount("gpu-memory", "GPU memory per pod", "In MiB, or with a unit. Several jobs share a GPU."),
            _ => ().into_any(),
        }
    };
    view! {
        <div class="field">
            <label for=id.clone()>"Resources per pod"</label>
            <select id=id class="input" on:change=move |event| choose(event_target_value(&event))>{options}</select>
        </div>
        {amount}
    }
    .into_any()
}

/// Pods of a job: all alike, or several pod sets.
fn pods(store: Store, job: &Path) -> AnyView {
    let name = table::owner_name(job).to_string();
    let of = name.clone();
    // Separated by line breaks, which names cannot contain.
    let sets = store.text(move |m| {
        let job = m.document.scenario.jobs.iter().find(|j| j.name == of);
        let names = job.map(|j| j.pod_sets.iter().map(|set| set.name.as_str()).collect::<Vec<_>>());
        names.unwrap_or_default().join("\n")
    });
    let job = job.clone();
    let body = move || {
        let sets = sets.get();
        if sets.is_empty() {
            return fields(store, &job, attributes::PODS);
        }
        let all_kinds = fields(store, &job, attributes::ALL_KINDS);
        let kinds = sets.lines().map(|set| pod_set(store, &job, set)).collect_view();
        view! { {kinds} {all_kinds} }.into_any()
    };
    let add = move |_| store.dispatch(Command::Change(Change::AddPodSet(name.clone())));
    view! {
        <section class="group">
            <h3>{store.terms.get().fill("[Pods]")}</h3>
            {body}
            <div>
                <button type="button" class="btn quiet" on:click=add>
                    <Icon kind=IconKind::Plus />
                    {store.terms.get().fill("Add a [pod] set")}
                </button>
            </div>
        </section>
    }
    .into_any()
}

fn pod_set(store: Store, job: &Path, set: &str) -> AnyView {
    let at = job.field("pod-sets").named(set);
    let terms = store.terms.get_untracked();
    let remove = {
        let (at, name) = (at.clone(), format!("remove {} {set}", terms.word("pods")));
        move |_| {
            let edits = vec![Edit::Remove { at: at.clone() }];
            store.dispatch(Command::Change(Change::Edits { name: name.clone(), edits }));
        }
    };
    view! {
        <fieldset class="kind">
            <legend>{format!("{} {set}", terms.fill("[Pods]"))}</legend>
            {fields(store, &at, attributes::KIND)}
            {fields(store, &at, attributes::PODS)}
            <div>
                <button type="button" class="btn quiet" on:click=remove>{format!("Remove {} {set}", terms.word("pods"))}</button>
            </div>
        </fieldset>
    }
    .into_any()
}

/// The path of the open form while it exists; empty if none.
pub fn open_detail(store: Store) -> Memo<String> {
    store.text(|m| {
        let here =
            m.view.detail.as_ref().filter(|at| !document::value(&m.document.scenario, &at.field("name")).is_empty());
        here.map(ToString::to_string).unwrap_or_default()
    })
}
