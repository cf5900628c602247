//! Benchmarks whose results the projects of the schedulers publish, as scenario files.
//!
//! The data stay outside the repository. A description is in words (`queue-(i mod 4)`); [`fill`] reads them.

use std::fmt::Write as _;
use std::time::Duration;

use serde::Deserialize;

use super::{Decided, data, median, ms, open, plan, run_while, thousands};

#[derive(Deserialize)]
struct File {
    scenarios: Vec<Benchmark>,
}

#[derive(Deserialize)]
struct Benchmark {
    id: String,
    source: String,
    #[serde(default)]
    nodes: usize,
    gpus_per_node: Option<u32>,
    node_capacity: Option<Amounts>,
    #[serde(default)]
    departments: Vec<Queue>,
    #[serde(default)]
    queues: Vec<Queue>,
    #[serde(default)]
    jobs: Vec<Jobs>,
    #[serde(default)]
    actions: Vec<String>,
    published: Option<Published>,
}

#[derive(Deserialize)]
struct Amounts {
    vcore: u64,
    memory: u64,
}

#[derive(Deserialize)]
struct Queue {
    name: String,
    parent: Option<String>,
    quota_share_of_cluster: Option<f64>,
    quota_gpus: Option<f64>,
    over_quota_weight: Option<f64>,
    guaranteed: Option<Amounts>,
}

#[derive(Deserialize)]
struct Jobs {
    count: usize,
    tasks: usize,
    gpus_per_task: Option<u32>,
    request: Option<Amounts>,
    #[serde(default)]
    state: String,
    queue: String,
}

#[derive(Deserialize)]
struct Published {
    ms: Option<f64>,
}

/// What KAI's benchmark sleeps in every run, in milliseconds.
const SLEEP_MS: f64 = 100.0;

const FREE: &str = "{quota: unlimited, limit: unlimited, weight: 1}";

/// Puts `i` into a text: `(i mod 4)` becomes its remainder.
fn fill(text: &str, i: usize) -> String {
    let Some((before, rest)) = text.split_once("(i mod ") else { return text.to_owned() };
    let (n, after) = rest.split_once(')').expect("a closing parenthesis");
    format!("{before}{}{after}", i % n.parse::<usize>().expect("a number"))
}

impl Queue {
    /// Names and parents of the queues it stands for: `queue-0 .. queue-19`, or itself.
    fn each(&self) -> Vec<(String, Option<String>)> {
        let Some((first, last)) = self.name.split_once(" .. ") else {
            return vec![(self.name.clone(), self.parent.clone())];
        };
        let (stem, _) = first.rsplit_once('-').expect("a number at the end");
        let (_, last) = last.rsplit_once('-').expect("a number at the end");
        let of = |i| (format!("{stem}-{i}"), self.parent.as_ref().map(|parent| fill(parent, i)));
        (0..=last.parse().expect("a number")).map(of).collect()
    }
}

impl Jobs {
    /// Whether the `i`th job runs at the start.
    fn runs(&self, i: usize) -> bool {
        self.state.starts_with("running") && (i.is_multiple_of(2) || !self.state.contains("when i is even"))
    }
}

impl Benchmark {
    /// The benchmark as a scenario file.
    fn text(&self) -> String {
        let mut text = format!("format: fairground-scenario\nversion: 1\npolicy: {}\n", self.source);
        if !self.actions.is_empty() {
            let _ = writeln!(text, "settings: {{version: '0.17', actions: '{}'}}\ncycle: 1s", self.actions.join(", "));
        }
        text += &match &self.node_capacity {
            Some(of) => {
                format!("nodes: [{{name: node, count: {}, cpu: {}m, memory: {}}}]\n", self.nodes, of.vcore, of.memory)
            }
            None => {
                format!("nodes: [{{name: node, count: {}, gpu: {}}}]\n", self.nodes, self.gpus_per_node.unwrap_or(0))
            }
        };
        text += "queues:\n";
        self.departments.iter().chain(&self.queues).for_each(|queue| self.write_queue(&mut text, queue));
        text += "jobs:\n";
        for (group, jobs) in self.jobs.iter().enumerate() {
            (0..jobs.count).for_each(|i| self.write_job(&mut text, group, jobs, i));
        }
        text
    }

