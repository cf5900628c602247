//! Slot cases as scenario files: one file per state before a free pass and the following reclaim, which form one cycle.
//!
//! Every node has one slot, a GPU; held slots are running jobs, further wanted slots pending jobs.

use std::collections::BTreeMap;
use std::fmt::Write;

use fairground::id::Id;
use fairground::policy::ego::ids::ConsumerId;
use fairground::policy::ego::plan::Plan;
use fairground::sim::{CycleRecord, Simulation};
use fairground::trace::Event;
use fairground::units::Resource;
use serde_json::Value;

use crate::ego::Case;
use crate::ego::format::{Names, plan};
use crate::ego::number;
use crate::front::{Differs, simulation};

/// Slots wanted and held of each leaf.
type Leaves = BTreeMap<String, (u64, u64)>;

/// Compares every cycle of a case.
pub fn compare(case: &Case) -> Result<(), Differs> {
    let (plan, names) = plan(case)?;
    let mut leaves = leaves(case, &plan, &names);
    let mut quota: Option<&Value> = None;
    let mut starts: Option<&Value> = None;
    for (i, step) in case.steps.iter().enumerate() {
        let leaf = || step["leaf"].as_str().unwrap_or_default().to_owned();
        let expect = &step["expect"];
        match step["op"].as_str().unwrap_or_default() {
            "quota" => {
                let cycle = File { case, plan: &plan, names: &names, leaves: &leaves }.open()?;
                for kind in ["static", "dynamic"] {
                    if kind == case.share_quota || kind == "dynamic" && case.share_quota.is_empty() {
                        quota_is(&cycle, &names, &expect[kind]).map_err(|says| format!("step {i}: {says}"))?;
                    }
                }
                quota = Some(expect);
            }
            "assign_free" => starts = Some(&expect["order"]),
            "reclaim" => {
                let mut cycle = File { case, plan: &plan, names: &names, leaves: &leaves }.open()?;
                let decided = decided(&mut cycle)?;
                let says = |says: String| Differs::Says(format!("step {i}: {says}"));
                equal("starts", starts.unwrap_or(&Value::Array(Vec::new())), &decided.0).map_err(says)?;
                equal("moves", &expect["moves"], &decided.1).map_err(says)?;
                hold(&mut leaves, &expect["held"]);
                starts = None;
            }
            "set_want" => leaves.entry(leaf()).or_default().0 = number(step, "want")?,
            "release" => {
                let n = number(step, "n")?;
                let (want, held) = leaves.entry(leaf()).or_default();
                (*want, *held) = (want.saturating_sub(n), held.saturating_sub(n));
            }
            _ => return Err("operations that are no whole cycle".into()),
        }
    }
    // A free pass without a following reclaim: its starts are those of the cycle.
    if let Some(starts) = starts {
        let mut cycle = File { case, plan: &plan, names: &names, leaves: &leaves }.open()?;
        equal("starts", starts, &decided(&mut cycle)?.0)?;
    }
    if quota.is_some() || case.steps.iter().any(|step| step["op"] == "reclaim") {
        Ok(())
    } else {
        Err("no operation that a file shows".into())
    }
}

fn leaves(case: &Case, plan: &Plan, names: &Names) -> Leaves {
    let of = |values: &Value, name: &str| values[name].as_u64().unwrap_or(0);
    let leaves = names.consumers.iter().filter(|&(c, _)| plan.is_leaf(c));
    leaves.map(|(_, name)| (name.clone(), (of(&case.demand, name), of(&case.initial, name)))).collect()
}

fn hold(leaves: &mut Leaves, held: &Value) {
    for (name, (_, of)) in leaves.iter_mut() {
        *of = held[name].as_u64().unwrap_or(*of);
    }
}

fn equal(what: &str, expected: &Value, got: &Value) -> Result<(), String> {
    if expected == got { Ok(()) } else { Err(format!("{what}: expected {expected}, got {got}")) }
}

