//! Shares as a picture: one bullet bar per row, on one scale.

use fairground::units::ShownResource;
use fairground::words::number::number;
use plotters::coord::types::RangedCoordf64;
use plotters::element::{PathElement, Polygon, Rectangle, Text};
use plotters::prelude::{Cartesian2d, CoordTranslate};

use super::view::{ShareRow, SharesView};
use crate::chart::backend::text_anchor::HPos;
use crate::chart::backend::{Area, Drawn, Size, picture, px, text_width};
use crate::chart::marks::{self, draw_diamond, draw_lock, draw_walls, outline};
use crate::chart::paint::{Fill, Ink, Paint, Trim};
use crate::chart::scale;

/// Layout of the rows, determined by the page so that they align with the rows of SETUP.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rows {
    /// Width of the scale in pixels.
    pub width: f64,
    /// Height of the axis above the first row; 0: no axis.
    pub head: f64,
    /// Height of a row.
    pub row: f64,
}

impl Rows {
    /// Length of the scale in pixels.
    pub fn scale(self) -> f64 {
        (self.width - MARGIN).max(10.0)
    }

    /// Top of the bar in its row, and its height. Without an axis, names are above the bars.
    pub fn bar(self) -> (f64, f64) {
        if self.head <= 0.0 {
            let height = (self.row - 40.0).max(22.0);
            return ((self.row - height - 13.0).max(0.0), height);
        }
        let height = if self.row >= 48.0 { 30.0 } else { 22.0 };
        ((self.row - height) / 2.0, height)
    }
}

/// Right margin: space for marks at the end of the scale.
const MARGIN: f64 = 10.0;

/// Height of what is claimed below what is leaving.
const CLAIMED: f64 = 7.0;

/// Pixels per unit of the scale.
pub fn along(view: &SharesView, rows: Rows) -> f64 {
    rows.scale() / view.max
}

/// Draws Shares.
pub fn shares(view: &SharesView, rows: Rows) -> String {
    let size = Size { width: rows.width, height: rows.head + rows.row * view.rows.len() as f64 };
    picture("shares", size, |area| {
        let scale = Scale::new(view, size);
        if rows.head > 0.0 {
            axis(area, view, rows, &scale)?;
        }
        for (i, row) in view.rows.iter().enumerate() {
            let (top, height) = rows.bar();
            let y = rows.head + rows.row * i as f64 + top;
            bar(area, row, &Bar { scale: &scale, y, height })?;
        }
        Ok(())
    })
}

/// Coordinates of the picture: amounts to the right, pixels down.
struct Scale {
    plane: Cartesian2d<RangedCoordf64, RangedCoordf64>,
    max: f64,
}

impl Scale {
    fn new(view: &SharesView, size: Size) -> Scale {
        let right = px((size.width - MARGIN).max(10.0));
        let plane = Cartesian2d::new(0.0..view.max, 0.0..size.height, (0..right, 0..px(size.height)));
        Scale { plane, max: view.max }
    }
    fn x(&self, value: f64) -> i32 {
        self.plane.translate(&(value.clamp(0.0, self.max), 0.0)).0
    }
    fn cut(&self, value: f64) -> bool {
        value > self.max * 1.000_001
    }
}

fn axis(area: &Area<'_>, view: &SharesView, rows: Rows, scale: &Scale) -> Drawn {
    let y = px(rows.head - 12.0);
    let unit = &view.unit[usize::from(view.capacity != 1.0)];
    let is_part = view.resource == ShownResource::Dominant;
    let all = if is_part { "100 % = all".to_string() } else { format!("{} = all", number(view.capacity)) };
    let all = if !is_part && view.rows.len() < 5 && rows.width > 420.0 { format!("{all} {unit}") } else { all };
    let room = px(text_width(&all, 12.0) / 2.0 + 16.0);
    let at = scale.x(view.capacity);
    let most = (rows.width / 80.0).clamp(2.0, 8.0) as usize;
    for tick in scale::ticks(view.max, most) {
        let x = scale.x(tick);
        if (x - at).abs() < room && tick > 0.0 {
            continue;
        }
        let anchor = if tick == 0.0 { HPos::Left } else { HPos::Center };
        area.draw(&Text::new(number(tick), (x, y), Paint::from(Ink::Dim).text(12.0, anchor)))?;
    }
    let bottom = px(rows.head + rows.row * view.rows.len() as f64);
    area.draw(&PathElement::new(vec![(at, px(rows.head - 2.0)), (at, bottom)], Paint::from(Ink::Grid).line(1.0)))?;
    let end = px(rows.width);
    let (x, anchor) = if at + room > end { (end, HPos::Right) } else { (at, HPos::Center) };
    area.draw(&Text::new(all, (x, y), Paint::from(Ink::Soft).text(12.0, anchor)))
}

