//! Plotters backend that writes SVG. Colours stand for tokens of the stylesheet; it adds pattern fills, dashes and
//! rounded corners, and has a resolution of a tenth of a pixel.
//!
//! Charts draw with [`Paint`]s. Plotters' styles only have colours, so a paint is encoded as one and decoded to
//! `var(--q1)`, `url(#…)` and attributes when it is written ([`Svg`]). Text is measured with a built-in table, so that
//! charts are equal natively and in the browser.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::fmt::Write as _;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters_backend::{BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingErrorKind};

use crate::chart::paint::FINE;

/// Size of normal text, in pixels. Charts state their size in this unit, so that they scale with the page's text.
pub const REM: f64 = 16.0;

/// Width and height of a picture in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Size {
    pub width: f64,
    pub height: f64,
}

/// A drawing area of a picture.
pub type Area<'a> = DrawingArea<Svg<'a>, Shift>;
/// Result of drawing; drawing into text does not fail.
pub type Drawn = Result<(), DrawingAreaErrorKind<Infallible>>;

/// A position or length in steps.
pub fn px(pixels: f64) -> i32 {
    (pixels * FINE).round() as i32
}

use super::paint::{Fill, Paint, Trim};
use super::paint::{pattern, pattern_id};
pub use plotters::style::text_anchor;

/// Writes drawing operations as SVG elements.
pub struct Svg<'a>(&'a mut Sheet);

/// The written elements and their definitions.
struct Sheet {
    /// In steps.
    size: (u32, u32),
    /// Prefix of pattern ids, unique per picture on the page.
    id: String,
    body: String,
    patterns: BTreeSet<Paint>,
    /// Open path at the end that equal rectangles are appended to.
    mass: Option<Mass>,
}

/// Rectangles of one path.
struct Mass {
    paint: Paint,
    /// Width of the line; `None`: they are filled.
    line: Option<u32>,
    n: usize,
}

/// Largest number of rectangles of a path. Browsers draw a page in tiles, and each tile draws all of a path that reaches
/// into it.
pub const MASS_MAX: usize = 400;

/// What a paint is used for.
#[derive(Clone, Copy)]
enum Use {
    Fill,
    Stroke,
}

/// Result type of the trait; writing text does not fail.
type Written = Result<(), DrawingErrorKind<Infallible>>;

