//! Kept runs: the current one, the one it is compared with, and a button that keeps it.

use leptos::prelude::*;

use crate::chart::alternative;
use crate::chart::marks::{self, Mark};
use crate::state::branches::{KeptRun, Others, kept};
use crate::state::command::Command;
use crate::state::model::Model;
use crate::store::Store;
use crate::widgets::button::{CommandButton, IconButton};
use crate::widgets::icons::{Icon, IconKind};
use crate::widgets::menu::MenuItem;
use crate::widgets::picture::icon;

/// Menu entries for runs.
pub fn items(model: &Model) -> Vec<MenuItem> {
    let item = |(label, chosen, command): (String, Option<bool>, Command)| MenuItem {
        chosen,
        ..MenuItem::new(label, command)
    };
    kept::offers(model).into_iter().map(item).collect()
}

/// The strip of kept runs.
#[component]
pub fn Runs() -> impl IntoView {
    let store = Store::get();
    let kept = store.part(|m| m.branches.kept.runs.clone());
    let present = store.part(kept::present);
    let to_keep = store.part(kept::to_keep);
    let is_comparable = store.part(kept::is_comparable);
    let shown = move || {
        let letter = present.get().filter(|_| kept.with(|runs| !runs.is_empty()));
        letter.map(|letter| view! { <span class="run shown" aria-current="true">{format!("run {letter}")}</span> })
    };
    view! {
        <span class="runs hide not-phone" role="group" aria-label="Runs">
            {shown}
            {move || kept.get().into_iter().map(|run| view! { <Run run /> }).collect_view()}
            <Show when=move || is_comparable.get()>
                <CommandButton class="btn quiet small" title=kept::TABLE command=Command::Compare(Others::Kept)>
                    "Compare"
                </CommandButton>
            </Show>
            {move || to_keep.get().map(|letter| view! {
                <CommandButton class="btn quiet small" command=Command::KeepRun>
                    <Icon kind=IconKind::Plus />
                    <span>{format!("Keep as {letter}")}</span>
                </CommandButton>
            })}
        </span>
    }
}

/// A kept run; choosing it compares it with the current one.
#[component]
fn Run(run: KeptRun) -> impl IntoView {
    let store = Store::get();
    let KeptRun { letter, label, .. } = run;
    let compared = store.part(|m| m.branches.kept.compared);
    let is_compared = move || compared.get() == Some(letter);
    let title = format!("Compare with run {letter}: {label}");
    let differences = move || {
        let (before, frame, run) = (store.before.get()?, store.frame.get()?, store.run.get()?);
        Some(alternative::says(&before, &frame, &run, store.resource.get())).filter(|_| is_compared())
    };
    view! {
        <span class="run" class:ghost=is_compared>
            <button
                type="button"
                aria-pressed=move || is_compared().to_string()
                title={
                    let title = title.clone();
                    move || differences().unwrap_or_else(|| title.clone())
                }
                aria-label=title.clone()
                on:click=move |_| store.dispatch(Command::CompareWith((!is_compared()).then_some(letter)))
            >
                {move || is_compared().then(|| icon(marks::key(Mark::of_alternative(true))))}
                <b>{letter.to_string()}</b>
                <span>{label}</span>
            </button>
            <IconButton
                icon=IconKind::Close
                label=format!("Remove run {letter}")
                on_press=store.press(Command::RemoveRun(letter))
            />
        </span>
    }
}
