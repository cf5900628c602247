//! Attributes of queues, nodes, jobs and pod sets, and settings of the scenario: label, help and default. The forms are
//! generated from these tables. Long because it is a list.

use fairground::policy::description::Description;
use fairground::policy::field::Field;
pub use fairground::policy::form::{Ask, Attribute, Group, REMARK};
use fairground::policy::form::{DISPLAY_NAME, PROTECTION, YES_NO, text};
use fairground::units::Resource;

/// KAI's preset classes.
const CLASSES: Ask = Ask::Usual(&[
    ("train", "50, preemptible"),
    ("build-preemptible", "75, preemptible"),
    ("build", "100, not preemptible"),
    ("inference", "125, not preemptible"),
]);
const RESTART: Ask = Ask::Choice(&[("again", "restarts"), ("resume", "resumes"), ("never", "is not recreated")]);
const STATE: Ask = Ask::Choice(&[("ready", "ready"), ("draining", "draining"), ("down", "down")]);

/// Default of a queue's value under a policy without a form of its own; empty if the policy does not read it.
pub fn default_of(policy: &Description, attribute: &Attribute) -> &'static str {
    let value = || {
        let (resource, field) = attribute.key.split_once('.')?;
        let resource = Resource::ACCOUNTED.into_iter().find(|r| r.name() == resource)?;
        Some((Field::ALL.into_iter().find(|f| f.name() == field)?, resource))
    };
    let Some((field, resource)) = value() else { return attribute.default };
    match policy.unset(field, resource) {
        Some("0") if field == Field::Limit => "0: nothing can run",
        unset => unset.unwrap_or_default(),
    }
}

pub const QUEUE: &[Group] = &[
    (
        "Queue",
        &[
            text("name", "Name", "", "Unique among queues."),
            DISPLAY_NAME,
            text(
                "parent",
                "Parent",
                "none (top level)",
                "The parent queue, which divides its share among its children.",
            )
            .ask(Ask::Parent),
            text(
                "priority",
                "Priority",
                "100",
                "Higher values are served first among siblings, regardless of their shares.",
            ),
            text(
                "created",
                "Age",
                "by order in the file",
                "A time such as -5s. The older queue wins ties and gets the remainder GPU.",
            ),
            text(
                "default-pools",
                "Node pools of its jobs",
                "default: its parent's, else the first",
                "For jobs that name no node pool, in order.",
            ),
        ],
    ),
    (
        "GPU",
        &[
            text("gpu.quota", "Quota", "", "Guaranteed GPUs, or: unlimited."),
            text("gpu.limit", "Limit", "", "Maximum GPUs, or: unlimited."),
            text("gpu.weight", "Weight", "", "Relative share of unused capacity, compared with sibling queues."),
            text(
                "gpu.usage",
                "Past usage",
                "0",
                "Share of the cluster it used recently, 0 to 1. Reduces its share of unused capacity.",
            ),
        ],
    ),
    (
        "CPU",
        &[
            text("cpu.quota", "Quota", "", "Cores, or: unlimited."),
            text("cpu.limit", "Limit", "", "Cores, or: unlimited."),
            text("cpu.weight", "Weight", "", "Relative share of unused capacity."),
            text("cpu.usage", "Past usage", "0", "Share of the cluster, 0 to 1."),
        ],
    ),
    (
        "Memory",
        &[
            text("memory.quota", "Quota", "", "With a unit such as 64 GB, else in 10^6 bytes; or: unlimited."),
            text("memory.limit", "Limit", "", "Same units as quota."),
            text("memory.weight", "Weight", "", "Relative share of unused capacity."),
            text("memory.usage", "Past usage", "0", "Share of the cluster, 0 to 1."),
        ],
    ),
    PROTECTION,
    REMARK,
];

