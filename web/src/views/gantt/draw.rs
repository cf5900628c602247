//! Gantt as a picture: rows of bars over cycles.

use fairground::words::number::number;
use plotters::element::{PathElement, Rectangle, Text};

use super::view::{AlternativeRow, Bar, GanttView, Line, Row};
use crate::chart::backend::text_anchor::HPos;
use crate::chart::backend::{Area, Drawn, Size, fit, picture, px, text_width};
use crate::chart::marks;
use crate::chart::paint::{Fill, Ink, Paint, Trim};
use crate::chart::scale::ticks;
use crate::views::timeline::draw::shape;

/// Height of a line.
pub const LINE: f64 = 24.0;
/// Height of the axis above the first line.
pub const HEAD: f64 = 24.0;
/// Right margin.
const RIGHT: f64 = 12.0;
/// Vertical centre and height of a bar in its line.
const BAR: Stand = Stand { middle: LINE / 2.0, height: 16.0 };
/// The same above an alternative.
const UPPER: Stand = Stand { middle: 7.0, height: 9.0 };
/// Height of a bar without the resource.
const THIN: f64 = 4.0;
/// The bar of an alternative.
const LOWER: Stand = Stand { middle: 17.5, height: 8.0 };

/// Vertical position of bars in a line.
#[derive(Clone, Copy)]
struct Stand {
    middle: f64,
    height: f64,
}

/// Horizontal positions of cycles.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Plan {
    pub width: f64,
    /// The last cycle of the scale.
    pub end: u32,
}

impl Plan {
    /// Width reserved for names.
    pub fn left(self) -> f64 {
        if self.width < 480.0 { 88.0 } else { 150.0 }
    }
    /// Left edge of a cycle.
    pub fn x(self, cycle: u32) -> f64 {
        let room = (self.width - self.left() - RIGHT).max(10.0);
        self.left() + f64::from(cycle.min(self.end + 1)) * room / (f64::from(self.end) + 1.0)
    }
    /// Centre of a cycle.
    pub fn middle(self, cycle: u32) -> f64 {
        (self.x(cycle) + self.x(cycle + 1)) / 2.0
    }
}

/// The height of the picture.
pub fn height(view: &GanttView) -> f64 {
    HEAD + LINE * view.lines.len() as f64 + 2.0
}

/// Draws Gantt, without the cursor.
pub fn gantt(view: &GanttView, width: f64) -> String {
    let plan = Plan { width, end: view.end };
    let size = Size { width, height: height(view) };
    picture("gantt", size, |area| {
        axis(area, view, plan, size.height)?;
        for (at, line) in view.lines.iter().enumerate() {
            let top = HEAD + LINE * at as f64;
            match line {
                Line::Queue(name, tone) => heading(area, name, marks::ink(*tone), plan, top)?,
                Line::Row(row) => draw_row(area, row, plan, top)?,
            }
        }
        Ok(())
    })
}

fn axis(area: &Area<'_>, view: &GanttView, plan: Plan, height: f64) -> Drawn {
    let most = ((plan.width - plan.left()) / 70.0).clamp(2.0, 14.0) as usize;
    for tick in ticks(f64::from(view.end), most).into_iter().filter(|tick| tick.fract() == 0.0) {
        let x = px(plan.x(tick as u32));
        let line = vec![(x, px(HEAD - 4.0)), (x, px(height))];
        area.draw(&PathElement::new(line, Paint::from(Ink::Grid).line(1.0)))?;
        let at = (px(plan.middle(tick as u32)), px(HEAD / 2.0 - 2.0));
        area.draw(&Text::new(number(tick), at, Paint::from(Ink::Dim).text(12.0, HPos::Center)))?;
    }
    Ok(())
}

