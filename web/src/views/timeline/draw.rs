//! Timeline as a picture: the lane of events, and below it stacked step areas.

use fairground::moment::Kind;
use fairground::words::number::number;
use plotters::chart::ChartBuilder;
use plotters::element::{Circle, PathElement, Polygon, Rectangle, Text};
use plotters::series::{AreaSeries, LineSeries};
use plotters::style::Color;

use super::draw_overlays::over;
use super::view::{Axis, Band, LEFT, LaneMark, RIGHT, TimelineView, lane};
use crate::chart::backend::text_anchor::HPos;
use crate::chart::backend::{Area, Drawn, Size, fit, picture, px, text_width};
use crate::chart::marks;
use crate::chart::paint::{Ink, Paint, Trim};
use crate::chart::scale::ticks;
use crate::views::timeline::plane::{Plane, Ticked, steps};

/// Height of the lane where it is one row.
const LANE: f64 = 28.0;
/// Height of a row where there are two.
const ROW: f64 = 24.0;
/// Height of the labels of the axis.
const LABELS: f64 = 24.0;

/// The height of the lane, and of each of its rows.
pub fn lane_height(view: &TimelineView) -> (f64, f64) {
    if view.followed.is_some() { (2.0 * ROW, ROW) } else { (LANE, LANE) }
}

/// Draws lane and areas, without the cursor: it is laid over the picture so that it can move alone.
pub fn timeline(view: &TimelineView, size: Size) -> String {
    let axis = Axis { width: size.width, last: view.end };
    let (height, row) = lane_height(view);
    picture("timeline", size, |area| {
        let (above, below) = area.split_vertically(px(height));
        draw_lane(&above, &lane(view, axis, false), size.width, row / 2.0)?;
        if let Some(name) = &view.followed {
            draw_lane(&above, &lane(view, axis, true), size.width, 1.5 * row)?;
            for (text, at) in [("all", 0.5), (name.as_str(), 1.5)] {
                let text = fit(text, 12.0, LEFT).unwrap_or_default();
                let style = Paint::from(Ink::Dim).text(12.0, HPos::Left);
                above.draw(&Text::new(text, (0, px(at * row)), style))?;
            }
        }
        areas(&below, view, Size { height: size.height - height, ..size })
    })
}

