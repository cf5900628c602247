//! Whole scenarios: every cycle, order and state.

use fairground::policy::yunikorn::cycle::{CycleResult, ResultType, Stage};
use serde_json::{Value, json};

use super::driver::{PointEvents, RunningScenario};
use super::same;
use super::state::{differ, orders, patch, state};

/// Compares a scenario.
pub fn check(case: &Value) -> Result<(), String> {
    let scenario = &case["scenario"];
    let max_cycles = scenario["maxCyclesPerTick"].as_u64().unwrap_or(400);
    let mut world = RunningScenario::new(scenario)?;
    let empty = || json!({ "queues": {}, "apps": {}, "nodes": {} });
    let (mut expected, mut order) = (empty(), json!({ "queues": {}, "apps": {}, "asks": {} }));
    for point in case["trace"].as_array().into_iter().flatten() {
        let t = point["t"].as_i64().ok_or("a time point without time")?;
        if point["final"] == true {
            return finish(&mut world, point);
        }
        let due = world.next_time();
        if due != Some(t) {
            return Err(format!("next time point: expected {t}, got {due:?}"));
        }
        let opening = world.open(t)?;
        compare_opening(t, point, &opening)?;
        patch(&mut expected, &point["patch"], 2);
        differ(&format!("t {t} opening"), &expected, &state(&world.core, &world.names))?;
        let recorded = point["cycles"].as_array().cloned().unwrap_or_default();
        let mut recorded = recorded.iter();
        for n in 0.. {
            let place = format!("t {t} cycle {n}");
            let now = orders(&world.core);
            if n > max_cycles {
                let cycle = recorded.next();
                return same(&place, &json!("truncated"), cycle.map_or(&Value::Null, |c| &c["result"]));
            }
            let (row, goes_on) = cycle(&mut world);
            let cycle = recorded.next();
            if let Some(cycle) = cycle {
                patch(&mut order, &cycle["order"], 1);
                patch(&mut expected, &cycle["patch"], 2);
            }
            differ(&format!("{place} order"), &order, &now)?;
            compare_cycle(&place, cycle, &row)?;
            differ(&place, &expected, &state(&world.core, &world.names))?;
            if !goes_on {
                break;
            }
        }
        if let Some(more) = recorded.next() {
            return Err(format!("t {t}: a cycle more was recorded, {more}"));
        }
    }
    Err("the recording has no end".to_owned())
}

fn finish(world: &mut RunningScenario, point: &Value) -> Result<(), String> {
    if let Some(t) = world.next_time() {
        return Err(format!("a time point more, {t}"));
    }
    for (at, queue) in world.core.queues.iter().enumerate() {
        let got = world.names.write(&world.core.headroom(at));
        same(&format!("headroom of {}", queue.path), &point["headroom"][&queue.path], &got)?;
    }
    Ok(())
}

fn sorted(value: &Value) -> Vec<String> {
    let mut texts = super::texts(value);
    texts.sort();
    texts
}

fn compare_opening(t: i64, point: &Value, opening: &PointEvents) -> Result<(), String> {
    let victims = {
        let mut v = opening.victims.clone();
        v.sort();
        v
    };
    for (field, got) in [("timeouts", &opening.timeouts), ("victims", &victims), ("killed", &opening.killed)] {
        same(&format!("t {t} {field}"), &json!(sorted(&point[field])), &json!(got))?;
    }
    let rejected = point.get("rejected").cloned().unwrap_or(json!([]));
    same(&format!("t {t} rejected"), &rejected, &json!(opening.rejected))
}

/// Runs a cycle and its immediate effects; returns the result, and whether another cycle follows at this time.
fn cycle(world: &mut RunningScenario) -> (Value, bool) {
    let found = world.core.cycle();
    let mut row = match &found {
        Some(found) if found.kind != ResultType::Idle => result(world, found),
        _ => json!({ "stage": "none", "result": "none" }),
    };
    let mut lost = world.core.unreserved.clone();
    if row["result"] == "none" && !lost.is_empty() {
        // Without another result, the dropped reservation is the result.
        let (ask, node) = lost.remove(0);
        let headroom = world.core.headroom(world.core.apps[world.core.asks[ask].app].queue);
        let dropped = CycleResult {
            stage: Stage::Normal,
            kind: ResultType::Unreserved,
            ask,
            node,
            headroom,
            placeholder: None,
            room_was_kept: false,
            victims: Vec::new(),
            near: None,
        };
        row = result(world, &dropped);
    }
    let dropped = row["result"] == "unreserved";
    let mut unreserved: Vec<String> = Vec::new();
    for &(ask, node) in &lost {
        let ask = &world.core.asks[ask];
        let (app, node) = (&world.core.apps[ask.app].id, &world.core.nodes[node].id);
        unreserved.push(format!("{app}/{}@{node}", ask.key));
    }
    unreserved.sort();
    if let Some(CycleResult { kind: ResultType::Replaced, ask, placeholder: Some(placeholder), .. }) = found {
        world.core.confirm_replacement(ask, placeholder);
    }
    let victims = world.schedule_ends();
    world.core.confirm_releases();
    let mut timeouts = std::mem::take(&mut world.core.timed_out);
    timeouts.sort();
    world.kill();
    let goes_on = found.is_some_and(|found| found.kind != ResultType::Idle)
        || !victims.is_empty()
        || !timeouts.is_empty()
        || dropped;
    for (field, list) in [("victims", victims), ("timeouts", timeouts), ("unreserved", unreserved)] {
        if !list.is_empty() {
            row[field] = json!(list);
        }
    }
    (row, goes_on)
}

fn result(world: &RunningScenario, found: &CycleResult) -> Value {
    let core = &world.core;
    let ask = &core.asks[found.ask];
    let app = &core.apps[ask.app];
    let stage = match found.stage {
        Stage::Reserved => "reserved",
        Stage::Placeholder => "placeholder",
        Stage::Normal => "normal",
    };
    let kind = match found.kind {
        ResultType::Allocated => "allocated",
        ResultType::AllocatedReserved => "allocatedReserved",
        ResultType::Replaced => "replaced",
        ResultType::Reserved | ResultType::Idle => "reserved",
        ResultType::Unreserved => "unreserved",
    };
    let mut row = json!({
        "stage": stage,
        "result": kind,
        "queue": core.queues[app.queue].path,
        "app": app.id,
        "ask": ask.key,
        "node": core.nodes[found.node].id,
        "headroom": world.names.write(&found.headroom),
    });
    if let Some(placeholder) = found.placeholder {
        row["release"] = json!(core.asks[placeholder].key);
    }
    row
}

fn compare_cycle(place: &str, recorded: Option<&Value>, got: &Value) -> Result<(), String> {
    let nothing = json!({ "stage": "none", "result": "none" });
    let recorded = recorded.unwrap_or(&nothing);
    let fields =
        ["stage", "result", "queue", "app", "ask", "node", "headroom", "release", "victims", "timeouts", "unreserved"];
    for field in fields {
        let expected = match field {
            "timeouts" | "unreserved" if recorded[field].is_array() => json!(sorted(&recorded[field])),
            _ => recorded[field].clone(),
        };
        same(&format!("{place} {field}"), &expected, &got[field])?;
    }
    Ok(())
}
