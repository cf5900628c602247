//! One small timeline per queue, as one picture.

use plotters::element::{PathElement, Polygon, Rectangle, Text};

use super::view::{Tile, TrendStep, TrendsView};
use crate::chart::backend::text_anchor::HPos;
use crate::chart::backend::{Area, Drawn, Size, fit, picture, px, text_width};
use crate::chart::marks;
use crate::chart::paint::{Ink, Paint, Trim};

/// Minimum width of a tile.
const LEAST: f64 = 168.0;
/// Maximum width of a tile.
const MOST: f64 = 320.0;
/// Height of a tile with its name.
pub const HEIGHT: f64 = 92.0;
/// Height of the name.
const NAME: f64 = 22.0;
/// Distance of a tile's outline, including its line.
const AROUND: f64 = 5.0;
/// Height of the strip of states.
const STRIP: f64 = 9.0;
/// Gap between tiles.
const GAP: f64 = 14.0;

/// Rectangle of a tile: left, top, width, height in pixels.
pub fn place(at: usize, width: f64) -> [f64; 4] {
    // Leaves space for the outline of the selected tile.
    let width = width - 2.0 * AROUND;
    let n = ((width + GAP) / (LEAST + GAP)).floor().max(1.0);
    let w = ((width - GAP * (n - 1.0)) / n).clamp(60.0, MOST);
    let (column, row) = (at % n as usize, at / n as usize);
    [AROUND + column as f64 * (w + GAP), row as f64 * (HEIGHT + GAP), w, HEIGHT]
}

/// Draws all tiles.
pub fn trends(view: &TrendsView, width: f64) -> String {
    let last = place(view.tiles.len().saturating_sub(1), width);
    let size = Size { width, height: last[1] + HEIGHT + 2.0 };
    picture("queues", size, |area| {
        view.tiles.iter().enumerate().try_for_each(|(at, tile)| draw(area, view, tile, place(at, width)))
    })
}

fn draw(area: &Area<'_>, view: &TrendsView, tile: &Tile, [x, y, w, h]: [f64; 4]) -> Drawn {
    if tile.selected {
        let out = AROUND - 1.0;
        let all = [(px(x - out), px(y)), (px(x + w + out), px(y + h + 2.0))];
        area.draw(&Rectangle::new(all, Paint::from(Ink::Selected).trimmed(Trim::Changed).line(2.0)))?;
    }
    let has = Paint::from(Ink::Soft).text(12.0, HPos::Right);
    area.draw(&Text::new(tile.has.clone(), (px(x + w), px(y + NAME / 2.0)), has))?;
    let indent = (f64::from(tile.depth) * 8.0).min(w / 4.0);
    let room = w - text_width(&tile.has, 12.0) - indent - 8.0;
    let bold = Paint::from(Ink::Ink).trimmed(Trim::Bold).text(12.0, HPos::Left);
    if let Some(name) = fit(&tile.name, 12.0, room) {
        area.draw(&Text::new(name, (px(x + indent), px(y + NAME / 2.0)), bold))?;
    }
    let plane = Plane { x, w, top: y + NAME, bottom: y + h, view };
    let ground = [(px(x), px(plane.top)), (px(x + w), px(plane.bottom))];
    area.draw(&Rectangle::new(ground, Paint::from(Ink::Sunk).area()))?;
    plane.areas(area, tile)?;
    plane.states(area, tile)?;
    let base = vec![(px(x), px(plane.bottom)), (px(x + w), px(plane.bottom))];
    area.draw(&PathElement::new(base, Paint::from(Ink::Strong).line(1.0)))?;
    let now = px((plane.x(view.cycle) + plane.x(view.cycle + 1)) / 2.0);
    let cursor = vec![(now, px(plane.top)), (now, px(plane.bottom))];
    area.draw(&PathElement::new(cursor, Paint::from(Ink::Ink).line(1.5)))
}

struct Plane<'a> {
    x: f64,
    w: f64,
    top: f64,
    bottom: f64,
    view: &'a TrendsView,
}

