//! Draws scenarios, runs every law over each, and makes the first that breaks one as small as it gets.

use std::panic::{AssertUnwindSafe, catch_unwind};

use fairground::link;
use fairground::scenario::{Scenario, check, read, to_json, to_yaml};
use fairground::translate::translate;
use serde_json::Value;

use crate::draw;
use crate::laws::{LAWS, Verdict};

/// A law that a scenario breaks.
#[derive(Clone, Debug)]
pub struct Broken {
    /// Which.
    pub law: &'static str,
    /// What is wrong.
    pub says: String,
}

/// Runs all laws over the scenario of a seed; the smallest scenario found that breaks the same one, if one is broken.
pub fn soak(policy: &str, seed: u64) -> Option<(Broken, Scenario)> {
    let scenario = draw::scenario(policy, seed);
    let found = broken(&scenario, seed, None)?;
    Some(reduced(scenario, found, seed))
}

/// The first law that a scenario breaks, or whether it breaks this one.
pub fn broken(scenario: &Scenario, number: u64, only: Option<&str>) -> Option<Broken> {
    let asked = |name: &str| only.is_none_or(|only| only == name);
    let judge = |law: &'static str, of: &dyn Fn() -> Verdict| {
        let verdict = match asked(law) {
            true => catch_unwind(AssertUnwindSafe(of)).unwrap_or_else(|panic| Err(said(&*panic))),
            false => Ok(()),
        };
        verdict.err().map(|says| Broken { law, says })
    };
    let of_scenario = [
        ("what is drawn can run", can_run as fn(&Scenario) -> Verdict),
        ("what is written and linked reads back", reads_back),
        ("what is translated can run", translates),
    ];
    let first = of_scenario.into_iter().find_map(|(law, of)| judge(law, &|| of(scenario)));
    if first.is_some() {
        return first;
    }
    let plan = check(scenario).plan?;
    LAWS.iter().find_map(|law| judge(law.name, &|| (law.of)(&plan, number)))
}

fn said(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    format!("panic: {}", text.or(panic.downcast_ref::<&str>().copied()).unwrap_or_default())
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
    // A job of Run:ai that runs in another pool than the first of its list has no counterpart yet.
    if scenario.policy == "runai"
        && !scenario.pools.is_empty()
        && scenario.jobs.iter().any(|job| !job.on.is_empty())
    {
        return Ok(());
    }
    for policy in fairground::policy::Policy::NAMES.iter().filter(|name| **name != scenario.policy) {
        let translated = translate(scenario, policy).ok_or_else(|| format!("not into {policy}"))?;
        can_run(&translated.scenario).map_err(|says| format!("under {policy}: {says}"))?;
    }
    Ok(())
}

/// A scenario that breaks the same law, from which nothing can be left out.
fn reduced(scenario: Scenario, found: Broken, number: u64) -> (Broken, Scenario) {
    let (mut smallest, mut says) = (scenario, found);
    while let Some((scenario, found)) = smaller(&smallest, &says, number) {
        (smallest, says) = (scenario, found);
    }
    (says, smallest)
}

/// The same with one thing less, breaking the same law.
fn smaller(scenario: &Scenario, found: &Broken, number: u64) -> Option<(Scenario, Broken)> {
    let whole: Value = serde_json::from_str(&to_json(scenario)).ok()?;
    let mut places = Vec::new();
    collect(&whole, &mut Vec::new(), &mut places);
    places.into_iter().find_map(|place| {
        let mut less = whole.clone();
        remove(&mut less, &place)?;
        let less = read(&less.to_string());
        let less = less.is_clean().then_some(less.scenario).flatten()?;
        // What says nothing, such as an empty list, is not written again.
        let is_less = less != *scenario && check(&less).plan.is_some();
        let found = is_less.then(|| broken(&less, number, Some(found.law))).flatten()?;
        Some((less, found))
    })
}

/// Every place that could be left out, the largest first.
fn collect(value: &Value, at: &mut Vec<String>, places: &mut Vec<Vec<String>>) {
    let inner: Vec<(String, &Value)> = match value {
        Value::Object(fields) => fields.iter().map(|(key, value)| (key.clone(), value)).collect(),
        Value::Array(items) => {
            items.iter().enumerate().map(|(i, value)| (i.to_string(), value)).rev().collect()
        }
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
