//! Configurations: accepted or rejected, and the resulting values of every queue.

use std::collections::BTreeSet;

use fairground::export::{Written, export};
use fairground::import::{Imported, Options, import_queues_yaml};
use fairground::policy::Policy;
use fairground::policy::yunikorn::check;
use fairground::policy::yunikorn::config::{self, File};
use fairground::policy::yunikorn::model::{Core, Settings};
use fairground::policy::yunikorn::partition;
use fairground::policy::yunikorn::priority::PriorityPolicy;
use fairground::policy::yunikorn::properties::{PreemptionPolicy, SortPolicy};
use fairground::policy::yunikorn::shares::NodeSort;
use fairground::scenario::{self, Severity};
use serde_json::{Map, Value, json};

use super::{Names, same};

/// Parses and validates a configuration.
pub fn read(value: &Value) -> Result<(File, Vec<String>), String> {
    let file: File = serde_json::from_value(value.clone()).map_err(|e| e.to_string())?;
    let mut types = Vec::new();
    config::collect_types(&file.partitions, &mut types);
    let names = Names::new(types.into_iter().collect::<BTreeSet<_>>())?;
    let found = check::check_all(&file, &names.0);
    if !found.is_empty() {
        return Err(found.iter().map(|finding| format!("{:?}", finding.problem)).collect::<Vec<_>>().join(" "));
    }
    Ok((file, names.0))
}

/// Compares a configuration.
pub fn check(case: &Value) -> Result<(), String> {
    let accepted = case["accepted"] == true;
    imported(case, accepted)?;
    let (file, types) = match read(&case["config"]) {
        Ok(read) if accepted => read,
        Ok(_) => return Err(format!("accepted, but refused upstream: {}", case["reason"])),
        Err(problem) if accepted => return Err(format!("refused: {problem}")),
        Err(problem) => return same_reason(case["reason"].as_str().unwrap_or_default(), &problem),
    };
    let partition = file.partitions.first().ok_or("no partition")?;
    let settings = Settings { reservation_delay: 2000, ideal_predicates: true };
    let core = Core::new(partition, types, settings);
    let names = Names(core.types.clone());
    let mut queues = Map::new();
    for queue in &core.queues {
        queues.insert(queue.path.clone(), resolved(queue, &names));
    }
    let weights: Map<String, Value> = names
        .0
        .iter()
        .enumerate()
        .filter(|(of, _)| core.weights[*of] != 0.0)
        .map(|(of, name)| (name.clone(), json!(core.weights[of])))
        .collect();
    let expected = &case["nodeSort"];
    let kind = if core.node_sort == NodeSort::BinPacking { "binpacking" } else { "fair" };
    same("node sort", &expected["type"], &json!(kind))?;
    for (name, weight) in expected["weights"].as_object().into_iter().flatten() {
        let got = weights.get(name).and_then(Value::as_f64).unwrap_or(0.0);
        let unused = !names.0.contains(name);
        if !unused && Some(got) != weight.as_f64() {
            return Err(format!("weight of {name}: expected {weight}, got {got}"));
        }
    }
    same("preemption", &case["preemptionEnabled"], &json!(core.preemption))?;
    for (path, expected) in case["queues"].as_object().into_iter().flatten() {
        let got = queues.get(path).ok_or_else(|| format!("no queue {path}"))?;
        for (field, value) in expected.as_object().into_iter().flatten() {
            same(&format!("{path} {field}"), value, &got[field])?;
        }
    }
    let n = case["queues"].as_object().map_or(0, Map::len);
    same("number of queues", &json!(n), &json!(queues.len()))
}

