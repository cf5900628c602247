//! Charts as standalone files: without the page's stylesheet, with the labels beside them.

use std::fmt::Write as _;

use super::backend::{escaped, fit, text_width};

/// A line beside a chart: a name on the left, a value on the right.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// Vertical centre, in pixels from the top of the chart.
    pub y: f64,
    pub name: String,
    pub value: String,
}

/// Metadata of a picture.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct About {
    /// Chart, scenario, policy, cycle.
    pub title: String,
    /// Link to the moment; printed below the picture if it is short enough.
    pub link: String,
}

/// Width reserved for names, in pixels.
const NAMES: f64 = 150.0;
/// Width reserved for values, in pixels.
const VALUES: f64 = 210.0;
/// Attributes that the stylesheet gives to texts with a halo.
const HALO: &str = " paint-order=\"stroke\" stroke=\"var(--panel)\" stroke-width=\"30\"";
/// Distance to the edges, in pixels.
const EDGE: f64 = 12.0;
/// Steps per pixel in the charts' text.
const FINE: f64 = 10.0;

/// Height of a line at the foot, in pixels.
const FOOT: f64 = 16.0;
/// Font size of the foot, in pixels.
const SMALL: f64 = 11.0;

/// Converts a chart to a file: replaces tokens by the result of `token`, adds background, labels and a foot with the
/// metadata. A click opens the link, which the foot contains if it fits and the description always.
pub fn standalone(svg: &str, about: &About, labels: &[Label], token: &dyn Fn(&str) -> String) -> String {
    let Some((head, body)) = svg.split_once('>') else { return String::new() };
    // On the page its size depends on the text size.
    let size = head.split_once(" viewBox=\"0 0 ").and_then(|(_, rest)| rest.split_once('"')?.0.split_once(' '));
    let pixels = |steps: Option<&str>| steps.and_then(|n| n.parse().ok()).unwrap_or(0.0) / FINE;
    let (wide, high) = (pixels(size.map(|size| size.0)), pixels(size.map(|size| size.1)));
    let (left, right) = if labels.is_empty() { (EDGE, EDGE) } else { (NAMES, VALUES) };
    let w = wide + left + right;
    let room = w - 2.0 * EDGE;
    let link = Some(about.link.clone()).filter(|link| text_width(link, SMALL) <= room);
    let foot: Vec<String> = fit(&about.title, SMALL, room).into_iter().chain(link).collect();
    let h = high + 2.0 * EDGE + FOOT * foot.len() as f64;
    let (x, y) = (-left * FINE, -EDGE * FINE);
    let (vw, vh) = (w * FINE, h * FINE);
    let mut file = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"{x} {y} {vw} {vh}\" \
         font-family=\"system-ui,sans-serif\"><title>{}</title><desc>{}</desc><a href=\"{}\" target=\"_blank\"><rect x=\"{x}\" y=\"{y}\" width=\"{vw}\" height=\"{vh}\" \
         fill=\"var(--panel)\"/>",
        escaped(&about.title),
        escaped(&about.link),
        escaped(&about.link)
    );
    for label in labels {
        let y = label.y * FINE;
        let end = wide * FINE + (VALUES - EDGE) * FINE;
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
    for (i, line) in foot.iter().enumerate() {
        let (x, y) = (x + EDGE * FINE, (high + EDGE + FOOT * i as f64) * FINE);
        let _ = write!(
            file,
            "<text x=\"{x}\" y=\"{y}\" dy=\".35em\" font-size=\"{}\" fill=\"var(--ink-2)\">{}</text>",
            SMALL * FINE,
            escaped(line)
        );
    }
    file.push_str(body.replace(" class=\"halo\"", HALO).trim_end().trim_end_matches("</svg>"));
    file.push_str("</a></svg>");
    replaced(&file, token)
}

/// Replaces every attribute value `var(--name)`; texts are unchanged.
fn replaced(markup: &str, token: &dyn Fn(&str) -> String) -> String {
    let mut out = String::with_capacity(markup.len());
    let mut rest = markup;
    while let Some(at) = rest.find('<') {
        let (text, tag) = rest.split_at(at);
        out.push_str(text);
        let (tag, after) = tag.split_at(end_of_tag(tag));
        for (i, part) in tag.split('"').enumerate() {
            let is_value = i % 2 == 1;
            let name = part.strip_prefix("var(").and_then(|rest| rest.strip_suffix(')')).filter(|_| is_value);
            if i > 0 {
                out.push('"');
            }
            match name {
                Some(name) => out.push_str(&token(name)),
                None => out.push_str(part),
            }
        }
        rest = after;
    }
    out + rest
}

/// End of a tag: after the first `>` outside of attributes.
fn end_of_tag(tag: &str) -> usize {
    let mut is_value = false;
    let end = tag.find(|c: char| {
        is_value ^= c == '"';
        c == '>' && !is_value
    });
    end.map_or(tag.len(), |end| end + 1)
}

