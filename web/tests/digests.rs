//! The digests of every example, cycle by cycle. The browser tests read the same file, so that native code and the
//! browser decide the same. `FAIRGROUND_UPDATE=1` rewrites it.

use std::fmt::Write;

use fairground::scenario::check;
use fairground_tests::digests::digests;
use fairground_web::library::EXAMPLES;

const CYCLES: u32 = 6;

#[test]
fn digests_are_those_the_browser_has_to_find() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/e2e/digests.json");
    let mut text = String::from("{\n");
    for (i, example) in EXAMPLES.iter().enumerate() {
        let scenario = fairground_web::state::document::from_text(example.text).expect("examples are clean");
        let plan = check(&scenario).plan.expect("examples can run");
        let list: Vec<String> = digests(&plan, CYCLES).iter().map(|digest| format!("\"{digest:016x}\"")).collect();
        let comma = if i + 1 < EXAMPLES.len() { "," } else { "" };
        let _ = writeln!(text, "  \"{}\": [{}]{comma}", example.id, list.join(", "));
    }
    text.push_str("}\n");
    if std::env::var_os("FAIRGROUND_UPDATE").is_some() {
        std::fs::write(path, &text).expect("the file can be written");
    }
    let kept = std::fs::read_to_string(path).unwrap_or_default();
    assert!(kept == text, "digests changed; run again with FAIRGROUND_UPDATE=1 and say why in the change log");
}