/// Values of a queue that differ in one node pool.
pub const IN_POOL: &[Attribute] = &[
    text("gpu.quota", "GPU [quota]", "as above", "Guaranteed GPUs in this [node] pool."),
    text("gpu.weight", "GPU [weight]", "as above", "Relative share of unused GPUs in this [node] pool."),
    text("gpu.limit", "GPU [limit]", "as above", "Maximum GPUs in this [node] pool."),
    text("cpu.quota", "CPU [quota]", "as above", "Guaranteed cores in this [node] pool."),
    text("cpu.weight", "CPU [weight]", "as above", "Relative share of unused cores in this [node] pool."),
    text("cpu.limit", "CPU [limit]", "as above", "Maximum cores in this [node] pool."),
    text("memory.quota", "Memory [quota]", "as above", "Guaranteed memory in this [node] pool, such as 64 GB."),
    text("memory.weight", "Memory [weight]", "as above", "Relative share of unused memory in this [node] pool."),
    text("memory.limit", "Memory [limit]", "as above", "Maximum memory in this [node] pool."),
    text("priority", "[Priority of the queue]", "as above", "Higher values are served first in this [node] pool."),
];

pub const NODES: &[Group] = &[
    (
        "Nodes",
        &[
            text("name", "Name", "", "Name prefix if there are several: name-1, name-2, …"),
            text("count", "How many", "1", "Number of identical [nodes]. Not set: one [node] with this name."),
            text(
                "state",
                "State",
                "ready",
                "A [node] that is down is not used. A drained [node] keeps its [pods] and gets no new ones.",
            )
            .ask(STATE),
            text("labels", "Labels", "none", "Such as zone=east, tier=a. [Jobs] can require labels."),
            text(
                "taints",
                "Taints",
                "none",
                "Such as gpu:NoSchedule, team=a:NoExecute. Only [pods] with a matching toleration run there.",
            ),
            text("pool", "Pool", "the first", "Every [node] pool is scheduled separately.").ask(Ask::Pool),
        ],
    ),
    (
        "Resources per node",
        &[
            text("gpu", "GPUs", "0", "Maximum 64."),
            text("gpu-memory", "Memory of each GPU", "40000 MiB", "In MiB, or with a unit."),
            text("cpu", "Cores", "64", "CPU cores."),
            text("memory", "Memory", "256 GB", "In bytes, or with a unit."),
            text("pods", "[Pod] slots", "110", "Maximum [pods] at a time."),
            text(
                "resources",
                "Other resources",
                "none",
                "Whole numbers by name, such as rdma=4, nvme=2. [Jobs] can request them, and charts can show them.",
            ),
        ],
    ),
    REMARK,
];

pub const JOB: &[Group] = &[
    (
        "Job",
        &[
            text("name", "Name", "", "Name prefix of a pattern: name-1, name-2, …"),
            text("queue", "[Queue]", "", "A [queue] without children.").ask(Ask::Leaf),
            text(
                    "priority",
                    "Priority class",
                    "train (50)",
                    "A class or a number; higher values are served first within the [queue].",
                ).ask(CLASSES),
            text(
                    "preemptible",
                    "Preemptible",
                    "default (yes if priority is below 100)",
                    "No: it stays within its [queue]'s [quota] and is never [evicted] for other [jobs].",
                ).ask(YES_NO),
            text("user", "User", "none", "Who submitted it."),
        ],
    ),
    (
        "Time",
        &[
            text(
                "submit",
                "Submitted",
                "at the start",
                "A time such as 90s; before 0: it is pending at the start.",
            ),
            text("created", "Created", "when submitted", "At or before that time; its age counts from then."),
            text(
                "lasts",
                "Lasts",
                "until the end",
                "How long each [pod] runs, such as 20m; or drawn for each [job], such as 8m..20m.",
            ),
            text(
                    "restart",
                    "After an [eviction]",
                    "restarts",
                    "Resumes: completed work counts and nothing is lost. Not recreated: the [job] is over once all its [pods] are gone.",
                ).ask(RESTART),
            text("count", "Number of [jobs]", "1", "More than one makes it a pattern of identical [jobs]."),
            text(
                "every",
                "Interval",
                "all at once",
                "Such as 30s; 60s..10s speeds up evenly; 30s random is drawn with this mean.",
            ),
            text("repeat", "Repeat pattern", "once", "Such as 5 every 1d: five times, one day apart."),
            text(
                "seed",
                "Seed",
                "1",
                "A number. The same seed gives the same draw; use a different one for each pattern.",
            ),
        ],
    ),
    (
        "Running at the start",
        &[
            text("on", "On [nodes]", "none (pending)", "One [node] per running [pod], separated by commas."),
            text(
                "on-devices",
                "On their GPUs",
                "the lowest free",
                "One entry per [pod], counted from 0: 2, or 0+1 for several GPUs.",
            ),
            text("started", "Since", "when submitted", "A time at or before 0."),
            text(
                "terminating",
                "Being [evicted]",
                "none",
                "When each of these [pods] is gone, in order, such as 30s or 30s, 30s.",
            ),
            text(
                "evicted-for",
                "[Evicted] for",
                "no job in particular",
                "The [job] that gets the resources.",
            ),
        ],
    ),
    (
        "Where it may run",
        &[
            text(
                "selector",
                "Required labels",
                "anywhere",
                "Such as zone=east: only [nodes] with all these labels.",
            ),
            text(
                "affinity",
                "Required [node] affinity",
                "anywhere",
                "Rules for labels, all of which must hold: zone in (east, west), tier notin (old), ssd, !spot.",
            ),
            text(
                "tolerations",
                "Tolerations",
                "none",
                "Such as gpu, team=a, gpu:NoSchedule or * for all taints.",
            ),
            text(
                "pools",
                "Pools",
                "default: its queue's, else the first",
                "In the order in which they are tried.",
            ),
        ],
    ),
    REMARK,
];

