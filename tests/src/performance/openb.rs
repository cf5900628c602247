//! The openb trace as a scenario file: 1,523 nodes of several models, 8,152 pods that stand alone. Its only tenant-like
//! column, the quality of service, becomes the queue.

use std::fmt::Write as _;
use std::fs;

use super::data;

const QUEUES: [&str; 4] = ["LS", "BE", "Burstable", "Guaranteed"];

/// The scenario; `None`: there are no data.
pub fn text() -> Option<String> {
    let dir = data("openb-2023");
    let read = |name: &str| fs::read_to_string(dir.join(name)).ok();
    let (nodes, pods) = (read("nodes.csv")?, read("pods.csv")?);
    let mut text = "format: fairground-scenario\nversion: 1\npolicy: kai\nsettings: {version: '0.17'}\n\
                    cycle: on change\nnodes:\n"
        .to_owned();
    nodes.lines().skip(1).for_each(|line| write_node(&mut text, line));
    text += "queues:\n";
    for name in QUEUES {
        let free = "{quota: 0, limit: unlimited, weight: 1}";
        let _ = writeln!(text, "- {{name: {name}, gpu: {free}, cpu: {free}, memory: {free}}}");
    }
    text += "jobs:\n";
    pods.lines().skip(1).for_each(|line| write_pod(&mut text, line));
    Some(text)
}

fn write_node(text: &mut String, line: &str) {
    let of: Vec<&str> = line.split(',').collect();
    let _ = write!(text, "- {{name: {}, cpu: {}m, memory: {}Mi, gpu: {}", of[0], of[1], of[2], of[3]);
    if !of[4].is_empty() {
        let _ = write!(text, ", labels: {{model: {}}}", of[4]);
    }
    *text += "}\n";
}

fn write_pod(text: &mut String, line: &str) {
    let of: Vec<&str> = line.split(',').collect();
    let number = |at: usize| of[at].parse::<i64>().expect("a number");
    let _ = write!(text, "- {{name: {}, queue: {}, cpu: {}m, memory: {}Mi", of[0], of[6], of[1], of[2]);
    match (number(3), number(4)) {
        (0, _) => {}
        (1, milli) if milli < 1000 => {
            let _ = write!(text, ", gpu: 0.{milli:03}");
        }
        (gpus, _) => {
            let _ = write!(text, ", gpu: {gpus}");
        }
    }
    if !of[5].is_empty() {
        let _ = write!(text, ", affinity: [\"model in ({})\"]", of[5].replace('|', ", "));
    }
    // A pod that was never scheduled there lasts as long as it existed.
    let lasts = (number(9) - of[10].parse().unwrap_or(number(8))).max(1);
    let _ = writeln!(text, ", submit: {}s, lasts: {lasts}s}}", number(8));
}
