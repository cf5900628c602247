//! Pasted and dropped files, read where reading does not hold up the page.

use fairground::scenario;

use super::protocol::{ImportOptions, Say};

/// What is understood of some files.
pub fn read(files: &[(String, String)], options: &ImportOptions) -> Say {
    let _ = options;
    let Some((_, text)) = files.first() else {
        return Say::Imported {
            scenario: None,
            understood: Vec::new(),
            assumed: Vec::new(),
            ignored: Vec::new(),
            findings: vec!["There is nothing to read.".to_string()],
        };
    };
    let read = scenario::read(text);
    let clean = read.is_clean();
    Say::Imported {
        understood: read
            .scenario
            .iter()
            .map(|s| format!("{} queues, {} jobs", s.queues.len(), s.jobs.len()))
            .collect(),
        scenario: read.scenario.as_ref().filter(|_| clean).map(scenario::to_json),
        assumed: Vec::new(),
        ignored: Vec::new(),
        findings: read.diagnostics.into_iter().map(|d| d.says).collect(),
    }
}
