//! Timetable of a kit: a script that submits jobs at their times and applies the timeline.
//!
//! # Rule
//! Every entry waits for its second after the start. Evicted pods are created again, as by their job's
//! controller.
//!
//! # Source
//! Kubernetes, *Command line tool (kubectl)*: apply, create, patch, cordon, delete
//!
//! # Differs
//! in the script only the priority and the GPUs of a queue can change

use std::fmt::Write;

use super::kit_jobs::label;
use super::names::Names;
use crate::cluster::Restart;
use crate::format::{TimelineEntry, quantity};
use crate::id::{Arena, Id, NodeId};
use crate::policy::export::{Source, Written};

const HEAD: &str = "#!/usr/bin/env bash
# Submits the jobs of this kit at their times, seconds after its start, and plays the timeline.
# Pods that were evicted are made again; stop with Ctrl+C.
set -u
cd \"$(dirname \"$0\")\" || exit 1
start=$(date +%s)
submitted=()
made_again() { local job; for job in ${submitted[@]+\"${submitted[@]}\"}; do kubectl create -f \"jobs/$job.yaml\" >/dev/null 2>&1; done; }
at() { while (( $(date +%s) - start < $1 )); do made_again; sleep 1; done; }
submit() { kubectl apply -f \"jobs/$1.yaml\"; if [ \"$2\" = again ]; then submitted+=(\"$1\"); fi; }
ended() {
  local kept=() job
  for job in ${submitted[@]+\"${submitted[@]}\"}; do [ \"$job\" = \"$1\" ] || kept+=(\"$job\"); done
  submitted=(${kept[@]+\"${kept[@]}\"})
  kubectl delete pods,podgroups.scheduling.run.ai -l \"fairground/job=$2\" --wait=false
}
";

pub(super) fn timetable(source: &Source<'_>, names: &Names, nodes: &Arena<NodeId, String>, jobs: &[String]) -> Written {
    let cluster = source.cluster;
    let mut steps: Vec<(i64, String)> = Vec::new();
    for (job, name) in cluster.jobs.values().zip(jobs) {
        let restart = if job.restart == Restart::Never { "never" } else { "again" };
        steps.push((job.submit.as_millis().max(0), format!("submit {name} {restart}")));
    }
    let mut left_out = Vec::new();
    let entries = source.scenario.timeline.iter().enumerate();
    for (n, entry) in entries.filter(|(_, entry)| !entry.is_remark()) {
        let millis = quantity::millis(&entry.at.0).unwrap_or(0);
        match command(source, names, nodes, jobs, entry) {
            Some(command) => steps.push((millis, command)),
            None => left_out.push(format!("entry {} of the timeline changes what the script cannot", n + 1)),
        }
    }
    steps.sort_by_key(|(millis, _)| *millis);
    let mut text = HEAD.to_string();
    for (millis, command) in steps {
        // Writing to a string never fails.
        let _ = writeln!(text, "at {}; {command}", millis / 1000);
    }
    text.push_str("while :; do made_again; sleep 1; done\n");
    Written { text, left_out }
}

fn command(
    source: &Source<'_>,
    names: &Names,
    nodes: &Arena<NodeId, String>,
    jobs: &[String],
    entry: &TimelineEntry,
) -> Option<String> {
    let cluster = source.cluster;
    if let Some(job) = &entry.job {
        let job_id = cluster.jobs.ids().find(|id| *cluster.jobs[*id].name == **job)?;
        let name = jobs.get(job_id.index())?;
        return Some(format!("ended {name} {}", label(name)));
    }
    if let Some(node) = &entry.node {
        let id = cluster.nodes.ids().find(|id| *cluster.nodes[*id].name == **node)?;
        let name = &nodes[id];
        return match entry.state.as_ref()?.0.as_str() {
            "ready" => Some(format!("kubectl uncordon {name}")),
            "draining" | "cordoned" => Some(format!("kubectl cordon {name}")),
            "down" => Some(format!("kubectl delete node {name} --wait=false")),
            _ => None,
        };
    }
    let queue = entry.queue.as_ref()?;
    let id = cluster.queues.ids().find(|id| *cluster.queues[*id].name == **queue)?;
    let is_of_gpus = entry.cpu == Default::default() && entry.memory == Default::default() && entry.pool.is_none();
    let number = |typed: &str| match typed {
        "unlimited" => Some("-1".to_string()),
        typed => typed.parse::<f64>().ok().map(|n| n.to_string()),
    };
    let mut values = Vec::new();
    for (name, typed) in
        [("quota", &entry.gpu.quota), ("limit", &entry.gpu.limit), ("overQuotaWeight", &entry.gpu.weight)]
    {
        if let Some(typed) = typed {
            values.push(format!("\"{name}\":{}", number(&typed.0)?));
        }
    }
    let mut spec = Vec::new();
    if let Some(priority) = &entry.priority {
        spec.push(format!("\"priority\":{}", priority.0.parse::<i32>().ok()?));
    }
    if !values.is_empty() {
        spec.push(format!("\"resources\":{{\"gpu\":{{{}}}}}", values.join(",")));
    }
    let patch = format!("{{\"spec\":{{{}}}}}", spec.join(","));
    let name = names.queue(id, 0);
    (is_of_gpus && !spec.is_empty())
        .then(|| format!("kubectl patch queues.scheduling.run.ai {name} --type merge -p '{patch}'"))
}
