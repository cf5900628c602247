//! The moment of a link: readable parameters after the scenario.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// A cycle, or a decision in it, both counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct At {
    pub cycle: u32,
    /// The decision in it.
    pub decision: Option<u32>,
}

/// A moment of a run and what the page shows of it: `&at=7.3&sel=job:a2&view=shares&why=1`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Moment {
    /// The cycle or decision.
    pub at: Option<At>,
    /// The selection: `job:a2`.
    pub sel: Option<String>,
    /// The open view: `shares`.
    pub view: Option<String>,
    /// Whether the explanation is open.
    pub why: bool,
    /// A note of the sender.
    pub note: Option<String>,
}

/// Longest note, in characters.
pub const NOTE_CHARS_MAX: usize = 500;

impl Moment {
    /// Parses the parameters after the scenario of a link or complete address; unknown ones are ignored.
    pub fn parse(text: &str) -> Moment {
        let moment = Moment::parse_once(text);
        match percent_decoded(text) {
            Some(decoded) if moment == Moment::default() => Moment::parse_once(&decoded),
            _ => moment,
        }
    }

    fn parse_once(text: &str) -> Moment {
        let mut moment = Moment::default();
        let text = text.trim();
        let fragment = text.split_once('#').map_or(text, |(_, fragment)| fragment);
        // No parameter ends in punctuation, so any that follows belongs to the surrounding sentence.
        let fragment = fragment.trim_end_matches(|c: char| !c.is_ascii_alphanumeric() && c != '=');
        for (name, value) in fragment.split('&').filter_map(|part| part.split_once('=')) {
            match name {
                "at" => moment.at = at(value),
                "sel" => moment.sel = unescape(value),
                "view" => moment.view = unescape(value),
                "why" => moment.why = value == "1",
                "note" => moment.note = note(value),
                _ => {}
            }
        }
        moment
    }
}

/// Decodes a note, truncated to the maximum length.
fn note(value: &str) -> Option<String> {
    let text = String::from_utf8(URL_SAFE_NO_PAD.decode(value).ok()?).ok()?;
    Some(text.chars().take(NOTE_CHARS_MAX).collect()).filter(|text: &String| !text.trim().is_empty())
}

fn at(value: &str) -> Option<At> {
    let (cycle, decision) = match value.split_once('.') {
        Some((cycle, decision)) => (cycle, Some(decision.parse().ok()?)),
        None => (value, None),
    };
    Some(At { cycle: cycle.parse().ok()?, decision })
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(at) = self.at {
            write!(f, "&at={}", at.cycle)?;
            if let Some(decision) = at.decision {
                write!(f, ".{decision}")?;
            }
        }
        for (name, value) in [("sel", &self.sel), ("view", &self.view)] {
            if let Some(value) = value {
                write!(f, "&{name}={}", escape(value))?;
            }
        }
        if self.why {
            f.write_str("&why=1")?;
        }
        match self.note.as_deref().map(str::trim).filter(|note| !note.is_empty()) {
            Some(note) => {
                let note: String = note.chars().take(NOTE_CHARS_MAX).collect();
                write!(f, "&note={}", URL_SAFE_NO_PAD.encode(note))
            }
            None => Ok(()),
        }
    }
}

/// Encodes a text in characters that no program escapes; others, and `_` itself, become `_` with two hexadecimal
/// digits.
fn escape(text: &str) -> String {
    let mut out = String::new();
    for (i, byte) in text.bytes().enumerate() {
        // A trailing dot would be mistaken for the end of a sentence.
        let dot = byte == b'.' && i + 1 < text.len();
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b':') && i + 1 < text.len() || dot {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("_{byte:02x}"));
        }
    }
    out
}

fn unescape(text: &str) -> Option<String> {
    hex_decoded(text, b'_')
}

/// Decodes percent escapes; `None` if there are none, or some are invalid.
pub fn percent_decoded(text: &str) -> Option<String> {
    if text.contains('%') { hex_decoded(text, b'%') } else { None }
}

fn hex_decoded(text: &str, mark: u8) -> Option<String> {
    let mut bytes = text.bytes();
    let mut out = Vec::with_capacity(text.len());
    while let Some(byte) = bytes.next() {
        if byte != mark {
            out.push(byte);
            continue;
        }
        let mut digit = || char::from(bytes.next()?).to_digit(16);
        let (high, low) = (digit()?, digit()?);
        out.push(u8::try_from(high * 16 + low).ok()?);
    }
    String::from_utf8(out).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_readable() {
        let moment = Moment {
            at: Some(At { cycle: 7, decision: Some(3) }),
            sel: Some("job:a2".into()),
            view: Some("shares".into()),
            why: true,
            note: None,
        };
        assert_eq!(moment.to_string(), "&at=7.3&sel=job:a2&view=shares&why=1");
        assert_eq!(Moment::parse(&format!("https://example.org/#d1.x.y{moment}")), moment);
        assert_eq!(
            Moment::parse("d1.x.y%26at%3D7.3%26sel%3Djob%3Aa2&view=shares"),
            Moment { view: Some("shares".into()), ..Moment::default() }
        );
        for end in [".", ",", "!)", ".\"", "_", "…"] {
            assert_eq!(Moment::parse(&format!("d1.x.y&at=7.3{end}")).at, moment.at, "{end}");
            assert_eq!(Moment::parse(&format!("d1.x.y&sel=job:a2{end}")).sel, moment.sel, "{end}");
        }
        assert_eq!(Moment::parse("d1.x.y&at=x&sel=_q&other=1"), Moment::default());
    }

    #[test]
    fn any_name_survives() {
        for name in ["", "a b", "a_b", "job:é&=#.", "x.", "-", "<b>%41"] {
            let moment = Moment { sel: Some(name.into()), ..Moment::default() };
            let text = moment.to_string();
            assert_eq!(Moment::parse(&text), moment, "{text}");
            assert!(text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.&=:".contains(&b)), "{text}");
        }
    }
}
