//! Layers of the folders inside a module: a folder uses only those to its left. The files beside the folders are not
//! ordered.

use super::*;

struct Folders {
    base: &'static str,
    layers: &'static [&'static str],
    /// A type whose methods stand in several of the folders: a call of one is a use of its folder.
    spread: Option<&'static str>,
}

const FOLDERS: [Folders; 2] = [
    Folders {
        base: "core/src/policy/kai",
        layers: &["job", "record", "share", "order", "place", "fast", "solve", "explain", "actions", "recorded"],
        spread: Some("Session"),
    },
    Folders {
        base: "web/src/state",
        layers: &["layout", "moment", "document", "branches", "playback", "editing", "import", "lesson"],
        spread: None,
    },
];

#[test]
fn folders_use_only_lower_folders() {
    let mut findings = Vec::new();
    for Folders { base, layers, spread } in FOLDERS {
        findings.extend(missing(&layers.iter().map(|name| format!("{base}/{name}")).collect::<Vec<_>>()));
        let files: Vec<File> = rust_files(base).into_iter().filter(|file| !file.is_test()).collect();
        let folder = |file: &File| folder_of(&file.path(), base, layers);
        let methods = spread.map_or_else(BTreeMap::new, |name| methods_of(name, &files, folder));
        for file in &files {
            let Some(own) = folder(file) else { continue };
            let paths = used_paths(file).into_iter().filter_map(|path| folder_of(&path, base, layers));
            let calls = called_methods(file).into_iter().filter_map(|name| *methods.get(&name)?);
            let up = paths.chain(calls).filter(|used| *used > own);
            for arrow in up.map(|used| (layers[own], layers[used])).collect::<BTreeSet<_>>() {
                findings.push(format!("{}: {} uses {}", file.name, arrow.0, arrow.1));
            }
        }
    }
    report(findings, "move what both need into the lower folder");
}

/// Position of the folder that a module path below the crate leads into.
fn folder_of(path: &[String], base: &str, layers: &[&str]) -> Option<usize> {
    let below = base.split("/src/").nth(1)?.split('/');
    let mut names = path.iter();
    let folder = below.into_iter().all(|name| names.next().is_some_and(|own| own == name)).then(|| names.next())??;
    layers.iter().position(|layer| layer == folder)
}

/// Folders of a type's methods by name; `None` for a name that stands in two of the files.
fn methods_of(name: &str, files: &[File], folder: impl Fn(&File) -> Option<usize>) -> BTreeMap<String, Option<usize>> {
    let mut methods = BTreeMap::new();
    for file in files {
        let mut is_inside = false;
        for (_, line) in file.code() {
            is_inside = line.starts_with("impl") && line.contains(&format!(" {name}<")) || is_inside && line != "}";
            let Some(function) = line.trim().split_once("fn ").map(|(_, rest)| first_name(rest).to_owned()) else {
                continue;
            };
            let of_type = folder(file).filter(|_| is_inside);
            methods.entry(function).and_modify(|known| *known = None).or_insert(of_type);
        }
    }
    methods
}

/// Names after a dot that are called.
fn called_methods(file: &File) -> BTreeSet<String> {
    let text = code_text(file);
    let names = text.split('.').skip(1).map(|rest| (first_name(rest), rest));
    names.filter(|(name, rest)| rest[name.len()..].starts_with('(')).map(|(name, _)| name.to_owned()).collect()
}
