//! The forms of Run:ai and EGO, in their own words: what a queue is there, and the switches.

use fairground::policy::Policy;

use super::attributes::{Ask, Attribute, Group, ON_OFF, PROTECTION, REMARK, YES_NO, ask, text};
use super::own_kai::{
    FETCHED, FIRST_WINDOW, GANG_GRACE, HALF_LIFE, KIND_OF_WINDOW, MEASURED_BY, MIN_RUNTIME, MOST_MOVED,
    PLACEMENTS, WINDOW,
};

/// The levels of over-quota weight.
const LEVELS: Ask = Ask::Usual(&[
    ("none", "never beyond the quota"),
    ("lowest", "0: idle GPUs only"),
    ("low", "1"),
    ("medium", "2"),
    ("high", "3"),
]);

/// The values of a queue under a policy; `None`: those of all policies.
pub fn queue(policy: &str) -> Option<&'static [Group]> {
    match policy {
        "runai" => Some(RUNAI_QUEUE),
        "ego" => Some(EGO_QUEUE),
        "yunikorn" => Some(super::own_yunikorn::QUEUE),
        _ => None,
    }
}

/// What only a policy reads of jobs, beside what all of them read.
pub fn job(policy: &str) -> Option<&'static Group> {
    match policy {
        "" | "kai" | "runai" => Some(&super::own_kai::JOB),
        "yunikorn" => Some(&super::own_yunikorn::JOB),
        _ => None,
    }
}

