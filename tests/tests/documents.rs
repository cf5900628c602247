//! The documents of the project: the table of docs/accuracy.md is that of the last run of the recordings, and every
//! file that is named exists.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use fairground::policy::{agreement, versions};

const ACCURACY: &str = "docs/accuracy.md";

/// Folders below which documents name files.
const BASES: [&str; 4] = ["", "core/src", "web/src", "cli/src"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Rows of the policies with recordings, one for each revision.
fn accuracy_rows() -> String {
    let mut rows = String::new();
    for modelled in versions::all() {
        for revision in modelled.revisions {
            let found = agreement::of(modelled, revision);
            let source = if revision.commit.is_empty() { "an independent model" } else { "the real scheduler" };
            let _ = writeln!(
                rows,
                "| {} (`{}`) | {} | {source} | {} of {} | {} of {} |",
                modelled.product,
                modelled.policy,
                revision.versions,
                found.agree,
                found.counted(),
                found.agree_as_scenarios,
                found.can_be_scenarios,
            );
        }
    }
    rows
}

#[test]
fn the_table_of_accuracy_is_that_of_the_last_run() {
    let text = read(ACCURACY);
    let is_row = |line: &&str| line.starts_with("| ") && line.contains("(`");
    let old: String = text.lines().filter(is_row).map(|line| format!("{line}\n")).collect();
    let rows = accuracy_rows();
    assert!(!old.is_empty(), "{ACCURACY} has no table");
    if std::env::var_os("UPDATE_AGREEMENT").is_some() {
        fs::write(root().join(ACCURACY), text.replace(&old, &rows)).expect("the document can be written");
    } else {
        assert_eq!(old, rows, "{ACCURACY} is stale: run this test with UPDATE_AGREEMENT=1");
    }
}

#[test]
fn the_readme_names_the_versions_of_each_product_with_several() {
    let text = read("README.md");
    for modelled in versions::all().filter(|modelled| modelled.revisions.len() > 1) {
        let names: Vec<String> = modelled.revisions.iter().map(|of| format!("v{}", of.name)).collect();
        let says = format!("{} ({})", modelled.product, names.join(" and "));
        assert!(text.contains(&says), "README.md does not say {says}");
    }
}

#[test]
fn every_named_file_exists() {
    let mut wrong = Vec::new();
    // A name without a folder stands for a file of every folder of its kind.
    let files: BTreeSet<String> = BASES[1..].iter().flat_map(|base| names_below(&root().join(base))).collect();
    let others = ["docs/reliability.md", "docs/performance.md"];
    for document in ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", ACCURACY].into_iter().chain(others) {
        let text = read(document);
        let mut n_named = 0;
        let mut is_code = false;
        for line in text.lines() {
            is_code ^= line.starts_with("```");
            for name in named(line).filter(|_| !is_code) {
                n_named += 1;
                let mut places = BASES.iter().map(|base| Path::new(base).join(name));
                let is_there = places.any(|path| exists(&path)) || !name.contains('/') && files.contains(name);
                wrong.extend((!is_there).then(|| format!("{document}: {name}")));
            }
        }
        assert!(n_named > 0, "{document} names no file");
    }
    assert!(wrong.is_empty(), "named, but not there: {wrong:#?}");
}

/// Files and folders in the code spans and links of a line.
fn named(line: &str) -> impl Iterator<Item = &str> {
    let spans = line.split('`').skip(1).step_by(2);
    let links = line.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let is_path = |name: &&str| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "._-/*".contains(c);
        (name.contains('/') || name.ends_with(".rs")) && name.chars().all(plain)
    };
    spans.chain(links).filter(is_path).filter(|name| !name.starts_with("target/") && !name.starts_with("dist/"))
}

/// Whether a path exists below the root; a component `*` stands for any folder.
fn exists(path: &Path) -> bool {
    let mut found = vec![root()];
    for part in path.components() {
        found = found.into_iter().flat_map(|folder| below(&folder, part.as_os_str())).collect();
    }
    found.iter().any(|path| path.exists())
}

/// Names of the files below a folder.
fn names_below(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path());
    let names = entries.map(|path| match path.file_name() {
        _ if path.is_dir() => names_below(&path),
        Some(name) => vec![name.to_string_lossy().into_owned()],
        None => Vec::new(),
    });
    names.flatten().collect()
}

fn below(folder: &Path, part: &std::ffi::OsStr) -> Vec<PathBuf> {
    if part != "*" {
        return vec![folder.join(part)];
    }
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}

#[test]
fn a_missing_file_is_noticed() {
    assert!(exists(Path::new("core/src/policy/*/describe.rs")));
    assert!(!exists(Path::new("core/src/policy/*/nothing.rs")));
    let line = "see `views/a.rs`, `b.rs`, [c](docs/c.md), `a::b` and `cargo run x/y`";
    assert_eq!(named(line).collect::<Vec<_>>(), ["views/a.rs", "b.rs", "docs/c.md"]);
}
