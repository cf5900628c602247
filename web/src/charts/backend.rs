//! The one way from plotters to the page: a backend that writes SVG, in which colours stand for tokens of the
//! stylesheet, with pattern fills, dashes and corners, and with a resolution of a tenth of a pixel.
//!
//! Charts draw with [`Paint`]s. A paint is encoded as a colour on its way through plotters, whose styles know no more,
//! and becomes `var(--q1)`, `url(#…)` and attributes when it is written ([`Svg`]). Text is measured with a table of our
//! own, so that pictures are equal natively and in the browser. This is the only file with literal colours; they are
//! codes, not colours.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::fmt::Write as _;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::ShapeStyle;
use plotters_backend::{BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingErrorKind};

/// Steps per pixel.
const FINE: f64 = 10.0;

/// Width and height of a picture in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Size {
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

/// A drawing area of a picture.
pub type Area<'a> = DrawingArea<Svg<'a>, Shift>;
/// What drawing gives; drawing into text does not fail.
pub type Drawn = Result<(), DrawingAreaErrorKind<Infallible>>;

/// A position or length in steps.
pub fn px(pixels: f64) -> i32 {
    (pixels * FINE).round() as i32
}

/// Which token colours a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ink {
    /// A queue's hue (0 to 7) and step (0 to 3).
    Hue(u8, u8),
    /// The text colour on that hue and step.
    On(u8, u8),
    /// Text and lines.
    Ink,
    /// Secondary text.
    Soft,
    /// Captions.
    Dim,
    /// Hairlines.
    Line,
    /// Borders of things.
    Strong,
    /// Grid lines.
    Grid,
    /// The ground of a panel.
    Panel,
    /// The ground of a card.
    Raised,
    /// An empty place.
    Sunk,
    /// The cluster as a whole.
    Whole,
    /// Text on it.
    OnWhole,
    /// The outline of the selection.
    Selected,
}

const PLAIN: [Ink; 12] = [
    Ink::Ink,
    Ink::Soft,
    Ink::Dim,
    Ink::Line,
    Ink::Strong,
    Ink::Grid,
    Ink::Panel,
    Ink::Raised,
    Ink::Sunk,
    Ink::Whole,
    Ink::OnWhole,
    Ink::Selected,
];

impl Ink {
    fn code(self) -> u8 {
        match self {
            Ink::Hue(hue, step) => hue % 8 * 4 + step % 4,
            Ink::On(hue, step) => 32 + hue % 8 * 4 + step % 4,
            plain => 64 + PLAIN.iter().position(|ink| *ink == plain).unwrap_or(0) as u8,
        }
    }

    fn of(code: u8) -> Ink {
        match code {
            0..32 => Ink::Hue(code / 4, code % 4),
            32..64 => Ink::On((code - 32) / 4, code % 4),
            _ => PLAIN[usize::from(code - 64).min(PLAIN.len() - 1)],
        }
    }

    /// The token, such as `var(--q1a)`.
    pub fn css(self) -> String {
        let step = |step: u8| ["", "a", "b", "c"][usize::from(step % 4)];
        match self {
            Ink::Hue(hue, s) => format!("var(--q{}{})", hue + 1, step(s)),
            Ink::On(hue, s) => format!("var(--q{}{}-on)", hue + 1, step(s)),
            Ink::Ink => "var(--ink)".into(),
            Ink::Soft => "var(--ink-2)".into(),
            Ink::Dim => "var(--ink-3)".into(),
            Ink::Line => "var(--line)".into(),
            Ink::Strong => "var(--line-strong)".into(),
            Ink::Grid => "var(--grid)".into(),
            Ink::Panel => "var(--panel)".into(),
            Ink::Raised => "var(--raised)".into(),
            Ink::Sunk => "var(--sunk)".into(),
            Ink::Whole => "var(--whole)".into(),
            Ink::OnWhole => "var(--whole-on)".into(),
            Ink::Selected => "var(--sel-line)".into(),
        }
    }
}

/// How an area is filled: state is shape, not colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fill {
    /// Solid.
    #[default]
    Solid,
    /// Hatched ╱: beyond the quota.
    Over,
    /// Hatched ╳: beyond the entitlement.
    Beyond,
    /// Thin stripes ╲: told to go.
    Leaving,
    /// Fine cross-hatch: does not take part.
    Down,
    /// Solid with dots: a hue that repeats.
    Dotted,
    /// Dots alone: what is owed.
    Owed,
}
const FILLS: [Fill; 7] =
    [Fill::Solid, Fill::Over, Fill::Beyond, Fill::Leaving, Fill::Down, Fill::Dotted, Fill::Owed];

