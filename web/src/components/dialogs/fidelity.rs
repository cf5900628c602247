//! What is checked against the real scheduler, and how.

use crate::dom::prelude::*;

use crate::agreement::{self, Agreement, thousands};
use crate::components::dialog::DialogFrame;

/// What the badge means.
#[component]
pub fn Fidelity(
    /// It was closed.
    on_close: Callback<()>,
) -> impl IntoView {
    let row = |(policy, name, against): (&'static str, &'static str, &'static str)| {
        let Agreement { agree, of, revision, .. } = agreement::of(policy);
        let revision: String = revision.chars().take(12).collect();
        (of > 0).then(|| {
            view! {
                <tr>
                    <th scope="row">{name}</th>
                    <td class="num">{format!("{} of {}", thousands(agree), thousands(of))}</td>
                    <td>{against} " " {(!revision.is_empty()).then(|| view! { <code>{revision}</code> })}</td>
                </tr>
            }
        })
    };
    view! {
        <DialogFrame title="How this is checked" on_close>
            <table class="data">
                <thead>
                    <tr>
                        <th scope="col">"Policy"</th>
                        <th scope="col">"Cases that agree"</th>
                        <th scope="col">"Checked against"</th>
                    </tr>
                </thead>
                <tbody>{CHECKED.map(row).into_iter().collect_view()}</tbody>
            </table>
            <p>
                "KAI and YuniKorn: each case was run through the code of the real scheduler many times, and its \
                 decisions were recorded: what is placed where, what is evicted and for whom, and every share and \
                 priority, in each cycle. The engine of this page runs the same cases on every change of its code. A \
                 case agrees when all decisions are the same; where the real scheduler itself does not always decide \
                 the same, when the outcome is one of those recorded."
            </p>
            <p>
                "EGO and Run:ai cannot be run for such a comparison. Their cases come from a second model that was \
                 written independently from the same published rules."
            </p>
        </DialogFrame>
    }
}

/// Policies with recordings: name, what people call it, what it was compared with.
const CHECKED: [(&str, &str, &str); 4] = [
    ("kai", "KAI Scheduler", "recordings of the real scheduler"),
    ("yunikorn", "Apache YuniKorn", "recordings of the real scheduler"),
    ("runai", "Run:ai", "an independent model of its rules"),
    ("ego", "IBM EGO", "an independent model of its rules"),
];
