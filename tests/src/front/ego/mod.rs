//! EGO plans through scenario files: consumers as queues, units as jobs of one pod, hosts as nodes.

mod course;
mod file;
mod moments;
mod one_file;
mod slots;

use fairground::policy::ego::ids::{HostId, SubId};
use fairground::policy::ego::layout::Layout;
use fairground::policy::ego::plan::Plan;
use fairground::policy::ego::pool_state::PoolState;
use fairground::sim::Simulation;
use fairground::units::Resource;
use serde_json::Value;

use super::Differs;
use crate::ego::Case;
use crate::ego::format::{Names, open, plan};
use crate::report::Verdict;
use course::{ExpectedRun, Round};
use file::File;
pub use one_file::is_one_file;

/// Compares a case with its recording through a scenario file.
pub fn check(case: &Case) -> Verdict {
    compare(case).into()
}

fn compare(case: &Case) -> Result<(), Differs> {
    if case.slots.is_some() {
        return slots::compare(case);
    }
    if !case.outside.is_empty() {
        return Err("units outside of the plan".into());
    }
    if case.pool.as_ref().is_some_and(|pool| pool.id != "public") {
        return Err("a private pool on its own".into());
    }
    if crate::ego::check(case) != Verdict::Equal {
        return Err("the rules alone differ from the recording".to_owned().into());
    }
    let ops: Vec<&str> = case.steps.iter().filter_map(|step| step["op"].as_str()).collect();
    let (plan, mut names) = plan(case)?;
    if ops.contains(&"dynamic_quota") {
        return quotas(case, &plan, &mut names);
    }
    let layout = Layout::new(&plan);
    let mut state = open(case, &plan, &mut names)?;
    let (rounds, is_free_pass) = cycles(case, &names)?;
    let all = moments::run((&plan, &layout, &names), &mut state, &rounds, is_free_pass)?;
    if is_free_pass {
        let (decided, _) = &all[0];
        only_starts(case, &decided.starts[..decided.handed], &state, &names)?;
    } else {
        held(case, all.iter().map(|(_, held)| held.iter().sum()))?;
    }
    Ok(())
}

/// Cycles of a case, and whether they are a free pass alone.
fn cycles(case: &Case, names: &Names) -> Result<(Vec<Round>, bool), Differs> {
    let ops = case.steps.iter().filter_map(|step| step["op"].as_str());
    let is_free_pass = ops.filter(|&op| op != "capacity" && op != "table").eq(["assign_free"]);
    if is_free_pass {
        return Ok((vec![Round { t: 0, changes: Vec::new() }], true));
    }
    let rounds = course::rounds(case, names)?.ok_or("operations that are no whole cycle")?;
    Ok((rounds, false))
}

/// Compares a free pass alone: the recording does not include the reclaim after it.
fn only_starts(case: &Case, starts: &[(SubId, HostId)], state: &PoolState<'_>, names: &Names) -> Result<(), String> {
    let recorded = case.steps.iter().find(|step| step["op"] == "assign_free").map(|step| &step["expect"]["trace"]);
    let recorded = recorded.and_then(Value::as_array).into_iter().flatten();
    let recorded = recorded.filter_map(|turn| Some([turn[0].as_str()?, turn[1].as_str()?]));
    let starts =
        starts.iter().map(|&(sub, host)| [names.consumers[state.subs[sub].leaf].as_str(), names.hosts[host].as_str()]);
    if recorded.eq(starts) { Ok(()) } else { Err("a whole cycle starts other units than the free pass".into()) }
}

/// Checks that whole cycles end with the units of the recorded operations.
fn held(case: &Case, mut cycles: impl Iterator<Item = u64>) -> Result<(), String> {
    let recorded = case.steps.iter().filter(|step| step["op"] == "reclaim");
    for (i, step) in recorded.enumerate() {
        let held = step["expect"]["held"].as_object();
        let sum = held.map(|held| held.values().filter_map(Value::as_u64).sum::<u64>());
        if sum != cycles.next() {
            return Err(format!("cycle {i}: a whole cycle holds other units than its operations"));
        }
    }
    Ok(())
}

/// Dynamic share quotas, compared with the fair share in the ledger before the first cycle.
fn quotas(case: &Case, plan: &Plan, names: &mut Names) -> Result<(), Differs> {
    let layout = Layout::new(plan);
    let mut state = open(case, plan, names)?;
    for (i, step) in case.steps.iter().enumerate() {
        if step["op"] == "set_want" {
            let sub = Names::find(&names.subs, step["sub"].as_str().unwrap_or_default())?;
            state.subs[sub].want = u32::try_from(crate::ego::number(step, "want")?).map_err(|e| e.to_string())?;
        }
        if step["op"] != "dynamic_quota" {
            continue;
        }
        if state.subs.values().any(|sub| sub.want < sub.running) {
            return Err("more units run than are wanted".into());
        }
        let file = file::write(plan, &layout, names, &ExpectedRun::new(&state))?;
        let simulation = super::simulation(&file.text)?;
        entitled(&simulation, &step["expect"], names, &file).map_err(|says| format!("step {i}: {says}"))?;
    }
    Ok(())
}

fn entitled(simulation: &Simulation, expected: &Value, names: &Names, file: &File) -> Result<(), String> {
    for name in names.consumers.values().skip(1) {
        let queue = simulation.cluster().queues.iter().find(|(_, queue)| *queue.name == **name);
        let (queue, _) = queue.ok_or_else(|| format!("no queue {name}"))?;
        let row = simulation.ledger().rows.iter().find(|row| row.queue == queue);
        let share = row.and_then(|row| row.fair_share).ok_or_else(|| format!("{name}: no entitlement"))?;
        for (dim, word) in names.dims.iter().zip(&file.dimension_names) {
            let Some(at) = word.accounted else { continue };
            let text = expected[name][dim].as_str().ok_or_else(|| format!("{name} {dim}: not recorded"))?;
            let (n, d) = text.split_once('/').unwrap_or((text, "1"));
            let number = |text: &str| text.parse::<f64>().map_err(|_| format!("fraction {text:?}"));
            let (resource, unit) =
                [(Resource::CPU, 1000.0), (Resource::MEMORY, f64::from(1 << 30)), (Resource::GPU, 1.0)][at];
            let (wanted, got) = (number(n)? / number(d)? * unit, share.get(resource));
            if (wanted - got).abs() > 1e-9 * wanted.abs().max(1.0) {
                return Err(format!("{name} {dim}: expected an entitlement of {wanted}, got {got}"));
            }
        }
    }
    Ok(())
}
