//! Kind `events`: every step with decisions is a cycle of the scenario, one second after the previous one.
//!
//! Evicted pods are gone before the next cycle, in which the reclaimer starts; so a step with evictions takes two
//! cycles. If the second of them would serve other workloads too, a new file continues from the recorded state: placed
//! workloads run initially, evicted ones are pending with their age. The same applies if numbers are recorded between
//! an arrival and its cycle. If other workloads would be served in the cycle of a workload tried alone, that cycle is a
//! file in which they cannot start. Where others would be served in the cycle of a workload that was tried alone, that
//! cycle is a file in which they cannot start.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use fairground::policy::kai::recorded::{run_cycle, try_job};
use fairground::policy::runai::DIALECT;
use fairground::sim::{CycleRecord, Simulation};
use fairground::trace::{Event, Level, Trace};
use fairground::units::Resource;
use serde_json::Value;

use super::Differs;
use crate::cycle::snapshot::pass;
use crate::report::Verdict;
use crate::runai::events::{Decided, InstantPool, as_set, reason};
use crate::runai::{list, real, text};

/// Expected results of a cycle.
enum Expected {
    /// Decisions in order, and reasons of pending workloads.
    Decides(Vec<Decided>, BTreeMap<String, String>),
    /// Workloads with claims start.
    Starts(BTreeSet<String>),
    /// Numbers of the queues after the cycle.
    Numbers(Value),
}

/// A submitted workload.
struct Known {
    name: String,
    /// Queue and priority, as written in the file.
    says: String,
    gpus: i64,
    runs: bool,
}

/// A case as files.
#[derive(Default)]
struct CaseFiles {
    /// Workloads in submission order, except those that ended.
    known: Vec<Known>,
    /// Files in order; the last is being written.
    files: Vec<File>,
}

/// A file as cycles.
#[derive(Default)]
struct File {
    jobs: String,
    timeline: String,
    /// Expected results by cycle, from 1.
    expected: Vec<(u32, Expected)>,
    /// Cycles whose recorded decision is one of several.
    may_differ: BTreeSet<u32>,
    cycle: u32,
    /// Whether it has one cycle in which only one workload can start.
    is_of_one: bool,
    /// Arrivals and ends since the last cycle.
    n_changes: u32,
}

/// Compares a case with its recording through a scenario file.
pub fn check(case: &Value) -> Result<(), Differs> {
    if crate::runai::check(case) != Verdict::Equal {
        return Err("the rules alone differ from the recording".to_owned().into());
    }
    let mut world = InstantPool::new(case, DIALECT)?;
    let mut course = CaseFiles { files: vec![File::default()], ..CaseFiles::default() };
    for (i, step) in list(&case["steps"]).enumerate() {
        let may_differ = list(&case["varies_in_engine_at"]).any(|at| at.as_u64() == Some(i as u64));
        if may_differ {
            let file = course.file();
            file.may_differ.insert(file.cycle + 1);
        }
        course.step(&mut world, step)?;
    }
    let (gpus, queues) = (real(&case["gpus"])?, queues(case)?);
    let files = course.files.iter().filter(|file| !file.expected.is_empty());
    for (i, file) in files.enumerate() {
        let says = |says: String| Differs::Says(format!("file {}: {says}", i + 1));
        let simulation = super::super::simulation(&file.text(gpus, &queues)).map_err(says)?;
        if follow(file, simulation).map_err(says)? == Followed::UpToAChoice {
            return Ok(());
        }
    }
    Ok(())
}

/// Omits values that equal the product's default: a GPU quota of 0, over-quota weight *medium*, a department's weight.
fn queues(case: &Value) -> Result<String, String> {
    let mut text = String::from("queues:\n");
    for department in list(&case["departments"]) {
        let name = crate::runai::text(&department["id"])?;
        let by_quota = real(&department["weight"])? == real(&department["quota"])?;
        if !by_quota {
            return Err(format!("{name}: a department with a weight of its own"));
        }
        queue(&mut text, department, None)?;
        for project in list(&department["projects"]) {
            queue(&mut text, project, Some(name))?;
        }
    }
    Ok(text)
}

