//! Calls of single functions.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use fairground::policy::yunikorn::amounts::{self, Amounts, TYPES_MAX};
use fairground::policy::yunikorn::apps::NewApp;
use fairground::policy::yunikorn::config::File;
use fairground::policy::yunikorn::guarantee::{QueueSnapshot, Snapshot};
use fairground::policy::yunikorn::model::{Ask, Core, Settings};
use fairground::policy::yunikorn::preempt::VictimKey;
use fairground::policy::yunikorn::priority::{self, MIN, PriorityPolicy};
use fairground::policy::yunikorn::properties::SortPolicy;
use fairground::policy::yunikorn::quantity;
use fairground::policy::yunikorn::required::{self, RequiredNodeVictimKey};
use fairground::policy::yunikorn::shares::{self, ComparedApp, NodeSort};
use serde_json::{Map, Value, json};

use super::{Names, same, text};

/// Whether a case calls a function that does not affect decisions of the core, and that the engine lacks.
pub fn has_no_counterpart(case: &Value) -> bool {
    ["multiply", "maxUnion", "subEliminateNegative"].contains(&text(case, "fn"))
}

/// Compares a call.
pub fn check(case: &Value) -> Result<(), String> {
    let mut types = BTreeSet::new();
    collect(case, &mut types);
    let names = Names::new(types)?;
    let function = text(case, "fn");
    if function == "victimOrder" {
        return victim_order(case);
    }
    let got = match case.get("args") {
        Some(args) if function == "parseQuantity" => {
            let arg = |i: usize| args[i].as_str().unwrap_or_default();
            quantity::parse(arg(0), arg(1)).map_or(Value::Null, Value::from)
        }
        Some(args) => of_resources(function, args, &names)?,
        None => of_fields(function, case, &names)?,
    };
    let expected = &case["result"];
    // Whole numbers may have no decimal point.
    let numbers = |value: &Value| -> Option<Vec<f64>> {
        let list = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
        list.iter().map(Value::as_f64).collect()
    };
    let is_real = matches!(function, "fairShare" | "usageShares" | "reservationScore" | "nodeScore");
    match (numbers(expected), numbers(&got)) {
        (Some(e), Some(g)) if is_real && e == g => Ok(()),
        _ => same(function, expected, &got),
    }
}

/// Collects names of types: the keys of every object with quantities.
fn collect(value: &Value, types: &mut BTreeSet<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect(item, types)),
        Value::Object(fields) => {
            let quantities = fields.values().all(|v| v.is_number());
            for (name, field) in fields {
                if quantities {
                    types.insert(name.clone());
                }
                collect(field, types);
            }
        }
        _ => {}
    }
}

fn of_resources(function: &str, args: &Value, names: &Names) -> Result<Value, String> {
    let all: Vec<Amounts> = args.as_array().into_iter().flatten().map(|a| names.read(a)).collect::<Result<_, _>>()?;
    let a = all.first().ok_or("no argument")?;
    let b = all.get(1).unwrap_or(&Amounts::NONE);
    let c = all.get(2).unwrap_or(&Amounts::NONE);
    let share = |at: usize| shares::fair_share(&all[at], &all[at + 1], &all[at + 2]).share;
    let order = |order: Option<Ordering>| json!(order.map_or(0, |order| order as i32));
    let equal = amounts::equal(a, b);
    Ok(match function {
        "add" => names.write(&amounts::sum(a, b)),
        "sub" => names.write(&amounts::difference(a, b)),
        "addExisting" => names.write(&amounts::add_existing(a, b)),
        "subExisting" => names.write(&amounts::sub_existing(a, b)),
        "minUnion" => names.write(&amounts::min_union(a, b)),
        "minLeft" => names.write(&amounts::min_left(a, b)),
        "mergeMissing" => names.write(&amounts::merge_missing(a, b)),
        "prune" => names.write(&a.pruned()),
        "fits" => json!(amounts::fits(a, b)),
        "fitsUndef" => json!(amounts::fits_undef(a, b)),
        "fitsActual" => json!(amounts::fits_actual(a, b)),
        "geAll" => json!(amounts::ge_all(a, b)),
        "gt" => json!(amounts::gt(a, b)),
        "geExisting" => json!(amounts::ge_existing(a, b)),
        "gtExisting" => json!(amounts::gt_existing(a, b)),
        "overlap" => json!(amounts::overlap(a, b)),
        "equals" => json!(equal && a.is_none() == b.is_none()),
        "deepEquals" => json!(a == b),
        "equalsOrEmpty" => json!(equal && a.is_none() == b.is_none() || a.is_zero() && b.is_zero()),
        "positive" => json!(a.positive()),
        "isZero" => json!(a.is_zero()),
        "isEmpty" => json!(a.is_empty()),
        "hasNegative" => json!(a.has_negative()),
        "fairShare" => json!(share(0)),
        "compareFairShares" => order(share(0).partial_cmp(&share(3))),
        "usageShares" => json!(shares::usage_shares(a, b).as_slice()),
        "compareUsage" => order(Some(shares::compare_usage(&shares::usage_shares(a, c), &shares::usage_shares(b, c)))),
        "reservationScore" => json!(shares::reservation_score(a, b)),
        other => return Err(format!("function {other} is not known")),
    })
}

