//! EGO plans through scenario files: consumers as queues, units as jobs of one pod, hosts as nodes.

mod course;
mod file;
mod rhythm;

use std::collections::BTreeMap;

use fairground::cluster::Phase;
use fairground::id::{JobId, NodeId, PodId};
use fairground::policy::ego::cycle::Layout;
use fairground::policy::ego::plan::Plan;
use fairground::sim::Simulation;
use fairground::trace::{Event, EvictReason};
use fairground::units::Resource;
use serde_json::Value;

use super::Differs;
use crate::ego::Case;
use crate::ego::format::{Names, plan};
use crate::report::Verdict;
use course::{Course, Expected, Move, Round};
use file::File;

/// What no scenario can select.
pub const SLOT_POLICY: &str = "the slot policy";

/// Compares a case with its recording through a scenario file.
pub fn check(case: &Case) -> Verdict {
    match compare(case) {
        Ok(()) => Verdict::Equal,
        Err(Differs::CannotSay(feature)) => Verdict::CannotSay(feature),
        Err(Differs::Says(says)) => Verdict::Failed(says),
    }
}

fn compare(case: &Case) -> Result<(), Differs> {
    if case.slots.is_some() {
        return Err(SLOT_POLICY.into());
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
    let mut books = course::open(case, &plan, &mut names)?;
    let mut course = Course::new(&books);
    let is_free_pass = ops.iter().filter(|&&op| op != "capacity" && op != "table").eq([&"assign_free"]);
    let rounds = match course::rounds(case, &names)? {
        _ if is_free_pass => vec![Round { t: 0, news: Vec::new() }],
        Some(rounds) => rounds,
        None => return Err("operations that are no whole cycle".into()),
    };
    let opening = books.clone();
    if let Some(feature) = course.run(&mut books, &layout, &rounds)? {
        return Err(feature.into());
    }
    if let Some(feature) = rhythm::differs(&opening, &layout, &rounds, &course).filter(|_| !is_free_pass) {
        return Err(feature.into());
    }
    let file = file::write(&plan, &layout, &names, &course)?;
    if is_free_pass {
        only_starts(case, &mut course, &names)?;
    } else {
        held(case, &course)?;
    }
    follow(&course, &file, &names, is_free_pass).map_err(Differs::Says)
}

/// A free pass alone: what reclaim would do after it is not part of the recording.
fn only_starts(case: &Case, course: &mut Course, names: &Names) -> Result<(), String> {
    for cycle in &mut course.cycles {
        let starts = cycle.moves.iter().take_while(|m| matches!(m, Move::Start(..)));
        cycle.moves = starts.cloned().collect();
    }
    let recorded =
        case.steps.iter().find(|step| step["op"] == "assign_free").map(|step| &step["expect"]["trace"]);
    let recorded = recorded.and_then(Value::as_array).into_iter().flatten();
    let recorded: Vec<[&str; 2]> =
        recorded.filter_map(|turn| Some([turn[0].as_str()?, turn[1].as_str()?])).collect();
    let starts = course.cycles.iter().flat_map(|cycle| &cycle.moves).filter_map(|m| match *m {
        Move::Start(pod, host) => {
            let leaf = course.subs[course.pods[pod].sub].leaf;
            Some([names.consumers[leaf].as_str(), names.hosts[host].as_str()])
        }
        _ => None,
    });
    if starts.eq(recorded) {
        Ok(())
    } else {
        Err("a whole cycle starts other units than the free pass".into())
    }
}

/// Whole cycles hold what the single operations of the recording hold.
fn held(case: &Case, course: &Course) -> Result<(), String> {
    let recorded =
        case.steps.iter().filter(|step| step["op"] == "reclaim").map(|step| &step["expect"]["held"]);
    for (i, (recorded, cycle)) in recorded.zip(&course.cycles).enumerate() {
        let mut counts: Vec<u64> = vec![0; course.subs.len()];
        cycle.holds.keys().for_each(|&pod| counts[course.pods[pod].sub] += 1);
        let sum = recorded.as_object().map(|held| held.values().filter_map(Value::as_u64).sum::<u64>());
        if sum != Some(counts.iter().sum()) {
            return Err(format!("cycle {i}: a whole cycle holds other units than its operations"));
        }
    }
    Ok(())
}

/// What a scenario does, in pods of the course.
struct Run<'c> {
    simulation: Simulation,
    course: &'c Course,
    pods: BTreeMap<String, usize>,
    hosts: BTreeMap<String, usize>,
}

