//! Generates scenarios, runs every law over each, and minimises the first that violates one.

use fairground::link;
use fairground::scenario::{Scenario, check, codes, read, to_json, to_yaml};
use fairground::sim::Simulation;
use fairground::trace::Event;
use fairground::translate::translate;
use serde_json::Value;

use crate::draw::{self, Size};
use crate::laws::{self, Broken, Verdict};

/// Runs all laws over the scenario of a seed; returns a minimised scenario that violates the same law, if any.
pub fn soak(policy: &str, size: Size, seed: u64) -> Option<(Broken, Scenario)> {
    let scenario = draw::sized(policy, size, seed);
    let found = broken(&scenario, seed, None)?;
    Some(reduced(scenario, found, seed))
}

/// First law that a scenario violates; with `only`, just this one is checked.
pub fn broken(scenario: &Scenario, number: u64, only: Option<&str>) -> Option<Broken> {
    let of_scenario = [
        ("what is drawn can run", can_run as fn(&Scenario) -> Verdict),
        ("what is written and linked reads back", reads_back),
        ("what is translated can run", translates),
        ("what needs more than a limit never starts", too_large_waits),
    ];
    for (law, of) in of_scenario.into_iter().filter(|(law, _)| only.is_none_or(|only| only == *law)) {
        let verdict =
            laws::catch(law, || of(scenario)).and_then(|verdict| verdict.map_err(|says| Broken { law, says }));
        if let Err(broken) = verdict {
            return Some(broken);
        }
    }
    laws::hold(&check(scenario).plan?, number, only).err()
}

fn can_run(scenario: &Scenario) -> Verdict {
    let checked = check(scenario);
    checked.plan.map(drop).ok_or_else(|| format!("{:?}", checked.diagnostics))
}

fn reads_back(scenario: &Scenario) -> Verdict {
    let ways = [
        ("YAML", read(&to_yaml(scenario)).scenario),
        ("JSON", read(&to_json(scenario)).scenario),
        ("a link", link::decode(&link::encode(scenario)).ok()),
    ];
    let plan = check(scenario).plan;
    for (way, back) in ways {
        let same = back.is_some_and(|back| back == *scenario && check(&back).plan == plan);
        if !same {
            return Err(format!("through {way} it is another one"));
        }
    }
    Ok(())
}

fn translates(scenario: &Scenario) -> Verdict {
    // A job of Run:ai that runs in a pool other than the first of its list has no counterpart yet.
    if scenario.policy == "runai" && !scenario.pools.is_empty() && scenario.jobs.iter().any(|job| !job.on.is_empty()) {
        return Ok(());
    }
    for policy in fairground::policy::Policy::NAMES.iter().filter(|name| **name != scenario.policy) {
        let translated = translate(scenario, policy).ok_or_else(|| format!("not into {policy}"))?;
        can_run(&translated.scenario).map_err(|says| format!("under {policy}: {says}"))?;
    }
    Ok(())
}

/// Pods do not start in a queue with a limit that a job is said to exceed, while no queue changes.
fn too_large_waits(scenario: &Scenario) -> Verdict {
    const CYCLES: u32 = 30;
    let checked = check(scenario);
    let Some(plan) = checked.plan.filter(|_| scenario.timeline.iter().all(|entry| entry.queue.is_none())) else {
        return Ok(());
    };
    let found = checked.diagnostics.iter().filter(|found| found.code == codes::LIMIT_BELOW_JOB);
    let waiting: Vec<&str> = found.filter_map(|found| found.says.split('"').nth(1)).collect();
    let mut simulation = Simulation::new(&plan);
    while !waiting.is_empty() && simulation.cycle() < CYCLES {
        let Some(record) = simulation.advance() else { break };
        let cluster = simulation.cluster();
        for recorded in &record.events {
            if let Event::Bound { pod, .. } = recorded.event
                && waiting.contains(&&*cluster.jobs[cluster.pods[pod].job].name)
            {
                return Err(format!("{} started", cluster.pods[pod].name));
            }
        }
    }
    Ok(())
}

/// Minimises a scenario: no part can be removed without losing the violation.
fn reduced(scenario: Scenario, found: Broken, number: u64) -> (Broken, Scenario) {
    let (mut smallest, mut says) = (scenario, found);
    while let Some((scenario, found)) = smaller(&smallest, &says, number) {
        (smallest, says) = (scenario, found);
    }
    (says, smallest)
}

/// Removes one part such that the same law is still violated.
fn smaller(scenario: &Scenario, found: &Broken, number: u64) -> Option<(Scenario, Broken)> {
    let whole: Value = serde_json::from_str(&to_json(scenario)).ok()?;
    let mut places = Vec::new();
    collect(&whole, &mut Vec::new(), &mut places);
    places.into_iter().find_map(|place| {
        let mut less = whole.clone();
        remove(&mut less, &place)?;
        let less = read(&less.to_string());
        let less = less.is_clean().then_some(less.scenario).flatten()?;
        // Neutral values such as empty lists are not written.
        let is_less = less != *scenario && check(&less).plan.is_some();
        let found = is_less.then(|| broken(&less, number, Some(found.law))).flatten()?;
        Some((less, found))
    })
}

/// Collects all removable parts, the largest first.
fn collect(value: &Value, at: &mut Vec<String>, places: &mut Vec<Vec<String>>) {
    let inner: Vec<(String, &Value)> = match value {
        Value::Object(fields) => fields.iter().map(|(key, value)| (key.clone(), value)).collect(),
        Value::Array(items) => items.iter().enumerate().map(|(i, value)| (i.to_string(), value)).rev().collect(),
        _ => Vec::new(),
    };
    for (key, value) in &inner {
        at.push(key.clone());
        places.push(at.clone());
        collect(value, at, places);
        at.pop();
    }
}

fn remove(value: &mut Value, place: &[String]) -> Option<()> {
    let (last, above) = place.split_last()?;
    let inner = above.iter().try_fold(value, |value, key| match value {
        Value::Array(items) => items.get_mut(key.parse::<usize>().ok()?),
        other => other.get_mut(key.as_str()),
    })?;
    match inner {
        Value::Array(items) => drop(items.remove(last.parse().ok()?)),
        Value::Object(fields) => drop(fields.remove(last)),
        _ => return None,
    }
    Some(())
}
