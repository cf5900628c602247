//! Priority classes of the scenario: names and values, each of which is a setting.

use fairground::policy::{PRIORITY_CLASS, Policy};
use fairground::scenario::{Edit, Path, Scenario};
use leptos::prelude::*;

use super::edit_box::{EditKind, Field};
use crate::state::command::Command;
use crate::state::document::Change;
use crate::store::Store;
use crate::widgets::button::IconButton;
use crate::widgets::icons::{Icon, IconKind};

/// The list, for policies that read priority classes.
#[component]
pub fn Classes() -> impl IntoView {
    let store = Store::get();
    let has_some = store.part(|m| Policy::job_defaults(&m.document.scenario.policy).has_own_classes);
    let names = Memo::new(move |_| store.scenario.with(|scenario| own(scenario)));
    let add = move |_| store.dispatch(store.now(|m| add(&m.document.scenario)));
    let list = move || names.get().into_iter().map(|name| row(store, name)).collect_view();
    move || {
        has_some.get().then(|| {
            view! {
                <section class="group">
                    <h2>"Priority classes"</h2>
                    <p class="hint">
                        "Jobs name a class as their priority, as pods name a PriorityClass. Presets of the policy need no entry."
                    </p>
                    {list}
                    <div class="add">
                        <button type="button" class="btn quiet" on:click=add>
                            <Icon kind=IconKind::Plus />
                            "Priority class"
                        </button>
                    </div>
                </section>
            }
        })
    }
}

/// Name, value and remove button of a class.
fn row(store: Store, name: String) -> AnyView {
    let id = format!("class-{}", name.replace(char::is_whitespace, "_"));
    let wrong = RwSignal::new(false);
    let renamed = {
        let name = name.clone();
        move |event| {
            let to = event_target_value(&event).trim().to_string();
            let command = store.now(|m| rename(&m.document.scenario, &name, &to));
            wrong.set(command.is_none() && to != name);
            if let Some(command) = command {
                store.dispatch(command);
            }
        }
    };
    let remove = {
        let name = name.clone();
        move |()| store.dispatch(remove(&name))
    };
    view! {
        <fieldset class="kind">
            <legend>{name.clone()}</legend>
            <div class="field" class:wrong=move || wrong.get()>
                <label for=id.clone()>"Name"</label>
                <input
                    id=id
                    class="input"
                    type="text"
                    autocomplete="off"
                    spellcheck="false"
                    maxlength="100"
                    prop:value=name.clone()
                    on:change=renamed
                />
                {move || {
                    let says = "A name that no other class has, and no number.";
                    wrong.get().then(|| view! { <p class="hint"><span class="mistake" role="alert">{says}</span></p> })
                }}
            </div>
            <Field
                at=place(&name)
                label="Value".into()
                says="A whole number; higher values are served first.".into()
                default=""
                kind=EditKind::Text
            />
            <IconButton
                icon=IconKind::Close
                label=format!("Remove the priority class {name}")
                on_press=Callback::new(remove)
            />
        </fieldset>
    }
    .into_any()
}

fn place(name: &str) -> Path {
    Path::default().field("settings").field(&format!("{PRIORITY_CLASS}{name}"))
}

/// The names of the classes of a scenario.
fn own(scenario: &Scenario) -> Vec<String> {
    let names = scenario.settings.keys().filter_map(|key| key.strip_prefix(PRIORITY_CLASS));
    names.filter(|name| !name.is_empty()).map(str::to_string).collect()
}

fn change(name: String, edits: Vec<Edit>) -> Command {
    Command::Change(Change::Edits { name, edits })
}

/// Adds a class under a free name, with the priority of jobs without a class.
fn add(scenario: &Scenario) -> Command {
    let names = own(scenario);
    let free = (1..).map(|n| format!("class-{n}")).find(|name| !names.contains(name)).unwrap_or_default();
    let value = Policy::job_defaults(&scenario.policy).priority.to_string();
    change(format!("add the priority class {free}"), vec![Edit::Set { at: place(&free), value }])
}

/// Removes a class. Jobs that name it keep the name and are reported until they name another one.
fn remove(name: &str) -> Command {
    let edits = vec![Edit::Set { at: place(name), value: String::new() }];
    change(format!("remove the priority class {name}"), edits)
}

/// Renames a class, also in its jobs; `None` if the name is empty, a number, or that of another class.
fn rename(scenario: &Scenario, name: &str, to: &str) -> Option<Command> {
    let is_taken = scenario.settings.contains_key(&format!("{PRIORITY_CLASS}{to}"));
    if to.is_empty() || is_taken || to.parse::<i64>().is_ok() {
        return None;
    }
    let value = scenario.settings.get(&format!("{PRIORITY_CLASS}{name}"))?.0.clone();
    let set = |at: Path, value: &str| Edit::Set { at, value: value.to_string() };
    let mut edits = vec![set(place(name), ""), set(place(to), &value)];
    for job in scenario.jobs.iter().filter(|job| job.priority.as_ref().is_some_and(|typed| typed.0.trim() == name)) {
        edits.push(set(Path::default().field("jobs").named(&job.name).field("priority"), to));
    }
    Some(change(format!("rename the priority class {name} to {to}"), edits))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::document;

    fn after(scenario: &Scenario, command: Command) -> Scenario {
        let Command::Change(Change::Edits { edits, .. }) = command else { panic!("it edits") };
        document::apply(scenario, &edits).unwrap_or_else(|says| panic!("{says}"))
    }

    #[test]
    fn a_class_is_added_renamed_with_its_jobs_and_removed() {
        let text = "format: fairground-scenario\nversion: 1\npolicy: yunikorn\nnodes: [{name: n}]\nqueues: [{name: q}]\n\
                    settings: {priority-class.online: 1000}\njobs: [{name: j, queue: q, priority: online}, {name: k, queue: q}]\n";
        let scenario = document::from_text(text).expect("it can be read");
        let added = after(&scenario, add(&scenario));
        assert_eq!(own(&added), ["class-1", "online"]);
        assert_eq!(rename(&added, "online", "class-1"), None, "another class has that name");
        assert_eq!((rename(&added, "online", ""), rename(&added, "online", "7")), (None, None));
        let renamed = after(&added, rename(&added, "online", "urgent").expect("a free name"));
        assert_eq!(own(&renamed), ["class-1", "urgent"]);
        let priority = |at: usize| renamed.jobs[at].priority.as_ref().map(|typed| typed.0.as_str());
        assert_eq!((priority(0), priority(1)), (Some("urgent"), None));
        assert_eq!(own(&after(&renamed, remove("class-1"))), ["urgent"]);
    }
}
