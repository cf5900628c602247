//! Runs side by side: their course over time with the translated settings, the first difference with both explanations,
//! amounts, waits and evictions.

use fairground::words::number::{count, number, time};
use fairground::words::{FirstDifference, Side, Terms};
use leptos::prelude::*;

use super::course::{axis, course, draw};
use super::view::{FIRST_DIFFERENCE, Row, same_columns, table};
use crate::engine::protocol::{Compared, QueueRow};
use crate::state::command::Command;
use crate::store::Store;
use crate::widgets::dialog::DialogFrame;
use crate::widgets::translation_notes::notes;
use fairground::translate::NoteKind;

/// The comparison of policies.
#[component]
pub fn Compare(on_close: Callback<()>) -> impl IntoView {
    let store = Store::get();
    let with_baselines = RwSignal::new(false);
    let on_baselines = move |_| {
        with_baselines.update(|with| *with = !*with);
        store.dispatch(Command::Compare { with_baselines: with_baselines.get_untracked() });
    };
    view! {
        <DialogFrame title="Compare policies" class="wide" on_close>
            <p class="hint">"The scenario is converted to each policy and run with the same jobs. " {END}</p>
            <label class="check">
                <input type="checkbox" prop:checked=with_baselines on:change=on_baselines />
                "Also compare with first in first out, max-min fairness and DRF"
            </label>
            <Results />
        </DialogFrame>
    }
}

/// The comparison of the kept runs with the current one.
#[component]
pub fn CompareRuns(on_close: Callback<()>) -> impl IntoView {
    view! {
        <DialogFrame title="Compare runs" class="wide" on_close>
            <p class="hint">"The kept runs are compared with the current one. " {END}</p>
            <Results />
        </DialogFrame>
    }
}

/// The comparison of the versions of the scheduler.
#[component]
pub fn CompareVersions(on_close: Callback<()>) -> impl IntoView {
    view! {
        <DialogFrame title="Compare versions" class="wide" on_close>
            <p class="hint">
                "The scenario is run by the rules of each version of its scheduler; the current one is the first. All runs end at \
                 the same time: when nothing further happens in any of them. Waits that have not ended are counted up to then."
            </p>
            <Results />
        </DialogFrame>
    }
}

/// When the runs end.
const END: &str = "All runs end at the same time: at the current moment or, from the start, when nothing further happens in any of them. Waits that have not ended are counted up to then.";

/// Progress and results.
#[component]
fn Results() -> impl IntoView {
    let store = Store::get();
    let columns = store.part(|m| m.comparison.compared.clone());
    let to_compare = store.part(|m| m.comparison.n_runs);
    let comparing = store.part(|m| m.comparison.progress.clone());
    let queues = store.now(|m| m.moment.frame.as_ref().map_or(Vec::new(), |frame| frame.queues.clone()));
    let running = move || match comparing.get() {
        Some((name, cycle)) => format!("{name}, cycle {}", number(f64::from(cycle))),
        None => "Running".to_string(),
    };
    let is_running = move || columns.get().len() < to_compare.get();
    view! {
        <Show when=is_running>
            <p><progress aria-label="Running"></progress> " " {running}</p>
        </Show>
        {move || results(&columns.get(), &queues, store.terms.get())}
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
                    <h3>{names(columns, group)}</h3>
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
                <h4>{name}</h4>
                <p class="hint">{moves}</p>
                {verdict}
                {rest}
            </div>
        }
    };
    let sides = names.into_iter().zip(&found.sides).map(side).collect::<Vec<_>>();
    view! {
        <section class="difference">
            <h3>{title}</h3>
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
