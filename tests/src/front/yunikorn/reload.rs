//! What a reloaded configuration changes, where a timeline can say that.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::events::Feature;

/// New values of a queue.
pub struct QueueChange {
    /// Its path.
    pub path: String,
    /// Its new offset.
    pub offset: Option<i64>,
    /// New quantities: resource, `quota` or `limit`, type and text; without text there is none any more.
    pub amounts: Vec<(&'static str, &'static str, String, Option<String>)>,
}

/// The resources of a scenario that have fields, and their types.
const TYPES: [(&str, &str); 3] = [("cpu", "vcore"), ("memory", "memory"), ("gpu", "gpu")];

/// What changes from one configuration to the next.
pub fn changes(old: &Value, new: &Value) -> Result<Vec<QueueChange>, Feature> {
    let (mut before, mut after) = (BTreeMap::new(), BTreeMap::new());
    let rests = [rest(old, &mut before), rest(new, &mut after)];
    if rests[0] != rests[1] || !before.keys().eq(after.keys()) {
        return Err("a reload of what a timeline cannot change");
    }
    let mut all = Vec::new();
    for (path, old) in &before {
        let new = &after[path];
        if old == new {
            continue;
        }
        if path == "root" {
            return Err("a reload of what a timeline cannot change");
        }
        let mut change = QueueChange { path: path.clone(), offset: None, amounts: Vec::new() };
        if old.offset != new.offset {
            change.offset = Some(new.offset?);
        }
        for (key, field) in [("guaranteed", "quota"), ("max", "limit")] {
            let (old, new) = (amounts(&old.resources, key), amounts(&new.resources, key));
            for of in old.keys().chain(new.keys().filter(|of| !old.contains_key(*of))) {
                let typed = TYPES.iter().find(|(_, known)| known == of);
                let Some((resource, _)) = typed.filter(|_| old.get(of) != new.get(of)) else {
                    if old.get(of) == new.get(of) {
                        continue;
                    }
                    return Err("a reload of what a timeline cannot change");
                };
                change.amounts.push((resource, field, of.clone(), new.get(of).cloned()));
            }
        }
        all.push(change);
    }
    Ok(all)
}

/// What a timeline can change of a queue.
#[derive(PartialEq)]
struct Values {
    offset: Result<i64, Feature>,
    resources: Value,
}

fn amounts(resources: &Value, key: &str) -> BTreeMap<String, String> {
    let of = |(name, text): (&String, &Value)| (name.clone(), text.as_str().unwrap_or_default().to_owned());
    resources[key].as_object().into_iter().flatten().map(of).collect()
}

/// A configuration without what a timeline can change, which is put aside by path.
fn rest(config: &Value, values: &mut BTreeMap<String, Values>) -> Value {
    let mut config = config.clone();
    for partition in config["partitions"].as_array_mut().into_iter().flatten() {
        for queue in partition["queues"].as_array_mut().into_iter().flatten() {
            take(queue, "", values);
        }
    }
    config
}

fn take(queue: &mut Value, above: &str, values: &mut BTreeMap<String, Values>) {
    let name = queue["name"].as_str().unwrap_or_default().to_lowercase();
    let path = if above.is_empty() { name } else { format!("{above}.{name}") };
    let Some(fields) = queue.as_object_mut() else { return };
    let resources = fields.remove("resources").unwrap_or_default();
    let properties = fields.get_mut("properties").and_then(Value::as_object_mut);
    let offset = match properties.and_then(|properties| properties.remove("priority.offset")) {
        None => Ok(0),
        Some(text) => {
            let text = text.as_str().and_then(|text| text.parse::<i32>().ok());
            text.map(i64::from).ok_or("a reload of what a timeline cannot change")
        }
    };
    if fields.get("properties") == Some(&json!({})) {
        fields.remove("properties");
    }
    // The order of siblings means nothing.
    let mut children: Vec<Value> = match fields.remove("queues") {
        Some(Value::Array(children)) => children,
        _ => Vec::new(),
    };
    for child in &mut children {
        take(child, &path, values);
    }
    let named: Map<String, Value> =
        children.into_iter().map(|child| (child["name"].to_string(), child)).collect();
    fields.insert("queues".to_owned(), Value::Object(named));
    values.insert(path, Values { offset, resources });
}