fn of_fields(function: &str, case: &Value, names: &Names) -> Result<Value, String> {
    match function {
        "effectivePriority" => {
            let policy = match text(case, "policy") {
                "fence" => PriorityPolicy::Fence,
                _ => PriorityPolicy::Default,
            };
            Ok(json!(priority::effective(policy, int(case, "offset"), int(case, "raw"))))
        }
        "sortQueues" => sort_queues(case, names),
        "sortApplications" => sort_applications(case, names),
        "askOrder" => ask_order(case),
        "nodeScore" => node_score(case, names),
        "remainingGuarantee" | "remainingGuaranteeOf" => remaining(case, names),
        "requiredNodeVictimOrder" => required_order(case, names),
        other => Err(format!("function {other} is not known")),
    }
}

fn int(value: &Value, field: &str) -> i32 {
    value[field].as_i64().and_then(|n| i32::try_from(n).ok()).unwrap_or(MIN)
}

fn items<'a>(case: &'a Value, field: &str) -> Vec<&'a Value> {
    case[field].as_array().into_iter().flatten().collect()
}

fn sort_queues(case: &Value, names: &Names) -> Result<Value, String> {
    let queues = items(case, "queues");
    let mut all = Vec::new();
    for queue in &queues {
        all.push(shares::ComparedQueue {
            effective: int(queue, "eff"),
            allocated: names.read(&queue["allocated"])?,
            guaranteed: names.read(&queue["guaranteed"])?,
            pending: names.read(&queue["pending"])?,
            fair_max: names.read(&queue["fairMax"])?,
        });
    }
    let order = shares::sort_queues(&all, case["sortPriority"] == true);
    Ok(order.into_iter().map(|i| queues[i]["name"].clone()).collect())
}

fn sort_applications(case: &Value, names: &Names) -> Result<Value, String> {
    let guaranteed = names.read(&case["guaranteed"])?;
    let policy = if text(case, "policy") == "fair" { SortPolicy::Fair } else { SortPolicy::Fifo };
    let mut apps = Vec::new();
    for app in items(case, "apps") {
        if names.read(&app["pending"])?.positive() {
            let allocated = names.read(&app["allocated"])?;
            let shared = ComparedApp {
                priority: int(app, "priority"),
                submitted: app["submitted"].as_i64().unwrap_or(0),
                usage: shares::usage_shares(&allocated, &guaranteed),
            };
            apps.push((app["id"].clone(), shared));
        }
    }
    let shared: Vec<ComparedApp> = apps.iter().map(|(_, shared)| *shared).collect();
    let order = shares::sort_apps(&shared, policy == SortPolicy::Fair, case["sortPriority"] == true);
    Ok(order.into_iter().map(|i| apps[i].0.clone()).collect())
}

/// An empty partition with one leaf and one application.
fn small_core() -> Result<(Core, usize), String> {
    let text = r#"{"partitions":[{"queues":[{"name":"root","submitacl":"*","queues":[{"name":"a"}]}]}]}"#;
    let file: File = serde_json::from_str(text).map_err(|e| e.to_string())?;
    let settings = Settings { reservation_delay: 2000, ideal_predicates: true };
    let mut core = Core::new(&file.partitions[0], vec!["vcore".to_owned()], settings);
    let new = NewApp { id: "app".to_owned(), queue: "root.a".to_owned(), ..NewApp::default() };
    if !core.add_app(new) {
        return Err("the application was refused".to_owned());
    }
    Ok((core, 0))
}

