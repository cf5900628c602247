//! Start of the page: what it opens with, and its global listeners.

use std::sync::Arc;
use std::time::Duration;

use leptos::leptos_dom::helpers::{set_timeout, window_event_listener_untyped};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use crate::effects::Host;
use crate::keys::{self, Action, Focus, Pressed};
use crate::shell::app::App;
use crate::startup::{Startup, startup};
use crate::state::command::Command;
use crate::state::document::Origin;
use crate::state::layout::embed::Embed;
use crate::state::layout::options::{KeySet, Panel, Presenting, Theme};
use crate::state::layout::view::{SETUP_WIDTHS, WHY_WIDTHS};
use crate::state::layout::width_class::WidthClass;
use crate::state::lesson::progress::Progress;
use crate::state::model::Model;
use crate::store::Store;
use crate::views::suggestions::component::waiting_job;
use crate::widgets::window_width;
use crate::{address, drop, effects, focus, lessons, linked, storage};

pub fn mount() {
    let place = place();
    place.set_text_content(None);
    leptos::mount::mount_to(place, || page(startup())).forget();
}

fn place() -> HtmlElement {
    document().get_element_by_id("app").expect("index.html has an element #app").unchecked_into()
}

/// Removes the static first frame from the page's HTML.
fn remove_first_frame() {
    if let Some(first) = document().get_element_by_id("first") {
        first.remove();
    }
}

/// Removes the static first frame once the page shows the same content, or immediately if it shows another.
fn replace_first_frame(store: Store, is_something_else: bool) {
    if is_something_else {
        remove_first_frame();
    }
    Effect::new(move |_| {
        if store.frame.with(Option::is_some) {
            remove_first_frame();
        }
    });
    // Errors are shown below the first frame, so remove it in any case.
    set_timeout(remove_first_frame, FIRST_FRAME_MAX);
}

/// Longest delay of a click after the end of a touch.
const CLICK_DELAY_MAX: Duration = Duration::from_millis(300);

/// Longest time that the static first frame is shown.
const FIRST_FRAME_MAX: Duration = Duration::from_secs(3);

/// Sets the initial layout for a page width: on narrow pages WHY takes room from NOW, so it is open only if there is a
/// selection or a link.
pub fn lay_out(model: &mut Model, width: f64) {
    model.view.why_open = width > 1320.0 || model.selection.is_some() || model.document.origin == Origin::Link;
    model.view.chips = true;
    model.view.put(WidthClass::of(width));
}

/// Restores the visitor's settings, and applies those in the address.
fn restore_look(model: &mut Model, query: &str) {
    if storage::remembered("why").as_deref() == Some("closed") {
        model.view.why_closed = true;
        model.view.why_open &= model.selection.is_some() || model.document.origin == Origin::Link;
    }
    model.view.setup_by_hand = storage::remembered("setup").map(|setup| setup != "folded");
    model.view.time_folded = storage::remembered("time").as_deref() == Some("folded");
    model.view.all_numbers = storage::remembered("numbers").as_deref() == Some("open");
    model.view.put(WidthClass::of(window_width()));
    let wide = storage::remembered("setup-width").and_then(|text| text.parse::<u16>().ok());
    model.view.setup_width = wide.map_or(0, |wide| wide.clamp(SETUP_WIDTHS.0, SETUP_WIDTHS.1));
    let wide = storage::remembered("why-width").and_then(|text| text.parse::<u16>().ok());
    model.view.why_width = wide.map_or(0, |wide| wide.clamp(WHY_WIDTHS.0, WHY_WIDTHS.1));
    model.view.chips = storage::remembered("chips").is_none();
    model.lessons = Arc::new(Progress::from_text(&storage::remembered("lessons").unwrap_or_default()));
    model.recorder.is_open = storage::remembered("recorder").as_deref() == Some("open");
    if let Some(draft) = storage::remembered("lesson") {
        model.recorder.lesson = Arc::new(lessons::unfinished(&draft).0);
    }
    model.view.keys = KeySet::from_name(&storage::remembered("keys").unwrap_or_default());
    model.view.embed = Embed::read(query);
    if let Some(embed) = model.view.embed {
        model.recorder.is_open = false;
        model.view.why_open = false;
        model.view.time_folded = false;
        model.view.chips = false;
        model.view.now = embed.view.unwrap_or(model.view.now);
    }
    let theme = ["light", "dark"].into_iter().find(|name| query.contains(&format!("theme={name}")));
    let theme = theme.map(str::to_string).or_else(|| storage::remembered("theme")).unwrap_or_default();
    model.view.theme = Theme::from_name(&theme);
}

