//! Files of any kind through the import with detection; a zero byte and a one separate them, so that archives stay
//! whole.

#![no_main]

use fairground::export::{File as Written, zip};
use fairground::import::{File, Options, import_files};
use fairground::scenario::{Scenario, to_json};
use libfuzzer_sys::fuzz_target;

const NAMES: [&str; 3] = ["a", "b", "c"];

fuzz_target!(init: fairground_fuzz::seed(archive), |bytes: &[u8]| {
    let (mut parts, mut rest) = (Vec::new(), bytes);
    while parts.len() + 1 < NAMES.len()
        && let Some(end) = rest.windows(4).position(|four| four == b"\n\0\x01\n")
    {
        parts.push(&rest[..end]);
        rest = &rest[end + 4..];
    }
    parts.push(rest);
    let files = NAMES.iter().zip(parts).map(|(name, bytes)| File { name, bytes, is_sizes: false });
    let options = Options { policy: String::new(), ..Options::default() };
    if let Some(scenario) = import_files(&files.collect::<Vec<_>>(), &options).imported.scenario {
        fairground_fuzz::accepted(&scenario);
    }
});

/// An archive with a scenario.
fn archive(scenario: &Scenario) -> Option<Vec<u8>> {
    zip(&[Written { name: "scenario.json".into(), text: to_json(scenario) }])
}
