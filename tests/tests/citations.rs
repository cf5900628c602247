//! Every citation of a specification in the code resolves: document, section and register entry exist in `docs/spec`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

const DOCUMENTS: [&str; 6] = ["kai", "kai-v0.17", "kai-v0.18", "yunikorn", "runai", "ego"];
const FOLDERS: [&str; 6] = ["core/src", "core/tests", "cli", "web/src", "tests/src", "tests/tests"];
/// Registers, whose entries are cited as `Q-5`: oddities, nondeterminism, assumptions.
const REGISTERS: [&str; 4] = ["Q", "N", "OC", "RC"];

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// Citable parts of a document.
struct Document {
    sections: BTreeSet<String>,
    entries: BTreeSet<String>,
}

fn document(name: &str) -> Document {
    let text = fs::read_to_string(root().join(format!("docs/spec/{name}.md"))).expect("docs/spec");
    let mut sections = BTreeSet::new();
    for line in text.lines() {
        // A heading, or a numbered paragraph of a section without headings.
        let title = line.trim_start_matches('#').trim_start().trim_start_matches('*');
        let number = number_at(title);
        if !number.is_empty() {
            sections.insert(number.to_string());
        }
    }
    Document { sections, entries: register_entries(&text).collect() }
}

/// Section number at the start of a text; empty if there is none.
fn number_at(text: &str) -> &str {
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    text[..end].trim_end_matches('.')
}

/// Register entries in a text, such as `OC-11`.
fn register_entries(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-')).filter_map(|word| {
        let (register, number) = word.split_once('-')?;
        let is_entry =
            REGISTERS.contains(&register) && !number.is_empty() && number.chars().all(|c| c.is_ascii_digit());
        is_entry.then(|| word.to_string())
    })
}

/// Section numbers that follow the name of a document: `6.3 A, 6.8` or `3.7 to 3.9`.
fn cited_sections(text: &str) -> Vec<&str> {
    let mut cited = Vec::new();
    let mut rest = text;
    loop {
        let number = number_at(rest);
        if number.is_empty() {
            return cited;
        }
        cited.push(number);
        rest = &rest[number.len()..];
        // A part of a section: a letter.
        if let Some(after) = rest.strip_prefix(' ')
            && after.len() > 1
            && after.as_bytes()[0].is_ascii_alphabetic()
            && !after.as_bytes()[1].is_ascii_alphanumeric()
        {
            rest = &after[1..];
        }
        let next = [", ", " to ", " and ", "-"].iter().find_map(|between| rest.strip_prefix(between));
        match next {
            Some(next) => rest = next,
            None => return cited,
        }
    }
}

fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            rust_files(&path, files);
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
}

#[test]
fn every_citation_resolves() {
    let documents: Vec<(&str, Document)> = DOCUMENTS.iter().map(|name| (*name, document(name))).collect();
    let mut files = Vec::new();
    FOLDERS.iter().for_each(|folder| rust_files(&root().join(folder), &mut files));
    let (mut found, mut dead) = (0, Vec::new());
    for file in files {
        let text = fs::read_to_string(&file).expect("a source file");
        for (at, line) in text.lines().enumerate() {
            for (name, document) in &documents {
                for (start, cited) in line.match_indices(&format!("{name}.md ")) {
                    for section in cited_sections(&line[start + cited.len()..]) {
                        found += 1;
                        if !document.sections.contains(section) {
                            dead.push(format!("{}:{}: {name}.md has no section {section}", file.display(), at + 1));
                        }
                    }
                }
            }
        }
    }
    assert!(found > 200, "only {found} citations found");
    assert!(dead.is_empty(), "correct these citations, or docs/spec:\n{}", dead.join("\n"));
}

#[test]
fn every_register_entry_is_defined() {
    let (mut found, mut dead) = (0, Vec::new());
    for (policy, specs) in [
        ("kai", &["kai", "kai-v0.17", "kai-v0.18", "runai"][..]),
        ("yunikorn", &["yunikorn"]),
        ("runai", &["runai", "kai"]),
        ("ego", &["ego"]),
    ] {
        let defined: BTreeSet<String> = specs.iter().flat_map(|name| document(name).entries).collect();
        let mut files = Vec::new();
        rust_files(&root().join("core/src/policy").join(policy), &mut files);
        for file in files {
            let text = fs::read_to_string(&file).expect("a source file");
            for entry in register_entries(&text) {
                found += 1;
                if !defined.contains(&entry) {
                    dead.push(format!("{}: {entry}", file.display()));
                }
            }
        }
    }
    assert!(found > 30, "only {found} register entries found");
    assert!(dead.is_empty(), "not defined in docs/spec:\n{}", dead.join("\n"));
}

#[test]
fn citations_are_parsed_in_all_notations() {
    assert_eq!(cited_sections("6.3 A, 6.8; more"), ["6.3", "6.8"]);
    assert_eq!(cited_sections("3.7 to 3.9: x"), ["3.7", "3.9"]);
    assert_eq!(cited_sections("3.2-3.4"), ["3.2", "3.4"]);
    assert_eq!(cited_sections("2.3 and 2.6 by hand"), ["2.3", "2.6"]);
    assert_eq!(cited_sections("example 18"), [""; 0]);
    assert_eq!(register_entries("tie (OC-11), Q-5. SEQ-1").collect::<Vec<_>>(), ["OC-11", "Q-5"]);
}
