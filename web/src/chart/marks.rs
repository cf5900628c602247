//! Marks shared by several charts and the legend, as plotters elements around a point.

use plotters::element::{PathElement, Polygon, Rectangle};

use super::backend::{Area, Drawn, Size, picture, px};
use super::paint::{Fill, Ink, Paint, Trim};
use super::queue_tree::Tone;

/// A mark of the chart, in the order of the legend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mark {
    /// Solid.
    Within,
    /// ╱
    Over,
    /// ╳
    Beyond,
    /// Darker base with a lock.
    Locked,
    /// Tick.
    Quota,
    /// Diamond.
    FairShare,
    /// Double wall.
    Limit,
    /// Arrow at the edge.
    NoLimit,
    /// Thin empty outline.
    Wants,
    /// Dotted outline.
    Claimed,
    /// Stripes.
    Leaving,
    /// 2 px outline.
    Changed,
    /// Dashed outline.
    Preview,
    /// Dashed outline.
    Before,
}

impl Mark {
    /// The mark for a baseline or a preview.
    pub fn of_alternative(was: bool) -> Mark {
        if was { Mark::Before } else { Mark::Preview }
    }

    /// Name in the legend.
    pub fn name(self) -> &'static str {
        match self {
            Mark::Within => "within quota",
            Mark::Over => "over quota",
            Mark::Beyond => "beyond fair share",
            Mark::Locked => "non-preemptible",
            Mark::Quota => "quota",
            Mark::FairShare => "fair share",
            Mark::Limit => "limit",
            Mark::NoLimit => "no limit",
            Mark::Wants => "requested",
            Mark::Claimed => "claimed",
            Mark::Leaving => "leaving",
            Mark::Changed => "changed now",
            Mark::Preview => "ghost",
            Mark::Before => "before",
        }
    }
}

/// The ink of a queue.
pub fn ink(tone: Tone) -> Ink {
    tone.hue.map_or(Ink::Whole, |hue| Ink::Hue(hue, tone.step))
}

/// Text colour on a queue's hue.
pub fn on(tone: Tone) -> Ink {
    tone.hue.map_or(Ink::OnWhole, |hue| Ink::On(hue, tone.step))
}

/// The solid paint of a queue.
pub fn solid(tone: Tone) -> Paint {
    Paint::from(ink(tone)).filled(if tone.dotted { Fill::Dotted } else { Fill::Solid })
}

/// The paint of a queue in a state: within its quota, beyond it, beyond its fair share.
pub fn of_state(tone: Tone, state: u8) -> Paint {
    match state {
        0 => solid(tone),
        1 => Paint::from(ink(tone)).filled(Fill::Over),
        _ => Paint::from(ink(tone)).filled(Fill::Beyond),
    }
}

/// Closed outline through the corners.
pub fn outline(corners: &[(i32, i32)]) -> Vec<(i32, i32)> {
    corners.iter().chain(corners.first()).copied().collect()
}

/// Corners of a diamond of the given radius around a point.
pub fn diamond(at: (i32, i32), radius: f64) -> [(i32, i32); 4] {
    let r = px(radius);
    [(at.0, at.1 - r), (at.0 + r, at.1), (at.0, at.1 + r), (at.0 - r, at.1)]
}

/// Distance from the centre of a fair-share diamond to its corners, in pixels.
pub const DIAMOND: f64 = 6.5;

/// Draws a fair-share diamond; hollow for a share of zero.
pub fn draw_diamond(area: &Area<'_>, at: (i32, i32), hollow: bool) -> Drawn {
    let corners = diamond(at, DIAMOND);
    if !hollow {
        area.draw(&Polygon::new(corners.to_vec(), Paint::from(Ink::Panel).area()))?;
    }
    area.draw(&PathElement::new(outline(&corners), Paint::from(Ink::Ink).line(1.6)))
}

