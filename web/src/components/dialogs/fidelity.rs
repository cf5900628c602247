//! What is checked against the real scheduler, and how.

use crate::dom::prelude::*;

use crate::agreement::{self, thousands};
use crate::components::dialog::DialogFrame;

/// What the badge means.
#[component]
pub fn Fidelity(
    /// It was closed.
    on_close: Callback<()>,
) -> impl IntoView {
    let kai = agreement::kai();
    let revision: String = kai.revision.chars().take(12).collect();
    let not_built = (kai.not_built > 0).then(|| {
        let cases = thousands(kai.not_built);
        view! { <p>{format!("{cases} further recorded cases need features that this build does not have yet. They are not counted.")}</p> }
    });
    view! {
        <DialogFrame title="How this is checked" on_close>
            <p>
                {format!(
                    "{} of {} recorded cases agree.",
                    thousands(kai.agree),
                    thousands(kai.of),
                )}
            </p>
            <p>
                "Each case was run through the code of the real KAI Scheduler many times, and its decisions were \
                 recorded: which pod is placed where, which is evicted and for whom, and every fair share, in each \
                 cycle. The engine of this page runs the same cases on every change of its code. A case agrees when \
                 all decisions are the same; where the real scheduler itself does not always decide the same, when \
                 the outcome is one of those recorded."
            </p>
            {not_built}
            {(!revision.is_empty()).then(|| view! { <p>"Revision of KAI: " <code>{revision}</code></p> })}
        </DialogFrame>
    }
}
