//! Recorded plans of several cycles as one scenario file each, which tests the memory of EGO between cycles.

use std::path::Path;

use fairground_tests::ego::Case;
use fairground_tests::front::ego::is_one_file;
use fairground_tests::recording;

/// Number of cases of a recording that agree as one file. The others have a cycle with decisions that the recording
/// lacks.
fn agree(file: &str) -> usize {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/ego").join(file);
    let recording = recording::read(&path).expect("a recording");
    let case = |text: &String| serde_json::from_str::<Case>(text).expect("a case");
    recording.cases.iter().filter(|(_, text)| is_one_file(&case(text))).count()
}

#[test]
fn the_number_of_agreeing_cases_is_stable() {
    let all = ["plan.jsonl.gz", "plan-deep.jsonl.gz", "reclaim.jsonl.gz", "reclaim-hard.jsonl.gz"].map(agree);
    assert_eq!(all, [82, 15, 88, 34]);
}
