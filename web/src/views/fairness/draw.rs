//! A bar for each queue: what it was owed to the left of zero, what it borrowed to the right.

use plotters::element::{PathElement, Rectangle, Text};

use super::view::{BESIDE, Bar, FairnessView};
use crate::chart::backend::text_anchor::HPos;
use crate::chart::backend::{Area, Drawn, Size, fit, picture, px, text_width};
use crate::chart::marks;
use crate::chart::paint::{Fill, Ink, Paint, Trim};

/// Height of the captions.
const HEAD: f64 = 24.0;
/// Height of a row.
const ROW: f64 = 32.0;
/// Height of a bar.
const BAR: f64 = 16.0;
/// Width of a column of numbers.
const COLUMN: f64 = 76.0;
/// Room for the number at the end of a bar.
const NUMBER: f64 = 52.0;
/// Distance between parts.
const GAP: f64 = 8.0;
/// Below this width, only the first of the columns beside the bars is drawn.
const NARROW: f64 = 480.0;

/// Rectangle of a row: left, top, width, height in pixels.
pub fn place(at: usize, width: f64) -> [f64; 4] {
    [0.0, HEAD + at as f64 * ROW, width, ROW]
}

/// Draws all bars.
pub fn fairness(view: &FairnessView, width: f64) -> String {
    let size = Size { width, height: HEAD + ROW * view.bars.len() as f64 + 1.0 };
    let plane = Plane::new(view, width);
    picture("fairness", size, |area| {
        plane.captions(area, view)?;
        view.bars.iter().enumerate().try_for_each(|(at, bar)| plane.bar(area, view, bar, place(at, width)[1]))
    })
}

/// Layout of the picture in pixels.
struct Plane<'a> {
    /// Columns beside the bars.
    columns: &'a [usize],
    /// Right end of the names.
    names: f64,
    zero: f64,
    /// Pixels per resource-second.
    scale: f64,
    width: f64,
}

impl Plane<'_> {
    fn new(view: &FairnessView, width: f64) -> Plane<'static> {
        let columns = if width < NARROW { &BESIDE[..1] } else { &BESIDE[..] };
        let name = |bar: &Bar| indent(bar) + text_width(&bar.name, 14.0);
        let names = view.bars.iter().map(name).fold(0.0, f64::max).min(width * 0.25) + GAP;
        let (left, right) = (names + NUMBER, width - COLUMN * columns.len() as f64 - NUMBER);
        let most = |amount: fn(&Bar) -> f64| view.bars.iter().map(amount).fold(0.0, f64::max);
        let (owed, borrowed) = (most(|bar| bar.owed), most(|bar| bar.borrowed));
        let part = if owed + borrowed > 0.0 { (owed / (owed + borrowed)).clamp(0.2, 0.8) } else { 0.5 };
        let zero = left + (right - left).max(0.0) * part;
        let scale = ((zero - left) / owed.max(1e-9)).min((right - zero) / borrowed.max(1e-9)).max(0.0);
        Plane { columns, names, zero, scale, width }
    }

    fn right_of(&self, column: usize) -> f64 {
        self.width - COLUMN * (self.columns.len() - 1 - column) as f64
    }

    fn captions(&self, area: &Area<'_>, view: &FairnessView) -> Drawn {
        let caption = |text: &str, x: f64, anchor| {
            let text = text.split(", ").next().unwrap_or_default().to_string();
            area.draw(&Text::new(text, (px(x), px(HEAD / 2.0)), Paint::from(Ink::Dim).text(12.0, anchor)))
        };
        caption("owed", self.zero - GAP, HPos::Right)?;
        caption("borrowed", self.zero + GAP, HPos::Left)?;
        let mut columns = self.columns.iter().enumerate();
        columns.try_for_each(|(at, &column)| caption(&view.table.head[column], self.right_of(at), HPos::Right))
    }

    fn bar(&self, area: &Area<'_>, view: &FairnessView, bar: &Bar, top: f64) -> Drawn {
        let (middle, zero) = (px(top + ROW / 2.0), px(self.zero));
        let write = |text: &str, x: f64, paint: Paint, anchor| {
            area.draw(&Text::new(text.to_string(), (px(x), middle), paint.text(14.0, anchor)))
        };
        let line = vec![(px(0.0), px(top + ROW)), (px(self.width), px(top + ROW))];
        area.draw(&PathElement::new(line, Paint::from(Ink::Line).line(1.0)))?;
        if let Some(name) = fit(&bar.name, 14.0, self.names - GAP - indent(bar)) {
            write(&name, indent(bar), Paint::from(Ink::Ink).trimmed(Trim::Bold), HPos::Left)?;
        }
        let ink = Paint::from(marks::ink(bar.tone));
        let [owed, borrowed] = view.amounts(bar);
        for (amount, text, fill, to, anchor) in
            [(bar.owed, owed, Fill::Owed, -1.0, HPos::Right), (bar.borrowed, borrowed, Fill::Over, 1.0, HPos::Left)]
        {
            let end = self.zero + to * amount * self.scale;
            let [above, below] = [-BAR, BAR].map(|height| middle + px(height / 2.0));
            let corners = [(zero.min(px(end)), above), (zero.max(px(end)), below)];
            if amount > 0.0 {
                area.draw(&Rectangle::new(corners, ink.filled(fill).trimmed(Trim::Round).area()))?;
                area.draw(&Rectangle::new(corners, ink.trimmed(Trim::RoundEdge).line(2.0)))?;
                write(text, end + to * GAP, Paint::from(Ink::Ink), anchor)?;
            }
        }
        let axis = vec![(zero, px(top)), (zero, px(top + ROW))];
        area.draw(&PathElement::new(axis, Paint::from(Ink::Strong).line(1.5)))?;
        for (at, &column) in self.columns.iter().enumerate() {
            write(&view.table.rows[bar.row][column], self.right_of(at), Paint::from(Ink::Soft), HPos::Right)?;
        }
        Ok(())
    }
}

fn indent(bar: &Bar) -> f64 {
    f64::from(bar.depth) * 12.0
}
