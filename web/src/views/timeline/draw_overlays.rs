//! Overlays of Timeline: the alternative run, the selected queue against its fair share, a selected range; and dominant
//! shares, which are separate lines. Separate, because most visits have none of them.

use plotters::element::{Polygon, Rectangle, Text};
use plotters::series::LineSeries;

use super::plane::{Plane, corners, steps};
use super::view::{Against, AlternativeLine, Axis, TimelineView};
use crate::chart::backend::text_anchor::HPos;
use crate::chart::backend::{Drawn, px, text_width};
use crate::chart::marks;
use crate::chart::paint::{Fill, Ink, Paint, Trim};

/// Rectangles of drawn texts, to avoid overlaps.
#[derive(Default)]
pub struct Labels(Vec<(f64, f64, f64)>);

impl Labels {
    /// Draws a text above or else below the first of the points with free space; draws nothing if there is none.
    pub fn put(&mut self, plane: &Plane<'_, '_>, view: &TimelineView, text: &str, points: &[(f64, f64)]) -> Drawn {
        self.put_before(plane, view, text, (points, f64::from(view.end) + 0.5))
    }

    /// Draws the same, ending before a position on the axis of cycles.
    pub fn put_before(
        &mut self,
        plane: &Plane<'_, '_>,
        view: &TimelineView,
        text: &str,
        (points, end): (&[(f64, f64)], f64),
    ) -> Drawn {
        let per_y = view.max / f64::from(plane.plotting_area().dim_in_pixel().1);
        let half = (text_width(text, 12.0) / 2.0 + 4.0) * cycles_per_pixel(plane, view);
        let (high, up) = (f64::from(px(8.0)) * per_y, f64::from(px(10.0)) * per_y);
        let (left, right) = (f64::from(view.first) - 0.5 + half, end - half);
        let is_free = |(x, y): &(f64, f64)| {
            let is_apart =
                |other: &(f64, f64, f64)| (x - other.0).abs() >= half + other.2 || (y - other.1).abs() >= 2.0 * high;
            y - high >= 0.0 && y + high <= view.max && self.0.iter().all(is_apart)
        };
        let places = points.iter().flat_map(|(x, y)| [y + up, y - up].map(|y| (x.min(right).max(left), y)));
        let Some((x, y)) = places.into_iter().find(is_free) else { return Ok(()) };
        self.0.push((x, y, half));
        let ground = Paint::from(Ink::Panel).trimmed(Trim::Round).faint(0.86);
        let corners = [(x - half, y + high), (x + half, y - high)];
        plane.plotting_area().draw(&Rectangle::new(corners, ground))?;
        let style = Paint::from(Ink::Ink).text(12.0, HPos::Center);
        plane.plotting_area().draw(&Text::new(text.to_string(), (x, y), style))
    }
}

/// Number of cycles per pixel.
pub fn cycles_per_pixel(plane: &Plane<'_, '_>, view: &TimelineView) -> f64 {
    let width = f64::from(plane.plotting_area().dim_in_pixel().0);
    f64::from(px(1.0)) * (f64::from(view.end - view.first) + 1.0) / width
}

/// Draws all overlays.
pub fn over(plane: &mut Plane<'_, '_>, view: &TimelineView) -> Drawn {
    if view.apart {
        apart(plane, view)?;
    }
    range(plane, view)?;
    notes(plane, view)?;
    if let Some(share) = &view.share {
        against(plane, view, share)?;
    }
    alternatives(plane, view)
}

/// The selected range over the full height.
fn range(plane: &mut Plane<'_, '_>, view: &TimelineView) -> Drawn {
    let Some(range) = &view.range else { return Ok(()) };
    let (from, to) = (f64::from(range.from) - 0.5, f64::from(range.to.min(view.end)) + 0.5);
    let ground = Paint::from(Ink::Selected);
    plane.plotting_area().draw(&Rectangle::new([(from, view.max), (to, 0.0)], ground.faint(0.22)))?;
    for x in [from, to] {
        plane.draw_series(LineSeries::new([(x, 0.0), (x, view.max)], ground.line(2.0)))?;
    }
    Ok(())
}

