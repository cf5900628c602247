//! The one way from plotters to the page: plotters' own SVG backend, with reserved colours that stand for
//! tokens of the stylesheet, pattern fills, dashes and corners, and with a resolution of a tenth of a pixel.
//!
//! Charts draw with [`Paint`]s. A paint is encoded as a colour on its way through plotters and becomes
//! `var(--q1)`, `url(#…)` and attributes again when the text is finished ([`finish`]). Text is measured with a
//! table of our own, so that pictures are equal natively and in the browser. This is the only file with
//! literal colours; they are codes, not colours.

use std::collections::BTreeSet;
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
pub type Drawn = Result<(), DrawingAreaErrorKind<std::io::Error>>;

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
    fn of(rgb: (u8, u8, u8)) -> Paint {
        Paint {
            ink: Ink::of(rgb.0),
            fill: FILLS[usize::from(rgb.1).min(FILLS.len() - 1)],
            trim: TRIMS[usize::from(rgb.2).min(TRIMS.len() - 1)].0,
        }
    }
    fn read(code: &str) -> Option<Paint> {
        let part = |at: usize| u8::from_str_radix(code.get(at..at + 2)?, 16).ok();
        (code.len() == 7 && code.starts_with('#')).then_some(())?;
        Some(Paint::of((part(1)?, part(3)?, part(5)?)))
    }
}

pub use plotters::style::text_anchor;

/// Plotters' SVG backend with our text metrics.
pub struct Svg<'a>(SVGBackend<'a>);

