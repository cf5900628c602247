//! The licences of the libraries in the page: a list, then the texts that their packages carry, each once.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::files::read;
use crate::root;
use crate::step::{Failure, cargo, output};

/// Beginnings of the names of files with a licence, or with what it wants to be passed on.
const TEXTS: [&str; 6] = ["licen", "copying", "copyright", "notice", "unlicen", "authors"];

/// A library with the folder of its package.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Library {
    /// Name and version.
    name: String,
    licence: String,
    folder: PathBuf,
}

/// Returns the libraries in the page with version and licence, then the texts of the licences.
pub fn licences() -> Result<String, Failure> {
    let mut libraries = crates()?;
    libraries.extend(node_packages(&String::from_utf8_lossy(&read(&root().join("tests/e2e/package-lock.json"))?)));
    let list: Vec<String> = libraries.iter().map(|library| format!("{}: {}", library.name, library.licence)).collect();
    Ok(format!(
        "Libraries in Fairground, with their licences\n\n{}\nthe Rust standard library: MIT OR Apache-2.0\n{}",
        list.join("\n"),
        texts(&libraries)?
    ))
}

/// Returns the crates in the page.
fn crates() -> Result<BTreeSet<Library>, Failure> {
    let mut tree = cargo();
    tree.args(["tree", "--quiet", "--package", "fairground-web", "--target", "wasm32-unknown-unknown"]);
    tree.args(["--edges", "normal", "--prefix", "none", "--no-dedupe", "--format", "{p}: {l}"]);
    let mut metadata = cargo();
    metadata.args(["metadata", "--quiet", "--format-version", "1"]);
    let (Some(tree), Some(metadata)) = (output(&mut tree), output(&mut metadata)) else {
        return Err(Failure::new("the libraries could not be listed", "run `cargo tree -p fairground-web`"));
    };
    let folders = folders(&metadata);
    let library = |line: &str| {
        let (name, licence) = line.split_once(": ")?;
        let name = name.trim_end_matches(" (proc-macro)");
        let folder = folders.get(&name.replace(" v", "-"))?;
        Some(Library { name: name.to_owned(), licence: licence.to_owned(), folder: folder.clone() })
    };
    Ok(tree.lines().filter_map(library).collect())
}

/// Returns the folders of the packages in the output of `cargo metadata` by their names, such as `serde-1.0.0`.
fn folders(metadata: &str) -> BTreeMap<String, PathBuf> {
    let manifests = metadata.split("\"manifest_path\":\"").skip(1).filter_map(|rest| rest.split('"').next());
    let folders = manifests.filter_map(|manifest| Path::new(manifest).parent());
    folders.filter_map(|folder| Some((folder.file_name()?.to_string_lossy().into_owned(), folder.to_owned()))).collect()
}

/// Returns the packages of a lock file of npm that are no tools: those of the text editor.
fn node_packages(lock: &str) -> Vec<Library> {
    let packages = lock.split("\n    \"node_modules/").skip(1);
    let of_page = packages.filter(|package| !package.contains("\"dev\": true"));
    let library = |package: &str| {
        let field = |name: &str| package.split_once(&format!("\"{name}\": \""))?.1.split('"').next();
        let name = package.split('"').next()?;
        Some(Library {
            name: format!("{name} v{}", field("version")?),
            licence: field("license")?.to_owned(),
            folder: root().join("tests/e2e/node_modules").join(name),
        })
    };
    of_page.filter_map(library).collect()
}

/// Returns the texts of the licences, each once, below the names of its libraries.
fn texts(libraries: &BTreeSet<Library>) -> Result<String, Failure> {
    let mut names_of: BTreeMap<String, (String, Vec<&str>)> = BTreeMap::new();
    let mut without = Vec::new();
    for Library { name, folder, .. } in libraries {
        let texts = texts_in(folder)?;
        if texts.is_empty() {
            without.push(name.as_str());
        }
        for text in texts {
            // Copies differ in their line breaks.
            let words: Vec<&str> = text.split_whitespace().collect();
            names_of.entry(words.join(" ")).or_insert((text, Vec::new())).1.push(name);
        }
    }
    let section = |(text, names): &(String, Vec<&str>)| format!("\n\n{}\n\n{text}\n", names.join(", "));
    let sections: String = names_of.values().map(section).collect();
    Ok(format!("{sections}\n\nNo text is in the packages of {}\n", without.join(", ")))
}

/// Returns the texts of licences in the folder of a package.
fn texts_in(folder: &Path) -> Result<Vec<String>, Failure> {
    let entries = std::fs::read_dir(folder).map_err(|error| Failure::file(folder, error))?;
    let is_licence = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        path.is_file() && TEXTS.iter().any(|beginning| name.starts_with(beginning))
    };
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).filter(is_licence).collect();
    files.sort();
    let mut texts = Vec::new();
    for file in files {
        let text = String::from_utf8_lossy(&read(&file)?).replace('\r', "").trim_matches('\n').to_owned();
        // Some packages have only the path of a file that was left behind.
        if text.contains(' ') {
            texts.push(text);
        }
    }
    Ok(texts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_have_licences() {
        let crates = crates().expect("cargo lists them");
        let find = |name: &str| crates.iter().find(|library| library.name.starts_with(name));
        assert_eq!(find("leptos v").map(|library| library.licence.as_str()), Some("MIT"));
        assert_eq!(find("fairground").map(|library| &library.name), None);
        assert!(crates.iter().all(|library| library.name.split(' ').count() == 2));
        let texts = texts(&crates).expect("their packages are on this machine");
        assert_eq!(texts.matches("serde_json v").count(), 2, "a library with two licences");
        assert!(texts.contains("Apache License"));
    }

    #[test]
    fn packages_of_the_editor_have_licences() {
        let lock = read(&root().join("tests/e2e/package-lock.json")).expect("it is there");
        let packages = node_packages(&String::from_utf8_lossy(&lock));
        let lines: Vec<String> =
            packages.iter().map(|package| format!("{} {}", package.name, package.licence)).collect();
        assert!(lines.iter().any(|line| line.starts_with("@codemirror/view v") && line.ends_with(" MIT")), "{lines:?}");
        assert!(!lines.iter().any(|line| line.starts_with("esbuild")), "{lines:?}");
    }
}