/// Where a bar is.
struct Bar<'a> {
    scale: &'a Scale,
    y: f64,
    height: f64,
}

impl Bar<'_> {
    fn rect(&self, from: f64, to: f64, inset: f64) -> [(i32, i32); 2] {
        let (x0, x1) = (self.scale.x(from), self.scale.x(to));
        let i = px(inset);
        [(x0 + i, px(self.y) + i), ((x1 - i).max(x0 + i), px(self.y + self.height) - i)]
    }
    fn visible(&self, from: f64, to: f64) -> bool {
        self.scale.x(to) > self.scale.x(from)
    }
    /// Position of the diamond of a fair share; at zero, its left corner is at 0.
    fn diamond(&self, share: f64) -> i32 {
        self.scale.x(share).max(px(marks::DIAMOND + 1.0))
    }
    fn middle(&self) -> i32 {
        px(self.y + self.height / 2.0)
    }
}

fn bar(area: &Area<'_>, row: &ShareRow, bar: &Bar<'_>) -> Drawn {
    wants(area, row, bar)?;
    unused(area, row, bar)?;
    holdings(area, row, bar)?;
    if let Some((allocated, share)) = row.alternative {
        alternative(area, allocated, share, bar)?;
    }
    if row.changed {
        let end = row.allocated + row.leaving.max(row.claimed);
        let [from, to] = bar.rect(0.0, end.max(bar.scale.max * 0.01), 0.0);
        let grown = [(from.0 - px(2.0), from.1 - px(2.0)), (to.0 + px(2.0), to.1 + px(2.0))];
        area.draw(&Rectangle::new(grown, Paint::from(Ink::Ink).trimmed(Trim::Changed).line(2.0)))?;
    }
    settings(area, row, bar)
}

/// The outline of the request, torn if it exceeds the scale.
fn wants(area: &Area<'_>, row: &ShareRow, bar: &Bar<'_>) -> Drawn {
    if row.request <= row.allocated || !bar.visible(0.0, row.request) {
        return Ok(());
    }
    let paint = Paint::from(Ink::Strong);
    if !bar.scale.cut(row.request) {
        let style = paint.trimmed(Trim::RoundHair).line(1.0);
        return area.draw(&Rectangle::new(bar.rect(0.0, row.request, 0.5), style));
    }
    let [(x0, y0), (x1, y1)] = bar.rect(0.0, bar.scale.max, 0.5);
    area.draw(&PathElement::new(vec![(x1, y0), (x0, y0), (x0, y1), (x1, y1)], paint.line(1.0)))?;
    let teeth = 4;
    let tear: Vec<(i32, i32)> = (0..=teeth * 2)
        .map(|i| (x1 + if i % 2 == 0 { 0 } else { px(4.0) }, y0 + (y1 - y0) * i / (teeth * 2)))
        .collect();
    area.draw(&PathElement::new(tear, paint.line(1.2)))
}

/// The slot of an unused quota, with its amount if that fits.
fn unused(area: &Area<'_>, row: &ShareRow, bar: &Bar<'_>) -> Drawn {
    let Some((from, to)) = row.unused().filter(|(from, to)| bar.visible(*from, *to)) else { return Ok(()) };
    let slot = bar.rect(from, to, 0.5);
    area.draw(&Rectangle::new(slot, Paint::from(Ink::Strong).trimmed(Trim::Slot).line(1.0)))?;
    let says = format!("{} unused", number(to - from));
    // The mark of a fair share stands where the slot begins.
    if px(text_width(&says, 12.0) + 4.0 * marks::DIAMOND) > slot[1].0 - slot[0].0 {
        return Ok(());
    }
    let at = ((slot[0].0 + slot[1].0) / 2, bar.middle());
    area.draw(&Text::new(says, at, Paint::from(Ink::Dim).text(12.0, HPos::Center)))
}

