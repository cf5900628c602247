//! The lesson recorder: frames are taken from the screen, and their texts are written beside them.

use fairground::export::with_schema_line;
use fairground::lesson::{FRAMES_MAX, LessonFrame, Mistake, NOTES_CHARS_MAX, TEXT_CHARS_MAX, TITLE_CHARS_MAX, to_yaml};
use leptos::html;
use leptos::prelude::*;

use super::recorder_fields::{edit_frame, field};
use super::recorder_question::QuestionForm;
use crate::state::command::Command;
use crate::state::layout::options::NowView;
use crate::state::lesson::record::scene_of;
use crate::state::lesson::step::RecordStep;
use crate::store::Store;
use crate::widgets::button::{CommandButton, IconButton};
use crate::widgets::file_chooser::FileChooser;
use crate::widgets::icons::IconKind;
use crate::{address, clipboard, downloads, effects, lessons};

/// Number of mistakes that are shown.
const MISTAKES_MAX: usize = 3;

/// The recorder, if it is open and no lesson is played.
#[component]
pub fn Recorder() -> impl IntoView {
    let store = Store::get();
    let is_shown = store.part(|m| m.recorder.is_open && m.lesson.is_none());
    view! {
        <Show when=move || is_shown.get()>
            <Form />
        </Show>
    }
}

#[component]
fn Form() -> impl IntoView {
    let store = Store::get();
    let has_frame = store.part(|m| m.recorder.frame().is_some());
    let take = NodeRef::<html::Button>::new();
    take.on_load(|take| {
        request_animation_frame(move || drop(take.focus()));
    });
    view! {
        <section class="strip recorder" aria-label="Lesson recorder" data-region tabindex="-1">
            <div class="recorder-head">
                {field("Title of the lesson", 1, TITLE_CHARS_MAX, |lesson, _| Some(&mut lesson.title))}
                {field("What one learns, in one sentence", 1, TEXT_CHARS_MAX, |lesson, _| Some(&mut lesson.about))}
                <Files />
            </div>
            <div class="recorder-frames">
                <Frames />
                <button
                    type="button"
                    class="btn primary"
                    node_ref=take
                    on:click=move |_| store.dispatch(Command::Record(RecordStep::Take))
                >
                    "Take a frame"
                </button>
                <Mistakes />
            </div>
            <Show when=move || has_frame.get()>
                <FrameForm />
            </Show>
        </section>
    }
}

/// Buttons for the whole lesson.
#[component]
fn Files() -> impl IntoView {
    let store = Store::get();
    let input = NodeRef::<html::Input>::new();
    let can_undo = store.part(|m| m.recorder.can_undo());
    let lesson = move || store.now(|m| m.recorder.lesson.clone());
    let play = move |_| store.play("", lessons::parse(&to_yaml(&lesson())), store.now(|m| m.recorder.at));
    let save = move |_| {
        let lesson = lesson();
        let name = downloads::file_name(&lesson.title).replace(".fairground.yaml", ".lesson.yaml");
        let text = with_schema_line(&to_yaml(&lesson), &address::beside("lesson.schema.json"));
        downloads::download(&name, "application/yaml", &text);
    };
    let share = move |_| match lessons::parse(&to_yaml(&lesson())) {
        Ok(lesson) => {
            let link = effects::link_of(&address::write_lesson(&lesson, 0));
            match link.len() {
                length if length > address::IN_ADDRESS_MAX => {
                    let text = format!(
                        "The link would have {length} characters, which is too long. Save the file and send it."
                    );
                    store.dispatch(Command::Notify { is_problem: true, text });
                }
                _ => clipboard::copy(store, link, "Link to the lesson copied."),
            }
        }
        Err(text) => store.dispatch(Command::Notify { is_problem: true, text }),
    };
    view! {
        <div class="row">
            <button type="button" class="btn" on:click=play>"Play it"</button>
            <button type="button" class="btn" on:click=save>"Save the file"</button>
            <button type="button" class="btn" on:click=share>"Copy the link"</button>
            <button
                type="button"
                class="btn"
                on:click=move |_| {
                    if let Some(input) = input.get_untracked() {
                        input.click();
                    }
                }
            >
                "Open a file"
            </button>
            <FileChooser node_ref=input />
            <IconButton
                icon=IconKind::Undo
                label="Undo in the lesson"
                disabled=Signal::derive(move || !can_undo.get())
                on_press=store.press(Command::Record(RecordStep::Undo))
            />
            <IconButton
                icon=IconKind::Close
                label="Close the lesson recorder"
                on_press=store.press(Command::Record(RecordStep::Open(false)))
            />
        </div>
    }
}

