//! A scenario, and a moment in it, as the fragment of a link: `d1.<data>.<trailer>&at=7&sel=job:a2`. A lesson is
//! `l1.<data>.<trailer>&at=3` with its file as data and the number of a frame.
//!
//! `d1`: raw deflate, layout 1. Data: base64url of the scenario's compressed columns; its first four characters are the
//! number of characters of data, so that the missing part of a truncated link is known. The trailer is a checksum of
//! everything before it in base 36: damage is detected, and the last character is a letter or digit. Only `A–Z a–z 0–9
//! - _ .` occur.

mod columns;
mod moment;

use std::fmt;

use base64::Engine;
use base64::alphabet::URL_SAFE;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::{TINFLStatus, decompress_to_vec_with_limit};

use crate::scenario::Scenario;

pub use moment::{At, KeptRun, Moment, NOTE_CHARS_MAX, VALUES_MAX};

/// Longest content of a link before compression, in bytes.
pub const CONTENT_MAX: usize = 8 << 20;
/// Version of the rules of this build. Incremented when a policy decides differently than before.
pub const RULES: u32 = 2;

/// Letter of links to scenarios.
const SCENARIO: char = 'd';
/// Letter of links to lessons.
const LESSON: char = 'l';
/// Version of the layout, and the end of the prefix.
const LAYOUT: &str = "1.";
/// Length of the prefix, such as `d1.`.
const PREFIX_CHARS: usize = 3;
/// Length of the prefix with the number of characters of data.
const LENGTH_CHARS: usize = 4;
/// Length of the checksum: enough for 32 bits in base 36.
const CHECKSUM_CHARS: usize = 7;

/// Why a text is not a valid link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkError {
    /// The text is not a link of this product.
    NotALink,
    /// The link has a layout that this build does not support.
    NewerVersion {
        /// Its version, such as `d2`.
        version: String,
    },
    /// The link is truncated.
    Cut {
        /// Characters that arrived.
        arrived: usize,
        /// Characters expected, if the length can be read.
        expected: Option<usize>,
    },
    /// The checksum does not match.
    Damaged,
    /// The content inflates beyond [`CONTENT_MAX`].
    TooLarge,
    /// The content is complete but not a scenario.
    Content {
        /// Description of the error.
        says: String,
    },
}

impl fmt::Display for LinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LinkError::NotALink => f.write_str("This is not a Fairground link."),
            LinkError::NewerVersion { version } => {
                write!(f, "This link was made by a newer version of Fairground ({version}); reload the page to get it.")
            }
            LinkError::Cut { arrived, expected: Some(expected) } => {
                write!(f, "Only the first {arrived} of {expected} characters arrived.")
            }
            LinkError::Cut { arrived, expected: None } => {
                write!(f, "Only the first {arrived} characters arrived.")
            }
            LinkError::Damaged => f.write_str("Some of its characters were changed on the way."),
            LinkError::TooLarge => f.write_str("Its content is larger than 8 MB, which is more than a link may hold."),
            LinkError::Content { says } => {
                write!(f, "It arrived whole, but its content is no scenario: {says}.")
            }
        }
    }
}

/// The content of a link.
#[derive(Clone, Debug, PartialEq)]
pub struct Linked {
    pub scenario: Scenario,
    /// The rules ([`RULES`]) of the build that created the link.
    pub rules: u32,
}

/// Encodes a scenario as the text of a link.
pub fn encode(scenario: &Scenario) -> String {
    encode_with(scenario, RULES)
}

/// Encodes a scenario as a build with other rules does.
pub fn encode_with(scenario: &Scenario, rules: u32) -> String {
    encode_content(SCENARIO, &columns::write(scenario, rules))
}

/// Encodes a scenario as the text of a link; `None`: its content exceeds [`CONTENT_MAX`].
pub fn encode_within_limit(scenario: &Scenario) -> Option<String> {
    let content = columns::write(scenario, RULES);
    (content.len() <= CONTENT_MAX).then(|| encode_content(SCENARIO, &content))
}

/// Encodes the file of a lesson as the text of a link.
pub fn encode_lesson(file: &str) -> String {
    encode_content(LESSON, file)
}

fn encode_content(letter: char, content: &str) -> String {
    // Large scenarios are mostly shared as files, so speed matters more than the length of their links.
    let level = if content.len() < 200_000 { 10 } else { 6 };
    let data = URL_SAFE_NO_PAD.encode(compress_to_vec(content.as_bytes(), level));
    let n = LENGTH_CHARS + data.len();
    let mut text = format!("{letter}{LAYOUT}{}{data}.", write_digits(n, LENGTH_CHARS));
    let checksum = base36(checksum(text.as_bytes()));
    text.push_str(&checksum);
    text
}

