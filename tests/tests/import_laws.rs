//! Laws over changed inputs: whatever people paste, the import ends, and says what it did not read.
//!
//! `IMPORT_MUTATIONS=N` changes every N-th place of each input instead of every seventh.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use fairground::import::{File, Options, Report, import_files};
use fairground::scenario::value::{Is, Value, documents};
use fairground::scenario::{check, to_yaml};

fn inputs() -> Vec<(String, String)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/imports");
    let files = std::fs::read_dir(folder).expect("the folder of inputs");
    let mut all: Vec<(String, String)> = files
        .map(|file| file.expect("a file").path())
        .map(|path| {
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            (name, std::fs::read_to_string(&path).expect("a text"))
        })
        .collect();
    all.sort();
    all
}

fn every() -> usize {
    std::env::var("IMPORT_MUTATIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(7).max(1)
}

/// Returns the report and the text of the scenario; `None` after a panic.
fn import(name: &str, text: &str) -> Option<(Report, String)> {
    let file = File { name, bytes: text.as_bytes(), is_sizes: false };
    let options = Options { policy: String::new(), ..Options::default() };
    let run = || {
        let imported = import_files(&[file], &options).imported;
        let written = imported.scenario.as_ref().map(|scenario| {
            check(scenario);
            to_yaml(scenario)
        });
        (imported.report, written.unwrap_or_default())
    };
    catch_unwind(AssertUnwindSafe(run)).ok()
}

/// Change at one place of an input.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Change {
    Rename,
    Remove,
    Replace(&'static str),
    Twice,
}

/// Writes a tree as JSON with a change at the place of a number. Places are counted in text order.
struct Writer {
    change: Change,
    at: usize,
    n: usize,
    out: String,
    /// Keys around the changed place, and its own.
    path: Vec<String>,
    changed: Option<Vec<String>>,
}

const NEW: &str = "zz-unknown";

impl Writer {
    fn is_here(&mut self) -> bool {
        self.n += 1;
        self.n - 1 == self.at
    }

    fn text(&mut self, text: &str) {
        self.out.push_str(&format!("{text:?}").replace("\\'", "'"));
    }

    fn value(&mut self, value: &Value) {
        match &value.is {
            Is::Null => self.out.push_str("null"),
            Is::Scalar(text) => self.text(text),
            Is::List(items) => {
                self.out.push('[');
                for (i, item) in items.iter().enumerate() {
                    self.item(i > 0, None, item);
                }
                self.out.push(']');
            }
            Is::Map(entries) => {
                self.out.push('{');
                let mut is_next = false;
                for (key, item) in entries {
                    is_next |= self.item(is_next, Some(key), item);
                }
                self.out.push('}');
            }
        }
    }

    /// Writes an item of a list or map. Returns whether there is one.
    fn item(&mut self, is_next: bool, key: Option<&str>, value: &Value) -> bool {
        // An item of a list has no key.
        let is_empty = match &value.is {
            Is::Null => true,
            Is::Scalar(text) => text.is_empty(),
            Is::List(items) => items.is_empty(),
            Is::Map(entries) => entries.is_empty(),
        };
        let can_be = self.change != Change::Rename || key.is_some() && !is_empty;
        let is_here = can_be && self.is_here();
        self.path.extend(key.map(str::to_string));
        if is_here {
            self.changed = Some(self.path.clone());
        }
        let times = match self.change {
            Change::Remove if is_here => 0,
            Change::Twice if is_here && key.is_none() => 2,
            _ => 1,
        };
        for time in 0..times {
            if is_next || time > 0 {
                self.out.push(',');
            }
            if let Some(key) = key {
                if is_here && self.change == Change::Rename {
                    self.text(&format!("{key}-{NEW}"))
                } else {
                    self.text(key)
                }
                self.out.push(':');
            }
            match self.change {
                Change::Replace(text) if is_here => self.out.push_str(text),
                _ => self.value(value),
            }
        }
        if key.is_some() {
            self.path.pop();
        }
        times > 0
    }
}

/// Returns the changed texts of an input, each with the keys to the changed place.
fn changed(roots: &[Value], change: Change, first: usize, step: usize) -> Vec<(Vec<String>, String)> {
    let mut all = Vec::new();
    for at in (first..).step_by(step) {
        let path = Vec::new();
        let mut writer = Writer { change, at, n: 0, out: String::new(), path, changed: None };
        for root in roots {
            writer.value(root);
            writer.out.push('\n');
        }
        match writer.changed {
            Some(path) => all.push((path, writer.out)),
            None => break,
        }
    }
    all
}

const CHANGES: [Change; 10] = [
    Change::Remove,
    Change::Twice,
    Change::Rename,
    Change::Replace("\"two\""),
    Change::Replace("-1"),
    Change::Replace("1e300"),
    Change::Replace("99999999999999999999"),
    Change::Replace("null"),
    Change::Replace("[{\"a\": []}, \"b\"]"),
    Change::Replace("{\"a\": {\"b\": 1}}"),
];

#[test]
fn changed_inputs_are_imported_or_rejected() {
    let mut panics = Vec::new();
    for (name, text) in inputs().into_iter().filter(|(name, _)| !name.ends_with(".xml")) {
        let roots = documents(&text).unwrap_or_else(|wrong| panic!("{name}: {wrong:?}"));
        for (i, change) in CHANGES.into_iter().enumerate() {
            for (path, text) in changed(&roots, change, i * 5 % every(), every()) {
                if import(&name, &text).is_none() {
                    panics.push(format!("{name}: {change:?} at {path:?}"));
                }
            }
        }
    }
    assert!(panics.is_empty(), "{panics:#?}");
}

/// Returns all lines of a report.
fn lines(report: &Report) -> Vec<String> {
    let lines = report.understood.iter().chain(&report.assumed).chain(&report.ignored).cloned();
    lines.chain(report.diagnostics.iter().map(|found| found.says.clone())).collect()
}

/// Places whose keys need not be named: what the cluster adds, what decides nothing about where and when work runs, and
/// keys that anybody may choose.
fn is_exempt(path: &[String]) -> bool {
    let keys: Vec<&str> = path.iter().map(String::as_str).collect();
    let Some((last, around)) = keys.split_last() else { return true };
    let has = |key: &str| around.contains(&key);
    let is_status = has("status") && !has("allocatable");
    let is_chosen = ["labels", "annotations", "nodeSelector", "nodeLabels", "data", "matchLabels"]
        .iter()
        .any(|key| around.last() == Some(key));
    let is_container = has("containers") || has("initContainers");
    let in_affinity = has("podAntiAffinity") || has("podAffinity");
    // Names of resources are free.
    let resources = ["guaranteed", "max", "maxresources", "resourceweights"];
    let is_resource = around.last().is_some_and(|key| resources.contains(key))
        || last.contains('/') && (has("resources") || has("allocatable") || has("capability"));
    let decides_nothing = ["managedFields", "env", "sparkConf", "topologySpreadConstraints", "metadata"];
    is_status
        || is_resource
        || *last == "metadata" && around.is_empty()
        // A template is found wherever it stands.
        || ["template", "pytorchReplicaSpecs", "tfReplicaSpecs", "mpiReplicaSpecs"].contains(last)
        || ["selector", "claims", "podSecurityContext", "restartPolicy", "firstAvailable"].iter().any(|key| has(key))
        || around.contains(&"devices") && around.contains(&"spec")
        || is_chosen
        || in_affinity
        || is_container && !has("resources")
        || decides_nothing.iter().any(|key| has(key))
        // A configuration or an object of a kind that is not read.
        || has("data")
        || *last == "capacity"
        || ["displayName", "description"].contains(last)
}

/// A key with an unknown name is named, or what it stands in.
#[test]
fn unknown_keys_are_named() {
    let mut silent = BTreeSet::new();
    let mut n = 0;
    for (name, text) in inputs().into_iter().filter(|(name, _)| !name.ends_with(".xml")) {
        let roots = documents(&text).unwrap_or_else(|wrong| panic!("{name}: {wrong:?}"));
        // Of an object that is not read, only its kind is named.
        let (report, _) = import(&name, &text).expect("no panic");
        let before: BTreeSet<String> = lines(&report).into_iter().collect();
        for (path, text) in changed(&roots, Change::Rename, 0, every()) {
            if is_exempt(&path) || name == "others.yaml" {
                continue;
            }
            n += 1;
            let Some((report, written)) = import(&name, &text) else { continue };
            let lines = lines(&report);
            let around = &path[..path.len() - 1];
            let is_named = |line: &String| {
                let of = line.split(" of ").next().unwrap_or(line);
                let is_around = |key: &String| of.ends_with(key.as_str()) || line.starts_with(key.as_str());
                line.contains(NEW) || around.iter().any(is_around) || !before.contains(line)
            };
            // Without these, there is no object at all.
            let is_kind_lost = ["kind", "apiVersion", "items"].contains(&path[path.len() - 1].as_str());
            let is_rejected = written.is_empty() && !report.diagnostics.is_empty();
            let is_used = written.contains(NEW);
            if !lines.iter().any(is_named) && !is_kind_lost && !is_rejected && !is_used {
                silent.insert(format!("{name}: {}", path.join(".")));
            }
        }
    }
    assert!(silent.is_empty(), "{} of {n}: {silent:#?}", silent.len());
}
