//! The list of keys.

use crate::dom::prelude::*;

use crate::components::dialog::DialogFrame;
use crate::keys::LIST;

/// The list of keys.
#[component]
pub fn Keys(
    /// It was closed.
    on_close: Callback<()>,
) -> impl IntoView {
    let groups = LIST.iter().map(|(name, keys)| {
        let lines = keys.iter().map(|(key, says)| {
            view! {
                <dt><span class="kbd">{*key}</span></dt>
                <dd>{*says}</dd>
            }
        });
        view! {
            <section>
                <h3>{*name}</h3>
                <dl class="keys">{lines.collect_view()}</dl>
            </section>
        }
    });
    view! {
        <DialogFrame title="Keys" on_close>
            <p class="hint">"Letters and arrows act when no field, table or chart has the focus; those have their own."</p>
            <div class="columns">{groups.collect_view()}</div>
        </DialogFrame>
    }
}