fn queue(to: &mut String, queue: &Value, parent: Option<&str>) -> Result<(), String> {
    let mut gpu: Vec<String> = Vec::new();
    let amount = |value: f64| if value < 0.0 { "unlimited".to_owned() } else { value.to_string() };
    let quota = real(&queue["quota"])?;
    if quota != 0.0 {
        gpu.push(format!("quota: {}", amount(quota)));
    }
    let limit = real(&queue["limit"])?;
    if limit >= 0.0 {
        gpu.push(format!("limit: {limit}"));
    }
    let weight = real(&queue["weight"])?;
    if parent.is_some() && weight != 2.0 {
        gpu.push(format!("weight: {weight}"));
    }
    let _ = write!(to, "- {{name: {}", text(&queue["id"])?);
    if let Some(parent) = parent {
        let _ = write!(to, ", parent: {parent}");
    }
    // The default is 100.
    if let Some(rank) = queue["rank"].as_i64().filter(|&rank| rank != 0) {
        let _ = write!(to, ", priority: {}", 100 + rank);
    }
    if !gpu.is_empty() {
        let _ = write!(to, ", gpu: {{{}}}", gpu.join(", "));
    }
    to.push_str("}\n");
    Ok(())
}

impl File {
    fn text(&self, gpus: f64, queues: &str) -> String {
        let part = |name: &str, text: &str| {
            if text.is_empty() { String::new() } else { format!("{name}:\n{text}") }
        };
        let (jobs, timeline) = (part("jobs", &self.jobs), part("timeline", &self.timeline));
        format!(
            "format: fairground-scenario\nversion: 1\npolicy: runai\nnodes: [{{name: node, gpu: {gpus}}}]\n{queues}{jobs}{timeline}"
        )
    }

    /// A time before the next cycle, later than previous events.
    fn next_moment(&mut self) -> String {
        self.n_changes += 1;
        format!("{}ms", self.cycle * 1000 + 10 * self.n_changes)
    }
}

impl CaseFiles {
    /// File that is being written.
    fn file(&mut self) -> &mut File {
        let last = self.files.len() - 1;
        &mut self.files[last]
    }

    /// Continues in a new file that begins with the present state. If one workload is tried alone, the other pending
    /// ones are gangs with a gated pod: they request GPUs and cannot start.
    fn open_file(&mut self, alone: Option<&str>) {
        let last = self.file();
        let may_differ = last.may_differ.contains(&(last.cycle + 1)).then_some(1);
        let mut jobs = String::new();
        for (job, age) in self.known.iter().zip((1..=self.known.len()).rev()) {
            let Known { name, says, gpus, runs } = job;
            let asks = match alone {
                _ if *runs => format!("gpu: {gpus}, on: [node]"),
                Some(alone) if alone != name => {
                    format!("pod-sets: [{{name: work, gpu: {gpus}}}, {{name: rest, gated: true}}]")
                }
                _ => format!("gpu: {gpus}"),
            };
            let _ = writeln!(jobs, "- {{name: {name}, submit: -{age}s, {says}, {asks}}}");
        }
        let may_differ = may_differ.into_iter().collect();
        self.files.push(File { jobs, may_differ, is_of_one: alone.is_some(), ..File::default() });
    }

    fn step(&mut self, world: &mut InstantPool, step: &Value) -> Result<(), Differs> {
        match step[0].as_str() {
            Some("submit") => {
                self.submit(step)?;
                world.submit(step)?;
                self.alone(world, step, [&step[1], &step[5], &step[6], &step[7]])
            }
            Some("queue") => {
                self.submit(step)?;
                world.submit(step).map_err(Differs::Says)
            }
            Some("try") => self.alone(world, step, [&step[1], &step[2], &step[3], &step[4]]),
            Some("finish") => {
                for job in list(&step[1]) {
                    let name = text(job)?;
                    self.known.retain(|known| known.name != name);
                    let file = self.file();
                    let at = file.next_moment();
                    let _ = writeln!(file.timeline, "- {{at: {at}, job: {name}}}");
                }
                world.step(step).map_err(Differs::Says)
            }
            Some("cycle") => {
                let mut decided = Vec::new();
                for decision in list(&step[1]) {
                    let action = action(text(&decision[1])?)?;
                    decided.push((text(&decision[0])?.to_owned(), action, as_set(&decision[2])?));
                }
                let reasons = step[2].as_object().into_iter().flatten();
                let reasons = reasons.map(|(job, why)| Ok((job.clone(), text(why)?.to_owned())));
                let reasons = reasons.collect::<Result<_, String>>()?;
                self.decides(world, step, decided, reasons)
            }
            Some("state") => {
                if self.file().n_changes > 0 {
                    self.open_file(None);
                }
                let file = self.file();
                file.expected.push((file.cycle, Expected::Numbers(step[1].clone())));
                Ok(())
            }
            _ => Err("unknown step".to_owned().into()),
        }
    }

