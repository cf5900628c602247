//! Layers of the folders inside a module: a folder uses only those to its left. The files beside the folders are not
//! ordered.

use super::*;

struct Folders {
    base: &'static str,
    layers: &'static [&'static str],
    /// Known arrows to the right, to be removed one by one.
    upward: &'static [(&'static str, &'static str)],
}

const FOLDERS: [Folders; 2] = [
    Folders {
        base: "core/src/policy/kai",
        layers: &["record", "share", "order", "place", "fast", "solve", "explain", "actions", "recorded"],
        upward: &[],
    },
    Folders {
        base: "web/src/state",
        layers: &["layout", "moment", "document", "branches", "playback", "import", "lesson"],
        upward: &[
            ("document", "branches"),
            ("document", "playback"),
            ("layout", "branches"),
            ("layout", "moment"),
            ("moment", "playback"),
            ("playback", "import"),
        ],
    },
];

#[test]
fn folders_use_only_lower_folders() {
    let mut findings = Vec::new();
    for Folders { base, layers, upward } in FOLDERS {
        findings.extend(missing(&layers.iter().map(|name| format!("{base}/{name}")).collect::<Vec<_>>()));
        let mut gone: BTreeSet<_> = upward.iter().copied().collect();
        for file in rust_files(base).into_iter().filter(|file| !file.is_test()) {
            for arrow in arrows_up(&file, base, layers) {
                gone.remove(&arrow);
                if !upward.contains(&arrow) {
                    findings.push(format!("{}: {} uses {}", file.name, arrow.0, arrow.1));
                }
            }
        }
        findings.extend(gone.into_iter().map(|(from, to)| format!("{base}: {from} no longer uses {to}")));
    }
    report(findings, "move what both need into the lower folder, or take what is gone out of `upward`");
}

/// Arrows of a file from its folder to folders on its right.
fn arrows_up<'l>(file: &File, base: &str, layers: &[&'l str]) -> BTreeSet<(&'l str, &'l str)> {
    let below = base.split("/src/").nth(1).unwrap_or_default();
    let below: Vec<&str> = below.split('/').collect();
    let rank = |path: &[String]| {
        let inside = path.iter().map(String::as_str).take(below.len()).eq(below.iter().copied());
        let folder = path.get(below.len()).filter(|_| inside)?;
        layers.iter().position(|layer| layer == folder)
    };
    let Some(own) = rank(&file.path()) else { return BTreeSet::new() };
    let used = used_paths(file).into_iter().filter_map(|path| rank(&path));
    used.filter(|used| *used > own).map(|used| (layers[own], layers[used])).collect()
}
