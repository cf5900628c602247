//! Results of queues under one of several policies, as bars.

use fairground::words::number::number;
use plotters::element::{Rectangle, Text};

use super::view::Bars;
use crate::chart::backend::text_anchor::HPos;
use crate::chart::backend::{Size, fit, picture, px, text_width};
use crate::chart::marks;
use crate::chart::paint::{Ink, Paint, Trim};

/// Height of a queue's name and bar.
const ROW: f64 = 38.0;
/// Height of a bar.
const BAR: f64 = 14.0;

/// Draws the bars; `id` is unique on the page.
pub fn compared(view: &Bars, id: &str, width: f64) -> String {
    let size = Size { width, height: (view.bars.len() as f64 * ROW).max(1.0) };
    picture(id, size, |area| {
        for (at, bar) in view.bars.iter().enumerate() {
            let y = at as f64 * ROW;
            let value = number(bar.value);
            let bold = Paint::from(Ink::Ink).trimmed(Trim::Bold).text(12.0, HPos::Right);
            area.draw(&Text::new(value.clone(), (px(width), px(y + 9.0)), bold))?;
            if let Some(name) = fit(&bar.name, 12.0, width - text_width(&value, 12.0) - 8.0) {
                let soft = Paint::from(Ink::Soft).text(12.0, HPos::Left);
                area.draw(&Text::new(name, (0, px(y + 9.0)), soft))?;
            }
            let top = y + 18.0;
            let ground = [(0, px(top)), (px(width), px(top + BAR))];
            area.draw(&Rectangle::new(ground, Paint::from(Ink::Sunk).trimmed(Trim::Round).area()))?;
            let part = if view.max > 0.0 { (bar.value / view.max).clamp(0.0, 1.0) } else { 0.0 };
            if part > 0.0 {
                let filled = [(0, px(top)), (px(width * part), px(top + BAR))];
                area.draw(&Rectangle::new(filled, marks::solid(bar.tone).trimmed(Trim::Round).area()))?;
            }
        }
        Ok(())
    })
}
