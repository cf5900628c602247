//! A run as CSV tables: all events, and the numbers of every queue, cycle by cycle.
//!
//! Amounts are GPUs, cores and bytes, times are seconds since the start; infinite values are `unlimited`, missing ones
//! empty.

use crate::cluster::Cluster;
use crate::id::{JobId, PodId};
use crate::sim::CycleRecord;
use crate::trace::{Event, Ledger, LedgerRow, Mark};
use crate::units::{PerResource, Resource};

use super::event::EventWord;

/// Header of [`events`].
pub const EVENTS_HEAD: &str = "cycle,time_s,event,job,pod,queue,node,devices,for,reason,pool,says\r\n";
/// Header of [`series`].
pub const SERIES_HEAD: &str =
    "cycle,time_s,queue,resource,allocated,non_preemptible,requested,fair_share,quota,limit,usage\r\n";

/// Formats a text as a cell: quoted if necessary, and never interpreted as a formula by spreadsheets.
pub fn cell(text: &str) -> String {
    let is_number = text.parse::<f64>().is_ok();
    let is_formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']) && !is_number;
    let guarded = if is_formula { format!("'{text}") } else { text.to_string() };
    if guarded.contains(['"', ',', '\n', '\r', '\t']) {
        format!("\"{}\"", guarded.replace('"', "\"\""))
    } else {
        guarded
    }
}

/// Joins cells to a line.
pub fn line<'a>(cells: impl IntoIterator<Item = &'a str>) -> String {
    cells.into_iter().map(cell).collect::<Vec<_>>().join(",") + "\r\n"
}

/// The cells that describe an event.
#[derive(Default)]
struct About {
    job: Option<JobId>,
    pod: Option<PodId>,
    node: String,
    devices: String,
    by: Option<JobId>,
    reason: &'static str,
    pool: String,
    text: String,
}

/// The events of a cycle, one line per event.
pub fn events(cluster: &Cluster, record: &CycleRecord) -> String {
    let (cycle, time) = (record.cycle.to_string(), record.time.as_seconds().to_string());
    let mut out = String::new();
    let mut write = |word: EventWord, about: &About| {
        let job = about.job.or_else(|| about.pod.map(|pod| cluster.pods[pod].job));
        let name = |job: JobId| &*cluster.jobs[job].name;
        out.push_str(&line([
            cycle.as_str(),
            time.as_str(),
            word.name(),
            job.map_or("", name),
            about.pod.map_or("", |pod| &*cluster.pods[pod].name),
            job.map_or("", |job| &*cluster.queues[cluster.jobs[job].queue].name),
            about.node.as_str(),
            about.devices.as_str(),
            about.by.map_or("", name),
            about.reason,
            about.pool.as_str(),
            about.text.as_str(),
        ]));
    };
    for recorded in &record.events {
        write(EventWord::of_event(&recorded.event), &about(cluster, &recorded.event));
    }
    for mark in &record.marks {
        write(EventWord::Mark, &of_mark(cluster, mark));
    }
    out
}

fn about(cluster: &Cluster, event: &Event) -> About {
    let none = About::default();
    let on = |pod, node| About { pod: Some(pod), node: cluster.nodes[node].name.to_string(), ..About::default() };
    match *event {
        Event::Submitted { job }
        | Event::Joined { job, .. }
        | Event::JobDone { job }
        | Event::JobEvicted { job }
        | Event::SetAside { job } => About { job: Some(job), ..none },
        Event::Bound { pod, node, devices }
        | Event::Found { pod, node, devices }
        | Event::DevicesChanged { pod, node, devices } => {
            let devices = devices.iter().map(|device| device.to_string()).collect::<Vec<_>>().join(" ");
            About { devices, ..on(pod, node) }
        }
        Event::Claimed { pod, node } | Event::Gone { pod, node } | Event::Finished { pod, node } => on(pod, node),
        Event::Unclaimed { pod, node, by } => About { by, ..on(pod, node) },
        Event::Evicted { pod, node, by, reason } => About { by, reason: reason.key(), ..on(pod, node) },
        Event::Requeued { pod } | Event::NotReplaced { pod } => About { pod: Some(pod), ..none },
        Event::Offered { job, partition } => {
            About { job: Some(job), pool: cluster.partitions[partition].name.to_string(), ..none }
        }
        Event::Changed { entry, .. } => About { text: format!("entry {} of the timeline", entry + 1), ..none },
    }
}

fn of_mark(cluster: &Cluster, mark: &Mark) -> About {
    let mut about = About { text: mark.rule.0.says.to_string(), ..About::default() };
    (about.job, about.pod) = (mark.subject.job, mark.subject.pod);
    if let (None, Some(queue)) = (about.job, mark.subject.queue) {
        about.text = format!("{}: {}", cluster.queues[queue].name, about.text);
    }
    about
}

/// The numbers of queues that differ from the ledger before, one line per resource.
pub fn series(cluster: &Cluster, before: &Ledger, record: &CycleRecord) -> String {
    let (cycle, time) = (record.cycle.to_string(), record.time.as_seconds().to_string());
    let mut out = String::new();
    let rows = record.ledger.rows.iter().enumerate();
    for row in rows.filter(|(i, row)| before.rows.get(*i) != Some(row)).map(|(_, row)| row) {
        for resource in Resource::ACCOUNTED {
            let cells = amounts(row, resource);
            let head = [cycle.as_str(), time.as_str(), &*cluster.queues[row.queue].name, resource.name()];
            out.push_str(&line(head.into_iter().chain(cells.iter().map(String::as_str))));
        }
    }
    out
}

fn amounts(row: &LedgerRow, resource: Resource) -> [String; 7] {
    let per_unit = if resource == Resource::CPU { 1000.0 } else { 1.0 };
    let number = |n: f64| if n == f64::INFINITY { "unlimited".to_string() } else { (n / per_unit).to_string() };
    let cell = |amounts: &PerResource<f64>| number(amounts.get(resource));
    [
        cell(&row.allocated),
        cell(&row.non_preemptible),
        cell(&row.request),
        row.fair_share.as_ref().map_or(String::new(), cell),
        cell(&row.quota),
        cell(&row.limit),
        row.usage.map_or(String::new(), |usage| usage.get(resource).to_string()),
    ]
}

#[cfg(test)]
mod tests {
    use super::cell;

    #[test]
    fn no_cell_is_a_formula() {
        let all = [
            ("team-a", "team-a"),
            ("=1+1", "'=1+1"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("-1", "-1"),
            ("-a", "'-a"),
            ("+1e3", "+1e3"),
            ("a,b", "\"a,b\""),
            ("=\"a\"", "\"'=\"\"a\"\"\""),
            ("a\nb", "\"a\nb\""),
        ];
        for (text, written) in all {
            assert_eq!(cell(text), written);
        }
    }
}