/// Imports the configuration as a scenario and compares the resulting values of every queue; the export reads back as
/// the same scenario. A configuration that upstream rejects is rejected with a position.
pub fn imported(case: &Value, accepted: bool) -> Result<(), String> {
    let text = case["config"].to_string();
    let import = |text: &str| import_queues_yaml(text, &Options::default());
    let Imported { scenario, report } = import(&text);
    let errors = || report.diagnostics.iter().filter(|d| d.severity == Severity::Error);
    let Some(scenario) = scenario.filter(|_| accepted) else {
        let is_placed = errors().count() > 0 && errors().all(|d| d.position.is_some());
        let is_unknown_key = case["reason"] == "unknownKey";
        let names_a_key = errors().any(|d| d.says.contains("unknown field "));
        return if !accepted && is_placed && is_unknown_key == names_a_key {
            Ok(())
        } else {
            Err(format!("import: {:?}", report.diagnostics))
        };
    };
    let checked = scenario::check(&scenario);
    let plan = checked.plan.ok_or_else(|| format!("imported, but {:?}", checked.diagnostics))?;
    let Policy::YuniKorn(policy) = plan.policy else { return Err("another policy".into()) };
    let partition = partition::partition(&plan.cluster.queues, &policy);
    let types = partition::ResourceTypes::new(&partition, &policy, &[]).names;
    let settings = Settings { reservation_delay: 2000, ideal_predicates: true };
    let core = Core::new(&partition, types, settings);
    let names = Names(core.types.clone());
    for queue in &core.queues {
        let expected = &case["queues"][&queue.path];
        let got = resolved(queue, &names);
        for (field, value) in expected.as_object().into_iter().flatten() {
            same(&format!("imported {} {field}", queue.path), value, &got[field])?;
        }
    }
    let Written { text: exported, .. } =
        export(&scenario, Some("queues.yaml")).map_err(|why| format!("no export: {why:?}"))?;
    let again = import(&exported);
    let texts = [Some(scenario), again.scenario].map(|s| s.map(|s| scenario::to_yaml(&s)).unwrap_or_default());
    if texts[0] == texts[1] {
        Ok(())
    } else {
        Err(format!("another scenario after export:\n{}\n{exported}\n{}", texts[0], texts[1]))
    }
}

/// Checks that the error of upstream is among the findings. An unknown key stops the reader, which names it.
fn same_reason(expected: &str, found: &str) -> Result<(), String> {
    if expected == "unknownKey" || found.contains("unknown field") {
        let is_same = expected == "unknownKey" && found.starts_with("unknown field `");
        return if is_same { Ok(()) } else { Err(format!("refused for {found}, upstream for {expected}")) };
    }
    let is = |problem: &str| {
        // The recordings have one name for these two.
        let recorded = problem.replace("MaxApplicationsMissingBelowLimitedParent", "NodeSortPolicy");
        expected.eq_ignore_ascii_case(&recorded)
    };
    if found.split(' ').any(is) { Ok(()) } else { Err(format!("refused for {found}, upstream for {expected}")) }
}

fn resolved(queue: &fairground::policy::yunikorn::model::Queue, names: &Names) -> Value {
    let p = &queue.properties;
    let millis = |nanos: i64| nanos / 1_000_000;
    let fair = p.sort_policy == SortPolicy::Fair || !queue.is_leaf;
    json!({
        "leaf": queue.is_leaf,
        "sortPolicy": if fair { "fair" } else { "fifo" },
        "sortPriority": p.sort_priority,
        "priorityPolicy": if p.priority_policy == PriorityPolicy::Fence { "fence" } else { "default" },
        "priorityOffset": p.offset,
        "preemptionPolicy": match p.preemption_policy {
            PreemptionPolicy::Default => "default",
            PreemptionPolicy::Fence => "fence",
            PreemptionPolicy::Disabled => "disabled",
        },
        "preemptionDelayMs": if queue.is_leaf { millis(p.preemption_delay) } else { 30_000 },
        "quotaPreemptionDelayMs": millis(p.quota_delay),
        "max": names.write(&queue.max),
        "guaranteed": names.write(&queue.guaranteed),
        "maxApplications": queue.max_applications,
        "backoff": p.backoff,
        "backoffDelayMs": millis(p.backoff_delay),
    })
}