/// The list of frames; the current one is shown when it is chosen.
#[component]
fn Frames() -> impl IntoView {
    let store = Store::get();
    // One line per frame.
    let titles = store.text(|m| {
        let frames = m.recorder.lesson.frames.iter().enumerate();
        let title = |(i, frame): (usize, &LessonFrame)| {
            let title = if frame.title.is_empty() { "Untitled" } else { &frame.title };
            format!("{}. {}\n", i + 1, title.replace('\n', " "))
        };
        frames.map(title).collect()
    });
    let at = store.part(|m| m.recorder.at);
    let frame = move |(i, title): (usize, &str)| {
        view! {
            <li>
                <button
                    type="button"
                    class="chip"
                    aria-current=move || (at.get() == i).then_some("true")
                    on:click=move |_| store.dispatch(Command::Record(RecordStep::Show(i)))
                >
                    {title.to_string()}
                </button>
            </li>
        }
    };
    let frames = move || titles.with(|titles| titles.lines().enumerate().map(frame).collect_view());
    view! { <ol class="chips" aria-label="Frames">{frames}</ol> }
}

/// What the lesson still lacks.
#[component]
fn Mistakes() -> impl IntoView {
    let store = Store::get();
    let text = store.text(|m| to_yaml(&m.recorder.lesson));
    // One line per mistake.
    let says = Memo::new(move |_| {
        let (lesson, mistakes) = text.with(|text| lessons::unfinished(text));
        if lesson.frames.is_empty() {
            return format!("Bring a moment to the screen, then take it. A lesson has up to {FRAMES_MAX} frames.");
        }
        let mut says: Vec<String> = mistakes.iter().take(MISTAKES_MAX).map(spoken).collect();
        match mistakes.len() {
            0 => says.push("The lesson is complete.".to_string()),
            n if n > MISTAKES_MAX => says.push(format!("And {} more.", n - MISTAKES_MAX)),
            _ => {}
        }
        says.join("\n")
    });
    view! { <p class="recorder-says" role="note" aria-label="What is missing">{says}</p> }
}

/// A mistake with its field in words: `Frame 2, text: …`.
fn spoken(mistake: &Mistake) -> String {
    let (frame, field) = match mistake.at.strip_prefix("frames[").and_then(|rest| rest.split_once(']')) {
        Some((i, field)) => {
            let number = i.parse::<usize>().map_or(0, |i| i + 1);
            (format!("Frame {number}"), field.trim_start_matches('.'))
        }
        None => ("Lesson".to_string(), mistake.at.as_str()),
    };
    let field = if field.is_empty() { String::new() } else { format!(", {field}") };
    format!("{frame}{field}: {}.", mistake.says)
}

