//! Random patterns with the same seed, which are probably meant to be independent.

use std::collections::{BTreeMap, BTreeSet};

use super::jobs::Jobs;
use super::patterns::SEED_DEFAULT;
use crate::format::{Findings, Scenario, codes, quoted};

/// Reports patterns with equal random numbers.
pub fn advice(scenario: &Scenario, jobs: &Jobs, f: &mut Findings) {
    let drawing = |i: usize| {
        let template = &jobs.templates[i];
        let arrivals = template.arrivals.every.is_random && template.arrivals.count > 1;
        let lengths = template.lasts.is_some_and(|lasts| lasts.is_drawn());
        [("arrive", arrivals), ("last", lengths)].into_iter().filter_map(|(what, is_drawn)| is_drawn.then_some(what))
    };
    let seed = |i: usize| jobs.templates[i].arrivals.seed;
    let entries = || (0..jobs.templates.len()).filter(|&i| drawing(i).next().is_some());
    let mut used: BTreeSet<u64> = entries().map(seed).collect();
    let mut first: BTreeMap<(&str, u64), usize> = BTreeMap::new();
    for i in entries() {
        let firsts: Vec<_> = drawing(i).map(|what| (what, *first.entry((what, seed(i))).or_insert(i))).collect();
        let Some(&(what, other)) = firsts.iter().find(|(_, other)| *other != i) else { continue };
        if f.only_counts(codes::SAME_SEED) {
            continue;
        }
        let free = (1..).find(|n| !used.contains(n)).unwrap_or(SEED_DEFAULT);
        used.insert(free);
        let path = jobs.location(scenario, i).field("seed");
        let how = if what == "arrive" { "arrive in the same rhythm" } else { "draw the same runtimes" };
        let (name, other) = (quoted(&scenario.jobs[i].name), quoted(&scenario.jobs[other].name));
        let message =
            format!("the [jobs] of {name} and {other} {how}: both have seed {}; give {name} another", seed(i));
        f.suggest(codes::SAME_SEED, path, message, free.to_string(), format!("Set its seed to {free}"));
    }
}