/// Draws a small lock; `at` is its lower left corner.
pub fn draw_lock(area: &Area<'_>, at: (i32, i32), paint: Paint) -> Drawn {
    let (x, y) = at;
    let p = |dx: f64, dy: f64| (x + px(dx), y + px(dy));
    area.draw(&Rectangle::new([p(0.0, -4.6), p(6.4, 0.0)], paint.area()))?;
    let shackle = vec![p(1.3, -4.4), p(1.3, -6.6), p(2.2, -7.8), p(4.2, -7.8), p(5.1, -6.6), p(5.1, -4.4)];
    area.draw(&PathElement::new(shackle, paint.line(1.2)))
}

/// Draws the two walls of a limit at `x`, between `top` and `bottom`.
pub fn draw_walls(area: &Area<'_>, x: i32, top: i32, bottom: i32) -> Drawn {
    for dx in [0, px(3.5)] {
        area.draw(&PathElement::new(vec![(x + dx, top), (x + dx, bottom)], Paint::from(Ink::Ink).line(1.3)))?;
    }
    Ok(())
}

/// Draws the arrow for *no limit*.
pub fn draw_open(area: &Area<'_>, at: (i32, i32)) -> Drawn {
    let (x, y) = at;
    let r = px(3.5);
    let paint = Paint::from(Ink::Dim).trimmed(Trim::Smooth);
    area.draw(&PathElement::new(vec![(x - r, y - r), (x, y), (x - r, y + r)], paint.line(1.4)))
}

/// Legend key of a mark, 18 × 12 pixels.
pub fn key(mark: Mark) -> String {
    let id = format!("key-{mark:?}").to_lowercase();
    picture(&id, Size { width: 18.0, height: 12.0 }, |area| key_of(area, mark))
}

fn key_of(area: &Area<'_>, mark: Mark) -> Drawn {
    let full = [(0, 0), (px(18.0), px(12.0))];
    let inner = |by: f64| [(px(by), px(by)), (px(18.0 - by), px(12.0 - by))];
    let soft = Paint::from(Ink::Soft);
    let tick =
        |x: f64, width: f64| PathElement::new(vec![(px(x), 0), (px(x), px(12.0))], Paint::from(Ink::Ink).line(width));
    match mark {
        Mark::Within => area.draw(&Rectangle::new(full, soft.trimmed(Trim::Round).area())),
        Mark::Over => area.draw(&Rectangle::new(full, soft.filled(Fill::Over).area())),
        Mark::Beyond => area.draw(&Rectangle::new(full, soft.filled(Fill::Beyond).area())),
        Mark::Leaving => {
            area.draw(&Rectangle::new(full, soft.filled(Fill::Leaving).area()))?;
            area.draw(&Rectangle::new(inner(0.5), soft.trimmed(Trim::RoundHair).line(1.0)))
        }
        Mark::Locked => {
            area.draw(&Rectangle::new([(0, px(8.0)), (px(18.0), px(12.0))], soft.area()))?;
            draw_lock(area, (px(6.0), px(8.0)), soft)
        }
        Mark::Quota => area.draw(&tick(9.0, 2.0)),
        Mark::FairShare => {
            let corners = diamond((px(9.0), px(6.0)), 5.2);
            area.draw(&PathElement::new(outline(&corners), Paint::from(Ink::Ink).line(1.5)))
        }
        Mark::Limit => draw_walls(area, px(7.0), 0, px(12.0)),
        Mark::NoLimit => draw_open(area, (px(11.0), px(6.0))),
        Mark::Wants => {
            area.draw(&Rectangle::new(inner(0.5), Paint::from(Ink::Strong).trimmed(Trim::RoundHair).line(1.0)))
        }
        Mark::Claimed => area.draw(&Rectangle::new(inner(1.0), soft.trimmed(Trim::RoundDotted).line(2.0))),
        Mark::Changed => area.draw(&Rectangle::new(inner(1.0), Paint::from(Ink::Ink).trimmed(Trim::Changed).line(2.0))),
        Mark::Preview | Mark::Before => {
            area.draw(&Rectangle::new(inner(1.0), soft.trimmed(Trim::RoundDashed).line(1.5)))
        }
    }
}