impl Run<'_> {
    fn pod(&self, pod: PodId) -> Result<usize, String> {
        self.of_job(self.simulation.cluster().pods[pod].job)
    }

    fn of_job(&self, job: JobId) -> Result<usize, String> {
        let name = &*self.simulation.cluster().jobs[job].name;
        self.pods.get(name).copied().ok_or_else(|| format!("unknown job {name}"))
    }

    fn host(&self, node: NodeId) -> Result<usize, String> {
        let name = &*self.simulation.cluster().nodes[node].name;
        self.hosts.get(name).copied().ok_or_else(|| format!("unknown node {name}"))
    }

    /// An event as a decision; none if it is none.
    fn decision(&self, event: Event) -> Result<Option<Move>, String> {
        Ok(Some(match event {
            Event::Bound { pod, node, .. } => Move::Start(self.pod(pod)?, self.host(node)?),
            Event::Claimed { pod, node } => {
                Move::Claim(self.course.pods[self.pod(pod)?].sub, self.host(node)?)
            }
            Event::Evicted { reason: EvictReason::Withdrawn, .. } => return Ok(None),
            Event::Evicted { pod, reason, by, .. } => {
                let by = by.map(|job| self.of_job(job)).transpose()?;
                let left = match self.simulation.cluster().pods[pod].phase {
                    Phase::Terminating { until } => (until - self.simulation.now()).as_millis() / 1000,
                    phase => return Err(format!("evicted, but {phase:?}")),
                };
                Move::Evict(self.pod(pod)?, reason, by.map(|pod| self.course.pods[pod].sub), left)
            }
            _ => return Ok(None),
        }))
    }

    fn holds(&self) -> Result<BTreeMap<usize, (usize, bool)>, String> {
        let mut holds = BTreeMap::new();
        for (id, pod) in self.simulation.cluster().pods.iter() {
            if let Some(node) = pod.node.filter(|_| pod.phase.holds()) {
                let runs = !matches!(pod.phase, Phase::Terminating { .. });
                holds.insert(self.pod(id)?, (self.host(node)?, runs));
            }
        }
        Ok(holds)
    }
}

/// Runs the file and compares it cycle by cycle. Cycles at one instant are one: what goes without a grace is gone at the next of them.
/// By pod: its host, and whether it is leaving.
type Held = BTreeMap<usize, (usize, bool)>;

fn follow(course: &Course, file: &File, names: &Names, is_free_pass: bool) -> Result<(), String> {
    let mut run = Run {
        simulation: super::simulation(&file.text)?,
        course,
        pods: file.jobs.iter().cloned().zip(0..).collect(),
        hosts: names.hosts.iter().cloned().zip(0..).collect(),
    };
    let last = course.cycles.last().map_or(0, |cycle| cycle.t);
    let mut seen: Vec<(i64, Vec<Move>, Held)> = Vec::new();
    while let Some(record) = run.simulation.advance() {
        let t = record.time.as_millis();
        if t > last * 1000 {
            break;
        }
        let mut moves = Vec::new();
        for recorded in &record.events {
            moves.extend(run.decision(recorded.event)?);
        }
        seen.push((t, moves, run.holds()?));
        if is_free_pass {
            break;
        }
    }
    let mut from = i64::MIN;
    for expected in &course.cycles {
        let to = expected.t * 1000;
        let of_cycle: Vec<_> = seen.iter().filter(|(t, ..)| from < *t && *t <= to).collect();
        from = to;
        let moves: Vec<&Move> = of_cycle.iter().flat_map(|(_, moves, _)| moves).collect();
        let before = seen.iter().rfind(|(t, ..)| *t <= to).map(|(_, _, holds)| holds);
        let none = BTreeMap::new();
        same(expected, &moves, before.unwrap_or(&none), course, names, is_free_pass)
            .map_err(|says| format!("at {} s: {says}", expected.t))?;
    }
    Ok(())
}