fn holdings(area: &Area<'_>, row: &ShareRow, bar: &Bar<'_>) -> Drawn {
    let solid = marks::solid(row.tone);
    let plain = Paint::from(marks::ink(row.tone));
    let (within, over) = row.steps();
    if bar.visible(0.0, within) {
        area.draw(&Rectangle::new(bar.rect(0.0, within, 0.0), solid.trimmed(Trim::Round).area()))?;
    }
    for (from, to, fill) in [(within, over, Fill::Over), (over, row.allocated, Fill::Beyond)] {
        if bar.visible(from, to) {
            area.draw(&Rectangle::new(bar.rect(from, to, 0.0), plain.filled(fill).trimmed(Trim::Round).area()))?;
            area.draw(&Rectangle::new(bar.rect(from, to, 1.0), plain.trimmed(Trim::RoundEdge).line(2.0)))?;
        }
    }
    let held = row.allocated + row.leaving;
    if bar.visible(row.allocated, held) {
        let fill = plain.filled(Fill::Leaving).trimmed(Trim::Round);
        area.draw(&Rectangle::new(bar.rect(row.allocated, held, 0.0), fill.area()))?;
        let edge = plain.trimmed(Trim::RoundHair);
        area.draw(&Rectangle::new(bar.rect(row.allocated, held, 0.5), edge.line(1.0)))?;
    }
    // What is claimed comes when what leaves has gone: both begin at the allocation.
    if bar.visible(row.allocated, row.allocated + row.claimed) {
        let mut claimed = bar.rect(row.allocated, row.allocated + row.claimed, 1.0);
        if row.leaving > 0.0 {
            let strip = [(claimed[0].0, claimed[1].1 - px(CLAIMED)), claimed[1]];
            area.draw(&Rectangle::new(strip, Paint::from(Ink::Panel).trimmed(Trim::Round).area()))?;
            claimed = strip;
        }
        area.draw(&Rectangle::new(claimed, plain.trimmed(Trim::RoundDotted).line(2.0)))?;
    }
    if row.queue.is_some() && bar.visible(0.0, row.locked) {
        let [(x0, _), (x1, y1)] = bar.rect(0.0, row.locked.min(row.allocated), 0.0);
        let base = [(x0, y1 - px(5.0)), (x1, y1)];
        area.draw(&Rectangle::new(base, Paint::from(Ink::Ink).trimmed(Trim::Round).faint(0.55)))?;
        if x1 - x0 > px(16.0) {
            draw_lock(area, (x0 + px(4.0), y1 - px(7.0)), Paint::from(marks::on(row.tone)))?;
        }
    }
    Ok(())
}

fn alternative(area: &Area<'_>, allocated: f64, share: Option<f64>, bar: &Bar<'_>) -> Drawn {
    let paint = Paint::from(Ink::Ink).trimmed(Trim::RoundDashed);
    let [from, to] = bar.rect(0.0, allocated, 0.0);
    let grown = [(from.0, from.1 - px(3.0)), (to.0.max(from.0 + px(2.0)), to.1 + px(3.0))];
    area.draw(&Rectangle::new(grown, paint.line(1.5)))?;
    let Some(share) = share else { return Ok(()) };
    let corners = marks::diamond((bar.diamond(share), bar.middle()), marks::DIAMOND);
    area.draw(&Polygon::new(corners.to_vec(), Paint::from(Ink::Panel).faint(0.4)))?;
    area.draw(&PathElement::new(outline(&corners), Paint::from(Ink::Ink).trimmed(Trim::RoundDashed).line(1.5)))
}

/// Quota, limit and fair share.
fn settings(area: &Area<'_>, row: &ShareRow, bar: &Bar<'_>) -> Drawn {
    let (top, bottom) = (px(bar.y - 4.0), px(bar.y + bar.height + 4.0));
    if let Some(quota) = row.quota {
        let x = bar.scale.x(quota).max(px(1.0));
        area.draw(&PathElement::new(vec![(x, top), (x, bottom)], Paint::from(Ink::Ink).line(2.0)))?;
        if quota.is_infinite() {
            let style = Paint::from(Ink::Soft).trimmed(Trim::Halo).text(12.0, HPos::Right);
            area.draw(&Text::new("∞", (x - px(4.0), px(bar.y + 4.0)), style))?;
        }
    }
    match row.limit {
        Some(limit) if !bar.scale.cut(limit) => {
            draw_walls(area, bar.scale.x(limit), top + px(1.0), bottom - px(1.0))?;
        }
        _ => {}
    }
    match row.fair_share {
        Some(share) if share.is_finite() => draw_diamond(area, (bar.diamond(share), bar.middle()), share <= 0.0),
        _ => Ok(()),
    }
}
