//! Clusters of any size under KAI: equal queues whose jobs wait, and a queue without quota whose jobs run.

use std::fmt::Write as _;

/// A cluster of nodes with eight GPUs and jobs of one GPU.
#[derive(Clone, Copy)]
pub struct Load {
    pub nodes: usize,
    pub queues: usize,
    /// Jobs that run in the queue without quota.
    pub running: usize,
    /// Jobs that wait in the other queues, which divide the GPUs among them.
    pub waiting: usize,
    /// Whether the other queues may use anything.
    pub is_open: bool,
}

impl Load {
    /// The scenario file.
    pub fn text(self) -> String {
        let Load { nodes, queues, running, waiting, is_open } = self;
        let mut text = format!(
            "format: fairground-scenario\nversion: 1\npolicy: kai\nsettings: {{version: '0.17'}}\ncycle: 1s\n\
             nodes: [{{name: node, count: {nodes}, gpu: 8}}]\nqueues:\n"
        );
        let free = "{quota: unlimited, limit: unlimited, weight: 1}";
        let limit = if is_open { "unlimited" } else { "0" };
        let quota = nodes * 8 / queues;
        let names = (0..queues).map(|i| (format!("q{i}"), quota, limit));
        for (name, quota, limit) in names.chain([("rest".to_owned(), 0, "unlimited")]) {
            let gpu = format!("{{quota: {quota}, limit: {limit}, weight: 1}}");
            let _ = writeln!(text, "- {{name: {name}, gpu: {gpu}, cpu: {free}, memory: {free}}}");
        }
        text += "jobs:\n";
        for i in 0..running {
            let _ = writeln!(text, "- {{name: held-{i}, queue: rest, gpu: 1, on: [node-{}]}}", i % nodes + 1);
        }
        for i in 0..waiting {
            let _ = writeln!(text, "- {{name: job-{i}, queue: q{}, gpu: 1}}", i % queues);
        }
        text
    }

    /// Every GPU is free, and five jobs per node wait.
    pub fn free(nodes: usize) -> Load {
        Load { nodes, queues: 8, running: 0, waiting: nodes * 5, is_open: true }
    }

    /// Every GPU is in use, and five jobs per node wait for queues that may use nothing.
    pub fn full(nodes: usize) -> Load {
        Load { running: nodes * 8, is_open: false, ..Load::free(nodes) }
    }

    /// Every GPU is in use by the queue without quota, and five jobs per node reclaim.
    pub fn reclaim(nodes: usize) -> Load {
        Load { running: nodes * 8, ..Load::free(nodes) }
    }
}
