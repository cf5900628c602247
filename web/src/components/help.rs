//! What would help a job that waits: changes that were tried, each with what it comes to.

use crate::dom::prelude::*;
use crate::keys;

use super::why::text;
use crate::model::{Change, Command, Selection};
use crate::store::Store;
use crate::words;

/// The selected job, if it waits at this moment.
pub fn waiting_job(store: Store) -> Option<String> {
    let frame = store.frame.get()?;
    let job = match store.selection.get()? {
        Selection::Job(job) => job,
        Selection::Event { cycle, index } if cycle == frame.cycle => {
            frame.events.get(index as usize)?.job.clone()
        }
        _ => return None,
    };
    frame.jobs.iter().any(|row| row.name == job && (row.pending > 0 || row.leaving > 0)).then_some(job)
}

/// A button that tries changes, and those that help.
#[component]
pub fn Help() -> impl IntoView {
    let store = Store::get();
    let job = Memo::new(move |_| waiting_job(store));
    let help = store.part(|m| m.help.clone());
    let on_select = Callback::new(move |selection| store.dispatch(Command::Select(selection)));
    move || {
        let Some(job) = job.get() else { return Node::Empty };
        let Some(help) = help.get().filter(|help| help.job == job) else {
            return view! {
                <div class="why help">
                    <button type="button" class="btn" on:click=move |_| store.dispatch(Command::Help(job.clone()))>
                        "What would help?"
                        <span class="kbd" aria-hidden="true">{keys::named("H", store.now(|m| m.view.keys))}</span>
                    </button>
                </div>
            }
            .into_node();
        };
        let offer = |(change, outcome): (&Change, &crate::engine::protocol::Outcome)| {
            let label = match change {
                Change::Edits { name, .. } => name.clone(),
                _ => String::new(),
            };
            let change = change.clone();
            let says = words::outcome(outcome, help.cycle);
            view! {
                <li>
                    <button
                        type="button"
                        class="chip"
                        on:click=move |_| store.dispatch(Command::Change(change.clone()))
                    >
                        {label}
                    </button>
                    <p class="more">{text(says, on_select)}</p>
                </li>
            }
        };
        let offers = help.offers();
        let n = help.n_tried();
        let body = if help.is_running() {
            view! { <p class="more" aria-busy="true">{format!("Trying {n} changes")}</p> }.into_node()
        } else if offers.is_empty() {
            let says = format!("None of {n} small changes lets it run within five cycles.");
            view! { <p class="more">{says}</p> }.into_node()
        } else {
            let items = offers.into_iter().map(offer).collect_view();
            view! { <ul class="offers">{items}</ul> }.into_node()
        };
        view! { <div class="why help"><p class="lab">"What would help"</p>{body}</div> }.into_node()
    }
}
