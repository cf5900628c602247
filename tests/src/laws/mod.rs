//! Laws of the simulation, which hold for every plan under every policy.
//!
//! The tests check them over small plans and generated scenarios, `cargo xtask soak` over any number of them.

mod cycle;
mod runs;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use fairground::cluster::{Devices, Phase};
use fairground::id::{NodeId, PodId};
use fairground::scenario::Plan;
use fairground::sim::{CycleRecord, Simulation};

/// Result of a law; the error describes the violation.
pub type Verdict = Result<(), String>;

/// A violated law.
#[derive(Clone, Debug, PartialEq)]
pub struct Broken {
    /// Name of the law.
    pub law: &'static str,
    /// Violation.
    pub says: String,
}

/// A statement about some part of a run.
struct Law<Of> {
    /// The statement.
    name: &'static str,
    /// Checks it.
    of: fn(&Of) -> Verdict,
}

/// A cycle of a run, or its opening.
struct Moment<'a> {
    plan: &'a Plan,
    /// The simulation after the cycle.
    simulation: &'a Simulation,
    record: &'a CycleRecord,
    /// Placements before the cycle.
    before: &'a Placements,
}

/// The first cycles of a run.
struct Run<'a> {
    plan: &'a Plan,
    /// Laws derive their choices from it, such as stopping points.
    number: u64,
    /// Placements in the opening.
    at_start: Placements,
    /// The opening and all cycles.
    records: Vec<CycleRecord>,
    /// The simulation after the last of them.
    end: Simulation,
}

type Placements = BTreeMap<PodId, (NodeId, Devices)>;

/// Number of checked cycles.
const CYCLES: u32 = 40;

/// Checks all laws for a plan; with `only`, just the one of this name. Laws derive their choices from the number.
///
/// # Errors
///
/// The first violated law.
pub fn hold(plan: &Plan, number: u64, only: Option<&str>) -> Result<(), Broken> {
    let run = run(plan, number, only)?;
    runs::laws().iter().try_for_each(|law| judge(law, &run, only))
}

/// Runs the first cycles and checks the laws of cycles after each.
fn run<'a>(plan: &'a Plan, number: u64, only: Option<&str>) -> Result<Run<'a>, Broken> {
    let mut simulation = catch("every plan opens", || Simulation::new(plan))?;
    let at_start = placements(&simulation);
    let opening = simulation.opening().clone();
    judge_cycle(&Moment { plan, simulation: &simulation, record: &opening, before: &initial(plan) }, only)?;
    let mut before = at_start.clone();
    let mut records = vec![opening];
    while simulation.cycle() < CYCLES {
        let Some(record) = catch("every cycle ends", || simulation.advance())? else { break };
        judge_cycle(&Moment { plan, simulation: &simulation, record: &record, before: &before }, only)?;
        before = placements(&simulation);
        records.push(record);
    }
    Ok(Run { plan, number, at_start, records, end: simulation })
}

fn judge_cycle(moment: &Moment, only: Option<&str>) -> Result<(), Broken> {
    let in_cycle =
        |broken: Broken| Broken { says: format!("cycle {}: {}", moment.record.cycle, broken.says), ..broken };
    cycle::laws().iter().try_for_each(|law| judge(law, moment, only)).map_err(in_cycle)
}

fn judge<Of>(law: &Law<Of>, of: &Of, only: Option<&str>) -> Result<(), Broken> {
    if only.is_some_and(|only| only != law.name) {
        return Ok(());
    }
    catch(law.name, || (law.of)(of))?.map_err(|says| Broken { law: law.name, says })
}

/// Turns a panic into the violation of a law.
pub(crate) fn catch<T>(law: &'static str, of: impl FnOnce() -> T) -> Result<T, Broken> {
    catch_unwind(AssertUnwindSafe(of)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or(panic.downcast_ref::<&str>().copied()).unwrap_or_default();
        Broken { law, says: format!("panic: {text}") }
    })
}

fn ensure(holds: bool, says: impl FnOnce() -> String) -> Verdict {
    if holds { Ok(()) } else { Err(says()) }
}

/// Placements of the pods that run from the beginning.
fn initial(plan: &Plan) -> Placements {
    let mut placed = placements(&Simulation::new(&Plan { timeline: Vec::new(), ..plan.clone() }));
    placed.retain(|pod, _| matches!(plan.cluster.pods[*pod].phase, Phase::Running { .. }));
    placed
}

fn placements(simulation: &Simulation) -> Placements {
    let pods = simulation.cluster().pods.iter();
    pods.filter_map(|(id, pod)| Some((id, (pod.node?, pod.devices)))).collect()
}

/// Runs the first cycles. Returns their records, including the opening.
fn records(simulation: &mut Simulation) -> Vec<CycleRecord> {
    let mut records = vec![simulation.opening().clone()];
    while let Some(record) = (simulation.cycle() < CYCLES).then(|| simulation.advance()).flatten() {
        records.push(record);
    }
    records
}
