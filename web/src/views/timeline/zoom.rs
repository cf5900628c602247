//! The visible window of Timeline: resizing and moving.

use std::ops::Range;

use super::view::TimelineView;

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
}
