//! Settings of KAI, one row each: label, help and default, the rules it affects, its parser, and when it certainly has
//! no effect.
//!
//! # Rule
//! An omitted setting has the upstream default (kai.md 4.1). [`super::config`] has the fields that the rows fill, and
//! the parsers.
//!
//! A placement strategy (`gpu-placement`, `cpu-placement`) has the operator's side effects: GPU spread enables
//! gpuspread instead of gpupack and gpusharingorder, and either spread removes consolidation from the actions, unless
//! the scenario lists plugins or actions itself.
//!
//! # Source
//! kai.md 2.4, 2.6, 4.1, 6.8, 8, appendix A; kai-v0.18.md 2.1
//!
//! # Differs
//! windows set by a cron expression are not simulated

use super::config::Action::{self, Allocate, Consolidation, Preempt, Reclaim, StaleGangEviction};
use super::config::{
    Config, Placement, Revision, UsageClient, UsageParams, Window, actions, at_least_one, client, default_plugins,
    half_life, number_or_unlimited, placement, plugins, positive, real, resolve, seconds, unlimited_or, window,
};
use super::facts::{Facts, unless};
use super::order::nondeterminism::{CANDIDATES, DEVICES, INSERTION, NODES, QUEUES, VALIDATOR};
use super::order::queue_order::{self, SHARE};
use super::place::placement::{BEST_NODE, NOMINATED, ROOM};
use super::record::recorder::{LOWER_PRIORITY, STALE_GRACE, STUCK_IN_RELEASING};
use super::share::capacity;
use super::share::division::{QUOTA, REMAINDER, ROUND};
use super::share::usage::USAGE;
use super::solve::min_runtime::RAN_LONG_ENOUGH;
use super::solve::reclaimable::{
    CAN_RECLAIM, GUARANTEE_QUOTA, KEEPS_ORDER, MAINTAIN_FAIR_SHARE, PRIORITY_WITHIN_QUOTA,
};
use crate::format::{Findings, Path, Scenario, codes, quantity, set};
use crate::policy::PRIORITY_CLASS;
use crate::policy::form::{Ask, Attribute, ON_OFF, Stored, text};
use crate::policy::setting::Affects::{Nothing, Rules};
use crate::policy::setting::{Affects, Expected, Setting, priority_class, refused, switch, unknown};

/// A setting.
pub type Row = Setting<Reading, Expected, Unused>;

/// Reason why a setting certainly has no effect; `None`: it may matter. Sufficient, not necessary.
type Unused = fn(&Facts<'_>) -> Option<&'static str>;

const fn row(
    field: Attribute,
    affects: Affects,
    parse: fn(&mut Reading, &str) -> Result<(), Expected>,
    unused: Unused,
) -> Row {
    Setting { field: field.stored(Stored::Setting), affects, aliases: &[], unused, parse }
}

const fn called(aliases: &'static [&'static str], row: Row) -> Row {
    Setting { aliases, ..row }
}

/// A setting that may always have an effect.
const NEVER: Unused = |_| None;

const PLACEMENT: Ask = Ask::Choice(&[("binpack", "fullest node first"), ("spread", "emptiest node first")]);

/// Values parsed so far. Usage is separate: without a client its settings are parsed but have no effect.
#[derive(Default)]
pub struct Reading {
    config: Config,
    client: Option<UsageClient>,
    usage: UsageParams,
    is_tumbling: bool,
    window_start_s: f64,
}

impl Reading {
    fn depth(&mut self, action: Action, text: &str) -> Result<(), Expected> {
        let n = number_or_unlimited(text)?;
        self.config.queue_depth.extend(n.map(|n| (action, n)));
        Ok(())
    }

