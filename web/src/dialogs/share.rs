//! Share sheet: the link, its size limits, the file, the picture of the current view, and the kit.

use fairground::export::{self, Export, KIT_PODS_MAX};
use fairground::link::NOTE_CHARS_MAX;
use fairground::policy::Policy;
use fairground::scenario::{Path, QueueEntry};
use fairground::words::{self, Terms};
use leptos::prelude::*;

use crate::engine::protocol::{Exported, Kit};
use crate::state::command::Command;
use crate::state::document::{self, edit};
use crate::state::import::KitState;
use crate::state::layout::embed;
use crate::state::model::Model;
use crate::store::Store;
use crate::widgets::button::CommandButton;
use crate::widgets::dialog::DialogFrame;
use crate::widgets::save_picture::Saved;
use crate::{address, clipboard, downloads, effects};

/// The link and the file of the current moment.
#[component]
pub fn Share(on_close: Callback<()>) -> impl IntoView {
    let store = Store::get();
    let files = store.now(|m| {
        let policy = Policy::described_or_default(&m.document.scenario.policy);
        policy.exports.iter().map(|export| (policy.name, export)).collect::<Vec<_>>()
    });
    let note = RwSignal::new(String::new());
    let is_renamed = RwSignal::new(false);
    let settings = store.now(numbers);
    let (names, settings): (Vec<String>, Vec<Path>) = settings.into_iter().unzip();
    let settings = StoredValue::new(settings);
    let control = RwSignal::new(None::<usize>);
    let link = Memo::new(move |_| {
        let (note, is_renamed) = (note.get(), is_renamed.get());
        let control = control.get().and_then(|at| settings.with_value(|settings| settings.get(at).cloned()));
        effects::link_of(&store.now(|m| address::write_to_share(m, &note, is_renamed, control)))
    });
    let length = move || link.with(|link| link.chars().count());
    let is_too_long = move || length() > address::IN_ADDRESS_MAX;
    let (named, cycle) = store.now(|m| (m.document.scenario.name.replace(['[', ']'], ""), m.playback.cursor));
    let copy_markdown = move |_| {
        let named = if is_renamed.get_untracked() { "Fairground" } else { named.as_str() };
        let text = format!("[{named}, cycle {cycle}]({})", link.get_untracked());
        clipboard::copy(store, text, "Markdown link copied.");
    };
    let card = move || {
        store.now(|m| {
            let frame = m.moment.frame.as_deref()?;
            let (name, checks) = (&m.document.scenario.name, m.moment.event.as_deref());
            Some(words::ticket(frame, name, m.selection.as_ref(), checks, &link.get_untracked()))
        })
    };
    let copy_card = move |_| card().into_iter().for_each(|card| clipboard::copy(store, card, "Ticket card copied."));
    let copy_embed = move |_| {
        let fragment = link.with_untracked(|link| link.split_once('#').map_or(String::new(), |(_, of)| of.to_string()));
        let code = store.now(|m| embed::code(&address::of_page(), &fragment, &m.document.scenario.name));
        clipboard::copy(store, code, "Embed code copied.");
    };
    let copy_link = move |_| clipboard::copy(store, link.get_untracked(), "Link copied.");
    view! {
        <DialogFrame title="Share this moment" on_close>
            {match store.now(|m| m.lesson.as_ref().map(|playing| playing.at + 1)) {
                Some(n) => view! { <p>"The link opens the lesson at frame " <b>{n}</b> ". Nothing is sent to any server."</p> }.into_any(),
                None => view! {
                    <p>
                        "The link holds the whole scenario and opens at cycle " <b>{cycle.to_string()}</b>
                        ", with what is selected explained. Nothing is sent to any server."
                    </p>
                    {kept_runs(store)}
                    {choices(store, note, is_renamed)}
                    {(!names.is_empty()).then(|| slider_choice(names, is_renamed, control))}
                }
                .into_any(),
            }}
            <label class="field">
                <span>"Link"</span>
                <textarea class="link-text" readonly rows="3" prop:value=move || link.get()></textarea>
            </label>
            <p class="hint" class:problem=is_too_long>
                <b>{move || format!("{} characters", crate::agreement::thousands(length() as u64))}</b>
                {move || format!(": {}.", address::reach(length()))}
            </p>
            <div class="row">
                <button type="button" class="btn" class:primary=move || !is_too_long() autofocus on:click=copy_link>"Copy the link"</button>
                <button type="button" class="btn" on:click=copy_markdown>"Copy as Markdown"</button>
                <button type="button" class="btn" disabled=move || is_renamed.get() on:click=copy_card>"Copy a ticket card"</button>
                <button type="button" class="btn" disabled=move || is_renamed.get() on:click=copy_embed>"Copy the embed code"</button>
                <button
                    type="button"
                    class="btn"
                    class:primary=is_too_long
                    on:click=move |_| store.dispatch(Command::Download)
                >
                    "Download the file"
                </button>
            </div>
            {picture_section(store, is_renamed, link, card)}
            {embed_options()}
            {tables()}
            {kit_section(store)}
            {files.into_iter().map(product_file).collect_view()}
        </DialogFrame>
    }
}

