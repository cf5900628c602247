//! Paints of charts: tokens of the stylesheet, fills and trims, and their encoding as plotters colours. The only file
//! with literal colours, which are such encodings.

use plotters::prelude::*;
use plotters::style::{ShapeStyle, text_anchor};

/// Steps per pixel.
pub(super) const FINE: f64 = 10.0;

/// Colour token of a mark.
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
    /// Borders of objects.
    Strong,
    /// Grid lines.
    Grid,
    /// Background of a panel.
    Panel,
    /// Background of a card.
    Raised,
    /// Empty slot.
    Sunk,
    /// The cluster as a whole.
    Whole,
    /// Text on the cluster's colour.
    OnWhole,
    /// The outline of the selection.
    Selected,
}

/// Tokens without a hue, with their CSS values.
const PLAIN: [(Ink, &str); 12] = [
    (Ink::Ink, "var(--ink)"),
    (Ink::Soft, "var(--ink-2)"),
    (Ink::Dim, "var(--ink-3)"),
    (Ink::Line, "var(--line)"),
    (Ink::Strong, "var(--line-strong)"),
    (Ink::Grid, "var(--grid)"),
    (Ink::Panel, "var(--panel)"),
    (Ink::Raised, "var(--raised)"),
    (Ink::Sunk, "var(--sunk)"),
    (Ink::Whole, "var(--whole)"),
    (Ink::OnWhole, "var(--whole-on)"),
    (Ink::Selected, "var(--sel-line)"),
];

impl Ink {
    fn code(self) -> u8 {
        match self {
            Ink::Hue(hue, step) => hue % 8 * 4 + step % 4,
            Ink::On(hue, step) => 32 + hue % 8 * 4 + step % 4,
            plain => 64 + plain.at() as u8,
        }
    }

    /// Position in [`PLAIN`].
    fn at(self) -> usize {
        PLAIN.iter().position(|plain| plain.0 == self).unwrap_or(0)
    }

    fn of(code: u8) -> Ink {
        match code {
            0..32 => Ink::Hue(code / 4, code % 4),
            32..64 => Ink::On((code - 32) / 4, code % 4),
            _ => PLAIN[usize::from(code - 64).min(PLAIN.len() - 1)].0,
        }
    }

    /// CSS value of the token, such as `var(--q1a)`.
    pub fn css(self) -> String {
        let step = |step: u8| ["", "a", "b", "c"][usize::from(step % 4)];
        match self {
            Ink::Hue(hue, s) => format!("var(--q{}{})", hue + 1, step(s)),
            Ink::On(hue, s) => format!("var(--q{}{}-on)", hue + 1, step(s)),
            plain => PLAIN[plain.at()].1.into(),
        }
    }
}

/// Fill of an area: states are shapes, not colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fill {
    #[default]
    Solid,
    /// Tinted: beyond the quota.
    Over,
    /// Hatched ╳: beyond the entitlement.
    Beyond,
    /// Thin stripes ╲: evicted.
    Leaving,
    /// Fine cross-hatch: not ready.
    Down,
    /// Solid with dots: a hue that repeats.
    Dotted,
    /// Dots alone: owed.
    Owed,
    /// Pale with waves: assigned in rounds of a division.
    Water,
}
const FILLS: [Fill; 8] =
    [Fill::Solid, Fill::Over, Fill::Beyond, Fill::Leaving, Fill::Down, Fill::Dotted, Fill::Owed, Fill::Water];

/// Attributes that plotters' styles lack.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trim {
    #[default]
    None,
    /// Rounded corners.
    Round,
    /// A rounded hairline.
    RoundHair,
    /// A rounded outline of two pixels.
    RoundEdge,
    /// A rounded dotted outline: claimed.
    RoundDotted,
    /// A rounded band of four pixels, under a dotted outline.
    RoundBand,
    /// A rounded dashed outline: an alternative.
    RoundDashed,
    /// A rounded outline of two pixels: changed by the last step.
    Changed,
    /// A rounded, finely dashed hairline: unused.
    Slot,
    /// The outline of a card.
    Card,
    /// The background of a card.
    CardGround,
    /// A dashed line.
    Dashed,
    /// Text with a halo of the panel's colour.
    Halo,
    /// Text in bold.
    Bold,
    /// One of many equal rectangles; consecutive ones are merged into one path.
    Mass,
    /// Joined lines, drawn below their fill.
    Thick,
    /// Rounded line joins.
    Smooth,
}

