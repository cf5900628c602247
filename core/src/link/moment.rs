//! The moment of a link: readable parameters after the scenario.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::scenario::{Path, Segment, dotted, undotted};

/// A cycle, or a decision in it, both counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct At {
    pub cycle: u32,
    /// The decision in it.
    pub decision: Option<u32>,
}

/// A moment of a run and what the page shows of it: `&at=7.3&sel=job:a2&view=shares&why=1&control=queues~a~gpu~quota`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Moment {
    /// The cycle or decision.
    pub at: Option<At>,
    /// The selection: `job:a2`.
    pub sel: Option<String>,
    /// The open view: `shares`.
    pub view: Option<String>,
    /// The node pool whose numbers are shown; `None`: all.
    pub pool: Option<String>,
    /// Whether the explanation is open.
    pub why: bool,
    /// A note of the sender.
    pub note: Option<String>,
    /// The setting that the reader changes with a slider.
    pub control: Option<Path>,
    /// Runs to compare with; the first one is shown.
    pub kept: Vec<KeptRun>,
}

/// A run to compare with: the scenario of the link with other values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeptRun {
    /// Its letter.
    pub letter: char,
    /// What it is, at most 100 characters.
    pub label: String,
    /// Values by their paths, at most 40; an empty one is not set.
    pub values: Vec<(Path, String)>,
}

/// Largest number of kept runs.
pub const KEPT_MAX: usize = 5;
/// Longest label of a kept run, in characters.
pub const LABEL_CHARS_MAX: usize = 100;
/// Largest number of values of a kept run.
pub const VALUES_MAX: usize = 40;

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
                "pool" => moment.pool = unescape(value),
                "why" => moment.why = value == "1",
                "note" => moment.note = note(value),
                "control" => moment.control = control(value),
                "kept" if moment.kept.len() < KEPT_MAX => moment.kept.extend(kept(value)),
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

/// Lists whose elements have names.
const LISTS: [&str; 3] = ["queues", "nodes", "jobs"];

/// Reads the path of a setting: `queues~team-a~gpu~quota`.
fn control(value: &str) -> Option<Path> {
    let mut words = value.split('~').map(unescape);
    let first = words.next()??;
    let mut path = Path::default().field(&first);
    if LISTS.contains(&first.as_str()) {
        path = path.named(&words.next()??);
    }
    for word in words {
        path = path.field(&word?);
    }
    Some(path).filter(|path| path.0.len() > 1)
}

/// Reads a kept run: `A~as_20opened~queues.team-a.gpu.quota~2`.
fn kept(value: &str) -> Option<KeptRun> {
    let words = value.split('~').map(unescape).collect::<Option<Vec<String>>>()?;
    let [letter, label, values @ ..] = words.as_slice() else { return None };
    let letter = letter.parse().ok().filter(char::is_ascii_uppercase)?;
    let label = label.chars().take(LABEL_CHARS_MAX).collect();
    let is_whole = values.len() % 2 == 0 && values.len() <= 2 * VALUES_MAX;
    let values = values.chunks_exact(2).map(|pair| (undotted(&pair[0]), pair[1].clone())).collect();
    is_whole.then_some(KeptRun { letter, label, values })
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
        for (name, value) in [("sel", &self.sel), ("view", &self.view), ("pool", &self.pool)] {
            if let Some(value) = value {
                write!(f, "&{name}={}", escape(value))?;
            }
        }
        if self.why {
            f.write_str("&why=1")?;
        }
        if let Some(Path(segments)) = &self.control {
            let word = |segment: &Segment| match segment {
                Segment::Field(name) | Segment::Named(name) => escape(name),
                Segment::At(position) => position.to_string(),
            };
            write!(f, "&control={}", segments.iter().map(word).collect::<Vec<_>>().join("~"))?;
        }
        for run in &self.kept {
            let label: String = run.label.chars().take(LABEL_CHARS_MAX).collect();
            write!(f, "&kept={}~{}", run.letter, escape(&label))?;
            for (path, value) in &run.values {
                write!(f, "~{}~{}", escape(&dotted(path).unwrap_or_default()), escape(value))?;
            }
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
    use super::kept as kept_of;
    use super::*;

    #[test]
    fn a_setting_is_readable_whatever_its_name() {
        for name in ["team-a", "a.b~c", "ü & ~", ""] {
            let path = Path::default().field("queues").named(name).field("gpu").field("quota");
            let moment = Moment { control: Some(path), ..Moment::default() };
            assert_eq!(Moment::parse(&format!("#d1.x{moment}")), moment, "{name}");
        }
        let text = Moment { control: control("queues~team-a~gpu~quota"), ..Moment::default() }.to_string();
        assert_eq!(text, "&control=queues~team-a~gpu~quota");
        for wrong in ["", "queues", "queues~_zz~gpu", "~"] {
            assert!(control(wrong).is_none_or(|path| path.0.len() == 2), "{wrong}");
        }
    }

    #[test]
    fn kept_runs_are_values_of_the_same_scenario() {
        let run = |letter: char, values: &[(&str, &str)]| KeptRun {
            letter,
            label: "quota of team-a 2 → 3 & more~".into(),
            values: values.iter().map(|(path, value)| (undotted(path), value.to_string())).collect(),
        };
        let kept = vec![run('B', &[("queues.team-a.gpu.quota", "3"), ("settings.k-value", "")]), run('A', &[])];
        let moment = Moment { kept, ..Moment::default() };
        let text = moment.to_string();
        assert_eq!(Moment::parse(&format!("#d1.x{text}")), moment, "{text}");
        assert!(text.contains("~queues.team-a.gpu.quota~3~settings.k-value~&kept=A~"), "{text}");
        assert!(text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.&=:~".contains(&b)), "{text}");
        for wrong in ["A", "AB~x", "a~x", "A~x~cycle", "A~_zz", "~", ""] {
            assert_eq!(kept_of(wrong), None, "{wrong}");
        }
        assert_eq!(kept_of(&format!("A~x{}", "~cycle~1s".repeat(VALUES_MAX + 1))), None);
        assert_eq!(kept_of(&format!("A~{}", "x".repeat(999))).map(|run| run.label.len()), Some(LABEL_CHARS_MAX));
        assert_eq!(Moment::parse(&format!("#d1.x{}", "&kept=A~x".repeat(9))).kept.len(), KEPT_MAX);
    }

    #[test]
    fn a_moment_is_readable() {
        let moment = Moment {
            at: Some(At { cycle: 7, decision: Some(3) }),
            sel: Some("job:a2".into()),
            view: Some("shares".into()),
            pool: Some("pool b".into()),
            why: true,
            note: None,
            control: None,
            kept: Vec::new(),
        };
        assert_eq!(moment.to_string(), "&at=7.3&sel=job:a2&view=shares&pool=pool_20b&why=1");
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