/// Which kept runs the link holds, if there are any.
fn kept_runs(store: Store) -> Option<AnyView> {
    let (all, linked) = store.now(|m| {
        let letters = |of: &mut dyn Iterator<Item = char>| of.map(String::from).collect::<Vec<_>>();
        let kept = &m.branches.kept;
        let linked = kept.in_link(&m.document.scenario);
        (letters(&mut kept.runs.iter().map(|run| run.letter)), letters(&mut linked.iter().map(|run| run.letter)))
    });
    let left_out: Vec<String> = all.iter().filter(|letter| !linked.contains(letter)).cloned().collect();
    let says = match (linked.as_slice(), left_out.as_slice()) {
        ([], []) => return None,
        (_, []) => format!("Kept runs in the link: {}.", all.join(", ")),
        (_, left_out) => {
            let left_out = left_out.join(", ");
            format!("Kept runs in the link differ from this scenario in values only; left out: {left_out}.")
        }
    };
    Some(view! { <p class="hint">{says}</p> }.into_any())
}

/// Options of the link: a note, and replaced names.
fn choices(store: Store, note: RwSignal<String>, is_renamed: RwSignal<bool>) -> impl IntoView {
    let save_key = move |_| {
        let key = store.now(|m| export::renamed(&m.document.scenario).key());
        downloads::download("names.csv", "text/csv", &key);
    };
    view! {
        <label class="field">
            <span>"Note for whoever opens the link (optional)"</span>
            <input
                type="text"
                maxlength=NOTE_CHARS_MAX.to_string()
                prop:value=move || note.get()
                on:input=move |event| note.set(event_target_value(&event))
            />
        </label>
        <label class="check">
            <input
                type="checkbox"
                prop:checked=move || is_renamed.get()
                on:change=move |event| is_renamed.set(event_target_checked(&event))
            />
            " Rename queues, jobs, nodes and users in the link"
        </label>
        <Show when=move || is_renamed.get()>
            <p class="hint">
                "Titles and notes are left out; labels and settings stay. Your own scenario keeps its names. "
                <button type="button" class="link" on:click=save_key>"Download the list of names"</button>
                ": dropped or pasted on a page that shows the link, it restores the names."
            </p>
        </Show>
    }
}

/// Largest number of settings that are offered as a slider.
const SETTINGS_MAX: usize = 60;

/// Quotas and weights with a number, each with its name.
fn numbers(model: &Model) -> Vec<(String, Path)> {
    let scenario = &model.document.scenario;
    let terms = Terms::of(&scenario.policy);
    let of_queue = |queue: &QueueEntry| {
        let gpu = Path::default().field("queues").named(&queue.name).field("gpu");
        ["quota", "weight"].map(|field| gpu.field(field))
    };
    let paths = scenario.queues.iter().flat_map(of_queue);
    let numbers = paths.filter(|at| document::value(scenario, at).parse::<f64>().is_ok());
    numbers.take(SETTINGS_MAX).map(|at| (edit::name_of(&at, terms), at)).collect()
}

