//! About: which version this is, under which licence, and what was checked.

use fairground::link::RULES;
use fairground::policy::versions;
use leptos::prelude::*;

use super::fidelity::{differing, policies};
use super::help::what_it_is;
use crate::checked;
use crate::state::command::Command;
use crate::state::layout::options::Dialog;
use crate::store::Store;
use crate::widgets::dialog::DialogFrame;

/// The licence, in short.
const LICENCE: &str = env!("CARGO_PKG_LICENSE");

/// Which version this is, and what was checked.
#[component]
pub fn About(
    /// It was closed.
    on_close: Callback<()>,
) -> impl IntoView {
    let store = Store::get();
    let differ: usize = versions::all().map(|modelled| checked::differences(modelled.policy).len()).sum();
    view! {
        <DialogFrame title="About Fairground" class="wide fidelity" on_close>
            <p>{what_it_is(store)}</p>
            <dl class="facts-list">
                <dt>"Version"</dt>
                <dd>{format!("{}, rules version {RULES}", env!("CARGO_PKG_VERSION"))}</dd>
                <dt>"Licence"</dt>
                <dd>{LICENCE}</dd>
                <dt>"Data"</dt>
                <dd>"Everything runs in this browser. Nothing is sent anywhere."</dd>
            </dl>
            <section>
                <h3>"What was checked"</h3>
                {policies()}
                <p>
                    "The recorded cases are in the source code, in the folder " <code>{checked::FOLDER}</code>
                    "; every change of the code runs all of them. "
                    <button
                        type="button"
                        class="link"
                        on:click=move |_| store.dispatch(Command::Dialog(Some(Dialog::Fidelity)))
                    >
                        "What a case is"
                    </button>
                </p>
            </section>
            <section>
                <h3>{format!("Cases that differ, and why: {differ}")}</h3>
                {versions::all().map(differing).collect_view()}
            </section>
        </DialogFrame>
    }
}
