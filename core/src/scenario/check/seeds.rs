//! Random patterns with the same seed, which are probably meant to be independent.

use std::collections::{BTreeMap, BTreeSet};

use super::jobs::Jobs;
use super::patterns::SEED_DEFAULT;
use crate::format::{Findings, Scenario, codes, quoted};

/// Reports patterns with equal random numbers.
pub fn advice(s: &Scenario, jobs: &Jobs, f: &mut Findings) {
    let drawing = |i: usize| {
        let template = &jobs.templates[i];
        let arrivals = template.arrivals.every.is_random && template.arrivals.count > 1;
        let lengths = template.lasts.is_some_and(|lasts| lasts.is_drawn());
        [("arrive", arrivals), ("last", lengths)].into_iter().filter_map(|(what, is)| is.then_some(what))
    };
    let seed = |i: usize| jobs.templates[i].arrivals.seed;
    let entries = || (0..jobs.templates.len()).filter(|&i| drawing(i).next().is_some());
    let mut used: BTreeSet<u64> = entries().map(seed).collect();
    let mut first: BTreeMap<(&str, u64), usize> = BTreeMap::new();
    for i in entries() {
        let mut others = drawing(i).map(|what| (what, *first.entry((what, seed(i))).or_insert(i)));
        let Some((what, other)) =
            others.by_ref().fold(None, |found, (what, other)| found.or_else(|| (other != i).then_some((what, other))))
        else {
            continue;
        };
        if f.only_counts(codes::SAME_SEED) {
            continue;
        }
        let free = (1..).find(|n| !used.contains(n)).unwrap_or(SEED_DEFAULT);
        used.insert(free);
        let at = jobs.here(s, i).field("seed");
        let how = if what == "arrive" { "arrive in the same rhythm" } else { "draw the same runtimes" };
        let (own, other) = (quoted(&s.jobs[i].name), quoted(&s.jobs[other].name));
        let says = format!("the [jobs] of {own} and {other} {how}: both have seed {}; give {own} another", seed(i));
        f.suggest(codes::SAME_SEED, at, says, free.to_string(), format!("Set its seed to {free}"));
    }
}