impl Sheet {
    /// Begins an element; `None` if it would be invisible.
    fn open(&mut self, name: &str, color: BackendColor) -> Option<Paint> {
        self.end_mass();
        (color.alpha > 0.0).then_some(())?;
        self.body.push('<');
        self.body.push_str(name);
        Some(Paint::of(color.rgb))
    }
    fn put(&mut self, key: &str, value: impl std::fmt::Display) {
        let _ = write!(self.body, r#" {key}="{value}""#);
    }
    fn opacity(&mut self, color: BackendColor) {
        if color.alpha < 1.0 {
            self.put("opacity", color.alpha);
        }
    }
    fn paint(&mut self, used: Use, paint: Paint) {
        let key = match used {
            Use::Fill => "fill",
            Use::Stroke => "stroke",
        };
        let value = value(paint, &self.id, &mut self.patterns);
        self.put(key, value);
        self.body.push_str(paint.attributes());
    }
    /// A filled shape, or a line of the given width.
    fn shape(&mut self, paint: Paint, line: Option<u32>) {
        match line {
            None => self.paint(Use::Fill, paint),
            Some(width) => {
                self.put("fill", "none");
                self.paint(Use::Stroke, paint);
                self.put("stroke-width", width);
            }
        }
    }
    fn points(&mut self, points: impl IntoIterator<Item = BackendCoord>) {
        self.body.push_str(" points=\"");
        for (n, (x, y)) in points.into_iter().enumerate() {
            let _ = write!(self.body, "{}{x},{y}", if n > 0 { " " } else { "" });
        }
        self.body.push('"');
    }
    fn close(&mut self) -> Written {
        self.body.push_str("/>");
        Ok(())
    }
    /// Appends a rectangle to the open path if that has the same paint.
    fn add_mass(&mut self, paint: Paint, line: Option<u32>, (x, y): BackendCoord, (w, h): (i32, i32)) -> Written {
        let open = self.mass.take_if(|mass| (mass.paint, mass.line) == (paint, line) && mass.n < MASS_MAX);
        let n = open.as_ref().map_or(0, |mass| mass.n);
        if open.is_none() {
            self.end_mass();
            self.body.push_str("<path");
            self.shape(paint, line);
            self.body.push_str(" d=\"");
        }
        self.mass = Some(Mass { paint, line, n: n + 1 });
        let _ = write!(self.body, "M{x},{y}h{w}v{h}h-{w}z");
        Ok(())
    }
    fn end_mass(&mut self) {
        if self.mass.take().is_some() {
            self.body.push_str("\"/>");
        }
    }
}

impl DrawingBackend for Svg<'_> {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        self.0.size
    }
    fn ensure_prepared(&mut self) -> Written {
        Ok(())
    }
    fn present(&mut self) -> Written {
        self.0.end_mass();
        Ok(())
    }
    /// Not supported: no chart draws pixels.
    fn draw_pixel(&mut self, _: BackendCoord, _: BackendColor) -> Written {
        Ok(())
    }
    fn draw_line<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S) -> Written {
        self.draw_path([from, to], style)
    }
    fn draw_rect<S: BackendStyle>(
        &mut self,
        (x, y): BackendCoord,
        (right, bottom): BackendCoord,
        style: &S,
        is_filled: bool,
    ) -> Written {
        let color = style.color();
        let paint = Paint::of(color.rgb);
        if paint.trim == Trim::Mass {
            let line = (!is_filled).then(|| style.stroke_width());
            return self.0.add_mass(paint, line, (x, y), (right - x, bottom - y));
        }
        let Some(paint) = self.0.open("rect", color) else { return Ok(()) };
        for (key, value) in [("x", x), ("y", y), ("width", right - x), ("height", bottom - y)] {
            self.0.put(key, value);
        }
        self.0.opacity(color);
        if is_filled {
            self.0.paint(Use::Fill, paint);
        } else {
            self.0.put("fill", "none");
            self.0.paint(Use::Stroke, paint);
        }
        self.0.close()
    }
    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, path: I, style: &S) -> Written {
        let Some(paint) = self.0.open("polyline", style.color()) else { return Ok(()) };
        self.0.put("fill", "none");
        self.0.opacity(style.color());
        self.0.paint(Use::Stroke, paint);
        self.0.put("stroke-width", style.stroke_width());
        self.0.points(path);
        self.0.close()
    }
    fn draw_circle<S: BackendStyle>(
        &mut self,
        (x, y): BackendCoord,
        radius: u32,
        style: &S,
        is_filled: bool,
    ) -> Written {
        let Some(paint) = self.0.open("circle", style.color()) else { return Ok(()) };
        self.0.put("cx", x);
        self.0.put("cy", y);
        self.0.put("r", radius);
        self.0.opacity(style.color());
        self.0.shape(paint, (!is_filled).then(|| style.stroke_width()));
        self.0.close()
    }
    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        corners: I,
        style: &S,
    ) -> Written {
        let Some(paint) = self.0.open("polygon", style.color()) else { return Ok(()) };
        self.0.opacity(style.color());
        self.0.paint(Use::Fill, paint);
        self.0.points(corners);
        self.0.close()
    }
    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, (x, y): BackendCoord) -> Written {
        let Some(paint) = self.0.open("text", style.color()) else { return Ok(()) };
        self.0.put("x", x);
        self.0.put("y", y);
        self.0.put(
            "dy",
            match style.anchor().v_pos {
                text_anchor::VPos::Top => ".76em",
                text_anchor::VPos::Center => ".35em",
                text_anchor::VPos::Bottom => "-.35em",
            },
        );
        match style.anchor().h_pos {
            text_anchor::HPos::Left => {}
            text_anchor::HPos::Right => self.0.put("text-anchor", "end"),
            text_anchor::HPos::Center => self.0.put("text-anchor", "middle"),
        }
        self.0.put("font-size", format_args!("{:.0}", style.size()));
        self.0.opacity(style.color());
        self.0.paint(Use::Fill, paint);
        self.0.body.push('>');
        self.0.body.push_str(&escaped(text));
        self.0.body.push_str("</text>");
        Ok(())
    }
    fn estimate_text_size<S: BackendTextStyle>(
        &self,
        text: &str,
        style: &S,
    ) -> Result<(u32, u32), DrawingErrorKind<Infallible>> {
        let size = style.size();
        Ok(((text_width(text, 1.0) * size).ceil() as u32, (size * 1.2).ceil() as u32))
    }
}

/// Width of a text at a font size, from a table that approximates common system fonts.
pub fn text_width(text: &str, size: f64) -> f64 {
    text.chars().map(advance).sum::<f64>() * size
}