/// Decodes the scenario of a link; the text may be a complete address, with or without a moment.
pub fn decode(text: &str) -> Result<Scenario, LinkError> {
    open(text).map(|linked| linked.scenario)
}

/// Decodes the content of a link; the text may be a complete address, with or without a moment.
pub fn open(text: &str) -> Result<Linked, LinkError> {
    let content = content_of(SCENARIO, text)?;
    let (scenario, rules) = columns::read(&content).map_err(|says| LinkError::Content { says })?;
    Ok(Linked { scenario, rules })
}

/// Decodes the file of a lesson; the text may be a complete address.
pub fn open_lesson(text: &str) -> Result<String, LinkError> {
    String::from_utf8(content_of(LESSON, text)?).map_err(|_| LinkError::Damaged)
}

/// The content of a link with this letter.
fn content_of(letter: char, text: &str) -> Result<Vec<u8>, LinkError> {
    unpack(letter, text).or_else(|first| {
        // Some programs percent-encode unreserved characters.
        match moment::percent_decoded(text) {
            Some(decoded) => unpack(letter, &decoded).map_err(|_| first),
            None => Err(first),
        }
    })
}

/// The part of an address after `#`.
fn fragment(text: &str) -> &str {
    let text = text.trim();
    text.split_once('#').map_or(text, |(_, fragment)| fragment)
}

/// Whether a text looks like a link of this product, complete or truncated.
pub fn looks_like_link(text: &str) -> bool {
    looks_like(SCENARIO, text) || looks_like_lesson(text)
}

/// Whether a text looks like a link to a lesson, complete or truncated.
pub fn looks_like_lesson(text: &str) -> bool {
    looks_like(LESSON, text)
}

fn looks_like(letter: char, text: &str) -> bool {
    let decoded = moment::percent_decoded(text);
    [Some(text), decoded.as_deref()].into_iter().flatten().any(|text| {
        let version = fragment(text).split('.').next().unwrap_or_default();
        is_version(letter, version) && fragment(text).len() > version.len()
    })
}

fn is_version(letter: char, text: &str) -> bool {
    let digits = text.strip_prefix(letter).unwrap_or_default();
    !digits.is_empty() && digits.len() < 5 && digits.bytes().all(|b| b.is_ascii_digit())
}

fn unpack(letter: char, text: &str) -> Result<Vec<u8>, LinkError> {
    let text = fragment(text);
    let text = text.split('&').next().unwrap_or_default();
    let prefix = format!("{letter}{LAYOUT}");
    let Some(rest) = text.strip_prefix(&prefix) else {
        let version = text.split('.').next().unwrap_or_default();
        return Err(if is_version(letter, version) && !prefix.starts_with(version) {
            LinkError::NewerVersion { version: version.to_string() }
        } else if prefix.starts_with(text) && text.len() >= 2 {
            LinkError::Cut { arrived: text.len(), expected: None }
        } else {
            LinkError::NotALink
        });
    };
    let arrived = text.chars().count();
    let Some(n) = rest.get(..LENGTH_CHARS) else {
        let expected = None;
        return Err(if rest.is_ascii() { LinkError::Cut { arrived, expected } } else { LinkError::Damaged });
    };
    let n = read_digits(n).filter(|&n| n >= LENGTH_CHARS).ok_or(LinkError::Damaged)?;
    let whole = PREFIX_CHARS + n + 1 + CHECKSUM_CHARS;
    let Some(link) = text.get(..whole) else {
        let expected = Some(whole);
        return Err(if text.is_ascii() { LinkError::Cut { arrived, expected } } else { LinkError::Damaged });
    };
    if !link.is_ascii() {
        return Err(LinkError::Damaged);
    }
    // Punctuation that chat programs append is not part of the link; a letter would be.
    let (signed, trailer) = link.split_at(whole - CHECKSUM_CHARS);
    let is_longer = text[whole..].starts_with(|c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    if is_longer || trailer != base36(checksum(signed.as_bytes())) {
        return Err(LinkError::Damaged);
    }
    let data = &signed[PREFIX_CHARS + LENGTH_CHARS..signed.len() - 1];
    let packed = URL_SAFE_NO_PAD.decode(data).map_err(|_| LinkError::Damaged)?;
    decompress_to_vec_with_limit(&packed, CONTENT_MAX).map_err(|e| match e.status {
        TINFLStatus::HasMoreOutput => LinkError::TooLarge,
        _ => LinkError::Damaged,
    })
}

/// CRC-32 as in gzip; detects every change of up to four adjacent characters.
fn checksum(bytes: &[u8]) -> u32 {
    let step = |crc: u32, &byte: &u8| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg()))
    };
    !bytes.iter().fold(!0, step)
}

