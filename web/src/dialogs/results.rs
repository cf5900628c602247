//! Result codes: the code of a lesson, and the table of many codes.

use std::collections::BTreeMap;

use fairground::lesson::Lesson;
use fairground::lesson::result_code::{Sums, Table as Codes, add_up};
use fairground::words::number;
use leptos::prelude::*;

use crate::chart::table::Table;
use crate::clipboard;
use crate::lessons::fetch::fetch;
use crate::lessons::find;
use crate::store::Store;
use crate::widgets::dialog::DialogFrame;
use crate::widgets::picture::table_of;

/// Number of lines with mistakes that are shown.
const MISTAKES_MAX: usize = 10;

/// A code, to select or copy.
#[component]
pub fn Code(#[prop(into)] code: Signal<String>) -> impl IntoView {
    let store = Store::get();
    let copy = move |_| clipboard::copy(store, code.get_untracked(), "Result code copied.");
    view! {
        <div class="result-code">
            <label class="field">
                <span class="label">"Result code"</span>
                <input class="input" type="text" readonly prop:value=move || code.get() />
            </label>
            <button type="button" class="btn" on:click=copy>"Copy the code"</button>
            <p class="hint">
                "For your teacher: which questions your first answer got right. It does not say who you are, and nothing is sent."
            </p>
        </div>
    }
}

/// The code of a lesson that was left.
#[component]
pub fn OfLesson(code: String, on_close: Callback<()>) -> impl IntoView {
    view! {
        <DialogFrame title="You left the lesson" on_close>
            <Code code=Signal::stored(code) />
        </DialogFrame>
    }
}

/// Lessons of the list that were fetched, by name.
type Fetched = BTreeMap<&'static str, Option<Lesson>>;

/// Adds up pasted codes while they are typed.
#[component]
pub fn Results(on_close: Callback<()>) -> impl IntoView {
    let text = RwSignal::new(String::new());
    let lessons = RwSignal::new(Fetched::new());
    let sums = Memo::new(move |_| lessons.with(|lessons| text.with(|text| sums_of(text, lessons))));
    let typed = move |event| {
        text.set(event_target_value(&event));
        fetch_named(&sums.get_untracked(), lessons);
    };
    let says = Memo::new(move |_| sums.with(summary));
    let tables = move || {
        let lessons = lessons.read();
        sums.get().tables.into_iter().map(|codes| table(&codes, &lessons)).collect_view()
    };
    view! {
        <DialogFrame title="Add up result codes" class="wide results" on_close>
            <label class="field">
                <span>"Result codes, one per line"</span>
                <textarea rows="6" spellcheck="false" autofocus on:input=typed></textarea>
            </label>
            <p class="hint">"They are added up here and stay on this page. Two equal codes count as two."</p>
            <p role="status">{says}</p>
            {move || sums.with(mistakes)}
            {tables}
        </DialogFrame>
    }
}

fn sums_of(text: &str, lessons: &Fetched) -> Sums {
    add_up(text, |name| lessons.get(name)?.as_ref())
}

/// Fetches lessons that codes name, for their questions.
fn fetch_named(sums: &Sums, lessons: RwSignal<Fetched>) {
    for listed in sums.tables.iter().filter_map(|codes| find(&codes.lesson)) {
        if lessons.with_untracked(|lessons| lessons.contains_key(listed.id)) {
            continue;
        }
        lessons.update_untracked(|lessons| drop(lessons.insert(listed.id, None)));
        fetch(listed.id, move |read| {
            // Without connection the questions have numbers only. The dialog may be closed.
            lessons.try_update(|lessons| match read {
                Ok(lesson) => lessons.insert(listed.id, Some(lesson)),
                Err(_) => lessons.remove(listed.id),
            });
        });
    }
}

/// How many lines count.
fn summary(sums: &Sums) -> String {
    let n_codes: usize = sums.tables.iter().map(|codes| codes.n_codes).sum();
    let counted = format!("{} added up", number::count(n_codes as u64, "code"));
    match sums.mistakes.len() {
        0 if n_codes == 0 => String::new(),
        0 => format!("{counted}."),
        n => format!("{counted}; {} left out.", number::count(n as u64, "line")),
    }
}

fn mistakes(sums: &Sums) -> impl IntoView + use<> {
    let shown = sums.mistakes.iter().take(MISTAKES_MAX);
    let line = |(n, mistake): &(usize, _)| view! { <li class="error">{format!("Line {n}: {mistake}.")}</li> };
    let lines = shown.map(line).collect_view();
    let more = sums.mistakes.len().saturating_sub(MISTAKES_MAX);
    let more = (more > 0).then(|| view! { <li class="error">{format!("And {more} more.")}</li> });
    (!sums.mistakes.is_empty()).then(|| view! { <ul>{lines} {more}</ul> })
}

/// The table of one version of a lesson.
fn table(codes: &Codes, lessons: &Fetched) -> impl IntoView + use<> {
    let lesson = lessons.get(codes.lesson.as_str()).and_then(Option::as_ref);
    let current = lesson.filter(|lesson| lesson.checksum == codes.checksum);
    let title = find(&codes.lesson).map_or_else(|| codes.lesson.clone(), |listed| listed.title.to_string());
    let note = match (lesson, current) {
        (Some(_), None) => "Another version of this lesson: its questions can differ, so only their numbers are shown.",
        (None, _) if find(&codes.lesson).is_none() => {
            "A lesson that is not in the list: only the numbers of its questions are shown."
        }
        _ => "",
    };
    let asks: Vec<&str> = current.into_iter().flat_map(Lesson::questions).map(|q| q.asks.as_str()).collect();
    let rows = codes.questions.iter().enumerate().map(|(i, tally)| {
        let question = asks.get(i).map_or_else(|| format!("Question {}", i + 1), |asks| format!("{}. {asks}", i + 1));
        let counts = [tally.wrong, tally.right, tally.not_answered];
        std::iter::once(question).chain(counts.map(|n| n.to_string())).collect()
    });
    let data = Table::new(["Question", "Wrong", "Right", "Not answered"], 1, rows);
    let caption = format!("Result codes of {} {:08x}", codes.lesson, codes.checksum);
    let n_codes = number::count(codes.n_codes as u64, "code");
    view! {
        <section>
            <h3>{title} <span class="dim">{format!(" · {n_codes} · version {:08x}", codes.checksum)}</span></h3>
            {(!note.is_empty()).then(|| view! { <p class="hint">{note}</p> })}
            {table_of(&caption, data, None)}
        </section>
    }
}