/// Adds the metadata to a PNG as text chunks; other data is returned unchanged.
pub fn png_about(png: &[u8], about: &About) -> Vec<u8> {
    // After the signature and the first chunk, which have fixed lengths.
    const HEAD: usize = 8 + 25;
    if png.len() < HEAD || !png.starts_with(b"\x89PNG\r\n\x1a\n") {
        return png.to_vec();
    }
    let mut file = png[..HEAD].to_vec();
    for (word, text) in [("Title", &about.title), ("Source", &about.link)] {
        // Not compressed, no language, no translated keyword.
        let chunk = [b"iTXt", word.as_bytes(), &[0; 5], text.as_bytes()].concat();
        file.extend((chunk.len() as u32 - 4).to_be_bytes());
        file.extend(&chunk);
        file.extend(crc(&chunk).to_be_bytes());
    }
    file.extend(&png[HEAD..]);
    file
}

/// CRC of PNG chunks (ISO 3309).
fn crc(bytes: &[u8]) -> u32 {
    let step = |crc: u32, _| if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 };
    !bytes.iter().fold(u32::MAX, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), step))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_needs_no_stylesheet() {
        let svg = r#"<svg xmlns="x" width="40" height="20" viewBox="0 0 400 200" aria-hidden="true"><rect fill="var(--q1)"/></svg>"#;
        let labels = [Label { y: 10.0, name: "a<b".into(), value: "3 of 4".into() }];
        let about = About { title: "Shares · A&B".into(), link: "there#d1.x".into() };
        let file = standalone(svg, &about, &labels, &|name| format!("[{name}]"));
        assert!(!file.contains("var("), "{file}");
        assert!(file.contains(r#"fill="[--q1]""#) && file.contains("a&lt;b") && file.contains("3 of 4"));
        assert!(file.contains(r#"width="400" height="76" viewBox="-1500 -120 4000 760" "#), "{file}");
        assert!(file.starts_with("<svg xmlns=") && file.ends_with("</svg>"));
        assert_eq!(file.matches("<svg").count(), 1);
        assert!(file.contains("<title>Shares · A&amp;B</title><desc>there#d1.x</desc>"), "{file}");
        assert!(file.contains(">Shares · A&amp;B</text>") && file.contains(">there#d1.x</text>"), "at the foot");
        let long = About { link: "x".repeat(400), ..about };
        let file = standalone(svg, &long, &labels, &|_| String::new());
        assert!(file.contains(&format!("<desc>{}</desc>", long.link)), "a long link is not shown, but there");
        assert!(file.contains(r#"height="60""#) && !file.contains("x</text>"), "{file}");
        assert_eq!(standalone("", &About::default(), &[], &|_| String::new()), "");
    }

    #[test]
    fn texts_of_people_are_no_tokens() {
        let svg = r#"<svg width="40" height="20" viewBox="0 0 400 200"><text fill="var(--ink)">"var(--q1)" and var( more</text><rect data-name="a>b" fill="var(--q1)"/></svg>"#;
        let label = |name: &str| Label { y: 10.0, name: name.into(), value: "var(--q2".into() };
        let about = About { title: "var(".into(), link: "var(--x)".into() };
        let file = standalone(svg, &about, &[label("var(--ink)"), label("x")], &|name| format!("[{name}]"));
        assert!(file.contains(r#"<text fill="[--ink]">"var(--q1)" and var( more</text>"#), "{file}");
        assert!(file.contains(r#"<rect data-name="a>b" fill="[--q1]"/>"#), "{file}");
        assert!(file.contains("<title>var(</title><desc>var(--x)</desc>"), "{file}");
        assert!(file.contains(">var(--ink)</text>"), "{file}");
        assert_eq!(file.matches(">var(--q2</text>").count(), 2, "{file}");
    }

    #[test]
    fn a_png_carries_texts() {
        // Every PNG ends with this empty chunk and its CRC.
        assert_eq!(crc(b"IEND"), 0xae42_6082);
        let head = [b"\x89PNG\r\n\x1a\n".as_slice(), &[0; 25]].concat();
        let png = [head.as_slice(), b"rest"].concat();
        let about = About { title: "Shares · A".into(), link: "there#d1.x".into() };
        let file = png_about(&png, &about);
        assert!(file.starts_with(&head) && file.ends_with(b"rest"));
        let text = String::from_utf8_lossy(&file);
        assert!(text.contains("iTXtTitle\0\0\0\0\0Shares · A"), "{text}");
        assert!(text.contains("iTXtSource\0\0\0\0\0there#d1.x"), "{text}");
        let length = u32::from_be_bytes([file[33], file[34], file[35], file[36]]) as usize;
        assert_eq!(length, "Title".len() + 5 + about.title.len());
        assert_eq!(png_about(b"no picture", &about), b"no picture");
    }
}