/// The choice of the setting that the reader changes with a slider.
fn slider_choice(names: Vec<String>, is_renamed: RwSignal<bool>, control: RwSignal<Option<usize>>) -> impl IntoView {
    let option = |(at, name): (usize, String)| view! { <option value=at.to_string()>{name}</option> };
    view! {
        <label class="field">
            <span>"A slider for whoever opens the link (optional)"</span>
            <select
                class="input"
                disabled=move || is_renamed.get()
                on:change=move |event| control.set(event_target_value(&event).parse().ok())
            >
                <option value="">"none"</option>
                {names.into_iter().enumerate().map(option).collect_view()}
            </select>
        </label>
    }
}

fn embed_options() -> impl IntoView {
    view! {
        <section class="group">
            <h3>"Options of the embed code"</h3>
            <p class="hint">
                "The embed is read-only, but for a slider: "
                <code>"controls=step,play,time"</code> " or " <code>"none"</code> " (which controls), "
                <code>"edit=1"</code> " (allow dragging), " <code>"view=gantt"</code> " (which view), "
                <code>"view=time"</code> " for the timeline alone, " <code>"theme=dark"</code> "."
            </p>
        </section>
    }
}

fn tables() -> impl IntoView {
    view! {
        <section class="group">
            <h3>"Tables of the run"</h3>
            <p class="hint">"Every cycle that was computed, for spreadsheets."</p>
            <div class="row">
                <CommandButton class="btn" command=Command::DownloadCsv { is_of_events: true }>
                    "All events as CSV"
                </CommandButton>
                <CommandButton class="btn" command=Command::DownloadCsv { is_of_events: false }>
                    "All series as CSV"
                </CommandButton>
            </div>
        </section>
    }
}

/// The scenario in a format of its product, and the changes since it was imported.
fn product_file((product, format): (&'static str, &'static Export)) -> AnyView {
    let store = Store::get();
    let exported = store.part(|m| m.files.exported.clone());
    let is_asked = store.part(|m| m.files.exporting);
    let made = move || match exported.get().filter(|made| made.format == format.file) {
        Some(made) => written(store, format, &made),
        None if is_asked.get() => view! { <p class="hint">"Preparing …"</p> }.into_any(),
        None => view! { <p class="hint">"Fix the errors of this scenario to export it."</p> }.into_any(),
    };
    view! {
        <section class="group">
            <h3>{format!("Export for {product}: {}", format.file)}</h3>
            <p class="hint">{format.about}</p>
            {made}
        </section>
    }
    .into_any()
}

fn written(store: Store, format: &'static Export, made: &Exported) -> AnyView {
    let changes = made.changes.clone().map(|changes| match changes.is_empty() {
        true => view! { <p class="hint">"Nothing changed since it was imported."</p> }.into_any(),
        false => view! {
            <p class="hint">"Changed since it was imported:"</p>
            <pre class="listing" tabindex="0" aria-label="Changes">{changes}</pre>
        }
        .into_any(),
    });
    let left_out = left_out("Not in the file:", &made.left_out);
    let (text, copied) = (made.text.clone(), made.text.clone());
    let save = move |_| downloads::download(format.file, format.media, &text);
    let copy = move |_| clipboard::copy(store, copied.clone(), "Export copied.");
    view! {
        {changes}
        {left_out}
        <details>
            <summary>"Preview"</summary>
            <pre class="listing" tabindex="0" aria-label="Preview">{made.text.clone()}</pre>
        </details>
        <div class="row">
            <button type="button" class="btn" on:click=copy>"Copy the export"</button>
            <button type="button" class="btn" on:click=save>{format!("Download {}", format.file)}</button>
        </div>
    }
    .into_any()
}

/// Charts of NOW; the first one is the current view.
const CHARTS: &str = "[aria-label=\"Now\"] .chart";

