//! The same arrivals under several policies, side by side: GPUs, waits, evictions, and what their words have no counterpart for.

use crate::dom::prelude::*;

use super::translated::notes;
use crate::components::dialog::DialogFrame;
use crate::components::setup::Choice;
use crate::engine::protocol::ColumnRow;
use crate::model::COMPARED;
use crate::store::Store;
use crate::view_model::compared::{Row, table};
use crate::view_model::number::number;

/// The comparison.
#[component]
pub fn Compare(
    /// It was closed.
    on_close: Callback<()>,
) -> impl IntoView {
    let store = Store::get();
    let columns = store.part(|m| m.compared.clone());
    let comparing = store.part(|m| m.comparing.clone());
    let running = move || match comparing.get() {
        Some((policy, cycle)) => format!("{}, cycle {}", Choice::of(&policy).name, number(f64::from(cycle))),
        None => "Running".to_string(),
    };
    let is_running = move || columns.get().len() < COMPARED.len();
    view! {
        <DialogFrame title="The same cluster under four schedulers" class="wide" on_close>
            <p class="hint">
                "The scenario is put into the words of each policy and run with the same arrivals, up to the moment \
                 that is shown, or to the end from the start."
            </p>
            <Show when=is_running>
                <p><progress aria-label="Running"></progress> " " {running}</p>
            </Show>
            {move || body(&columns.get())}
        </DialogFrame>
    }
}

fn body(columns: &[ColumnRow]) -> Node {
    let heads = columns.iter().map(|column| {
        view! { <th scope="col" class="num">{Choice::of(&column.policy).short}</th> }
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
    let told = columns.iter().filter(|column| !column.notes.is_empty()).map(|column| {
        let name = Choice::of(&column.policy).name;
        view! {
            <details>
                <summary>{format!("What became of the settings under {name}")}</summary>
                {notes(&column.notes)}
            </details>
        }
    });
    let told = told.collect::<Vec<_>>();
    view! {
        <div class="table-wrap">
            <table class="data">
                <thead>
                    <tr>
                        <th scope="col"></th>
                        {heads}
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
        {told}
    }
    .into_node()
}
