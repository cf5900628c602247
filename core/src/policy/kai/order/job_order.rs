//! Order of jobs in a queue, of pod sets in a job, of tasks in a pod set.
//!
//! # Rule
//! Jobs: higher priority; then *below* its minimum before *exactly* before *above*; then older; then smaller name. Pod
//! sets: one below its minimum before one that has enough, two that have enough by `active/minAvailable`; then smaller
//! name. Tasks: the master or launcher of Kubeflow; the head of Ray; a priority label beats none, an unparsable one
//! loses, larger first; then older; then smaller name.
//!
//! # Source
//! kai.md 3.2-3.4
//!
//! # Differs
//! nothing

use std::cmp::Ordering;
use std::sync::Arc;

use crate::cluster::PodRules;
use crate::policy::kai::config::Config;
use crate::policy::kai::explain::notes::{count, real};
use crate::policy::kai::job::{Job, JobFacts, PodSet};
use crate::policy::kai::session::Session;
use crate::policy::kai::task::JobRef;
use crate::trace::{Check, Op, Quantity, Rule, RuleRecord, Subject, Term, Value};

/// How many run against how many must.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Filled {
    Below,
    Exactly,
    Above,
}

fn filled(job: &Job) -> Filled {
    if job.sets.iter().any(PodSet::is_below) {
        Filled::Below
    } else if job.sets.iter().all(|s| s.active_allocated == s.min_available) {
        Filled::Exactly
    } else {
        Filled::Above
    }
}

/// A job's place as one number: priority, how filled it is, age and name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::policy::kai) struct Place(u64);

impl Place {
    const FILLED: u32 = 30;
    /// From the ranks by priority and by age.
    fn new(priority: usize, age: usize) -> Self {
        Place((priority as u64) << (Self::FILLED + 2) | age as u64)
    }
    /// The same with what the counters of the pod sets say now.
    pub fn now(self, job: &Job) -> Self {
        Place(self.0 & !(3 << Self::FILLED) | (filled(job) as u64) << Self::FILLED)
    }
}

macro_rules! rules {
    ($($name:ident $number:literal $says:literal $formula:literal)*) => {$(
        #[doc = $says]
        pub static $name: Rule = Rule(&RuleRecord {
            key: concat!("kai/job-order/", $number),
            says: $says,
            formula: $formula,
            source: "kai.md 3.2",
            differs: "",
        });
    )*};
}

rules! {
    PRIORITY 1 "the job of higher priority comes first" "priority(l) > priority(r)"
    FILLED 2 "a job below its minimum of pods comes before one at its minimum, and that one before a job above it"
        "below < exactly < above"
    OLDER 3 "the older job comes first" "created(l) < created(r)"
    NAME 4 "jobs of the same age are ordered by name" "name(l) < name(r)"
}

impl Session<'_> {
    /// What puts the left job behind the right one of the same queue.
    pub fn job_comes_after(&self, l: JobRef, r: JobRef) -> Check {
        let (left, right) = (self.facts_of(l), self.facts_of(r));
        let subject = Subject { job: Some(left.id), other_job: Some(right.id), ..Subject::default() };
        let check = |rule, left, op, right| Check::new(rule, subject, left, op, right);
        if self.plugins.priority && left.priority != right.priority {
            let of = |facts: &JobFacts| count(Quantity::Priority, facts.priority);
            return check(PRIORITY, of(left), Op::Less, of(right));
        }
        let filled = |job| filled(self.job(job));
        if self.plugins.elastic && filled(l) != filled(r) {
            let of = |job| count(Quantity::Applies, filled(job) as i64);
            return check(FILLED, of(l), Op::Exceeds, of(r));
        }
        if left.created_s != right.created_s {
            let of = |facts: &JobFacts| real(Quantity::Created, facts.created_s);
            return check(OLDER, of(left), Op::Exceeds, of(right));
        }
        let of = |facts: &JobFacts| Term { quantity: Quantity::Name, value: Value::Name(facts.name.clone()) };
        check(NAME, of(left), Op::Exceeds, of(right))
    }

    /// 3.2: which of two jobs comes first.
    pub fn job_order(&self, l: JobRef, r: JobRef) -> Ordering {
        self.job(l).place.cmp(&self.job(r).place)
    }

    /// Brings a job's place up to date with its counters.
    pub fn place_job(&mut self, job: JobRef) {
        let facts = &self.facts[self.jobs[job.ix()].uid.ix()];
        let job = &mut self.jobs[job.ix()];
        job.place = if self.plugins.elastic { facts.place.now(job) } else { facts.place };
    }

    /// 3.3: positions of a job's pod sets, in order.
    pub fn sets_in_order(&self, job: &Job) -> Vec<usize> {
        let mut order: Vec<usize> = (0..job.sets.len()).collect();
        if self.plugins.subgroup_order {
            order.sort_by(|&l, &r| set_order(&job.sets[l], &job.sets[r]).then(l.cmp(&r)));
        }
        order
    }
}

