//! A whole case as one file, so that the memory of the policy between cycles counts.
//!
//! A file has cycles that a recording lacks: every change is followed by one, and a terminating pod requests nothing.
//! Therefore not every case agrees; the number of agreeing cases is fixed.

use std::collections::BTreeMap;

use fairground::cluster::Phase;
use fairground::id::{Id, JobId, NodeId, PodId};
use fairground::policy::ego::ids::HostId;
use fairground::policy::ego::layout::Layout;
use fairground::sim::Simulation;
use fairground::trace::{Event, EvictReason};

use super::course::{self, Expected, ExpectedRun, Move};
use super::file::{self, File};
use crate::ego::Case;
use crate::ego::format::{Names, open, plan};
use crate::front::Differs;

/// Whether a case has several cycles and all of them agree in one file.
pub fn is_one_file(case: &Case) -> bool {
    run(case).is_ok()
}

fn run(case: &Case) -> Result<(), Differs> {
    let is_public = case.pool.as_ref().is_none_or(|pool| pool.id == "public");
    if case.slots.is_some() || !case.outside.is_empty() || !is_public {
        return Err("no plan".into());
    }
    let (plan, mut names) = plan(case)?;
    let layout = Layout::new(&plan);
    let mut state = open(case, &plan, &mut names)?;
    let rounds = course::rounds(case, &names)?.filter(|rounds| rounds.len() > 1);
    let rounds = rounds.ok_or("not several cycles")?;
    let mut course = ExpectedRun::new(&state);
    if let Some(feature) = course.run(&mut state, &layout, &rounds)? {
        return Err(feature.into());
    }
    let file = file::write(&plan, &layout, &names, &course)?;
    follow(&course, &file, &names).map_err(Differs::Says)
}

/// A run of a scenario in terms of the recorded pods.
struct Run<'c> {
    simulation: Simulation,
    course: &'c ExpectedRun,
    pods: BTreeMap<String, usize>,
    hosts: BTreeMap<String, HostId>,
}

impl Run<'_> {
    fn pod(&self, pod: PodId) -> Result<usize, String> {
        self.of_job(self.simulation.cluster().pods[pod].job)
    }

    fn of_job(&self, job: JobId) -> Result<usize, String> {
        let name = &*self.simulation.cluster().jobs[job].name;
        self.pods.get(name).copied().ok_or_else(|| format!("unknown job {name}"))
    }

    fn host(&self, node: NodeId) -> Result<HostId, String> {
        let name = &*self.simulation.cluster().nodes[node].name;
        self.hosts.get(name).copied().ok_or_else(|| format!("unknown node {name}"))
    }

    /// Converts an event to a decision, if it is one.
    fn decision(&self, event: Event) -> Result<Option<Move>, String> {
        Ok(Some(match event {
            Event::Bound { pod, node, .. } => Move::Start(self.pod(pod)?, self.host(node)?),
            Event::Claimed { pod, node } => Move::Claim(self.course.pods[self.pod(pod)?].sub, self.host(node)?),
            Event::Evicted { reason: EvictReason::Withdrawn, .. } => return Ok(None),
            Event::Evicted { pod, reason, by, .. } => {
                let by = by.map(|job| self.of_job(job)).transpose()?;
                let left = match self.simulation.cluster().pods[pod].phase {
                    Phase::Terminating { until, .. } => (until - self.simulation.now()).as_millis() / 1000,
                    phase => return Err(format!("evicted, but {phase:?}")),
                };
                Move::Evict(self.pod(pod)?, reason, by.map(|pod| self.course.pods[pod].sub), left)
            }
            _ => return Ok(None),
        }))
    }

    fn holds(&self) -> Result<BTreeMap<usize, (HostId, bool)>, String> {
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

/// By pod: its host, and whether it is terminating.
type Held = BTreeMap<usize, (HostId, bool)>;

/// Runs the file and compares it cycle by cycle. Cycles at one instant form one: units without a grace period are gone
/// at the next.
fn follow(course: &ExpectedRun, file: &File, names: &Names) -> Result<(), String> {
    let mut run = Run {
        simulation: crate::front::simulation(&file.text)?,
        course,
        pods: file.jobs.iter().cloned().zip(0..).collect(),
        hosts: names.hosts.iter().map(|(host, name)| (name.clone(), host)).collect(),
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
    }
    let mut from = i64::MIN;
    for expected in &course.cycles {
        let to = expected.t * 1000;
        let of_cycle: Vec<_> = seen.iter().filter(|(t, ..)| from < *t && *t <= to).collect();
        from = to;
        let moves: Vec<&Move> = of_cycle.iter().flat_map(|(_, moves, _)| moves).collect();
        let before = seen.iter().rfind(|(t, ..)| *t <= to).map(|(_, _, holds)| holds);
        let none = BTreeMap::new();
        same(expected, &moves, before.unwrap_or(&none), course, names)
            .map_err(|says| format!("at {} s: {says}", expected.t))?;
    }
    Ok(())
}

fn same(
    expected: &Expected,
    moves: &[&Move],
    holds: &BTreeMap<usize, (HostId, bool)>,
    course: &ExpectedRun,
    names: &Names,
) -> Result<(), String> {
    let of_kind = |kind: fn(&Move) -> bool| {
        let wanted: Vec<&Move> = expected.moves.iter().filter(|m| kind(m)).collect();
        let got: Vec<&Move> = moves.iter().copied().filter(|m| kind(m)).collect();
        // Pods of equal size that claim the same host are interchangeable: the pods that hold a host are compared
        // below.
        let alike = |m: Option<&&Move>| match m {
            Some(&&Move::Start(pod, host)) => Some(Move::Start(course.pods[pod].sub.index(), host)),
            other => other.map(|&m| m.clone()),
        };
        let at = (0..wanted.len().max(got.len())).find(|&i| alike(wanted.get(i)) != alike(got.get(i)))?;
        let text = |m: Option<&&Move>| m.map_or("nothing".to_owned(), |m| described(m, course, names));
        Some(format!("expected {}, got {}", text(wanted.get(at)), text(got.get(at))))
    };
    let differs = of_kind(|m| matches!(m, Move::Start(..)));
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

fn described(m: &Move, course: &ExpectedRun, names: &Names) -> String {
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
