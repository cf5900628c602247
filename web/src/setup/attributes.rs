//! Every value of queues, nodes, jobs and pod sets, and every switch of a policy: what it is called, what it does,
//! what holds when it is not set. The forms are made from these tables.
//! Long because it is a list.

pub use fairground::policy::form::{Ask, Attribute, Group, REMARK};
use fairground::policy::form::{PROTECTION, YES_NO, ask, text};

/// KAI's preset classes.
const CLASSES: Ask = Ask::Usual(&[
    ("train", "50, preemptible"),
    ("interactive-preemptible", "75, preemptible"),
    ("build", "100, not preemptible"),
    ("inference", "125, not preemptible"),
]);
const RESTART: Ask =
    Ask::Choice(&[("again", "begins again"), ("resume", "resumes"), ("never", "nobody replaces it")]);
const STATE: Ask = Ask::Choice(&[("ready", "ready"), ("draining", "draining"), ("down", "down")]);

/// A queue.
pub const QUEUE: &[Group] = &[
    (
        "Queue",
        &[
            text("name", "Name", "", "Unique among queues."),
            ask(
                text(
                    "parent",
                    "Below",
                    "a top queue",
                    "The queue that divides its share among this one and its siblings.",
                ),
                Ask::Parent,
            ),
            text("priority", "Priority", "100", "Larger first: before its siblings, whatever their shares."),
            text(
                "created",
                "Age",
                "by order in the file",
                "A moment such as -5s. The older queue wins a tie and gets the odd GPU.",
            ),
            text(
                "default-pools",
                "Pools of its jobs",
                "its parent's, else the first",
                "Of jobs that name none, in order.",
            ),
        ],
    ),
    (
        "GPU",
        &[
            text("gpu.quota", "Quota", "0", "GPUs it is guaranteed, or: unlimited."),
            text("gpu.limit", "Limit", "0: nothing is allowed", "GPUs it never exceeds, or: unlimited."),
            text("gpu.weight", "Weight", "0", "Its part in what others leave, against its siblings."),
            text(
                "gpu.usage",
                "Past usage",
                "0",
                "Share of the cluster it used lately, 0 to 1. Lowers its part in the surplus.",
            ),
        ],
    ),
    (
        "CPU",
        &[
            text("cpu.quota", "Quota", "0", "Cores, or: unlimited."),
            text("cpu.limit", "Limit", "0: nothing is allowed", "Cores, or: unlimited."),
            text("cpu.weight", "Weight", "0", "Its part in the surplus."),
            text("cpu.usage", "Past usage", "0", "Share of the cluster, 0 to 1."),
        ],
    ),
    (
        "Memory",
        &[
            text(
                "memory.quota",
                "Quota",
                "0",
                "With a unit such as 64 GB, else in 10^6 bytes; or: unlimited.",
            ),
            text("memory.limit", "Limit", "0: nothing is allowed", "As the quota."),
            text("memory.weight", "Weight", "0", "Its part in the surplus."),
            text("memory.usage", "Past usage", "0", "Share of the cluster, 0 to 1."),
        ],
    ),
    PROTECTION,
    REMARK,
];

/// What a queue has in one node pool, where that is not what it has elsewhere.
pub const IN_POOL: &[Attribute] = &[
    text("gpu.quota", "GPU quota", "as above", "GPUs it is guaranteed in this pool."),
    text("gpu.limit", "GPU limit", "as above", "GPUs it never exceeds in this pool."),
    text("gpu.weight", "GPU weight", "as above", "Its part in what others leave in this pool."),
    text("priority", "Priority", "as above", "Larger first in this pool."),
];

/// Nodes.
pub const NODES: &[Group] = &[
    (
        "Nodes",
        &[
            text("name", "Name", "", "Of several equal nodes the beginning: name-1, name-2 and so on."),
            text(
                "count",
                "How many",
                "this one",
                "Equal nodes. Left out, it is one node under its own name.",
            ),
            ask(
                text(
                    "state",
                    "State",
                    "ready",
                    "A node that is down takes no part; one that is drained keeps what is on it and takes no more.",
                ),
                STATE,
            ),
            text("labels", "Labels", "none", "Such as zone=east, tier=a. Jobs may require them."),
            ask(text("pool", "Pool", "the first", "Every pool is scheduled on its own."), Ask::Pool),
        ],
    ),
    (
        "What each has",
        &[
            text("gpu", "GPUs", "0", "At most 64."),
            text("gpu-memory", "Memory of each GPU", "40000 MiB", "In MiB, or with a unit."),
            text("cpu", "Cores", "64", "CPU cores."),
            text("memory", "Memory", "256 GB", "In bytes, or with a unit."),
            text("pods", "Pod slots", "110", "Most pods at a time."),
            text(
                "resources",
                "Further resources",
                "none",
                "Whole numbers by name, such as rdma=4, nvme=2. Jobs may ask for them, and charts can show them.",
            ),
        ],
    ),
    REMARK,
];