    /// Parameters of usage; `None` if it is not measured.
    fn usage(&self, f: &mut Findings) -> Option<UsageParams> {
        let mut params = UsageParams { client: self.client?, ..self.usage };
        if self.is_tumbling {
            params.settings.window = Window::Tumbling { start_s: self.window_start_s };
        }
        let samples = params.settings.window_s / params.resolution.as_seconds();
        if samples > SAMPLES_MAX {
            let path = Path::default().field("settings").field("usage-resolution");
            let message = format!("a window of {samples} samples is too much; up to {SAMPLES_MAX} are simulated");
            f.add(codes::SETTING_VALUE, path.clone(), message, set(path, "", "Use the default of usage-resolution"));
        }
        Some(params)
    }
}

/// What runs in a cycle, and how it decides.
pub static GENERAL: [Row; 15] = [
    row(
        text(
                "version",
                "Version",
                "0.13",
                "The release line whose rules decide. 0.17 searches jobs to evict in another way, counts requests of GPU memory \
                     by the devices of the cluster, and knows more settings of jobs.",
            ).ask(Ask::Choice(&[("0.13", "v0.13, v0.14.0"), ("0.17", "v0.17")])),
        Rules(&[&ROOM, &BEST_NODE, &capacity::LIMIT, &CAN_RECLAIM, &LOWER_PRIORITY, &STALE_GRACE]),
        |r, text| {
            let revision = Revision::named(text).ok_or("0.13 or 0.17")?;
            r.config.revision = revision;
            Ok(())
        },
        NEVER,
    ),
    row(
        text(
            "actions",
            "Actions of a cycle",
            "all five, in order",
            "In order: allocate, consolidation, reclaim, preempt, stalegangeviction.",
        ),
        Rules(&[&ROOM, &CAN_RECLAIM, &LOWER_PRIORITY, &STALE_GRACE]),
        |r, text| actions(text).map(|all| r.config.actions = all),
        NEVER,
    ),
    row(
        text(
            "plugins",
            "Plugins",
            "KAI's default plugins",
            "Plugins by KAI's names, such as predicates, proportion, priority. Version 0.17: sg-nodelocalgreedy evicts the \
                 [jobs] of one [node] after the other, sg-multinodegang those of the smallest [nodes] that suffice together; without \
                 both, reclaim, preempt and consolidation find nothing.",
        ),
        Rules(&[&ROUND, &SHARE, &BEST_NODE, &NOMINATED, &RAN_LONG_ENOUGH]),
        |r, text| plugins(text).map(|all| r.config.plugins = all),
        NEVER,
    ),
    called(
        &["kValue"],
        row(
            text(
                "k-value",
                "Usage weight (k)",
                "1",
                "A factor from 0: how strongly past usage reduces a queue's share of unused capacity.",
            ),
            Rules(&[&ROUND]),
            |r, text| real(text).map(|k| r.config.k_value = k),
            |f| unless(f.has_usage, "it needs past usage: of a queue, or measured (usage-client)"),
        ),
    ),
    called(
        &["relcaimerSaturationMultiplier", "reclaimerUtilizationMultiplier"],
        row(
            text(
                "saturation-multiplier",
                "Reclaimer utilization multiplier",
                "1",
                "A factor from 1: the larger, the harder it is to reclaim from queues over their fair share. KAI documents it as \
                 reclaimerUtilizationMultiplier; its code reads relcaimerSaturationMultiplier.",
            ),
            Rules(&[&KEEPS_ORDER]),
            |r, text| real(text).and_then(at_least_one).map(|n| r.config.saturation_multiplier = n),
            |f| {
                unless(f.runs(Reclaim), "the action reclaim does not run")
                    .or(unless(f.has_tree, "it compares departments, and no queue has a parent"))
            },
        ),
    ),
    called(
        &["queuePriorityInQuotaReclaim"],
        row(
            text(
                    PRIORITY_IN_QUOTA,
                    "Reclaim by queue priority (v0.18, alpha)",
                    "off",
                    "On: a [queue] that stays within its [quota] reclaims from [queues] of lower priority, even within their [quota]. \
                     Needs version 0.17. KAI: queuePriorityInQuotaReclaim.",
                ).ask(ON_OFF),
            Rules(&[&PRIORITY_WITHIN_QUOTA, &queue_order::PRIORITY_WITHIN_QUOTA]),
            |r, text| switch(text).map(|on| r.config.priority_in_quota_reclaim = on),
            |f| {
                unless(f.runs(Reclaim), "the action reclaim does not run").or(unless(
                    f.has_queue_priorities,
                    "no two queues below the same parent differ in priority",
                ))
            },
        ),
    ),
    row(
        text(
                "full-hierarchy-fairness",
                "Hierarchical shares",
                "on",
                "Off: child queues are treated as top-level queues.",
            ).ask(ON_OFF),
        Rules(&[&QUOTA, &ROUND, &REMAINDER, &KEEPS_ORDER]),
        |r, text| switch(text).map(|on| r.config.full_hierarchy_fairness = on),
        |f| unless(f.has_tree || !f.config.full_hierarchy_fairness, "no queue has a parent"),
    ),
    row(
        text(
                "restrict-node-scheduling",
                "Separate nodes for CPU jobs",
                "off",
                "On: GPU jobs run only on nodes labelled as GPU workers, other jobs only on CPU workers.",
            ).ask(ON_OFF),
        Rules(&[&ROOM]),
        |r, text| switch(text).map(|on| r.config.restrict_node_scheduling = on),
        |f| {
            unless(
                !(f.config.restrict_node_scheduling && f.all_have_roles),
                "all nodes have both roles, gpu-worker and cpu-worker",
            )
        },
    ),
    row(
        text("default-job-priority", "Default priority", "50", "A whole number."),
        Rules(&[&LOWER_PRIORITY, &capacity::QUOTA]), // Resolved where job priorities are read.
        |_, text| quantity::integer(text).map(drop).map_err(|_| "a whole number"),
        |f| unless(!f.all_have_priorities, "every job says its own priority"),
    ),
    row(
        text(
                "consolidating-reclaim",
                "Allow moves during reclaim",
                "on",
                "Evicted jobs that fit on another node do not count as reclaimed.",
            ).ask(ON_OFF),
        Rules(&[&MAINTAIN_FAIR_SHARE, &GUARANTEE_QUOTA, &KEEPS_ORDER]),
        |r, text| switch(text).map(|on| r.config.allow_consolidating_reclaim = on),
        |f| unless(f.runs(Reclaim), "the action reclaim does not run"),
    ),
    row(
        text(
            "max-consolidation-preemptees",
            "Maximum pods moved at once",
            "16",
            "A number, or: unlimited. 0 turns consolidation off.",
        ),
        Rules(&[&CANDIDATES]),
        |r, text| number_or_unlimited(text).map(|n| r.config.max_consolidation_preemptees = n),
        |f| {
            unless(f.runs(Consolidation), "the action consolidation does not run")
                .or(unless(f.has_preemptible, "no job is preemptible, so none can be moved"))
        },
    ),
    row(
        text(
            "staleness-grace",
            "Grace period of incomplete gangs",
            "60s",
            "How long a gang may run below its minimum, or: unlimited.",
        ),
        Rules(&[&STALE_GRACE]),
        |r, text| unlimited_or(text, seconds).map(|grace| r.config.staleness_grace_s = grace),
        |f| {
            unless(f.runs(StaleGangEviction), "the action stalegangeviction does not run")
                .or(unless(f.has_gangs, "no job needs more than one pod to start together"))
        },
    ),
    row(
        text(
            STUCK_THRESHOLD,
            "Longest shutdown of a [pod]",
            "2m",
            "Version 0.17: the room of a [pod] that takes longer to shut down is not promised to other [jobs].",
        ),
        Rules(&[&STUCK_IN_RELEASING, &ROOM]),
        |r, text| seconds(text).map(|s| r.config.stuck_in_releasing_s = s),
        |f| unless(f.config.revision.has_stuck_pods(), "KAI has it since version 0.17"),
    ),
    row(
        text(
                "scheduling-signatures",
                "Skip jobs similar to failed ones",
                "on",
                "A job with the same requests as one that just failed is not tried.",
            ).ask(ON_OFF),
        Nothing("a job that cannot succeed is not tried; decisions stay the same"),
        |r, text| switch(text).map(|on| r.config.use_scheduling_signatures = on),
        |f| {
            unless(
                [Consolidation, Reclaim, Preempt].into_iter().any(|a| f.runs(a)),
                "no action that looks for victims runs",
            )
        },
    ),
    row(
        text(
            "seed",
            "Random seed",
            "none",
            "A number. Orders that KAI leaves undefined are drawn with it instead of by age and name.",
        ),
        Rules(&[&INSERTION, &QUEUES, &DEVICES, &VALIDATOR, &NODES, &CANDIDATES]),
        |r, text| {
            quantity::count(text)
                .map(|seed| r.config.seed = Some(seed))
                .map_err(|_| "a whole number not below zero")
        },
        NEVER,
    ),
];

