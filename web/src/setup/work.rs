//! Jobs and patterns of jobs.

use fairground::scenario::{Path, Scenario};
use fairground::words::Selection;
use leptos::prelude::*;

use super::all_values;
use super::findings::open_findings;
use super::grid::{EditGrid, RowKey};
use super::rows::{job_columns, job_rows};
use crate::state::command::Command;
use crate::state::document::Change;
use crate::store::Store;
use crate::widgets::button::{CommandButton, IconButton};
use crate::widgets::empty::{Lack, empty_below};
use crate::widgets::icons::{Icon, IconKind};
use crate::widgets::key_name;
use crate::widgets::menu::MenuItem;

/// Rows per page.
const PAGE: usize = 200;

fn page_of(scenario: &Scenario, job: &str) -> Option<usize> {
    Some(scenario.jobs.iter().position(|j| j.name == job)? / PAGE)
}

/// The editable table of jobs, in pages of 200.
#[component]
pub fn Work() -> impl IntoView {
    let store = Store::get();
    let findings = open_findings(store);
    // The page that was turned to, for as long as the selection stays.
    let turned = RwSignal::new(None::<(Option<Selection>, usize)>);
    let n_jobs = Memo::new(move |_| store.scenario.with(|s| s.jobs.len()));
    let pages = move || n_jobs.get().div_ceil(PAGE).max(1);
    let page = Memo::new(move |before: Option<&usize>| {
        let selection = store.selection.get();
        let of_selected = || match &selection {
            Some(Selection::Job(job)) => page_of(&store.scenario.get_untracked(), job),
            _ => None,
        };
        let turned = turned.get().filter(|(at, _)| *at == selection).map(|(_, page)| page);
        turned.or_else(of_selected).or(before.copied()).unwrap_or(0).min(pages() - 1)
    });
    let turn_to = move |page| turned.set(Some((store.selection.get_untracked(), page)));
    let rows = Memo::new(move |_| {
        let (scenario, from) = (store.scenario.get(), page.get() * PAGE);
        findings.with(|findings| job_rows(&scenario, findings, store.resource.get(), from, PAGE))
    });
    let on_row_key = move |(id, key): (String, RowKey)| {
        if key == RowKey::All {
            let at = Path::default().field("jobs").named(&id);
            store.dispatch(Command::Detail(Some(at)));
        } else if key == RowKey::Remove {
            store.dispatch(Command::Change(Change::RemoveJob(id)));
        }
    };
    let menu = |id: String| {
        let at = Path::default().field("jobs").named(&id);
        vec![
            all_values(&id, at),
            MenuItem::new(format!("Duplicate {id}"), Command::Change(Change::DuplicateJob(id.clone()))),
            MenuItem::new(format!("Explain {id}"), Command::Select(Some(Selection::Job(id.clone())))).key("E"),
            MenuItem::new(format!("Remove {id}"), Command::Change(Change::RemoveJob(id))).key("Del"),
        ]
    };
    let range = move || {
        let (from, n) = (page.get() * PAGE, n_jobs.get());
        format!("{} to {} of {n} entries", from + 1, (from + PAGE).min(n))
    };
    view! {
        <EditGrid
            label="Work"
            columns=Signal::derive(move || job_columns(store.terms.get(), store.resource.get()))
            rows
            menu=Callback::new(menu)
            on_row_key=Callback::new(on_row_key)
        />
        {empty_below(move || (n_jobs.get() == 0).then_some(Lack::Jobs))}
        <Show when=move || { pages() > 1 }>
            <nav class="pager" aria-label=move || store.terms.get().fill("Pages of [jobs]")>
                <IconButton
                    icon=IconKind::Left
                    label="Previous page"
                    disabled=Signal::derive(move || page.get() == 0)
                    on_press=Callback::new(move |()| turn_to(page.get_untracked().saturating_sub(1)))
                />
                <span>{range}</span>
                <IconButton
                    icon=IconKind::Right
                    label="Next page"
                    disabled=Signal::derive(move || page.get() + 1 >= pages())
                    on_press=Callback::new(move |()| turn_to(page.get_untracked() + 1))
                />
            </nav>
        </Show>
        <div class="add">
            <CommandButton class="btn quiet" command=Command::Change(Change::AddJob { queue: None })>
                <Icon kind=IconKind::Plus />
                {move || super::head(store, "job")}
                <span class="kbd">{key_name(store, "W")}</span>
            </CommandButton>
        </div>
    }
}