fn page(startup: Startup) -> impl IntoView {
    let Startup { mut model, address, is_start, draft, lesson } = startup;
    let query = address::query();
    lay_out(&mut model, window_width());
    restore_look(&mut model, &query);
    effects::set_theme(model.view.theme);
    let store = Store::new(model);
    provide_context(store);
    store.effects().update_value(|effects| {
        effects.set_address(address);
        effects.is_inline = query.contains("engine=inline");
    });
    replace_first_frame(store, !is_start || draft.is_some() || lesson.is_some());
    store.begin_run();
    if let Some((id, draft)) = draft {
        store.dispatch(Command::OpenDraft { id, draft: Box::new(draft) });
    }
    if let Some((lesson, at)) = lesson {
        store.follow_lesson(lesson, at, true);
    }
    drop::listen(store);
    focus::keep();
    linked::listen();
    listen(store);
    view! { <App /> }
}

/// Executes the shortcut of a key, if it is one.
fn on_key(store: Store, event: &leptos::ev::KeyboardEvent) {
    let key =
        if event.alt_key() { keys::without_alt(&event.key(), &event.code(), event.shift_key()) } else { event.key() };
    let pressed =
        Pressed { key, ctrl: event.ctrl_key() || event.meta_key(), shift: event.shift_key(), alt: event.alt_key() };
    if event.default_prevented() || store.now(|m| m.view.dialog.is_some()) {
        return;
    }
    let presented = store.now(|m| match m.view.presenting {
        Presenting::Off => None,
        _ => keys::presented(&pressed, focus(), m),
    });
    if let Some(command) = presented {
        event.prevent_default();
        return store.dispatch(command);
    }
    let is_last = store.now(|m| m.lesson.as_ref().map(|playing| playing.is_last()));
    if let Some(step) = is_last.and_then(|is_last| keys::lesson_step(&pressed, focus(), is_last)) {
        event.prevent_default();
        return store.dispatch(Command::Lesson(step));
    }
    if let Some(action) = keys::action(&pressed, focus(), store.now(|m| m.view.keys)) {
        if action == Action::Do(Command::ForgetBaseline)
            && store.now(|m| m.branches.baseline.is_none() && !m.branches.kept.is_comparing())
        {
            return;
        }
        if act(store, action) {
            event.prevent_default();
        }
    }
}

/// Listens for shortcuts, links that are opened in place, and the closing of the page.
fn listen(store: Store) {
    let keys = window_event_listener(leptos::ev::keydown, move |event| on_key(store, &event));
    let hash = window_event_listener(leptos::ev::hashchange, move |_| {
        let fragment = address::in_bar();
        if !store.effects().with_value(|effects| effects.address() == fragment) {
            store.follow(fragment, true);
        }
    });
    let back = window_event_listener_untyped("popstate", move |_| {
        // A history entry without a state comes from a link that is followed in place.
        if let Some(entry) = address::entry_in_bar() {
            store.go_back(entry, address::in_bar());
        }
    });
    let hide = window_event_listener(leptos::ev::pagehide, move |_| {
        leave_field();
        store.keep();
    });
    let size = window_event_listener(leptos::ev::resize, move |_| {
        let class = WidthClass::of(window_width());
        if store.now(|m| m.view.width_class != class) {
            store.dispatch(Command::WidthClass(class));
        }
    });
    // Drag handles appear only after the first touch has ended, so that the tapped element receives its click.
    let touch = ["pointerup", "pointercancel"].map(|name| {
        window_event_listener_untyped(name, move |event| {
            let is_touch = event.unchecked_ref::<web_sys::PointerEvent>().pointer_type() == "touch";
            if is_touch && !store.touched.get_untracked() {
                set_timeout(move || store.touched.set(true), CLICK_DELAY_MAX);
            }
        })
    });
    // Warn before text that cannot be saved is lost.
    let leave = window_event_listener_untyped("beforeunload", move |event| {
        leave_field();
        if has_invalid_field() {
            event.prevent_default();
        }
    });
    // The listeners live as long as the page.
    std::mem::forget((keys, hash, back, hide, size, touch, leave));
}

/// Blurs the field being edited, which accepts its value if that is valid.
fn leave_field() {
    let active = document().active_element().and_then(|element| element.dyn_into::<HtmlElement>().ok());
    if let Some(field) = active.filter(|_| focus() == Focus::Field) {
        let _ = field.blur();
    }
}

