//! What Timeline draws over its areas: how it was before, the selected queue against its fair share, a marked range; and
//! dominant shares, which are lines of their own. Apart, because a visitor who only looks has none of it.

use plotters::element::{Polygon, Rectangle, Text};
use plotters::series::LineSeries;

use super::plane::{Plane, corners, steps};
use super::view::{Against, AlternativeLine, TimelineView};
use crate::chart::backend::text_anchor::HPos;
use crate::chart::backend::{Drawn, px, text_width};
use crate::chart::marks;
use crate::chart::paint::{Fill, Ink, Paint, Trim};

/// Draws all of it.
pub fn over(plane: &mut Plane<'_, '_>, view: &TimelineView) -> Drawn {
    if view.apart {
        apart(plane, view)?;
    }
    range(plane, view)?;
    if let Some(share) = &view.share {
        against(plane, view, share)?;
    }
    alternatives(plane, view)
}

/// The marked range, from top to bottom.
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

/// A stretch between what was held and the fair share.
struct Patch {
    from: f64,
    to: f64,
    low: Vec<(f64, f64)>,
    high: Vec<(f64, f64)>,
    /// Its area.
    size: f64,
}

/// The stretches in which there is something between two levels.
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

/// The fair share as a dashed line; between it and what was held *owed* dotted, *borrowed* hatched.
fn against(plane: &mut Plane<'_, '_>, view: &TimelineView, share: &Against) -> Drawn {
    let plain = Paint::from(marks::ink(share.tone));
    let owed = patches(view, |i| (share.held[i], share.held[i] + share.owed[i]));
    let borrowed = patches(view, |i| (share.held[i] - share.borrowed[i], share.held[i]));
    let kinds = [
        (&owed, Paint::from(Ink::Ink).filled(Fill::Owed), 0.72, "owed"),
        (&borrowed, plain.filled(Fill::Beyond), 1.0, "borrowed"),
    ];
    for (patches, fill, ground, _) in &kinds {
        for patch in patches.iter() {
            let corners: Vec<(f64, f64)> = patch.low.iter().chain(patch.high.iter().rev()).copied().collect();
            plane
                .plotting_area()
                .draw(&Polygon::new(corners.clone(), Paint::from(Ink::Panel).faint(*ground)))?;
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
    kinds.iter().try_for_each(|(patches, .., name)| name_patch(plane, view, patches, name))
}

/// Names the largest of some stretches, on it.
fn name_patch(plane: &Plane<'_, '_>, view: &TimelineView, patches: &[Patch], name: &str) -> Drawn {
    let Some(largest) = patches.iter().max_by(|a, b| a.size.total_cmp(&b.size)) else { return Ok(()) };
    let (width, _) = plane.plotting_area().dim_in_pixel();
    let per_x = (f64::from(view.end) + 1.0) / f64::from(width);
    let half = f64::from(px(text_width(name, 12.0) / 2.0 + 4.0)) * per_x;
    let (left, right) = (half - 0.5, f64::from(view.end) + 0.5 - half);
    let x = ((largest.from + largest.to) / 2.0).min(right).max(left);
    let step = largest.low.iter().position(|corner| corner.0 >= x).unwrap_or(0);
    let (low, high) = (largest.low[step].1, largest.high[step].1);
    let style = Paint::from(Ink::Ink).trimmed(Trim::Halo).text(12.0, HPos::Center);
    plane.plotting_area().draw(&Text::new(name.to_string(), (x, (low + high.min(view.max)) / 2.0), style))
}

/// Lines of their own, for amounts that do not add up. Where they coincide, those below are wider.
fn apart(plane: &mut Plane<'_, '_>, view: &TimelineView) -> Drawn {
    for (i, band) in view.bands.iter().enumerate() {
        let above = (view.bands.len() - 1 - i).min(3) as f64;
        let paint = Paint::from(marks::ink(band.tone)).line(2.5 + 2.5 * above);
        plane.draw_series(LineSeries::new(steps(view, &band.amounts), paint))?;
    }
    name_lines(plane, view, view.bands.iter().map(|band| (band.name.clone(), steps(view, &band.amounts))))
}

/// Names of lines where they are level for long, above them; lines that coincide there share the place.
fn name_lines(
    plane: &Plane<'_, '_>,
    view: &TimelineView,
    lines: impl Iterator<Item = (String, Vec<(f64, f64)>)>,
) -> Drawn {
    let per_y = view.max / f64::from(plane.plotting_area().dim_in_pixel().1);
    let mut named: Vec<(f64, f64, String)> = Vec::new();
    for (name, corners) in lines {
        let levels = corners.windows(2).filter(|pair| pair[0].1 == pair[1].1 && pair[0].1 > 0.0);
        let longest = levels.max_by(|a, b| (a[1].0 - a[0].0).total_cmp(&(b[1].0 - b[0].0)));
        let Some([from, to]) = longest.map(|pair| [pair[0], pair[1]]) else { continue };
        let at = ((from.0 + to.0) / 2.0, from.1);
        match named.iter_mut().find(|other| other.0 == at.0 && other.1 == at.1) {
            Some(other) => other.2 += &format!(", {name}"),
            None => named.push((at.0, at.1, name)),
        }
    }
    for (x, y, name) in named {
        let style = Paint::from(Ink::Ink).trimmed(Trim::Halo).text(12.0, HPos::Center);
        plane.plotting_area().draw(&Text::new(name, (x, y + 110.0 * per_y), style))?;
    }
    Ok(())
}

/// Dashed: what was held before the last edit, or would be held.
fn alternatives(plane: &mut Plane<'_, '_>, view: &TimelineView) -> Drawn {
    let path = |alternative: &AlternativeLine| {
        corners(view.max, &alternative.cycles, &alternative.amounts, alternative.last)
    };
    for alternative in &view.alternatives {
        let corners = path(alternative);
        plane.draw_series(LineSeries::new(corners.clone(), Paint::from(Ink::Panel).line(3.5)))?;
        let dashes = Paint::from(Ink::Soft).trimmed(Trim::Dashed).line(1.4);
        plane.draw_series(LineSeries::new(corners, dashes))?;
    }
    // The areas have names of their own; which of them a line belongs to is said where there is only one.
    let word = if view.was { "before" } else { "as edited" };
    let name = |alternative: &AlternativeLine| match view.top {
        Some(_) => format!("{} {word}", alternative.name),
        None => word.to_string(),
    };
    name_lines(
        plane,
        view,
        view.alternatives.iter().map(|alternative| (name(alternative), path(alternative))),
    )
}