/// Minimum runtimes.
pub static MIN_RUNTIME: [Row; 3] = [
    row(
        text(
            "default-reclaim-min-runtime",
            "Before reclaim",
            "0s",
            "How long a job must have run before another queue can reclaim it. Queues can override this.",
        ),
        Rules(&[&RAN_LONG_ENOUGH]),
        |r, text| seconds(text).map(|s| r.config.default_reclaim_min_runtime_s = s),
        |f| f.min_runtime(Reclaim, "the action reclaim does not run"),
    ),
    row(
        text(
            "default-preempt-min-runtime",
            "Before preemption",
            "0s",
            "How long a job must have run before a job of higher priority in its queue can preempt it.",
        ),
        Rules(&[&RAN_LONG_ENOUGH]),
        |r, text| seconds(text).map(|s| r.config.default_preempt_min_runtime_s = s),
        |f| f.min_runtime(Preempt, "the action preempt does not run"),
    ),
    row(
        text(
            "reclaim-resolve",
            "Which minimum applies to reclaim",
            "at the level where the queues' paths split",
            "The first queue that sets a minimum, searched from there upwards.",
        )
        .ask(Ask::Choice(&[
            ("lca", "at the level where the queues' paths split"),
            ("queue", "at the victim's queue, then its parents"),
        ])),
        Rules(&[&RAN_LONG_ENOUGH]),
        |r, text| resolve(text).map(|way| r.config.reclaim_resolve = way),
        |f| unless(f.has_reclaim_min, "there is no minimum runtime against reclaim"),
    ),
];

