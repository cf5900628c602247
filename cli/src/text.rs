//! Output for people: one line per event, then tables.

use std::io::Write;

use fairground::cluster::Cluster;
use fairground::id::{JobId, NodeId, PodId};
use fairground::sim::{CycleRecord, Simulation, Summary, Totals};
use fairground::time::Time;
use fairground::trace::{
    Check, Ending, Event, EvictReason, Gate, NodeReason, Op, Outlook, Quantity, Recorded, Subject, Value,
};

/// Prints cycles as lines.
pub struct Text {
    with_checks: bool,
    /// The reasons printed last.
    printed: Vec<(JobId, Gate, Outlook)>,
}

impl Text {
    /// `with_checks`: events with what decided them, and why jobs wait.
    pub fn new(with_checks: bool) -> Text {
        Text { with_checks, printed: Vec::new() }
    }

    /// One cycle; nothing if nothing happened in it. Reasons are printed where something happened, and where one differs
    /// from what was printed last: what holds while cycles are idle is printed before them.
    pub fn cycle(
        &mut self,
        out: &mut impl Write,
        at: &Simulation,
        record: &CycleRecord,
    ) -> std::io::Result<()> {
        let cluster = at.cluster();
        for recorded in &record.events {
            let time = moment(record.time);
            writeln!(out, "{time:>10}  cycle {:<6} {}", record.cycle, sentence(cluster, recorded))?;
            for check in recorded.checks.iter().filter(|_| self.with_checks) {
                checked(out, cluster, check)?;
            }
        }
        for mark in &record.marks {
            let (about, says) = (about(cluster, &mark.subject), mark.rule.0.says);
            let time = moment(record.time);
            writeln!(out, "{time:>10}  cycle {:<6} {:<10} {about}: {says}", record.cycle, "mark")?;
        }
        if !self.with_checks {
            return Ok(());
        }
        let reasons: Vec<_> = record.refusals.iter().map(|r| (r.job, r.gate.clone(), r.outlook)).collect();
        if record.events.is_empty() && reasons == self.printed {
            return Ok(());
        }
        self.printed = reasons;
        for refusal in record.refusals.iter() {
            let (job, gate) = (&cluster.jobs[refusal.job].name, gate(cluster, &refusal.gate));
            writeln!(out, "{:>10}  cycle {:<6} {job} waits: {gate}", moment(record.time), record.cycle)?;
            writeln!(out, "{:>29} next: {}", "", outlook(cluster, refusal.outlook))?;
            for check in &refusal.checks {
                checked(out, cluster, check)?;
            }
        }
        Ok(())
    }
}

fn checked(out: &mut impl Write, cluster: &Cluster, check: &Check) -> std::io::Result<()> {
    let (about, compared) = (about(cluster, &check.subject), comparison(check));
    let holds = if check.holds { "" } else { "  does not hold" };
    writeln!(out, "{:>29} {about}: {compared}{holds}  [{}]", "", check.rule.key())
}

/// A 64-bit hash as it is written.
pub fn hex(digest: u64) -> String {
    format!("{digest:016x}")
}

/// The kind of an event, one word.
pub fn kind(event: &Event) -> &'static str {
    match event {
        Event::Submitted { .. } => "submitted",
        Event::Bound { .. } => "started",
        Event::Found { .. } => "found",
        Event::Dealt { .. } => "devices",
        Event::Claimed { .. } => "claimed",
        Event::Unclaimed { .. } => "unclaimed",
        Event::Evicted { reason, .. } => match reason {
            EvictReason::ReclaimedForFairShare | EvictReason::ReclaimedForQuota => "reclaimed",
            EvictReason::Preempted => "preempted",
            EvictReason::Moved => "moved",
            EvictReason::AboveLimit
            | EvictReason::StaleGang
            | EvictReason::NodeLost
            | EvictReason::Withdrawn => "evicted",
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

fn sentence(cluster: &Cluster, recorded: &Recorded) -> String {
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
        | Event::JobDone { job }
        | Event::JobEvicted { job }
        | Event::SetAside { job } => {
            format!("{word:<10} {}", job_text(job))
        }
        Event::Bound { pod, node, devices }
        | Event::Found { pod, node, devices }
        | Event::Dealt { pod, node, devices } => {
            let numbers: Vec<String> = devices.iter().map(|device| device.to_string()).collect();
            let gpus =
                if numbers.is_empty() { String::new() } else { format!(", GPU {}", numbers.join(" ")) };
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
                EvictReason::ReclaimedForFairShare => ", up to its queue's fair share",
                EvictReason::ReclaimedForQuota => ", up to its queue's quota",
                EvictReason::AboveLimit => ", its queue's limit was lowered",
                EvictReason::StaleGang => ", its gang is incomplete",
                EvictReason::NodeLost => ", its node is lost",
                EvictReason::Withdrawn => ", its job was ended",
                EvictReason::Preempted | EvictReason::Moved => "",
            };
            format!("{word:<10} {} from {}{by}{why}", pod_text(pod), node_text(node))
        }
        Event::Requeued { pod } | Event::NotReplaced { pod } => format!("{word:<10} {}", pod_text(pod)),
        Event::Offered { job, partition } => {
            format!("{word:<10} {} to the pool {}", job_text(job), cluster.partitions[partition].name)
        }
        Event::Changed { entry, .. } => format!("{word:<10} timeline entry {}", entry + 1),
    }
}

