//! JSON Lines output: one object per cycle with events or changes, and a summary as the last line.
//!
//! Times are seconds since the start, `gpu` is in devices, `cpu` in cores, `memory` in bytes; unlimited is the string
//! `"unlimited"`. A cycle lists the queues whose numbers differ from the previous line.

use std::io::Write;
use std::sync::Arc;

use fairground::cluster::{Cluster, Devices};
use fairground::id::{JobId, PodId};
use fairground::moment::{self, Frame, Names};
use fairground::sim::{CycleRecord, Simulation, Summary, Totals};
use fairground::trace::{Check, Event, Ledger, LedgerRow, Mark, Refusal};
use fairground::units::{PerResource, Resource};
use fairground::words::{self, Terms};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::text;

/// Prints cycles as JSON lines.
pub struct Lines {
    /// Names of the run, if decisions are explained.
    why: Option<Arc<Names>>,
    ledger: Arc<Ledger>,
    refusals: Arc<Vec<Refusal>>,
}

#[derive(Serialize)]
struct Line {
    cycle: u32,
    time_s: f64,
    digest: String,
    events: Vec<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    marks: Vec<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    queues: Vec<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    waiting: Vec<Value>,
}

impl Lines {
    /// With `why`, the output explains decisions and why jobs wait.
    pub fn new(why: Option<Arc<Names>>) -> Lines {
        Lines { why, ledger: Arc::default(), refusals: Arc::default() }
    }

    /// Prints a cycle; nothing if nothing changed.
    pub fn cycle(&mut self, out: &mut impl Write, at: &Simulation, record: &CycleRecord) -> std::io::Result<()> {
        let cluster = at.cluster();
        let queues = changed(&self.ledger, &record.ledger);
        let is_quiet = record.events.is_empty() && record.marks.is_empty() && queues.is_empty();
        if is_quiet && *self.refusals == *record.refusals {
            return Ok(());
        }
        let frame = self.why.as_ref().map(|names| moment::frame(names, at, record));
        let events = record.events.iter().map(|recorded| {
            let mut line = event(cluster, &recorded.event);
            if let Some(frame) = frame.as_ref().filter(|_| !recorded.checks.is_empty()) {
                let checks = recorded.checks.iter().map(|check| check_line(frame, check));
                line.insert("checks".into(), checks.collect());
            }
            Value::Object(line)
        });
        let events = events.collect();
        let queues = queues.into_iter().map(|row| queue(cluster, row)).collect();
        let waiting = match &frame {
            Some(frame) if *self.refusals != *record.refusals => {
                frame.refusals.iter().map(|refusal| waits(frame, refusal)).collect()
            }
            _ => Vec::new(),
        };
        self.ledger = record.ledger.clone();
        self.refusals = record.refusals.clone();
        let line = Line {
            cycle: record.cycle,
            time_s: record.time.as_seconds(),
            digest: text::hex(record.digest),
            events,
            marks: record.marks.iter().map(|mark| mark_line(cluster, mark)).collect(),
            queues,
            waiting,
        };
        serde_json::to_writer(&mut *out, &line)?;
        out.write_all(b"\n")
    }
}

/// Returns the rows that are new or differ.
fn changed<'a>(before: &Ledger, after: &'a Ledger) -> Vec<&'a LedgerRow> {
    after.rows.iter().enumerate().filter(|(i, row)| before.rows.get(*i) != Some(row)).map(|(_, row)| row).collect()
}

fn event(cluster: &Cluster, event: &Event) -> Map<String, Value> {
    let mut line = Map::new();
    line.insert("event".into(), text::kind(event).into());
    let pod_of = |line: &mut Map<String, Value>, pod: PodId| {
        line.insert("job".into(), name_of(cluster, cluster.pods[pod].job));
        line.insert("pod".into(), (*cluster.pods[pod].name).into());
    };
    match *event {
        Event::Submitted { job }
        | Event::Joined { job, .. }
        | Event::JobDone { job }
        | Event::JobEvicted { job }
        | Event::SetAside { job } => {
            line.insert("job".into(), name_of(cluster, job));
        }
        Event::Bound { pod, node, devices }
        | Event::Found { pod, node, devices }
        | Event::DevicesChanged { pod, node, devices } => {
            pod_of(&mut line, pod);
            line.insert("node".into(), (*cluster.nodes[node].name).into());
            if devices != Devices(0) {
                line.insert("devices".into(), devices.iter().collect::<Vec<_>>().into());
            }
        }
        Event::Claimed { pod, node } | Event::Gone { pod, node } | Event::Finished { pod, node } => {
            pod_of(&mut line, pod);
            line.insert("node".into(), (*cluster.nodes[node].name).into());
        }
        Event::Unclaimed { pod, node, by } => {
            pod_of(&mut line, pod);
            line.insert("node".into(), (*cluster.nodes[node].name).into());
            if let Some(by) = by {
                line.insert("for".into(), name_of(cluster, by));
            }
        }
        Event::Evicted { pod, node, by, reason } => {
            pod_of(&mut line, pod);
            line.insert("node".into(), (*cluster.nodes[node].name).into());
            line.insert("reason".into(), reason.key().into());
            if let Some(by) = by {
                line.insert("for".into(), name_of(cluster, by));
            }
        }
        Event::Requeued { pod } | Event::NotReplaced { pod } => pod_of(&mut line, pod),
        Event::Offered { job, partition } => {
            line.insert("job".into(), name_of(cluster, job));
            line.insert("pool".into(), (*cluster.partitions[partition].name).into());
        }
        Event::Changed { entry, .. } => {
            line.insert("entry".into(), entry.into());
        }
    }
    line
}

