//! Condensed Timeline for more cycles than can be drawn: means over equal parts of the axis, with minimum and maximum.

use std::borrow::Cow;

use super::view::{Band, Spread, TimelineView};

/// Above this number of cycles, steps are condensed.
const STEPS_MAX: u32 = 400;

/// Number of cycles per drawn step.
pub fn cycles_per_step(view: &TimelineView) -> u32 {
    (view.end - view.first + 1).div_ceil(STEPS_MAX)
}

/// The view to draw.
pub fn condensed(view: &TimelineView) -> Cow<'_, TimelineView> {
    let per_step = cycles_per_step(view);
    if per_step == 1 || view.cycles.is_empty() {
        return Cow::Borrowed(view);
    }
    let starts: Vec<u32> = (view.first..=view.last).step_by(per_step as usize).collect();
    let parts: Vec<Part> = starts.iter().map(|from| Part::of(view, *from, per_step)).collect();
    let means = |amounts: &[f64]| parts.iter().map(|part| part.mean(amounts)).collect::<Vec<f64>>();
    let mut drawn = view.clone();
    if !view.apart {
        let all: Vec<&Band> = view.bands.iter().chain(&view.leaving).collect();
        let total = |step: usize| all.iter().map(|band| band.amounts[step]).sum::<f64>();
        let extreme = |of: fn(f64, f64) -> f64, none: f64| {
            parts.iter().map(|part| part.steps.iter().map(|step| total(step.0)).fold(none, of)).collect()
        };
        drawn.spread = Some(Spread { least: extreme(f64::min, f64::INFINITY), most: extreme(f64::max, 0.0) });
    }
    for amounts in drawn.amounts_mut() {
        *amounts = means(amounts);
    }
    drawn.times = parts.iter().map(|part| view.times[part.steps[0].0]).collect();
    drawn.cycles = starts;
    Cow::Owned(drawn)
}

/// A part of the axis: indices of its steps, each with its number of cycles in the part; never empty.
struct Part {
    steps: Vec<(usize, f64)>,
}

impl Part {
    fn of(view: &TimelineView, from: u32, n: u32) -> Part {
        let to = from.saturating_add(n).min(view.last.saturating_add(1));
        let first = view.cycles.partition_point(|step| *step <= from).saturating_sub(1);
        let next = |at: usize| view.cycles.get(at + 1).copied().unwrap_or(to);
        let within = |at: usize| f64::from(next(at).min(to).saturating_sub(view.cycles[at].max(from)));
        let after = view.cycles.partition_point(|step| *step < to).max(first + 1);
        Part { steps: (first..after).map(|at| (at, within(at))).collect() }
    }

    fn mean(&self, amounts: &[f64]) -> f64 {
        let steps = self.steps.iter().filter(|step| step.1 > 0.0);
        let (sum, n) = steps.fold((0.0, 0.0), |(sum, n), (at, within)| (sum + amounts[*at] * within, n + within));
        if n > 0.0 { sum / n } else { amounts[self.steps[0].0] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_cycles_are_drawn_as_means_with_their_extremes() {
        let band = Band { amounts: vec![0.0, 8.0, 4.0], ..Band::default() };
        let view = TimelineView {
            end: 1199,
            last: 1001,
            cycles: vec![0, 1, 3],
            times: vec![0, 1_000, 3_000],
            capacity: vec![8.0; 3],
            waiting: vec![0.0; 3],
            bands: vec![band],
            ..TimelineView::default()
        };
        assert_eq!(cycles_per_step(&view), 3);
        let drawn = condensed(&view);
        assert_eq!((drawn.cycles.len(), &drawn.cycles[..3]), (334, &[0, 3, 6][..]));
        let held = &drawn.bands[0].amounts;
        assert!((held[0] - 16.0 / 3.0).abs() < 1e-9, "one cycle at 0, two at 8: {}", held[0]);
        assert_eq!((held[1], held[333]), (4.0, 4.0));
        let spread = drawn.spread.as_ref().expect("extremes");
        assert_eq!((spread.least[0], spread.most[0], spread.least[1], spread.most[1]), (0.0, 8.0, 4.0, 4.0));
        assert_eq!(drawn.times[..2], [0, 3_000]);
    }

    #[test]
    fn few_cycles_are_drawn_as_they_are() {
        let view = TimelineView { end: 399, cycles: vec![0], times: vec![0], ..TimelineView::default() };
        assert!(matches!(condensed(&view), Cow::Borrowed(_)));
    }
}
