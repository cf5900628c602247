//! Every view, example and test named in `tests/coverage.md` exists, and the rules of a paragraph decide in its
//! examples.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use fairground_tests::rule_use::decided;
use fairground_tests::scenarios::simulation;

/// Folders with tests.
const TESTS: [&str; 6] =
    ["tests/tests", "core/tests", "web/tests", "tests/e2e/journeys", "core/src/policy/kai/share", "cli/tests"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn text(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|why| panic!("{path}: {why}"))
}

/// Cells of the rows of all tables, without headers.
fn rows(text: &str) -> Vec<Vec<&str>> {
    let lines = text.lines().filter(|line| line.starts_with("| "));
    lines.map(|line| line.trim_matches('|').split('|').map(str::trim).collect()).collect()
}

/// Code spans of a cell.
fn spans(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

fn is_none(cell: &str) -> bool {
    matches!(cell, "–" | "**missing**")
}

#[test]
fn everything_named_exists() {
    let (coverage, architecture) = (text("tests/coverage.md"), text("ARCHITECTURE.md"));
    let screens: Vec<&str> = rows(&architecture).into_iter().map(|row| row[0]).collect();
    let is_screen = |view: &str| screens.iter().any(|screen| screen.split([':', ',']).next() == Some(view));
    let mut wrong = Vec::new();
    let rows = rows(&coverage);
    assert!(rows.len() > 60, "{} lines", rows.len());
    for row in rows.iter().filter(|row| row[0] != "paragraph") {
        let &[paragraph, _, views, examples, _, tests] = row.as_slice() else {
            panic!("six cells: {row:?}");
        };
        if !is_none(views) {
            wrong.extend(views.split(", ").filter(|view| !is_screen(view)).map(|view| format!("view {view}")));
        }
        for example in spans(examples) {
            let is_there = root().join(format!("assets/scenarios/{example}.yaml")).exists();
            wrong.extend((!is_there).then(|| format!("example {example}")));
        }
        for test in spans(tests) {
            let (file, function) = test.split_once(": ").unwrap_or((test, ""));
            let found = TESTS.iter().map(|folder| root().join(folder).join(file)).find(|path| path.exists());
            let code = found.map(|path| std::fs::read_to_string(path).expect("a test"));
            let is_there = code.is_some_and(|code| function.is_empty() || code.contains(&format!("fn {function}(")));
            wrong.extend((!is_there).then(|| format!("test {test}")));
        }
        for (cell, what) in [(examples, "example"), (tests, "test")] {
            let says = is_none(cell) || spans(cell).next().is_some();
            wrong.extend((!says).then(|| format!("{what} of “{paragraph}”")));
        }
    }
    assert!(wrong.is_empty(), "named, but not there: {wrong:#?}");
}

#[test]
fn each_rule_decides_in_each_example() {
    let coverage = text("tests/coverage.md");
    let mut runs: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut wrong = Vec::new();
    for row in rows(&coverage).iter().filter(|row| row[0] != "paragraph") {
        let (paragraph, examples, rules) = (row[0], row[3], row[4]);
        let has_rules = spans(rules).next().is_some();
        if has_rules != spans(examples).next().is_some() {
            wrong.push(format!("“{paragraph}”: examples {examples}, rules {rules}"));
        }
        for example in spans(examples) {
            let run = || decided(simulation(&text(&format!("assets/scenarios/{example}.yaml"))));
            let keys = runs.entry(example).or_insert_with(run);
            let idle = spans(rules).filter(|&rule| !keys.contains(rule));
            wrong.extend(idle.map(|rule| format!("“{paragraph}”: {rule} decides nothing in {example}")));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