fn advance(c: char) -> f64 {
    match c {
        'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | 'I' => 0.30,
        'f' | 'r' | 't' | '(' | ')' | '[' | ']' | '-' | '/' | ' ' | '"' => 0.38,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 0.92,
        'a'..='z' | '0'..='9' | '·' => 0.60,
        'A'..='Z' => 0.70,
        c if c.is_ascii() => 0.62,
        c if ('\u{1100}'..='\u{ffdc}').contains(&c) => 1.05,
        _ => 0.75,
    }
}

/// Truncates a text to a width, with an ellipsis; `None` if too little of it fits.
pub fn fit(text: &str, size: f64, width: f64) -> Option<String> {
    if text_width(text, size) <= width {
        return Some(text.to_string());
    }
    let mut cut = String::new();
    let mut used = text_width("…", size);
    for c in text.chars() {
        used += advance(c) * size;
        if used > width {
            break;
        }
        cut.push(c);
    }
    (cut.chars().count() >= 2).then(|| cut + "…")
}

/// Escapes text for the content of an element.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Draws a picture. `id` is the prefix of its pattern ids, unique on the page.
pub fn picture(id: &str, size: Size, draw: impl FnOnce(&Area<'_>) -> Drawn) -> String {
    let (w, h) = (size.width, size.height);
    let (vw, vh) = (px(w), px(h));
    let mut sheet = Sheet {
        size: (px(w.max(1.0)) as u32, px(h.max(1.0)) as u32),
        id: id.to_string(),
        body: String::new(),
        patterns: BTreeSet::new(),
        mass: None,
    };
    let area = Svg(&mut sheet).into_drawing_area();
    draw(&area).and_then(|()| area.present()).expect("writing text does not fail");
    drop(area);
    let mut svg = format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{}rem" height="{}rem" viewBox="0 0 {vw} {vh}" aria-hidden="true">"#,
        w / REM,
        h / REM,
    );
    if !sheet.patterns.is_empty() {
        svg.push_str("<defs>");
        for paint in &sheet.patterns {
            svg.push_str(&pattern(*paint, id));
        }
        svg.push_str("</defs>");
    }
    svg + &sheet.body + "</svg>"
}

fn value(paint: Paint, id: &str, patterns: &mut BTreeSet<Paint>) -> String {
    if paint.fill == Fill::Solid {
        return paint.ink.css();
    }
    let plain = Paint { trim: Trim::None, ..paint };
    patterns.insert(plain);
    format!("url(#{})", pattern_id(plain, id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::paint::Ink;

    #[test]
    fn codes_become_tokens_and_text_is_escaped() {
        let svg = picture("t", Size { width: 10.0, height: 5.0 }, |area| {
            area.draw(&Rectangle::new([(0, 0), (50, 20)], Paint::from(Ink::Hue(1, 2)).filled(Fill::Over).area()))?;
            let style = Paint::from(Ink::Soft).text(12.0, text_anchor::HPos::Left);
            area.draw(&Text::new("<b fill=\"#000000\">", (0, 0), style))
        });
        assert!(svg.contains(r#"fill="url(#t-over-6)""#), "{svg}");
        assert!(svg.contains("<pattern id=\"t-over-6\""), "{svg}");
        assert!(svg.contains("&lt;b fill=\"#000000\"&gt;"), "{svg}");
        assert!(svg.contains(r#"fill="var(--ink-2)""#) && svg.contains(r#"font-size="120""#), "{svg}");
        assert!(!svg.contains("style="), "{svg}");
    }

    #[test]
    fn masses_become_paths() {
        let svg = picture("t", Size { width: 10.0, height: 5.0 }, |area| {
            let style = Paint::from(Ink::Whole).trimmed(Trim::Mass).area();
            for x in 0..MASS_MAX as i32 + 1 {
                area.draw(&Rectangle::new([(x * 20, 0), (x * 20 + 10, 10)], style))?;
            }
            Ok(())
        });
        assert_eq!(svg.matches("<path").count(), 2, "{svg}");
        assert_eq!(svg.matches("<rect").count(), 0, "{svg}");
    }

    #[test]
    fn long_texts_are_cut() {
        assert_eq!(fit("abc", 10.0, 100.0).as_deref(), Some("abc"));
        assert_eq!(fit("abcdefghij", 10.0, 40.0).as_deref(), Some("abcd…"));
        assert_eq!(fit("abcdefghij", 10.0, 10.0), None);
    }
}