fn heading(area: &Area<'_>, name: &str, ink: Ink, plan: Plan, top: f64) -> Drawn {
    let middle = top + LINE / 2.0 + 2.0;
    let swatch = [(0, px(middle - 5.0)), (px(10.0), px(middle + 5.0))];
    area.draw(&Rectangle::new(swatch, Paint::from(ink).trimmed(Trim::Round).area()))?;
    let text = fit(name, 12.0, plan.left() - 20.0).unwrap_or_default();
    let bold = Paint::from(Ink::Ink).trimmed(Trim::Bold);
    area.draw(&Text::new(text, (px(16.0), px(middle)), bold.text(12.0, HPos::Left)))?;
    let line = vec![(px(plan.left()), px(top + LINE - 1.0)), (px(plan.width), px(top + LINE - 1.0))];
    area.draw(&PathElement::new(line, Paint::from(Ink::Line).line(1.0)))
}

fn draw_row(area: &Area<'_>, row: &Row, plan: Plan, top: f64) -> Drawn {
    let middle = top + LINE / 2.0;
    if row.selected {
        let all = [(px(1.0), px(top + 1.0)), (px(plan.width - 1.0), px(top + LINE - 1.0))];
        area.draw(&Rectangle::new(all, Paint::from(Ink::Selected).trimmed(Trim::Changed).line(2.0)))?;
    }
    let text = fit(&row.name, 12.0, plan.left() - 24.0).unwrap_or_default();
    area.draw(&Text::new(text, (px(16.0), px(middle)), Paint::from(Ink::Soft).text(12.0, HPos::Left)))?;
    if let Some(alternative) = &row.alternative {
        draw_alternative(area, alternative, plan, top)?;
    }
    let stand = if row.alternative.is_some() { UPPER } else { BAR };
    let stand = if row.thin { Stand { height: THIN, ..stand } } else { stand };
    let middle = top + stand.middle;
    if let Some((from, to)) = row.known {
        let line = vec![(px(plan.x(from)), px(middle)), (px(plan.x(to)), px(middle))];
        area.draw(&PathElement::new(line, Paint::from(Ink::Dim).line(1.5)))?;
        for end in [Some(from), (!row.fate.is_empty()).then_some(to)].into_iter().flatten() {
            let bar = vec![(px(plan.x(end)), px(middle - 4.0)), (px(plan.x(end)), px(middle + 4.0))];
            area.draw(&PathElement::new(bar, Paint::from(Ink::Dim).line(1.5)))?;
        }
        fate(area, &row.fate, (plan.x(from), plan.x(to)), plan.width, middle)?;
    }
    row.bars.iter().try_for_each(|bar| draw_bar(area, bar, plan, Stand { middle, ..stand }))?;
    row.evictions.iter().try_for_each(|eviction| {
        let at = (px(plan.middle(eviction.cycle)), px(middle));
        area.draw(&plotters::element::Circle::new(at, px(7.5) as u32, Paint::from(Ink::Panel).area()))?;
        shape(area, eviction.kind, at, Ink::Ink)
    })
}

/// Draws the outcome of a job after the end of its line, or on it if there is no space.
fn fate(area: &Area<'_>, fate: &str, (from, to): (f64, f64), width: f64, middle: f64) -> Drawn {
    let room = text_width(fate, 12.0) + 6.0;
    let fits_behind = to + room < width;
    if fate.is_empty() || (!fits_behind && to - from < room) {
        return Ok(());
    }
    let (x, anchor) = if fits_behind { (to + 5.0, HPos::Left) } else { (to - 5.0, HPos::Right) };
    let style = Paint::from(Ink::Soft).trimmed(Trim::Halo).text(12.0, anchor);
    area.draw(&Text::new(fate.to_string(), (px(x), px(middle)), style))
}

