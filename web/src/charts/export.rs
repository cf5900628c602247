//! Charts as files of their own: without the page's stylesheet, with the texts that stand beside them.

use std::fmt::Write as _;

/// A line beside a chart: a name on the left, a value on the right.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// Its middle, in pixels from the top of the chart.
    pub y: f64,
    /// The name.
    pub name: String,
    /// The value.
    pub value: String,
}

/// Room for names and for values, in pixels.
const NAMES: f64 = 150.0;
/// Room for values, in pixels.
const VALUES: f64 = 210.0;
/// What the stylesheet says of texts with a halo.
const HALO: &str = " paint-order=\"stroke\" stroke=\"var(--panel)\" stroke-width=\"30\"";
/// Distance to the edges, in pixels.
const EDGE: f64 = 12.0;
/// Steps per pixel in the charts' text.
const FINE: f64 = 10.0;

/// The text of a chart as a file: tokens are replaced by what `token` says of them, a ground and labels are added.
pub fn standalone(svg: &str, title: &str, labels: &[Label], token: &dyn Fn(&str) -> String) -> String {
    let Some((head, body)) = svg.split_once('>') else { return String::new() };
    let size = |name: &str| -> f64 {
        let value = head.split_once(&format!(" {name}=\"")).and_then(|(_, rest)| rest.split_once('"'));
        value.and_then(|(text, _)| text.parse().ok()).unwrap_or(0.0)
    };
    let (left, right) = if labels.is_empty() { (EDGE, EDGE) } else { (NAMES, VALUES) };
    let (w, h) = (size("width") + left + right, size("height") + 2.0 * EDGE);
    let (x, y) = (-left * FINE, -EDGE * FINE);
    let (vw, vh) = (w * FINE, h * FINE);
    let mut file = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"{x} {y} {vw} {vh}\" \
         font-family=\"system-ui,sans-serif\"><title>{}</title><rect x=\"{x}\" y=\"{y}\" width=\"{vw}\" height=\"{vh}\" \
         fill=\"var(--panel)\"/>",
        escaped(title)
    );
    for label in labels {
        let y = label.y * FINE;
        let end = size("width") * FINE + (VALUES - EDGE) * FINE;
        let start = x + EDGE * FINE;
        let text = |x: f64, anchor: &str, said: &str| {
            format!(
                "<text x=\"{x}\" y=\"{y}\" dy=\".35em\" text-anchor=\"{anchor}\" font-size=\"130\" \
                 fill=\"var(--ink)\">{}</text>",
                escaped(said)
            )
        };
        let _ = write!(file, "{}{}", text(start, "start", &label.name), text(end, "end", &label.value));
    }
    file.push_str(&body.replace(" class=\"halo\"", HALO));
    replaced(&file, token)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// The text with every `var(--name)` replaced.
fn replaced(text: &str, token: &dyn Fn(&str) -> String) -> String {
    let mut parts = text.split("var(");
    let mut out = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let (name, rest) = part.split_once(')').unwrap_or((part, ""));
        out.push_str(&token(name));
        out.push_str(rest);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_needs_no_stylesheet() {
        let svg = r#"<svg xmlns="x" width="40" height="20" viewBox="0 0 400 200" aria-hidden="true"><rect fill="var(--q1)"/></svg>"#;
        let labels = [Label { y: 10.0, name: "a<b".into(), value: "3 of 4".into() }];
        let file = standalone(svg, "Shares", &labels, &|name| format!("[{name}]"));
        assert!(!file.contains("var("), "{file}");
        assert!(file.contains(r#"fill="[--q1]""#) && file.contains("a&lt;b") && file.contains("3 of 4"));
        assert!(file.contains(r#"width="400" height="44" viewBox="-1500 -120 4000 440" "#), "{file}");
        assert!(file.starts_with("<svg xmlns=") && file.ends_with("</svg>"));
        assert_eq!(file.matches("<svg").count(), 1);
        assert_eq!(standalone("", "", &[], &|_| String::new()), "");
    }
}
