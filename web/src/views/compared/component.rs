//! Runs side by side: their course over time with the translated settings, the first difference with both explanations,
//! amounts, waits and evictions.

use std::mem::discriminant;

use fairground::words::number::{count, number, time};
use fairground::words::{FirstDifference, Side, Terms};
use leptos::prelude::*;

use super::course::{axis, course, draw};
use super::view::{FIRST_DIFFERENCE, Row, same_columns, table};
use crate::engine::protocol::{Compared, QueueRow};
use crate::state::branches::commands::compare_versions_label;
use crate::state::branches::{Others, kept};
use crate::state::command::Command;
use crate::store::Store;
use crate::widgets::translation_notes::notes;
use fairground::translate::NoteKind;

/// The current run beside others.
#[component]
pub fn Compare() -> impl IntoView {
    let store = Store::get();
    let others = store.part(|m| m.comparison.others);
    let has_versions = store.part(|m| compare_versions_label(&m.document.scenario).is_some());
    let has_kept = store.part(kept::is_comparable);
    let choice = move |this: Others, name: &'static str| {
        let is_chosen = move || discriminant(&others.get()) == discriminant(&this);
        view! {
            <button
                type="button"
                aria-pressed=move || is_chosen().to_string()
                on:click=move |_| store.dispatch(Command::Compare(this))
            >
                {name}
            </button>
        }
    };
    let with_baselines = move || others.get() == Others::Policies { with_baselines: true };
    let on_baselines = move |_| {
        let with_baselines = !with_baselines();
        store.dispatch(Command::Compare(Others::Policies { with_baselines }));
    };
    let baselines = move || {
        matches!(others.get(), Others::Policies { .. }).then(|| {
            view! {
                <label class="check">
                    <input type="checkbox" prop:checked=with_baselines on:change=on_baselines />
                    "With first in first out, max-min fairness and DRF"
                </label>
            }
        })
    };
    view! {
        <div class="compare-with">
            <div class="seg" role="group" aria-label="Compare with">
                {choice(Others::default(), "Policies")}
                {move || has_versions.get().then(|| choice(Others::Versions, "Versions"))}
                {move || has_kept.get().then(|| choice(Others::Kept, "Kept runs"))}
            </div>
            {baselines}
        </div>
        <p class="hint">
            {move || store.terms.get().fill(said_of(others.get()))}
            " All runs end at the same time. Waits that have not ended are counted up to then."
        </p>
        <Results />
    }
}

/// What is run.
fn said_of(others: Others) -> &'static str {
    match others {
        Others::Policies { .. } => "The scenario is converted to each policy and run with the same [jobs].",
        Others::Versions => {
            "The scenario is run by the rules of each version of its scheduler; the current one is the first."
        }
        Others::Kept => "The kept runs are compared with the current one.",
    }
}

/// Progress and results.
#[component]
fn Results() -> impl IntoView {
    let store = Store::get();
    let columns = store.part(|m| m.comparison.compared.clone());
    let to_compare = store.part(|m| m.comparison.n_runs);
    let comparing = store.part(|m| m.comparison.progress.clone());
    let running = move || match comparing.get() {
        Some((name, cycle)) => format!("{name}, cycle {}", number(f64::from(cycle))),
        None => "Running".to_string(),
    };
    let is_running = move || columns.get().len() < to_compare.get();
    let shown = move || {
        let queues = store.now(|m| m.moment.frame.as_ref().map_or(Vec::new(), |frame| frame.queues.clone()));
        results(&columns.get(), &queues, store.terms.get())
    };
    view! {
        <Show when=is_running>
            <p class="hint"><progress aria-label="Running"></progress> " " {running}</p>
        </Show>
        {shown}
    }
}

/// A panel for each group of runs with equal results, where they differ first, then all numbers.
fn results(columns: &[Compared], queues: &[QueueRow], terms: &Terms) -> AnyView {
    let rows = table(columns, terms);
    let groups = same_columns(&rows, columns.len());
    view! {
        {panels(columns, &groups, queues)}
        {differences(columns, &groups)}
        {(!columns.is_empty()).then(|| numbers(columns, &groups, rows))}
    }
    .into_any()
}

/// Names of runs with equal results.
fn names(columns: &[Compared], group: &[usize]) -> String {
    group.iter().map(|at| columns[*at].name.as_str()).collect::<Vec<_>>().join(" = ")
}