fn areas(area: &Area<'_>, view: &TimelineView, size: Size) -> Drawn {
    let most_x = (size.width / 90.0).clamp(2.0, 14.0) as usize;
    let cycles: Vec<f64> =
        ticks(f64::from(view.end), most_x).into_iter().filter(|tick| tick.fract() == 0.0).collect();
    let amounts = ticks(view.max, ((size.height - LABELS) / 28.0).clamp(1.0, 5.0) as usize);
    let mut builder = ChartBuilder::on(area);
    let mut plane: Plane<'_, '_> = builder
        .margin_right(px(RIGHT))
        .margin_top(px(4.0))
        .set_label_area_size(plotters::chart::LabelAreaPosition::Left, px(LEFT))
        .set_label_area_size(plotters::chart::LabelAreaPosition::Bottom, px(LABELS))
        .build_cartesian_2d(
            Ticked::new(-0.5..f64::from(view.end) + 0.5, cycles.clone()),
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
    over(&mut plane, view)?;
    lines(&mut plane, view, size)
}

/// A number of the axis, for which there is room for four digits.
fn short(amount: f64) -> String {
    if amount >= 10_000.0 { format!("{}k", number(amount / 1000.0)) } else { number(amount) }
}

fn stack(plane: &mut Plane<'_, '_>, view: &TimelineView) -> Drawn {
    let mut sums = vec![0.0; view.cycles.len()];
    let mut layers: Vec<(&Band, Vec<f64>, Vec<f64>)> = Vec::new();
    for band in &view.bands {
        let below = sums.clone();
        sums.iter_mut().zip(&band.amounts).for_each(|(sum, amount)| *sum += amount);
        layers.push((band, below, sums.clone()));
    }
    for (band, _, top) in layers.iter().rev() {
        let area = AreaSeries::new(steps(view, top), 0.0, marks::solid(band.tone).area());
        plane.draw_series(area.border_style(Paint::from(Ink::Panel).line(1.0)))?;
    }
    // What is drawn over the areas leaves their names where they can be read.
    for (band, below, top) in &mut layers {
        if let Some(share) = &view.share {
            for (i, owed) in share.owed.iter().enumerate() {
                let held = share.held[i];
                if band.name == share.name {
                    top[i] -= share.borrowed[i];
                } else {
                    below[i] = below[i].max(held + owed).min(top[i]);
                }
            }
        }
        label(plane, view, band, below, top)?;
    }
    Ok(())
}

/// The band's name where the band is thick and long enough for it.
fn label(plane: &Plane<'_, '_>, view: &TimelineView, band: &Band, below: &[f64], top: &[f64]) -> Drawn {
    let (width, height) = plane.plotting_area().dim_in_pixel();
    let per_cycle = f64::from(width) / (f64::from(view.end) + 1.0);
    let thick = 150.0 / f64::from(height) * view.max;
    let name = &band.name;
    let wanted = f64::from(px(text_width(name, 12.5) + 8.0)) / per_cycle;
    let (mut best, mut run) = ((0.0, 0.0, 0.0), None::<(f64, f64, f64)>);
    for i in 0..view.cycles.len() {
        let from = f64::from(view.cycles[i]) - 0.5;
        let to = view.cycles.get(i + 1).map_or(f64::from(view.last) + 0.5, |next| f64::from(*next) - 0.5);
        let (low, high) = match run {
            Some((_, low, high)) => (below[i].max(low), top[i].min(high)),
            None => (below[i], top[i]),
        };
        if high - low >= thick {
            run = Some((run.map_or(from, |run| run.0), low, high));
        } else {
            run = (top[i] - below[i] >= thick).then_some((from, below[i], top[i]));
        }
        if let Some((start, low, high)) = run
            && to - start > best.0
        {
            best = (to - start, start, (low + high) / 2.0);
        }
    }
    let (length, start, middle) = best;
    if length < wanted {
        return Ok(());
    }
    let style = Paint::from(marks::on(band.tone)).trimmed(Trim::Bold).text(12.0, HPos::Center);
    plane.plotting_area().draw(&Text::new(name.clone(), (start + length / 2.0, middle), style))
}

fn lines(plane: &mut Plane<'_, '_>, view: &TimelineView, size: Size) -> Drawn {
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
    // Lines closer than a line of text share one caption.
    let near = 180.0 * view.max / f64::from(plane.plotting_area().dim_in_pixel().1);
    if let [(share, one), (capacity, other)] = &captions[..]
        && (share - capacity).abs() < near
    {
        captions = vec![(*capacity, format!("{one} · {other}"))];
    }
    captions.iter().try_for_each(|(y, text)| caption(plane, (edge, *y), text, view))
}

/// A caption at the right end of a line, above it if there is room.
fn caption(plane: &Plane<'_, '_>, at: (f64, f64), text: &str, view: &TimelineView) -> Drawn {
    let (width, height) = plane.plotting_area().dim_in_pixel();
    let (per_x, per_y) = ((f64::from(view.end) + 1.0) / f64::from(width), view.max / f64::from(height));
    let up = 100.0 * per_y;
    let y = if at.1 + up * 1.8 > view.max { at.1 - up } else { at.1 + up };
    let (w, h) = (f64::from(px(text_width(text, 12.0) + 8.0)) * per_x, f64::from(px(8.0)) * per_y);
    let ground = Paint::from(Ink::Panel).trimmed(Trim::Round).faint(0.86);
    plane.plotting_area().draw(&Rectangle::new([(at.0 - w, y + h), (at.0, y - h)], ground))?;
    let style = Paint::from(Ink::Ink).text(12.0, HPos::Right);
    let x = at.0 - f64::from(px(4.0)) * per_x;
    plane.plotting_area().draw(&Text::new(text.to_string(), (x, y), style))
}

fn draw_lane(area: &Area<'_>, marks: &[LaneMark], width: f64, middle: f64) -> Drawn {
    let top = middle - LANE / 2.0;
    let middle = px(middle);
    area.draw(&PathElement::new(
        vec![(px(LEFT), middle), (px(width - RIGHT), middle)],
        Paint::from(Ink::Line).line(1.0),
    ))?;
    for mark in marks {
        let at = (px(mark.x), middle);
        area.draw(&Circle::new(at, px(8.0) as u32, Paint::from(Ink::Panel).area()))?;
        shape(area, mark.kind, at, Ink::Ink)?;
        if mark.n > 1 {
            let text = if mark.n > 99 { "99+".into() } else { mark.n.to_string() };
            let style = Paint::from(Ink::Soft).trimmed(Trim::Halo).text(11.0, HPos::Left);
            area.draw(&Text::new(text, (at.0 + px(14.0), px(top + 6.5)), style))?;
        }
    }
    Ok(())
}

/// Draws the shape of an event; shapes are drawn, as glyphs differ between fonts.
pub fn shape(area: &Area<'_>, kind: Kind, at: (i32, i32), ink: Ink) -> Drawn {
    let paint = Paint::from(ink);
    let line = paint.trimmed(Trim::Smooth).line(1.8);
    let p = |dx: f64, dy: f64| (at.0 + px(dx), at.1 + px(dy));
    let path = |corners: Vec<(i32, i32)>| area.draw(&PathElement::new(corners, line));
    let solid = |corners: Vec<(i32, i32)>| area.draw(&Polygon::new(corners, paint.area()));
    match kind {
        Kind::Submitted => solid(vec![p(0.0, -5.0), p(5.2, 4.2), p(-5.2, 4.2)]),
        Kind::Started => area.draw(&Circle::new(at, px(4.6) as u32, paint.area())),
        Kind::Finished => area.draw(&Rectangle::new([p(-4.2, -4.2), p(4.2, 4.2)], paint.area())),
        Kind::Reclaimed => {
            path(vec![p(-4.2, -4.2), p(4.2, 4.2)])?;
            path(vec![p(4.2, -4.2), p(-4.2, 4.2)])
        }
        Kind::Preempted => solid(marks::diamond(at, 5.8).to_vec()),
        Kind::Moved => {
            path(vec![p(-5.0, -2.2), p(5.0, -2.2), p(2.6, -4.8)])?;
            path(vec![p(5.0, 2.2), p(-5.0, 2.2), p(-2.6, 4.8)])
        }
        Kind::Requeued => area.draw(&Circle::new(at, px(4.2) as u32, paint.line(1.8))),
        Kind::Changed => {
            path(vec![p(-4.8, 4.8), p(-3.6, 1.4), p(2.6, -4.8), p(4.8, -2.6), p(-1.4, 3.6), p(-4.8, 4.8)])
        }
        Kind::Node => {
            solid(vec![p(1.4, -6.0), p(-4.2, 1.0), p(-0.6, 1.0), p(-1.6, 6.0), p(4.2, -1.2), p(0.6, -1.2)])
        }
        Kind::Claimed => area
            .draw(&Rectangle::new([p(-4.2, -4.2), p(4.2, 4.2)], paint.trimmed(Trim::RoundDotted).line(2.0))),
    }
}

/// The shape of an event alone, 16 × 16 pixels, for lists and the legend.
pub fn event_icon(kind: Kind) -> String {
    let id = format!("event-{kind:?}").to_lowercase();
    picture(&id, Size { width: 16.0, height: 16.0 }, |area| shape(area, kind, (px(8.0), px(8.0)), Ink::Soft))
}
