//! The kit of the share sheet: the scenario as a virtual cluster with the real scheduler of its policy.

use fairground::export::KIT_PODS_MAX;
use fairground::policy::Policy;
use leptos::prelude::*;

use crate::downloads;
use crate::engine::protocol::Kit;
use crate::state::command::Command;
use crate::state::import::KitState;
use crate::store::Store;

/// The kit, for policies that have one.
pub fn section(store: Store) -> Option<AnyView> {
    let policy = store.now(|m| Policy::described_or_default(&m.document.scenario.policy));
    policy.kit?;
    let kit = store.part(|m| m.files.kit.clone());
    let has_errors = store.now(|m| m.document.has_errors());
    let state = move || match kit.get() {
        KitState::None => ().into_any(),
        KitState::Preparing => view! { <p class="hint">"Preparing …"</p> }.into_any(),
        KitState::Refused => {
            let most = crate::agreement::thousands(KIT_PODS_MAX as u64);
            let says = format!("This scenario has more than {most} pods, the most that a kit can have.");
            view! { <p class="hint problem">{says}</p> }.into_any()
        }
        KitState::Ready(kit) => ready(store, &kit),
    };
    let section = view! {
        <section class="group" data-part="kit">
            <h3>{format!("Virtual cluster with {}", policy.name)}</h3>
            <p class="hint">
                "A zip file with KWOK nodes, queues, pod groups and pods, a timetable as a script and the events that are expected: \
                 what it takes to run this scenario on the real scheduler."
            </p>
            <Show when=move || has_errors>
                <p class="hint">"Fix the errors of this scenario to prepare a kit."</p>
            </Show>
            <div class="row">
                <button type="button" class="btn" disabled=has_errors on:click=move |_| store.dispatch(Command::Kit)>
                    "Prepare the kit"
                </button>
            </div>
            {state}
        </section>
    };
    Some(section.into_any())
}

/// Contents and omissions of the kit, and its download.
fn ready(store: Store, kit: &Kit) -> AnyView {
    let archive = kit.archive.clone();
    let save = move |_| {
        let name = store.now(|m| downloads::file_name(&m.document.scenario.name)).replace("fairground.yaml", "kit.zip");
        downloads::download_archive(&name, &archive.0);
    };
    view! {
        {left_out("Not in the kit:", &kit.left_out)}
        <div class="row">
            <button type="button" class="btn" on:click=save>"Download the kit"</button>
            <span class="hint">{format!("{} files; begin with README.md.", kit.n_files)}</span>
        </div>
    }
    .into_any()
}

/// Lists what the files cannot express, if anything.
pub fn left_out(head: &'static str, lines: &[String]) -> Option<AnyView> {
    let items = lines.iter().map(|line| view! { <li>{line.clone()}</li> }).collect_view();
    let list = view! {
        <p class="hint">{head}</p>
        <ul class="hint">{items}</ul>
    };
    (!lines.is_empty()).then(|| list.into_any())
}
