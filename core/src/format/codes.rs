//! All codes of findings: severity, explanation and a minimal invalid scenario for each.

use serde::de::{Deserializer, Error};
use serde::{Deserialize, Serialize};

/// Severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Severity {
    /// The scenario runs, but may not behave as intended.
    Warning,
    /// The scenario cannot run.
    Error,
}

/// Kind of a finding, such as `S012`. Each has an explanation and a minimal invalid scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Code(pub &'static str);

/// Documentation of a code.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// Code, such as `S012`.
    pub code: Code,
    /// Severity of all findings with this code.
    pub severity: Severity,
    /// Title of a few words.
    pub title: &'static str,
    /// Explanation and remedy, in one paragraph.
    pub about: &'static str,
    /// Minimal invalid scenario; without its own `format` line, the two header lines are prepended.
    example: &'static str,
}

impl About {
    /// Returns the minimal invalid scenario as a complete text. Can be large for codes about size limits.
    pub fn example(&self) -> String {
        let mut text = if self.example.starts_with("format:") {
            String::new()
        } else {
            "format: fairground-scenario\nversion: 1\n".to_string()
        };
        text.push_str(self.example);
        match self.code {
            TEXT_TOO_LARGE => text.push_str(&" ".repeat(super::TEXT_MAX)),
            TOO_NESTED => text.push_str(&format!("settings: {}{}", "[".repeat(65), "]".repeat(65))),
            TOO_DEEP => {
                text.push_str("queues:\n");
                for level in 0..=super::TREE_DEPTH_MAX {
                    let parent = if level == 0 { String::new() } else { format!("parent: q{}, ", level - 1) };
                    text.push_str(&format!("- {{name: q{level}, {parent}gpu: {{limit: unlimited, weight: 1}}}}\n"));
                }
            }
            _ => {}
        }
        text
    }
}

/// Returns the documentation of a code.
pub fn about(code: Code) -> Option<&'static About> {
    ALL.iter().find(|about| about.code == code)
}

// A code is a static string, so deserialisation looks it up in the list and rejects unknown ones.
impl<'de> Deserialize<'de> for Code {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Code, D::Error> {
        let code = String::deserialize(deserializer)?;
        let listed = ALL.iter().find(|about| about.code.0 == code);
        listed.map(|about| about.code).ok_or_else(|| D::Error::custom(format!("{code} is no code of a finding")))
    }
}

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident $code:literal $severity:ident $title:literal $about:literal $example:literal)*) => {
        $(
            #[doc = $title]
            pub const $name: Code = Code($code);
        )*
        /// All codes in ascending order.
        pub const ALL: &[About] = &[$(About {
            code: $name,
            severity: Severity::$severity,
            title: $title,
            about: $about,
            example: $example,
        }),*];
    };
}

