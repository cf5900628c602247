//! Recordings of format `kai-division/1` as scenario files: siblings are top-level queues, the total is the capacity of
//! the nodes, and requests are pending jobs. The fair shares at the opening are compared.

use std::fmt::Write as _;

use fairground::trace::Ledger;
use fairground::units::Resource;

use crate::division::{Case, Inputs, Queue, difference};
use crate::report::Verdict;

/// Maximum number of GPUs per node.
const NODE_GPUS: u64 = 64;

/// Compares a case with its recording through a scenario file.
pub fn check(case: &Case) -> Verdict {
    let text = match file(case) {
        Ok(text) => text,
        Err(feature) => return Verdict::CannotSay(feature),
    };
    let simulation = match super::simulation(&text) {
        Ok(simulation) => simulation,
        Err(says) => return Verdict::Failed(says),
    };
    let names = simulation.cluster().queues.values().map(|queue| &*queue.name);
    let got = match shares(case, &names.collect::<Vec<_>>(), simulation.ledger()) {
        Ok(got) => got,
        Err(says) => return Verdict::Failed(says),
    };
    match &case.fair_share {
        Some(expected) => match difference(case, expected, &got, |l, r| l == r) {
            None => Verdict::Equal,
            Some(says) => Verdict::Failed(says),
        },
        None => {
            let is_it = |same: fn(f64, f64) -> bool| {
                case.outcomes.iter().any(|o| difference(case, &o.fair_share, &got, same).is_none())
            };
            match (is_it(|l, r| l == r), crate::division::is_wide(case) && is_it(crate::division::near)) {
                (true, _) => Verdict::InSet,
                (_, true) => Verdict::Near,
                _ => Verdict::Failed(format!("none of {} outcomes: {got:?}", case.outcomes.len())),
            }
        }
    }
}

/// Fair shares in the order of the recorded queues; unlimited is -1.
fn shares(case: &Case, names: &[&str], ledger: &Ledger) -> Result<Vec<[f64; 3]>, String> {
    let of = |queue: &Queue| {
        let at = names.iter().position(|name| **name == *queue.name);
        let row = at.and_then(|at| ledger.rows.get(at));
        let row = row.ok_or_else(|| format!("{}: not in the scenario", queue.name))?;
        let share = row.fair_share.ok_or_else(|| format!("{}: no fair share", queue.name))?;
        let bounded = |n: f64| if n.is_infinite() { -1.0 } else { n };
        Ok(Resource::ACCOUNTED.map(|r| bounded(share.get(r))))
    };
    case.queues.iter().map(of).collect()
}

/// Writes the file of a case; an error names an unsupported feature.
fn file(case: &Case) -> Result<String, &'static str> {
    let mut text = String::from("format: fairground-scenario\nversion: 1\n");
    if case.k != 1.0 {
        let k = millionths(case.k).ok_or("a k-value with more than six digits")?;
        let _ = writeln!(text, "settings: {{k-value: {k}}}");
    }
    text.push_str("nodes:\n");
    nodes(case, &mut text)?;
    let mut in_order: Vec<&Queue> = case.queues.iter().collect();
    in_order.sort_by_key(|q| q.created);
    let is_strict = in_order.windows(2).all(|pair| pair[0].created < pair[1].created);
    text.push_str("queues:\n");
    for queue in &in_order {
        let _ = write!(text, "- {{name: {:?}", queue.name);
        if queue.priority != 100 {
            let _ = write!(text, ", priority: {}", queue.priority);
        }
        if !is_strict {
            let _ = write!(text, ", created: {}s", queue.created);
        }
        for (name, inputs, unit) in [("cpu", queue.cpu, CPU), ("memory", queue.memory, BYTES), ("gpu", queue.gpu, GPU)]
        {
            let _ = write!(text, ", {name}: {{{}}}", values(&inputs, unit)?);
        }
        text.push_str("}\n");
    }
    text.push_str("jobs:\n");
    for (n, queue) in in_order.iter().enumerate() {
        jobs(queue, n, &mut text)?;
    }
    Ok(text)
}

/// Formats an amount of a resource.
type Unit = fn(f64) -> Result<String, &'static str>;

const CPU: Unit = |n| whole(n, "m").ok_or("parts of a millicore");
const BYTES: Unit = |n| whole(n, "B").ok_or("parts of a byte");
const GPU: Unit = |n| {
    let is_said = (n * 1000.0).round() / 1000.0 == n;
    if is_said { Ok(format!("{n}")) } else { Err("GPUs in less than thousandths") }
};

fn whole(n: f64, unit: &str) -> Option<String> {
    (n.fract() == 0.0 && n >= 0.0).then(|| format!("{n}{unit}"))
}

/// Formats a number with at most six decimals.
fn millionths(n: f64) -> Option<String> {
    ((n * 1e6).round() / 1e6 == n && n >= 0.0).then(|| format!("{n}"))
}

fn values(inputs: &Inputs, unit: Unit) -> Result<String, &'static str> {
    let bound = |n: f64| if n == -1.0 { Ok("unlimited".to_owned()) } else { unit(n) };
    let number = |n: f64| millionths(n).ok_or("a weight or usage with more than six digits");
    if inputs.usage > 1.0 {
        return Err("a past usage of more than all");
    }
    let all = [
        ("quota", inputs.deserved, bound(inputs.deserved)?),
        ("limit", inputs.limit, bound(inputs.limit)?),
        ("weight", inputs.weight, number(inputs.weight)?),
        ("usage", inputs.usage, number(inputs.usage)?),
    ];
    let non_zero = all.iter().filter(|(_, n, _)| *n != 0.0);
    Ok(non_zero.map(|(name, _, value)| format!("{name}: {value}")).collect::<Vec<_>>().join(", "))
}

/// Writes nodes with the given total capacity.
fn nodes(case: &Case, text: &mut String) -> Result<(), &'static str> {
    if case.totals.gpu.fract() != 0.0 {
        return Err("nodes with parts of a GPU");
    }
    let (cpu, memory) = (CPU(case.totals.cpu)?, BYTES(case.totals.memory)?);
    let mut gpus = case.totals.gpu as u64;
    let _ = writeln!(text, "- {{name: node, gpu: {}, cpu: {cpu}, memory: {memory}}}", gpus.min(NODE_GPUS));
    gpus -= gpus.min(NODE_GPUS);
    let mut more = 0;
    while gpus > 0 {
        let here = gpus.min(NODE_GPUS);
        more += 1;
        let _ = writeln!(text, "- {{name: more-{more}, gpu: {here}, cpu: 0, memory: 0}}");
        gpus -= here;
    }
    Ok(())
}

/// Writes jobs with the request of a queue: one for whole GPUs, CPU and memory, one for a fraction of a GPU.
fn jobs(queue: &Queue, n: usize, text: &mut String) -> Result<(), &'static str> {
    let gpu = queue.gpu.request;
    let part = ((gpu - gpu.floor()) * 1000.0).round() / 1000.0;
    if gpu.floor() + part != gpu {
        return Err("a request for GPUs that is not the sum of those of pods to the last bit");
    }
    let (cpu, memory) = (CPU(queue.cpu.request)?, BYTES(queue.memory.request)?);
    let (name, whole) = (&queue.name, gpu.floor());
    let _ = writeln!(text, "- {{name: a{n}, queue: {name:?}, gpu: {whole}, cpu: {cpu}, memory: {memory}}}");
    if part > 0.0 {
        let _ = writeln!(text, "- {{name: b{n}, queue: {name:?}, gpu: {part}}}");
    }
    Ok(())
}