const TRIMS: [(Trim, &str); 17] = [
    (Trim::None, ""),
    (Trim::Round, r#" rx="30""#),
    (Trim::RoundHair, r#" rx="30" stroke-width="10""#),
    (Trim::RoundEdge, r#" rx="30" stroke-width="20""#),
    (Trim::RoundDotted, r#" rx="30" stroke-width="20" stroke-dasharray="20 30""#),
    (Trim::RoundBand, r#" rx="30" stroke-width="40""#),
    (Trim::RoundDashed, r#" rx="30" stroke-width="15" stroke-dasharray="45 30""#),
    (Trim::Changed, r#" rx="40" stroke-width="20" class="changed""#),
    (Trim::Slot, r#" rx="30" stroke-width="10" stroke-dasharray="30 20""#),
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
    pub ink: Ink,
    pub fill: Fill,
    pub trim: Trim,
}

impl From<Ink> for Paint {
    fn from(ink: Ink) -> Paint {
        Paint { ink, fill: Fill::Solid, trim: Trim::None }
    }
}

impl Paint {
    pub fn filled(self, fill: Fill) -> Paint {
        Paint { fill, ..self }
    }
    pub fn trimmed(self, trim: Trim) -> Paint {
        Paint { trim, ..self }
    }
    /// Encoding as a plotters colour.
    pub fn code(self) -> RGBColor {
        let fill = FILLS.iter().position(|f| *f == self.fill).unwrap_or(0);
        let trim = TRIMS.iter().position(|t| t.0 == self.trim).unwrap_or(0);
        RGBColor(self.ink.code(), fill as u8, trim as u8)
    }
    pub fn area(self) -> ShapeStyle {
        self.code().filled()
    }
    /// A filled shape with opacity `alpha`.
    pub fn faint(self, alpha: f64) -> ShapeStyle {
        self.code().mix(alpha).filled()
    }
    /// A line; `width` in pixels.
    pub fn line(self, width: f64) -> ShapeStyle {
        Color::stroke_width(&self.code(), (width * FINE).round() as u32)
    }
    /// Anchored text; `size` in pixels.
    pub fn text(self, size: f64, h: text_anchor::HPos) -> TextStyle<'static> {
        TextStyle {
            font: ("sans-serif", size * FINE).into_font(),
            color: self.code().to_backend_color(),
            pos: text_anchor::Pos::new(h, text_anchor::VPos::Center),
        }
    }
    /// Decodes a plotters colour.
    pub(super) fn of((ink, fill, trim): (u8, u8, u8)) -> Paint {
        Paint {
            ink: Ink::of(ink),
            fill: FILLS[usize::from(fill).min(FILLS.len() - 1)],
            trim: TRIMS[usize::from(trim).min(TRIMS.len() - 1)].0,
        }
    }
    /// SVG attributes of the trim.
    pub(super) fn attributes(self) -> &'static str {
        TRIMS.iter().find(|trim| trim.0 == self.trim).map_or("", |trim| trim.1)
    }
}

/// Id of the paint's pattern in the picture `id`.
pub(super) fn pattern_id(paint: Paint, id: &str) -> String {
    format!("{id}-{:?}-{}", paint.fill, paint.ink.code()).to_lowercase()
}

/// The paint's pattern as an element.
pub(super) fn pattern(paint: Paint, id: &str) -> String {
    let ink = paint.ink.css();
    let (size, turn, shapes) = match paint.fill {
        Fill::Solid => (10, 0, String::new()),
        Fill::Over => (60, 0, format!(r#"<rect width="60" height="60" fill="{ink}" opacity=".4"/>"#)),
        Fill::Beyond => (
            60,
            45,
            format!(
                r#"<rect width="60" height="60" fill="{ink}" opacity=".16"/><path d="M0 9h60M9 0v60" stroke="{ink}" stroke-width="16"/>"#
            ),
        ),
        Fill::Owed => (60, 45, format!(r#"<circle cx="30" cy="30" r="11" fill="{ink}"/>"#)),
        Fill::Water => (
            80,
            0,
            format!(
                r#"<rect width="80" height="80" fill="{ink}" opacity=".55"/><path d="M0 50q20-20 40 0t40 0" fill="none" stroke="var(--panel)" stroke-opacity=".45" stroke-width="10"/>"#
            ),
        ),
        // Pale below its stripes: leaving resources are not free yet.
        Fill::Leaving => (
            50,
            -45,
            format!(
                r#"<rect width="50" height="50" fill="{ink}" opacity=".22"/><rect width="15" height="50" fill="{ink}"/>"#
            ),
        ),
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
}