/// Pods of a job, or of one of its pod sets.
pub const PODS: &[Attribute] = &[
    text("pods", "[Pods]", "1", "Maximum number of [pods]."),
    text(
        "min-available",
        "Minimum",
        "default: all (a gang)",
        "Minimum [pods] to start together. [Pods] above it are elastic: they start and stop one by one.",
    ),
    text("gpu", "Resources per [pod]", "no GPU", "").ask(Ask::Request),
    text("cpu", "Cores per [pod]", "0", "CPU cores, such as 2 or 500m."),
    text("memory", "Memory per [pod]", "0", "In bytes, or with a unit such as 16Gi."),
    text("resources", "Other resources per [pod]", "none", "Whole numbers by name, such as rdma=1."),
];

/// Values of a job that apply to all its pod sets.
pub const ALL_KINDS: &[Attribute] = &[text(
    "min-available",
    "Minimum across [pod] sets",
    "each kind by itself",
    "One minimum for [pods] of different sizes. Leave the minimum of each [pod] set empty.",
)];

/// Values of one of several pod sets.
pub const KIND: &[Attribute] = &[
    text("name", "Name", "", "Unique in its [job]."),
    text(
        "after",
        "Joins after",
        "with the job",
        "How long after the [job] these [pods] are created, such as 30s. One [pod] set comes with the [job].",
    ),
];

/// The scenario as a whole.
pub const SCENARIO: &[Attribute] = &[
    text("name", "Title", "none", "Title of the scenario."),
    text("note", "Description", "none", "Shown above the charts."),
];

