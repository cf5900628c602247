//! The page's side: what it opens with, what it listens to.

use std::time::Duration;

use crate::dom::prelude::*;
use leptos::leptos_dom::helpers::{set_timeout, window_event_listener_untyped};
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use crate::address::{self, Fragment};
use crate::components::app::{self, App};
use crate::components::help::waiting_job;
use crate::components::{dialogs, setup};
use crate::keys::{self, Action, Focus, Pressed};
use crate::model::{Command, Dialog, Model, Opened, Origin, SETUP_WIDTHS, Theme, WHY_WIDTHS};
use crate::store::Store;
use crate::{dom, drop, edge, library, storage};

/// Mounts the page on `#app`.
pub fn mount() {
    let app: HtmlElement =
        document().get_element_by_id("app").expect("index.html has an element #app").unchecked_into();
    app.set_text_content(None);
    dom::mount_to(app, || view! { <Page /> });
}

/// What the page opens with, and what there is to say about it.
struct Opening {
    opened: Opened,
    dialog: Option<Dialog>,
    /// The fragment in the address is the page's own.
    address: String,
}

fn opening() -> Opening {
    let fragment = window().location().hash().unwrap_or_default();
    let fragment = fragment.trim_start_matches('#').to_string();
    let read = address::read(&fragment);
    if read == Fragment::Reset {
        storage::wipe();
        clear_fragment();
    }
    let draft = storage::current();
    let mine = |(id, draft): (String, crate::model::draft::Draft)| {
        let address = draft.address.clone();
        Some((draft.open(&id).ok()?, address))
    };
    let own = draft.and_then(mine);
    let start = || Opened::new(library::start(), Origin::Start);
    match read {
        Fragment::Document(opened) => match own {
            // A reload: the address is what the page itself wrote, perhaps before the last change.
            Some((draft, address)) if address == fragment => {
                Opening { opened: draft, dialog: None, address: fragment }
            }
            // One's own scenario, at another moment.
            Some((draft, _)) if draft.scenario == opened.scenario => {
                let opened = Opened { moment: opened.moment.clone(), ..draft };
                Opening { opened, dialog: None, address: fragment }
            }
            // A reload of something that was not changed.
            _ if storage::own_address().as_deref() == Some(&fragment) => {
                let is_start = *opened.scenario == library::start();
                let origin = if is_start { Origin::Start } else { Origin::Draft };
                Opening { opened: Opened { origin, ..*opened }, dialog: None, address: fragment }
            }
            _ => Opening { opened: *opened, dialog: None, address: fragment },
        },
        Fragment::Damaged(says) => {
            let opened = own.map_or_else(start, |(draft, _)| draft);
            clear_fragment();
            Opening { opened, dialog: Some(Dialog::BadLink(says)), address: String::new() }
        }
        Fragment::Empty | Fragment::Reset => {
            let opened = own.map_or_else(start, |(draft, _)| draft);
            Opening { opened, dialog: None, address: String::new() }
        }
    }
}

fn clear_fragment() {
    let location = window().location();
    let path = location.pathname().unwrap_or_default() + &location.search().unwrap_or_default();
    if let Ok(history) = window().history() {
        let _ = history.replace_state_with_url(&wasm_bindgen::JsValue::NULL, "", Some(&path));
    }
}

/// Removes the plain first frame of the page's HTML once the page shows the same, or something else.
fn replace_first_frame(store: Store, is_something_else: bool) {
    let remove = || {
        if let Some(first) = document().get_element_by_id("first") {
            first.remove();
        }
    };
    if is_something_else {
        remove();
    }
    Effect::new(move |_| {
        if store.frame.with(Option::is_some) {
            remove();
        }
    });
    // Whatever goes wrong is said below it.
    set_timeout(remove, FIRST_FRAME_MOST);
}

/// How long the plain first frame stands at most.
const FIRST_FRAME_MOST: Duration = Duration::from_secs(3);

#[component]
fn Page() -> impl IntoView {
    let Opening { opened, dialog, address } = opening();
    let is_start = opened.origin == Origin::Start && opened.moment.cycle == 0 && dialog.is_none();
    let is_draft = opened.draft.is_some();
    let mut model = Model::new(opened);
    model.pristine = !is_draft;
    model.view.dialog = dialog;
    let width = window().inner_width().ok().and_then(|w| w.as_f64()).unwrap_or(1440.0);
    // On narrower pages WHY covers something, so it comes when there is something to say.
    model.view.why_open = width > 1320.0 || model.selection.is_some() || model.origin == Origin::Link;
    if storage::remembered("why").as_deref() == Some("closed") {
        model.view.why_closed = true;
        model.view.why_open &= model.selection.is_some() || model.origin == Origin::Link;
    }
    model.view.setup_folded = storage::remembered("setup").as_deref() == Some("folded");
    let wide = storage::remembered("setup-width").and_then(|text| text.parse::<u16>().ok());
    model.view.setup_width = wide.map_or(0, |wide| wide.clamp(SETUP_WIDTHS.0, SETUP_WIDTHS.1));
    let wide = storage::remembered("why-width").and_then(|text| text.parse::<u16>().ok());
    model.view.why_width = wide.map_or(0, |wide| wide.clamp(WHY_WIDTHS.0, WHY_WIDTHS.1));
    model.view.chips = storage::remembered("chips").is_none();
    let query = window().location().search().unwrap_or_default();
    let theme = ["light", "dark"].into_iter().find(|name| query.contains(&format!("theme={name}")));
    let theme = theme.map(str::to_string).or_else(|| storage::remembered("theme")).unwrap_or_default();
    model.view.theme = Theme::from_name(&theme);
    edge::set_theme(model.view.theme);
    let store = Store::new(model);
    provide_context(store);
    store.edge().update_value(|edge| {
        edge.set_address(address);
        edge.start(store, !query.contains("engine=inline"));
    });
    replace_first_frame(store, !is_start);
    store.begin();
    drop::listen(store);
    listen(store);
    view! { <App /> }
}