fn name_of(cluster: &Cluster, job: JobId) -> Value {
    (*cluster.jobs[job].name).into()
}

fn queue(cluster: &Cluster, row: &LedgerRow) -> Value {
    let mut line = json!({
        "queue": &*cluster.queues[row.queue].name,
        "allocated": triple(&row.allocated),
        "request": triple(&row.request),
        "quota": triple(&row.quota),
    });
    if let (Some(fair_share), Value::Object(line)) = (&row.fair_share, &mut line) {
        line.insert("fair_share".into(), triple(fair_share));
    }
    if let (Some(usage), Value::Object(line)) = (&row.usage, &mut line) {
        let share = json!({ "cpu": real(usage.cpu), "memory": real(usage.memory), "gpu": real(usage.gpu) });
        line.insert("usage".into(), share);
    }
    line
}

fn triple(values: &PerResource<f64>) -> Value {
    json!({ "cpu": real(values.cpu / 1000.0), "memory": real(values.memory), "gpu": real(values.gpu) })
}

/// Returns a number; infinity, which JSON lacks, as a string.
fn real(value: f64) -> Value {
    if value == f64::INFINITY {
        return "unlimited".into();
    }
    // Integers are written without a decimal point: shorter and as exact.
    if value.fract() == 0.0 && value.abs() < 9e15 { json!(value as i64) } else { json!(value) }
}

fn check_line(frame: &Frame, check: &Check) -> Value {
    json!({
        "rule": check.rule.key(),
        "says": check.rule.0.says,
        "compared": words::says(frame, check).filled(&Terms::PLAIN).spoken(),
        "holds": check.holds,
    })
}

/// Returns a mark: the real scheduler acts without a decision here, or its decision is nondeterministic.
fn mark_line(cluster: &Cluster, mark: &Mark) -> Value {
    json!({
        "rule": mark.rule.key(),
        "says": mark.rule.0.says,
        "about": text::about(cluster, &mark.subject),
    })
}

fn waits(frame: &Frame, refusal: &Refusal) -> Value {
    let reason = words::waiting(frame, refusal);
    json!({
        "job": frame.job(refusal.job),
        "gate": reason.verdict.spoken(),
        "also": reason.also.iter().map(words::Text::spoken).collect::<Vec<_>>(),
        "checks": refusal.checks.iter().map(|check| check_line(frame, check)).collect::<Vec<_>>(),
        "next": reason.outlook.spoken(),
    })
}

/// Prints the summary, the last line.
pub fn summary(
    out: &mut impl Write,
    at: &Simulation,
    summary: &Summary,
    resource: Resource,
    why: &str,
) -> std::io::Result<()> {
    let cluster = at.cluster();
    let per_queue = |t: &Totals| {
        let mut line = totals(t, resource);
        let name = t.queue.map_or("", |queue| &*cluster.queues[queue].name);
        line.insert("queue".into(), name.into());
        Value::Object(line)
    };
    let mut line = totals(&summary.all, resource);
    line.insert("resource".into(), resource.name().into());
    line.insert("cycles".into(), summary.cycles.into());
    line.insert("until_s".into(), real(summary.until.as_seconds()));
    line.insert(seconds_of(resource, "capacity"), real(summary.gpu_seconds_capacity));
    line.insert(seconds_of(resource, "idle_wanted"), real(summary.gpu_seconds_idle_wanted));
    line.insert("jain".into(), summary.jain.map_or(Value::Null, real));
    line.insert("stopped".into(), why.into());
    line.insert("digest".into(), text::hex(at.digest()).into());
    line.insert("queues".into(), summary.queues.iter().map(per_queue).collect());
    serde_json::to_writer(&mut *out, &json!({ "summary": line }))?;
    out.write_all(b"\n")
}

/// Name of an amount over time: `gpu_seconds_used`, `cpu_seconds_used` (of cores), `memory_seconds_used` (of bytes).
pub fn seconds_of(resource: Resource, what: &str) -> String {
    format!("{}_seconds_{what}", resource.name())
}

fn totals(t: &Totals, resource: Resource) -> Map<String, Value> {
    let mut line = json!({
        "jobs_done": t.jobs_done,
        "jobs_evicted": t.jobs_evicted,
        "jobs_unfinished": t.jobs_unfinished,
        "jobs_never_started": t.jobs_never_started,
        "waits": {
            "n": t.waits.n,
            "mean_s": real(t.waits.mean_s),
            "median_s": real(t.waits.median_s),
            "p90_s": real(t.waits.p90_s),
            "max_s": real(t.waits.max_s),
        },
        "short_s": real(t.short_s),
        "wait_now_s": t.wait_now_s.map(real),
        "evictions": t.evictions,
        "restarts": t.restarts,
        "restart_wait_mean_s": real(t.restart_wait_mean_s),
        "first_submit_s": t.first_submit_s.map(real),
        "last_end_s": t.last_end_s.map(real),
        "utilisation": real(t.utilisation),
    });
    for (what, seconds) in [
        ("used", t.gpu_seconds_used),
        ("owed", t.gpu_seconds_owed),
        ("borrowed", t.gpu_seconds_borrowed),
        ("lost", t.gpu_seconds_lost),
    ] {
        line[seconds_of(resource, what)] = real(seconds);
    }
    match line {
        Value::Object(line) => line,
        _ => Map::new(),
    }
}