/// A line with a flag at the moment of each note.
fn notes(plane: &mut Plane<'_, '_>, view: &TimelineView) -> Drawn {
    let (first, end) = (f64::from(view.first) - 0.5, f64::from(view.end) + 0.5);
    let (width, height) = plane.plotting_area().dim_in_pixel();
    let wide = (end - first) / f64::from(width) * f64::from(px(7.0));
    let high = view.max / f64::from(height) * f64::from(px(7.0));
    for x in view.notes.iter().copied().filter(|x| (first..=end).contains(x)) {
        plane.draw_series(LineSeries::new([(x, 0.0), (x, view.max)], Paint::from(Ink::Ink).line(1.0)))?;
        let flag = [(x, view.max), (x + wide, view.max - high)];
        plane.plotting_area().draw(&Rectangle::new(flag, Paint::from(Ink::Ink).area()))?;
    }
    Ok(())
}

/// An area between the allocation and the fair share.
struct Patch {
    from: f64,
    to: f64,
    low: Vec<(f64, f64)>,
    high: Vec<(f64, f64)>,
    /// Area in cycles times amount.
    size: f64,
}

/// The areas between two levels.
fn patches(view: &TimelineView, between: impl Fn(usize) -> (f64, f64)) -> Vec<Patch> {
    let mut patches: Vec<Patch> = Vec::new();
    for (i, first) in view.cycles.iter().enumerate() {
        let (low, high) = between(i);
        if high <= low {
            continue;
        }
        let from = f64::from(*first) - 0.5;
        let to = view.cycles.get(i + 1).map_or(f64::from(view.last) + 0.5, |next| f64::from(*next) - 0.5);
        if patches.last().is_none_or(|patch| patch.to != from) {
            patches.push(Patch { from, to, low: Vec::new(), high: Vec::new(), size: 0.0 });
        }
        let Some(patch) = patches.last_mut() else { continue };
        patch.to = to;
        patch.size += (to - from) * (high - low);
        patch.low.extend([(from, low), (to, low)]);
        patch.high.extend([(from, high), (to, high)]);
    }
    patches
}

fn owed(view: &TimelineView, share: &Against) -> Vec<Patch> {
    patches(view, |i| (share.held[i], share.held[i] + share.owed[i]))
}

fn borrowed(view: &TimelineView, share: &Against) -> Vec<Patch> {
    patches(view, |i| (share.held[i] - share.borrowed[i], share.held[i]))
}

/// The fair share as a dashed line; between it and the allocation, *owed* is dotted and *borrowed* is hatched.
fn against(plane: &mut Plane<'_, '_>, view: &TimelineView, share: &Against) -> Drawn {
    let plain = Paint::from(marks::ink(share.tone));
    let (owed, borrowed) = (owed(view, share), borrowed(view, share));
    let kinds = [(&owed, Paint::from(Ink::Ink).filled(Fill::Owed), 0.72), (&borrowed, plain.filled(Fill::Beyond), 1.0)];
    for (patches, fill, ground) in &kinds {
        for patch in patches.iter() {
            let corners: Vec<(f64, f64)> = patch.low.iter().chain(patch.high.iter().rev()).copied().collect();
            plane.plotting_area().draw(&Polygon::new(corners.clone(), Paint::from(Ink::Panel).faint(*ground)))?;
            plane.plotting_area().draw(&Polygon::new(corners, fill.area()))?;
        }
    }
    let line = steps(view, &share.shares);
    plane.draw_series(LineSeries::new(line.clone(), Paint::from(Ink::Panel).line(4.0)))?;
    let dashed = |ink: Ink| Paint::from(ink).trimmed(Trim::Dashed).line(1.6);
    plane.draw_series(LineSeries::new(line.clone(), dashed(Ink::Ink)))?;
    let edge = f64::from(view.end) + 0.5;
    if let Some((x, y)) = line.last().copied().filter(|(x, _)| *x < edge) {
        plane.draw_series(LineSeries::new([(x, y), (edge, y)], dashed(marks::ink(share.tone))))?;
    }
    Ok(())
}

/// Separate lines for amounts that do not add up. Where lines coincide, lower ones are wider.
fn apart(plane: &mut Plane<'_, '_>, view: &TimelineView) -> Drawn {
    for (i, band) in view.bands.iter().enumerate() {
        let above = (view.bands.len() - 1 - i).min(3) as f64;
        let paint = Paint::from(marks::ink(band.tone)).line(2.5 + 2.5 * above);
        plane.draw_series(LineSeries::new(steps(view, &band.amounts), paint))?;
    }
    Ok(())
}

