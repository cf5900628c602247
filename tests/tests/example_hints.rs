//! Hints on the examples: each example but the first, which has chips of its own, says what to watch in one sentence,
//! and its edit changes what the scheduler decides.

use std::collections::BTreeSet;
use std::path::Path;

use fairground::lesson::{Hint, hint};
use fairground::scenario::{self, Scenario};
use fairground::sim::Simulation;
use fairground::trace::Event;

/// Longest part of a run that is compared.
const CYCLES_MAX: usize = 400;

const CHARS_MAX: usize = 130;
const LABEL_CHARS_MAX: usize = 44;

fn examples() -> Vec<(String, Scenario)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../assets/scenarios");
    let files = std::fs::read_dir(folder).expect("the folder of examples");
    let mut examples: Vec<(String, Scenario)> = files
        .map(|file| file.expect("a file").path())
        .map(|path| {
            let text = std::fs::read_to_string(&path).expect("an example");
            let id = path.file_stem().expect("a name").to_string_lossy().into_owned();
            (id, scenario::read(&text).scenario.expect("an example is a scenario"))
        })
        .collect();
    examples.sort_by(|a, b| a.0.cmp(&b.0));
    examples
}

fn hints() -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../assets/examples.yaml");
    std::fs::read_to_string(file).expect("the hints")
}

/// A run of a scenario.
fn run(scenario: &Scenario) -> Result<Simulation, String> {
    let checked = scenario::check(scenario);
    let plan = checked.plan.ok_or_else(|| format!("{:?}", checked.diagnostics))?;
    Ok(Simulation::new(&plan))
}

/// Starts and evictions of the next cycle.
fn decisions(simulation: &mut Simulation) -> Vec<String> {
    let Some(record) = simulation.advance() else { return Vec::new() };
    let cluster = simulation.cluster();
    let decision = |event: &Event| match *event {
        Event::Bound { pod, node, .. } => {
            Some(format!("{} starts on {}", cluster.pods[pod].name, cluster.nodes[node].name))
        }
        Event::Evicted { pod, .. } => Some(format!("{} is evicted", cluster.pods[pod].name)),
        _ => None,
    };
    record.events.iter().filter_map(|recorded| decision(&recorded.event)).collect()
}

/// Whether the scheduler decides the same in both scenarios.
fn is_same(before: &Scenario, after: &Scenario) -> Result<bool, String> {
    let (mut before, mut after) = (run(before)?, run(after)?);
    Ok((0..CYCLES_MAX).all(|_| decisions(&mut before) == decisions(&mut after)))
}

/// What is wrong with a hint.
fn fault(scenario: &Scenario, Hint { watch, next }: &Hint) -> Option<String> {
    let is_sentence = watch.ends_with(['.', '?']) && !watch.contains(". ");
    if watch.chars().count() > CHARS_MAX || !is_sentence {
        return Some(format!("{watch:?} is not one sentence of up to {CHARS_MAX} characters"));
    }
    let next = next.as_ref()?;
    if !(1..=LABEL_CHARS_MAX).contains(&next.label.chars().count()) {
        return Some(format!("the label {:?} is too long", next.label));
    }
    let after = match scenario::apply(scenario, &next.edits) {
        Ok(after) => after,
        Err(found) => return Some(found.says),
    };
    match is_same(scenario, &after) {
        Ok(true) => Some(format!("{:?} changes no decision", next.label)),
        Ok(false) => None,
        Err(says) => Some(says),
    }
}

#[test]
fn every_example_says_what_to_watch_and_its_edit_changes_a_decision() {
    let text = hints();
    let mut faults = Vec::new();
    for (id, scenario) in examples().into_iter().filter(|(id, _)| id != "start") {
        match hint(&text, &id) {
            None => faults.push(format!("{id}: no hint")),
            Some(hint) => faults.extend(fault(&scenario, &hint).map(|says| format!("{id}: {says}"))),
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_hint_is_about_an_example() {
    let known: BTreeSet<String> = examples().into_iter().map(|(id, _)| id).collect();
    let text = hints();
    let named = text.lines().filter_map(|line| line.trim_start().strip_prefix("- example: "));
    let unknown: Vec<&str> = named.filter(|id| !known.contains(*id)).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}

#[test]
fn a_damaged_file_has_no_hints() {
    assert_eq!(hint("frames: [", "odd-gpu"), None);
    assert_eq!(hint("frames: [{example: odd-gpu, txt: x}]", "odd-gpu"), None);
    let only = hint("frames: [{example: odd-gpu, text: Watch.}]", "odd-gpu");
    assert_eq!(only, Some(Hint { watch: "Watch.".into(), next: None }));
}