/// Whether a field contains an invalid value, which is not part of any draft.
fn has_invalid_field() -> bool {
    document().query_selector(".edit-box.wrong, .field.wrong").ok().flatten().is_some()
}

fn focus() -> Focus {
    let Some(element) = document().active_element() else { return Focus::Free };
    let is_choice = element.get_attribute("type").is_some_and(|t| t == "radio" || t == "checkbox" || t == "range");
    match element.tag_name().as_str() {
        "INPUT" if is_choice => return Focus::Composite,
        "INPUT" | "TEXTAREA" | "SELECT" => return Focus::Field,
        _ => {}
    }
    if element.closest("[role=menu], [contenteditable]").ok().flatten().is_some() {
        return Focus::Field;
    }
    let composite = "[role=grid],[role=treegrid],[role=tree],[role=listbox],[role=tablist],[role=slider],\
                     [role=application],[data-composite]";
    if element.closest(composite).ok().flatten().is_some() {
        return Focus::Composite;
    }
    match element.tag_name().as_str() {
        "BUTTON" | "A" | "SUMMARY" => Focus::Button,
        _ => Focus::Free,
    }
}

/// Executes the action of a shortcut; `false` if it is not available.
fn act(store: Store, action: Action) -> bool {
    let embed = store.now(|m| m.view.embed);
    let cursor = store.now(|m| m.playback.cursor);
    let last = store.now(|m| m.moment.run.as_ref().map_or(0, |r| r.last_cycle));
    let command = match action {
        Action::Do(Command::Panel(_)) if embed.is_some() => return false,
        Action::Do(Command::Panel(_)) => {
            store.dispatch(Command::Why(true));
            focus_region("Why");
            return true;
        }
        Action::Do(command) => command,
        Action::PlayOrPause => Command::Play(!store.now(|m| m.playback.playing)),
        Action::ToEnd => Command::GoTo(last),
        Action::Jump(by) => Command::GoTo(cursor.saturating_add_signed(by)),
        Action::AddNodes if embed.is_some() => return false,
        Action::AddNodes => {
            store.dispatch(Command::Tab(crate::state::layout::options::SetupTab::Nodes));
            Command::Change(crate::state::document::Change::AddNodes)
        }
        Action::Help => match leptos::prelude::untrack(|| waiting_job(store)) {
            Some(job) => {
                store.dispatch(Command::Why(true));
                Command::Suggest(job)
            }
            None => {
                let text = "Select a waiting job to see what would help it.".to_string();
                Command::Notify { is_problem: false, text }
            }
        },
        Action::Region(back) => {
            next_region(back);
            return true;
        }
        Action::Fold => {
            let panel = focused_panel();
            Command::Fold(panel, !store.now(|m| m.view.is_folded(panel)))
        }
    };
    let is_allowed = embed.is_none_or(|embed| embed.allows_key(&command));
    if is_allowed {
        store.dispatch(command);
    }
    is_allowed
}

fn regions() -> Vec<HtmlElement> {
    let Ok(found) = document().query_selector_all("[data-region]") else { return Vec::new() };
    let elements = (0..found.length()).filter_map(|i| found.get(i)?.dyn_into::<HtmlElement>().ok());
    elements.filter(|e| e.offset_width() > 0).collect()
}

fn focus_region(name: &str) {
    let found = regions().into_iter().find(|e| e.get_attribute("aria-label").as_deref() == Some(name));
    if let Some(region) = found {
        let _ = region.focus();
    }
}

/// The focused panel; NOW if there is none.
fn focused_panel() -> Panel {
    let active = document().active_element();
    let region = active.and_then(|active| active.closest("[data-region]").ok().flatten());
    match region.and_then(|region| region.get_attribute("aria-label")).as_deref() {
        Some("Setup") => Panel::Setup,
        Some("Why") => Panel::Why,
        Some("Time") => Panel::Time,
        _ => Panel::Now,
    }
}

fn next_region(back: bool) {
    let regions = regions();
    if regions.is_empty() {
        return;
    }
    let active = document().active_element();
    let here = regions.iter().position(|r| {
        let node: &web_sys::Node = r;
        active.as_ref().is_some_and(|a| node.contains(Some(a)))
    });
    let n = regions.len();
    let to = match (here, back) {
        (None, false) => 0,
        (None, true) => n - 1,
        (Some(i), false) => (i + 1) % n,
        (Some(i), true) => (i + n - 1) % n,
    };
    let _ = regions[to].focus();
}
