//! The list of keyboard shortcuts, and the switch for single-character keys.

use leptos::prelude::*;

use crate::keys::{LIST, named};
use crate::state::command::Command;
use crate::state::layout::options::KeySet;
use crate::store::Store;
use crate::widgets::dialog::DialogFrame;

/// Each key in its own box, followed by its context.
fn boxes(keys: &str) -> impl IntoView + use<> {
    let at = [" in ", " on "].into_iter().filter_map(|word| keys.find(word)).min();
    let (keys, place) = keys.split_at(at.unwrap_or(keys.len()));
    let each = keys.split(", ").map(|key| view! { <span class="kbd">{key.to_string()}</span> " " });
    let each: Vec<_> = each.collect();
    let place = (!place.is_empty()).then(|| view! { <span class="dim">{place.trim().to_string()}</span> });
    view! { {each} {place} }
}

/// The list of keyboard shortcuts.
#[component]
pub fn Keys(on_close: Callback<()>) -> impl IntoView {
    let store = Store::get();
    let set = store.part(|m| m.view.keys);
    let groups = move || {
        let set = set.get();
        let group = |(name, keys): &(&'static str, &[(&'static str, &'static str)])| {
            let line = |(key, says): &(&'static str, &'static str)| {
                named(key, set).map(|key| {
                    view! {
                        <dt>{boxes(&key)}</dt>
                        <dd>{*says}</dd>
                    }
                })
            };
            let lines = keys.iter().filter_map(line).collect_view();
            view! {
                <section>
                    <h3>{*name}</h3>
                    <dl class="keys">{lines}</dl>
                </section>
            }
        };
        LIST.iter().map(group).collect_view()
    };
    let choices = KeySet::ALL.map(|this| {
        view! {
            <label class="row">
                <input
                    type="radio"
                    name="key-set"
                    prop:checked=move || set.get() == this
                    on:change=move |_| store.dispatch(Command::Keys(this))
                />
                {this.says()}
            </label>
        }
    });
    view! {
        <DialogFrame title="Keys" class="wide keys-dialog" on_close>
            <p class="hint">"Letters and arrows work when no field, table or chart has the focus."</p>
            <fieldset class="key-set">
                <legend>"Keys that type a character"</legend>
                {choices.collect_view()}
            </fieldset>
            <div class="columns">{groups}</div>
        </DialogFrame>
    }
}
