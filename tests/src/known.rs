//! Real differences that are understood and accepted, one reason each.
//!
//! The file is a subset of TOML: tables `[[difference]]` with the text keys `file` (end of the path, without
//! `.gz`), `id` and `reason`, and comments.

/// A difference that is understood.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Difference {
    /// End of the recording's path.
    pub file: String,
    /// The case.
    pub id: String,
    /// Why it differs.
    pub reason: String,
}

impl Difference {
    /// Whether the entry speaks of this file.
    pub fn is_in(&self, path: &str) -> bool {
        path.trim_end_matches(".gz").ends_with(&self.file)
    }
}

/// Reads the list.
pub fn parse(text: &str) -> Result<Vec<Difference>, String> {
    let mut list: Vec<Difference> = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if line == "[[difference]]" {
            list.push(Difference::default());
            continue;
        }
        let complaint = || format!("line {}: expected [[difference]] or key = \"text\"", i + 1);
        let (key, value) = line.split_once('=').ok_or_else(complaint)?;
        let value = value.trim().strip_prefix('"').and_then(|v| v.strip_suffix('"')).ok_or_else(complaint)?;
        let entry = list.last_mut().ok_or_else(complaint)?;
        match key.trim() {
            "file" => entry.file = value.to_owned(),
            "id" => entry.id = value.to_owned(),
            "reason" => entry.reason = value.to_owned(),
            other => return Err(format!("line {}: unknown key {other:?}", i + 1)),
        }
    }
    match list.iter().find(|d| d.file.is_empty() || d.id.is_empty() || d.reason.is_empty()) {
        Some(d) => Err(format!("entry {:?} {:?}: file, id and reason are needed", d.file, d.id)),
        None => Ok(list),
    }
}
