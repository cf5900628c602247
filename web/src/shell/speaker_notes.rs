//! Speaker notes: a window of its own that stays in step with the presentation. The two exchange messages on a channel
//! of this presentation: what to show in one direction, keys in the other.

use leptos::prelude::*;
use serde_json::json;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::Closure;
use web_sys::{BroadcastChannel, MessageEvent};

use crate::keys::{self, Focus, Pressed};
use crate::state::document::remarks::remarks;
use crate::state::layout::options::Presenting;
use crate::state::model::Model;
use crate::store::Store;
use crate::{address, storage};

/// First word of a message with a key.
const KEY: &str = "key ";
/// Size of the window.
const FEATURES: &str = "popup,width=720,height=560";
/// Name of the window: opening it again shows the same one.
const TARGET: &str = "fairground-notes";

/// What the window shows, by the ids of its elements.
fn shown(model: &Model) -> String {
    let black = model.view.presenting == Presenting::Black;
    let Some(playing) = &model.lesson else { return of_scenario(model, black) };
    let (frame, frames) = (playing.frame(), &playing.lesson.frames);
    let next = frames.get(playing.at + 1).map_or(String::new(), |next| format!("Next: {}", next.title));
    let answer = match (&frame.question, &playing.outcome) {
        (Some(_), Some(outcome)) => outcome.says.clone(),
        (Some(question), None) => question.asks.clone(),
        (None, _) => frame.text.clone(),
    };
    json!({
        "place": format!("{} · {} of {}", playing.lesson.title, playing.at + 1, frames.len()),
        "title": frame.title, "text": answer, "notes": frame.notes, "next": next, "black": black,
    })
    .to_string()
}

/// The note on the scenario, and those on its moments.
fn of_scenario(model: &Model, black: bool) -> String {
    let scenario = &model.document.scenario;
    let now = model.moment.frame.as_ref().map_or(0, |frame| frame.time_ms);
    let remarks = remarks(scenario);
    let here = remarks.iter().find(|remark| remark.time_ms == now).map(|remark| remark.text.clone());
    let next = remarks.iter().find(|remark| remark.time_ms > now).map(|remark| format!("Next note: {}", remark.text));
    json!({
        "place": format!("cycle {}", model.playback.cursor), "title": scenario.name, "text": scenario.note,
        "notes": here, "next": next.unwrap_or_default(), "black": black,
    })
    .to_string()
}

/// A link that opens the notes, in a window of their own if the browser allows one, otherwise in a tab.
#[component]
pub fn SpeakerNotes() -> impl IntoView {
    let store = Store::get();
    let id = storage::fresh_id();
    let channel = BroadcastChannel::new(&format!("fairground.notes {id}")).ok().map(StoredValue::new_local)?;
    let state = store.text(shown);
    let send = move || {
        let _ = channel.try_with_value(|channel| channel.post_message(&state.get_untracked().into()));
    };
    let listen = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
        let text = event.data().as_string().unwrap_or_default();
        match text.strip_prefix(KEY) {
            Some(key) => {
                let pressed = Pressed { key: key.to_string(), ..Pressed::default() };
                if let Some(command) = store.now(|m| keys::presented(&pressed, Focus::Free, m)) {
                    store.dispatch(command);
                }
            }
            None => send(),
        }
    });
    channel.with_value(|channel| channel.set_onmessage(Some(listen.as_ref().unchecked_ref())));
    StoredValue::new_local(listen);
    on_cleanup(move || {
        let _ = channel.try_with_value(BroadcastChannel::close);
    });
    Effect::new(move |_| {
        state.track();
        send();
    });
    let address = address::beside(&format!("notes/index.html#{id}"));
    let open = {
        let address = address.clone();
        move |event: leptos::ev::MouseEvent| {
            let opened = window().open_with_url_and_target_and_features(&address, TARGET, FEATURES);
            // Otherwise the browser follows the link, which is never blocked.
            if opened.is_ok_and(|window| window.is_some()) {
                event.prevent_default();
            }
        }
    };
    Some(view! { <a class="btn notes" href=address target=TARGET on:click=open>"Speaker notes"</a> })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library;
    use crate::state::document::Opened;
    use crate::state::document::Origin;
    use crate::state::document::remarks::with_remark;
    use serde_json::Value;

    #[test]
    fn notes_of_a_scenario_are_those_of_its_moment() {
        let start = with_remark(&library::start(), 0, "Say <hello>.");
        let model = Model::new(Opened::new(with_remark(&start, 5_000, "Then wait."), Origin::Start));
        let shown: Value = serde_json::from_str(&shown(&model)).expect("JSON");
        assert_eq!((&shown["notes"], &shown["next"]), (&json!("Say <hello>."), &json!("Next note: Then wait.")));
        assert_eq!((&shown["title"], &shown["black"]), (&json!(start.name), &json!(false)));
    }
}
