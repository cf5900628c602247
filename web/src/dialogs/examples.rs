//! Examples by question, and drafts of this device.

use fairground::policy::Policy;
use leptos::prelude::*;

use crate::lessons::{LESSONS, Listed};
use crate::library::{EXAMPLES, Example};
use crate::state::command::Command;
use crate::state::document::draft::DraftLine;
use crate::state::document::{Opened, Origin};
use crate::state::layout::options::Dialog;
use crate::state::lesson::step::RecordStep;
use crate::store::Store;
use crate::views::sketch::draw::sketch as draw;
use crate::views::sketch::view::sketch;
use crate::widgets::button::CommandButton;
use crate::widgets::date;
use crate::widgets::dialog::DialogFrame;
use crate::widgets::picture::insert;
use crate::{drafts, storage};

/// Width of an example's picture, in pixels.
const SKETCH: f64 = 208.0;

/// Examples and drafts.
#[component]
pub fn Examples(on_close: Callback<()>) -> impl IntoView {
    let mut groups: Vec<(&str, Vec<&'static Example>)> = Vec::new();
    for example in EXAMPLES {
        match groups.iter_mut().find(|(question, _)| *question == example.question) {
            Some((_, examples)) => examples.push(example),
            None => groups.push((example.question, vec![example])),
        }
    }
    let policy = RwSignal::new(String::new());
    let topic = RwSignal::new(String::new());
    let topics: Vec<&str> = groups.iter().map(|(question, _)| *question).collect();
    let policies = Policy::ALL.iter().filter(|of| EXAMPLES.iter().any(|example| example.head("policy") == of.key));
    let policies = policies.map(|of| (of.key, of.short)).collect();
    let groups = groups.into_iter().map(move |(question, examples)| {
        let of_policy = move |example: &Example| {
            policy.with(|policy| policy.is_empty() || *policy == example.head("policy"))
        };
        let any = examples.clone();
        let shown = Memo::new(move |_| {
            topic.with(|topic| topic.is_empty() || topic == question) && any.iter().any(|example| of_policy(example))
        });
        view! {
            <Show when=move || shown.get()>
                <section>
                    <h3>{question}</h3>
                    <ul class="cards">
                        <For
                            each={
                                let examples = examples.clone();
                                move || examples.iter().copied().filter(|example| of_policy(example)).collect::<Vec<_>>()
                            }
                            key=|example| example.id
                            let:example
                        >
                            <Card example />
                        </For>
                    </ul>
                </section>
            </Show>
        }
    });
    let none = move || {
        let fits = |example: &&Example| {
            policy.with(|policy| policy.is_empty() || *policy == example.head("policy"))
                && topic.with(|topic| topic.is_empty() || *topic == example.question)
        };
        !EXAMPLES.iter().any(|example| fits(&example))
    };
    view! {
        <DialogFrame title="Examples" class="wide" on_close>
            <Lessons />
            <p class="hint">
                "Checked against the real schedulers where these can be run, otherwise against their documentation. Your scenario stays under Drafts."
            </p>
            <div class="filters">
                <Filter name="Policy" all="All policies" choices=policies chosen=policy />
                <Filter name="Topic" all="All topics" choices=topics.into_iter().map(|t| (t, t)).collect() chosen=topic />
            </div>
            {groups.collect_view()}
            <Show when=none>
                <p class="empty">"No example for this topic and policy."</p>
            </Show>
            <Drafts />
            <div class="row">
                <CommandButton class="btn" command=Command::Dialog(Some(Dialog::Paste))>
                    "Start empty or import your own"
                </CommandButton>
            </div>
        </DialogFrame>
    }
}

/// Lessons, with how far they were played on this device.
#[component]
fn Lessons() -> impl IntoView {
    let store = Store::get();
    let card = |(i, lesson): (usize, &'static Listed)| {
        let n = store.now(|m| m.lessons.of(lesson.id));
        let progress = match n {
            0 => format!("{} frames", lesson.frames),
            n if n < lesson.frames => format!("{n} of {} frames", lesson.frames),
            _ => "Done".to_string(),
        };
        view! {
            <li>
                <button
                    type="button"
                    class="card"
                    data-lesson=lesson.id
                    on:click=move |_| store.open_lesson(lesson, None, false)
                >
                    <b>{format!("{}. {}", i + 1, lesson.title)}</b>
                    <span>{lesson.about}</span>
                    <span class="dim">{progress}</span>
                </button>
            </li>
        }
    };
    view! {
        <section>
            <h3>"Lessons"</h3>
            <ul class="cards lessons">{LESSONS.iter().enumerate().map(card).collect_view()}</ul>
            <p class="hint">
                "For teachers: "
                <CommandButton class="link" command=Command::Dialog(Some(Dialog::Results))>
                    "Add up result codes"
                </CommandButton>
                " · "
                <CommandButton class="link" command=Command::Record(RecordStep::Open(true))>"Record a lesson"</CommandButton>
            </p>
        </section>
    }
}

/// A row of filter chips, one of which is chosen.
#[component]
fn Filter(
    name: &'static str,
    all: &'static str,
    /// Values and labels of the chips.
    choices: Vec<(&'static str, &'static str)>,
    chosen: RwSignal<String>,
) -> impl IntoView {
    let chips = std::iter::once(("", all)).chain(choices).map(|(key, says)| {
        view! {
            <button
                type="button"
                class="chip"
                aria-pressed=move || chosen.with(|chosen| chosen == key).to_string()
                on:click=move |_| chosen.set(key.to_string())
            >
                {says}
            </button>
        }
    });
    view! {
        <div class="wrap" role="group" aria-label=name>
            {chips.collect_view()}
        </div>
    }
}

/// Opens an example.
pub fn open(store: Store, example: &Example) {
    let origin = if example.id == "start" { Origin::Start } else { Origin::Example(example.id.to_string()) };
    store.dispatch(Command::Open(Box::new(Opened::new(example.scenario(), origin))));
}

#[component]
fn Card(example: &'static Example) -> impl IntoView {
    let store = Store::get();
    let open = move |_| open(store, example);
    let sketch = draw(&format!("of-{}", example.id), &sketch(&example.scenario()), SKETCH);
    view! {
        <li>
            <button type="button" class="card" data-example=example.id on:click=open>
                {insert("sketch", Signal::stored(sketch))}
                <b>{example.head("name")}</b>
                <span>{example.head("note")}</span>
            </button>
        </li>
    }
}

/// Drafts stored on this device.
#[component]
fn Drafts() -> impl IntoView {
    let store = Store::get();
    let lines = RwSignal::new(storage::drafts());
    let wipe = move |_| {
        storage::clear();
        lines.set(storage::drafts());
    };
    view! {
        <Show when=move || lines.with(|lines| !lines.is_empty())>
            <section>
                <h3>"Your drafts on this device"</h3>
                <p class="hint">
                    "Thirty earlier states of the open scenario are kept, too: "
                    <CommandButton class="link" command=Command::Dialog(Some(Dialog::States))>
                        "Earlier states"
                    </CommandButton>
                </p>
                <ul class="drafts">
                    <For each=move || lines.get() key=|line| line.id.clone() let:line>
                        <DraftEntry line lines />
                    </For>
                </ul>
                <div class="row">
                    <button type="button" class="btn" on:click=move |_| drafts::export_all(store)>"Export all drafts"</button>
                    <span class="hint">"One zip file of scenario files. Import it to have the drafts again, here or elsewhere."</span>
                </div>
                <button type="button" class="link" on:click=wipe>"Remove everything this page keeps here"</button>
            </section>
        </Show>
    }
}

#[component]
fn DraftEntry(line: DraftLine, lines: RwSignal<Vec<DraftLine>>) -> impl IntoView {
    let store = Store::get();
    let DraftLine { id, title, saved_ms, .. } = line;
    let when = date(saved_ms);
    let name = if title.is_empty() { "Untitled".to_string() } else { title };
    let remove_label = format!("Remove the draft {name}");
    let (open_id, remove_id) = (id.clone(), id);
    let open = move |_| match storage::draft(&open_id) {
        Some(draft) if draft.is_packed() => {
            store.dispatch(Command::OpenDraft { id: open_id.clone(), draft: Box::new(draft) });
        }
        Some(draft) if let Ok(opened) = draft.open(&open_id) => store.dispatch(Command::Open(Box::new(opened))),
        _ => {
            let text = "This draft cannot be read.".to_string();
            store.dispatch(Command::Notify { is_problem: true, text });
        }
    };
    let remove = move |_| {
        storage::remove(&remove_id);
        lines.set(storage::drafts());
    };
    view! {
        <li>
            <button type="button" class="link" on:click=open>{name}</button>
            <span class="dim">{when}</span>
            <button type="button" class="link" aria-label=remove_label on:click=remove>"Remove"</button>
        </li>
    }
}
