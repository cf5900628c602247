//! State of a partition in the format of the recordings: one map per kind, by path or id.

use fairground::policy::yunikorn::model::{App, AppState, Core};
use fairground::policy::yunikorn::priority::MIN;
use serde_json::{Map, Value, json};

use super::Names;

fn priority(n: i32) -> Value {
    if n == MIN { Value::Null } else { json!(n) }
}

/// Queues, applications and nodes.
pub fn state(core: &Core, names: &Names) -> Value {
    json!({ "queues": queues(core, names), "apps": apps(core, names), "nodes": nodes(core, names) })
}

fn queues(core: &Core, names: &Names) -> Value {
    let row = |q: &fairground::policy::yunikorn::model::Queue| {
        json!({
            "eff": priority(q.effective()),
            "raw": priority(q.raw),
            "pending": names.write_pruned(&q.pending),
            "allocated": names.write_pruned(&q.allocated),
            "preempting": names.write_pruned(&q.preempting),
            "running": q.running,
            "allocatingAccepted": q.accepted.len(),
            "status": if q.draining { "Draining" } else { "Active" },
        })
    };
    core.queues.iter().map(|q| (q.path.clone(), row(q))).collect::<Map<_, _>>().into()
}

fn state_name(state: AppState) -> &'static str {
    match state {
        AppState::New => "New",
        AppState::Accepted => "Accepted",
        AppState::Running => "Running",
        AppState::Completing => "Completing",
        AppState::Resuming => "Resuming",
        AppState::Failing => "Failing",
        AppState::Gone => "Gone",
    }
}

fn apps(core: &Core, names: &Names) -> Value {
    let row = |app: &App| {
        let reservations: Map<String, Value> = app
            .reservations
            .iter()
            .filter_map(|&ask| Some((core.asks[ask].key.clone(), json!(core.nodes[core.asks[ask].reserved?].id))))
            .collect();
        let groups: Map<String, Value> = app
            .groups_of_tasks
            .iter()
            .map(|g| (g.name.clone(), json!({"count": g.count, "replaced": g.replaced, "timedOut": g.timed_out})))
            .collect();
        let mut row = json!({
            "queue": core.queues[app.queue].path,
            "state": state_name(app.state),
            "priority": priority(app.priority),
            "pending": names.write_pruned(&app.pending),
            "allocated": names.write_pruned(&app.allocated),
            "placeholder": names.write_pruned(&app.placeholder),
            "reservations": reservations,
            "submitted": app.submitted,
        });
        if !groups.is_empty() {
            row["taskGroups"] = Value::Object(groups);
        }
        row
    };
    core.live_apps().map(|app| (app.id.clone(), row(app))).collect::<Map<_, _>>().into()
}

fn nodes(core: &Core, names: &Names) -> Value {
    let row = |node: &fairground::policy::yunikorn::model::Node| {
        let reserved: Vec<&str> = node.reserved.iter().map(|&ask| core.asks[ask].key.as_str()).collect();
        json!({
            "available": names.write_pruned(&node.available),
            "reserved": reserved,
            "schedulable": node.schedulable,
        })
    };
    core.nodes.iter().filter(|n| n.exists).map(|n| (n.id.clone(), row(n))).collect::<Map<_, _>>().into()
}

/// Orders in which candidates would be tried now.
pub fn orders(core: &Core) -> Value {
    let (mut queues, mut apps, mut asks) = (Map::new(), Map::new(), Map::new());
    for (at, queue) in core.queues.iter().enumerate() {
        if queue.is_leaf {
            let sorted: Value = core.sorted_apps(at).into_iter().map(|app| core.apps[app].id.clone()).collect();
            put(&mut apps, &queue.path, sorted);
        } else {
            let sorted = core.sorted_children(at).into_iter().map(|child| core.queues[child].name.clone()).collect();
            put(&mut queues, &queue.path, sorted);
        }
    }
    for app in core.live_apps() {
        put(&mut asks, &app.id, app.requests.iter().map(|&ask| core.asks[ask].key.clone()).collect());
    }
    let mut all = json!({ "queues": queues, "apps": apps, "asks": asks });
    if !core.node_order.is_empty() {
        all["nodes"] = core.node_order.iter().map(|node| core.nodes[node].id.clone()).collect();
    }
    all
}

fn put(map: &mut Map<String, Value>, key: &str, list: Value) {
    if list.as_array().is_some_and(|list| !list.is_empty()) {
        map.insert(key.to_owned(), list);
    }
}

/// Applies a patch: two levels of names, then fields; null removes a name.
pub fn patch(state: &mut Value, patch: &Value, depth: usize) {
    let Some(fields) = patch.as_object() else { return };
    for (name, value) in fields {
        match value {
            Value::Object(_) if depth > 0 => {
                if !state[name].is_object() {
                    state[name] = json!({});
                }
                self::patch(&mut state[name], value, depth - 1);
            }
            Value::Null if depth == 1 => {
                if let Some(map) = state.as_object_mut() {
                    map.remove(name);
                }
            }
            _ => state[name] = value.clone(),
        }
    }
}

/// First difference by path; an absent list of task groups equals an empty one.
pub fn differ(place: &str, expected: &Value, got: &Value) -> Result<(), String> {
    match (expected, got) {
        (Value::Object(e), Value::Object(g)) => {
            for (key, value) in e {
                differ(&format!("{place} {key}"), value, g.get(key).unwrap_or(&Value::Null))?;
            }
            match g.keys().find(|key| !e.contains_key(*key)) {
                Some(key) => Err(format!("{place} {key}: not expected, got {}", g[key])),
                None => Ok(()),
            }
        }
        _ => super::same(place, expected, got),
    }
}