impl DrawingBackend for Svg<'_> {
    type ErrorType = std::io::Error;

    fn get_size(&self) -> (u32, u32) {
        self.0.get_size()
    }
    fn ensure_prepared(&mut self) -> Result<(), DrawingErrorKind<Self::ErrorType>> {
        self.0.ensure_prepared()
    }
    fn present(&mut self) -> Result<(), DrawingErrorKind<Self::ErrorType>> {
        self.0.present()
    }
    fn draw_pixel(
        &mut self,
        point: BackendCoord,
        color: BackendColor,
    ) -> Result<(), DrawingErrorKind<Self::ErrorType>> {
        self.0.draw_pixel(point, color)
    }
    fn draw_line<S: BackendStyle>(
        &mut self,
        from: BackendCoord,
        to: BackendCoord,
        style: &S,
    ) -> Result<(), DrawingErrorKind<Self::ErrorType>> {
        self.0.draw_line(from, to, style)
    }
    fn draw_rect<S: BackendStyle>(
        &mut self,
        upper_left: BackendCoord,
        bottom_right: BackendCoord,
        style: &S,
        fill: bool,
    ) -> Result<(), DrawingErrorKind<Self::ErrorType>> {
        self.0.draw_rect(upper_left, bottom_right, style, fill)
    }
    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Result<(), DrawingErrorKind<Self::ErrorType>> {
        self.0.draw_path(path, style)
    }
    fn draw_circle<S: BackendStyle>(
        &mut self,
        center: BackendCoord,
        radius: u32,
        style: &S,
        fill: bool,
    ) -> Result<(), DrawingErrorKind<Self::ErrorType>> {
        self.0.draw_circle(center, radius, style, fill)
    }
    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        vert: I,
        style: &S,
    ) -> Result<(), DrawingErrorKind<Self::ErrorType>> {
        self.0.fill_polygon(vert, style)
    }
    fn draw_text<S: BackendTextStyle>(
        &mut self,
        text: &str,
        style: &S,
        pos: BackendCoord,
    ) -> Result<(), DrawingErrorKind<Self::ErrorType>> {
        self.0.draw_text(text, style, pos)
    }
    fn estimate_text_size<S: BackendTextStyle>(
        &self,
        text: &str,
        style: &S,
    ) -> Result<(u32, u32), DrawingErrorKind<Self::ErrorType>> {
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

/// Draws a picture. `id` keeps the names of its patterns apart from those of other pictures on the page.
pub fn picture(id: &str, size: Size, draw: impl FnOnce(&Area<'_>) -> Drawn) -> String {
    let mut raw = String::new();
    {
        let steps = (px(size.width.max(1.0)) as u32, px(size.height.max(1.0)) as u32);
        let area = Svg(SVGBackend::with_string(&mut raw, steps)).into_drawing_area();
        draw(&area).expect("drawing into text does not fail");
        area.present().expect("presenting text does not fail");
    }
    finish(&raw, id, size)
}

/// Turns codes into tokens, patterns and attributes; drops defaults; joins masses of rectangles into paths.
fn finish(raw: &str, id: &str, size: Size) -> String {
    let mut patterns = BTreeSet::new();
    let mut body = String::with_capacity(raw.len());
    let mut mass: Option<(Paint, String)> = None;
    for line in raw.lines().skip(1) {
        if let Some((paint, shape)) = as_mass(line) {
            match &mut mass {
                Some((same, path)) if *same == paint => path.push_str(&shape),
                _ => {
                    close(&mut mass, &mut body, id, &mut patterns);
                    mass = Some((paint, shape));
                }
            }
            continue;
        }
        close(&mut mass, &mut body, id, &mut patterns);
        if line.starts_with('<') && !line.starts_with("</") {
            element(line, &mut body, id, &mut patterns);
        } else {
            body.push_str(line);
        }
    }
    let mut svg = String::with_capacity(body.len() + 512);
    let _ = write!(
        svg,
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{w}" height="{h}" viewBox="0 0 {vw} {vh}" aria-hidden="true">"#,
        w = size.width,
        h = size.height,
        vw = px(size.width),
        vh = px(size.height),
    );
    if !patterns.is_empty() {
        svg.push_str("<defs>");
        for paint in &patterns {
            svg.push_str(&pattern(*paint, id));
        }
        svg.push_str("</defs>");
    }
    svg + &body
}

fn close(mass: &mut Option<(Paint, String)>, body: &mut String, id: &str, patterns: &mut BTreeSet<Paint>) {
    if let Some((paint, path)) = mass.take() {
        let _ = write!(body, r#"<path fill="{}" d="{path}"/>"#, value(paint, id, patterns));
    }
}

fn as_mass(line: &str) -> Option<(Paint, String)> {
    let rest = line.strip_prefix("<rect ")?;
    let get = |key: &str| {
        let at = rest.find(&format!("{key}=\""))? + key.len() + 2;
        rest[at..].split('"').next()
    };
    let paint = Paint::read(get("fill")?).filter(|paint| paint.trim == Trim::Mass)?;
    let (w, h) = (get("width")?, get("height")?);
    Some((paint, format!("M{},{}h{w}v{h}h-{w}z", get("x")?, get("y")?)))
}

fn element(line: &str, body: &mut String, id: &str, patterns: &mut BTreeSet<Paint>) {
    let open = line.trim_end_matches('>').trim_end_matches('/');
    let mut words = open.splitn(2, ' ');
    body.push_str(words.next().unwrap_or_default());
    let mut rest = words.next().unwrap_or_default();
    while let Some((key, after)) = rest.split_once("=\"") {
        let Some((text, next)) = after.split_once('"') else { break };
        attribute(key.trim(), text, body, id, patterns);
        rest = next;
    }
    body.push_str(if line.ends_with("/>") { "/>" } else { ">" });
}

fn attribute(key: &str, text: &str, body: &mut String, id: &str, patterns: &mut BTreeSet<Paint>) {
    match (key, text) {
        ("opacity", "1") | ("stroke", "none") | ("font-family", _) => {}
        ("dy", "0.5ex") => body.push_str(r#" dy=".35em""#),
        ("text-anchor", "start") => {}
        ("font-size", size) => {
            let size = size.parse::<f64>().unwrap_or(100.0) * 1.24;
            let _ = write!(body, r#" font-size="{:.0}""#, size);
        }
        ("points", points) => {
            let _ = write!(body, r#" points="{}""#, points.trim_end());
        }
        ("fill" | "stroke", code) => match Paint::read(code) {
            Some(paint) => {
                let _ = write!(body, r#" {key}="{}""#, value(paint, id, patterns));
                let trim = TRIMS.iter().find(|t| t.0 == paint.trim).map_or("", |t| t.1);
                body.push_str(trim);
            }
            None => {
                let _ = write!(body, r#" {key}="{code}""#);
            }
        },
        _ => {
            let _ = write!(body, r#" {key}="{text}""#);
        }
    }
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
                    assert_eq!(Paint::read(&format!("#{r:02X}{g:02X}{b:02X}")), Some(paint));
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
        assert!(svg.contains("&lt;b fill=&quot;#000000&quot;&gt;"), "{svg}");
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