/// Writes a scenario file.
struct File<'c> {
    case: &'c Case,
    plan: &'c Plan,
    names: &'c Names,
    leaves: &'c Leaves,
}

impl File<'_> {
    fn open(&self) -> Result<Simulation, Differs> {
        if self.leaves.values().any(|(want, held)| held > want) {
            return Err("more slots are held than are wanted".into());
        }
        Ok(simulation(&self.text())?)
    }

    fn text(&self) -> String {
        let mut text = "format: fairground-scenario\nversion: 1\npolicy: ego\n".to_owned();
        let mut settings = vec!["plan: slots".to_owned()];
        if self.case.share_quota == "static" {
            settings.push("share-quota: static".to_owned());
        }
        if self.case.enforce_at == "parent" {
            settings.push("enforcement: parent".to_owned());
        }
        let _ = writeln!(text, "settings: {{{}}}\nnodes:", settings.join(", "));
        let slots = self.case.slots.unwrap_or(0);
        for host in 0..slots {
            let _ = writeln!(text, "- {{name: h{host}, gpu: 1}}");
        }
        text.push_str("queues:\n");
        for (c, consumer) in self.plan.consumers.iter().skip(1) {
            let _ = write!(text, "- {{name: {}", self.names.consumers[c]);
            if let Some(parent) = consumer.parent.filter(|&parent| parent != ConsumerId::ROOT) {
                let _ = write!(text, ", parent: {}", self.names.consumers[parent]);
            }
            if consumer.priority != 0 {
                let _ = write!(text, ", priority: {}", consumer.priority);
            }
            let limit = self.names.limits[c.index()].map_or(String::new(), |n| format!(", limit: {n}"));
            let _ = writeln!(text, ", gpu: {{weight: {}{limit}}}}}", consumer.ratio);
        }
        text.push_str("jobs:\n");
        let mut next = 0;
        for (name, &(want, held)) in self.leaves {
            for i in 0..held {
                let _ = writeln!(
                    text,
                    "- {{name: {name}-r{i}, queue: {name}, gpu: 1, on: [h{next}], started: -{}s}}",
                    held - i
                );
                next += 1;
            }
            for i in 0..want.saturating_sub(held) {
                let _ = writeln!(text, "- {{name: {name}-w{i}, queue: {name}, gpu: 1}}");
            }
        }
        text
    }
}

/// Compares the quotas with the fair shares of GPUs in the ledger.
fn quota_is(cycle: &Simulation, names: &Names, expected: &Value) -> Result<(), String> {
    for name in names.consumers.values().skip(1) {
        let queue = cycle.cluster().queues.iter().find(|(_, queue)| *queue.name == **name);
        let (queue, _) = queue.ok_or_else(|| format!("no queue {name}"))?;
        let row = cycle.ledger().rows.iter().find(|row| row.queue == queue);
        let share = row.and_then(|row| row.fair_share).map(|share| share.get(Resource::GPU));
        if share != expected[name].as_f64() {
            return Err(format!("{name}: expected a quota of {}, got {share:?}", expected[name]));
        }
    }
    Ok(())
}

/// Queues of all starts, then both queues of all evictions. Without pending jobs there is no cycle.
fn decided(simulation: &mut Simulation) -> Result<(Value, Value), String> {
    let events = simulation.advance().map(|CycleRecord { events, .. }| events).unwrap_or_default();
    let cluster = simulation.cluster();
    let queue = |job| cluster.queues[cluster.jobs[job].queue].name.to_string();
    let of = |pod| queue(cluster.pods[pod].job);
    let (mut starts, mut moves) = (Vec::new(), Vec::new());
    for recorded in &events {
        match &recorded.event {
            Event::Bound { pod, .. } => starts.push(Value::from(of(*pod))),
            Event::Evicted { pod, by: Some(by), .. } => moves.push(Value::from(vec![queue(*by), of(*pod)])),
            Event::Evicted { .. } => return Err("an eviction for nobody".to_owned()),
            _ => {}
        }
    }
    Ok((Value::from(starts), Value::from(moves)))
}
