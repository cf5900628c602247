//! Priorities on their way up the tree: the highest below a queue, its offset, and what its parent sees. A fence is a
//! wall, which only the offset passes.

use plotters::element::{PathElement, Rectangle, Text};

use super::view::PriorityFlow;
use crate::chart::backend::text_anchor::HPos;
use crate::chart::backend::{Area, Drawn, Size, fit, picture, px, text_width};
use crate::chart::marks::draw_walls;
use crate::chart::paint::{Ink, Paint, Trim};

/// Height of a row.
const ROW: f64 = 30.0;
/// Height of a number's box.
const BOX: f64 = 20.0;
/// Indentation of a name's level.
const INDENT: f64 = 12.0;
/// Width of a level: with less there is no room for offsets and fences.
const LEVEL: [f64; 2] = [120.0, 190.0];
/// Maximum width of a number's box.
const NUMBER_MAX: f64 = 50.0;
const GAP: f64 = 10.0;

/// Draws all queues, the top level on the left; empty if the levels do not fit beside each other.
pub fn priorities(flows: &[PriorityFlow], width: f64) -> String {
    let name = |flow: &PriorityFlow| f64::from(flow.depth) * INDENT + text_width(&flow.name, 14.0);
    let names = flows.iter().map(name).fold(0.0, f64::max).min(width * 0.25) + GAP;
    let levels = flows.iter().map(|flow| flow.depth + 1).max().unwrap_or(1);
    let level = ((width - names - 1.0) / f64::from(levels)).min(LEVEL[1]);
    if level < LEVEL[0] {
        return String::new();
    }
    let plane = Plane { names, level, number: (level * 0.4).min(NUMBER_MAX) };
    let size = Size { width, height: ROW * flows.len() as f64 };
    picture("priorities", size, |area| {
        // The thick lines are on top.
        for is_highest in [false, true] {
            let mut ways = flows.iter().enumerate().filter(|(_, flow)| flow.is_highest == is_highest);
            ways.try_for_each(|(at, flow)| plane.way_up(area, flow, at))?;
        }
        flows.iter().enumerate().try_for_each(|(at, flow)| plane.queue(area, flow, y_of(at)))
    })
}

/// Middle of a row.
fn y_of(at: usize) -> f64 {
    (at as f64 + 0.5) * ROW
}

struct Plane {
    /// Width of the names.
    names: f64,
    /// Width of a level of the tree.
    level: f64,
    /// Width of a number's box.
    number: f64,
}

impl Plane {
    /// Middle of the box with the number that the parent sees.
    fn seen(&self, flow: &PriorityFlow) -> f64 {
        self.names + self.level * f64::from(flow.depth) + self.number / 2.0 + GAP
    }

    /// Middle of the box with the highest number below.
    fn below(&self, flow: &PriorityFlow) -> f64 {
        self.names + self.level * f64::from(flow.depth + 1) - self.number / 2.0
    }

    /// The line from the queue up to its parent.
    fn way_up(&self, area: &Area<'_>, flow: &PriorityFlow, at: usize) -> Drawn {
        let Some(parent) = flow.parent else { return Ok(()) };
        let (ink, width) = if flow.is_highest { (Ink::Ink, 2.5) } else { (Ink::Line, 1.0) };
        // The parent's box is left of the child's.
        let up = self.seen(flow) - self.number - GAP;
        let corners = [(self.seen(flow), y_of(at)), (up, y_of(at)), (up, y_of(parent))].map(|(x, y)| (px(x), px(y)));
        area.draw(&PathElement::new(corners.to_vec(), Paint::from(ink).line(width)))
    }

    fn queue(&self, area: &Area<'_>, flow: &PriorityFlow, y: f64) -> Drawn {
        let indent = f64::from(flow.depth) * INDENT;
        if let Some(name) = fit(&flow.name, 14.0, self.names - GAP - indent) {
            let style = Paint::from(Ink::Ink).trimmed(Trim::Bold).text(14.0, HPos::Left);
            area.draw(&Text::new(name, (px(indent), px(y)), style))?;
        }
        let (seen, below) = (self.seen(flow), self.below(flow));
        let numbers = flow.numbers;
        let line = vec![(px(seen), px(y)), (px(below), px(y))];
        let passes = if numbers.fence { Ink::Line } else { Ink::Strong };
        area.draw(&PathElement::new(line, Paint::from(passes).line(1.5)))?;
        let side = self.number / 2.0;
        let wall = below - side - GAP;
        if numbers.fence {
            draw_walls(area, px(wall), px(y - BOX / 2.0), px(y + BOX / 2.0))?;
        }
        if numbers.offset != 0 {
            let sign = if numbers.offset < 0 { "−" } else { "+" };
            let text = format!("{sign}{}", numbers.offset.unsigned_abs());
            let end = if numbers.fence { wall } else { below - side };
            let style = Paint::from(Ink::Ink).trimmed(Trim::Halo).text(12.0, HPos::Center);
            area.draw(&Text::new(text, (px((seen + side + end) / 2.0), px(y - 8.0)), style))?;
        }
        self.number(area, numbers.raw, (below, y), Ink::Soft)?;
        self.number(area, numbers.effective, (seen, y), Ink::Ink)
    }

    /// A number in its box; *n/a* if there is none.
    fn number(&self, area: &Area<'_>, number: Option<i32>, (x, y): (f64, f64), ink: Ink) -> Drawn {
        let side = self.number / 2.0;
        let corners = [(px(x - side), px(y - BOX / 2.0)), (px(x + side), px(y + BOX / 2.0))];
        area.draw(&Rectangle::new(corners, Paint::from(Ink::Panel).area()))?;
        area.draw(&Rectangle::new(corners, Paint::from(Ink::Strong).trimmed(Trim::RoundHair).line(1.0)))?;
        let text = number.map_or("n/a".to_string(), |number| number.to_string());
        area.draw(&Text::new(text, (px(x), px(y)), Paint::from(ink).text(12.0, HPos::Center)))
    }
}