/// Whom a comparison is about, by name.
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

/// `request 2 <= idle 4`.
pub fn comparison(check: &Check) -> String {
    let op = match check.op {
        Op::Less => "<",
        Op::AtMost => "<=",
        Op::Equal => "=",
        Op::Exceeds => ">",
        Op::AtLeast => ">=",
    };
    let side = |quantity: Quantity, value: &Value| format!("{} {}", words(quantity), shown(value));
    let (left, right) = (&check.left, &check.right);
    format!("{} {op} {}", side(left.quantity, &left.value), side(right.quantity, &right.value))
}

/// `AllocatedWithJob` as `allocated with job`.
fn words(quantity: Quantity) -> String {
    let mut words = String::new();
    for (i, c) in format!("{quantity:?}").chars().enumerate() {
        if c.is_uppercase() && i > 0 {
            words.push(' ');
        }
        words.extend(c.to_lowercase());
    }
    words
}

fn shown(value: &Value) -> String {
    let real = |value: f64| {
        if value == f64::INFINITY { "unlimited".to_string() } else { format!("{value}") }
    };
    match value {
        Value::Real(value) => real(*value),
        Value::Triple([cpu, memory, gpu]) => {
            format!("(cpu {}, memory {}, gpu {})", real(*cpu), real(*memory), real(*gpu))
        }
        Value::Count(count) => count.to_string(),
        Value::Time(time) => moment(*time),
        Value::Name(name) => name.to_string(),
    }
}

/// How far a waiting job came.
pub fn gate(cluster: &Cluster, gate: &Gate) -> String {
    let queue = |id| &*cluster.queues[id].name;
    let job = |id| &*cluster.jobs[id].name;
    match gate {
        Gate::NotReady => "too few of its pods are ready".to_string(),
        Gate::NotALeaf => "its queue has children".to_string(),
        Gate::TooLarge { resource } => format!("no node has that much {}", resource.name()),
        Gate::OverLimit { queue: q, resource } => format!("{} limit of {}", resource.name(), queue(*q)),
        Gate::UserLimit { queue: q, resource } => {
            format!("its user's {} limit in {}", resource.name(), queue(*q))
        }
        Gate::TooManyJobs { queue: q } => format!("{} runs as many jobs as it may", queue(*q)),
        Gate::NonPreemptibleOverQuota { queue: q, resource } => {
            format!("non-preemptible work above the {} quota of {}", resource.name(), queue(*q))
        }
        Gate::NotEntitled { queue: q } => format!("{} is above its fair share", queue(*q)),
        Gate::NoVictims { tried, ancestor } => {
            let ancestor = ancestor.map(|q| format!(", decided at {}", queue(q))).unwrap_or_default();
            format!("nothing may be taken for it; {tried} hypotheses{ancestor}")
        }
        Gate::VictimsProtected { until } => {
            format!(
                "the jobs to evict for it are protected by their minimum runtime until {}",
                moment(*until)
            )
        }
        Gate::NoNode { placed, of, reasons, .. } => {
            let reasons: Vec<String> =
                reasons.iter().map(|(reason, n)| format!("{} on {n}", node(*reason))).collect();
            format!("no node for pod {} of {of}: {}", placed + 1, reasons.join(", "))
        }
        Gate::Behind { job: other } => format!("behind {}", job(*other)),
        Gate::WaitingForVictims { until } => {
            let until = until.map(|until| format!(" until {}", moment(until))).unwrap_or_default();
            format!("others are leaving for it{until}")
        }
        Gate::GangIncomplete { held, of, until } => {
            let until = until.map(|until| format!(", until {}", moment(until))).unwrap_or_default();
            format!("room is held for {held} of its gang of {of}{until}")
        }
        Gate::GangFailed => "room for its gang did not come together in time: it has failed".to_string(),
        Gate::GangRefused => "its queue takes no gang, or none that large".to_string(),
        Gate::TriedOnce => "it was tried once, and its scheduling-backoff is 1".into(),
        Gate::LikeFailed { job: other } => format!("like {}, which failed in this cycle", job(*other)),
    }
}

