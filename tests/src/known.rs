//! Real differences that are understood and accepted, one reason each.
//!
//! The file is a subset of TOML: tables `[[difference]]` with text keys, and comments. An entry covers one difference, not the
//! case: if the case fails in another way, a panic included, it counts as failed.

use crate::report::{FileReport, Verdict};
use crate::run::Through;

/// A difference that is understood.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Difference {
    /// End of the recording's path.
    pub file: String,
    /// The case.
    pub id: String,
    /// Which door the case takes where it differs; left out: the rules' own.
    pub through: Through,
    /// The first differing decision, as the run reports it.
    pub says: String,
    /// Why it differs.
    pub reason: String,
}

impl Difference {
    /// Whether the entry speaks of this file.
    pub fn is_in(&self, path: &str) -> bool {
        path.trim_end_matches(".gz").ends_with(&self.file)
    }

    /// What becomes of the verdict on its case: only the very difference of the entry is known, and one that has vanished is a
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

/// Entries whose case was not run.
pub fn without_case<'a>(
    list: &'a [Difference],
    reports: &[FileReport],
    through: Through,
) -> Vec<&'a Difference> {
    let has_case = |d: &Difference| {
        reports.iter().any(|report| d.is_in(&report.file) && report.cases.iter().any(|case| case.id == d.id))
    };
    list.iter().filter(|d| d.through == through && !has_case(d)).collect()
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
        let value = value.trim();
        let between = |quote: char| value.strip_prefix(quote).and_then(|v| v.strip_suffix(quote));
        let value = between('"').or_else(|| between('\'')).ok_or_else(complaint)?;
        let entry = list.last_mut().ok_or_else(complaint)?;
        match key.trim() {
            "file" => entry.file = value.to_owned(),
            "id" => entry.id = value.to_owned(),
            "difference" => entry.says = value.to_owned(),
            "through" if value == "scenarios" => entry.through = Through::Scenarios,
            "reason" => entry.reason = value.to_owned(),
            other => return Err(format!("line {}: unknown key {other:?}", i + 1)),
        }
    }
    let is_empty = |d: &Difference| [&d.file, &d.id, &d.says, &d.reason].iter().any(|text| text.is_empty());
    match list.iter().find(|d| is_empty(d)) {
        Some(d) => Err(format!("entry {:?} {:?}: file, id, difference and reason are needed", d.file, d.id)),
        None => Ok(list),
    }
}

#[cfg(test)]
mod tests {
    use super::{Difference, parse, without_case};
    use crate::report::{CaseReport, FileReport, Verdict};
    use crate::run::Through;

    const LIST: &str = "[[difference]]\nfile = \"a/b.jsonl\"\nid = \"one\"\ndifference = \"x: 1 instead of 2\"\nreason = \"known\"\n";

    fn entry() -> Difference {
        parse(LIST).expect("an entry").remove(0)
    }

    #[test]
    fn only_the_difference_itself_is_known() {
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
        let report = |file: &str, cases: Vec<CaseReport>| FileReport {
            file: file.to_owned(),
            revision: String::new(),
            cases,
        };
        let list = [entry()];
        assert!(
            without_case(&list, &[report("x/a/b.jsonl.gz", vec![case.clone()])], Through::Rules).is_empty()
        );
        assert_eq!(without_case(&list, &[report("x/a/b.jsonl.gz", vec![])], Through::Rules).len(), 1);
        assert_eq!(without_case(&list, &[report("x/a/c.jsonl", vec![case])], Through::Rules).len(), 1);
        assert!(without_case(&list, &[], Through::Scenarios).is_empty());
    }

    #[test]
    fn an_entry_names_its_difference() {
        let without = LIST.replace("difference = \"x: 1 instead of 2\"\n", "");
        assert!(parse(&without).is_err());
        let through = LIST.replace("reason", "through = \"scenarios\"\nreason");
        assert_eq!(parse(&through).expect("an entry")[0].through, Through::Scenarios);
    }
}
