//! Order of tasks in a job.
//!
//! # Rule
//! The master or launcher of Kubeflow; the head of Ray; a priority label beats none, an unparsable one loses, larger
//! first; then older; then smaller name.
//!
//! # Source
//! kai.md 3.4
//!
//! # Differs
//! nothing

use std::cmp::Ordering;
use std::sync::Arc;

use crate::cluster::PodRules;
use crate::policy::kai::config::Config;

/// Plugins that order the tasks of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::policy::kai) struct TaskPlugins {
    kubeflow: bool,
    ray: bool,
    task_order: bool,
}

impl TaskPlugins {
    /// The enabled plugins.
    pub fn of(config: &Config) -> TaskPlugins {
        let has = |plugin| config.has(plugin);
        TaskPlugins { kubeflow: has("kubeflow"), ray: has("ray"), task_order: has("taskorder") }
    }
}

/// Sort keys of a task, without its name.
#[derive(Clone, Debug, Default)]
pub(in crate::policy::kai) struct TaskRank {
    /// Whether it is a Kubeflow master or launcher.
    leads: bool,
    /// Whether it is a Ray head.
    is_head: bool,
    priority: Option<Arc<str>>,
    created_s: Option<f64>,
}

impl TaskRank {
    /// From a pod's labels.
    pub fn of(rules: Option<&PodRules>, priority: Option<Arc<str>>, created_s: Option<f64>) -> TaskRank {
        let labels = rules.map_or(&[][..], |rules| &rules.labels);
        let label = |key: &str| labels.iter().find(|(k, _)| **k == *key).map(|(_, value)| &**value);
        TaskRank {
            leads: matches!(label("training.kubeflow.org/job-role"), Some("master" | "launcher")),
            is_head: label("ray.io/node-type") == Some("head"),
            priority,
            created_s,
        }
    }

    /// 3.4: Kubeflow's master or launcher first, Ray's head, larger task priority, older.
    fn compare(&self, other: &TaskRank, plugins: TaskPlugins) -> Ordering {
        let first = |is_loaded: bool, l: bool, r: bool| if is_loaded { r.cmp(&l) } else { Ordering::Equal };
        let by_label = || match (&self.priority, &other.priority) {
            (None, None) => Ordering::Equal,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(l), Some(r)) => match (l.parse::<i64>(), r.parse::<i64>()) {
                (Err(_), _) => Ordering::Greater,
                (_, Err(_)) => Ordering::Less,
                (Ok(l), Ok(r)) => r.cmp(&l),
            },
        };
        let by_label = || if plugins.task_order { by_label() } else { Ordering::Equal };
        let age = || self.created_s.partial_cmp(&other.created_s).expect("moments are never NaN");
        first(plugins.kubeflow, self.leads, other.leads)
            .then_with(|| first(plugins.ray, self.is_head, other.is_head))
            .then_with(by_label)
            .then_with(age)
    }
}

/// 3.4: position of each task of a job; tasks are given in order of their names.
pub(in crate::policy::kai) fn task_order<'r>(
    ranks: impl Iterator<Item = &'r TaskRank>,
    plugins: TaskPlugins,
) -> Vec<u32> {
    let ranks: Vec<&TaskRank> = ranks.collect();
    let mut order: Vec<usize> = (0..ranks.len()).collect();
    order.sort_by(|&l, &r| ranks[l].compare(ranks[r], plugins));
    let mut places = vec![0; ranks.len()];
    (0..).zip(order).for_each(|(place, task)| places[task] = place);
    places
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::cluster::{PodRules, Preemptible};
    use crate::policy::kai::recorded::{
        Committed, GpuAsk, Quantities, QueueSpec, Snapshot, SnapshotJob, SnapshotNode, SnapshotPod, SnapshotPodSet,
        Status, run_cycle,
    };
    use crate::trace::{Level, Trace};

    /// Which of `a`, `b` and `c`, with these labels, gets the only GPU: `a` unless a label decides otherwise.
    fn served(labels: [(&str, &str); 3], without: &str) -> String {
        let name = |text: &str| Arc::<str>::from(text);
        let pod = |(pod, (key, value)): (&str, (&str, &str))| SnapshotPod {
            name: name(pod),
            pod_set: name("default"),
            status: Status::Pending,
            gpu: GpuAsk::Whole { devices: 1 },
            task_priority: (key == "kai.scheduler/task-priority").then(|| name(value)),
            rules: Some(Arc::new(PodRules { labels: vec![(name(key), name(value))], ..PodRules::default() })),
            ..SnapshotPod::default()
        };
        let free = Quantities { cpu: -1.0, memory: -1.0, gpu: -1.0 };
        let set = SnapshotPodSet { name: name("default"), min_available: 1, ..Default::default() };
        let mut snapshot = Snapshot {
            nodes: vec![SnapshotNode { name: name("n"), gpus: 1.0, pods: 9, ready: true, ..Default::default() }],
            queues: vec![QueueSpec { name: name("q"), quota: free, limit: free, ..Default::default() }],
            jobs: vec![SnapshotJob {
                name: name("j"),
                queue: name("q"),
                preemptible: Preemptible::Yes,
                pod_sets: vec![set],
                pods: ["a", "b", "c"].into_iter().zip(labels).map(pod).collect(),
                ..SnapshotJob::default()
            }],
            total: Quantities { cpu: 1.0, memory: 1.0, gpu: 1.0 },
            ..Snapshot::default()
        };
        snapshot.config.plugins.retain(|plugin| **plugin != *without);
        let outcome = run_cycle(&snapshot, &mut Trace::new(Level::Outcomes));
        match &outcome.steps[0].commits[..] {
            [commit] => match &commit[..] {
                [Committed::Bind { pod, .. }] => pod.to_string(),
                other => panic!("{other:?}"),
            },
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn labels_order_the_tasks_of_a_job() {
        const KUBEFLOW: &str = "training.kubeflow.org/job-role";
        const RAY: &str = "ray.io/node-type";
        const PRIORITY: &str = "kai.scheduler/task-priority";
        assert_eq!(served([("", ""); 3], ""), "a");
        assert_eq!(served([(KUBEFLOW, "worker"), (KUBEFLOW, "master"), ("", "")], ""), "b");
        assert_eq!(served([(KUBEFLOW, "worker"), ("", ""), (KUBEFLOW, "launcher")], ""), "c");
        assert_eq!(served([(RAY, "worker"), (RAY, "head"), ("", "")], ""), "b");
        assert_eq!(served([(PRIORITY, "9"), (RAY, "head"), (KUBEFLOW, "master")], ""), "c");
        assert_eq!(served([(PRIORITY, "9"), (RAY, "head"), (RAY, "worker")], ""), "b");
        assert_eq!(served([("", ""), (PRIORITY, "-1"), (PRIORITY, "3")], ""), "c");
        assert_eq!(served([(PRIORITY, "high"), (PRIORITY, "-1"), ("", "")], ""), "b");
        // An unparsable one still beats none.
        assert_eq!(served([("", ""), (PRIORITY, "high"), ("", "")], ""), "b");
        // Without its plugin a label is ignored.
        assert_eq!(served([("", ""), (KUBEFLOW, "master"), ("", "")], "kubeflow"), "a");
        assert_eq!(served([("", ""), (RAY, "head"), ("", "")], "ray"), "a");
        assert_eq!(served([("", ""), (PRIORITY, "3"), ("", "")], "taskorder"), "a");
    }
}
