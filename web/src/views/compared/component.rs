//! The same arrivals under several policies, side by side: what had to be translated, then GPUs, waits and evictions.

use fairground::words::number::number;
use leptos::prelude::*;

use super::draw::compared;
use super::view::{Bars, Row, bars, table};
use crate::engine::protocol::{ColumnRow, QueueRow};
use crate::state::command::Command;
use crate::store::Store;
use crate::widgets::dialog::DialogFrame;
use crate::widgets::translation_notes::{kind_name, notes, with_code};
use fairground::policy::Policy;

/// Width of a policy's picture, pixels.
const WIDTH: f64 = 200.0;

/// The comparison.
#[component]
pub fn Compare(
    /// It was closed.
    on_close: Callback<()>,
) -> impl IntoView {
    let store = Store::get();
    let columns = store.part(|m| m.compared.clone());
    let to_compare = store.part(|m| m.to_compare);
    let comparing = store.part(|m| m.comparing.clone());
    let queues = store.now(|m| m.frame.as_ref().map_or(Vec::new(), |frame| frame.queues.clone()));
    let running = move || match comparing.get() {
        Some((policy, cycle)) => {
            format!("{}, cycle {}", Policy::described_or_default(&policy).title, number(f64::from(cycle)))
        }
        None => "Running".to_string(),
    };
    let is_running = move || columns.get().len() < to_compare.get();
    let with_baselines = RwSignal::new(false);
    let on_baselines = move |_| {
        with_baselines.update(|with| *with = !*with);
        store.dispatch(Command::Compare { with_baselines: with_baselines.get_untracked() });
    };
    view! {
        <DialogFrame title="The same cluster under four schedulers" class="wide" on_close>
            <p class="hint">
                "The scenario is converted to each policy and run with the same jobs up to the current moment, or to the end."
            </p>
            <label class="check">
                <input type="checkbox" prop:checked=with_baselines on:change=on_baselines />
                "and under simple ones: first in, first out, max-min, plain DRF"
            </label>
            <Show when=is_running>
                <p><progress aria-label="Running"></progress> " " {running}</p>
            </Show>
            {move || panels(&columns.get(), &queues)}
            {move || numbers(&columns.get())}
        </DialogFrame>
    }
}

/// A panel for each policy: what became of the settings, above what came of it.
fn panels(columns: &[ColumnRow], queues: &[QueueRow]) -> AnyView {
    let panel = |column: &ColumnRow| {
        let name = Policy::described_or_default(&column.policy).title;
        let drawn = bars(column, columns, queues);
        let picture = compared(&drawn, &format!("compared-{}", column.policy), WIDTH);
        let result = if column.can_run {
            view! {
                <h4>{drawn.title}</h4>
                <div class="picture" role="img" aria-label=says(&drawn) inner_html=picture></div>
            }
            .into_any()
        } else {
            let findings = column.findings.iter().map(|finding| view! { <li>{finding.clone()}</li> });
            view! {
                <p>"It cannot run:"</p>
                <ul>{findings.collect::<Vec<_>>()}</ul>
            }
            .into_any()
        };
        view! {
            <section class="compared">
                <h3>{name}</h3>
                {translation(column)}
                {result}
            </section>
        }
    };
    view! { <div class="compared-all">{columns.iter().map(panel).collect::<Vec<_>>()}</div> }.into_any()
}

/// What became of the settings: what has no counterpart and what was assumed, the places behind a click.
fn translation(column: &ColumnRow) -> AnyView {
    let told = column.notes.iter().filter(|note| note.kind != "kept");
    let lines: Vec<String> = told.map(|note| format!("{}: {}", kind_name(&note.kind), note.says)).collect();
    if lines.is_empty() {
        return view! { <p class="hint">"No settings lost."</p> }.into_any();
    }
    let items = lines.into_iter().map(|line| view! { <li>{with_code(&line)}</li> }).collect::<Vec<_>>();
    view! {
        <ul class="became">{items}</ul>
        <details>
            <summary>"Where"</summary>
            {notes(&column.notes)}
        </details>
    }
    .into_any()
}

fn says(drawn: &Bars) -> String {
    let each = drawn.bars.iter().map(|bar| format!("{} {}", bar.name, number(bar.value)));
    format!("{}: {}", drawn.title, each.collect::<Vec<_>>().join(", "))
}

/// All numbers in one table.
fn numbers(columns: &[ColumnRow]) -> AnyView {
    let heads = columns.iter().map(|column| {
        view! { <th scope="col" class="num">{Policy::described_or_default(&column.policy).short}</th> }
    });
    let heads = heads.collect::<Vec<_>>();
    let rows = table(columns).into_iter().map(|Row { name, cells }| {
        let cells = cells.into_iter().map(|cell| view! { <td class="num">{cell}</td> });
        view! {
            <tr>
                <th scope="row">{name}</th>
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
                        <th scope="col">"what"</th>
                        {heads}
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}
