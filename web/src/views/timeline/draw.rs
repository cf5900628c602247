//! Timeline as a picture: the event lane, and stacked step areas below it.

use fairground::moment::EventKind;
use fairground::words::number::number;
use plotters::chart::ChartBuilder;
use plotters::element::{Circle, PathElement, Polygon, Rectangle, Text};
use plotters::series::{AreaSeries, LineSeries};
use plotters::style::Color;

use super::condense::condensed;
use super::draw_overlays::{Labels, cycles_per_pixel, name_overlays, over};
use super::view::{Axis, Band, LaneMark, RIGHT, Spread, TimelineView, lane};
use crate::chart::backend::text_anchor::HPos;
use crate::chart::backend::{Area, Drawn, Size, fit, picture, px, text_width};
use crate::chart::marks;
use crate::chart::paint::{Fill, Ink, Paint, Trim};
use crate::chart::scale::{ticks, ticks_between};
use crate::views::timeline::plane::{Plane, Ticked, steps};

/// Height of the lane with one row.
const LANE: f64 = 28.0;
/// Height of a row in a lane with two.
const ROW: f64 = 24.0;
/// Height of the labels of the axis.
const LABELS: f64 = 24.0;
/// Space above the areas.
const TOP: f64 = 4.0;
/// Width of the axis numbers.
const NUMBERS: f64 = 34.0;

/// Height of the lane and of each of its rows.
pub fn lane_height(view: &TimelineView) -> (f64, f64) {
    if view.followed.is_some() { (2.0 * ROW, ROW) } else { (LANE, LANE) }
}

/// Draws lane and areas. The cursor is a separate layer, so that it can move alone.
pub fn timeline(view: &TimelineView, size: Size) -> String {
    timeline_before(view, size, None)
}

/// Whether the cursor is so far to the right that its line would cross the captions at the end of the axis.
pub fn is_late(axis: Axis, cursor: u32) -> bool {
    axis.x(cursor) > 0.75 * axis.width
}

/// Draws the same with captions and labels beside the cursor where its line would cross them.
pub fn timeline_before(view: &TimelineView, size: Size, cursor: Option<u32>) -> String {
    let axis = Axis::of(view, size.width);
    let (height, row) = lane_height(view);
    picture("timeline", size, |area| {
        let (above, below) = area.split_vertically(px(height));
        draw_lane(&above, &lane(view, axis, false), axis, row / 2.0)?;
        name(&above, if view.followed.is_some() { "all events" } else { "events" }, 0.0, 0.5 * row, axis.left())?;
        if let Some(followed) = &view.followed {
            draw_lane(&above, &lane(view, axis, true), axis, 1.5 * row)?;
            name(&above, followed, 0.0, 1.5 * row, axis.left())?;
        }
        let size = Size { height: size.height - height, ..size };
        names(&below, view, size, axis.left())?;
        areas(&below, &condensed(view), size, (axis, cursor))
    })
}

fn areas(area: &Area<'_>, view: &TimelineView, size: Size, (axis, cursor): (Axis, Option<u32>)) -> Drawn {
    let most_x = (size.width / 90.0).clamp(2.0, 14.0) as usize;
    let cycles = ticks_between(view.first, view.end, most_x);
    let amounts = ticks(view.max, ((size.height - LABELS) / 28.0).clamp(1.0, 5.0) as usize);
    let mut builder = ChartBuilder::on(area);
    let mut plane: Plane<'_, '_> = builder
        .margin_right(px(RIGHT))
        .margin_top(px(TOP))
        .set_label_area_size(plotters::chart::LabelAreaPosition::Left, px(axis.left()))
        .set_label_area_size(plotters::chart::LabelAreaPosition::Bottom, px(LABELS))
        .build_cartesian_2d(
            Ticked::new(f64::from(view.first) - 0.5..f64::from(view.end) + 0.5, cycles.clone()),
            Ticked::new(0.0..view.max, amounts.clone()),
        )?;
    let clear = Paint::from(Ink::Grid).code().mix(0.0);
    plane
        .configure_mesh()
        .disable_x_mesh()
        .bold_line_style(Paint::from(Ink::Grid).line(1.0))
        .light_line_style(clear)
        .axis_style(clear)
        .x_labels(cycles.len())
        .y_labels(amounts.len())
        .set_all_tick_mark_size(px(6.0))
        .label_style(Paint::from(Ink::Dim).text(12.0, HPos::Left))
        .x_label_formatter(&|cycle| number(*cycle))
        .y_label_formatter(&|amount| short(*amount))
        .draw()?;
    if !view.apart {
        stack(&mut plane, view)?;
    }
    if let Some(Spread { least, most }) = &view.spread {
        let lowest = steps(view, least).into_iter().rev();
        let corners = steps(view, most).into_iter().chain(lowest).collect::<Vec<_>>();
        plane.plotting_area().draw(&Polygon::new(corners, Paint::from(Ink::Ink).faint(0.2)))?;
    }
    over(&mut plane, view)?;
    let mut labels = Labels::default();
    let late = cursor.filter(|cursor| is_late(axis, *cursor));
    lines(&mut plane, view, (size, late), &mut labels)?;
    name_overlays(&plane, view, (axis, cursor), &mut labels)
}

