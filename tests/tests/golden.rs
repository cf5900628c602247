//! All recordings in the repository agree, through the rules and through scenario files, and the numbers on the page
//! match the results.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use fairground_tests::known::{self, Difference};
use fairground_tests::recording;
use fairground_tests::report::{Counts, FileReport, Verdict, total};
use fairground_tests::run::{Options, Through, run, short_name};

/// Policies with recordings, by the prefix of their folders.
const POLICIES: [&str; 4] = ["kai", "yunikorn", "runai", "ego"];

/// Results per policy, through the rules and through scenario files.
static RULES: [LazyLock<Vec<FileReport>>; 4] = [
    LazyLock::new(|| run_all(POLICIES[0], Through::Rules)),
    LazyLock::new(|| run_all(POLICIES[1], Through::Rules)),
    LazyLock::new(|| run_all(POLICIES[2], Through::Rules)),
    LazyLock::new(|| run_all(POLICIES[3], Through::Rules)),
];
static SCENARIOS: [LazyLock<Vec<FileReport>>; 4] = [
    LazyLock::new(|| run_all(POLICIES[0], Through::Scenarios)),
    LazyLock::new(|| run_all(POLICIES[1], Through::Scenarios)),
    LazyLock::new(|| run_all(POLICIES[2], Through::Scenarios)),
    LazyLock::new(|| run_all(POLICIES[3], Through::Scenarios)),
];

fn tests_folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn target() -> &'static Path {
    Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("inside the target folder")
}

fn known_differences() -> Vec<Difference> {
    known::parse(include_str!("../known-differences.yaml")).expect("known differences")
}

/// Policy of a recording: the prefix of its folder's name.
fn policy_of(path: &Path) -> String {
    let folder = path.parent().and_then(Path::file_name);
    let folder = folder.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    folder.split('-').next().unwrap_or_default().to_owned()
}

fn run_all(policy: &str, through: Through) -> Vec<FileReport> {
    let paths = recording::find(&tests_folder().join("golden")).expect("the folder of recordings");
    let read = |path: &PathBuf| recording::read(path).unwrap_or_else(|e| panic!("{e}"));
    let recordings: Vec<_> = paths.iter().filter(|path| policy_of(path) == policy).map(read).collect();
    run(&recordings, &Options { known: known_differences(), through, ..Options::default() })
}

/// Panics with the first failures, if any.
fn assert_agree(reports: &[FileReport]) {
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
}

macro_rules! recordings_agree {
    ($($policy:literal $rules:ident $scenarios:ident)*) => { $(
        #[test]
        fn $rules() {
            assert_agree(&RULES[$policy]);
        }

        #[test]
        fn $scenarios() {
            assert_agree(&SCENARIOS[$policy]);
        }
    )* };
}

// Separate tests, so that policies can be run alone.
recordings_agree! {
    0 kai_recordings_agree kai_recordings_agree_through_scenario_files
    1 yunikorn_recordings_agree yunikorn_recordings_agree_through_scenario_files
    2 runai_recordings_agree runai_recordings_agree_through_scenario_files
    3 ego_recordings_agree ego_recordings_agree_through_scenario_files
}

fn all(reports: &[LazyLock<Vec<FileReport>>]) -> Vec<FileReport> {
    reports.iter().flat_map(|of_policy| of_policy.iter().cloned()).collect()
}

#[test]
fn every_recording_is_of_a_policy() {
    let paths = recording::find(&tests_folder().join("golden")).expect("the folder of recordings");
    assert!(paths.iter().all(|path| POLICIES.contains(&policy_of(path).as_str())), "{paths:?}");
}

/// Writes the counts to `target/through-scenarios.txt`.
#[test]
fn known_differences_have_cases() {
    let scenarios = all(&SCENARIOS);
    let mut text = String::new();
    for file in &scenarios {
        let _ = writeln!(text, "{:<52}{}", short_name(&file.file), file.counts());
        for (feature, n) in file.cannot_say() {
            let _ = writeln!(text, "    cannot be supported: {feature} ({n})");
        }
    }
    let _ = writeln!(text, "{:<52}{}", "total", total(&scenarios));
    std::fs::write(target().join("through-scenarios.txt"), text).expect("the target folder can be written");
    let known = known_differences();
    for (reports, through) in [(all(&RULES), Through::Rules), (scenarios, Through::Scenarios)] {
        let without = known::without_case(&known, &reports, through);
        assert!(without.is_empty(), "known differences without a case: {without:?}");
    }
}

/// The results, one line per policy and revision as read by the page, match the committed ones.
#[test]
fn the_page_shows_what_was_found() {
    let line = |index: usize, revision: &str| {
        let of_revision = |reports: &[FileReport]| -> Vec<FileReport> {
            reports.iter().filter(|report| report.revision == revision).cloned().collect()
        };
        let counts = total(&of_revision(&RULES[index]));
        let supported: Counts = total(&of_revision(&SCENARIOS[index]));
        let n_supported = supported.of() - supported.cannot_say;
        let line = format!(
            "{} {} {} {} {} {n_supported} {revision}",
            POLICIES[index],
            counts.agree(),
            counts.of(),
            counts.not_built,
            supported.agree(),
        );
        line.trim_end().to_string() + "\n"
    };
    let lines = |index: usize| -> String {
        let mut revisions: Vec<&str> = RULES[index].iter().map(|report| report.revision.as_str()).collect();
        revisions.dedup();
        let first = |(i, revision): &(usize, &str)| !revisions[..*i].contains(revision);
        let different = revisions.iter().copied().enumerate().filter(first);
        different.map(|(_, revision)| line(index, revision)).collect()
    };
    let text: String = (0..POLICIES.len()).map(lines).collect();
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