/// Draws the alternative below the row: dashed while waiting, dashed outlines while running.
fn draw_alternative(area: &Area<'_>, alternative: &AlternativeRow, plan: Plan, top: f64) -> Drawn {
    let middle = top + LOWER.middle;
    if let Some((from, to)) = alternative.known {
        let line = vec![(px(plan.x(from)), px(middle)), (px(plan.x(to)), px(middle))];
        area.draw(&PathElement::new(line, Paint::from(Ink::Dim).trimmed(Trim::Dashed).line(1.0)))?;
    }
    alternative.bars.iter().try_for_each(|bar| {
        let [from, to] = [bar.from, bar.to].map(|cycle| plan.x(cycle));
        let (up, to) = (middle - LOWER.height / 2.0, (to - 0.5).max(from + 1.5));
        let at = [(px(from), px(up)), (px(to), px(up + LOWER.height))];
        area.draw(&Rectangle::new(at, Paint::from(Ink::Panel).trimmed(Trim::Round).area()))?;
        area.draw(&Rectangle::new(at, Paint::from(marks::ink(bar.tone)).trimmed(Trim::Round).faint(0.4)))?;
        area.draw(&Rectangle::new(at, Paint::from(Ink::Ink).trimmed(Trim::RoundDashed).line(1.5)))?;
        label(area, bar, (from, to), middle, (Ink::Ink, Trim::Halo))
    })
}

/// Draws a bar whose height is the fraction of running pods; lost work is on top, hatched.
fn draw_bar(area: &Area<'_>, bar: &Bar, plan: Plan, Stand { middle, height }: Stand) -> Drawn {
    let (x0, x1) = (plan.x(bar.from), plan.x(bar.to).max(plan.x(bar.from) + 1.5));
    let bottom = middle + height / 2.0;
    let part =
        |from: f64, to: f64| [(px(x0), px(bottom - height * to.min(1.0))), (px(x1 - 0.5), px(bottom - height * from))];
    let ground = part(0.0, bar.kept + bar.lost);
    area.draw(&Rectangle::new(ground, Paint::from(Ink::Panel).trimmed(Trim::Round).area()))?;
    if bar.kept > 0.0 {
        let paint = marks::solid(bar.tone).trimmed(Trim::Round);
        area.draw(&Rectangle::new(part(0.0, bar.kept), paint.area()))?;
    }
    if bar.lost > 0.0 {
        let lost = part(bar.kept, bar.kept + bar.lost);
        let ink = Paint::from(marks::ink(bar.tone));
        area.draw(&Rectangle::new(lost, ink.filled(Fill::Beyond).trimmed(Trim::Round).area()))?;
        area.draw(&Rectangle::new(lost, ink.trimmed(Trim::RoundHair).line(1.0)))?;
    }
    let look = if bar.kept > 0.0 { (marks::on(bar.tone), Trim::None) } else { (Ink::Ink, Trim::Halo) };
    label(area, bar, (x0, x1), middle, look)
}

/// Draws the holder's name if it fits.
fn label(area: &Area<'_>, bar: &Bar, (x0, x1): (f64, f64), middle: f64, (ink, trim): (Ink, Trim)) -> Drawn {
    // Truncated names are useless.
    if bar.label.is_empty() || text_width(&bar.label, 12.0) > x1 - x0 - 8.0 {
        return Ok(());
    }
    let text = bar.label.clone();
    let at = (px(x0 + 5.0), px(middle));
    area.draw(&Text::new(text, at, Paint::from(ink).trimmed(trim).text(12.0, HPos::Left)))
}

/// Legend keys: waiting, running, lost work, running without the resource; 18 × 12 pixels.
pub fn key(at: usize) -> String {
    let id = format!("key-gantt-{at}");
    picture(&id, Size { width: 18.0, height: 12.0 }, |area| {
        let full = [(0, px(1.0)), (px(18.0), px(11.0))];
        let soft = Paint::from(Ink::Soft).trimmed(Trim::Round);
        match at {
            0 => {
                let line = vec![(0, px(6.0)), (px(18.0), px(6.0))];
                area.draw(&PathElement::new(line, Paint::from(Ink::Dim).line(1.5)))
            }
            1 => area.draw(&Rectangle::new(full, soft.area())),
            3 => area.draw(&Rectangle::new([(0, px(4.0)), (px(18.0), px(8.0))], soft.area())),
            _ => {
                area.draw(&Rectangle::new(full, soft.filled(Fill::Beyond).area()))?;
                area.draw(&Rectangle::new(full, Paint::from(Ink::Soft).trimmed(Trim::RoundHair).line(1.0)))
            }
        }
    })
}