/// An axis number of at most four characters.
fn short(amount: f64) -> String {
    if amount >= 10_000.0 { format!("{}k", number(amount / 1000.0)) } else { number(amount) }
}

fn stack(plane: &mut Plane<'_, '_>, view: &TimelineView) -> Drawn {
    let mut sums = vec![0.0; view.cycles.len()];
    let mut layers: Vec<(Paint, Vec<f64>)> = Vec::new();
    let stays = view.bands.iter().map(|band| (band, marks::solid(band.tone)));
    let leaves = view.leaving.iter().map(|band| (band, Paint::from(marks::ink(band.tone)).filled(Fill::Leaving)));
    for (band, paint) in stays.chain(leaves) {
        sums.iter_mut().zip(&band.amounts).for_each(|(sum, amount)| *sum += amount);
        layers.push((paint, sums.clone()));
    }
    let ground = Paint::from(Ink::Panel);
    for (at, (paint, top)) in layers.iter().enumerate().rev() {
        if at >= view.bands.len() {
            plane.draw_series(AreaSeries::new(steps(view, top), 0.0, ground.area()))?;
        }
        let area = AreaSeries::new(steps(view, top), 0.0, paint.area());
        plane.draw_series(area.border_style(ground.line(1.0)))?;
    }
    Ok(())
}

/// Height of a line of names.
const NAME: f64 = 14.0;

/// Names of the bands beside the axis, at the heights where the bands begin, without overlaps.
fn names(area: &Area<'_>, view: &TimelineView, size: Size, left: f64) -> Drawn {
    let height = size.height - LABELS - TOP;
    let mut sums = vec![0.0; view.cycles.len()];
    let mut rows: Vec<(f64, &Band)> = Vec::new();
    for band in &view.bands {
        let at = band.amounts.iter().position(|amount| *amount > 0.0).unwrap_or(0);
        let middle = if view.apart { band.amounts[at] } else { sums[at] + band.amounts[at] / 2.0 };
        sums.iter_mut().zip(&band.amounts).for_each(|(sum, amount)| *sum += amount);
        rows.push((TOP + height * (1.0 - middle / view.max), band));
    }
    rows.sort_by(|one, other| other.0.total_cmp(&one.0));
    let line = NAME.min(height / rows.len().max(1) as f64);
    let mut below = TOP + height + line / 2.0;
    for (y, _) in &mut rows {
        *y = y.min(below - line);
        below = *y;
    }
    let mut above = TOP - line / 2.0;
    for (y, band) in rows.iter_mut().rev() {
        *y = y.max(above + line);
        above = *y;
        let swatch = [(0, px(*y - 4.0)), (px(8.0), px(*y + 4.0))];
        area.draw(&Rectangle::new(swatch, marks::solid(band.tone).trimmed(Trim::Round).area()))?;
        name(area, &band.name, 13.0, *y, left)?;
    }
    Ok(())
}

/// A name beside the axis.
fn name(area: &Area<'_>, text: &str, x: f64, y: f64, left: f64) -> Drawn {
    let text = fit(text, 12.0, left - x - NUMBERS).unwrap_or_default();
    area.draw(&Text::new(text, (px(x), px(y)), Paint::from(Ink::Soft).text(12.0, HPos::Left)))
}

fn lines(
    plane: &mut Plane<'_, '_>,
    view: &TimelineView,
    (size, cursor): (Size, Option<u32>),
    labels: &mut Labels,
) -> Drawn {
    let corners = steps(view, &view.capacity);
    let end = corners.last().copied();
    plane.draw_series(LineSeries::new(corners, Paint::from(Ink::Ink).line(1.5)))?;
    let edge = f64::from(view.end) + 0.5;
    let mut captions: Vec<(f64, String)> = Vec::new();
    if let Some((x, y)) = end
        && x < edge
    {
        let ahead = Paint::from(Ink::Dim).trimmed(Trim::Dashed).line(1.0);
        plane.draw_series(LineSeries::new([(x, y), (edge, y)], ahead))?;
    }
    captions.extend(view.caption.clone());
    if let Some((_, y)) = end.filter(|_| size.width > 300.0) {
        captions.push((y, format!("capacity {} {}", number(y), view.unit[usize::from(y != 1.0)])));
    }
    // Lines closer than the height of text share a caption.
    let near = 180.0 * view.max / f64::from(plane.plotting_area().dim_in_pixel().1);
    if let [(share, one), (capacity, other)] = &captions[..]
        && (share - capacity).abs() < near
    {
        captions = vec![(*capacity, format!("{one} · {other}"))];
    }
    let end = cursor.map_or(edge, |cycle| f64::from(cycle) - 4.0 * cycles_per_pixel(plane, view));
    captions.iter().try_for_each(|(y, text)| labels.put_before(plane, view, text, (&[(end, *y)], end)))
}