/// What ends a refusal.
fn outlook(cluster: &Cluster, outlook: Outlook) -> String {
    match outlook {
        Outlook::NextCycle => "it is considered again in the next cycle".to_string(),
        Outlook::At { time, what } => {
            let what = match what {
                Ending::Termination => "the evicted pods are gone",
                Ending::Protection => "the minimum runtime is over",
                Ending::Reservation => "the reservation expires",
                Ending::Backoff => "its pods are tried one by one",
            };
            format!("at {} {what}", moment(time))
        }
        Outlook::WhenEnds { job, at: Some(at) } => {
            format!("at {} {} ends and frees enough for it", moment(at), cluster.jobs[job].name)
        }
        Outlook::WhenEnds { job, at: None } => {
            format!("it waits for {}, which has no end", cluster.jobs[job].name)
        }
        Outlook::OnlyByEdit => "only an edit changes this".to_string(),
        Outlook::NotForeseeable => "it depends on other jobs".to_string(),
    }
}

fn node(reason: NodeReason) -> String {
    match reason {
        NodeReason::Insufficient(resource) => format!("not enough {}", resource.name()),
        NodeReason::PodSlots => "no pod slot".to_string(),
        NodeReason::NotReady => "down".to_string(),
        NodeReason::Selector => "labels do not match".to_string(),
        NodeReason::Taint => "taint not tolerated".to_string(),
        NodeReason::Gate => "not for this queue".to_string(),
    }
}

/// `1d 02:03:04`, `2:03`, with milliseconds where there are any.
pub fn moment(time: Time) -> String {
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

/// The tables at the end.
pub fn summary(out: &mut impl Write, at: &Simulation, summary: &Summary, why: &str) -> std::io::Result<()> {
    let cluster = at.cluster();
    let head = [
        "queue",
        "done",
        "left",
        "wait mean",
        "median",
        "p90",
        "max",
        "used",
        "owed",
        "borrowed",
        "lost",
        "evicted",
    ];
    let mut rows = vec![head.map(str::to_string)];
    for totals in &summary.queues {
        rows.push(row(totals.queue.map_or("", |queue| &*cluster.queues[queue].name), totals));
    }
    rows.push(row("all", &summary.all));
    writeln!(out)?;
    let widths: Vec<usize> =
        (0..head.len()).map(|i| rows.iter().map(|row| row[i].chars().count()).max().unwrap_or(0)).collect();
    for row in &rows {
        let cells = row.iter().zip(&widths).enumerate();
        let cells =
            cells.map(|(i, (cell, &w))| if i == 0 { format!("{cell:<w$}") } else { format!("{cell:>w$}") });
        writeln!(out, "{}", cells.collect::<Vec<_>>().join("  ").trim_end())?;
    }
    writeln!(out, "\nwaits in seconds; used, owed, borrowed, lost in GPU hours")?;
    if summary.all.jobs_evicted > 0 {
        writeln!(out, "jobs that ended evicted, nobody replaced their pods: {}", summary.all.jobs_evicted)?;
    }
    let (cycle, time) = (summary.cycles, moment(summary.until));
    let used = summary.all.utilisation * 100.0;
    let idle = summary.gpu_seconds_idle_wanted / 3600.0;
    let jain = summary.jain.map_or(String::new(), |jain| format!("; Jain index {jain:.3}"));
    writeln!(out, "idle while wanted {idle:.2} GPU hours{jain}")?;
    writeln!(out, "{cycle} cycles to {time}; utilisation {used:.1} %; digest {}", hex(at.digest()))?;
    writeln!(out, "stopped: {why}")
}

fn row(name: &str, t: &Totals) -> [String; 12] {
    let seconds = |s: f64| format!("{s:.1}");
    let hours = |gpu_seconds: f64| format!("{:.2}", gpu_seconds / 3600.0);
    [
        name.to_string(),
        t.jobs_done.to_string(),
        t.jobs_unfinished.to_string(),
        seconds(t.waits.mean_s),
        seconds(t.waits.median_s),
        seconds(t.waits.p90_s),
        seconds(t.waits.max_s),
        hours(t.gpu_seconds_used),
        hours(t.gpu_seconds_owed),
        hours(t.gpu_seconds_borrowed),
        hours(t.gpu_seconds_lost),
        t.evictions.to_string(),
    ]
}
