//! Files of recordings: JSON lines, plain or gzipped; the first line is a header, every other line a case.

use std::fmt;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::yunikorn::CaseKind;

/// An error in a file, with its position.
#[derive(Clone, Debug, PartialEq)]
pub struct Malformed {
    pub file: PathBuf,
    /// The line, from 1; 0 for the file as a whole.
    pub line: usize,
    /// Message.
    pub says: String,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file.display(), self.line, self.says)
    }
}

/// Formats of recordings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `kai-division/1`.
    KaiDivision,
    /// `kai-cycle/1`.
    KaiCycle,
    /// `ego-model/1`.
    Ego,
    /// `runai-model/1`.
    Runai,
    /// `yunikorn-pure/1`, `yunikorn-config/1`, `yunikorn-trace/1`.
    YuniKorn(crate::yunikorn::CaseKind),
}

impl Format {
    fn of(name: &str) -> Option<Format> {
        match name {
            "kai-division/1" => Some(Format::KaiDivision),
            "kai-cycle/1" => Some(Format::KaiCycle),
            "ego-model/1" => Some(Format::Ego),
            "runai-model/1" => Some(Format::Runai),
            "yunikorn-pure/1" => Some(Format::YuniKorn(CaseKind::Pure)),
            "yunikorn-config/1" => Some(Format::YuniKorn(CaseKind::Config)),
            "yunikorn-trace/1" => Some(Format::YuniKorn(CaseKind::Trace)),
            _ => None,
        }
    }

    /// Name in headers.
    pub fn name(&self) -> &'static str {
        match self {
            Format::KaiDivision => "kai-division/1",
            Format::KaiCycle => "kai-cycle/1",
            Format::Ego => "ego-model/1",
            Format::Runai => "runai-model/1",
            Format::YuniKorn(CaseKind::Pure) => "yunikorn-pure/1",
            Format::YuniKorn(CaseKind::Config) => "yunikorn-config/1",
            Format::YuniKorn(CaseKind::Trace) => "yunikorn-trace/1",
        }
    }
}

#[derive(Deserialize)]
struct Header {
    format: String,
    #[serde(default)]
    upstream_revision: Option<String>,
    count: Option<usize>,
}

/// A file with unparsed cases.
#[derive(Clone, Debug)]
pub struct Recording {
    /// Path of the file.
    pub path: PathBuf,
    /// Format of its cases.
    pub format: Format,
    /// Recorded revision; empty if the header has none.
    pub revision: String,
    /// Line number and text of every case.
    pub cases: Vec<(usize, String)>,
}

/// Whether the name of a file is that of a recording.
pub fn is_recording(path: &Path) -> bool {
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    name.ends_with(".jsonl") || name.ends_with(".jsonl.gz")
}

/// All recordings below a directory, or the file itself, by path.
pub fn find(path: &Path) -> Result<Vec<PathBuf>, Malformed> {
    let mut found = Vec::new();
    let mut open = vec![path.to_path_buf()];
    while let Some(path) = open.pop() {
        let failed = |e: std::io::Error| Malformed { file: path.clone(), line: 0, says: e.to_string() };
        if fs::metadata(&path).map_err(failed)?.is_dir() {
            for entry in fs::read_dir(&path).map_err(failed)? {
                open.push(entry.map_err(failed)?.path());
            }
        } else if is_recording(&path) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// Returns a case below `tests/golden` by the value of a field.
///
/// # Panics
/// If there is no such case.
pub fn case_of<T: DeserializeOwned>(file: &str, field: &str, value: &str) -> T {
    let case = golden::<Value>(file).find(|case| case[field] == value).expect("a case with that value");
    serde_json::from_value(case).expect("a case of that format")
}

/// Reads the cases of a file below `tests/golden`.
///
/// # Panics
/// If it cannot be read.
pub fn golden<T: DeserializeOwned>(file: &str) -> impl Iterator<Item = T> {
    let recording = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("golden").join(file)).expect("a recording");
    recording.cases.into_iter().map(|(_, text)| serde_json::from_str(&text).expect("a case"))
}

/// A test for each worked example of a recording, and one that none is without a test.
#[macro_export]
macro_rules! worked_examples {
    ($file:literal, $check:path; $($(#[$doc:meta])* $name:ident = $id:literal;)+) => {
        $($(#[$doc])* #[test] fn $name() {
            assert_eq!($check(&$crate::recording::case_of($file, "id", $id)), $crate::report::Verdict::Equal);
        })+

        #[test]
        fn every_example_is_named() {
            assert_eq!($crate::recording::golden::<serde_json::Value>($file).count(), [$($id),+].len());
        }
    };
}

/// Reads a file and its header; cases are parsed later.
pub fn read(path: &Path) -> Result<Recording, Malformed> {
    let failed = |line: usize, says: String| Malformed { file: path.to_path_buf(), line, says };
    let bytes = fs::read(path).map_err(|e| failed(0, e.to_string()))?;
    let mut text = String::new();
    if path.extension().is_some_and(|e| e == "gz") {
        let mut decoder = flate2::read::MultiGzDecoder::new(&bytes[..]);
        decoder.read_to_string(&mut text).map_err(|e| failed(0, format!("not gzip of UTF-8: {e}")))?;
    } else {
        text = String::from_utf8(bytes).map_err(|e| failed(0, format!("not UTF-8: {e}")))?;
    }
    let mut lines = text.lines().enumerate().filter(|(_, l)| !l.trim().is_empty());
    let (_, first) = lines.next().ok_or_else(|| failed(0, "empty".to_owned()))?;
    let header: Header = serde_json::from_str(first).map_err(|e| failed(1, format!("not a header: {e}")))?;
    let format = Format::of(&header.format).ok_or_else(|| failed(1, format!("unknown format {:?}", header.format)))?;
    let cases: Vec<(usize, String)> = lines.map(|(i, l)| (i + 1, l.to_owned())).collect();
    if cases.is_empty() {
        return Err(failed(0, "no cases".to_owned()));
    }
    if header.count.is_some_and(|n| n != cases.len()) {
        let says = format!("{} cases, but the header says {}", cases.len(), header.count.unwrap_or(0));
        return Err(failed(0, says));
    }
    let revision = header.upstream_revision.unwrap_or_default();
    Ok(Recording { path: path.to_path_buf(), format, revision, cases })
}