/// Placement strategies.
pub static PLACEMENTS: [Row; 2] = [
    row(
        text("gpu-placement", "GPU [jobs]", "fullest node first", "Which [node] is chosen among those that fit.")
            .ask(PLACEMENT),
        Rules(&[&BEST_NODE, &DEVICES]),
        |r, text| placement(text).map(|way| r.config.gpu_placement = way),
        |f| unless(f.has_gpus, "no node has a GPU"),
    ),
    row(
        text("cpu-placement", "CPU-only [jobs]", "fullest node first", "Which [node] is chosen among those that fit.")
            .ask(PLACEMENT),
        Rules(&[&BEST_NODE]),
        |r, text| placement(text).map(|way| r.config.cpu_placement = way),
        |f| unless(f.has_cpu_work, "no job runs without a GPU"),
    ),
];

/// Measurement of past usage.
pub static USAGE_HISTORY: [Row; 7] = [
    row(
        text("usage-client", "Usage history", "off", "How past usage of queues is measured during the run.").ask(
            Ask::Choice(&[
                ("none", "off"),
                ("prometheus", "Prometheus, by time"),
                ("fake-with-history", "KAI's test client, by cycle"),
            ]),
        ),
        Rules(&[&USAGE, &ROUND]),
        |r, text| client(text).map(|client| r.client = client),
        NEVER,
    ),
    row(
        text("usage-window", "Window", "7d", "How far back usage counts, such as 7d or 1h."),
        Rules(&[&USAGE]),
        |r, text| positive(text).map(|span| r.usage.settings.window_s = span.as_seconds()),
        |f| f.no_usage(),
    ),
    row(
        text("usage-window-type", "Window type", "sliding", "Tumbling: usage is reset at the end of each window.")
            .ask(Ask::Choice(&[("sliding", "sliding"), ("tumbling", "tumbling")])),
        Rules(&[&USAGE]),
        |r, text| window(text).map(|is_tumbling| r.is_tumbling = is_tumbling),
        |f| f.no_usage(),
    ),
    row(
        text(
            "usage-window-start",
            "Start of the first window",
            "0s",
            "For tumbling windows: the moment from which they are counted.",
        ),
        Rules(&[&USAGE]),
        |r, text| seconds(text).map(|s| r.window_start_s = s),
        |f| unless(f.is_tumbling(), "it needs usage-client and the window type tumbling"),
    ),
    row(
        text(
            "usage-half-life",
            "Half-life",
            "off",
            "Usage this old counts half. Not set: all usage in the window counts equally.",
        ),
        Rules(&[&USAGE]),
        |r, text| half_life(text).map(|half_life| r.usage.settings.half_life_s = half_life),
        |f| f.no_usage(),
    ),
    row(
        text("usage-resolution", "Sampling interval", "60s", "How often usage is measured."),
        Rules(&[&USAGE]),
        |r, text| positive(text).map(|span| r.usage.resolution = span),
        |f| f.no_usage(),
    ),
    row(
        text("usage-fetch-interval", "Fetch interval", "60s", "How often the scheduler reads the usage."),
        Rules(&[&USAGE]),
        |r, text| positive(text).map(|span| r.usage.fetch_interval = span),
        |f| f.no_usage(),
    ),
];

