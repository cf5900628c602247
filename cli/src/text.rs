//! Text output: one line per event, then tables.

use std::io::Write;
use std::sync::Arc;

use fairground::cluster::Cluster;
use fairground::id::{JobId, NodeId, PodId};
use fairground::moment::{self, Names};
use fairground::sim::{CycleRecord, Simulation, Summary, Totals};
use fairground::time::Time;
use fairground::trace::{Event, EvictReason, Gate, Outlook, Recorded, Subject};
use fairground::units::Resource;
use fairground::words::{self, ResourceTime, Terms};

/// Prints cycles as lines.
pub struct Text {
    /// Names of the run, if decisions are explained.
    why: Option<Arc<Names>>,
    /// Terms of the policy.
    terms: &'static Terms,
    /// Reasons printed last.
    printed: Vec<(JobId, Gate, Outlook)>,
}

impl Text {
    /// With `why`, the output explains decisions and why jobs wait.
    pub fn new(policy: &str, why: Option<Arc<Names>>) -> Text {
        Text { why, terms: Terms::of(policy), printed: Vec::new() }
    }

    /// Prints a cycle; nothing if nothing changed.
    pub fn cycle(&mut self, out: &mut impl Write, at: &Simulation, record: &CycleRecord) -> std::io::Result<()> {
        let cluster = at.cluster();
        let head = |what: &str| format!("{:>10}  cycle {:<6} {what}", clock(record.time), record.cycle);
        let reasons: Vec<_> = record.refusals.iter().map(|r| (r.job, r.gate.clone(), r.outlook)).collect();
        let is_new = !record.events.is_empty() || reasons != self.printed;
        let frame = self.why.as_ref().filter(|_| is_new).map(|names| moment::frame(names, at, record));
        let decided = frame.as_ref().map(words::decided).unwrap_or_default();
        for (index, recorded) in record.events.iter().enumerate() {
            writeln!(out, "{}", head(&sentence(cluster, recorded, self.terms)))?;
            let explained = decided.iter().filter(|(of, _)| *of as usize == index);
            for line in explained.flat_map(|(_, explanation)| explanation.lines()) {
                writeln!(out, "{:>24} {line}", "")?;
            }
        }
        for mark in &record.marks {
            let (about, says) = (about(cluster, &mark.subject), mark.rule.0.says);
            writeln!(out, "{}", head(&format!("{:<10} {about}: {says}", "mark")))?;
        }
        // Reasons are printed with events, and whenever they differ from those printed last, so that the reasons that
        // apply during idle cycles are printed before them.
        let Some(frame) = frame else { return Ok(()) };
        self.printed = reasons;
        for refusal in &frame.refusals {
            let lines = words::waiting(&frame, refusal).lines();
            for (n, line) in lines.iter().enumerate() {
                if n == 0 {
                    writeln!(out, "{}", head(line))?;
                } else {
                    writeln!(out, "{:>24} {line}", "")?;
                }
            }
        }
        Ok(())
    }
}

/// Formats a digest as 16 hexadecimal digits.
pub fn hex(digest: u64) -> String {
    format!("{digest:016x}")
}

/// Returns the keyword of an event.
pub fn kind(event: &Event) -> &'static str {
    match event {
        Event::Submitted { .. } => "submitted",
        Event::Joined { .. } => "joined",
        Event::Bound { .. } => "started",
        Event::Found { .. } => "found",
        Event::DevicesChanged { .. } => "devices",
        Event::Claimed { .. } => "claimed",
        Event::Unclaimed { .. } => "unclaimed",
        Event::Evicted { reason, .. } => match reason {
            EvictReason::ReclaimedForFairShare | EvictReason::ReclaimedForQuota | EvictReason::ReclaimedForPriority => {
                "reclaimed"
            }
            EvictReason::Preempted => "preempted",
            EvictReason::Moved => "moved",
            EvictReason::AboveLimit | EvictReason::StaleGang | EvictReason::NodeLost | EvictReason::Withdrawn => {
                "evicted"
            }
        },
        Event::Gone { .. } => "gone",
        Event::Requeued { .. } => "requeued",
        Event::NotReplaced { .. } => "not replaced",
        Event::JobEvicted { .. } => "job evicted",
        Event::Finished { .. } => "finished",
        Event::JobDone { .. } => "done",
        Event::Offered { .. } => "offered",
        Event::SetAside { .. } => "set-aside",
        Event::Changed { .. } => "changed",
    }
}