/// Formats a checksum with a fixed length.
fn base36(mut n: u32) -> String {
    let mut digits = [b'0'; CHECKSUM_CHARS];
    for digit in digits.iter_mut().rev() {
        *digit = b"0123456789abcdefghijklmnopqrstuvwxyz"[(n % 36) as usize];
        n /= 36;
    }
    digits.iter().map(|&b| char::from(b)).collect()
}

/// Formats a number with a fixed number of digits, most significant first.
pub fn write_digits(n: usize, digits: usize) -> String {
    let alphabet = URL_SAFE.as_str().as_bytes();
    (0..digits).rev().map(|i| char::from(alphabet[n >> (6 * i) & 63])).collect()
}

/// Parses digits.
pub fn read_digits(text: &str) -> Option<usize> {
    text.chars().try_fold(0, |n: usize, c| Some(n << 6 | URL_SAFE.as_str().find(c)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_the_usual_one() {
        assert_eq!(checksum(b"123456789"), 0xcbf4_3926);
        assert_eq!(base36(u32::MAX), "1z141z3");
    }

    #[test]
    fn an_empty_scenario_has_a_short_link() {
        let link = encode(&Scenario::default());
        assert!(link.len() < 30, "{link}");
        assert_eq!(decode(&link), Ok(Scenario::default()));
    }

    #[test]
    fn lessons_have_links_of_their_own() {
        let link = encode_lesson("title: ä");
        assert!(link.starts_with("l1.") && looks_like_link(&link) && looks_like_lesson(&link), "{link}");
        assert_eq!(open_lesson(&format!("https://example.org/#{link}&at=2")).as_deref(), Ok("title: ä"));
        assert_eq!(open(&link), Err(LinkError::NotALink));
        assert!(!looks_like_lesson(&encode(&Scenario::default())));
        assert_eq!(open_lesson(&encode(&Scenario::default())), Err(LinkError::NotALink));
        assert_eq!(open_lesson("l2.abc"), Err(LinkError::NewerVersion { version: "l2".into() }));
        assert!(matches!(open_lesson(&link[..12]), Err(LinkError::Cut { arrived: 12, .. })));
        assert_eq!(open_lesson(&link.replace('A', "B")).is_err(), link.contains('A'));
    }

    #[test]
    fn errors_are_told_apart() {
        let link = encode(&Scenario { name: "a".into(), ..Scenario::default() });
        assert_eq!(decode(""), Err(LinkError::NotALink));
        assert_eq!(decode("https://example.org/#about"), Err(LinkError::NotALink));
        assert_eq!(decode("d2.abc"), Err(LinkError::NewerVersion { version: "d2".into() }));
        let cut = LinkError::Cut { arrived: 12, expected: Some(link.len()) };
        assert_eq!(decode(&link[..12]), Err(cut));
        assert_eq!(decode(&link.replace('.', ",")), Err(LinkError::NotALink));
        assert!(decode(&format!("https://example.org/a/?theme=dark#{link}&at=7")).is_ok());
        assert!(decode(&format!("{link}.")).is_ok());
        assert!(decode(&format!("{link})")).is_ok());
        assert_eq!(decode(&format!("{link}x")), Err(LinkError::Damaged));
        assert!(decode(&link.replace('.', "%2E").replace('-', "%2D")).is_ok());
        let bomb = URL_SAFE_NO_PAD.encode(compress_to_vec(&vec![b'0'; CONTENT_MAX + 1], 6));
        let mut text = format!("d1.{}{bomb}.", write_digits(bomb.len() + 4, 4));
        text.push_str(&base36(checksum(text.as_bytes())));
        assert_eq!(decode(&text), Err(LinkError::TooLarge));
    }

    #[test]
    fn what_is_written_is_read() {
        assert_eq!(write_digits(0xfbff, 3), "Pv_");
        assert_eq!(read_digits(&write_digits(123_456, 4)), Some(123_456));
        assert_eq!(read_digits("A="), None);
    }
}
