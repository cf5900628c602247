//! Fields of the lesson recorder, and what they change.

use fairground::lesson::{Lesson, LessonFrame};
use leptos::prelude::*;

use crate::state::command::Command;
use crate::state::lesson::step::RecordStep;
use crate::store::Store;

/// Changes the lesson that is being written, given the position of the frame that is edited.
pub fn edit(store: Store, change: &mut dyn FnMut(&mut Lesson, usize)) {
    let (mut lesson, at) = store.now(|m| (Lesson::clone(&m.recorder.lesson), m.recorder.at));
    change(&mut lesson, at);
    store.dispatch(Command::Record(RecordStep::Edit(Box::new(lesson))));
}

/// Changes the frame that is edited.
pub fn edit_frame(store: Store, change: &mut dyn FnMut(&mut LessonFrame)) {
    edit(store, &mut |lesson, at| {
        if let Some(frame) = lesson.frames.get_mut(at) {
            change(frame);
        }
    });
}

/// A text of a lesson, given the position of the frame that is edited.
pub type Part = fn(&mut Lesson, usize) -> Option<&mut String>;

/// A labelled text field; with several rows, a text area.
pub fn field(label: &'static str, rows: u8, max: usize, part: Part) -> AnyView {
    let store = Store::get();
    let value = store.text(move |m| {
        let mut lesson = Lesson::clone(&m.recorder.lesson);
        part(&mut lesson, m.recorder.at).cloned().unwrap_or_default()
    });
    let typed = move |event| {
        let text = event_target_value(&event);
        edit(store, &mut |lesson, at| {
            if let Some(old) = part(lesson, at) {
                old.clone_from(&text);
            }
        });
    };
    let (rows, max) = (rows.to_string(), max.to_string());
    let input = match rows.as_str() {
        "1" => view! { <input class="input" type="text" maxlength=max prop:value=value on:input=typed /> }.into_any(),
        _ => view! { <textarea class="input" rows=rows maxlength=max prop:value=value on:input=typed></textarea> }
            .into_any(),
    };
    view! { <label class="field"><span>{label}</span>{input}</label> }.into_any()
}
