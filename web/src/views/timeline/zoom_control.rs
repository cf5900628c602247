//! Zoom controls of Timeline: wheel, keys, menu, buttons.

use leptos::prelude::*;

use super::event_lane::View;
use super::zoom::Window;
use crate::store::Store;
use crate::widgets::menu::MenuItem;

/// Zoom factor of a key or menu entry.
const STEP: f64 = 2.0;
/// Wheel movement that doubles or halves the window, in pixels.
const TURN: f64 = 200.0;
/// Shorter scales have no entry to zoom in.
const CYCLES_MIN: u32 = 20;

/// Zoom state of Timeline.
#[derive(Clone, Copy)]
pub struct Zoom {
    /// The view of all cycles.
    pub all: View,
    /// The view of the window.
    pub shown: View,
    /// The window; `None`: all cycles.
    pub window: RwSignal<Option<Window>>,
}

impl Zoom {
    /// The last computed cycle.
    pub fn last(self) -> u32 {
        self.all.with_untracked(|view| view.as_deref().map_or(0, |view| view.last))
    }

    /// The end of the full scale.
    fn end(self) -> u32 {
        self.all.with(|view| view.as_deref().map_or(0, |view| view.end))
    }

    /// Multiplies the length of the window; cycle `about` keeps its position.
    pub fn scale(self, factor: f64, about: u32) {
        let shown =
            self.shown.with_untracked(|view| view.as_deref().map(|view| Window { first: view.first, last: view.end }));
        let zoomed = shown.and_then(|shown| shown.zoomed(factor, about, untrack(|| self.end())));
        self.window.set(zoomed);
    }

    /// Handles zoom keys. Returns whether the key was one.
    pub fn by_key(self, key: &str, about: u32) -> bool {
        match key {
            "+" | "=" => self.scale(1.0 / STEP, about),
            "-" | "−" => self.scale(STEP, about),
            "0" => self.window.set(None),
            _ => return false,
        }
        true
    }

    /// Handles the wheel: zooms with Ctrl (browsers report touchpad pinches this way), moves the window with Shift or
    /// horizontally. Returns whether it did.
    pub fn by_wheel(self, event: &web_sys::WheelEvent, about: u32) -> bool {
        let (x, y) = (event.delta_x(), event.delta_y());
        if event.ctrl_key() || event.meta_key() {
            self.scale((y / TURN).exp2(), about);
            return true;
        }
        let is_sideways = event.shift_key() || x.abs() > y.abs();
        let Some(window) = self.window.get_untracked().filter(|_| is_sideways) else { return false };
        let by = (x + y) / TURN * f64::from(window.last - window.first + 1) / 4.0;
        self.window.set(Some(window.moved(by.abs().ceil().copysign(by) as i64, untrack(|| self.end()))));
        true
    }
}

/// Buttons: zoom to the selected range, and show all cycles.
#[component]
pub fn ZoomButtons(zoom: Zoom) -> impl IntoView {
    let to_range = move || {
        let window = zoom.all.with(|view| {
            let view = view.as_deref()?;
            view.range.as_ref().and_then(|range| Window::of(range.from, range.to, view.end))
        })?;
        (zoom.window.get() != Some(window)).then(|| {
            view! {
                <button type="button" class="btn quiet small" on:click=move |_| zoom.window.set(Some(window))>
                    "Zoom to the range"
                </button>
            }
        })
    };
    view! {
        {to_range}
        {move || zoom.window.get().is_some().then(|| view! {
            <button type="button" class="btn quiet small" title="0" on:click=move |_| zoom.window.set(None)>
                "All cycles"
            </button>
        })}
    }
}

/// Menu entries that zoom.
pub fn zoom_items(store: Store, zoom: Zoom) -> Vec<MenuItem> {
    let by = move |factor: f64| move |()| zoom.scale(factor, store.now(|m| m.playback.cursor));
    let is_long = untrack(|| zoom.end()) > CYCLES_MIN;
    let is_zoomed = zoom.window.get_untracked().is_some();
    let zoom_in = is_long.then(|| MenuItem::call("Zoom in", by(1.0 / STEP)).key("+"));
    let zoom_out = is_zoomed.then(|| MenuItem::call("Zoom out", by(STEP)).key("-"));
    zoom_in.into_iter().chain(zoom_out).collect()
}