    fn submit(&mut self, step: &Value) -> Result<(), String> {
        let (name, queue, gpus) = (text(&step[1])?, text(&step[2])?, step[3].as_i64().ok_or("no GPUs")?);
        let priority = match step[4].as_i64().ok_or("no priority")? {
            50 => String::new(),
            75 => ", priority: interactive-preemptible".to_owned(),
            100 => ", priority: build".to_owned(),
            125 => ", priority: inference".to_owned(),
            other => format!(", priority: {other}"),
        };
        let says = format!("queue: {queue}{priority}");
        let file = self.file();
        let at = file.next_moment();
        let _ = writeln!(file.jobs, "- {{name: {name}, submit: {at}, {says}, gpu: {gpus}}}");
        self.known.push(Known { name: name.to_owned(), says, gpus, runs: false });
        Ok(())
    }

    fn alone(
        &mut self,
        world: &mut InstantPool,
        step: &Value,
        [job, result, by, evicted]: [&Value; 4],
    ) -> Result<(), Differs> {
        let name = text(job)?;
        let alone = world.decided(&try_job(&world.snapshot, name, &mut Trace::new(Level::Decisive)));
        let together = world.decided(&run_cycle(&world.snapshot, &mut Trace::new(Level::Decisive)));
        if alone != together {
            self.open_file(Some(name));
        }
        // A submit step adds the workload, which exists already.
        let step =
            if step[0] == "submit" { serde_json::json!(["try", job, result, by, evicted]) } else { step.clone() };
        let (mut decided, mut reasons) = (Vec::new(), BTreeMap::new());
        if result == "started" {
            decided.push((name.to_owned(), action(text(by)?)?, as_set(evicted)?));
        } else {
            reasons.insert(name.to_owned(), text(by)?.to_owned());
        }
        self.decides(world, &step, decided, reasons)
    }

    fn decides(
        &mut self,
        world: &mut InstantPool,
        step: &Value,
        decided: Vec<Decided>,
        reasons: BTreeMap<String, String>,
    ) -> Result<(), Differs> {
        let file = self.file();
        file.cycle += 1;
        file.n_changes = 0;
        let is_of_one = file.is_of_one;
        let is_open = file.may_differ.contains(&file.cycle);
        let room: BTreeSet<String> =
            decided.iter().filter(|(_, by, _)| *by != "allocate").map(|(job, ..)| job.clone()).collect();
        let goes_on = !is_of_one && (room.is_empty() || starts_next(world) == Some(room.clone()));
        for (name, _, evicted) in &decided {
            for job in &mut self.known {
                job.runs = (job.runs || job.name == *name) && !evicted.contains(&job.name);
            }
        }
        let file = self.file();
        file.expected.push((file.cycle, Expected::Decides(decided, reasons)));
        if world.step(step).is_err() && !is_open {
            return Err("the rules alone differ from the recording".to_owned().into());
        }
        let file = self.file();
        if !goes_on {
            self.open_file(None);
        } else if !room.is_empty() {
            file.cycle += 1;
            file.expected.push((file.cycle, Expected::Starts(room)));
        }
        Ok(())
    }
}

/// Workloads that start in the cycle after the next one with all of them as candidates, if none is evicted in it.
fn starts_next(world: &InstantPool) -> Option<BTreeSet<String>> {
    let mut next = InstantPool { snapshot: world.snapshot.clone() };
    let outcome = run_cycle(&next.snapshot, &mut Trace::new(Level::Decisive));
    pass(&mut next.snapshot, &outcome, 1.0, |_| false);
    let decided = next.decided(&run_cycle(&next.snapshot, &mut Trace::new(Level::Decisive)));
    let is_quiet = decided.iter().all(|(_, by, _)| *by == "allocate");
    is_quiet.then(|| decided.into_iter().map(|(job, ..)| job).collect())
}