/// A job.
pub const JOB: &[Group] = &[
    (
        "Job",
        &[
            text("name", "Name", "", "Of a pattern the beginning: name-1, name-2 and so on."),
            ask(text("queue", "Queue", "", "A queue without children."), Ask::Leaf),
            ask(
                text(
                    "priority",
                    "Priority class",
                    "train (50)",
                    "A class or a number; larger first inside its queue.",
                ),
                CLASSES,
            ),
            ask(
                text(
                    "preemptible",
                    "May be taken from",
                    "below priority 100",
                    "If not, it stays within its queue's quota and is never evicted for others.",
                ),
                YES_NO,
            ),
            text("user", "User", "none", "Who submitted it."),
        ],
    ),
    (
        "Time",
        &[
            text("submit", "Submitted", "at the start", "A moment such as 90s; before 0 it waits already."),
            text(
                "created",
                "Created",
                "when submitted",
                "A moment at or before that; its age counts from here.",
            ),
            text(
                "lasts",
                "Lasts",
                "until the end",
                "How long each pod runs, such as 20m; or drawn for each job, such as 8m..20m.",
            ),
            ask(
                text(
                    "restart",
                    "After an eviction",
                    "it begins again",
                    "If it resumes, the work it did counts and nothing is lost. If nobody replaces it, the job is over once all its pods are gone.",
                ),
                RESTART,
            ),
            text("count", "How many such jobs", "this one", "Makes it a pattern of equal jobs."),
            text(
                "every",
                "One every",
                "all at once",
                "Such as 30s; 60s..10s gets faster evenly; 30s random is drawn, with this mean.",
            ),
            text("repeat", "The whole pattern", "once", "Such as 5 every 1d: five times, a day apart."),
            text("seed", "Seed", "1", "A number. The same seed draws the same; give each pattern its own."),
        ],
    ),
    (
        "Running at the start",
        &[
            text("on", "On nodes", "it waits", "One node for each pod that runs, with commas."),
            text(
                "on-devices",
                "On their GPUs",
                "the lowest free",
                "One entry for each of these pods, counted from 0: 2, or 0+1 for several.",
            ),
            text("started", "Since", "when submitted", "A moment at or before 0."),
        ],
    ),
    (
        "Where it may run",
        &[
            text(
                "selector",
                "Required labels",
                "anywhere",
                "Such as zone=east: only nodes with all of them.",
            ),
            text(
                "pools",
                "Pools",
                "its queue's, else the first",
                "In the order in which it is offered to them.",
            ),
        ],
    ),
    REMARK,
];

/// The pods of a job, or of one of its kinds.
pub const PODS: &[Attribute] = &[
    text("pods", "Pods", "1", "The most that run."),
    text(
        "min-available",
        "At least",
        "all: a gang",
        "Fewer do not start. Pods beyond it are elastic: they come and go one by one.",
    ),
    ask(text("gpu", "Each asks for", "no GPU", ""), Ask::Request),
    text("cpu", "Cores of each", "0", "CPU cores, such as 2 or 500m."),
    text("memory", "Memory of each", "0", "In bytes, or with a unit such as 16Gi."),
    text("resources", "Further resources of each", "none", "Whole numbers by name, such as rdma=1."),
];

/// What a job says of all its kinds of pods together.
pub const ALL_KINDS: &[Attribute] = &[text(
    "min-available",
    "At least, of all kinds",
    "each kind by itself",
    "One minimum for pods of different size. Leave the minimum of each kind empty then.",
)];

/// The name of a kind of pods.
pub const KIND: &[Attribute] = &[text("name", "Name", "", "Unique in its job.")];

/// The scenario as a whole.
pub const SCENARIO: &[Attribute] = &[
    text("name", "Title", "none", "What the page is called."),
    text("note", "What to watch", "none", "Stands above the charts."),
];

