//! Empty states: what is missing, and buttons that add it.

use fairground::scenario::Scenario;
use leptos::prelude::*;

use super::button::CommandButton;
use super::icons::{Icon, IconKind};
use super::key_name;
use crate::state::command::Command;
use crate::state::document::Change;
use crate::state::layout::options::Dialog;
use crate::store::Store;

/// A missing part without which a scenario cannot run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lack {
    Nodes,
    Queues,
    Jobs,
}

impl Lack {
    /// The first missing part of a scenario: queues before jobs.
    pub fn of(scenario: &Scenario) -> Option<Lack> {
        if scenario.queues.is_empty() {
            Some(Lack::Queues)
        } else if scenario.jobs.is_empty() {
            Some(Lack::Jobs)
        } else {
            None
        }
    }

    /// Sentence, button label, key, and the change.
    fn says(self) -> (&'static str, &'static str, &'static str, Change) {
        match self {
            Lack::Nodes => ("No [nodes] yet: add some, or import a scenario.", "Add [nodes]", "N", Change::AddNodes),
            Lack::Queues => {
                let add = Change::AddQueue { parent: None };
                ("No [queues] yet: add one, or import a scenario.", "Add a [queue]", "Q", add)
            }
            Lack::Jobs => {
                let add = Change::AddJob { queue: None };
                ("No [jobs] yet: add one, or import a scenario.", "Add [a job]", "W", add)
            }
        }
    }
}

/// Shown in place of an empty view.
pub fn empty(lack: Lack) -> AnyView {
    view! { <Lines lack /> }.into_any()
}

/// Shown below a view if the scenario lacks something.
pub fn empty_below(lack: impl Fn() -> Option<Lack> + Send + 'static) -> impl IntoView {
    move || lack().map_or(().into_any(), empty)
}

#[component]
fn Lines(lack: Lack) -> impl IntoView {
    let store = Store::get();
    let (sentence, add, key, change) = lack.says();
    view! {
        <div class="empty">
            <p>{move || store.terms.get().fill(sentence)}</p>
            <div class="wrap">
                <CommandButton class="btn" command=Command::Change(change)>
                    <Icon kind=IconKind::Plus />
                    {move || store.terms.get().fill(add)}
                    <span class="kbd">{key_name(store, key)}</span>
                </CommandButton>
                <CommandButton class="btn" command=Command::Dialog(Some(Dialog::Paste))>
                    "Import"
                </CommandButton>
                <CommandButton class="btn quiet" command=Command::Dialog(Some(Dialog::Examples))>
                    "Examples"
                </CommandButton>
            </div>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairground::scenario::{JobEntry, QueueEntry};

    #[test]
    fn queues_come_before_jobs() {
        let none = Scenario::default();
        assert_eq!(Lack::of(&none), Some(Lack::Queues));
        let queues = Scenario { queues: vec![QueueEntry::default()].into(), ..Scenario::default() };
        assert_eq!(Lack::of(&queues), Some(Lack::Jobs));
        let both = Scenario { jobs: vec![JobEntry::default()].into(), ..queues };
        assert_eq!(Lack::of(&both), None);
    }
}
