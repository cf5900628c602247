//! Changes that would help a waiting job, each tried in a what-if run.

use fairground::suggestions::{self, Outcome};
use fairground::words::Selection;
use fairground::words::number::count;
use leptos::prelude::*;

use crate::keys;
use crate::state::branches::Trial;
use crate::state::command::Command;
use crate::store::Store;
use crate::views::why::component::text;
use crate::widgets::button::CommandButton;

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
pub fn Suggestions() -> impl IntoView {
    let store = Store::get();
    let job = Memo::new(move |_| waiting_job(store));
    let help = store.part(|m| m.branches.help.clone());
    move || {
        let Some(job) = job.get() else { return ().into_any() };
        let Some(help) = help.get().filter(|help| help.job == job) else {
            return view! {
                <div class="why help">
                    <CommandButton class="btn" command=Command::Suggest(job.clone())>
                        "What would help?"
                        <span class="kbd" aria-hidden="true">{keys::named("H", store.now(|m| m.view.keys))}</span>
                    </CommandButton>
                </div>
            }
            .into_any();
        };
        let policy = store.now(|m| m.document.scenario.policy.clone());
        if help.is_running() {
            let says = format!("Trying {}", count(help.trials.len() as u64, "change"));
            let body = view! { <p class="more" aria-busy="true">{says}</p> }.into_any();
            return panel(body);
        }
        let offer = |(trial, outcome): (&Trial, &Outcome)| {
            let label = trial.label(&policy);
            let change = trial.change.clone();
            let says = help.tried().map(|tried| suggestions::outcome(tried, outcome, help.has_part, &policy));
            view! {
                <li>
                    <CommandButton class="chip" command=Command::Change(change)>{label}</CommandButton>
                    <p class="more">{says.map(text)}</p>
                </li>
            }
        };
        let offers = help.offers();
        let compared = suggestions::compared(help.tried(), help.has_part, offers.len(), &policy);
        let compared = view! { <p class="more">{compared}</p> }.into_any();
        let items = offers.into_iter().map(offer).collect_view();
        panel(view! { {compared}<ul class="offers">{items}</ul> }.into_any())
    }
}

fn panel(body: AnyView) -> AnyView {
    view! { <div class="why help"><p class="lab">"What would help"</p>{body}</div> }.into_any()
}
