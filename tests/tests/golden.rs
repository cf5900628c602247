//! All recordings in the repository agree, and the number that the page shows is the one that was found.

use std::path::{Path, PathBuf};

use fairground_tests::report::{FileReport, Verdict, total};
use fairground_tests::run::{Options, run};
use fairground_tests::{known, recording};

fn tests_folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn run_all() -> Vec<FileReport> {
    let known = known::parse(include_str!("../known-differences.toml")).expect("known differences");
    let paths = recording::find(&tests_folder().join("golden")).expect("the folder of recordings");
    let read = |path: &PathBuf| recording::read(path).unwrap_or_else(|e| panic!("{e}"));
    let recordings: Vec<_> = paths.iter().map(read).collect();
    run(&recordings, &Options { known, ..Options::default() })
}

#[test]
fn recordings_agree() {
    let reports = run_all();
    let failures: Vec<String> = reports
        .iter()
        .flat_map(|file| file.cases.iter().map(move |case| (file, case)))
        .filter_map(|(file, case)| match &case.verdict {
            Verdict::Failed(says) => Some(format!("{}:{} {}: {says}", file.file, case.line, case.id)),
            _ => None,
        })
        .collect();
    let shown = failures.iter().take(20).cloned().collect::<Vec<_>>().join("\n");
    assert!(failures.is_empty(), "{} recorded cases differ:\n{shown}", failures.len());
    compare_agreement(&reports);
}

/// Writes what was found, a line for each policy as the page reads it, and compares it with the committed copy.
fn compare_agreement(reports: &[FileReport]) {
    let of_policy = |policy: &str| {
        let is_of = |r: &&FileReport| {
            let folder = Path::new(&r.file).parent().and_then(Path::file_name);
            let folder = folder.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            folder.split('-').next() == Some(policy)
        };
        let own: Vec<FileReport> = reports.iter().filter(is_of).cloned().collect();
        let counts = total(&own);
        let revision = own.first().map(|r| r.revision.clone()).unwrap_or_default();
        assert!(own.iter().all(|r| r.revision == revision), "{policy}: recordings of more than one revision");
        let line = format!("{policy} {} {} {} {revision}", counts.agree(), counts.of(), counts.not_built);
        line.trim_end().to_string() + "\n"
    };
    let text: String = ["kai", "yunikorn", "runai", "ego"].map(of_policy).concat();
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("inside the target folder");
    std::fs::write(target.join("agreement.txt"), &text).expect("the target folder can be written");
    let committed = tests_folder().join("../assets/agreement.txt");
    if std::env::var_os("UPDATE_AGREEMENT").is_some() {
        std::fs::write(&committed, &text).expect("the assets can be written");
    }
    let shown = std::fs::read_to_string(&committed).unwrap_or_default();
    assert!(
        shown == text,
        "assets/agreement.txt is stale: it says\n{shown}but the recordings say\n{text}run the test with UPDATE_AGREEMENT=1 and commit the file"
    );
}
