//! `cargo xtask screens`, also part of the tests: a picture of every screen, in a gallery in which a change of look is
//! seen. Nothing is compared with pictures of other machines: fonts differ, and people judge looks.

use std::collections::BTreeSet;
use std::path::Path;

use crate::browser::browser;
use crate::files::{clear, files_below, read, write};
use crate::step::Failure;
use crate::tally::Tally;

/// Takes all pictures of the page in `dist`, or with arguments those that playwright picks, and says which look
/// different from the last time on this machine.
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
    Ok(tally)
}

/// The names of the pictures, without their endings.
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

/// A page with all pictures, those first that look different.
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