fn sentence(cluster: &Cluster, recorded: &Recorded, terms: &Terms) -> String {
    let job_text = |job: JobId| {
        let j = &cluster.jobs[job];
        format!("{} ({})", j.name, cluster.queues[j.queue].name)
    };
    let pod_text = |pod: PodId| {
        let p = &cluster.pods[pod];
        format!("{} ({})", p.name, cluster.queues[cluster.jobs[p.job].queue].name)
    };
    let node_text = |node: NodeId| cluster.nodes[node].name.to_string();
    let word = kind(&recorded.event);
    match recorded.event {
        Event::Submitted { job }
        | Event::Joined { job, .. }
        | Event::JobDone { job }
        | Event::JobEvicted { job }
        | Event::SetAside { job } => {
            format!("{word:<10} {}", job_text(job))
        }
        Event::Bound { pod, node, devices }
        | Event::Found { pod, node, devices }
        | Event::DevicesChanged { pod, node, devices } => {
            let numbers: Vec<String> = devices.iter().map(|device| device.to_string()).collect();
            let gpus = if numbers.is_empty() { String::new() } else { format!(", GPU {}", numbers.join(" ")) };
            format!("{word:<10} {} on {}{gpus}", pod_text(pod), node_text(node))
        }
        Event::Claimed { pod, node } => {
            format!("{word:<10} room for {} on {}", pod_text(pod), node_text(node))
        }
        Event::Unclaimed { pod, node, by } => {
            let by = by.map(|by| format!(", for {}", job_text(by))).unwrap_or_default();
            format!("{word:<10} room for {} on {}{by}", pod_text(pod), node_text(node))
        }
        Event::Gone { pod, node } | Event::Finished { pod, node } => {
            format!("{word:<10} {} on {}", pod_text(pod), node_text(node))
        }
        Event::Evicted { pod, node, by, reason } => {
            let by = by.map(|by| format!(" for {}", job_text(by))).unwrap_or_default();
            let why = match reason {
                EvictReason::ReclaimedForFairShare => ", up to its [queue]'s [fair share]",
                EvictReason::ReclaimedForQuota => ", up to its [queue]'s [quota]",
                EvictReason::ReclaimedForPriority => ", up to its [queue]'s [quota], by [queue] priority",
                EvictReason::AboveLimit => ", above its [queue]'s [limit]",
                EvictReason::StaleGang => ", its gang is incomplete",
                EvictReason::NodeLost => ", its [node] is lost",
                EvictReason::Withdrawn => ", its [job] was ended",
                EvictReason::Preempted | EvictReason::Moved => "",
            };
            let why = terms.fill(why);
            format!("{word:<10} {} from {}{by}{why}", pod_text(pod), node_text(node))
        }
        Event::Requeued { pod } | Event::NotReplaced { pod } => format!("{word:<10} {}", pod_text(pod)),
        Event::Offered { job, partition } => {
            format!("{word:<10} {} to the pool {}", job_text(job), cluster.partitions[partition].name)
        }
        Event::Changed { entry, .. } => format!("{word:<10} timeline entry {}", entry + 1),
    }
}

/// Returns the names of the subjects of a comparison.
pub fn about(cluster: &Cluster, subject: &Subject) -> String {
    let mut names = Vec::new();
    let queue = |id| cluster.queues[id].name.to_string();
    let job = |id| cluster.jobs[id].name.to_string();
    names.extend(subject.queue.map(queue));
    names.extend(subject.other_queue.map(queue));
    names.extend(subject.job.map(job));
    names.extend(subject.other_job.map(job));
    names.extend(subject.node.map(|id| cluster.nodes[id].name.to_string()));
    names.extend(subject.resource.map(|resource| resource.name().to_string()));
    names.join(", ")
}