impl Plane<'_> {
    fn x(&self, cycle: u32) -> f64 {
        self.x + f64::from(cycle.min(self.view.end + 1)) * self.w / (f64::from(self.view.end) + 1.0)
    }
    fn y(&self, amount: f64) -> f64 {
        self.bottom - (amount / self.view.max).min(1.0) * (self.bottom - self.top - 2.0)
    }

    /// Corners of a step line up to the end of a cycle; empty if there is nothing to draw.
    fn steps(&self, steps: &[TrendStep], last: u32, of: impl Fn(&TrendStep) -> Option<f64>) -> Vec<(i32, i32)> {
        let mut corners = Vec::with_capacity(steps.len() * 2);
        for (at, step) in steps.iter().enumerate() {
            let Some(amount) = of(step) else { continue };
            let to = steps.get(at + 1).map_or(last + 1, |next| next.cycle);
            corners.push((px(self.x(step.cycle)), px(self.y(amount))));
            corners.push((px(self.x(to)), px(self.y(amount))));
        }
        corners
    }

    /// A strip along the bottom with the fills of Shares where the queue exceeds its quota or fair share.
    fn states(&self, area: &Area<'_>, tile: &Tile) -> Drawn {
        for (at, step) in tile.steps.iter().enumerate() {
            let Some((state @ 1.., _)) = step.state else { continue };
            let to = tile.steps.get(at + 1).map_or(self.view.last + 1, |next| next.cycle);
            let strip = [(px(self.x(step.cycle)), px(self.bottom - STRIP)), (px(self.x(to)), px(self.bottom))];
            area.draw(&Rectangle::new(strip, Paint::from(Ink::Panel).area()))?;
            area.draw(&Rectangle::new(strip, marks::of_state(tile.tone, state).area()))?;
        }
        Ok(())
    }

    fn areas(&self, area: &Area<'_>, tile: &Tile) -> Drawn {
        let own = |of: &dyn Fn(&TrendStep) -> Option<f64>| self.steps(&tile.steps, self.view.last, of);
        let wants = own(&|step| Some(step.wants));
        if tile.steps.iter().any(|step| step.wants > step.held) {
            area.draw(&PathElement::new(wants, Paint::from(Ink::Strong).line(1.0)))?;
        }
        let mut held = own(&|step| Some(step.held));
        if let (Some(first), Some(last)) = (held.first().copied(), held.last().copied()) {
            held.extend([(last.0, px(self.bottom)), (first.0, px(self.bottom))]);
            area.draw(&Polygon::new(held, marks::solid(tile.tone).area()))?;
        }
        let share = own(&|step| step.share.filter(|share| share.is_finite()));
        area.draw(&PathElement::new(share.clone(), Paint::from(Ink::Panel).line(3.0)))?;
        area.draw(&PathElement::new(share, Paint::from(Ink::Ink).trimmed(Trim::Dashed).line(1.5)))?;
        let Some((last, _)) = self.view.alternative.filter(|_| !tile.alternative.is_empty()) else {
            return Ok(());
        };
        let alternative = self.steps(&tile.alternative, last.max(self.view.last), |step| Some(step.held));
        area.draw(&PathElement::new(alternative.clone(), Paint::from(Ink::Panel).line(3.5)))?;
        area.draw(&PathElement::new(alternative, Paint::from(Ink::Soft).trimmed(Trim::Dashed).line(1.4)))
    }
}

/// Legend keys: allocated, requested, fair share; 18 × 12 pixels.
pub fn key(at: usize) -> String {
    let id = format!("key-queues-{at}");
    picture(&id, Size { width: 18.0, height: 12.0 }, |area| {
        let line = vec![(0, px(6.0)), (px(18.0), px(6.0))];
        match at {
            0 => {
                let full = [(0, px(1.0)), (px(18.0), px(11.0))];
                area.draw(&Rectangle::new(full, Paint::from(Ink::Soft).area()))
            }
            1 => area.draw(&PathElement::new(line, Paint::from(Ink::Strong).line(1.5))),
            _ => area.draw(&PathElement::new(line, Paint::from(Ink::Ink).trimmed(Trim::Dashed).line(1.5))),
        }
    })
}
