//! One term of the glossary: its meaning, and the words of other products.

use fairground::words::capital;
use leptos::prelude::*;

use crate::state::command::Command;
use crate::state::layout::options::Dialog;
use crate::store::Store;
use crate::widgets::dialog::DialogFrame;
use crate::words::glossary::{elsewhere, entry_of};

/// The definition of a term, shown over the place of the term.
#[component]
pub fn Term(
    /// Neutral word.
    term: &'static str,
    on_close: Callback<()>,
) -> impl IntoView {
    let store = Store::get();
    let terms = store.terms.get_untracked();
    let policy = store.scenario.with_untracked(|s| s.policy.clone());
    let entry = entry_of(term, &policy);
    let also = terms.mark(term).map(|own| view! { <p class="hint">"Also called " {own} "."</p> });
    let others = entry.map(|of| elsewhere(of, &policy)).filter(|others| !others.is_empty()).map(|others| {
        let each = others.into_iter().map(|(word, product)| view! { <dt>{product}</dt> <dd>{word}</dd> });
        view! {
            <section>
                <h3>"In other products"</h3>
                <dl class="glossary">{each.collect_view()}</dl>
            </section>
        }
    });
    let all = move |_| store.dispatch(Command::Dialog(Some(Dialog::Help)));
    view! {
        <DialogFrame title=capital(terms.word(term)) class="small" on_close>
            <p>{entry.map(|of| terms.fill(of.says))}</p>
            {also}
            {others}
            <div class="row">
                <button type="button" class="btn" on:click=all>"All terms"</button>
            </div>
        </DialogFrame>
    }
}