fn draw_lane(area: &Area<'_>, marks: &[LaneMark], axis: Axis, middle: f64) -> Drawn {
    let top = middle - LANE / 2.0;
    let middle = px(middle);
    area.draw(&PathElement::new(
        vec![(px(axis.left()), middle), (px(axis.width - RIGHT), middle)],
        Paint::from(Ink::Line).line(1.0),
    ))?;
    for (i, mark) in marks.iter().enumerate() {
        let at = (px(mark.x), middle);
        area.draw(&Circle::new(at, px(8.0) as u32, Paint::from(Ink::Panel).area()))?;
        shape(area, mark.kind, at, Ink::Ink)?;
        let text = if mark.n > 99 { "99+".into() } else { mark.n.to_string() };
        // The count is drawn only if the next mark is far enough away.
        let room = marks.get(i + 1).map_or(f64::INFINITY, |next| next.x - mark.x);
        if mark.n > 1 && room >= 25.0 + text_width(&text, 11.0) {
            let style = Paint::from(Ink::Soft).trimmed(Trim::Halo).text(11.0, HPos::Left);
            area.draw(&Text::new(text, (at.0 + px(17.0), px(top + 6.5)), style))?;
        }
    }
    Ok(())
}

/// Draws the shape of an event. Shapes instead of glyphs, which differ between fonts.
pub fn shape(area: &Area<'_>, kind: EventKind, at: (i32, i32), ink: Ink) -> Drawn {
    let paint = Paint::from(ink);
    let line = paint.trimmed(Trim::Smooth).line(1.8);
    let p = |dx: f64, dy: f64| (at.0 + px(dx), at.1 + px(dy));
    let path = |corners: Vec<(i32, i32)>| area.draw(&PathElement::new(corners, line));
    let solid = |corners: Vec<(i32, i32)>| area.draw(&Polygon::new(corners, paint.area()));
    match kind {
        EventKind::Submitted => solid(vec![p(0.0, -5.0), p(5.2, 4.2), p(-5.2, 4.2)]),
        EventKind::Started => area.draw(&Circle::new(at, px(4.6) as u32, paint.area())),
        EventKind::Finished => area.draw(&Rectangle::new([p(-4.2, -4.2), p(4.2, 4.2)], paint.area())),
        EventKind::Reclaimed => {
            path(vec![p(-4.2, -4.2), p(4.2, 4.2)])?;
            path(vec![p(4.2, -4.2), p(-4.2, 4.2)])
        }
        EventKind::Preempted => solid(marks::diamond(at, 5.8).to_vec()),
        EventKind::Moved => {
            path(vec![p(-5.0, -2.2), p(5.0, -2.2), p(2.6, -4.8)])?;
            path(vec![p(5.0, 2.2), p(-5.0, 2.2), p(-2.6, 4.8)])
        }
        EventKind::Requeued => area.draw(&Circle::new(at, px(4.2) as u32, paint.line(1.8))),
        EventKind::Changed => {
            path(vec![p(-4.8, 4.8), p(-3.6, 1.4), p(2.6, -4.8), p(4.8, -2.6), p(-1.4, 3.6), p(-4.8, 4.8)])
        }
        EventKind::Node => {
            solid(vec![p(1.4, -6.0), p(-4.2, 1.0), p(-0.6, 1.0), p(-1.6, 6.0), p(4.2, -1.2), p(0.6, -1.2)])
        }
        EventKind::Claimed => {
            area.draw(&Rectangle::new([p(-4.2, -4.2), p(4.2, 4.2)], paint.trimmed(Trim::RoundDotted).line(2.0)))
        }
    }
}

/// The shape of an event, 16 × 16 pixels, for lists and the legend.
pub fn event_icon(kind: EventKind) -> String {
    let id = format!("event-{kind:?}").to_lowercase();
    picture(&id, Size { width: 16.0, height: 16.0 }, |area| shape(area, kind, (px(8.0), px(8.0)), Ink::Soft))
}
