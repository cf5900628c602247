//! With any seed, the result of a case is one observed from the real scheduler.
//!
//! Results that upstream gives in fewer than about one of twenty runs may be missing in a recording, so a few of many
//! seeds may give an unrecorded result.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use fairground::policy::kai::recorded::{Committed, PodState, Snapshot, nondeterministic_marks, run_cycle};
use fairground::trace::{Level, Trace};
use fairground_tests::cycle::{Case, check_seeded, openings};
use fairground_tests::known;
use fairground_tests::recording::{Format, find, read};

/// Number of seeds for cases with one recorded outcome, and for others.
const SEEDS: (u64, u64) = (1, 8);

/// Number of further seeds after an unrecorded result.
const MORE_SEEDS: u64 = 100;

/// Maximum number of unrecorded results among them.
const MOST_OUTSIDE: usize = 10;

/// Cases whose recordings have all observed outcomes, without those that are known to differ.
fn cases() -> Vec<Case> {
    let known = known::parse(include_str!("../known-differences.yaml")).expect("known differences");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden");
    let mut cases = Vec::new();
    for path in find(&folder).expect("the folder of recordings") {
        let recording = read(&path).unwrap_or_else(|says| panic!("{says}"));
        // The large cases have only the outcome of the canonical order.
        let is_whole = recording.format == Format::KaiCycle && !path.ends_with("mid.jsonl.gz");
        let read = |(_, text): &(usize, String)| {
            let case: Case = serde_json::from_str(text).expect("a case");
            case.recorded_at(&recording.revision)
        };
        let file = path.display().to_string();
        let differs = |case: &Case| known.iter().any(|known| known.id == case.id && known.is_in(&file));
        cases.extend(recording.cases.iter().filter(|_| is_whole).map(read).filter(|case| !differs(case)));
    }
    cases
}

#[test]
fn seeds_give_recorded_outcomes() {
    let (mut n_sets, mut n_varied) = (0, 0);
    let mut outside = Vec::new();
    for case in cases() {
        let mut met = BTreeSet::new();
        let mut left = false;
        for seed in 0..if case.strict { SEEDS.0 } else { SEEDS.1 } {
            match check_seeded(&case, seed) {
                Ok(outcome) => drop(met.insert(outcome)),
                Err(_) => left = true,
            }
        }
        if left {
            let says: Vec<String> = (0..MORE_SEEDS).filter_map(|s| check_seeded(&case, s).err()).collect();
            println!("{}: {} of {MORE_SEEDS} seeds leave what was recorded", case.id, says.len());
            if says.len() > MOST_OUTSIDE {
                outside.push(format!("{}: {} of {MORE_SEEDS} seeds: {}", case.id, says.len(), says[0]));
            }
        }
        n_sets += usize::from(!case.strict);
        n_varied += usize::from(met.len() > 1);
    }
    println!("{n_varied} of {n_sets} cases that depend on chance came out in more than one way");
    assert!(outside.is_empty(), "{}", outside.join("\n"));
    assert!(2 * n_varied > n_sets, "only {n_varied} of {n_sets} cases came out in more than one way");
}

/// Rules of the marks of a cycle in canonical order.
fn marked(opening: &Snapshot) -> Vec<&'static str> {
    nondeterministic_marks(opening).iter().map(|mark| mark.rule.key()).collect()
}

/// Result of a cycle for every pod that it changes: status, node, devices, and whether it was evicted. A device that is
/// used first in the cycle is named after its first pod.
fn ended(opening: &Snapshot, seed: Option<u64>) -> BTreeMap<String, (String, bool)> {
    let mut opening = opening.clone();
    opening.config.seed = seed;
    let outcome = run_cycle(&opening, &mut Trace::new(Level::Outcomes));
    let mut states: BTreeMap<&str, &PodState> = BTreeMap::new();
    states.extend(outcome.steps.iter().flat_map(|step| &step.pods).map(|state| (&*state.pod, state)));
    let is_known = |group: &str| {
        opening.jobs.iter().flat_map(|job| &job.pods).any(|pod| pod.gpu_groups.iter().any(|g| **g == *group))
    };
    let called = |group: &str| {
        let mut on_it = states.values().filter(|state| state.gpu_groups.iter().any(|g| **g == *group));
        on_it.next().filter(|_| !is_known(group)).map_or(group.to_string(), |state| format!("of {}", state.pod))
    };
    let mut ended = BTreeMap::new();
    for (pod, state) in &states {
        let mut groups: Vec<String> = state.gpu_groups.iter().map(|group| called(group)).collect();
        groups.sort();
        ended.insert(pod.to_string(), (format!("{:?} {} {groups:?}", state.status, state.node), false));
    }
    for committed in outcome.steps.iter().flat_map(|step| &step.commits).flatten() {
        if let Committed::Evict { pod, .. } = committed {
            ended.entry(pod.to_string()).or_default().1 = true;
        }
    }
    ended
}

/// Number of seeds to test whether a cycle is nondeterministic.
const TRIED: u64 = 64;

/// A cycle is marked if and only if its result depends on nondeterministic order, as far as seeds can show: a seed
/// draws like the maps of the real scheduler, in which some orders are rare, and a mark stands for one order alone.
#[test]
fn marks_identify_nondeterministic_cycles() {
    let (mut n_cases, mut n, mut n_nondeterministic, mut missing, mut over) = (0, 0, 0, Vec::new(), Vec::new());
    let mut by_rule: Vec<&str> = Vec::new();
    for case in cases() {
        // Of the cases with one outcome, a few.
        n_cases += 1;
        if case.strict && n_cases % 8 != 0 {
            continue;
        }
        for (round, opening) in openings(&case).expect("an opening").iter().enumerate() {
            let marks = marked(opening);
            let first = ended(opening, None);
            let tried = if marks.is_empty() { TRIED / 4 } else { TRIED };
            let depends = (0..tried).any(|seed| ended(opening, Some(seed)) != first);
            n += 1;
            n_nondeterministic += usize::from(depends);
            by_rule.extend(marks.iter().copied());
            let named = format!("{} round {round} {marks:?}", case.id);
            match (depends, marks.is_empty()) {
                (true, true) => missing.push(named),
                (false, false) => over.push(named),
                _ => {}
            }
        }
    }
    println!(
        "{n} cycles, {n_nondeterministic} hang on chance; {} without mark, {} too many",
        missing.len(),
        over.len()
    );
    for rule in BTreeSet::from_iter(&by_rule) {
        println!("{rule}: {}", by_rule.iter().filter(|of| *of == rule).count());
    }
    println!("without:\n{}\ntoo many:\n{}", missing.join("\n"), over.join("\n"));
    assert!(
        20 * missing.len() < n_nondeterministic,
        "{} of {n_nondeterministic} that hang on chance have no mark",
        missing.len()
    );
    assert!(20 * over.len() < n_nondeterministic, "{} have a mark for nothing", over.len());
}