    fn write_queue(&self, text: &mut String, queue: &Queue) {
        for (name, parent) in queue.each() {
            let parent = parent.map_or(String::new(), |parent| format!(" parent: {parent},"));
            if let Some(of) = &queue.guaranteed {
                let name = name.trim_start_matches("root.");
                // A queue's memory has a unit.
                let (cpu, memory) = (of.vcore, of.memory / 1000);
                let _ = writeln!(text, "- {{name: {name}, cpu: {{quota: {cpu}m}}, memory: {{quota: {memory}k}}}}");
                continue;
            }
            let gpus = self.nodes as f64 * f64::from(self.gpus_per_node.unwrap_or(0));
            let quota = queue.quota_gpus.or(queue.quota_share_of_cluster.map(|share| share * gpus)).unwrap_or(0.0);
            let weight = queue.over_quota_weight.unwrap_or(1.0);
            let gpu = format!("{{quota: {quota}, limit: unlimited, weight: {weight}}}");
            let _ = writeln!(text, "- {{name: {name},{parent} gpu: {gpu}, cpu: {FREE}, memory: {FREE}}}");
        }
    }

    fn write_job(&self, text: &mut String, group: usize, jobs: &Jobs, i: usize) {
        let queue = if jobs.queue.starts_with("one application in") {
            self.queues[i].name.trim_start_matches("root.").to_owned()
        } else {
            fill(&jobs.queue, i)
        };
        let _ = write!(text, "- {{name: job-{group}-{i}, queue: {queue}, pods: {}", jobs.tasks);
        match &jobs.request {
            Some(of) => {
                let _ = write!(text, ", min-available: 1, cpu: {}m, memory: {}", of.vcore, of.memory);
            }
            None => {
                let _ = write!(text, ", gpu: {}", jobs.gpus_per_task.unwrap_or(0));
            }
        }
        if jobs.runs(i) {
            let node = format!("node-{}", i % self.nodes + 1);
            let _ = write!(text, ", on: [{}]", vec![node; jobs.tasks].join(", "));
        }
        *text += "}\n";
    }

    /// Time to read the file, time to open the state and run what the benchmark times, and what was decided.
    fn measure(&self) -> (Duration, Duration, Decided) {
        let text = self.text();
        let (read, plan) = median(|| (), |()| plan(&text));
        // A cycle of YuniKorn places at most one pod.
        let n_pods: usize = self.jobs.iter().map(|of| of.count * of.tasks).sum();
        let is_one_cycle = self.source == "kai";
        let goes_on = |decided: &Decided, cycle| if is_one_cycle { cycle == 0 } else { decided.starts < n_pods };
        let (took, (decided, _)) = median(|| (), |()| run_while(open(&plan), goes_on));
        (read, took, decided)
    }

    fn row(&self) -> String {
        let (read, took, decided) = self.measure();
        let queues: usize = self.departments.iter().chain(&self.queues).map(|queue| queue.each().len()).sum();
        let jobs = self.jobs.iter().map(|of| of.count).sum();
        let work = self.published.as_ref().and_then(|of| of.ms).map(|ms| ms - SLEEP_MS);
        let (theirs, ratio) = match work {
            Some(ms) => {
                let ratio = ms / (took.as_secs_f64() * 1e3);
                (format!("{ms:.1}"), if ratio < 10.0 { format!("{ratio:.1}") } else { thousands(ratio as usize) })
            }
            None => ("–".to_owned(), "–".to_owned()),
        };
        format!(
            "| {} | {} | {queues} | {} | {theirs} | {} | {ratio} | {} | {decided} |\n",
            self.id,
            thousands(self.nodes),
            thousands(jobs),
            ms(took),
            ms(read),
        )
    }
}

const HEADING: &str = "\
## Beside the published benchmarks

The benchmarks of KAI and of YuniKorn's core as scenario files. *Published* is the figure of KAI's project (median of
six runs on a runner of GitHub Actions with four cores) less the 100 ms that its benchmark sleeps in every run; YuniKorn
publishes none. *Here* is the same work: opening the state and running the named actions once; for YuniKorn, cycles
until 10,000 pods are placed, at most one in each. *Read* is reading and checking the file, which the published figures
do not contain. The ratio compares two programs on two machines: KAI's also builds objects of Kubernetes and writes
through its client. Kueue's published figures are not listed: real time passes in them, so they do not say how long a
decision takes.

";

/// The section of the document, with the benchmarks whose name contains `only`.
pub fn section(only: &str) -> String {
    let path = data("published-benchmarks").join("scenarios.json");
    let Ok(text) = std::fs::read_to_string(path) else {
        return format!("{HEADING}Not measured: the data are absent (`FAIRGROUND_DATA`).\n");
    };
    let file: File = serde_json::from_str(&text).expect("the published benchmarks can be read");
    let mut section = HEADING.to_owned();
    section += "| benchmark | nodes | queues | jobs | published, ms | here, ms | ratio | read, ms | decided |\n";
    section += "|---|---|---|---|---|---|---|---|---|\n";
    let has_policy = |of: &&Benchmark| ["kai", "yunikorn"].contains(&of.source.as_str());
    for benchmark in file.scenarios.iter().filter(has_policy).filter(|of| of.id.contains(only)) {
        eprintln!("{}", benchmark.id);
        section += &benchmark.row();
    }
    section
}
