//! Thumbnail of a scenario, for cards.

use plotters::element::{PathElement, Rectangle};

use super::view::{Sketch, SketchRow};
use crate::chart::backend::{Area, Drawn, Size, picture, px};
use crate::chart::marks;
use crate::chart::paint::{Ink, Paint};

/// Height of the picture.
const HEIGHT: f64 = 56.0;
/// Maximum height of a row.
const ROW: f64 = 20.0;

/// Draws a thumbnail.
pub fn sketch(id: &str, view: &Sketch, width: f64) -> String {
    picture(id, Size { width, height: HEIGHT }, |area| {
        let row = (HEIGHT / view.rows.len().max(1) as f64).min(ROW);
        let x = |value: f64| px(1.0 + value.min(view.max) / view.max * (width - 2.0));
        if view.capacity > 0.0 {
            let all = x(view.capacity);
            area.draw(&PathElement::new(vec![(all, 0), (all, px(HEIGHT))], Paint::from(Ink::Grid).line(1.0)))?;
        }
        view.rows.iter().enumerate().try_for_each(|(at, of)| draw(area, of, at as f64 * row, row, &x))
    })
}

fn draw(area: &Area<'_>, row: &SketchRow, top: f64, height: f64, x: &dyn Fn(f64) -> i32) -> Drawn {
    let (upper, lower) = (px(top + 3.0), px(top + height - 3.0));
    if row.asked > row.held {
        area.draw(&Rectangle::new([(x(0.0), upper), (x(row.asked), lower)], Paint::from(Ink::Strong).line(1.0)))?;
    }
    let ink = marks::ink(row.tone);
    if row.held > 0.0 {
        area.draw(&Rectangle::new([(x(0.0), upper), (x(row.held), lower)], Paint::from(ink).area()))?;
    } else {
        // Also shows the colour of queues without an allocation.
        area.draw(&Rectangle::new([(x(0.0), upper), (x(0.0) + px(3.0), lower)], Paint::from(ink).area()))?;
    }
    if let Some(quota) = row.quota {
        let tick = vec![(x(quota), px(top + 0.5)), (x(quota), px(top + height - 0.5))];
        area.draw(&PathElement::new(tick, Paint::from(Ink::Ink).line(2.0)))?;
    }
    Ok(())
}
