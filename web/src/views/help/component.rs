//! Changes that would help a waiting job, each tried in a what-if run.

use fairground::words::Selection;
use fairground::words::number::count;
use leptos::prelude::*;

use crate::engine::protocol::Outcome;
use crate::state::branches::what_if::Trial;
use crate::state::command::Command;
use crate::store::Store;
use crate::views::why::component::text;
use crate::widgets::button::CommandButton;
use crate::{keys, words};

/// The selected job if it is waiting at the cursor.
pub fn waiting_job(store: Store) -> Option<String> {
    let frame = store.frame.get()?;
    let job = match store.selection.get()? {
        Selection::Job(job) => job,
        Selection::Event { cycle, index } if cycle == frame.cycle => {
            frame.job_name(frame.events.get(index as usize)?).to_string()
        }
        _ => return None,
    };
    frame.jobs.iter().any(|row| row.name == job && (row.pending > 0 || row.leaving > 0)).then_some(job)
}

/// A button that tries changes, and the list of those that help.
#[component]
pub fn Help() -> impl IntoView {
    let store = Store::get();
    let job = Memo::new(move |_| waiting_job(store));
    let help = store.part(|m| m.help.clone());
    move || {
        let Some(job) = job.get() else { return ().into_any() };
        let Some(help) = help.get().filter(|help| help.job == job) else {
            return view! {
                <div class="why help">
                    <CommandButton class="btn" command=Command::Help(job.clone())>
                        "What would help?"
                        <span class="kbd" aria-hidden="true">{keys::named("H", store.now(|m| m.view.keys))}</span>
                    </CommandButton>
                </div>
            }
            .into_any();
        };
        let policy = store.now(|m| m.scenario.policy.clone());
        if help.is_running() {
            let says = format!("Trying {}", count(help.n_tried() as u64, "change"));
            let body = view! { <p class="more" aria-busy="true">{says}</p> }.into_any();
            return panel(body);
        }
        let offer = |(trial, outcome): (&Trial, &Outcome)| {
            let label = words::help_label(trial, &policy);
            let change = trial.change.clone();
            let says = words::outcome(&help, outcome, &policy);
            view! {
                <li>
                    <CommandButton class="chip" command=Command::Change(change)>{label}</CommandButton>
                    <p class="more">{text(says)}</p>
                </li>
            }
        };
        let items = help.offers().into_iter().map(offer).collect_view();
        let compared = view! { <p class="more">{words::help_compared(&help, &policy)}</p> }.into_any();
        panel(view! { {compared}<ul class="offers">{items}</ul> }.into_any())
    }
}

fn panel(body: AnyView) -> AnyView {
    view! { <div class="why help"><p class="lab">"What would help"</p>{body}</div> }.into_any()
}