/// Numbers of jobs that an action considers.
pub static QUEUE_DEPTHS: [Row; 4] = [
    row(
        text("queue-depth-allocate", "Allocate", "all", "A number of jobs, or: unlimited."),
        Rules(&[&ROOM]),
        |r, text| r.depth(Allocate, text),
        |f| unless(f.runs(Allocate), "this action does not run"),
    ),
    row(
        text("queue-depth-consolidation", "Consolidation", "all", "A number of jobs, or: unlimited."),
        Rules(&[&CANDIDATES]),
        |r, text| r.depth(Consolidation, text),
        |f| unless(f.runs(Consolidation), "this action does not run"),
    ),
    row(
        text("queue-depth-reclaim", "Reclaim", "all", "A number of jobs, or: unlimited."),
        Rules(&[&CAN_RECLAIM]),
        |r, text| r.depth(Reclaim, text),
        |f| unless(f.runs(Reclaim), "this action does not run"),
    ),
    row(
        text("queue-depth-preempt", "Preempt", "all", "A number of jobs, or: unlimited."),
        Rules(&[&LOWER_PRIORITY]),
        |r, text| r.depth(Preempt, text),
        |f| unless(f.runs(Preempt), "this action does not run"),
    ),
];

/// A setting that never has an effect, so that the form leaves it out.
pub static WITHOUT_FIELD: [Row; 1] = [row(
    text("queue-depth-stalegangeviction", "Stale gang eviction", "all", "A number of jobs, or: unlimited."),
    Nothing("nothing waits for that action"),
    |r, text| r.depth(StaleGangEviction, text),
    |_| Some("this action looks at all jobs, in any order"),
)];

/// All settings.
static ALL: [&[Row]; 6] = [&GENERAL, &MIN_RUNTIME, &PLACEMENTS, &USAGE_HISTORY, &QUEUE_DEPTHS, &WITHOUT_FIELD];

