//! The places where the rules of KAI depend on the revision: one function each, and no others.

use std::fs;
use std::path::Path;

/// Files below `core/src/policy/kai` and how often a function there chooses by revision.
const CHOICES: [(&str, usize); 10] = [
    ("config.rs", 1),
    ("fast/signatures.rs", 1),
    ("job/chunk.rs", 2),
    ("job/subgroups.rs", 1),
    ("place/fit.rs", 2),
    ("place/placement.rs", 2),
    ("place/score.rs", 1),
    ("request.rs", 2),
    ("solve/attempts.rs", 1),
    ("solve/candidates.rs", 2),
];

/// Files that say what the revisions are, and choose no rule.
const DESCRIBE: [&str; 2] = ["revision.rs", "versions.rs"];

fn count(folder: &Path, below: &Path, found: &mut Vec<(String, usize)>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            count(&path, below, found);
            continue;
        }
        let name = path.strip_prefix(below).expect("inside").to_string_lossy().replace('\\', "/");
        let text = fs::read_to_string(&path).expect("a source file");
        let n = text.matches("Revision::V0_13").count();
        if n > 0 && !DESCRIBE.contains(&name.as_str()) {
            found.push((name, n));
        }
    }
}

#[test]
fn revisions_are_chosen_in_listed_places() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/src/policy/kai");
    let mut found = Vec::new();
    count(&folder, &folder, &mut found);
    found.sort();
    let listed: Vec<(String, usize)> = CHOICES.iter().map(|(name, n)| ((*name).to_string(), *n)).collect();
    assert_eq!(found, listed, "choose a rule by revision in one function, and list its file here");
}