/// The texts of the frame that is edited, its moment, and its place among the others.
#[component]
fn FrameForm() -> impl IntoView {
    let store = Store::get();
    let place = store.part(|m| (m.recorder.at, m.recorder.lesson.frames.len()));
    let shows = move || format!("Frame {} of {} shows: ", place.get().0 + 1, place.get().1);
    let moment = store.text(|m| {
        m.recorder.frame().map_or(String::new(), |frame| {
            let scene = &frame.scene;
            let selected = scene.selection.as_ref().map_or(String::new(), |of| format!(", {}", of.to_text()));
            let view = NowView::from_name(&scene.view).map_or(String::new(), NowView::title);
            format!("{}, cycle {}{selected}, {view}", scene.scenario.name, scene.cycle)
        })
    });
    let is_shown = store.part(|m| {
        let now = scene_of(m);
        m.recorder.frame().zip(now).is_some_and(|(frame, now)| {
            let scene = &frame.scene;
            (&scene.scenario, scene.cycle, &scene.selection, &scene.view)
                == (&now.scenario, now.cycle, &now.selection, &now.view)
        })
    });
    let step = move |by: isize| {
        let (at, _) = place.get_untracked();
        store.dispatch(Command::Record(RecordStep::Move(at.wrapping_add_signed(by))));
    };
    view! {
        <div class="recorder-frame">
            <div class="recorder-texts">
                {field("Title of the frame", 1, TITLE_CHARS_MAX, |lesson, at| {
                    Some(&mut lesson.frames.get_mut(at)?.title)
                })}
                {field("Text, at most three sentences", 2, TEXT_CHARS_MAX, |lesson, at| {
                    Some(&mut lesson.frames.get_mut(at)?.text)
                })}
            </div>
            <div class="recorder-moment">
                <p class="place">
                    <span class="dim">{shows}</span>
                    {moment}
                </p>
                <div class="row">
                    <button
                        type="button"
                        class="btn small"
                        aria-disabled=move || is_shown.get().then_some("true")
                        on:click=move |_| {
                            if !is_shown.get_untracked() {
                                store.dispatch(Command::Record(RecordStep::Retake));
                            }
                        }
                    >
                        "Show what is on the screen"
                    </button>
                    <IconButton
                        icon=IconKind::Left
                        label="Move the frame forward"
                        class="small"
                        disabled=Signal::derive(move || place.get().0 == 0)
                        on_press=Callback::new(move |()| step(-1))
                    />
                    <IconButton
                        icon=IconKind::Right
                        label="Move the frame back"
                        class="small"
                        disabled=Signal::derive(move || place.get().0 + 1 >= place.get().1)
                        on_press=Callback::new(move |()| step(1))
                    />
                    <CommandButton class="btn small" command=Command::Record(RecordStep::Remove)>
                        "Remove the frame"
                    </CommandButton>
                </div>
                {field("Notes for the speaker", 2, NOTES_CHARS_MAX, |lesson, at| {
                    Some(&mut lesson.frames.get_mut(at)?.notes)
                })}
            </div>
            <div class="recorder-more">
                <QuestionForm />
                <Suggestions />
            </div>
        </div>
    }
}

/// Suggestions of the last frame.
#[component]
fn Suggestions() -> impl IntoView {
    let store = Store::get();
    let is_last = store.part(|m| m.recorder.at + 1 == m.recorder.lesson.frames.len());
    let suggestions = store.part(|m| m.recorder.frame().map_or(0, |frame| frame.suggestions.len()));
    let label = move |i: usize| {
        let label = store.text(move |m| {
            let suggestion = m.recorder.frame().and_then(|frame| frame.suggestions.get(i));
            suggestion.map(|suggestion| suggestion.label.clone()).unwrap_or_default()
        });
        let typed = move |event| {
            let text = event_target_value(&event);
            edit_frame(store, &mut |frame| {
                if let Some(suggestion) = frame.suggestions.get_mut(i) {
                    suggestion.label.clone_from(&text);
                }
            });
        };
        let remove = move |()| edit_frame(store, &mut |frame| drop(frame.suggestions.remove(i)));
        view! {
            <span class="row">
                <input
                    class="input"
                    type="text"
                    aria-label=format!("Suggestion {}", i + 1)
                    maxlength=TITLE_CHARS_MAX.to_string()
                    prop:value=label
                    on:input=typed
                />
                <IconButton
                    icon=IconKind::Close
                    label=format!("Remove suggestion {}", i + 1)
                    class="small"
                    on_press=Callback::new(remove)
                />
            </span>
        }
    };
    view! {
        <Show when=move || is_last.get() || (suggestions.get() > 0)>
            <details>
                <summary>{move || format!("Suggestions to try ({})", suggestions.get())}</summary>
                <p class="hint">"The last frame is free play. Change values, then suggest that edit."</p>
                {move || (0..suggestions.get()).map(label).collect_view()}
                <CommandButton class="btn small" command=Command::Record(RecordStep::Suggest)>
                    "Suggest the edit on the screen"
                </CommandButton>
            </details>
        </Show>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistake_names_its_frame() {
        let says = |at: &str| spoken(&Mistake { line: None, at: at.into(), says: "it is empty".into() });
        assert_eq!(says("frames[1].question.asks"), "Frame 2, question.asks: it is empty.");
        assert_eq!(says("frames[0]"), "Frame 1: it is empty.");
        assert_eq!(says("title"), "Lesson, title: it is empty.");
    }
}