/// What the queues hold over time in each group, on one axis.
fn panels(columns: &[Compared], groups: &[Vec<usize>], queues: &[QueueRow]) -> AnyView {
    let panel = |group: &Vec<usize>| {
        let column = &columns[group[0]];
        let result = match course(column, columns, queues) {
            Some(drawn) => {
                let picture = draw(&drawn, &format!("compared-{}", group[0]));
                view! { <div class="picture" role="img" aria-label=drawn.says inner_html=picture></div> }.into_any()
            }
            None => {
                let findings = column.findings.iter().map(|finding| view! { <li>{finding.says.clone()}</li> });
                view! {
                    <div>
                        <p>"It cannot run:"</p>
                        <ul>{findings.collect::<Vec<_>>()}</ul>
                    </div>
                }
                .into_any()
            }
        };
        view! {
            <section class="compared">
                <div>
                    <h2>{names(columns, group)}</h2>
                    {group.iter().map(|at| translation(&columns[*at])).collect::<Vec<_>>()}
                </div>
                {result}
            </section>
        }
    };
    let [from, most, until] = axis(columns);
    let axis = columns.iter().any(|column| column.run.is_some()).then(|| {
        view! { <div class="compared axis" aria-hidden="true"><p><span>{from}</span><span>{most}</span><span>{until}</span></p></div> }
    });
    view! { <div class="compared-all">{groups.iter().map(panel).collect::<Vec<_>>()} {axis}</div> }.into_any()
}

/// Where each group of runs differs first from the first run.
fn differences(columns: &[Compared], groups: &[Vec<usize>]) -> AnyView {
    let found = groups.iter().filter_map(|group| {
        let found = columns[group[0]].first_difference.as_ref()?;
        let at = time(found.time.as_millis());
        let (first, other) = (columns[0].name.clone(), names(columns, group));
        let title = match columns {
            [_, _] => format!("First difference, at {at}"),
            _ => format!("First difference between {first} and {other}, at {at}"),
        };
        Some(difference(found, title, [first, other]))
    });
    let found = found.collect::<Vec<_>>();
    (!found.is_empty()).then(|| view! { <div class="differences">{found}</div> }).into_any()
}

/// What both runs do at their first difference, and why; all but the verdicts is folded.
fn difference(found: &FirstDifference, title: String, names: [String; 2]) -> AnyView {
    let side = |(name, side): (String, &Side)| {
        let moves = side.moves();
        let mut lines = side.lines.iter().cloned();
        let verdict = lines.next().map(|verdict| view! { <p>{verdict}</p> });
        let rest: Vec<_> = lines.map(|line| view! { <li>{line}</li> }).collect();
        let rest = (!rest.is_empty()).then(|| {
            view! {
                <details>
                    <summary>"Explanation"</summary>
                    <ul>{rest}</ul>
                </details>
            }
        });
        view! {
            <div>
                <h3>{name}</h3>
                <p class="hint">{moves}</p>
                {verdict}
                {rest}
            </div>
        }
    };
    let sides = names.into_iter().zip(&found.sides).map(side).collect::<Vec<_>>();
    view! {
        <section class="difference">
            <h2>{title}</h2>
            <div class="columns">{sides}</div>
        </section>
    }
    .into_any()
}

/// Changes to settings, folded; nothing for a run that was not translated.
fn translation(column: &Compared) -> AnyView {
    if column.notes.is_empty() {
        return ().into_any();
    }
    let name = column.name.clone();
    let n = column.notes.iter().filter(|note| note.note.kind != NoteKind::Kept).count() as u64;
    if n == 0 {
        return view! { <p class="hint">{name} ": no settings lost"</p> }.into_any();
    }
    view! {
        <details>
            <summary>{format!("{name}: {}", count(n, "setting"))} " converted or dropped"</summary>
            {notes(&column.notes)}
        </details>
    }
    .into_any()
}

/// A link to a moment of the current run.
#[component]
fn Moment(moment: i64, text: String) -> impl IntoView {
    let store = Store::get();
    view! {
        <button
            type="button"
            class="link"
            aria-label=format!("First difference: go to {text}")
            on:click=move |_| store.dispatch(Command::GoToMoment(moment))
        >
            {text.clone()}
        </button>
    }
}

/// All numbers in one table; those that differ from the first column are highlighted.
fn numbers(columns: &[Compared], groups: &[Vec<usize>], rows: Vec<Row>) -> AnyView {
    let heads = groups.iter().map(|group| view! { <th scope="col" class="num">{names(columns, group)}</th> });
    let heads = heads.collect::<Vec<_>>();
    let rows = rows.into_iter().map(|Row { name, cells }| {
        let cells = groups.iter().map(|group| {
            let cell = &cells[group[0]];
            let found = columns[group[0]].first_difference.as_ref().filter(|_| name == FIRST_DIFFERENCE);
            let shown = match found {
                Some(found) => view! { <Moment moment=found.time.as_millis() text=cell.clone() /> }.into_any(),
                None => cell.clone().into_any(),
            };
            view! { <td class="num" class:on=*cell != cells[0]>{shown}</td> }
        });
        view! {
            <tr>
                <th scope="row">{name.clone()}</th>
                {cells.collect::<Vec<_>>()}
            </tr>
        }
    });
    let rows = rows.collect::<Vec<_>>();
    view! {
        <div class="table-wrap" tabindex="0" role="region" aria-label="All numbers">
            <table class="data">
                <thead>
                    <tr>
                        <th scope="col">"Result"</th>
                        {heads}
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}
