//! Errors and warnings of the scenario, with fixes.

use fairground::scenario::{Diagnostic, Severity};
use fairground::words::sentence_case;
use leptos::prelude::*;

use crate::state::command::Command;
use crate::state::document;
use crate::state::layout::options::SetupTab;
use crate::store::Store;
use crate::widgets::button::CommandButton;

/// Listed findings, unless there are more errors.
const LISTED_MAX: usize = 20;
/// Listed errors.
const MISTAKES_MAX: usize = 200;

/// The findings that are not dismissed.
pub fn open_findings(store: Store) -> Memo<Vec<Diagnostic>> {
    let dismissed = store.part(|m| (*m.dismissed).clone());
    Memo::new(move |_| {
        let findings = store.findings.get();
        dismissed.with(|dismissed| {
            let is_open = |d: &&Diagnostic| !dismissed.contains(&document::finding_key(d));
            findings.iter().filter(is_open).cloned().collect()
        })
    })
}

/// The list of findings.
#[component]
pub fn Findings() -> impl IntoView {
    let store = Store::get();
    let open = open_findings(store);
    let count = move |severity: Severity| open.with(|open| open.iter().filter(|d| d.severity == severity).count());
    let head = move || {
        let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
        let plural = |n: usize, one: &str, many: &str| if n == 1 { format!("1 {one}") } else { format!("{n} {many}") };
        match (errors, warnings) {
            (0, n) => plural(n, "warning", "warnings"),
            (n, 0) => format!("{}: fix them to run this scenario", plural(n, "mistake", "mistakes")),
            (e, w) => {
                format!("{} and {}", plural(e, "mistake", "mistakes"), plural(w, "warning", "warnings"))
            }
        }
    };
    let most = move || count(Severity::Error).clamp(LISTED_MAX, MISTAKES_MAX);
    let rest = move || open.with(|open| open.len().saturating_sub(most()));
    let has_unread = store.part(|m| m.unread.is_some() && m.view.tab != SetupTab::Text);
    view! {
        <Show when=move || has_unread.get()>
            <p class="hint warn">
                "The text of the scenario cannot be read yet. "
                <CommandButton class="link" command=Command::Tab(SetupTab::Text)>"Show"</CommandButton>
            </p>
        </Show>
        <Show when=move || open.with(|open| !open.is_empty())>
            <section class="diag" class:error=move || { count(Severity::Error) > 0 } aria-label="Notes on the scenario">
                <b>{head}</b>
                <ul>
                    <For
                        each=move || open.get().into_iter().take(most())
                        key=|d| (document::finding_key(d), d.says.clone())
                        let:finding
                    >
                        <Finding finding />
                    </For>
                </ul>
                <Show when=move || { rest() > 0 }>
                    <p>{move || format!("and {} more", rest())}</p>
                </Show>
            </section>
        </Show>
    }
}

#[component]
fn Finding(finding: Diagnostic) -> impl IntoView {
    let key = document::finding_key(&finding);
    let is_warning = finding.severity == Severity::Warning;
    let at = finding.at.clone();
    let has_place = !at.0.is_empty();
    let fix = finding.fix.clone().map(|fix| {
        let label = fix.label.clone();
        view! {
            <CommandButton class="link" command=Command::Fix(Box::new(fix))>{label}</CommandButton>
        }
    });
    view! {
        <li>
            <span>{sentence_case(&finding.says)}</span>
            " "
            {fix}
            {has_place
                .then(|| {
                    view! {
                        <CommandButton class="link" command=Command::FocusField(at)>"Show"</CommandButton>
                    }
                })}
            {is_warning
                .then(|| {
                    view! {
                        <CommandButton class="link" command=Command::Dismiss(key)>
                            "Ignore"
                        </CommandButton>
                    }
                })}
        </li>
    }
}