/// Formats a time as `1d 02:03:04` or `2:03`, with milliseconds if they are not 0.
pub fn clock(time: Time) -> String {
    let ms = time.as_millis();
    let (sign, ms) = (if ms < 0 { "-" } else { "" }, ms.unsigned_abs());
    let (seconds, rest) = (ms / 1000, ms % 1000);
    let (d, h, m, s) = (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    let part = if rest == 0 { String::new() } else { format!(".{rest:03}") };
    match (d, h) {
        (0, 0) => format!("{sign}{m}:{s:02}{part}"),
        (0, _) => format!("{sign}{h}:{m:02}:{s:02}{part}"),
        _ => format!("{sign}{d}d {h:02}:{m:02}:{s:02}{part}"),
    }
}

/// Prints the tables at the end.
pub fn summary(
    out: &mut impl Write,
    at: &Simulation,
    summary: &Summary,
    resource: Resource,
    why: &str,
) -> std::io::Result<()> {
    let cluster = at.cluster();
    let used = summary.queues.iter().map(|totals| totals.gpu_seconds_used);
    let over_time = ResourceTime::of(resource, used);
    let head =
        ["queue", "done", "left", "wait mean", "median", "p90", "max", "used", "owed", "borrowed", "lost", "evicted"];
    let mut rows = vec![head.map(str::to_string)];
    for totals in &summary.queues {
        rows.push(row(totals.queue.map_or("", |queue| &*cluster.queues[queue].name), totals, over_time));
    }
    rows.push(row("all", &summary.all, over_time));
    writeln!(out)?;
    let widths: Vec<usize> =
        (0..head.len()).map(|i| rows.iter().map(|row| row[i].chars().count()).max().unwrap_or(0)).collect();
    for row in &rows {
        let cells = row.iter().zip(&widths).enumerate();
        let cells = cells.map(|(i, (cell, &w))| if i == 0 { format!("{cell:<w$}") } else { format!("{cell:>w$}") });
        writeln!(out, "{}", cells.collect::<Vec<_>>().join("  ").trim_end())?;
    }
    writeln!(out, "\nwaits in seconds; used, owed, borrowed, lost in {}", over_time.name())?;
    if summary.all.jobs_evicted > 0 {
        writeln!(out, "jobs over because their evicted pods were not recreated: {}", summary.all.jobs_evicted)?;
    }
    let (cycle, time) = (summary.cycles, clock(summary.until));
    let used = summary.all.utilisation * 100.0;
    let idle = over_time.shown(summary.gpu_seconds_idle_wanted);
    let jain = summary.jain.map_or(String::new(), |jain| format!("; Jain index {jain:.3}"));
    writeln!(out, "idle while wanted {idle} {}{jain}", over_time.name())?;
    writeln!(
        out,
        "{cycle} cycles to {time}; utilisation {used:.1} % ({}); digest {}",
        words::number::resource_name(resource.0),
        hex(at.digest())
    )?;
    writeln!(out, "stopped: {why}")
}

fn row(name: &str, t: &Totals, over_time: ResourceTime) -> [String; 12] {
    let seconds = |s: f64| format!("{s:.1}");
    [
        name.to_string(),
        t.jobs_done.to_string(),
        t.jobs_unfinished.to_string(),
        seconds(t.waits.mean_s),
        seconds(t.waits.median_s),
        seconds(t.waits.p90_s),
        seconds(t.waits.max_s),
        over_time.shown(t.gpu_seconds_used),
        over_time.shown(t.gpu_seconds_owed),
        over_time.shown(t.gpu_seconds_borrowed),
        over_time.shown(t.gpu_seconds_lost),
        t.evictions.to_string(),
    ]
}