/// What plotters' styles have no word for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trim {
    /// Nothing.
    #[default]
    None,
    /// Rounded corners.
    Round,
    /// A rounded hairline.
    RoundHair,
    /// A rounded dotted outline: claimed.
    RoundDotted,
    /// A rounded band of four pixels, under a dotted outline.
    RoundBand,
    /// A rounded dashed outline: a ghost.
    RoundDashed,
    /// A rounded outline of two pixels: changed by the last step.
    Changed,
    /// The outline of a card.
    Card,
    /// The ground of a card.
    CardGround,
    /// A dashed line.
    Dashed,
    /// Text with a halo of the panel's colour.
    Halo,
    /// Text in bold.
    Bold,
    /// One of very many equal rectangles: neighbours in the text become one path.
    Mass,
    /// Joined lines that stay under their fill.
    Thick,
    /// Rounded line joins.
    Smooth,
}

const TRIMS: [(Trim, &str); 15] = [
    (Trim::None, ""),
    (Trim::Round, r#" rx="30""#),
    (Trim::RoundHair, r#" rx="30" stroke-width="10""#),
    (Trim::RoundDotted, r#" rx="30" stroke-width="20" stroke-dasharray="20 30""#),
    (Trim::RoundBand, r#" rx="30" stroke-width="40""#),
    (Trim::RoundDashed, r#" rx="30" stroke-width="15" stroke-dasharray="45 30""#),
    (Trim::Changed, r#" rx="40" stroke-width="20" class="changed""#),
    (Trim::Card, r#" rx="80" stroke-width="10""#),
    (Trim::CardGround, r#" rx="80""#),
    (Trim::Dashed, r#" stroke-dasharray="50 40""#),
    (Trim::Halo, r#" class="halo""#),
    (Trim::Bold, r#" font-weight="600""#),
    (Trim::Mass, ""),
    (Trim::Thick, r#" stroke-linejoin="round" paint-order="stroke""#),
    (Trim::Smooth, r#" stroke-linejoin="round" stroke-linecap="round""#),
];

/// A colour token with a fill and a trim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Paint {
    /// The token.
    pub ink: Ink,
    /// The fill.
    pub fill: Fill,
    /// The trim.
    pub trim: Trim,
}

impl From<Ink> for Paint {
    fn from(ink: Ink) -> Paint {
        Paint { ink, fill: Fill::Solid, trim: Trim::None }
    }
}

impl Paint {
    /// This paint with a fill.
    pub fn filled(self, fill: Fill) -> Paint {
        Paint { fill, ..self }
    }
    /// This paint with a trim.
    pub fn trimmed(self, trim: Trim) -> Paint {
        Paint { trim, ..self }
    }
    /// The code that travels through plotters.
    pub fn code(self) -> RGBColor {
        let fill = FILLS.iter().position(|f| *f == self.fill).unwrap_or(0);
        let trim = TRIMS.iter().position(|t| t.0 == self.trim).unwrap_or(0);
        RGBColor(self.ink.code(), fill as u8, trim as u8)
    }
    /// A filled shape.
    pub fn area(self) -> ShapeStyle {
        self.code().filled()
    }
    /// A filled shape of that opacity.
    pub fn faint(self, alpha: f64) -> ShapeStyle {
        self.code().mix(alpha).filled()
    }
    /// A line of that width in pixels.
    pub fn line(self, width: f64) -> ShapeStyle {
        Color::stroke_width(&self.code(), (width * FINE).round() as u32)
    }
    /// Text of that size in pixels, anchored.
    pub fn text(self, size: f64, h: text_anchor::HPos) -> TextStyle<'static> {
        TextStyle {
            font: ("sans-serif", size * FINE).into_font(),
            color: self.code().to_backend_color(),
            pos: text_anchor::Pos::new(h, text_anchor::VPos::Center),
        }
    }
    fn of((ink, fill, trim): (u8, u8, u8)) -> Paint {
        Paint {
            ink: Ink::of(ink),
            fill: FILLS[usize::from(fill).min(FILLS.len() - 1)],
            trim: TRIMS[usize::from(trim).min(TRIMS.len() - 1)].0,
        }
    }
    fn attributes(self) -> &'static str {
        TRIMS.iter().find(|trim| trim.0 == self.trim).map_or("", |trim| trim.1)
    }
}

pub use plotters::style::text_anchor;

/// What is drawn becomes elements of SVG.
pub struct Svg<'a>(&'a mut Sheet);

/// Elements, and what they need.
struct Sheet {
    /// In steps.
    size: (u32, u32),
    /// Keeps the names of patterns apart from those of other pictures.
    id: String,
    body: String,
    patterns: BTreeSet<Paint>,
    /// The path at the end that equal rectangles still join: its paint, and the width of its line if it is not filled.
    mass: Option<(Paint, Option<u32>)>,
}

/// What a paint is used for.
#[derive(Clone, Copy)]
enum Use {
    Fill,
    Stroke,
}

/// What the trait wants; writing text does not fail.
type Written = Result<(), DrawingErrorKind<Infallible>>;

impl Sheet {
    /// Begins an element; `None`: nothing of it would be seen.
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
    /// A filled shape, or a line of that width.
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
    /// One more rectangle of a mass: neighbours in the text are one path.
    fn add_mass(
        &mut self,
        paint: Paint,
        line: Option<u32>,
        (x, y): BackendCoord,
        (w, h): (i32, i32),
    ) -> Written {
        if self.mass != Some((paint, line)) {
            self.end_mass();
            self.body.push_str("<path");
            self.shape(paint, line);
            self.body.push_str(" d=\"");
            self.mass = Some((paint, line));
        }
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
    /// No chart draws pixels.
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
    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Written {
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

/// The width of a text in that font size, from a table that suits the usual system fonts.
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

/// As much of a text as fits that width, with an ellipsis if cut; `None` if nothing sensible fits.
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

/// Text as the content of an element.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Draws a picture. `id` keeps the names of its patterns apart from those of other pictures on the page.
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
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{w}" height="{h}" viewBox="0 0 {vw} {vh}" aria-hidden="true">"#,
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

fn pattern_id(paint: Paint, id: &str) -> String {
    format!("{id}-{:?}-{}", paint.fill, paint.ink.code()).to_lowercase()
}

fn pattern(paint: Paint, id: &str) -> String {
    let ink = paint.ink.css();
    let (size, turn, shapes) = match paint.fill {
        Fill::Solid => (10, 0, String::new()),
        Fill::Over => (
            60,
            45,
            format!(
                r#"<rect width="60" height="60" fill="{ink}" opacity=".3"/><rect width="24" height="60" fill="{ink}"/>"#
            ),
        ),
        Fill::Beyond => (
            60,
            45,
            format!(
                r#"<rect width="60" height="60" fill="{ink}" opacity=".16"/><path d="M0 9h60M9 0v60" stroke="{ink}" stroke-width="16"/>"#
            ),
        ),
        Fill::Owed => (60, 45, format!(r#"<circle cx="30" cy="30" r="11" fill="{ink}"/>"#)),
        Fill::Leaving => (50, -45, format!(r#"<rect width="15" height="50" fill="{ink}"/>"#)),
        Fill::Down => (60, 45, format!(r#"<path d="M0 5h60M5 0v60" stroke="{ink}" stroke-width="8"/>"#)),
        Fill::Dotted => (
            70,
            45,
            format!(
                r#"<rect width="70" height="70" fill="{ink}"/><circle cx="35" cy="35" r="13" fill="var(--panel)"/>"#
            ),
        ),
    };
    format!(
        r#"<pattern id="{}" width="{size}" height="{size}" patternUnits="userSpaceOnUse" patternTransform="rotate({turn})">{shapes}</pattern>"#,
        pattern_id(paint, id),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_paint_survives_its_code() {
        for ink in 0..76 {
            for fill in FILLS {
                for (trim, _) in TRIMS {
                    let paint = Paint { ink: Ink::of(ink), fill, trim };
                    let RGBColor(r, g, b) = paint.code();
                    assert_eq!(Paint::of((r, g, b)), paint);
                }
            }
        }
    }

    #[test]
    fn codes_become_tokens_and_text_is_escaped() {
        let svg = picture("t", Size { width: 10.0, height: 5.0 }, |area| {
            area.draw(&Rectangle::new(
                [(0, 0), (50, 20)],
                Paint::from(Ink::Hue(1, 2)).filled(Fill::Over).area(),
            ))?;
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
    fn masses_become_one_path() {
        let svg = picture("t", Size { width: 10.0, height: 5.0 }, |area| {
            let style = Paint::from(Ink::Whole).trimmed(Trim::Mass).area();
            for x in 0..3 {
                area.draw(&Rectangle::new([(x * 20, 0), (x * 20 + 10, 10)], style))?;
            }
            Ok(())
        });
        assert_eq!(svg.matches("<path").count(), 1, "{svg}");
        assert_eq!(svg.matches("<rect").count(), 0, "{svg}");
    }

    #[test]
    fn long_texts_are_cut() {
        assert_eq!(fit("abc", 10.0, 100.0).as_deref(), Some("abc"));
        assert_eq!(fit("abcdefghij", 10.0, 40.0).as_deref(), Some("abcd…"));
        assert_eq!(fit("abcdefghij", 10.0, 10.0), None);
    }
}
