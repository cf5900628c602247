//! Zoom of Timeline: its visible window, and what changes it: wheel, keys, menu, buttons, two fingers.

use leptos::prelude::*;

use super::event_lane::View;
use super::view::TimelineView;
use crate::store::Store;
use crate::widgets::menu::MenuItem;
use std::ops::Range;

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

/// Minimum number of cycles in a window.
const LEAST: u32 = 6;

/// A window of cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    pub first: u32,
    pub last: u32,
}

impl Window {
    /// A window of the given cycles; `None` if it covers the whole scale.
    pub fn of(first: u32, last: u32, end: u32) -> Option<Window> {
        let last = last.max(first.saturating_add(LEAST - 1));
        (last - first < end).then(|| Window { first, last }.moved(0, end))
    }

    /// Multiplies the length of the window; cycle `about` keeps its position. `None` if it covers the whole scale.
    pub fn zoomed(self, factor: f64, about: u32, end: u32) -> Option<Window> {
        let about = about.clamp(self.first, self.last);
        let length = f64::from(self.last - self.first + 1);
        let next = (length * factor).round().clamp(f64::from(LEAST), f64::from(end) + 1.0);
        let before = f64::from(about - self.first) / length * next;
        let first = about.saturating_sub(before as u32);
        Window::of(first, first + next as u32 - 1, end)
    }

    /// Moves the window within the scale.
    pub fn moved(self, by: i64, end: u32) -> Window {
        let by = by.min(i64::from(end) - i64::from(self.last)).max(-i64::from(self.first));
        let at = |cycle: u32| u32::try_from(i64::from(cycle) + by).unwrap_or(0);
        Window { first: at(self.first), last: at(self.last).min(end) }
    }

    /// Moves the window by the minimum distance that shows a cycle.
    pub fn following(self, cycle: u32, end: u32) -> Window {
        let late = i64::from(cycle) - i64::from(self.last);
        let early = i64::from(cycle) - i64::from(self.first);
        self.moved(late.max(0) + early.min(0), end)
    }
}

/// Removes everything outside a window.
pub fn crop(view: &mut TimelineView, window: Window) {
    let Window { first, last } = window;
    let kept = steps_in(&view.cycles, window);
    (view.first, view.end) = (first, last);
    view.last = view.last.min(last);
    let cycles = std::mem::take(&mut view.cycles);
    view.cycles = cycles[kept.clone()].iter().map(|cycle| *cycle.max(&first)).collect();
    view.times = view.times[kept.clone()].to_vec();
    for amounts in view.amounts_mut() {
        *amounts = amounts[kept.clone()].to_vec();
    }
    view.alternatives.retain(|alternative| alternative.last >= first);
    for alternative in &mut view.alternatives {
        let kept = steps_in(&alternative.cycles, window);
        alternative.last = alternative.last.min(last);
        alternative.cycles = alternative.cycles[kept.clone()].iter().map(|cycle| *cycle.max(&first)).collect();
        alternative.amounts = alternative.amounts[kept].to_vec();
    }
    view.events.retain(|event| (first..=last).contains(&event.cycle));
    view.range = view.range.take().filter(|range| range.from <= last && range.to >= first);
    if let Some(range) = &mut view.range {
        (range.from, range.to) = (range.from.max(first), range.to.min(last));
    }
}

/// Indices of the steps that apply in a window.
fn steps_in(cycles: &[u32], Window { first, last }: Window) -> Range<usize> {
    let after = |cycle: u32| cycles.partition_point(|step| *step <= cycle);
    after(first).saturating_sub(1)..after(last)
}

/// Fingers on the surface: pointer id and position.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pinch(Vec<(i32, f64)>);

/// Smaller movements are ignored, in pixels.
const LEAST_MOVE: f64 = 4.0;
/// Closer fingers do not determine a factor, in pixels.
const NEAR: f64 = 16.0;

impl Pinch {
    /// Adds a finger. With more than two, the latest ones count.
    pub fn put(&mut self, id: i32, x: f64) {
        self.remove(id);
        self.0.push((id, x));
        if self.0.len() > 2 {
            self.0.remove(0);
        }
    }