/// Times and delays.
pub const TIME: &[Attribute] = &[
    text("cycle", "Cycle interval", "every 1s", "A period such as 1s, or: on change (default of first in, first out)."),
    text("delays.start", "Startup time", "none", "How long a pod takes to start, such as 30s."),
    text(
        "delays.termination",
        "Termination time",
        "by the next cycle",
        "How long an evicted pod keeps its GPUs while it shuts down.",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::document;
    use fairground::policy::Policy;
    use fairground::scenario::{Edit, Path, Scenario, Severity};

    /// Every attribute has a valid path, else the form would reject every value.
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
            .chain(Policy::ALL.iter().filter_map(|policy| policy.form.job).flat_map(|g| g.1).map(|a| (job.clone(), a)))
            .chain(PODS.iter().chain(KIND).map(|a| (job.field("pod-sets").named("p"), a)))
            .chain(of(Policy::DEFAULT.form.settings).chain(SCENARIO).chain(TIME).map(|a| (root.clone(), a)));
        for (owner, attribute) in all {
            let at = attribute.place(&owner);
            let edit = fairground::scenario::Edit::Set { at: at.clone(), value: "1".into() };
            let after = document::apply(&scenario, &[edit]).unwrap_or_else(|says| panic!("{at}: {says}"));
            // A renamed thing is found under its new name.
            let renamed = attribute.key == "name" && at.0.len() > 1;
            assert!(renamed || document::value(&after, &at).starts_with('1'), "{at} keeps what is set");
        }
    }

    #[test]
    fn defaults_of_the_common_form_are_those_of_the_policy() {
        for policy in Policy::ALL.iter().filter(|policy| policy.form.queue.is_none()) {
            for field in Field::ALL {
                let Some(unset) = policy.unset(field, Resource::GPU) else { continue };
                let key = format!("gpu.{}", field.name());
                let attribute = QUEUE.iter().flat_map(|(_, all)| all.iter()).find(|a| a.key == key);
                let attribute = attribute.expect("a value of queues");
                let default = default_of(policy, attribute);
                assert!(default.starts_with(unset), "{} {key}: {default}", policy.key);
            }
        }
    }

    #[test]
    fn rules_in_a_list_keep_their_parentheses() {
        let text = "format: fairground-scenario\nversion: 1\nnodes: [{name: n}]\nqueues: [{name: q}]\n\
                    jobs: [{name: j, queue: q}]\n";
        let scenario: Scenario = document::from_text(text).expect("it can be read");
        let at = Path::default().field("jobs").named("j").field("affinity");
        let typed = "zone in (a, b), ssd";
        let set = Edit::Set { at: at.clone(), value: typed.into() };
        let after = document::apply(&scenario, &[set]).expect("a list");
        assert_eq!(after.jobs[0].affinity, ["zone in (a, b)", "ssd"]);
        assert_eq!(document::value(&after, &at), typed);
    }

    /// Settings of a queue are renamed and removed with it.
    #[test]
    fn every_own_attribute_is_a_place() {
        const TYPED: [&str; 6] = ["1", "5s", "-5s", "p", "pods 10", "[{users: [alice], maxapplications: 2}]"];
        for (policy, groups) in Policy::ALL.iter().filter_map(|policy| Some((policy.key, policy.form.queue?))) {
            let text = format!(
                "format: fairground-scenario\nversion: 1\npolicy: {policy}\nnodes: [{{name: n}}]\n\
                 queues: [{{name: p, gpu: {{quota: 1}}}}, {{name: q}}]\n"
            );
            let scenario: Scenario = document::from_text(&text).expect("it can be read");
            let owner = Path::default().field("queues").named("q");
            for attribute in groups.iter().flat_map(|(_, all)| all.iter()).filter(|a| a.key != "name") {
                let at = attribute.place(&owner);
                let choices = match attribute.ask {
                    Ask::Choice(choices) | Ask::Usual(choices) => choices.iter().map(|choice| choice.0).collect(),
                    _ => TYPED.to_vec(),
                };
                let valid = choices.into_iter().find_map(|value| {
                    let set = Edit::Set { at: at.clone(), value: value.into() };
                    let after = document::apply(&scenario, &[set]).ok()?;
                    let found = document::findings(&after);
                    found.iter().all(|d| d.severity != Severity::Error).then_some((value, after))
                });
                let (value, after) = valid.unwrap_or_else(|| panic!("{policy}: {at} takes no value"));
                assert_eq!(document::value(&after, &at), value, "{at} keeps what is set");
                let to = "renamed".to_string();
                let renamed = document::apply(&after, &[Edit::Rename { at: owner.clone(), to }]).expect("a name");
                let moved = attribute.place(&Path::default().field("queues").named("renamed"));
                assert_eq!(document::value(&renamed, &moved), value, "{at} follows");
                let gone = document::apply(&after, &[Edit::Remove { at: owner.clone() }]).expect("it goes");
                assert!(gone.settings.is_empty(), "{at} goes");
            }
        }
    }
}
