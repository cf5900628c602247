//! All recordings in the repository agree, through the rules and through scenario files, and the numbers that the page shows
//! are those that were found.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use fairground_tests::front::ego::SLOT_POLICY;
use fairground_tests::known::{self, Difference};
use fairground_tests::recording;
use fairground_tests::report::{Counts, FileReport, Verdict, total};
use fairground_tests::run::{Options, Through, run, short_name};

static RULES: LazyLock<Vec<FileReport>> = LazyLock::new(|| run_all(Through::Rules));
static SCENARIOS: LazyLock<Vec<FileReport>> = LazyLock::new(|| run_all(Through::Scenarios));

fn tests_folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn target() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("inside the target folder")
}

fn known_differences() -> Vec<Difference> {
    known::parse(include_str!("../known-differences.toml")).expect("known differences")
}

fn run_all(through: Through) -> Vec<FileReport> {
    let paths = recording::find(&tests_folder().join("golden")).expect("the folder of recordings");
    let read = |path: &PathBuf| recording::read(path).unwrap_or_else(|e| panic!("{e}"));
    let recordings: Vec<_> = paths.iter().map(read).collect();
    run(&recordings, &Options { known: known_differences(), through, ..Options::default() })
}

/// Panics with the first failures, if there are some.
fn assert_agree(reports: &[FileReport], through: Through) {
    let of_file = |file: &'_ FileReport| -> Vec<String> {
        let says = file.cases.iter().filter_map(|case| match &case.verdict {
            Verdict::Failed(says) => Some(format!("{}:{} {}: {says}", file.file, case.line, case.id)),
            _ => None,
        });
        says.collect()
    };
    let failures: Vec<String> = reports.iter().flat_map(of_file).collect();
    let shown = failures.iter().take(20).cloned().collect::<Vec<_>>().join("\n");
    assert!(failures.is_empty(), "{} recorded cases differ:\n{shown}", failures.len());
    let known = known_differences();
    let without = known::without_case(&known, reports, through);
    assert!(without.is_empty(), "known differences without a case: {without:?}");
}

#[test]
fn recordings_agree() {
    assert_agree(&RULES, Through::Rules);
}

/// The counts are left in `target/through-scenarios.txt`.
#[test]
fn recordings_agree_through_scenario_files() {
    let mut text = String::new();
    for file in SCENARIOS.iter() {
        let _ = writeln!(text, "{:<52}{}", short_name(&file.file), file.counts());
        for (feature, n) in file.cannot_say() {
            let _ = writeln!(text, "    cannot be said: {feature} ({n})");
        }
    }
    let _ = writeln!(text, "{:<52}{}", "total", total(&SCENARIOS));
    std::fs::write(target().join("through-scenarios.txt"), text).expect("the target folder can be written");
    assert_agree(&SCENARIOS, Through::Scenarios);
}

/// The reports of a policy's recordings.
fn of_policy(reports: &[FileReport], policy: &str) -> Vec<FileReport> {
    let is_of = |r: &&FileReport| {
        let folder = Path::new(&r.file).parent().and_then(Path::file_name);
        let folder = folder.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        folder.split('-').next() == Some(policy)
    };
    reports.iter().filter(is_of).cloned().collect()
}

/// What was found, a line for each policy as the page reads it, is what is committed.
#[test]
fn the_page_shows_what_was_found() {
    let line = |policy: &str| {
        let own = of_policy(&RULES, policy);
        let counts = total(&own);
        let said_files = of_policy(&SCENARIOS, policy);
        let said: Counts = total(&said_files);
        let revision = own.first().map(|r| r.revision.clone()).unwrap_or_default();
        assert!(own.iter().all(|r| r.revision == revision), "{policy}: recordings of more than one revision");
        let can_be_said = said.of() - said.cannot_say;
        // No scenario can select it, so that its cases are not counted.
        let features = said_files.iter().flat_map(FileReport::cannot_say);
        let unreachable: usize =
            features.filter(|(feature, _)| *feature == SLOT_POLICY).map(|(_, n)| n).sum();
        let line = format!(
            "{policy} {} {} {} {} {can_be_said} {revision}",
            counts.agree() - unreachable,
            counts.of(),
            counts.not_built + unreachable,
            said.agree(),
        );
        line.trim_end().to_string() + "\n"
    };
    let text: String = ["kai", "yunikorn", "runai", "ego"].map(line).concat();
    std::fs::write(target().join("agreement.txt"), &text).expect("the target folder can be written");
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