codes! {
SYNTAX "S001" Error "neither YAML nor JSON"
"The text cannot be parsed; nothing after this line was checked. Fix this line first."
"format: [fairground-scenario\n"

TEXT_TOO_LARGE "S002" Error "text too large"
"Texts of up to 50 MB are read. Patterns (`count`, `every`) and node groups keep large scenarios short."
""

TOO_NESTED "S003" Error "nested too deeply"
"A scenario has only a few levels; a text nested more than 64 levels deep is refused."
""

YAML_FEATURE "S004" Error "YAML feature not supported"
"Anchors, aliases, merge keys, tags, several documents and keys that are not texts are not supported, because a file \
must mean the same to every parser. Write the values out."
"format: fairground-scenario\nversion: 1\nname: !!str a\n"

DUPLICATE_KEY "S005" Error "duplicate key"
"A key can be given only once: with two values it is unclear which one is meant."
"format: fairground-scenario\nversion: 1\nname: a\nname: b\n"

SHAPE "S006" Error "wrong type"
"A field that takes one value has a list or a mapping, or the other way round."
"format: fairground-scenario\nversion: 1\njobs: many\n"

UNKNOWN_KEY "S007" Error "unknown field"
"The format has no such field here, so its value would be ignored. It may be misspelled, or belong \
elsewhere."
"format: fairground-scenario\nversion: 1\nqueus: []\n"

FORMAT "S008" Error "not a scenario"
"Every scenario begins with `format: fairground-scenario`, so that other files are not mistaken for one."
"format: something-else\nversion: 1\n"

VERSION "S009" Error "unknown version"
"This build reads version 1 of the format. A newer file needs a newer build."
"format: fairground-scenario\nversion: 2\n"

DIALECT "S010" Error "unknown dialect"
"The dialect is the product whose terms and units the file uses. This build knows `kai`, which is also the default."
"dialect: slurm\n"

POLICY "S011" Error "unknown policy"
"The policy is the scheduler that is simulated. This build knows `kai` (the default), `fifo`, `yunikorn`, `ego`, `runai`, \
`max-min` and `drf`."
"policy: lottery\n"

SETTING "S012" Error "unknown setting"
"The policy has no setting of this name. An unknown setting is refused, because it would be ignored without notice."
"settings: {k-valu: 2}\n"

SETTING_VALUE "S013" Error "invalid value for this setting"
"The setting exists, but does not accept this value."
"settings: {gpu-placement: random}\n\
nodes: [{name: n, gpu: 8}]\n"

NUMBER "S014" Error "not a quantity"
"The text is not a number with a unit that fits here: `8`, `1.5`, `500m` for CPU and GPU, `16Gi` or `64 GB` for memory. \
The smallest amount is a thousandth of a core or GPU."
"nodes: [{name: n, gpu: eight}]\n"

NEGATIVE "S015" Error "negative value"
"This quantity cannot be negative. Write `unlimited` for no limit."
"nodes: [{name: n, gpu: -8}]\n"

LARGE "S016" Error "too large"
"Values are counted exactly up to 2^53 thousandths or bytes, times up to a hundred years, and a node has up to 64 GPUs. \
A larger value usually has the wrong unit."
"nodes: [{name: n, gpu: 65}]\n"

DURATION "S017" Error "not a duration"
"A time is a number of seconds (`90`) or has units: `250ms`, `90s`, `5m`, `2h30m`, `1d`."
"delays: {start: soon}\n"

NO_NAME "S018" Error "no name"
"Queues, nodes, jobs and pod sets are referred to by name, so each needs one."
"nodes: [{gpu: 8}]\n"

BAD_NAME "S019" Error "invalid name"
"Names have at most 253 characters, no control characters and no invisible ones, such as zero-width characters and those that \
reverse the direction of text, so that lists and logs stay readable and different names look different. Anything else is \
allowed, and is never interpreted as markup."
"nodes: [{name: \"a\\nb\", gpu: 8}]\n"

DUPLICATE_NAME "S020" Error "duplicate name"
"Two queues, two nodes, two jobs, or two pod sets of a job have the same name, so a reference to it would be \
ambiguous. Names generated by a group or a pattern (`name-1`, `name-2`, …) count too."
"nodes: [{name: n, gpu: 8}, {name: n, gpu: 4}]\n"

NO_PARENT "S021" Error "parent does not exist"
"The queue names a parent that is not in the file."
"queues: [{name: a, parent: top, gpu: {quota: 1, limit: unlimited, weight: 1}}]\n"

CYCLE "S022" Error "circular parents"
"These queues are each other's ancestors. One of them needs another parent, or none."
"queues:\n\
- {name: a, parent: b, gpu: {quota: 1, limit: unlimited, weight: 1}}\n\
- {name: b, parent: a, gpu: {quota: 1, limit: unlimited, weight: 1}}\n"

TOO_DEEP "S023" Error "queue tree too deep"
"Queues can be nested up to sixteen levels deep."
""

NO_QUEUE "S024" Error "queue does not exist"
"A job needs a queue that is in the file."
"jobs: [{name: j, queue: a}]\n"

NOT_A_LEAF "S025" Error "job in a queue that has children"
"Jobs are submitted to queues without children; parent queues only divide resources."
"queues:\n\
- {name: top, gpu: {quota: 1, limit: unlimited, weight: 1}}\n\
- {name: a, parent: top, gpu: {quota: 1, limit: unlimited, weight: 1}}\n\
nodes: [{name: n, gpu: 8}]\n\
jobs: [{name: j, queue: top, gpu: 1}]\n"

MIN_AVAILABLE "S026" Error "min-available out of range"
"The minimum is at most all pods of the job; a minimum of subgroups is at most all of them. If omitted, all start \
together."
"nodes: [{name: n, gpu: 8}]\n\
queues: [{name: a, gpu: {quota: 1, limit: unlimited, weight: 1}}]\n\
jobs: [{name: j, queue: a, gpu: 1, pods: 2, min-available: 3}]\n"

CONFLICT "S027" Error "conflicting fields"
"Only one of these can be given: `gpu` or `gpu-memory`; `pod-sets` or `pods` and requests of the job; \
`min-available` of the job or of its `pod-sets`; one of `queue`, `node`, `job` in an entry of the timeline. A setting \
of a newer release does not go with an older `version`."
"nodes: [{name: n, gpu: 8}]\n\
queues: [{name: a, gpu: {quota: 1, limit: unlimited, weight: 1}}]\n\
jobs: [{name: j, queue: a, gpu: 1, gpu-memory: 1000}]\n"

FRACTION "S028" Error "fraction of several GPUs"
"A pod requests whole GPUs or a fraction of one GPU. More than one GPU must be a whole number."
"nodes: [{name: n, gpu: 8}]\n\
queues: [{name: a, gpu: {quota: 1, limit: unlimited, weight: 1}}]\n\
jobs: [{name: j, queue: a, gpu: 1.5}]\n"

PRIORITY "S029" Error "unknown priority"
"A job's priority is an integer or a priority class: one whose value is in the settings (`priority-class.NAME`) or, under `kai` and \
`runai`, `train` (50), `build-preemptible` (75), `build` (100) or `inference` (125). A queue's priority is an integer."
"nodes: [{name: n, gpu: 8}]\n\
queues: [{name: a, gpu: {quota: 1, limit: unlimited, weight: 1}}]\n\
jobs: [{name: j, queue: a, gpu: 1, priority: urgent}]\n"

CHOICE "S030" Error "invalid choice"
"This field accepts only the values named in the message."
"nodes: [{name: n, gpu: 8, state: broken}]\n"

NO_NODE "S031" Error "node does not exist"
"A job that runs from the start, or that a node is nominated for, names a node that is not in the file. Nodes of a group are called `name-1`, `name-2`, …"
"nodes: [{name: n, gpu: 8}]\n\
queues: [{name: a, gpu: {quota: 1, limit: unlimited, weight: 1}}]\n\
jobs: [{name: j, queue: a, gpu: 1, on: [m]}]\n"

TOO_MANY_ON "S032" Error "more nodes than pods"
"`on` names one node for each pod that runs from the start, so it cannot be longer than the number of pods."
"nodes: [{name: n, gpu: 8}]\n\
queues: [{name: a, gpu: {quota: 1, limit: unlimited, weight: 1}}]\n\
jobs: [{name: j, queue: a, gpu: 1, on: [n, n]}]\n"

OVERFULL "S033" Error "pods cannot run on this node"
"The pods that run from the start cannot have the devices that they name, or a selector, a pool or the state of the node forbids it."
"nodes: [{name: n, gpu: 1}]\n\
queues: [{name: a, gpu: {quota: 1, limit: unlimited, weight: 1}}]\n\
jobs: [{name: j, queue: a, gpu: 1, count: 2, on: [n, n], on-devices: ['0', '0']}]\n"

NOT_AT_START "S034" Error "not running when it appears"
"A job with `on` is running when the scenario begins or, if it is submitted later, when it is submitted: it must have started by then, and not \
have ended."
"nodes: [{name: n, gpu: 8}]\n\
queues: [{name: a, gpu: {quota: 1, limit: unlimited, weight: 1}}]\n\
jobs: [{name: j, queue: a, gpu: 1, submit: 5, started: 7, on: [n]}]\n"

EMPTY_ENTRY "S035" Error "timeline entry without effect"
"An entry of the timeline names a queue with new values, a node with a `state` or a `capacity`, or a job that ends."
"timeline: [{at: 5}]\n"

UNKNOWN_TARGET "S036" Error "unknown name in the timeline"
"The queue, node or job of this entry is not in the file. Nodes and jobs of groups and patterns are called `name-1`, …"
"timeline: [{at: 5, node: n, state: down}]\n"

NOT_IN_TIMELINE "S037" Error "cannot change during a run"
"Past usage belongs to the start, and times before 0 have passed; a timeline cannot change them."
"queues: [{name: a, gpu: {quota: 1, limit: unlimited, weight: 1}}]\n\
timeline: [{at: 5, queue: a, gpu: {usage: 0.5}}]\n"

TOO_MANY "S038" Error "too large to simulate"
"The maximum is 20,000 nodes, 200,000 pods and 5,000 queues."
"nodes: [{name: n, gpu: 8, count: 1e12}]\n"

LIMIT_BELOW_QUOTA "S039" Warning "limit below quota"
"The limit applies: the quota above it can never be used."
"nodes: [{name: n, gpu: 8}]\n\
queues: [{name: a, gpu: {quota: 4, limit: 2, weight: 1}}]\n"

NOTHING_ALLOWED "S040" Warning "limit is 0"
"In KAI an omitted limit is 0, so no job that requests this resource can run in the queue or \
its children. Write `unlimited` for no limit."
"nodes: [{name: n, gpu: 8}]\n\
queues: [{name: a, gpu: {quota: 4, weight: 1}}]\n"

NO_QUOTA "S041" Warning "quota not set"
"An omitted quota is 0. In KAI every use of that resource is then over quota and can be \
reclaimed; under first in, first out no job that requests it runs."
"nodes: [{name: n, gpu: 8}]\n\
queues: [{name: a, gpu: {quota: 4, limit: unlimited, weight: 1}, cpu: {limit: unlimited, weight: 1}}]\n\
jobs: [{name: j, queue: a, gpu: 1, cpu: 4}]\n"

NO_WEIGHT "S042" Warning "weight 0"
"A queue with weight 0 (the default in KAI) gets no unused capacity."
"nodes: [{name: n, gpu: 8}]\n\
queues: [{name: a, gpu: {quota: 4, limit: unlimited, weight: 0}}]\n"

CHILDREN_QUOTA "S043" Warning "quotas of children exceed their parent's"
"The quotas of the child queues add up to more than the quota of the parent, so not all of them are guaranteed."
"nodes: [{name: n, gpu: 8}]\n\
queues:\n\
- {name: top, gpu: {quota: 2, limit: unlimited, weight: 1}}\n\
- {name: a, parent: top, gpu: {quota: 4, limit: unlimited, weight: 1}}\n"

OVERSUBSCRIBED "S044" Warning "quotas exceed the cluster"
"The quotas at the top level add up to more than all ready nodes have, so not all of them are guaranteed."
"nodes: [{name: n, gpu: 8}]\n\
queues: [{name: a, gpu: {quota: 9, limit: unlimited, weight: 1}}]\n"

SAME_AGE "S045" Warning "sibling queues of the same age"
"Age breaks ties between queues; at equal age the name does, which is rarely intended."
"nodes: [{name: n, gpu: 8}]\n\
queues:\n\
- {name: a, created: -5, gpu: {quota: 2, limit: unlimited, weight: 1}}\n\
- {name: b, created: -5, gpu: {quota: 2, limit: unlimited, weight: 1}}\n"

TOO_BIG_FOR_NODES "S046" Warning "no node is big enough"
"No node that the job may use could hold one of its pods even when empty, so it waits forever."
"nodes: [{name: n, gpu: 4}]\n\
queues: [{name: a, gpu: {quota: 2, limit: unlimited, weight: 1}}]\n\
jobs: [{name: j, queue: a, gpu: 8}]\n"

NO_MATCH "S047" Warning "no node that the job may use"
"No node has all labels that the job requires, or each of them has a taint that the job does not tolerate, so it waits forever."
"nodes: [{name: n, gpu: 8}]\n\
queues: [{name: a, gpu: {quota: 2, limit: unlimited, weight: 1}}]\n\
jobs: [{name: j, queue: a, gpu: 1, selector: {zone: east}}]\n"

NOT_EXPRESSED "S048" Warning "the policy ignores this"
"The policy has no such setting, so the value has no effect. It is kept in the file for other policies."
"policy: fifo\n\
nodes: [{name: n, gpu: 8}]\n\
queues: [{name: a, gpu: {quota: 2, weight: 2}}]\n"

FEW_BYTES "S049" Warning "memory without a unit"
"Memory without a unit is in bytes, and less than a MiB is probably a mistake. (The memory of KAI queues is in \
units of 10^6 bytes.)"
"nodes: [{name: n, gpu: 8, memory: 64}]\n"

ROUNDED "S050" Warning "rounded by the policy"
"KAI rounds fractions of a GPU to hundredths."
"nodes: [{name: n, gpu: 8}]\n\
queues: [{name: a, gpu: {quota: 2, limit: unlimited, weight: 1}}]\n\
jobs: [{name: j, queue: a, gpu: 0.125}]\n"

EVERY "S051" Warning "pattern without effect"
"`every` spaces the arrivals of a pattern and `repeat` repeats it; without `count` there is only one job. `seed` has an \
effect only with `random` in `every` or two bounds in `lasts`."
"nodes: [{name: n, gpu: 8}]\n\
queues: [{name: a, gpu: {quota: 2, limit: unlimited, weight: 1}}]\n\
jobs: [{name: j, queue: a, gpu: 1, every: 5}]\n"

NO_PLACE "S052" Error "edit of a missing field"
"The edited field is not in the scenario, or does not accept this value: it was renamed or removed in the meantime. \
Only edits cause this."
""

IMPORT "S053" Error "nothing to import"
"The file cannot be converted to a scenario: a required column is missing, no row is usable, or it is too large to \
simulate. Only imports cause this."
""

BAD_ROW "S054" Warning "row skipped"
"A row of an imported table has a value that cannot be read, so it is skipped. Only \
imports cause this."
""

PLACEMENT_RULE "S055" Error "not a placement rule"
"Taints are written `key:Effect` or `key=value:Effect`, tolerations `key`, `key=value`, either with `:Effect` behind, or \
`*`; a required affinity is `key in (a, b)`, `key notin (a, b)`, `key` or `!key`."
"nodes: [{name: n, gpu: 8, taints: [gpu]}]\n"

NO_EFFECT "S056" Warning "no effect in this scenario"
"The setting is valid, but nothing in this scenario depends on it, so another value would give the same run. \
The message says what is missing."
"settings: {k-value: 2}\n\
nodes: [{name: n, gpu: 8}]\n"

NO_POOL "S057" Error "pool does not exist"
"Nodes, jobs, queues and the timeline name pools of the list `pools`. Without a list there is one pool with all nodes, which has no name."
"pools: [{name: train}]\n\
nodes: [{name: n, gpu: 8, pool: dev}]\n"

EMPTY_POOL "S058" Warning "pool without nodes"
"No node names the pool, so jobs that are tried in it wait. Nodes without a pool belong to the first one of the list."
"pools: [{name: train}, {name: dev}]\n\
nodes: [{name: n, gpu: 8}]\n"

REFUSED "S059" Warning "the real scheduler would refuse this"
"The simulation uses these values, but the real scheduler validates its configuration as a whole, and would \
reject it and keep the previous one."
"policy: yunikorn\n\
nodes: [{name: n, gpu: 8}]\n\
queues: [{name: a, gpu: {quota: 1}}, {name: b, gpu: {quota: 1}}]\n\
settings: {maxapplications.root: 2, maxapplications.a: 1}\n"

BACKOFF "S060" Warning "unusual scheduling back-off"
"The scheduling back-off of a job is 1 (it is tried once in a pool) or -1 (it is tried in every cycle). KAI only tests \
whether it is -1, so any other number counts as 1."
"nodes: [{name: n, gpu: 8}]\n\
queues: [{name: a, gpu: {quota: 2, limit: unlimited, weight: 1}}]\n\
jobs: [{name: j, queue: a, gpu: 1, scheduling-backoff: 3}]\n"

SAME_SEED "S061" Warning "patterns with the same seed"
"Two patterns with the same seed draw the same random numbers, so their jobs arrive \
together or take equally long; different seeds make them independent."
"nodes: [{name: n, gpu: 8}]\n\
queues: [{name: a, gpu: {quota: 2, limit: unlimited, weight: 1}}]\n\
jobs: [{name: j, queue: a, gpu: 1, count: 4, lasts: 5..9}, {name: k, queue: a, gpu: 1, count: 4, lasts: 8..20}]\n"

RESTART "S062" Error "invalid restart"
"A pod that replaces an evicted one begins `again`, or does the rest of its work with `resume`; with `never` evicted pods \
are not replaced."
"nodes: [{name: n, gpu: 8}]\n\
queues: [{name: a, gpu: {quota: 2, limit: unlimited, weight: 1}}]\n\
jobs: [{name: j, queue: a, gpu: 1, restart: sometimes}]\n"

GPU_MEMORY "S063" Warning "unlikely GPU memory"
"GPU memory without a unit is in MiB; less than 100 MiB, or a TiB and more, is probably a mistake. KAI and Run:ai count device memory \
in hundreds of MiB and take numbers from 1048576 on as bytes, so they lose count of devices where such a value leaves 0."
"nodes: [{name: n, gpu: 8, gpu-memory: 80}]\n"

NO_JOB "S064" Error "job does not exist"
"Pods that are being evicted at the start name a job, with `evicted-for`, that is not in the file. Jobs of a pattern are called `name-1`, `name-2`, …"
"policy: ego\n\
nodes: [{name: n, gpu: 8}]\n\
queues: [{name: a, gpu: {quota: 1, limit: unlimited, weight: 1}}]\n\
jobs: [{name: j, queue: a, gpu: 1, on: [n], terminating: [30s], evicted-for: k}]\n"

EXCEEDS "S065" Warning "node over capacity"
"The pods that run on this node at the start request more than it has, as on a node that became smaller. They keep running, and no pod \
is added until there is room."
"nodes: [{name: n, gpu: 1}]\n\
queues: [{name: a, gpu: {quota: 1, limit: unlimited, weight: 1}}]\n\
jobs: [{name: j, queue: a, gpu: 1, count: 2, on: [n, n]}]\n"

UNIT "S066" Warning "unlikely unit"
"Queues of KAI and Run:ai count CPU in millicores and memory in megabytes. A quota or limit below one core or one gigabyte is probably a \
number of cores or gigabytes: 8 cores are 8000. YuniKorn counts memory in bytes, where less than a mebibyte is unlikely. 0, unlimited \
and larger values are not reported."
"nodes: [{name: n, gpu: 8, cpu: 64}]\n\
queues: [{name: a, gpu: {quota: 2, limit: unlimited, weight: 1}, cpu: {quota: 8m, limit: unlimited, weight: 1}}]\n"

LIMIT_BELOW_JOB "S067" Warning "limit below what a job needs"
"A job that needs more than the limit of its queue or of a queue above it cannot start, however empty the cluster is. For a gang the \
pods that start together count. Raise the limit, or ask for less."
"nodes: [{name: n, gpu: 8}]\n\
queues: [{name: a, gpu: {quota: 2, limit: 2, weight: 1}}]\n\
jobs: [{name: j, queue: a, gpu: 4}]\n"
}

/// Codes that no scenario can cause: they are about edits and imports.
pub const NOT_OF_SCENARIOS: [Code; 3] = [NO_PLACE, IMPORT, BAD_ROW];
