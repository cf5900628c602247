//! `cargo xtask screens`, also part of the tests: takes screenshots of every screen into a gallery that shows visual
//! changes. Screenshots of other machines are not compared, because fonts differ; changes are for people to judge.

use std::collections::BTreeSet;
use std::path::Path;

use crate::browser::browser;
use crate::files::{clear, files_below, read, write};
use crate::step::Failure;
use crate::tally::Tally;

/// Takes all screenshots of the page in `dist`, or those selected by arguments of Playwright. Reports which differ from
/// the last run on this machine.
pub fn screens(dist: &Path, args: &[String]) -> Result<Tally, Failure> {
    let folder = crate::root().join("target/screens");
    let before = crate::root().join("target/screens-before");
    let is_whole = args.is_empty();
    if is_whole && folder.exists() {
        clear(&before)?;
        std::fs::rename(&folder, before.join("screens")).map_err(|error| Failure::file(&folder, error))?;
    }
    let tally = browser(dist, "screens", args)?;
    let pictures = pictures(&folder)?;
    let changed: BTreeSet<&String> =
        pictures.iter().filter(|name| is_changed(&before.join("screens"), &folder, name)).collect();
    write(&folder.join("index.html"), gallery(&pictures, &changed).as_bytes())?;
    println!("{} pictures: {}", pictures.len(), folder.join("index.html").display());
    if is_whole && !changed.is_empty() && before.join("screens").exists() {
        let names: Vec<&str> = changed.iter().map(|name| name.as_str()).collect();
        println!("{} look different from the last time: {}", names.len(), names.join(", "));
    }
    compare_readme_picture(&folder)?;
    Ok(tally)
}

/// The screen that the README shows, and its committed picture.
const README_SCREEN: (&str, &str) = ("why-evicted-1440-light.png", "docs/screenshot.png");

/// Says that the README's picture is not that of this page, or replaces it with `UPDATE_EXPECT` set. Other fonts make
/// other pictures, so that a difference is no failure.
fn compare_readme_picture(folder: &Path) -> Result<(), Failure> {
    let (screen, committed) = README_SCREEN;
    let taken = folder.join(screen);
    if !taken.exists() {
        return Ok(());
    }
    let (new, path) = (read(&taken)?, crate::root().join(committed));
    if read(&path).is_ok_and(|old| old == new) {
        return Ok(());
    }
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        println!("{committed} is replaced");
        return write(&path, &new);
    }
    println!("{committed} differs from {}: UPDATE_EXPECT=1 replaces it", taken.display());
    Ok(())
}

/// Returns the names of the screenshots without extension.
fn pictures(folder: &Path) -> Result<Vec<String>, Failure> {
    let files = files_below(folder)?;
    let names = files.iter().filter(|path| path.extension().is_some_and(|ending| ending == "png"));
    let mut names: Vec<String> =
        names.filter_map(|path| Some(path.file_stem()?.to_string_lossy().into_owned())).collect();
    names.sort();
    Ok(names)
}

fn is_changed(before: &Path, folder: &Path, name: &str) -> bool {
    let of = |folder: &Path| read(&folder.join(format!("{name}.png"))).ok();
    of(before) != of(folder)
}

/// Returns a page with all screenshots, changed ones first.
fn gallery(pictures: &[String], changed: &BTreeSet<&String>) -> String {
    let figure = |name: &String| {
        let word = if changed.contains(name) { " · different" } else { "" };
        format!(
            "<figure><a href=\"{name}.png\"><img src=\"{name}.png\" loading=\"lazy\" alt=\"\"></a>\
             <figcaption>{name}{word}</figcaption></figure>\n"
        )
    };
    let (first, then): (Vec<_>, Vec<_>) = pictures.iter().partition(|name| changed.contains(name));
    let figures: String = first.into_iter().chain(then).map(figure).collect();
    format!(
        "<!doctype html><meta charset=\"utf-8\"><title>Screens</title><style>body{{font:14px sans-serif;display:flex;\
         flex-wrap:wrap;gap:16px;background:#ddd}}figure{{margin:0}}img{{height:300px;display:block}}</style>\n{figures}"
    )
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::gallery;

    #[test]
    fn what_looks_different_comes_first() {
        let names = ["a", "b"].map(String::from);
        let page = gallery(&names, &BTreeSet::from([&names[1]]));
        assert!(page.find("b · different") < page.find(">a<"), "{page}");
    }
}
