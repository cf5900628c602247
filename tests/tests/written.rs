//! The worked examples in `cases/` hold.

use std::path::Path;

use fairground_tests::written::{blocks, run};

#[test]
fn worked_examples_hold() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases/kai");
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .expect("the folder of cases")
        .map(|entry| entry.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|e| e == "md"))
        .collect();
    files.sort();
    let mut failures = Vec::new();
    let mut n_blocks = 0;
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a readable file");
        for block in blocks(&text) {
            n_blocks += 1;
            if let Err(says) = run(&block) {
                let name = file.file_name().unwrap_or_default().display();
                failures.push(format!("{name}, {}: {says}", block.heading));
            }
        }
    }
    assert!(n_blocks > 0, "no cases found");
    assert!(failures.is_empty(), "{} of {n_blocks} cases fail:\n{}", failures.len(), failures.join("\n\n"));
}
