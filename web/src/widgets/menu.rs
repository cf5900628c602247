//! A menu button, operated by keys and pointer.

use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use super::on_leave;
use crate::keys;
use crate::state::command::Command;
use crate::store::Store;

/// Action of a menu entry.
#[derive(Clone, Debug)]
pub enum Act {
    Dispatch(Command),
    /// A callback of the component with the menu.
    Call(Callback<()>),
}

impl Act {
    fn run(&self, store: Store) {
        match self {
            Act::Dispatch(command) => store.dispatch(command.clone()),
            Act::Call(call) => call.run(()),
        }
    }
}

/// A menu entry.
#[derive(Clone, Debug)]
pub struct MenuItem {
    pub label: String,
    /// Keyboard shortcut; empty if none.
    pub key: &'static str,
    pub act: Act,
    /// For entries that are choices: whether this one is current.
    pub chosen: Option<bool>,
}

impl MenuItem {
    /// Creates an entry that dispatches a command.
    pub fn new(label: impl Into<String>, command: Command) -> MenuItem {
        MenuItem { label: label.into(), key: "", act: Act::Dispatch(command), chosen: None }
    }
    /// Creates an entry that calls a callback.
    pub fn call(label: &str, call: impl Fn(()) + Send + Sync + 'static) -> MenuItem {
        MenuItem { label: label.into(), key: "", act: Act::Call(Callback::new(call)), chosen: None }
    }
    pub fn key(self, key: &'static str) -> MenuItem {
        MenuItem { key, ..self }
    }
    /// Makes the entry one of several choices.
    pub fn choice(self, chosen: bool) -> MenuItem {
        MenuItem { chosen: Some(chosen), ..self }
    }
}

/// A button with a menu that is created when it opens.
#[component]
pub fn MenuButton(
    /// Accessible name of the button.
    #[prop(into)]
    label: Signal<String>,
    #[prop(into)] class: String,
    items: Callback<(), Vec<MenuItem>>,
    /// Excludes the button from the tab order; the menu is then opened by another key.
    #[prop(optional)]
    outside_tab_order: bool,
    children: Children,
) -> impl IntoView {
    let open = RwSignal::new(false);
    let place = RwSignal::new((0.0, 0.0));
    let button = NodeRef::<html::Button>::new();
    let close = move |refocus: bool| {
        open.set(false);
        if refocus && let Some(button) = button.get_untracked() {
            let _ = button.focus();
        }
    };
    let toggle = move |_| {
        if let Some(button) = button.get_untracked() {
            let rect = button.get_bounding_client_rect();
            place.set((rect.left(), rect.bottom()));
        }
        open.update(|o| *o = !*o);
    };
    view! {
        <span class="menu-anchor">
            <button
                type="button"
                node_ref=button
                class=class
                aria-label=label
                title=label
                aria-haspopup="menu"
                aria-expanded=move || open.get().to_string()
                tabindex=outside_tab_order.then_some("-1")
                on:click=toggle
            >
                {children()}
            </button>
            <Show when=move || open.get()>
                <MenuList items=items.run(()) place=place.get_untracked() on_close=Callback::new(close) />
            </Show>
        </span>
    }
}

#[component]
fn MenuList(items: Vec<MenuItem>, place: (f64, f64), on_close: Callback<bool>) -> impl IntoView {
    let store = Store::get();
    let list = NodeRef::<html::Div>::new();
    list.on_load(move |element| {
        // Kept inside the window and above all other content.
        let element: &HtmlElement = element.as_ref();
        let (width, height) = (f64::from(element.offset_width()), f64::from(element.offset_height()));
        let size = |value: Result<wasm_bindgen::JsValue, _>| value.ok().and_then(|v| v.as_f64()).unwrap_or(1e4);
        let left = place.0.min(size(window().inner_width()) - width - 8.0).max(8.0);
        let top = place.1.min(size(window().inner_height()) - height - 8.0).max(8.0);
        let style = leptos::web_sys::HtmlElement::style(element);
        let _ = style.set_property("left", &format!("{left}px"));
        let _ = style.set_property("top", &format!("{top}px"));
        focus_item(element, 0);
    });
    let on_key = move |event: leptos::ev::KeyboardEvent| {
        let Some(list) = list.get_untracked() else { return };
        let list: &HtmlElement = list.as_ref();
        let at = focused_item(list);
        let n = list.child_element_count() as i32;
        match event.key().as_str() {
            "ArrowDown" => focus_item(list, (at + 1).rem_euclid(n.max(1))),
            "ArrowUp" => focus_item(list, (at - 1).rem_euclid(n.max(1))),
            "Home" => focus_item(list, 0),
            "End" => focus_item(list, n - 1),
            "Escape" => on_close.run(true),
            "Tab" => on_close.run(true),
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    };
    let on_out = move |event: leptos::ev::FocusEvent| {
        let inside = list.get_untracked().is_some_and(|list| {
            let list: &web_sys::Node = list.as_ref();
            event.related_target().is_some_and(|t| list.contains(t.dyn_ref::<web_sys::Node>()))
        });
        if !inside {
            on_close.run(false);
        }
    };
    let lines = items.into_iter().map(move |item| {
        let MenuItem { label, key, act, chosen } = item;
        let key = keys::named(key, store.now(|m| m.view.keys)).filter(|key| !key.is_empty());
        view! {
            <button
                type="button"
                class="menu-item"
                role=if chosen.is_some() { "menuitemradio" } else { "menuitem" }
                aria-checked=chosen.map(|c| c.to_string())
                tabindex="-1"
                on:click=move |_| {
                    on_close.run(true);
                    act.run(store);
                }
            >
                <span>{label}</span>
                {key.map(|key| view! { <span class="kbd">{key}</span> })}
            </button>
        }
    });
    view! {
        <div node_ref=list class="menu" role="menu" on:keydown=on_key on:focusout=on_leave(on_out)>
            {lines.collect_view()}
        </div>
    }
}

fn focus_item(list: &HtmlElement, at: i32) {
    let item = u32::try_from(at).ok().and_then(|at| list.children().item(at));
    if let Some(item) = item.and_then(|item| item.dyn_into::<HtmlElement>().ok()) {
        let _ = item.focus();
    }
}

fn focused_item(list: &HtmlElement) -> i32 {
    let active = document().active_element();
    let children = list.children();
    (0..children.length()).find(|&i| children.item(i) == active).map_or(-1, |i| i as i32)
}