fn set_order(l: &PodSet, r: &PodSet) -> Ordering {
    match (l.is_below(), r.is_below()) {
        (true, true) => Ordering::Equal,
        (true, false) => Ordering::Less,
        (false, true) => Ordering::Greater,
        (false, false) => {
            let filled = |s: &PodSet| s.active_allocated as f64 / s.min_available as f64;
            filled(l).partial_cmp(&filled(r)).expect("minAvailable is at least 1")
        }
    }
}

/// The places of jobs, which come in order of their names with priority and age, but for how filled they are.
pub(in crate::policy::kai) fn job_places(jobs: &[(i64, f64)], has_priorities: bool) -> Vec<Place> {
    let mut priorities: Vec<i64> = Vec::new();
    if has_priorities {
        priorities.extend(jobs.iter().map(|job| job.0));
        priorities.sort_by_key(|&p| std::cmp::Reverse(p));
        priorities.dedup();
    }
    let mut by_age: Vec<usize> = (0..jobs.len()).collect();
    by_age.sort_by(|&l, &r| jobs[l].1.partial_cmp(&jobs[r].1).expect("moments are never NaN"));
    let mut places = vec![Place::default(); jobs.len()];
    for (age, i) in by_age.into_iter().enumerate() {
        let rank = priorities.binary_search_by(|p| jobs[i].0.cmp(p)).unwrap_or(0);
        places[i] = Place::new(rank, age);
    }
    places
}

/// Which plugins order the tasks of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::policy::kai) struct TaskPlugins {
    kubeflow: bool,
    ray: bool,
    task_order: bool,
}

impl TaskPlugins {
    /// Those that are loaded.
    pub fn of(config: &Config) -> TaskPlugins {
        let has = |plugin| config.has(plugin);
        TaskPlugins { kubeflow: has("kubeflow"), ray: has("ray"), task_order: has("taskorder") }
    }
}

/// What orders the tasks of a job, but for their names.
#[derive(Clone, Debug, Default)]
pub(in crate::policy::kai) struct TaskRank {
    /// Whether it is a master or launcher of Kubeflow.
    leads: bool,
    /// Whether it is a head of Ray.
    is_head: bool,
    priority: Option<Arc<str>>,
    created_s: Option<f64>,
}

impl TaskRank {
    /// Of a pod with these labels.
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

    /// 3.4: kubeflow's master or launcher first, Ray's head, larger task priority, older.
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

/// 3.4: the place of each task of a job, which come in order of their names.
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
    use crate::policy::kai::run_cycle;
    use crate::policy::kai::snapshot::{
        Committed, GpuAsk, Quantities, Snapshot, SnapshotJob, SnapshotNode, SnapshotPod, SnapshotPodSet,
        SnapshotQueue, Status,
    };
    use crate::trace::{Level, Trace};

    /// Who of `a`, `b` and `c`, with these labels, gets the only GPU: `a` unless a label says otherwise.
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
            nodes: vec![SnapshotNode {
                name: name("n"),
                gpus: 1.0,
                pods: 9,
                ready: true,
                ..Default::default()
            }],
            queues: vec![SnapshotQueue { name: name("q"), quota: free, limit: free, ..Default::default() }],
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
    fn labels_say_who_of_a_job_comes_first() {
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
        // Without its plugin a label says nothing.
        assert_eq!(served([("", ""), (KUBEFLOW, "master"), ("", "")], "kubeflow"), "a");
        assert_eq!(served([("", ""), (RAY, "head"), ("", "")], "ray"), "a");
        assert_eq!(served([("", ""), (PRIORITY, "3"), ("", "")], "taskorder"), "a");
    }
}
