//! Recorded plans of several cycles as one scenario file each, which tests the memory of EGO between cycles.

use fairground_tests::ego::Case;
use fairground_tests::front::ego::is_one_file;
use fairground_tests::recording::golden;

/// Number of cases of a recording that agree as one file. The others have a cycle with decisions that the recording
/// lacks.
fn agree(file: &str) -> usize {
    golden::<Case>(&format!("ego/{file}")).filter(is_one_file).count()
}

#[test]
fn the_number_of_agreeing_cases_is_stable() {
    let all = ["plan.jsonl.gz", "plan-deep.jsonl.gz", "reclaim.jsonl.gz", "reclaim-hard.jsonl.gz"].map(agree);
    assert_eq!(all, [82, 15, 88, 34]);
}
