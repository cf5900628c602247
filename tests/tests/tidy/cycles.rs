//! Cycles between files: none but those that are listed with a reason.

use super::*;

/// Known cycles in the page, with reasons.
const WEB_CYCLES: &[(&[&str], &str)] = &[];

/// Known cycles in the engine, with reasons.
const CORE_CYCLES: &[(&[&str], &str)] = &[];

#[test]
fn files_of_the_page_have_no_cycles() {
    check_cycles("web/src", |_| true, WEB_CYCLES, "WEB_CYCLES");
}

/// A `mod.rs` counts as one with the files beside it, because it defines their common parts.
#[test]
fn files_of_the_engine_have_no_cycles() {
    check_cycles("core/src", |file| !file.name.ends_with("/mod.rs"), CORE_CYCLES, "CORE_CYCLES");
}

/// Fails if files depend on each other, directly or indirectly, unless the cycle is known.
fn check_cycles(root: &str, counts: fn(&File) -> bool, known: &[(&[&str], &str)], list: &str) {
    let files: Vec<File> = rust_files(root).into_iter().filter(|file| !file.is_test() && counts(file)).collect();
    let modules: BTreeMap<Vec<String>, usize> = files.iter().enumerate().map(|(at, file)| (file.path(), at)).collect();
    let uses: Vec<BTreeSet<usize>> = files.iter().map(|file| used_files(file, &modules)).collect();
    let reached: Vec<BTreeSet<usize>> = (0..files.len())
        .map(|from| {
            let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
            while let Some(at) = open.pop() {
                open.extend(uses[at].iter().filter(|to| seen.insert(**to)));
            }
            seen
        })
        .collect();
    let mut cycles = BTreeSet::new();
    for (at, to) in reached.iter().enumerate().filter(|(at, to)| to.contains(at)) {
        let cycle = to.iter().filter(|other| reached[**other].contains(&at));
        cycles.insert(cycle.map(|other| files[*other].name.as_str()).collect::<Vec<_>>());
    }
    let known: BTreeSet<Vec<&str>> = known.iter().map(|(files, _)| files.to_vec()).collect();
    let findings = cycles.symmetric_difference(&known).map(|cycle| cycle.join(" <-> ")).collect();
    let advice = format!("move what both need into a file of its own below them, or take the pair out of {list}");
    report(findings, &advice);
}

/// Files that a file uses, by its paths and by imported modules.
fn used_files(file: &File, modules: &BTreeMap<Vec<String>, usize>) -> BTreeSet<usize> {
    let text = code_text(file);
    let own = file.path();
    let mut paths = used_paths(file);
    for path in paths.clone() {
        if let (Some(name), true) = (path.last(), modules.contains_key(&path)) {
            expand(&text, &format!("{name}::"), &path, &mut paths);
        }
    }
    let file_of = |path: &Vec<String>| {
        (0..=path.len()).rev().find_map(|length| modules.get(&path[..length]).filter(|_| length > 0))
    };
    let all = paths.iter().filter_map(file_of).copied();
    all.filter(|at| modules.get(&own) != Some(at)).collect()
}
