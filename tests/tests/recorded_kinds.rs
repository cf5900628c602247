//! Numbers of recorded cases by kind and revision, as the page displays them beside the agreeing ones.

use std::collections::BTreeMap;
use std::path::Path;

use fairground_tests::recording;

#[test]
fn the_page_says_how_many_cases_of_each_kind_there_are() {
    let tests_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found: BTreeMap<(usize, &str, String, &str), usize> = BTreeMap::new();
    let policies = ["kai", "yunikorn", "runai", "ego"];
    for path in recording::find(&tests_folder.join("golden")).expect("the folder of recordings") {
        let recording = recording::read(&path).unwrap_or_else(|e| panic!("{e}"));
        let format = recording.format.name();
        let policy = format.split('-').next().unwrap_or_default();
        let place = policies.iter().position(|name| *name == policy).expect("a policy with recordings");
        let revision = recording.revision.clone();
        *found.entry((place, policy, revision, format)).or_default() += recording.cases.len();
    }
    let line = |((_, policy, revision, format), n): (&(usize, &str, String, &str), &usize)| {
        format!("{policy} {format} {n} {revision}").trim_end().to_string() + "\n"
    };
    let text: String = found.iter().map(line).collect();
    let committed = tests_folder.join("../assets/recordings.txt");
    if std::env::var_os("UPDATE_AGREEMENT").is_some() {
        std::fs::write(&committed, &text).expect("the assets can be written");
    }
    let shown = std::fs::read_to_string(&committed).unwrap_or_default();
    assert!(
        shown == text,
        "assets/recordings.txt is stale: it says\n{shown}but there are\n{text}run the test with UPDATE_AGREEMENT=1 and commit the file"
    );
}