/// All settings.
pub fn all() -> impl Iterator<Item = &'static Row> {
    ALL.into_iter().flatten()
}

/// The switch of v0.18 that lets queues within their quota reclaim by priority.
pub const PRIORITY_IN_QUOTA: &str = "queue-priority-in-quota-reclaim";

/// The time after which a terminating pod is stuck.
pub const STUCK_THRESHOLD: &str = "stuck-in-releasing-threshold";

/// Settings that upstream documents but never reads, with the text of the finding (kai.md 8, row 6).
const NEVER_READ: [(&str, &str); 1] =
    [("usage-staleness", "when usage data are stale, KAI only logs it and goes on with the last")];

/// Text of the finding for a setting that upstream never reads.
pub fn never_read(name: &str) -> Option<&'static str> {
    NEVER_READ.iter().find(|(key, _)| *key == name).map(|(_, message)| *message)
}

/// Finds a setting by upstream's or the format's spelling.
pub fn named(name: &str) -> Option<&'static Row> {
    all().find(|setting| setting.field.key == name || setting.aliases.contains(&name))
}

/// Maximum number of samples in a window.
const SAMPLES_MAX: f64 = 1_000_000.0;

/// Reads the settings of a scenario for which `is_known` holds.
pub fn read(s: &Scenario, is_known: impl Fn(&str) -> bool, f: &mut Findings) -> Config {
    let mut reading = Reading::default();
    for (name, typed) in s.settings.iter().filter(|(name, _)| is_known(name)) {
        if never_read(name).is_some() || priority_class(name, typed, f) {
            continue;
        }
        let path = || Path::default().field("settings").field(name);
        let Some(setting) = named(name) else {
            let names = Setting::names(all());
            unknown(s, name, &names, &format!("it has {}; {PRIORITY_CLASS}NAME", names.join(", ")), f);
            continue;
        };
        let key = setting.field.key;
        if key != name && s.settings.contains_key(key) {
            let message = format!("{name} and {key} are the same setting; give only one");
            f.add(codes::CONFLICT, path(), message, set(path(), "", format!("Remove {name}")));
        } else if let Err(expected) = setting.read(&mut reading, &typed.0) {
            refused(name, typed, expected, f);
        }
    }
    let usage = reading.usage(f);
    let mut config = Config { usage, ..reading.config };
    if !s.settings.contains_key("plugins") {
        config.plugins = default_plugins(config.revision);
    }
    strategy(s, &mut config);
    needs_newest(s, &config, f);
    config
}

/// The switch of v0.18 needs the rules of the newest version simulated.
fn needs_newest(s: &Scenario, config: &Config, f: &mut Findings) {
    if !config.priority_in_quota_reclaim || config.revision == Revision::NEWEST {
        return;
    }
    let newest = Revision::NEWEST.name();
    let names = s.settings.keys().find(|name| named(name).is_some_and(|s| s.field.key == PRIORITY_IN_QUOTA));
    let name = names.map_or(PRIORITY_IN_QUOTA, String::as_str);
    let path = Path::default().field("settings");
    let message = format!(
        "{name} is an alpha feature of KAI v0.18 and needs the rules of version {newest}, the newest simulated; set version to {newest}"
    );
    let fix = set(path.clone().field("version"), newest, format!("Set version to {newest}"));
    f.add(codes::CONFLICT, path.field(name), message, fix);
}

/// Applies the operator's side effects of a placement strategy (kai.md 4.1): other scores for shared devices, and no
/// consolidation. Lists given in the file are unchanged.
fn strategy(s: &Scenario, config: &mut Config) {
    if config.gpu_placement == Placement::Spread && !s.settings.contains_key("plugins") {
        config.spread_devices();
    }
    let spreads = [config.gpu_placement, config.cpu_placement].contains(&Placement::Spread);
    if spreads && !s.settings.contains_key("actions") {
        config.disable_consolidation();
    }
}
