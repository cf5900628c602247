//! Job patterns, from text to jobs: number, times, durations, and random draws.

use fairground::scenario::{Checked, Scenario, check, codes, read, to_json, to_yaml};
use proptest::prelude::*;

const HEAD: &str = "format: fairground-scenario\nversion: 1\nnodes: [{name: n, gpu: 8}]\n\
                    queues: [{name: a, gpu: {quota: 2, limit: unlimited, weight: 1}}]\njobs:\n";

fn scenario(jobs: &str) -> Scenario {
    let read = read(&format!("{HEAD}{jobs}"));
    assert_eq!(read.diagnostics, vec![], "{jobs}");
    read.scenario.expect("it can be read")
}

/// Name, arrival and duration in seconds of every job.
fn jobs(checked: &Checked) -> Vec<(String, i64, i64)> {
    let plan = checked.plan.as_ref().unwrap_or_else(|| panic!("{:?}", checked.diagnostics));
    let of = |job: &fairground::cluster::Job| {
        let lasts = job.lasts.map_or(-1, |lasts| lasts.as_millis() / 1000);
        (job.name.to_string(), job.submit.as_millis() / 1000, lasts)
    };
    plan.cluster.jobs.values().map(of).collect()
}

fn findings(jobs: &str) -> Vec<String> {
    let found = check(&scenario(jobs)).diagnostics;
    found.into_iter().map(|d| format!("{} {}: {}", d.code.0, d.at, d.says)).collect()
}

#[test]
fn a_pattern_is_one_line() {
    let line = "  - {name: train, queue: a, count: 3, every: 60s..20s, submit: 10s, lasts: 8m..20m, gpu: 1, seed: 7}\n";
    let s = scenario(line);
    assert_eq!(s.jobs.len(), 1);
    assert!(to_yaml(&s).ends_with(line), "{}", to_yaml(&s));
    let all = jobs(&check(&s));
    let arrivals: Vec<i64> = all.iter().map(|job| job.1).collect();
    assert_eq!(arrivals, [10, 70, 90]);
    assert!(all.iter().all(|job| (480..=1200).contains(&job.2)), "{all:?}");
}

#[test]
fn a_complete_pattern_round_trips() {
    let all = jobs(&check(&scenario("- {name: j, queue: a, count: 2, every: 5s, repeat: 3 every 1h, gpu: 1}\n")));
    let arrivals: Vec<(&str, i64)> = all.iter().map(|job| (job.0.as_str(), job.1)).collect();
    assert_eq!(arrivals, [("j-1", 0), ("j-2", 5), ("j-3", 3600), ("j-4", 3605), ("j-5", 7200), ("j-6", 7205)]);
}

#[test]
fn errors_name_the_field_and_a_fix() {
    let job = |fields: &str| format!("- {{name: j, queue: a, gpu: 1, {fields}}}\n");
    for (fields, says) in [
        ("lasts: 20m..8m", "S017 jobs[\"j\"].lasts: lasts \"20m..8m\" names the longer time first; write 8m..20m"),
        ("count: 2, every: soon", "S017 jobs[\"j\"].every: every \"soon\" is not a distance such as 30s, 60s..10s"),
        ("count: 2, every: -5s random", "S015 jobs[\"j\"].every: every \"-5s random\" is below zero"),
        ("count: 2, repeat: daily", "S017 jobs[\"j\"].repeat: repeat \"daily\" is not a number with a distance"),
        ("repeat: 5 every 1d", "S051 jobs[\"j\"].repeat: repeat needs a count"),
        ("seed: 7", "S051 jobs[\"j\"].seed: nothing is drawn with this seed"),
        ("seed: x", "S014 jobs[\"j\"].seed: seed \"x\" is not a whole number"),
        ("count: 2, every: 60s..0, on: [n, n]", "S034 jobs[\"j\"].every: a pattern with `on` runs from the start"),
        ("count: 2, repeat: 2 every 1d, on: [n, n]", "S034 jobs[\"j\"].repeat: a pattern with `on` runs"),
        ("count: 9, repeat: 1e9 every 1d", "S038 jobs: there are"),
        ("count: 2, repeat: 1e10 every 1d", "S016 jobs[\"j\"].repeat: repeat \"1e10 every 1d\" is too large"),
        ("count: 3, repeat: 3 every 36500d", "S016 jobs[\"j\"].repeat: the last arrival"),
        ("count: 90, every: 36500d random", "S016 jobs[\"j\"].every: the last arrival"),
    ] {
        let all = findings(&job(fields));
        assert!(all.iter().any(|line| line.starts_with(says)), "{fields}: {all:?}");
    }
}

#[test]
fn patterns_with_equal_draws_are_reported() {
    let both = |one: &str, other: &str| {
        findings(&format!("- {{name: j, queue: a, count: 4, {one}}}\n- {{name: k, queue: a, count: 4, {other}}}\n"))
            .into_iter()
            .filter(|line| line.starts_with(codes::SAME_SEED.0))
            .collect::<Vec<_>>()
    };
    assert_eq!(both("lasts: 5..9", "lasts: 5..9, seed: 2"), [""; 0]);
    assert_eq!(both("lasts: 5..9", "every: 5s random"), [""; 0]);
    assert_eq!(both("lasts: 5..9", "lasts: 7"), [""; 0]);
    let says = "S061 jobs[\"k\"].seed: the jobs of \"k\" and \"j\" arrive in the same rhythm: both have seed 1; give \"k\" another";
    assert_eq!(both("every: 5s random", "every: 9s random, lasts: 5..9"), [says]);
    let s = scenario(
        "- {name: j, queue: a, count: 4, lasts: 5..9, seed: 2}\n- {name: k, queue: a, count: 4, lasts: 5..9, seed: 2}\n",
    );
    let fix = check(&s).diagnostics.into_iter().find_map(|d| d.fix).expect("a fix");
    let mended = fairground::scenario::apply(&s, &fix.edits).expect("it can be applied");
    assert_eq!(check(&mended).diagnostics, vec![]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// The number of jobs is as configured, within the bounds, reproducible and independent of the rest of the file.
    #[test]
    fn drawn_jobs_match_the_pattern(
        seed in 0..=i64::MAX, count in 1u32..30, times in 1u32..4, (from, more) in (0u32..5000, 0u32..5000),
        (first, last) in (0u32..300, 0u32..300), random: bool,
    ) {
        let every = format!("{first}s..{last}s{}", if random { " random" } else { "" });
        let to = from + more;
        let line = |name: &str| format!(
            "- {{name: {name}, queue: a, count: {count}, every: {every}, lasts: {from}..{to}, repeat: {times} every 1d, seed: {seed}}}\n"
        );
        let s = scenario(&line("j"));
        let drawn = jobs(&check(&s));
        prop_assert_eq!(drawn.len(), (count * times) as usize);
        prop_assert!(drawn.iter().all(|job| (i64::from(from)..=i64::from(to)).contains(&job.2)));
        prop_assert!(drawn.chunks(count as usize).all(|round| round.is_sorted_by_key(|job| job.1)));
        for text in [to_yaml(&s), to_json(&s)] {
            let back = read(&text);
            prop_assert_eq!(back.scenario.as_ref(), Some(&s));
        }
        let among = jobs(&check(&scenario(&format!("- {{name: x, queue: a, lasts: 1..9}}\n{}", line("k")))));
        let times = |all: &[(String, i64, i64)]| all.iter().map(|job| (job.1, job.2)).collect::<Vec<_>>();
        prop_assert_eq!(times(&drawn), times(&among[1..]));
    }
}