/// When things happen.
pub const TIME: &[Attribute] = &[
    text(
        "cycle",
        "A cycle takes place",
        "every 1s",
        "A period such as 1s, or: on change, which is the default of first in, first out.",
    ),
    text("delays.start", "From placed to running", "no time", "How long starting takes, such as 30s."),
    text(
        "delays.termination",
        "From told to go to gone",
        "by the next cycle",
        "How long an evicted pod keeps its GPUs.",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::document;
    use fairground::policy::Policy;
    use fairground::scenario::{Edit, Path, Scenario, Severity};

    /// Every attribute is a place that takes a value, or the form would refuse whatever is typed.
    #[test]
    fn every_attribute_is_a_place() {
        let text = "format: fairground-scenario\nversion: 1\nnodes: [{name: n}]\nqueues: [{name: q}]\n\
                    jobs: [{name: j, queue: q, pod-sets: [{name: p}]}]\n";
        let scenario: Scenario = document::from_text(text).expect("it can be read");
        let root = Path::default();
        let job = root.field("jobs").named("j");
        let of = |groups: &'static [Group]| groups.iter().flat_map(|(_, all)| all.iter());
        let all = of(QUEUE)
            .map(|a| (root.field("queues").named("q"), a))
            .chain(IN_POOL.iter().map(|a| (root.field("queues").named("q").field("pools").named("p"), a)))
            .chain(of(NODES).map(|a| (root.field("nodes").named("n"), a)))
            .chain(of(JOB).chain(PODS).chain(ALL_KINDS).map(|a| (job.clone(), a)))
            .chain(
                Policy::ALL
                    .iter()
                    .filter_map(|policy| policy.form.job)
                    .flat_map(|g| g.1)
                    .map(|a| (job.clone(), a)),
            )
            .chain(PODS.iter().chain(KIND).map(|a| (job.field("pod-sets").named("p"), a)))
            .chain(of(Policy::ALL[0].form.settings).chain(SCENARIO).chain(TIME).map(|a| (root.clone(), a)));
        for (owner, attribute) in all {
            let at = attribute.key.split('.').fold(owner, |at, step| at.field(step));
            let edit = fairground::scenario::Edit::Set { at: at.clone(), value: "1".into() };
            let after = document::apply(&scenario, &[edit]).unwrap_or_else(|says| panic!("{at}: {says}"));
            // A thing that got another name is found under that.
            let renamed = attribute.key == "name" && at.0.len() > 1;
            assert!(renamed || document::value(&after, &at).starts_with('1'), "{at} keeps what is set");
        }
    }

    /// The switches of a queue follow it when it is renamed, and go with it.
    #[test]
    fn every_own_attribute_is_a_place() {
        // Words of YuniKorn's queues have values of their own kinds; see the tests of its configuration.
        let by_number = Policy::ALL.iter().filter(|policy| policy.key != "yunikorn");
        for (policy, groups) in by_number.filter_map(|policy| Some((policy.key, policy.form.queue?))) {
            let text = format!(
                "format: fairground-scenario\nversion: 1\npolicy: {policy}\nnodes: [{{name: n}}]\n\
                 queues: [{{name: p, gpu: {{quota: 1}}}}, {{name: q}}]\n"
            );
            let scenario: Scenario = document::from_text(&text).expect("it can be read");
            let owner = Path::default().field("queues").named("q");
            for attribute in groups.iter().flat_map(|(_, all)| all.iter()).filter(|a| a.key != "name") {
                let at = attribute.place(&owner);
                let value = match (attribute.key, attribute.ask) {
                    ("parent", _) => "p",
                    (_, Ask::Choice(choices) | Ask::Usual(choices)) => choices[0].0,
                    ("created", _) => "-5s",
                    (key, _) if key.ends_with("grace") || key.ends_with("runtime") => "5s",
                    _ => "1",
                };
                let set = Edit::Set { at: at.clone(), value: value.into() };
                let after = document::apply(&scenario, &[set]).unwrap_or_else(|says| panic!("{at}: {says}"));
                assert_eq!(document::value(&after, &at), value, "{at} keeps what is set");
                let found = document::findings(&after);
                let is_error = |d: &&fairground::scenario::Diagnostic| d.severity == Severity::Error;
                assert_eq!(found.iter().find(is_error), None, "{at}");
                let to = "renamed".to_string();
                let renamed =
                    document::apply(&after, &[Edit::Rename { at: owner.clone(), to }]).expect("a name");
                let moved = attribute.place(&Path::default().field("queues").named("renamed"));
                assert_eq!(document::value(&renamed, &moved), value, "{at} follows");
                let gone = document::apply(&after, &[Edit::Remove { at: owner.clone() }]).expect("it goes");
                assert!(gone.settings.is_empty(), "{at} goes");
            }
        }
    }
}