/// The picture with download and copy buttons; nothing if the view is a table. Pictures contain the scenario's names,
/// so there is none while names are replaced.
fn picture_section(
    store: Store,
    is_renamed: RwSignal<bool>,
    link: Memo<String>,
    card: impl Fn() -> Option<String> + Copy + Send + 'static,
) -> Option<AnyView> {
    address::browser()?;
    let chart = document().query_selector(CHARTS).ok()??;
    let saved = StoredValue::new_local(Saved::of(store, &chart)?);
    let (source, title) = saved.with_value(|saved| (saved.source(), saved.title().to_string()));
    let save = move |as_png: bool| move |_| saved.with_value(|saved| saved.download(as_png));
    let copy = move |_| {
        let copy = |card: String| saved.with_value(|saved| saved.copy(store, &link.get_untracked(), card));
        card().into_iter().for_each(copy);
    };
    let section = view! {
        <section class="group" data-part="picture">
            <h3>"Picture"</h3>
            <Show when=move || is_renamed.get()>
                <p class="hint">"The picture shows the names of your scenario. To share others, open the link and save its picture."</p>
            </Show>
            <div hidden=move || is_renamed.get()>
                <img class="share-picture" src=source alt=title />
                <p class="hint">"The view that is chosen. A click on the SVG opens the link, so it can stand where a page cannot be embedded."</p>
                <div class="row">
                    <button type="button" class="btn" on:click=copy>"Copy picture and card"</button>
                    <button type="button" class="btn" on:click=save(false)>"Download the picture (SVG)"</button>
                    <button type="button" class="btn" on:click=save(true)>"Download the picture (PNG)"</button>
                </div>
            </div>
        </section>
    };
    Some(section.into_any())
}

/// The kit, for policies that have one.
fn kit_section(store: Store) -> Option<AnyView> {
    let policy = store.now(|m| Policy::described_or_default(&m.document.scenario.policy));
    policy.kit?;
    let kit = store.part(|m| m.files.kit.clone());
    let has_errors = store.now(|m| m.document.has_errors());
    let state = move || match kit.get() {
        KitState::None => ().into_any(),
        KitState::Preparing => view! { <p class="hint">"Preparing …"</p> }.into_any(),
        KitState::Refused => {
            let most = crate::agreement::thousands(KIT_PODS_MAX as u64);
            let says = format!("This scenario has more than {most} pods, the most that a kit can have.");
            view! { <p class="hint problem">{says}</p> }.into_any()
        }
        KitState::Ready(kit) => ready(store, &kit),
    };
    let section = view! {
        <section class="group" data-part="kit">
            <h3>{format!("Virtual cluster with {}", policy.name)}</h3>
            <p class="hint">
                "A zip file with KWOK nodes, queues, pod groups and pods, a timetable as a script and the events that are expected: \
                 what it takes to run this scenario on the real scheduler."
            </p>
            <Show when=move || has_errors>
                <p class="hint">"Fix the errors of this scenario to prepare a kit."</p>
            </Show>
            <div class="row">
                <button type="button" class="btn" disabled=has_errors on:click=move |_| store.dispatch(Command::Kit)>
                    "Prepare the kit"
                </button>
            </div>
            {state}
        </section>
    };
    Some(section.into_any())
}

/// Contents and omissions of the kit, and its download.
fn ready(store: Store, kit: &Kit) -> AnyView {
    let archive = kit.archive.clone();
    let save = move |_| {
        let name = store.now(|m| downloads::file_name(&m.document.scenario.name)).replace("fairground.yaml", "kit.zip");
        downloads::download_archive(&name, &archive.0);
    };
    view! {
        {left_out("Not in the kit:", &kit.left_out)}
        <div class="row">
            <button type="button" class="btn" on:click=save>"Download the kit"</button>
            <span class="hint">{format!("{} files; begin with README.md.", kit.n_files)}</span>
        </div>
    }
    .into_any()
}

/// Lists what the files cannot express, if anything.
pub fn left_out(head: &'static str, lines: &[String]) -> Option<AnyView> {
    let items = lines.iter().map(|line| view! { <li>{line.clone()}</li> }).collect_view();
    let list = view! {
        <p class="hint">{head}</p>
        <ul class="hint">{items}</ul>
    };
    (!lines.is_empty()).then(|| list.into_any())
}
