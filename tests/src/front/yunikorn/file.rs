//! The scenario file of a case: its queues as the importer makes them from `queues.yaml`, its nodes, jobs and timeline as people
//! write them. What equals the product's default is left out.

use std::collections::BTreeMap;
use std::sync::Arc;

use fairground::import::{Imported, Options, import_queues_yaml};
use fairground::scenario::{Scenario, quantity, to_yaml};
use fairground::units::{Amount, Resource};
use serde_json::{Map, Value};

use super::events::{Change, Job, Node, Told};

/// A file, and what its queues are called.
pub struct File {
    pub text: String,
    /// Names by path.
    pub queues: BTreeMap<String, String>,
}

/// Writes the file of a case.
pub fn write(case: &Value, told: &Told) -> Result<File, String> {
    let scenario = &case["scenario"];
    let config = queues_yaml(&scenario["config"], 0);
    let Imported { scenario: imported, report } = import_queues_yaml(&config, &Options::default());
    let mut imported = imported.ok_or_else(|| format!("import: {:?}\n{config}", report.diagnostics))?;
    let queues = names(&scenario["config"], &imported)?;
    imported.nodes = Arc::default();
    imported.cycle = Some("on events".into());
    imported.settings.entry("gpu-type".into()).or_insert_with(|| "gpu".into());
    for (user, groups) in &told.groups {
        if !user.is_empty() && !groups.is_empty() {
            imported.settings.insert(format!("groups.{user}"), groups.join(", ").as_str().into());
        }
    }
    if let Some(grace) = scenario["graceMs"].as_i64().filter(|grace| *grace > 0) {
        imported.delays.termination = Some(format!("{grace}ms").as_str().into());
    }
    let mut text = to_yaml(&imported);
    nodes(&mut text, &told.nodes);
    jobs(&mut text, &told.jobs, &queues)?;
    timeline(&mut text, told, &queues)?;
    Ok(File { text, queues })
}

/// A configuration in YAML, as it stands in a file.
fn queues_yaml(value: &Value, depth: usize) -> String {
    let indent = "  ".repeat(depth);
    let mut out = String::new();
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                let key = Value::from(key.as_str());
                match value {
                    Value::Object(inner) if inner.is_empty() => out += &format!("{indent}{key}: {{}}\n"),
                    Value::Array(inner) if inner.is_empty() => out += &format!("{indent}{key}: []\n"),
                    Value::Object(_) | Value::Array(_) => {
                        out += &format!("{indent}{key}:\n{}", queues_yaml(value, depth + 1));
                    }
                    plain => out += &format!("{indent}{key}: {plain}\n"),
                }
            }
        }
        Value::Array(items) => {
            for item in items {
                let inner = queues_yaml(item, depth + 1);
                out += &format!("{indent}- {}", inner.trim_start_matches(' '));
            }
        }
        plain => out += &format!("{indent}{plain}\n"),
    }
    out
}

/// What the importer called each queue, which it takes in the order of the configuration.
fn names(config: &Value, imported: &Scenario) -> Result<BTreeMap<String, String>, String> {
    fn walk(queue: &Value, above: &str, paths: &mut Vec<String>) {
        for child in queue["queues"].as_array().into_iter().flatten() {
            let name = child["name"].as_str().unwrap_or_default().to_lowercase();
            paths.push(format!("{above}.{name}"));
            walk(child, paths.last().cloned().unwrap_or_default().as_str(), paths);
        }
    }
    let mut paths = Vec::new();
    let partition = &config["partitions"][0];
    match partition["queues"].as_array().map(Vec::as_slice) {
        Some([root]) if root["name"] == "root" => walk(root, "root", &mut paths),
        _ => walk(partition, "root", &mut paths),
    }
    if paths.len() != imported.queues.len() {
        return Err(format!("{} queues were imported of {}", imported.queues.len(), paths.len()));
    }
    Ok(paths.into_iter().zip(imported.queues.iter().map(|queue| queue.name.clone())).collect())
}

/// A text in quotes.
fn quoted(text: &str) -> Value {
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
        let mut row = format!(
            "- {{name: {}, cpu: {}, memory: {memory}, pods: unlimited",
            quoted(&node.name),
            cores(cpu)
        );
        if gpu != 0 {
            row += &format!(", gpu: {gpu}");
        }
        if !node.is_first {
            row += ", state: down";
        }
        *text += &format!("{row}}}\n");
    }
}

fn jobs(text: &mut String, jobs: &[Job], queues: &BTreeMap<String, String>) -> Result<(), String> {
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
        // What is asked for with an amount of 0 is said, too.
        for (of, field) in [("vcore", "cpu"), ("memory", "memory"), ("gpu", "gpu")] {
            let amount = number(&amounts, of);
            let amount = if of == "vcore" { cores(amount) } else { amount.to_string() };
            add(amounts.contains_key(of), &format!("{field}: {amount}"));
        }
        *text += &format!("{row}}}\n");
    }
    Ok(())
}

fn timeline(text: &mut String, told: &Told, queues: &BTreeMap<String, String>) -> Result<(), String> {
    let mut rows = String::new();
    // A look is an entry that says what is so already; of nodes, every state is known.
    let mut states: BTreeMap<&str, &str> = told
        .nodes
        .iter()
        .map(|node| (node.name.as_str(), if node.is_first { "ready" } else { "down" }))
        .collect();
    for (at, change) in &told.timeline {
        let what = match change {
            Change::Node { name, state } => {
                states.insert(name, state);
                format!("node: {}, state: {state}", quoted(name))
            }
            Change::EndJob { job } => format!("job: {}", quoted(&told.jobs[*job].name)),
            Change::Queue(change) => {
                let queue = queues.get(&change.path).ok_or_else(|| format!("no queue {}", change.path))?;
                let mut row = format!("queue: {}", quoted(queue));
                if let Some(offset) = change.offset {
                    row += &format!(", priority: {offset}");
                }
                for resource in ["cpu", "memory", "gpu"] {
                    let own = change.amounts.iter().filter(|(of, ..)| *of == resource);
                    let fields: Result<Vec<String>, String> = own
                        .map(|(_, field, of, typed)| Ok(format!("{field}: {}", amount(resource, of, typed)?)))
                        .collect();
                    let fields = fields?;
                    if !fields.is_empty() {
                        row += &format!(", {resource}: {{{}}}", fields.join(", "));
                    }
                }
                row
            }
            Change::Tick => match states.iter().next() {
                Some((name, state)) => format!("node: {}, state: {state}", quoted(name)),
                None => continue,
            },
        };
        rows += &format!("- {{at: {at}ms, {what}}}\n");
    }
    if !rows.is_empty() {
        text.push_str("timeline:\n");
        text.push_str(&rows);
    }
    Ok(())
}

/// A quantity of a configuration as a scenario's queue says it.
fn amount(resource: &str, of: &str, typed: &Option<String>) -> Result<String, String> {
    let Some(typed) = typed else { return Ok("unlimited".to_owned()) };
    let value = fairground::policy::yunikorn::config::parse(of, typed);
    let value = value.ok_or_else(|| format!("{typed} is no quantity of {of}"))?;
    Ok(match resource {
        "gpu" => value.to_string(),
        "cpu" => quantity::print_amount(Amount::base_units(value), Resource::CPU),
        _ => quantity::print_amount(Amount::base_units(value), Resource::MEMORY),
    })
}
