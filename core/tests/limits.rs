//! Each limit of a scenario: what is just below it and at it is accepted, and what is just above it is refused with a
//! message that names the field and the limit.

use fairground::scenario::{
    NAME_CHARS_MAX, NODE_GPUS_MAX, NODES_MAX, PODS_MAX, POOLS_MAX, QUEUES_MAX, Severity, TEXT_MAX, TREE_DEPTH_MAX,
    check, read,
};

/// The errors of a scenario, with their fields.
fn errors(text: &str) -> Vec<(String, String)> {
    let read = read(text);
    let checked = read.scenario.as_ref().map(check);
    let found = read.diagnostics.into_iter().chain(checked.into_iter().flat_map(|checked| checked.diagnostics));
    let errors = found.filter(|found| found.severity == Severity::Error);
    errors.map(|found| (found.at.to_string(), found.says)).collect()
}

/// Checks a limit with texts for any number.
fn holds(what: &str, most: u64, field: &str, text: impl Fn(u64) -> String) {
    for n in [most - 1, most] {
        assert_eq!(errors(&text(n)), [], "{n} {what}");
    }
    let above = errors(&text(most + 1));
    let names_it = |(at, says): &(String, String)| {
        (at.starts_with(field) || says.contains(field)) && says.contains(&most.to_string())
    };
    assert!(above.iter().any(names_it), "{} {what}: {above:?}", most + 1);
}

/// A scenario with a node and a queue, and more lines.
fn scenario(rest: &str) -> String {
    let has = |section: &str| rest.contains(section);
    let nodes = if has("nodes:") { "" } else { "nodes:\n- {name: n, gpu: 1}\n" };
    let queues = if has("queues:") { "" } else { "queues:\n- {name: q}\n" };
    format!("format: fairground-scenario\nversion: 1\n{nodes}{queues}{rest}")
}

fn entries(section: &str, n: u64, entry: impl Fn(u64) -> String) -> String {
    let all: String = (0..n).map(|i| format!("- {{{}}}\n", entry(i))).collect();
    scenario(&format!("{section}:\n{all}"))
}

#[test]
fn nodes() {
    holds("nodes of one entry", NODES_MAX, "nodes", |n| {
        scenario(&format!("nodes:\n- {{name: n, count: {n}, gpu: 1}}\n"))
    });
    holds("entries of nodes", NODES_MAX, "nodes", |n| entries("nodes", n, |i| format!("name: n{i}, gpu: 1")));
    let gpus = u64::try_from(NODE_GPUS_MAX).expect("small");
    holds("GPUs of a node", gpus, "nodes", |n| scenario(&format!("nodes:\n- {{name: n, gpu: {n}}}\n")));
}

#[test]
fn queues() {
    holds("queues", QUEUES_MAX, "queues", |n| entries("queues", n, |i| format!("name: q{i}")));
    holds("levels", TREE_DEPTH_MAX as u64, "queues", |n| {
        entries("queues", n, |i| match i {
            0 => "name: q0".to_string(),
            i => format!("name: q{i}, parent: q{}", i - 1),
        })
    });
    holds("node pools", POOLS_MAX as u64, "pools", |n| {
        let pools: String = (0..n).map(|i| format!("- {{name: p{i}}}\n")).collect();
        scenario(&format!("nodes:\n- {{name: n, gpu: 1, pool: p0}}\npools:\n{pools}"))
    });
}

#[test]
fn pods() {
    let job = |rest: String| scenario(&format!("jobs:\n- {{name: j, queue: q, gpu: 1, {rest}}}\n"));
    holds("pods of a job", PODS_MAX, "jobs", |n| job(format!("pods: {n}")));
    holds("jobs of a pattern", PODS_MAX, "jobs", |n| job(format!("count: {n}")));
    holds("pods of a pattern", PODS_MAX, "jobs", |n| job(format!("count: {}, pods: 2", n.div_ceil(2))));
    holds("jobs", PODS_MAX, "jobs", |n| entries("jobs", n, |i| format!("name: j{i}, queue: q, gpu: 1")));
}

#[test]
fn names() {
    let long = |n: u64| "x".repeat(usize::try_from(n).expect("small"));
    let most = NAME_CHARS_MAX as u64;
    holds("characters of a queue's name", most, "queues", |n| scenario(&format!("queues:\n- {{name: {}}}\n", long(n))));
    holds("characters of a node's name", most, "nodes", |n| {
        scenario(&format!("nodes:\n- {{name: {}, gpu: 1}}\n", long(n)))
    });
    holds("characters of a job's name", most, "jobs", |n| {
        scenario(&format!("jobs:\n- {{name: {}, queue: q, gpu: 1}}\n", long(n)))
    });
    // Patterns add a number, which counts.
    holds("characters of a pattern with its numbers", most, "jobs", |n| {
        scenario(&format!("jobs:\n- {{name: {}, count: 20, queue: q, gpu: 1}}\n", long(n.saturating_sub(3))))
    });
}

#[test]
fn text() {
    holds("bytes", TEXT_MAX as u64, "", |n| {
        let text = scenario("");
        let rest = usize::try_from(n).expect("fits") - text.len() - 1;
        format!("{text}#{}", " ".repeat(rest))
    });
}
