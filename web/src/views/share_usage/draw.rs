//! The consumers of a pool as bars: share usage, the demand as an outline, the share usage quota as a mark.

use plotters::element::{PathElement, Rectangle, Text};

use super::view::UsageBar;
use crate::chart::backend::text_anchor::HPos;
use crate::chart::backend::{Area, Drawn, Size, fit, picture, px, text_width};
use crate::chart::marks::{self, DIAMOND};
use crate::chart::paint::{Ink, Paint, Trim};

/// Height of a row.
const ROW: f64 = 28.0;
/// Height of a bar.
const BAR: f64 = 14.0;
/// Indentation of a level.
const INDENT: f64 = 12.0;
const GAP: f64 = 10.0;

/// Draws all consumers; the scale ends at the whole pool.
pub fn usage(bars: &[UsageBar], width: f64) -> String {
    let widest = |of: &dyn Fn(&UsageBar) -> f64| bars.iter().map(of).fold(0.0, f64::max);
    let names = widest(&|bar| f64::from(bar.depth) * INDENT + text_width(&bar.name, 14.0)).min(width * 0.3);
    let left = names + GAP + DIAMOND;
    let right = width - widest(&|bar| text_width(&bar.text, 14.0)) - GAP - DIAMOND;
    let size = Size { width, height: ROW * bars.len() as f64 };
    picture("share-usage", size, |area| {
        let draw = |(at, bar)| row(area, bar, (at as f64 + 0.5) * ROW, [left, right.max(left + 1.0), width]);
        bars.iter().enumerate().try_for_each(draw)
    })
}

fn row(area: &Area<'_>, bar: &UsageBar, y: f64, [left, right, width]: [f64; 3]) -> Drawn {
    let x = |share: f64| px(left + (right - left) * share.clamp(0.0, 1.0));
    let indent = f64::from(bar.depth) * INDENT;
    if let Some(name) = fit(&bar.name, 14.0, left - GAP - indent) {
        let style = Paint::from(Ink::Ink).trimmed(Trim::Bold).text(14.0, HPos::Left);
        area.draw(&Text::new(name, (px(indent), px(y)), style))?;
    }
    let between = |from: f64, to: f64| [(x(from), px(y - BAR / 2.0)), (x(to), px(y + BAR / 2.0))];
    let outline = Paint::from(Ink::Strong).trimmed(Trim::RoundHair).line(1.0);
    area.draw(&Rectangle::new(between(0.0, bar.demand), outline))?;
    area.draw(&Rectangle::new(between(0.0, bar.usage), marks::solid(bar.tone).trimmed(Trim::Round).area()))?;
    area.draw(&PathElement::new(
        vec![(x(0.0), px(y - ROW / 2.0)), (x(0.0), px(y + ROW / 2.0))],
        Paint::from(Ink::Grid).line(1.0),
    ))?;
    marks::draw_diamond(area, (x(bar.quota), px(y)), bar.quota == 0.0)?;
    let style = Paint::from(Ink::Soft).text(14.0, HPos::Right);
    area.draw(&Text::new(bar.text.clone(), (px(width), px(y)), style))
}
