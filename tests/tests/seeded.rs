//! With any seed a case comes out as the real scheduler was seen to come out.

use std::collections::BTreeSet;
use std::path::Path;

use fairground_tests::cycle::{Case, check_seeded};
use fairground_tests::recording::{Format, find, read};

#[test]
fn seeds_stay_within_what_was_recorded() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden");
    let (mut n_set, mut n_strict, mut n_varied) = (0, 0, 0);
    let mut outside = Vec::new();
    for path in find(&folder).expect("the folder of recordings") {
        let recording = read(&path).unwrap_or_else(|says| panic!("{says}"));
        for (_, text) in recording.cases.iter().filter(|_| recording.format == Format::KaiCycle) {
            let case: Case = serde_json::from_str(text).expect("a case");
            if case.id.starts_with("mid-") { continue; }
            let mut met = BTreeSet::new();
            for seed in 0..6 {
                match check_seeded(&case, seed) {
                    Ok(i) => drop(met.insert(i)),
                    Err(says) => outside.push(format!("{} strict={} n={:?} seed {seed}: {says}", case.id, case.strict, case.outcomes.iter().map(|o| o.n).collect::<Vec<_>>())),
                }
            }
            n_varied += usize::from(met.len() > 1);
            if case.strict { n_strict += 1 } else { n_set += 1 }
        }
    }
    println!("{n_set} set {n_strict} strict, {n_varied} varied, {} outside", outside.len());
    for o in &outside { println!("{o}"); }
    assert!(outside.is_empty());
}