fn action(name: &str) -> Result<&'static str, String> {
    let known = ["allocate", "reclaim", "preempt", "consolidation"];
    known.into_iter().find(|known| *known == name).ok_or_else(|| format!("unknown action {name}"))
}

/// Extent of a comparison.
#[derive(PartialEq, Eq)]
enum Followed {
    ToTheEnd,
    /// Up to a decision that differs from the recorded one but was possible; what follows depends on it.
    UpToAChoice,
}

fn follow(file: &File, mut simulation: Simulation) -> Result<Followed, String> {
    let mut record = None;
    for (cycle, expected) in &file.expected {
        while simulation.cycle() < *cycle {
            record = simulation.advance();
            if record.is_none() {
                return Err(format!("cycle {cycle} does not take place"));
            }
        }
        match compare(&simulation, record.as_ref(), expected) {
            Err(_) if file.may_differ.contains(cycle) => return Ok(Followed::UpToAChoice),
            other => other.map_err(|says| format!("cycle {cycle}: {says}"))?,
        }
    }
    Ok(Followed::ToTheEnd)
}

fn compare(simulation: &Simulation, record: Option<&CycleRecord>, expected: &Expected) -> Result<(), String> {
    let record = || record.ok_or("a decision before any cycle");
    match expected {
        Expected::Decides(wanted, reasons) => {
            let record = record()?;
            let got = decided(simulation, record);
            if got != *wanted {
                return Err(format!("expected {wanted:?}, got {got:?}"));
            }
            let found = why(simulation, record);
            for (job, reason) in reasons {
                let got = found.get(job.as_str());
                if got != Some(&reason.as_str()) {
                    return Err(format!("{job}: expected {reason}, got {got:?}"));
                }
            }
        }
        Expected::Starts(wanted) => {
            let got = decided(simulation, record()?);
            let started: BTreeSet<String> = got.iter().map(|(job, ..)| job.clone()).collect();
            if started != *wanted || got.iter().any(|(_, action, _)| *action != "allocate") {
                return Err(format!("expected starts of {wanted:?}, got {got:?}"));
            }
        }
        Expected::Numbers(queues) => {
            for (name, numbers) in queues.as_object().into_iter().flatten() {
                let queue = simulation.cluster().queues.iter().find(|(_, queue)| *queue.name == **name);
                let row = queue.and_then(|(id, _)| simulation.ledger().rows.iter().find(|row| row.queue == id));
                let row = row.ok_or_else(|| format!("no queue {name}"))?;
                let share = row.fair_share.ok_or_else(|| format!("{name}: no fairshare"))?;
                let got = [row.allocated, row.quota, share].map(|column| column.get(Resource::GPU));
                let wanted = [real(&numbers[0])?, real(&numbers[1])?, real(&numbers[2])?];
                if got != wanted {
                    return Err(format!("{name}: expected {wanted:?}, got {got:?}"));
                }
            }
        }
    }
    Ok(())
}

/// Decisions of a cycle: placed workload, action, and evicted workloads.
fn decided(simulation: &Simulation, record: &CycleRecord) -> Vec<Decided> {
    let cluster = simulation.cluster();
    let job_of = |pod| cluster.jobs[cluster.pods[pod].job].name.to_string();
    let mut decided = Vec::new();
    for recorded in &record.events {
        let (Event::Bound { pod, .. } | Event::Claimed { pod, .. }) = recorded.event else { continue };
        let job = cluster.pods[pod].job;
        let evicted = record.events.iter().filter_map(|other| match other.event {
            Event::Evicted { pod, by: Some(by), .. } if by == job => Some(job_of(pod)),
            _ => None,
        });
        decided.push((job_of(pod), recorded.action, evicted.collect()));
    }
    decided
}

/// Reasons of pending jobs in the allocate action.
fn why<'s>(simulation: &'s Simulation, record: &CycleRecord) -> BTreeMap<&'s str, &'static str> {
    let jobs = &simulation.cluster().jobs;
    record.refusals.iter().map(|refusal| (&*jobs[refusal.job].name, reason(refusal))).collect()
}
