//! Tree as a picture: one row per level.

use plotters::element::{Rectangle, Text};

use super::view::{Block, TreeView, merge_narrow};
use crate::chart::backend::text_anchor::HPos;
use crate::chart::backend::{Drawn, Size, fit, picture, px};
use crate::chart::marks;
use crate::chart::paint::{Ink, Paint, Trim};

/// Height of a level.
pub const LEVEL: f64 = 40.0;

/// Rectangle of a block: left, top, width, height in pixels.
pub fn place(block: &Block, width: f64) -> (f64, f64, f64, f64) {
    (block.x * width, f64::from(block.depth) * LEVEL, (block.w * width - 2.0).max(0.0), LEVEL - 2.0)
}

/// Draws Tree.
pub fn tree(view: &TreeView, width: f64) -> String {
    let size = Size { width, height: f64::from(view.levels) * LEVEL };
    picture("tree", size, |area| {
        let blocks = merge_narrow(view, width);
        for block in &blocks {
            let (x, y, w, h) = place(block, width);
            if w < 1.0 && !block.on_path {
                continue;
            }
            let w = w.max(1.0);
            let at = [(px(x), px(y)), (px(x + w), px(y + h))];
            let paint = marks::solid(block.tone).trimmed(Trim::Round);
            area.draw(&Rectangle::new(at, paint.area()))?;
            if block.on_path {
                let inner = [(px(x + 1.0), px(y + 1.0)), (px(x + w - 1.0), px(y + h - 1.0))];
                area.draw(&Rectangle::new(inner, Paint::from(Ink::Selected).trimmed(Trim::Changed).line(2.0)))?;
            }
            label(area, block, x, y, w)?;
        }
        blocks.iter().try_for_each(|block| alternative(area, block, width))
    })
}

/// The dashed outline of a queue's width in the alternative.
fn alternative(area: &crate::chart::backend::Area<'_>, block: &Block, width: f64) -> Drawn {
    let Some((x, w)) = block.alternative else { return Ok(()) };
    let (x, y, w, h) = place(&Block { x, w, ..block.clone() }, width);
    let at = |by: f64| [(px(x + by), px(y + by)), (px((x + w - by).max(x + by + 2.0)), px(y + h - by))];
    area.draw(&Rectangle::new(at(2.0), Paint::from(Ink::Panel).trimmed(Trim::RoundHair).line(1.0)))?;
    area.draw(&Rectangle::new(at(2.0), Paint::from(Ink::Ink).trimmed(Trim::RoundDashed).line(1.5)))
}

fn label(area: &crate::chart::backend::Area<'_>, block: &Block, x: f64, y: f64, w: f64) -> Drawn {
    let ink = marks::on(block.tone);
    let middle = px(x + w / 2.0);
    let is_whole = |text: &String| fit(text, 12.0, w - 8.0).is_some_and(|fitted| fitted == *text);
    let name = Some(block.long_name.clone()).filter(is_whole).or_else(|| fit(&block.name, 12.0, w - 8.0));
    let Some(name) = name else { return Ok(()) };
    let bold = Paint::from(ink).trimmed(Trim::Bold);
    area.draw(&Text::new(name, (middle, px(y + 13.0)), bold.text(12.0, HPos::Center)))?;
    if block.is_fence {
        // A fence: priorities from below end at its lower edge.
        let at = [(px(x), px(y + LEVEL - 4.5)), (px(x + w), px(y + LEVEL - 2.0))];
        area.draw(&Rectangle::new(at, Paint::from(ink).area()))?;
    }
    let [long, short] = &block.label;
    let has = if is_whole(long) { long.clone() } else { short.clone() };
    area.draw(&Text::new(has, (middle, px(y + 28.0)), Paint::from(ink).text(12.0, HPos::Center)))
}