fn same(
    expected: &Expected,
    moves: &[&Move],
    holds: &BTreeMap<usize, (usize, bool)>,
    course: &Course,
    names: &Names,
    is_free_pass: bool,
) -> Result<(), String> {
    let of_kind = |kind: fn(&Move) -> bool| {
        let wanted: Vec<&Move> = expected.moves.iter().filter(|m| kind(m)).collect();
        let got: Vec<&Move> = moves.iter().copied().filter(|m| kind(m)).collect();
        // Of pods of one size that claim the same host any may be the first: which pods hold a host is compared below.
        let alike = |m: Option<&&Move>| match m {
            Some(&&Move::Start(pod, host)) => Some(Move::Start(course.pods[pod].sub, host)),
            other => other.map(|&m| m.clone()),
        };
        let at = (0..wanted.len().max(got.len())).find(|&i| alike(wanted.get(i)) != alike(got.get(i)))?;
        let text = |m: Option<&&Move>| m.map_or("nothing".to_owned(), |m| said(m, course, names));
        Some(format!("expected {}, got {}", text(wanted.get(at)), text(got.get(at))))
    };
    let differs = of_kind(|m| matches!(m, Move::Start(..)));
    if is_free_pass {
        return differs.map_or(Ok(()), Err);
    }
    let differs = differs
        .or_else(|| of_kind(|m| matches!(m, Move::Evict(..))))
        .or_else(|| of_kind(|m| matches!(m, Move::Claim(..))));
    if let Some(says) = differs {
        return Err(says);
    }
    if *holds != expected.holds {
        return Err(format!("expected these to hold a host: {:?}, got {holds:?}", expected.holds));
    }
    Ok(())
}

fn said(m: &Move, course: &Course, names: &Names) -> String {
    let pod = |pod: usize| format!("{}-{}", names.subs[course.pods[pod].sub], course.pods[pod].number);
    match *m {
        Move::Start(of, host) => format!("a start of {} on {}", pod(of), names.hosts[host]),
        Move::Claim(sub, host) => format!("room for {} on {}", names.subs[sub], names.hosts[host]),
        Move::Evict(of, reason, by, left) => {
            let by = by.map_or("nobody", |by| names.subs[by].as_str());
            format!("an eviction of {} ({reason:?}) for {by} in {left} s", pod(of))
        }
    }
}

/// Dynamic share quotas: what the ledger shows as entitlement before the first cycle.
fn quotas(case: &Case, plan: &Plan, names: &mut Names) -> Result<(), Differs> {
    let layout = Layout::new(plan);
    let mut books = course::open(case, plan, names)?;
    for (i, step) in case.steps.iter().enumerate() {
        if step["op"] == "set_want" {
            let sub = Names::find(&names.subs, step["sub"].as_str().unwrap_or_default())?;
            books.subs[sub].want =
                u32::try_from(crate::ego::number(step, "want")?).map_err(|e| e.to_string())?;
        }
        if step["op"] != "dynamic_quota" {
            continue;
        }
        if books.subs.iter().any(|sub| sub.want < sub.running) {
            return Err("more units run than are wanted".into());
        }
        let file = file::write(plan, &layout, names, &Course::new(&books))?;
        let simulation = super::simulation(&file.text)?;
        entitled(&simulation, &step["expect"], names, &file).map_err(|says| format!("step {i}: {says}"))?;
    }
    Ok(())
}

fn entitled(simulation: &Simulation, expected: &Value, names: &Names, file: &File) -> Result<(), String> {
    for name in names.consumers.iter().skip(1) {
        let queue = simulation.cluster().queues.iter().find(|(_, queue)| *queue.name == **name);
        let (queue, _) = queue.ok_or_else(|| format!("no queue {name}"))?;
        let row = simulation.ledger().rows.iter().find(|row| row.queue == queue);
        let share = row.and_then(|row| row.fair_share).ok_or_else(|| format!("{name}: no entitlement"))?;
        for (dim, word) in names.dims.iter().zip(&file.words) {
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
