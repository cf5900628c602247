//! Sharing: the link, how far it carries, and the file.

use fairground::policy::Policy;
use leptos::prelude::*;

use crate::state::command::Command;
use crate::state::layout::embed;
use crate::store::Store;
use crate::widgets::dialog::DialogFrame;
use crate::{address, effects};

/// The link and the file of the present moment.
#[component]
pub fn Share(
    /// It was closed.
    on_close: Callback<()>,
) -> impl IntoView {
    let store = Store::get();
    let file = store.now(|m| {
        let policy = Policy::described_or_default(&m.scenario.policy);
        policy.queue_file.map(|file| (policy.name, file))
    });
    let link = effects::link_of(&store.now(address::write));
    let length = link.chars().count();
    let is_too_long = length > address::IN_ADDRESS_MAX;
    let (title, cycle) = store.now(|m| (m.scenario.name.clone(), m.cursor));
    let markdown = format!("[{}, cycle {cycle}]({link})", title.replace(['[', ']'], ""));
    let embed = store.now(|m| embed::code(&address::of_page(), &address::write(m), &m.scenario.name));
    let copy_embed = move |_| effects::copy(store, embed.clone(), "Embed code copied.");
    let text = link.clone();
    let copy_link = move |_| effects::copy(store, text.clone(), "Link copied.");
    let copy_markdown = move |_| effects::copy(store, markdown.clone(), "Markdown link copied.");
    view! {
        <DialogFrame title="Share this moment" on_close>
            <p>
                "The link holds the whole scenario and opens at cycle " <b>{cycle.to_string()}</b>
                ", with what is selected explained. Nothing is sent to any server."
            </p>
            <label class="field">
                <span>"Link"</span>
                <textarea class="link-text" readonly rows="3" prop:value=link></textarea>
            </label>
            <p class="hint" class:problem=is_too_long>
                <b>{format!("{} characters", crate::agreement::thousands(length as u64))}</b>
                {format!(": {}.", address::reach(length))}
            </p>
            <div class="row">
                <button type="button" class="btn" class:primary=!is_too_long autofocus on:click=copy_link>"Copy the link"</button>
                <button type="button" class="btn" on:click=copy_markdown>"Copy as Markdown"</button>
                <button type="button" class="btn" on:click=copy_embed>"Copy the embed code"</button>
                <button
                    type="button"
                    class="btn"
                    class:primary=is_too_long
                    on:click=move |_| store.dispatch(Command::Download)
                >
                    "Download the file"
                </button>
            </div>
            <p class="hint">
                "The embed is read-only. Options: "
                <code>"controls=step,play,time"</code> " or " <code>"none"</code> " (which controls), "
                <code>"edit=1"</code> " (allow dragging), " <code>"view=gantt"</code> " (which view), "
                <code>"view=time"</code> " for the timeline alone, " <code>"theme=dark"</code> "."
            </p>
            {file.map(queue_file)}
        </DialogFrame>
    }
}

/// The queues as the product reads them, and what changed in them since they were imported.
fn queue_file((product, name): (&'static str, &'static str)) -> AnyView {
    let store = Store::get();
    store.dispatch(Command::Export);
    let exported = store.part(|m| m.exported.clone());
    let made = move || {
        let Some(made) = exported.get() else {
            return view! { <p class="hint">"Preparing …"</p> }.into_any();
        };
        let changes = made.changes.clone().map(|changes| match changes.is_empty() {
            true => view! { <p class="hint">"Nothing changed since it was imported."</p> }.into_any(),
            false => view! {
                <p class="hint">"What changed since it was imported:"</p>
                <pre class="listing" tabindex="0">{changes}</pre>
            }
            .into_any(),
        });
        let text = made.text.clone();
        let save = move |_| effects::download(name, "application/yaml", &text);
        view! {
            {changes}
            <div class="row">
                <button type="button" class="btn" on:click=save>{format!("Download {name}")}</button>
            </div>
        }
        .into_any()
    };
    view! {
        <section class="group">
            <h3>{name}</h3>
            <p class="hint">{format!("The queues as {product} reads them, without nodes and work.")}</p>
            {made}
        </section>
    }
    .into_any()
}