/// A value of jobs as a policy has it: of some it knows more than others.
pub fn of_job(policy: &str, attribute: &'static Attribute) -> &'static Attribute {
    let has_classes = !Policy::job_defaults(policy).classes.is_empty();
    match attribute.key {
        "preemptible" if policy == "runai" => &TAKEN,
        "preemptible" if !has_classes => &TAKEN_UNLESS,
        "priority" if !has_classes => &NUMBER,
        _ => attribute,
    }
}

/// The priority of a job where there are no classes.
const NUMBER: Attribute =
    text("priority", "Priority", "0", "A whole number, also negative; larger first inside its queue.");

/// Whether the pods of a job may be taken from it, where its priority does not say so.
const TAKEN_UNLESS: Attribute =
    ask(text("preemptible", "May be taken from", "yes", "If not, others are evicted before it."), YES_NO);

/// Which pods of a workload of Run:ai may be taken from it.
const TAKEN: Attribute = ask(
    text(
        "preemptible",
        "May be taken from",
        "below priority 100",
        "If not, it stays within quota and is never evicted for others. Semi: so it is for the first pods, as many as must \
         start together; those above may go over quota and be taken.",
    ),
    Ask::Choice(&[("true", "yes"), ("false", "no"), ("semi", "semi: only above its minimum")]),
);

/// A department or project of Run:ai.
pub const RUNAI_QUEUE: &[Group] = &[
    (
        "Department or project",
        &[
            text("name", "Name", "", "Unique among departments and projects."),
            ask(
                text(
                    "parent",
                    "Department",
                    "none: a department, or a project of one level",
                    "Where the project belongs.",
                ),
                Ask::Parent,
            ),
            text(
                "priority",
                "Rank",
                "the same for all",
                "A number. The larger is served first, and gives back last; older versions have no rank.",
            ),
            ask(
                text(
                    "@over-quota",
                    "Over-quota weight",
                    "that of the resource, else medium (2)",
                    "A level or a number: its part in what nobody's quota uses. A department's part goes by its quota.",
                ),
                LEVELS,
            ),
            text(
                "created",
                "Age",
                "by order in the file",
                "A moment such as -5s. The older one wins a tie and gets the odd GPU.",
            ),
        ],
    ),
    (
        "GPU",
        &[
            text(
                "gpu.quota",
                "Quota",
                "0",
                "GPU devices it is guaranteed, or: unlimited. What it does not use is lent.",
            ),
            text("gpu.limit", "Limit", "none", "The most devices it ever holds."),
            text(
                "gpu.weight",
                "Over-quota weight",
                "2 (medium)",
                "Of GPUs alone: 0 lowest, 1 low, 2 medium, 3 high, or any number.",
            ),
            text(
                "gpu.usage",
                "Past usage",
                "0",
                "Share of the cluster it used lately, 0 to 1, for time-based fairshare.",
            ),
        ],
    ),
    (
        "CPU",
        &[
            text("cpu.quota", "Quota", "unlimited", "Cores, or: unlimited."),
            text("cpu.limit", "Limit", "none", "Cores."),
            text("cpu.weight", "Over-quota weight", "2 (medium)", "Of CPU alone."),
        ],
    ),
    (
        "CPU memory",
        &[
            text("memory.quota", "Quota", "unlimited", "With a unit such as 64 GB, or: unlimited."),
            text("memory.limit", "Limit", "none", "As the quota."),
            text("memory.weight", "Over-quota weight", "2 (medium)", "Of memory alone."),
        ],
    ),
    PROTECTION,
    REMARK,
];

/// A consumer of EGO.
pub const EGO_QUEUE: &[Group] = &[
    (
        "Consumer",
        &[
            text("name", "Name", "", "Unique among consumers."),
            ask(
                text("parent", "Parent", "the root", "Its private pool comes before the public one."),
                Ask::Parent,
            ),
            text(
                "priority",
                "Share priority",
                "0",
                "Among siblings the larger takes all it can use first. IBM counts from 1, the highest, to 10.",
            ),
            text("@rank", "Rank", "0", "Order in which owners get their hosts; 0 is first."),
        ],
    ),
    (
        "GPU",
        &[
            text("gpu.quota", "Ownership", "0", "GPUs: it owns the first whole hosts that fit into it."),
            text(
                "gpu.weight",
                "Share ratio",
                "1",
                "Its part in share pools among siblings of equal priority; 0 takes no part.",
            ),
            text(
                "gpu.limit",
                "Share limit",
                "none",
                "The most GPUs it takes from share pools; what it owns does not count.",
            ),
        ],
    ),
    (
        "CPU",
        &[
            text("cpu.quota", "Ownership", "0", "Cores: it owns the first whole hosts that fit into it."),
            text("cpu.limit", "Share limit", "none", "The most cores it takes from share pools."),
        ],
    ),
    (
        "Memory",
        &[
            text("memory.quota", "Ownership", "0", "With a unit such as 64 GB."),
            text("memory.limit", "Share limit", "none", "As the ownership."),
        ],
    ),
    (
        "Lending",
        &[
            ask(
                text(
                    "@lendout",
                    "Lends its hosts",
                    "as the plan says",
                    "Whether others may use the hosts that it cannot use.",
                ),
                ON_OFF,
            ),
            text("@reserved", "Reserved hosts", "0", "How many of its own hosts are never lent."),
            text(
                "@lendout-grace",
                "Lend-out grace",
                "as the plan's grace period",
                "Borrowers with a longer reclaim grace are refused.",
            ),
        ],
    ),
    (
        "Grace periods",
        &[
            text(
                "@reclaim-grace",
                "Reclaim grace",
                "that of the pool",
                "How long its own units go on when they are reclaimed; pools with a shorter grace refuse it.",
            ),
            text(
                "@private-pool-grace",
                "Grace of its private pool",
                "as the plan's grace period",
                "What units of those below it are given in its private pool.",
            ),
        ],
    ),
    REMARK,
];

/// The switches of Run:ai.
pub const RUNAI: &[Group] = &[
    (
        "Switches of Run:ai",
        &[
            ask(
                text(
                    "settings.department-over-quota",
                    "Over quota of departments",
                    "by quota",
                    "How departments share what is left: in proportion to their quotas, or to their weights.",
                ),
                Ask::Choice(&[("by-quota", "by quota"), ("by-weight", "by weight")]),
            ),
            ask(
                text(
                    "settings.over-quota-weights",
                    "Over-quota weights",
                    "on",
                    "Whether projects share what is left by their weights, or by their quotas.",
                ),
                Ask::Choice(&[("on", "on"), ("off", "off")]),
            ),
            text(
                "settings.default-job-priority",
                "Priority of workloads without one",
                "50",
                "A whole number; from 100 on they are not preemptible.",
            ),
            text(
                "settings.saturation-multiplier",
                "Reclaimer utilisation multiplier",
                "1",
                "A factor from 1: the larger, the more queues keep of what they hold beyond their fairshare.",
            ),
            MOST_MOVED,
            GANG_GRACE,
        ],
    ),
    MIN_RUNTIME,
    PLACEMENTS,
    (
        "Time-based fairshare",
        &[
            text(
                "settings.k-value",
                "Weight of the past (k)",
                "1",
                "A factor from 0: how strongly past usage lowers a part in the over-quota.",
            ),
            MEASURED_BY,
            WINDOW,
            KIND_OF_WINDOW,
            FIRST_WINDOW,
            HALF_LIFE,
            FETCHED,
        ],
    ),
];

/// The switches of EGO.
pub const EGO: &[Group] = &[(
    "Switches of EGO",
    &[
        text(
            "settings.grace",
            "Grace period",
            "the delay from evict to gone",
            "How long a unit may go on once it is taken, such as 60s: DefaultGracePeriod of the plan.",
        ),
        ask(
            text(
                "settings.lendout",
                "Owners lend",
                "on",
                "Whether hosts that an owner cannot use are lent to others.",
            ),
            ON_OFF,
        ),
        ask(
            text("settings.placement", "Which host", "stacked", "The host that a unit goes to."),
            Ask::Choice(&[
                ("stacked", "the first that fits"),
                ("balanced", "the one with the most room"),
                ("exclusive", "one that only this consumer uses"),
            ]),
        ),
    ],
)];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::document;

    /// What the form says of a job that leaves something out is what the policy makes of it.
    #[test]
    fn the_defaults_of_jobs_are_the_policys() {
        let shared = super::super::attributes::JOB.iter().flat_map(|(_, all)| all.iter());
        let of = |policy, key| of_job(policy, shared.clone().find(|a| a.key == key).expect("in every form"));
        for policy in Policy::NAMES {
            let defaults = Policy::job_defaults(policy);
            let priority = of(policy, "priority");
            assert!(priority.default.contains(&defaults.priority.to_string()), "{policy}: {priority:?}");
            let listed: Vec<&str> = match priority.ask {
                Ask::Usual(classes) => classes.iter().map(|(name, _)| *name).collect(),
                _ => Vec::new(),
            };
            let classes: Vec<&str> = defaults.classes.iter().map(|(name, _)| *name).collect();
            assert_eq!(listed, classes, "{policy}");
            let preemptible = of(policy, "preemptible").default;
            match defaults.non_preemptible_from {
                Some(from) => assert_eq!(preemptible, format!("below priority {from}"), "{policy}"),
                None => assert_eq!(preemptible, "yes", "{policy}"),
            }
        }
    }

    /// Every choice is one that a scenario of the policy may say.
    #[test]
    fn workloads_may_be_semi_preemptible() {
        let shared = super::super::attributes::JOB.iter().flat_map(|(_, all)| all.iter());
        let shared = shared.clone().find(|a| a.key == "preemptible").expect("all policies ask for it");
        assert_eq!((of_job("kai", shared), of_job("runai", shared)), (shared, &TAKEN));
        let Ask::Choice(choices) = TAKEN.ask else { panic!("{:?}", TAKEN.ask) };
        assert!(choices.iter().any(|(value, _)| *value == "semi"));
        for (value, _) in choices {
            let text = format!(
                "format: fairground-scenario\nversion: 1\npolicy: runai\nnodes: [{{name: n, gpu: 8}}]\n\
                 queues: [{{name: q, gpu: {{quota: 4}}}}]\n\
                 jobs: [{{name: j, queue: q, gpu: 1, pods: 2, min-available: 1, preemptible: {value}}}]\n"
            );
            let found = document::findings(&document::from_text(&text).expect("it can be read"));
            let wrong = found.iter().find(|d| d.at.to_string().contains("preemptible"));
            assert_eq!(wrong, None, "{value}");
        }
    }

    /// A switch that is left out here could not be set on the page.
    #[test]
    fn every_switch_has_its_field() {
        for (policy, switches, of_queue) in [("runai", RUNAI, RUNAI_QUEUE), ("ego", EGO, EGO_QUEUE)] {
            let wrong =
                format!("format: fairground-scenario\nversion: 1\npolicy: {policy}\nsettings: {{zzz: 1}}\n");
            let found = document::findings(&document::from_text(&wrong).expect("it can be read"));
            let listed = found.iter().find_map(|d| d.says.split_once("it has ")).expect("all are listed").1;
            let listed =
                listed.replace("and for a queue, as in rank.NAME: ", "").replace("and for a queue ", "");
            let has = |groups: &[Group], key: String| {
                groups.iter().any(|(_, all)| all.iter().any(|a| a.key == key))
            };
            for name in listed.split(", ").map(|name| name.trim_end_matches(".NAME")) {
                let known = has(switches, format!("settings.{name}")) || has(of_queue, format!("@{name}"));
                assert!(known, "{policy}: {name} of {listed} has no field");
            }
        }
    }
}