/// Listens for keys, for links that are opened in place, and for the page's end.
fn listen(store: Store) {
    let keys = window_event_listener(leptos::ev::keydown, move |event| {
        let pressed = Pressed {
            key: event.key(),
            ctrl: event.ctrl_key() || event.meta_key(),
            shift: event.shift_key(),
            alt: event.alt_key(),
        };
        if event.default_prevented() || store.now(|m| m.view.dialog.is_some()) {
            return;
        }
        if let Some(action) = keys::action(&pressed, focus()) {
            if action == Action::Do(Command::ForgetBefore) && store.now(|m| m.before.is_none()) {
                return;
            }
            event.prevent_default();
            act(store, action);
        }
    });
    let hash = window_event_listener(leptos::ev::hashchange, move |_| {
        let fragment = window().location().hash().unwrap_or_default();
        let fragment = fragment.trim_start_matches('#').to_string();
        if store.edge().with_value(|edge| edge.address() == fragment) {
            return;
        }
        match address::read(&fragment) {
            Fragment::Document(opened) => {
                store.dispatch(Command::Open(opened));
                store.edge().update_value(|edge| edge.set_address(fragment));
            }
            Fragment::Damaged(says) => store.dispatch(Command::Dialog(Some(Dialog::BadLink(says)))),
            Fragment::Reset => {
                storage::wipe();
                clear_fragment();
                store.dispatch(Command::Open(Box::new(Opened::new(library::start(), Origin::Start))));
            }
            Fragment::Empty => {}
        }
    });
    let hide = window_event_listener(leptos::ev::pagehide, move |_| {
        store.edge().update_value(|edge| edge.save_now(store));
    });
    // What may be wanted next is fetched as soon as somebody does something, so that nothing typed is too early for it.
    let ahead = ["keydown", "pointerdown"].map(|name| window_event_listener_untyped(name, |_| fetch_ahead()));
    // The page listens as long as it is there.
    std::mem::forget((keys, hash, hide, ahead));
}

/// Fetches what is cut out of the page's module; nothing happens if it is there or on its way.
fn fetch_ahead() {
    leptos::task::spawn_local(async {
        // A part that could not be fetched is tried again when it is shown, which says so.
        let _ = dialogs::preload().await;
        let _ = setup::preload().await;
        let _ = app::preload_view().await;
    });
}

/// Where the focus is.
fn focus() -> Focus {
    let Some(element) = document().active_element() else { return Focus::Free };
    let is_choice =
        element.get_attribute("type").is_some_and(|t| t == "radio" || t == "checkbox" || t == "range");
    match element.tag_name().as_str() {
        "INPUT" if is_choice => return Focus::Composite,
        "INPUT" | "TEXTAREA" | "SELECT" => return Focus::Field,
        _ => {}
    }
    let composite = "[role=grid],[role=treegrid],[role=tree],[role=listbox],[role=menu],[role=tablist],[role=slider],\
                     [role=application],[data-composite]";
    if element.closest(composite).ok().flatten().is_some() {
        return Focus::Composite;
    }
    match element.tag_name().as_str() {
        "BUTTON" | "A" | "SUMMARY" => Focus::Button,
        _ => Focus::Free,
    }
}

fn act(store: Store, action: Action) {
    let cursor = store.now(|m| m.cursor);
    let last = store.now(|m| m.run.as_ref().map_or(0, |r| r.last_cycle));
    let command = match action {
        Action::Do(Command::Panel(_)) => {
            store.dispatch(Command::Why(true));
            focus_region("Why");
            return;
        }
        Action::Do(command) => command,
        Action::PlayOrPause => Command::Play(!store.now(|m| m.playing)),
        Action::ToEnd => Command::GoTo(last),
        Action::Jump(by) => Command::GoTo(cursor.saturating_add_signed(by)),
        Action::AddNodes => {
            store.dispatch(Command::Tab(crate::model::SetupTab::Nodes));
            Command::Change(crate::model::Change::AddNodes)
        }
        Action::Help => match leptos::prelude::untrack(|| waiting_job(store)) {
            Some(job) => {
                store.dispatch(Command::Why(true));
                Command::Help(job)
            }
            None => {
                let text = "Select a job that waits to see what would help it.".to_string();
                Command::Notify { is_problem: false, text }
            }
        },
        Action::Region(back) => return next_region(back),
    };
    store.dispatch(command);
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
