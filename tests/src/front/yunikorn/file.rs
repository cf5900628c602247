//! Scenario file of a case: queues as the importer converts them from `queues.yaml`; nodes, jobs and timeline as users
//! write them. Values that equal the product's default are omitted.

use std::collections::BTreeMap;
use std::sync::Arc;

use fairground::scenario::{Scenario, to_yaml};
use serde_json::{Map, Value};

use super::events::{Change, CoreInput, Node};
use super::reload;
use super::tree::{self, Tree};

/// A file with the names of its queues.
pub struct File {
    pub text: String,
    /// Queue names by path.
    pub queues: BTreeMap<String, String>,
}

/// Writes the file of a case.
pub fn write(case: &Value, input: &CoreInput) -> Result<File, String> {
    let scenario = &case["scenario"];
    let later = input.timeline.iter().filter_map(|(_, change)| match change {
        Change::Reload { config } => Some(config),
        _ => None,
    });
    let tree = tree::union([&scenario["config"]].into_iter().chain(later));
    let (config, queues) = reload::import(&tree, &scenario["config"])?;
    let mut imported = config.clone();
    imported.nodes = Arc::default();
    imported.cycle = Some("on events".into());
    for (user, groups) in &input.groups {
        let Some(groups) = groups else { continue };
        if !user.is_empty() && !groups.is_empty() {
            imported.settings.insert(format!("groups.{user}"), groups.join(", ").as_str().into());
        }
    }
    if let Some(grace) = scenario["graceMs"].as_i64().filter(|grace| *grace > 0) {
        imported.delays.termination = Some(format!("{grace}ms").as_str().into());
    }
    let mut text = to_yaml(&imported);
    nodes(&mut text, &input.nodes);
    jobs(&mut text, input, &queues)?;
    timeline(&mut text, input, (&tree, config))?;
    Ok(File { text, queues })
}

/// Quotes a text.
pub fn quoted(text: &str) -> Value {
    Value::from(text)
}

fn number(amounts: &Map<String, Value>, of: &str) -> i64 {
    amounts.get(of).and_then(Value::as_i64).unwrap_or(0)
}

fn cores(milli: i64) -> String {
    if milli % 1000 == 0 { (milli / 1000).to_string() } else { format!("{milli}m") }
}

fn nodes(text: &mut String, nodes: &[Node]) {
    text.push_str("nodes:\n");
    for node in nodes {
        let [cpu, memory, gpu] = ["vcore", "memory", "gpu"].map(|of| number(&node.capacity, of));
        let mut row =
            format!("- {{name: {}, cpu: {}, memory: {memory}, pods: unlimited", quoted(&node.name), cores(cpu));
        if gpu != 0 {
            row += &format!(", gpu: {gpu}");
        }
        if !node.is_first {
            row += ", state: down";
        }
        *text += &format!("{row}}}\n");
    }
}

fn jobs(text: &mut String, input: &CoreInput, queues: &BTreeMap<String, String>) -> Result<(), String> {
    let jobs = &input.jobs;
    if jobs.is_empty() {
        return Ok(());
    }
    text.push_str("jobs:\n");
    for job in jobs {
        let queue = queues.get(&job.queue).ok_or_else(|| format!("no queue {}", job.queue))?;
        let mut row = format!("- {{name: {}, queue: {}, restart: never", quoted(&job.name), quoted(queue));
        let mut add = |is_said: bool, field: &str| {
            if is_said {
                row += ", ";
                row += field;
            }
        };
        let ask = &job.ask;
        add(job.name != job.app, &format!("application: {}", quoted(&job.app)));
        add(!job.user.is_empty(), &format!("user: {}", quoted(&job.user)));
        let is_changing = input.groups.get(&job.user).is_none_or(Option::is_none);
        let groups: Vec<String> = job.groups.iter().map(|group| quoted(group).to_string()).collect();
        add(is_changing && !groups.is_empty(), &format!("groups: [{}]", groups.join(", ")));
        add(job.submit > 0, &format!("submit: {}ms", job.submit));
        let created = ask["createTime"].as_i64().unwrap_or(job.submit);
        add(created != job.submit, &format!("created: {created}ms"));
        let priority = ask["priority"].as_i64().unwrap_or(0);
        add(priority != 0, &format!("priority: {priority}"));
        add(ask["allowPreemptSelf"] == false, "preemptible: false");
        add(ask["allowPreemptOther"] == false, "preempts: false");
        add(ask["originator"] == true, "originator: true");
        let of = |field: &str| quoted(ask[field].as_str().unwrap_or_default());
        add(ask["requiredNode"].is_string(), &format!("required-node: {}", of("requiredNode")));
        add(ask["node"].is_string(), &format!("on: [{}]", of("node")));
        let amounts = ask["resource"].as_object().cloned().unwrap_or_default();
        // A request of 0 is written too.
        for (of, field) in [("vcore", "cpu"), ("memory", "memory"), ("gpu", "gpu")] {
            let amount = number(&amounts, of);
            let amount = if of == "vcore" { cores(amount) } else { amount.to_string() };
            add(amounts.contains_key(of), &format!("{field}: {amount}"));
        }
        *text += &format!("{row}}}\n");
    }
    Ok(())
}

fn timeline(text: &mut String, input: &CoreInput, (tree, mut config): (&Tree, Scenario)) -> Result<(), String> {
    let mut rows = String::new();
    // A cycle is triggered by an entry that repeats the present state, which is known for every node.
    let mut states: BTreeMap<&str, &str> =
        input.nodes.iter().map(|node| (node.name.as_str(), if node.is_first { "ready" } else { "down" })).collect();
    for (at, change) in &input.timeline {
        let what = match change {
            Change::Node { name, state } => {
                states.insert(name, state);
                format!("node: {}, state: {state}", quoted(name))
            }
            Change::Capacity { name, capacity } => {
                let [cpu, memory, gpu] = ["vcore", "memory", "gpu"].map(|of| number(capacity, of));
                let amounts = format!("cpu: {}, memory: {memory}, gpu: {gpu}", cores(cpu));
                format!("node: {}, capacity: {{{amounts}}}", quoted(name))
            }
            Change::EndJob { job } => format!("job: {}", quoted(&input.jobs[*job].name)),
            Change::Reload { config: new } => {
                let (new, _) = reload::import(tree, new)?;
                let entries = reload::entries(&config, &new);
                config = new;
                if !entries.is_empty() {
                    rows.extend(entries.iter().map(|entry| format!("- {{at: {at}ms, {entry}}}\n")));
                    continue;
                }
                no_op_entry(&states)
            }
            Change::Tick => no_op_entry(&states),
        };
        if what.is_empty() {
            continue;
        }
        rows += &format!("- {{at: {at}ms, {what}}}\n");
    }
    if !rows.is_empty() {
        text.push_str("timeline:\n");
        text.push_str(&rows);
    }
    Ok(())
}

/// An entry that repeats the present state.
fn no_op_entry(states: &BTreeMap<&str, &str>) -> String {
    let node = states.iter().next();
    node.map_or(String::new(), |(name, state)| format!("node: {}, state: {state}", quoted(name)))
}
