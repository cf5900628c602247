//! Accepted differences from the real schedulers, one reason each.
//!
//! An entry covers one difference, not the case: if the case fails differently, panics included, it counts as failed.

use clap::ValueEnum;
use fairground::format::value::{self, Is, Value};

use crate::report::{FileReport, Verdict};
use crate::run::Through;

/// An accepted difference.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Difference {
    /// Suffix of the recording's path.
    pub file: String,
    pub id: String,
    /// How the case enters the engine; by default the rules' own structures.
    pub through: Through,
    /// First differing decision, as reported.
    pub says: String,
    pub reason: String,
}

impl Difference {
    /// Whether the entry is about this file.
    pub fn is_in(&self, path: &str) -> bool {
        path.trim_end_matches(".gz").ends_with(&self.file)
    }

    /// Adjusts the verdict on its case: only the exact difference of the entry is accepted, and a vanished one is a
    /// failure.
    pub fn judge(&self, verdict: &Verdict) -> Verdict {
        match verdict {
            Verdict::Failed(says) if *says == self.says => Verdict::Known(self.reason.clone()),
            Verdict::Failed(says) => Verdict::Failed(format!("{says}; the known difference is another")),
            Verdict::Equal | Verdict::InSet | Verdict::Near => {
                Verdict::Failed("agrees: take it from the list of known differences".to_owned())
            }
            other => other.clone(),
        }
    }
}

/// Returns entries whose case was not run.
pub fn without_case<'a>(list: &'a [Difference], reports: &[FileReport], through: Through) -> Vec<&'a Difference> {
    let has_case = |d: &Difference| {
        reports.iter().any(|report| d.is_in(&report.file) && report.cases.iter().any(|case| case.id == d.id))
    };
    list.iter().filter(|d| d.through == through && !has_case(d)).collect()
}

/// Keys of an entry.
const KEYS: [&str; 5] = ["file", "id", "through", "difference", "reason"];

/// Reads the list.
pub fn parse(text: &str) -> Result<Vec<Difference>, String> {
    let root = value::parse(text, &[]).map_err(|wrong| wrong.says)?;
    match root.get("differences").map(|list| &list.is) {
        Some(Is::List(entries)) => entries.iter().map(entry).collect(),
        _ => Err("a list of differences is needed".to_owned()),
    }
}

fn entry(value: &Value) -> Result<Difference, String> {
    let wrong = |says: String| format!("line {}: {says}", value.at.0);
    if let Is::Map(keys) = &value.is
        && let Some((other, _)) = keys.iter().find(|(key, _)| !KEYS.contains(&key.as_str()))
    {
        return Err(wrong(format!("unknown key {other:?}")));
    }
    let given = |key: &str| match value.get(key).map(|value| &value.is) {
        Some(Is::Scalar(text)) if !text.is_empty() => Some(text.clone()),
        _ => None,
    };
    let needed = |key: &str| given(key).ok_or_else(|| wrong(format!("{key} is needed")));
    let through = given("through").map_or(Ok(Through::default()), |text| Through::from_str(&text, false));
    Ok(Difference {
        file: needed("file")?,
        id: needed("id")?,
        through: through.map_err(wrong)?,
        says: needed("difference")?,
        reason: needed("reason")?,
    })
}

#[cfg(test)]
mod tests {
    use super::{Difference, parse, without_case};
    use crate::report::{CaseReport, FileReport, Verdict};
    use crate::run::Through;

    const LIST: &str =
        "differences:\n- file: a/b.jsonl\n  id: one\n  difference: \"x: 1 instead of 2\"\n  reason: known\n";

    fn entry() -> Difference {
        parse(LIST).expect("an entry").remove(0)
    }

    #[test]
    fn only_the_exact_difference_is_accepted() {
        let judge = |says: &str| entry().judge(&Verdict::Failed(says.to_owned()));
        assert_eq!(judge("x: 1 instead of 2"), Verdict::Known("known".to_owned()));
        assert!(matches!(judge("x: 1 instead of 3"), Verdict::Failed(_)));
        assert!(matches!(judge("panicked: index out of bounds"), Verdict::Failed(_)));
        assert!(matches!(entry().judge(&Verdict::Equal), Verdict::Failed(_)));
        assert_eq!(entry().judge(&Verdict::CannotSay("x")), Verdict::CannotSay("x"));
    }

    #[test]
    fn an_entry_without_a_case_is_found() {
        let case = CaseReport { line: 2, id: "one".to_owned(), verdict: Verdict::Equal };
        let report =
            |file: &str, cases: Vec<CaseReport>| FileReport { file: file.to_owned(), revision: String::new(), cases };
        let list = [entry()];
        assert!(without_case(&list, &[report("x/a/b.jsonl.gz", vec![case.clone()])], Through::Rules).is_empty());
        assert_eq!(without_case(&list, &[report("x/a/b.jsonl.gz", vec![])], Through::Rules).len(), 1);
        assert_eq!(without_case(&list, &[report("x/a/c.jsonl", vec![case])], Through::Rules).len(), 1);
        assert!(without_case(&list, &[], Through::Scenarios).is_empty());
    }

    #[test]
    fn an_entry_names_its_difference() {
        let without = LIST.replace("  difference: \"x: 1 instead of 2\"\n", "");
        assert_eq!(parse(&without), Err("line 2: difference is needed".to_owned()));
        let other = LIST.replace("reason", "because");
        assert_eq!(parse(&other), Err("line 2: unknown key \"because\"".to_owned()));
        let through = LIST.replace("  reason", "  through: scenarios\n  reason");
        assert_eq!(parse(&through).expect("an entry")[0].through, Through::Scenarios);
    }
}
