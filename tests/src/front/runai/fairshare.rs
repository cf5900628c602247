//! Kind `fairshare`: departments and projects as queues, requests as pending jobs, one scenario per pool. The displayed
//! fair shares before the first cycle are compared.

use std::fmt::Write;

use fairground::units::Resource;
use serde_json::Value;

use super::Differs;
use crate::runai::{list, real, text};

/// Name of a resource in the recording and in a scenario, with the number of recorded units per unit of the scenario.
const RESOURCES: [(&str, &str, Resource, f64); 3] = [
    ("gpu", "gpu", Resource::GPU, 1.0),
    ("cpu", "cpu", Resource::CPU, 1e3),
    // A queue's memory without a unit is in 10^6 bytes.
    ("mem", "memory", Resource::MEMORY, 1e6),
];

/// Maximum number of GPUs per node.
const NODE_GPUS: f64 = 64.0;

/// Compares a case with its recording through a scenario file.
pub fn check(case: &Value) -> Result<(), Differs> {
    for (pool, expected) in list(&case["pools"]).zip(list(&case["expect"])) {
        let text = file(&case["settings"], pool)?;
        let simulation = super::super::simulation(&text)?;
        for (name, shares) in expected["whole"].as_object().into_iter().flatten() {
            let queue = simulation.cluster().queues.iter().find(|(_, queue)| *queue.name == **name);
            let row = queue.and_then(|(id, _)| simulation.ledger().rows.iter().find(|row| row.queue == id));
            let row = row.ok_or_else(|| format!("no queue {name}"))?;
            let share = row.fair_share.ok_or_else(|| format!("{name}: no fair share"))?;
            for (key, word, resource, _) in RESOURCES {
                let Some(wanted) = shares.get(key) else { continue };
                let (wanted, got) = (real(wanted)?, share.get(resource));
                if wanted != got {
                    return Err(format!("{name} {word}: expected {wanted}, got {got}").into());
                }
            }
        }
    }
    Ok(())
}

fn file(settings: &Value, pool: &Value) -> Result<String, Differs> {
    let mut set: Vec<String> = Vec::new();
    let by_weight = settings["department_over_quota"] == "by_weight";
    if by_weight {
        set.push("department-over-quota: by-weight".to_owned());
    }
    if settings["over_quota_weights"] == "off" {
        set.push("over-quota-weights: false".to_owned());
    }
    let (mut queues, mut jobs) = (String::new(), String::new());
    for department in list(&pool["departments"]) {
        queue(&mut queues, &mut set, department, None, by_weight)?;
        let name = text(&department["id"])?;
        for project in list(&department["projects"]) {
            queue(&mut queues, &mut set, project, Some(name), true)?;
            requests(&mut jobs, project)?;
        }
    }
    let settings = if set.is_empty() { String::new() } else { format!("settings: {{{}}}\n", set.join(", ")) };
    Ok(format!(
        "format: fairground-scenario\nversion: 1\npolicy: runai\n{settings}nodes:\n{}queues:\n{queues}jobs:\n{jobs}",
        nodes(&pool["totals"])?
    ))
}

/// Writes one node with the whole pool, and nodes with only GPUs for the rest.
fn nodes(totals: &Value) -> Result<String, Differs> {
    let mut gpus = real(&totals["gpu"])?;
    if gpus.fract() != 0.0 {
        return Err("a part of a device in a pool".into());
    }
    let mut text = format!("- {{name: node, gpu: {}", gpus.min(NODE_GPUS));
    for (key, word, _, unit) in &RESOURCES[1..] {
        if let Some(total) = totals.get(key) {
            let unit = if *key == "mem" { 1.0 } else { *unit };
            let _ = write!(text, ", {word}: {}", real(total)? / unit);
        }
    }
    text.push_str("}\n");
    let mut n = 1;
    while gpus > NODE_GPUS {
        gpus -= NODE_GPUS;
        n += 1;
        let _ = writeln!(text, "- {{name: node{n}, gpu: {}, cpu: 0, memory: 0}}", gpus.min(NODE_GPUS));
    }
    Ok(text)
}

fn queue(
    to: &mut String,
    set: &mut Vec<String>,
    queue: &Value,
    parent: Option<&str>,
    has_weight: bool,
) -> Result<(), Differs> {
    let name = text(&queue["id"])?;
    let _ = write!(to, "- {{name: {name}");
    if let Some(parent) = parent {
        let _ = write!(to, ", parent: {parent}");
    }
    // The default is 100.
    if let Some(rank) = queue["rank"].as_i64().filter(|&rank| rank != 0) {
        let _ = write!(to, ", priority: {}", 100 + rank);
    }
    match queue["weight"].as_str().filter(|_| has_weight) {
        _ if queue["over_quota"] == false => set.push(format!("over-quota.{name}: none")),
        // The default weight is medium.
        None | Some("medium") => {}
        Some(weight) => {
            let weight = if weight.contains('/') { real(&queue["weight"])?.to_string() } else { weight.to_owned() };
            set.push(format!("over-quota.{name}: {weight}"));
        }
    }
    for (key, word, resource, unit) in RESOURCES {
        let mut parts: Vec<String> = Vec::new();
        for bound in ["quota", "limit"] {
            let Some(value) = queue[bound].get(key) else { continue };
            let value = real(value)?;
            let is_default = match bound {
                "quota" if resource == Resource::GPU => value == 0.0,
                _ => value < 0.0,
            };
            if !is_default {
                let amount = value / unit;
                if value >= 0.0 && (amount * 1000.0).fract() != 0.0 {
                    return Err("an amount that is no thousandth".into());
                }
                parts.push(format!(
                    "{bound}: {}",
                    if value < 0.0 { "unlimited".to_owned() } else { amount.to_string() }
                ));
            }
        }
        if !parts.is_empty() {
            let _ = write!(to, ", {word}: {{{}}}", parts.join(", "));
        }
    }
    to.push_str("}\n");
    Ok(())
}

/// Writes a project's request as pending jobs: whole devices, a fraction of one, CPU and memory.
fn requests(to: &mut String, project: &Value) -> Result<(), Differs> {
    let queue = text(&project["id"])?;
    let request = &project["request"];
    let gpus = request.get("gpu").map(real).transpose()?.unwrap_or(0.0);
    let (whole, part) = (gpus.trunc(), gpus.fract());
    if whole > 0.0 {
        let count = if whole > 1.0 { format!(", count: {whole}") } else { String::new() };
        let _ = writeln!(to, "- {{name: {queue}-gpus, queue: {queue}{count}, gpu: 1}}");
    }
    if part > 0.0 {
        if (part * 1000.0).fract() != 0.0 {
            return Err("a request that is no thousandth of a device".into());
        }
        let _ = writeln!(to, "- {{name: {queue}-part, queue: {queue}, gpu: {part}}}");
    }
    for (key, word, _, unit) in &RESOURCES[1..] {
        let amount = request.get(key).map(real).transpose()?.unwrap_or(0.0);
        if amount > 0.0 {
            let unit = if *key == "mem" { 1.0 } else { *unit };
            let _ = writeln!(to, "- {{name: {queue}-{word}, queue: {queue}, {word}: {}}}", amount / unit);
        }
    }
    Ok(())
}