/// Dashed: allocations in the alternative run.
fn alternatives(plane: &mut Plane<'_, '_>, view: &TimelineView) -> Drawn {
    for alternative in &view.alternatives {
        let corners = path(view, alternative);
        plane.draw_series(LineSeries::new(corners.clone(), Paint::from(Ink::Panel).line(3.5)))?;
        let dashes = Paint::from(Ink::Soft).trimmed(Trim::Dashed).line(1.4);
        plane.draw_series(LineSeries::new(corners, dashes))?;
    }
    Ok(())
}

fn path(view: &TimelineView, alternative: &AlternativeLine) -> Vec<(f64, f64)> {
    corners(view.max, &alternative.cycles, &alternative.amounts, alternative.last)
}

/// The label of an area beside the fair share. Its text must not cross the line of the cursor, which lies above the
/// picture.
#[derive(Clone, Debug, PartialEq)]
pub struct AreaLabel {
    name: &'static str,
    /// Middle of the largest area, and the amount below it.
    at: (f64, f64),
    /// Half of the text with a margin, in cycles.
    half: f64,
    /// First and last position of the middle.
    range: (f64, f64),
}

impl AreaLabel {
    /// Whether the cursor would cross the label in the middle of its area.
    pub fn is_crossed(&self, cursor: u32) -> bool {
        (self.at.0 - f64::from(cursor)).abs() < self.half
    }

    /// The middle of the area, or both sides of a cursor that would cross the label there, the nearer first.
    fn places(&self, cursor: Option<u32>) -> Vec<(f64, f64)> {
        let Some(cursor) = cursor.filter(|cursor| self.is_crossed(*cursor)) else { return vec![self.at] };
        let (x, y) = self.at;
        let mut sides = [f64::from(cursor) - self.half, f64::from(cursor) + self.half];
        sides.sort_by(|a, b| (a - x).abs().total_cmp(&(b - x).abs()));
        let (first, last) = self.range;
        sides.into_iter().filter(|side| (first..=last).contains(side)).map(|side| (side, y)).collect()
    }
}

/// The labels *owed* and *borrowed*, each of the largest such area.
pub fn area_labels(view: &TimelineView, axis: Axis) -> Vec<AreaLabel> {
    let Some(share) = &view.share else { return Vec::new() };
    let named = [("owed", owed(view, share)), ("borrowed", borrowed(view, share))];
    let label = |(name, patches): (&'static str, Vec<Patch>)| {
        let largest = patches.iter().max_by(|a, b| a.size.total_cmp(&b.size))?;
        let half = (text_width(name, 12.0) / 2.0 + 6.0) / axis.step();
        let first = f64::from(view.first) - 0.5 + half;
        let last = (f64::from(view.end) + 0.5 - half).max(first);
        let x = ((largest.from + largest.to) / 2.0).clamp(first, last);
        Some(AreaLabel { name, at: (x, largest.low[0].1), half, range: (first, last) })
    };
    named.into_iter().filter_map(label).collect()
}

/// Labels the overlays: the largest areas beside the fair share, and dashed lines at long level stretches.
pub fn name_overlays(
    plane: &Plane<'_, '_>,
    view: &TimelineView,
    (axis, cursor): (Axis, Option<u32>),
    labels: &mut Labels,
) -> Drawn {
    for label in area_labels(view, axis) {
        labels.put(plane, view, label.name, &label.places(cursor))?;
    }
    let word = if view.was { "before" } else { "as edited" };
    for alternative in &view.alternatives {
        let corners = path(view, alternative);
        let mut levels: Vec<&[(f64, f64)]> = corners.windows(2).filter(|pair| pair[0].1 == pair[1].1).collect();
        levels.sort_by(|a, b| (b[1].0 - b[0].0).total_cmp(&(a[1].0 - a[0].0)));
        let middles: Vec<(f64, f64)> = levels.iter().map(|pair| ((pair[0].0 + pair[1].0) / 2.0, pair[0].1)).collect();
        // With several areas, the name says which one a line belongs to.
        let name = match view.top {
            Some(_) => format!("{} {word}", alternative.name),
            None => word.to_string(),
        };
        labels.put(plane, view, &name, &middles)?;
    }
    Ok(())
}
