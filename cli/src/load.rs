//! Loads scenarios from files, standard input and links.

use std::io::Read;
use std::path::PathBuf;

use fairground::link::{self, LinkError};
use fairground::scenario::{self, Plan, Scenario, Severity};
use fairground::translate::{Note, translate};

use crate::Stop;
use crate::messages::{eprint_line, print_notes, report, shown};

/// Maximum size of a file, in bytes.
const FILE_MAX: u64 = 50 << 20;
/// Maximum depth of folders.
const FOLDERS_MAX: u32 = 8;

/// A valid scenario with its plan.
pub struct Loaded {
    pub scenario: Scenario,
    pub plan: Plan,
    /// Notes of the translation; `None` without a translation.
    pub notes: Option<Vec<Note>>,
    /// Number of reported warnings.
    pub n_warnings: usize,
}

/// Reads a text file, or standard input for `-`. Reports errors.
pub fn text(file: &str) -> Result<String, Stop> {
    String::from_utf8(bytes(file)?).map_err(|_| {
        eprint_line(&format!("fairground: {}: not UTF-8 text", shown(file)));
        Stop::BadInput
    })
}

/// Reads a file, or standard input for `-`. Reports errors.
fn bytes(file: &str) -> Result<Vec<u8>, Stop> {
    let mut bytes = Vec::new();
    let read = if file == "-" {
        std::io::stdin().take(FILE_MAX + 1).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(file).and_then(|opened| opened.take(FILE_MAX + 1).read_to_end(&mut bytes))
    };
    match read {
        Err(error) => {
            eprint_line(&format!("fairground: {}: {error}", shown(file)));
            Err(Stop::Failed)
        }
        Ok(_) if bytes.len() as u64 > FILE_MAX => {
            eprint_line(&format!("fairground: {}: larger than 50 MB", shown(file)));
            Err(Stop::BadInput)
        }
        Ok(_) => Ok(bytes),
    }
}

/// Reads a file or, recursively, the files of a folder. Reports errors.
pub fn files(path: &str) -> Result<Vec<(String, Vec<u8>)>, Stop> {
    let mut found = Vec::new();
    let mut folders = vec![(PathBuf::from(path), 0)];
    if path == "-" || !std::path::Path::new(path).is_dir() {
        return Ok(vec![(path.to_string(), bytes(path)?)]);
    }
    while let Some((folder, depth)) = folders.pop() {
        let failed = |error| {
            eprint_line(&format!("fairground: {}: {error}", folder.display()));
            Stop::Failed
        };
        let entries: Result<Vec<_>, _> = std::fs::read_dir(&folder).map_err(failed)?.collect();
        let mut entries = entries.map_err(failed)?;
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            let path = entry.path();
            let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
            match entry.file_type().map_err(failed)? {
                _ if is_hidden => {}
                kind if kind.is_dir() && depth < FOLDERS_MAX => folders.push((path, depth + 1)),
                kind if kind.is_file() => {
                    let name = path.display().to_string();
                    found.push((name.clone(), bytes(&name)?));
                }
                _ => {}
            }
        }
    }
    Ok(found)
}

/// Loads, optionally translates, and checks a scenario. Reports all findings on stderr.
pub fn load(file: &str, policy: Option<&str>) -> Result<Loaded, Stop> {
    let (file, text) = if link::looks_like_link(file) && !std::path::Path::new(file).exists() {
        ("link", scenario::to_yaml(&from_link(file)?))
    } else {
        (file, text(file)?)
    };
    let mut notes = None;
    let loaded = scenario::load(&text, |mut scenario| {
        let Some(policy) = policy else { return scenario };
        match translate(&scenario, policy) {
            Some(translated) => (scenario, notes) = (translated.scenario, Some(translated.notes)),
            // One of the two policies is unknown; the check reports it.
            None => scenario.policy = policy.to_string(),
        }
        scenario
    });
    report(file, &loaded.findings)?;
    match (loaded.scenario, loaded.plan) {
        (Some(scenario), Some(plan)) => {
            print_notes(notes.as_deref().unwrap_or_default())?;
            let n_warnings = loaded.findings.iter().filter(|found| found.severity == Severity::Warning).count();
            Ok(Loaded { scenario, plan, notes, n_warnings })
        }
        _ => {
            let n = loaded.findings.iter().filter(|found| found.severity == Severity::Error).count();
            eprint_line(&format!("{}: cannot be run: {n} error{}", shown(file), if n == 1 { "" } else { "s" }));
            Err(Stop::BadInput)
        }
    }
}

/// Decodes the scenario in a link. Reports errors.
pub fn from_link(given: &str) -> Result<Scenario, Stop> {
    link::decode(given).map_err(|error| {
        let says = match error {
            LinkError::NotALink => "not a link to a scenario".to_string(),
            LinkError::NewerVersion { version } => {
                format!("made by a newer version (format {version}); update fairground")
            }
            LinkError::Cut { arrived, expected: Some(expected) } => {
                format!("cut off: {arrived} of {expected} characters arrived")
            }
            LinkError::Cut { arrived, expected: None } => format!("cut off after {arrived} characters"),
            LinkError::Damaged => "damaged: some characters were changed; copy it again".to_string(),
            LinkError::TooLarge => "larger than 8 MB".to_string(),
            LinkError::Content { says } => says,
        };
        eprint_line(&format!("fairground: link: {says}"));
        Stop::BadInput
    })
}