    /// Removes a finger.
    pub fn remove(&mut self, id: i32) {
        self.0.retain(|finger| finger.0 != id);
    }

    /// Midpoint between two fingers.
    pub fn middle(&self) -> Option<f64> {
        let [(_, one), (_, other)] = self.0.as_slice() else { return None };
        Some((one + other) / 2.0)
    }

    /// Moves a finger. Returns the factor for the length of the window if two fingers are down and it moved far enough.
    pub fn moved(&mut self, id: i32, x: f64) -> Option<f64> {
        let before = self.distance()?;
        let finger = self.0.iter_mut().find(|finger| finger.0 == id)?;
        let was = std::mem::replace(&mut finger.1, x);
        let now = self.distance()?;
        if (now - before).abs() < LEAST_MOVE {
            self.0.iter_mut().filter(|finger| finger.0 == id).for_each(|finger| finger.1 = was);
            return None;
        }
        Some(before / now)
    }

    fn distance(&self) -> Option<f64> {
        let [(_, one), (_, other)] = self.0.as_slice() else { return None };
        Some((one - other).abs().max(NEAR))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::views::timeline::view::Band;

    #[test]
    fn a_window_grows_and_shrinks_around_a_cycle_and_stays_on_the_scale() {
        let all = Window { first: 0, last: 99 };
        let half = all.zoomed(0.5, 50, 99).expect("a part");
        assert_eq!(half, Window { first: 25, last: 74 });
        assert_eq!(half.zoomed(0.5, 25, 99), Some(Window { first: 25, last: 49 }));
        assert_eq!(half.zoomed(2.0, 50, 99), None, "all of them");
        assert_eq!(all.zoomed(0.01, 99, 99), Some(Window { first: 94, last: 99 }));
        assert_eq!(half.moved(100, 99), Window { first: 50, last: 99 });
        assert_eq!(half.moved(-100, 99), Window { first: 0, last: 49 });
        assert_eq!(half.following(80, 99), Window { first: 31, last: 80 });
        assert_eq!(half.following(3, 99), Window { first: 3, last: 52 });
        assert_eq!(half.following(30, 99), half);
        assert_eq!(half.following(5, 20), Window { first: 0, last: 20 }, "the scale is shorter by now");
        assert_eq!(Window::of(10, 11, 99), Some(Window { first: 10, last: 15 }));
        assert_eq!(Window::of(0, 5, 5), None);
    }

    #[test]
    fn a_crop_keeps_what_held_at_its_first_cycle() {
        let band = Band { amounts: vec![1.0, 2.0, 3.0], ..Band::default() };
        let mut view = TimelineView {
            end: 30,
            last: 25,
            cycles: vec![0, 10, 20],
            times: vec![0, 10_000, 20_000],
            capacity: vec![4.0; 3],
            waiting: vec![0.0; 3],
            bands: vec![band],
            ..TimelineView::default()
        };
        crop(&mut view, Window { first: 12, last: 19 });
        assert_eq!((view.first, view.end, view.last), (12, 19, 19));
        assert_eq!((view.cycles, view.bands[0].amounts.clone()), (vec![12], vec![2.0]));
    }

    #[test]
    fn fingers_that_part_show_less() {
        let mut pinch = Pinch::default();
        pinch.put(1, 100.0);
        assert_eq!((pinch.middle(), pinch.moved(1, 50.0)), (None, None), "one finger is none");
        pinch.put(1, 100.0);
        pinch.put(2, 200.0);
        assert_eq!(pinch.middle(), Some(150.0));
        assert_eq!(pinch.moved(2, 202.0), None, "too little");
        assert_eq!(pinch.moved(2, 300.0), Some(0.5));
        assert_eq!(pinch.moved(1, 250.0), Some(4.0));
        pinch.put(3, 0.0);
        assert_eq!(pinch.middle(), Some(150.0), "the first of three does not count");
        pinch.remove(3);
        assert_eq!(pinch.middle(), None);
    }
}