fn ask_order(case: &Value) -> Result<Value, String> {
    let (mut core, app) = small_core()?;
    let mut one = Amounts::EMPTY;
    one.set(0, 1);
    for op in items(case, "ops") {
        let key = text(op, "key");
        if op["op"] == "insert" {
            let mut ask = Ask::new(key, app, one, int(op, "priority"));
            ask.created = op["createTime"].as_i64().unwrap_or(0);
            core.add_ask(ask, None);
        } else if let Some(ask) = core.find_ask(app, key) {
            core.remove_ask(ask);
        }
    }
    Ok(core.apps[app].requests.iter().map(|&ask| core.asks[ask].key.clone()).collect())
}

fn node_score(case: &Value, names: &Names) -> Result<Value, String> {
    let listed = case["weights"].as_object().filter(|w| !w.is_empty());
    let mut weights = [0.0; TYPES_MAX];
    for (of, name) in names.0.iter().enumerate() {
        let default = if name == "vcore" || name == "memory" { 1.0 } else { 0.0 };
        weights[of] = listed.map_or(default, |w| w.get(name).and_then(Value::as_f64).unwrap_or(0.0));
    }
    let sort = if text(case, "type") == "binpacking" { NodeSort::BinPacking } else { NodeSort::Fair };
    let (capacity, available) = (names.read(&case["capacity"])?, names.read(&case["available"])?);
    Ok(json!(shares::node_score(sort, &weights, &capacity, &available)))
}

fn remaining(case: &Value, names: &Names) -> Result<Value, String> {
    let queues = items(case, "queues");
    let position = |path: &str| queues.iter().position(|q| q["path"] == *path);
    let mut snapshots = Vec::new();
    for (at, queue) in queues.iter().enumerate() {
        let parent = queue["parent"].as_str().and_then(position);
        let (allocated, preempting) = (names.read(&queue["allocated"])?, names.read(&queue["preempting"])?);
        snapshots.push(QueueSnapshot {
            queue: at,
            parent,
            path: text(queue, "path").to_owned(),
            allocated,
            preempting,
            guaranteed: names.read(&queue["guaranteed"])?,
            linked: queue.get("linked").map_or(parent.is_some(), |linked| linked == true),
        });
    }
    let leaf = position(text(case, "askLeaf"));
    if let (None, Some(guaranteed)) = (leaf, case.get("askGuaranteed")) {
        // The ask's leaf need not be one of the queues.
        snapshots.push(QueueSnapshot {
            queue: usize::MAX,
            parent: None,
            path: text(case, "askLeaf").to_owned(),
            allocated: Amounts::EMPTY,
            preempting: Amounts::EMPTY,
            guaranteed: names.read(guaranteed)?,
            linked: false,
        });
    }
    let snapshot = Snapshot { leaf: leaf.unwrap_or(snapshots.len() - 1), queues: snapshots };
    if let Some(queue) = case["queue"].as_str() {
        let at = position(queue).ok_or("no such queue")?;
        return Ok(names.write(&snapshot.remaining(at)));
    }
    let rows = queues.iter().enumerate();
    let rows = rows.map(|(at, queue)| (text(queue, "path").to_owned(), names.write(&snapshot.remaining(at))));
    Ok(Value::Object(rows.collect::<Map<_, _>>()))
}

fn key(value: &Value) -> VictimKey {
    VictimKey {
        allow_self: value["allowPreemptSelf"] == true,
        originator: value["originator"] == true,
        created: value["createTime"].as_i64().unwrap_or(0),
    }
}

fn victim_order(case: &Value) -> Result<(), String> {
    for (field, compare) in [
        ("onNode", VictimKey::on_node as fn(&VictimKey, &VictimKey) -> Ordering),
        ("additional", VictimKey::additional),
    ] {
        let mut all = items(case, "allocations");
        all.sort_by(|a, b| compare(&key(a), &key(b)));
        same(field, &case[field], &all.iter().map(|a| a["key"].clone()).collect())?;
    }
    Ok(())
}

fn required_order(case: &Value, names: &Names) -> Result<Value, String> {
    let allocations = items(case, "allocations");
    let mut victims = Vec::new();
    for a in &allocations {
        let resource = names.read(&a["resource"])?;
        victims.push(RequiredNodeVictimKey { key: key(a), priority: int(a, "priority"), resource });
    }
    Ok(required::order(&victims).into_iter().map(|i| allocations[i]["key"].clone()).collect())
}
