//! Every shipped scenario under every policy: it runs there, nothing is lost without a note, and values that the new
//! policy ignores or would reject are listed.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use fairground::policy::Policy;
use fairground::scenario::{Diagnostic, Scenario, Severity, check, codes, read, to_json};
use fairground::sim::Simulation;
use fairground::translate::{Note, NoteKind, translate};
use serde_json::Value;

/// Number of cycles of each run.
const CYCLES: u32 = 20;

fn examples() -> Vec<(String, Scenario)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../assets/scenarios");
    let files = fs::read_dir(folder).expect("the ready-made scenarios").filter_map(Result::ok);
    let mut files: Vec<PathBuf> = files.map(|file| file.path()).collect();
    files.sort();
    let example = |file: &PathBuf| {
        let read = read(&fs::read_to_string(file).expect("it is text"));
        let name = file.file_stem().expect("it has a name").to_string_lossy().into_owned();
        (name, read.scenario.expect("it is a scenario"))
    };
    files.iter().map(example).collect()
}

/// Values of a scenario by path, as written.
fn values(s: &Scenario) -> BTreeMap<String, String> {
    fn walk(at: &str, value: &Value, all: &mut BTreeMap<String, String>) {
        match value {
            Value::Object(fields) => {
                for (name, field) in fields {
                    walk(&if at.is_empty() { name.clone() } else { format!("{at}.{name}") }, field, all);
                }
            }
            Value::Array(items) if items.iter().any(Value::is_object) => {
                for (i, item) in items.iter().enumerate() {
                    let place = match item.get("name").and_then(Value::as_str) {
                        Some(name) => format!("{at}[{name:?}]"),
                        None => format!("{at}[{i}]"),
                    };
                    walk(&place, item, all);
                }
            }
            other => {
                all.insert(at.to_string(), other.to_string());
            }
        }
    }
    let mut all = BTreeMap::new();
    walk("", &serde_json::from_str(&to_json(s)).expect("it is JSON"), &mut all);
    all.remove("policy");
    all
}

fn is_named(notes: &[Note], at: &str, kinds: &[NoteKind]) -> bool {
    let of_kind = |note: &&Note| kinds.is_empty() || kinds.contains(&note.kind);
    notes.iter().filter(of_kind).flat_map(|note| &note.at).any(|place| {
        let place = place.to_string();
        // A path inside another one, or the other way round: `pod-sets` stands for all pod sets.
        at.starts_with(&place) || place.starts_with(at)
    })
}

fn each(mut look: impl FnMut(&str, &Scenario, &Scenario, &[Note], &[Diagnostic])) {
    for (name, old) in examples() {
        for to in Policy::NAMES {
            let new = translate(&old, to).expect("known policies");
            let found = check(&new.scenario).diagnostics;
            look(&format!("{name} under {to}"), &old, &new.scenario, &new.notes, &found);
        }
    }
}

#[test]
fn every_translation_runs() {
    let mut n = 0;
    each(|name, _, new, _, found| {
        let errors: Vec<_> = found.iter().filter(|d| d.severity == Severity::Error).collect();
        assert!(errors.is_empty(), "{name}: {errors:#?}");
        let plan = check(new).plan.unwrap_or_else(|| panic!("{name} has no plan"));
        let mut simulation = Simulation::new(&plan);
        while simulation.cycle() < CYCLES && simulation.advance().is_some() {}
        n += 1;
    });
    assert!(n >= 7 * 40, "{n}");
}

#[test]
fn every_difference_has_its_note() {
    let mut silent = Vec::new();
    each(|name, old, new, notes, _| {
        let (old, new) = (values(old), values(new));
        for at in old.keys().chain(new.keys()) {
            if old.get(at) != new.get(at) && !is_named(notes, at, &[]) {
                silent.push(format!("{name}: {at} {:?} -> {:?}", old.get(at), new.get(at)));
            }
        }
    });
    silent.dedup();
    assert!(silent.is_empty(), "{} differences\n{}", silent.len(), silent.join("\n"));
}

/// Values that the new policy ignores were ignored by the old one too, or are listed as dropped.
#[test]
fn ignored_values_are_listed_as_dropped() {
    let mut silent = Vec::new();
    each(|name, old, _, notes, found| {
        let before = check(old).diagnostics;
        for d in found.iter().filter(|d| d.code == codes::NOT_EXPRESSED) {
            let at = d.at.to_string();
            let was = before.iter().any(|b| b.code == d.code && b.at == d.at);
            if !was && !is_named(notes, &at, &[NoteKind::Dropped]) {
                silent.push(format!("{name}: {at}: {}", d.says));
            }
        }
    });
    assert!(silent.is_empty(), "{} values\n{}", silent.len(), silent.join("\n"));
}

/// YuniKorn accepts the translation, or the notes have its rejections, word for word as for a native scenario.
#[test]
fn rejections_are_listed() {
    let mut silent = Vec::new();
    each(|name, _, _, notes, found| {
        for d in found.iter().filter(|d| d.code == codes::REFUSED) {
            let is_told =
                |note: &Note| note.kind == NoteKind::Refused && note.says == d.says && note.at.contains(&d.at);
            if !notes.iter().any(is_told) {
                silent.push(format!("{name}: {}: {}", d.at, d.says));
            }
        }
    });
    assert!(silent.is_empty(), "{}", silent.join("\n"));
}
