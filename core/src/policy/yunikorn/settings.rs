//! Settings of YuniKorn in a scenario, one row each: settings of the partition by name, of a queue as
//! `priority.policy.team-a`, of a user likewise.
//!
//! # Source
//! yunikorn.md 1.1 to 1.4

use super::config::{Queue, Written, parse, parse_duration};
use super::file::Reader;
use super::rules::{
    self, ABOVE_GUARANTEE, APPLICATION, BELOW_GUARANTEE, HEADROOM, LOWERED_MAX, MAX_APPLICATIONS, NODE_ORDER, PRIORITY,
    SHARE, TIE, USER_LIMIT,
};
use super::words::{Config, GPU_TYPE, GROUPS, TEMPLATE};
use crate::format::{Findings, Path, Scenario, quoted, value};
use crate::policy::PRIORITY_CLASS;
use crate::policy::form::{Ask, ON_OFF, text};
use crate::policy::setting::Affects::{Nothing, Rules};
use crate::policy::setting::{
    Affects, Expected, Rulebook, Setting, SettingRules, choice, priority_class, refused, switch, unknown,
};

/// A property of a queue, whose value is kept as text; `Err` if upstream would silently use the default.
type Property = Setting<(), Expected>;

/// A setting that is only preserved for export.
const EXPORT: Affects = Nothing("kept for an export");
/// A setting of the back-off.
const BACK_OFF: Affects = Nothing("it changes which applications are skipped, not how they are compared");

/// Settings of the partition.
pub static PARTITION: [Setting<Config, String>; 7] = [
    Setting::new(
        text("node-sort", "nodesortpolicy", "fair", "Which node is tried first.")
            .ask(Ask::Choice(&[("fair", "fair: the least used"), ("binpacking", "binpacking: the most used")])),
        Rules(&[&NODE_ORDER]),
        |config, text| {
            config.partition.nodesortpolicy.kind = text.to_string();
            Ok(choice(text, &[("fair", ()), ("binpacking", ())], "fair or binpacking")?)
        },
    ),
    Setting::new(
        text(
            "node-weights",
            "resourceweights",
            "vcore 1, memory 1",
            "Resource weights for node usage, such as: vcore 1, nvidia.com/gpu 4. GPUs count only if they are listed.",
        ),
        Rules(&[&NODE_ORDER]),
        |config, text| {
            for (resource, weight) in pairs(text)? {
                let number = weight.parse::<f64>().ok().filter(|w| w.is_finite() && *w >= 0.0);
                let number = number.ok_or("a list such as vcore 1, memory 0.5")?;
                config.partition.nodesortpolicy.resourceweights.insert(resource, number);
            }
            Ok(())
        },
    ),
    Setting::new(
        text("preemption", "Preemption", "on", "Whether queues below their guarantee can preempt others.").ask(ON_OFF),
        Rules(&[&BELOW_GUARANTEE, &ABOVE_GUARANTEE]),
        |config, text| Ok(switch(text).map(|on| config.partition.preemption.enabled = Some(on))?),
    ),
    Setting::new(
        text(
            "quota-preemption",
            "Quota preemption",
            "off",
            "Whether queues are preempted down to a max that was lowered.",
        )
        .ask(ON_OFF),
        Rules(&[&LOWERED_MAX]),
        |config, text| flag(&mut config.partition.preemption.quotapreemptionenabled, text),
    ),
    Setting::new(
        text("gpu-type", "Resource type of GPUs", GPU_TYPE, "The resource name of GPUs in the configuration."),
        Nothing("a name"),
        |config, text| words(&mut config.gpu_type, text),
    ),
    Setting::new(
        text("partition", "Name", "default", "Name of the partition, used for export."),
        EXPORT,
        |config, text| words(&mut config.partition.name, text),
    ),
    Setting::new(
        text("placement-rules", "placementrules", "none", "Used for export only: jobs name their queue here."),
        EXPORT,
        |config, text| {
            let mut reader = Reader::default();
            let read = value::parse(text, &[]).map_err(|_| "a list in YAML such as [{name: provided}]")?;
            config.partition.placementrules = reader.rules(&read, &Path::default());
            reader.first()
        },
    ),
];

/// Groups of a user.
const OF_USER: SettingRules =
    SettingRules { name: "groups", aliases: &[], affects: Rules(&[&USER_LIMIT, &MAX_APPLICATIONS]) };

/// Limits of a queue on users and applications.
pub static LIMITS: [Setting<Queue, String>; 2] = [
    Setting::of_queue(
        text(
            "maxapplications",
            "maxapplications",
            "any number",
            "How many applications may run in the queue and below it; 0: any number.",
        ),
        Rules(&[&MAX_APPLICATIONS]),
        |queue, text| count(text).map(|n| queue.maxapplications = n),
    ),
    Setting::of_queue(
        text(
            "limits",
            "limits",
            "none",
            "Limits of users and groups, as in queues.yaml: [{users: [alice, \"*\"], maxresources: {nvidia.com/gpu: 2}}]",
        ),
        Rules(&[&USER_LIMIT, &MAX_APPLICATIONS]),
        |queue, text| {
            let mut reader = Reader::default();
            let read = value::parse(text, &[]).map_err(|_| "a list such as [{users: [a], maxapplications: 2}]")?;
            queue.limits = reader.limits(&read, &Path::default());
            reader.first()
        },
    ),
];

/// Guaranteed and maximum amounts of resource types other than CPU, memory and GPU.
pub static OTHER_TYPES: [Setting<Queue, String>; 2] = [
    Setting::of_queue(
        text("guaranteed", "guaranteed", "none", "Such as: pods 10, ephemeral-storage 5Gi."),
        Rules(&[&SHARE, &BELOW_GUARANTEE, &ABOVE_GUARANTEE]),
        |queue, text| amounts(text).map(|all| queue.resources.guaranteed = all),
    ),
    Setting::of_queue(
        text("max", "max", "none", "Such as: pods 10, ephemeral-storage 5Gi."),
        Rules(&[&HEADROOM, &LOWERED_MAX]),
        |queue, text| amounts(text).map(|all| queue.resources.max = all),
    ),
];

/// Whether jobs submitted to a queue go to queues of their users.
pub static PARENT: Setting<Queue, String> = Setting::of_queue(
    text("parent", "parent", "off", "Jobs submitted here go to a dynamic child queue of their user.").ask(ON_OFF),
    Nothing("affects routing only"),
    |queue, text| flag(&mut queue.parent, text),
);

/// Whether the configuration does not contain a queue yet, or no longer.
pub static RELOADED: [Setting<Queue, String>; 1] = [Setting::of_queue(
    text("absent", "absent", "off", "The configuration does not have this queue; a later timeline entry can add it.")
        .ask(ON_OFF),
    Nothing("which queues there are, not what they get"),
    |queue, text| flag(&mut queue.absent, text),
)];

/// Access to a queue.
pub static ACCESS: [Setting<Queue, String>; 2] = [
    Setting::of_queue(
        text("submitacl", "submitacl", "nobody", "Not enforced here: everyone can submit."),
        EXPORT,
        |queue, text| words(&mut queue.submitacl, text),
    ),
    Setting::of_queue(text("adminacl", "adminacl", "nobody", "Not enforced here."), EXPORT, |queue, text| {
        words(&mut queue.adminacl, text)
    }),
];

/// The priority of a queue, which a scenario has as a field of the queue.
pub static OFFSET: Property = Setting::of_queue(
    text(
        "priority.offset",
        "priority.offset",
        "0",
        "Added to the priorities below on the way to the root. With a fence, only the offset is passed on.",
    ),
    Rules(&[&PRIORITY]),
    |(), text| known(text.parse::<i32>().is_ok(), "a whole number of 32 bits"),
);

/// Whether the priorities below a queue count.
pub static PRIORITY_POLICY: Property = Setting::of_queue(
    text("priority.policy", "priority.policy", "default", "Whether priorities below are passed on to the parent.").ask(
        Ask::Choice(&[("default", "default: priorities below count"), ("fence", "fence: only the offset counts")]),
    ),
    Rules(&[&PRIORITY]),
    |(), text| known(is_one_of(text, &["default", "fence"]), "default or fence"),
);

/// Order of the applications of a queue.
pub static SORTING: [Property; 2] = [
    Setting::of_queue(
        text(
            "application.sort.policy",
            "application.sort.policy",
            "that of the parent, else fifo",
            "The order in which the applications of a leaf are tried.",
        )
        .ask(Ask::Choice(&[("fifo", "fifo: by submission"), ("fair", "fair: by what they use")])),
        Rules(&[&APPLICATION]),
        |(), text| known(["fifo", "fair", "stateaware"].contains(&text), "fifo or fair"),
    ),
    Setting::of_queue(
        text(
            "application.sort.priority",
            "application.sort.priority",
            "that of the parent, else enabled",
            "Whether priority comes first: among applications in a leaf, among child queues in a parent.",
        )
        .ask(Ask::Choice(&[("enabled", "enabled: priority first"), ("disabled", "disabled: priority breaks ties")])),
        Rules(&[&PRIORITY, &SHARE, &APPLICATION, &TIE]),
        |(), text| known(is_one_of(text, &["enabled", "disabled"]), "enabled or disabled"),
    ),
];

/// Preemption by and of the jobs of a queue.
pub static PREEMPTION: [Property; 3] = [
    Setting::of_queue(
        text(
            "preemption.policy",
            "preemption.policy",
            "default; disabled is inherited",
            "Where asks below look for victims, and whether this queue provides victims.",
        )
        .ask(Ask::Choice(&[
            ("default", "default"),
            ("fence", "fence: no victims outside"),
            ("disabled", "disabled: no victims here"),
        ])),
        Rules(&[&BELOW_GUARANTEE, &ABOVE_GUARANTEE]),
        |(), text| known(is_one_of(text, &["default", "fence", "disabled"]), "default, fence or disabled"),
    ),
    Setting::of_queue(
        text(
            "preemption.delay",
            "preemption.delay",
            "that of the parent, else 30s",
            "An ask can preempt only when it is at least this old, such as 30s. Inherited by child queues.",
        ),
        Rules(&[&BELOW_GUARANTEE]),
        |(), text| positive_duration(text),
    ),
    Setting::of_queue(
        text(
            "quota.preemption.delay",
            "quota.preemption.delay",
            "that of the parent, else off",
            "How long after its max is lowered a queue is preempted down to it. Needs quota preemption.",
        ),
        Rules(&[&LOWERED_MAX]),
        |(), text| known(parse_duration(text).is_some_and(|delay| delay >= 0), "a duration such as 30s, or 0s"),
    ),
];

/// Back-off of applications whose asks fit no node.
pub static BACKOFF: [Property; 2] = [
    Setting::of_queue(
        text(
            "application.unschedasks.backoff",
            "application.unschedasks.backoff",
            "that of the parent, else off",
            "After this many asks that fit no node, the application is skipped for a while; 0: never.",
        ),
        BACK_OFF,
        |(), text| known(text.parse::<u64>().is_ok(), "a whole number"),
    ),
    Setting::of_queue(
        text(
            "application.unschedasks.backoff.delay",
            "application.unschedasks.backoff.delay",
            "that of the parent, else 30s",
            "How long it is skipped.",
        ),
        BACK_OFF,
        |(), text| positive_duration(text),
    ),
];

/// All properties of a queue.
fn of_properties() -> impl Iterator<Item = &'static Property> {
    [&OFFSET, &PRIORITY_POLICY].into_iter().chain(&SORTING).chain(&PREEMPTION).chain(&BACKOFF)
}

/// All other settings of a queue.
fn of_queue() -> impl Iterator<Item = &'static Setting<Queue, String>> {
    LIMITS.iter().chain(&OTHER_TYPES).chain([&PARENT]).chain(&RELOADED).chain(&ACCESS)
}

/// Names of the queue properties, as in upstream.
pub fn properties() -> Vec<&'static str> {
    let mut names = Setting::names(of_properties());
    names.sort_unstable();
    names
}

/// Names of the other queue settings.
fn queue_words() -> Vec<&'static str> {
    let mut names = Setting::names(of_queue());
    names.sort_unstable();
    names
}

/// Checks that upstream accepts the value of a property, which it reads with its blanks.
///
/// # Errors
///
/// Returns the accepted values if upstream would silently use the default.
pub fn property_is_known(property: &str, text: &str) -> Result<(), Expected> {
    Setting::find(of_properties(), property).map_or(Ok(()), |setting| (setting.parse)(&mut (), text))
}

/// All rules and settings.
pub(super) fn rulebook() -> Rulebook {
    let of_partition = PARTITION.iter().map(Setting::rules).chain([OF_USER]);
    let of_queues = of_properties().map(Setting::rules).chain(of_queue().map(Setting::rules));
    Rulebook::new(rules::all(), of_partition.chain(of_queues))
}

/// Reads all settings, and reports invalid ones.
pub fn read(scenario: &Scenario, f: &mut Findings) -> Config {
    let mut config = Config::default();
    for (name, typed) in &scenario.settings {
        let text = typed.0.trim();
        let known_queue = |queue: &str| queue == "root" || scenario.queues.iter().any(|q| q.name == queue);
        let result = if let Some((word, queue)) = split_queue_setting(name).filter(|(_, queue)| known_queue(queue)) {
            read_queue_setting(config.queues.entry(queue.to_string()).or_default(), word, text)
        } else if let Some(user) = name.strip_prefix(GROUPS).filter(|user| !user.is_empty()) {
            let groups = text.split(',').map(|group| group.trim().to_string()).filter(|g| !g.is_empty());
            config.groups.insert(user.to_string(), groups.collect());
            Ok(())
        } else if priority_class(name, typed, f) {
            continue;
        } else if let Some(setting) = Setting::find(&PARTITION, name) {
            setting.read(&mut config, text)
        } else {
            let names = Setting::names(&PARTITION);
            unknown(scenario, name, &names, &known_settings(name, &names), f);
            continue;
        };
        if let Err(expected) = result {
            refused(name, typed, &expected, f);
        }
    }
    config
}

/// Splits `WORD.NAME` into a known word and the name.
fn split<'a>(name: &'a str, words: &[&'static str]) -> Option<(&'static str, &'a str)> {
    let parts = |word: &&'static str| Some((*word, name.strip_prefix(word)?.strip_prefix('.')?));
    words.iter().filter_map(parts).filter(|(_, rest)| !rest.is_empty()).max_by_key(|(word, _)| word.len())
}

/// Splits the name of a queue setting into the word and the queue.
fn split_queue_setting(name: &str) -> Option<(&str, &str)> {
    let (template, rest) = match name.strip_prefix(TEMPLATE) {
        Some(rest) => (TEMPLATE.len(), rest),
        None => (0, name),
    };
    let (word, queue) = split(rest, &properties()).or_else(|| split(rest, &queue_words()))?;
    Some((&name[..template + word.len()], queue))
}

fn known_settings(name: &str, of_partition: &[&str]) -> String {
    match split_queue_setting(name) {
        Some((word, owner)) => format!("nothing is called {}, of which {word} could be said", quoted(owner)),
        None => format!(
            "it has {}; for a queue, as in priority.policy.NAME: {}, {}, and for queues that placement makes below it the \
             same behind {TEMPLATE}; {PRIORITY_CLASS}NAME; {GROUPS}USER",
            of_partition.join(", "),
            properties().join(", "),
            queue_words().join(", ")
        ),
    }
}

fn read_queue_setting(queue: &mut Queue, word: &str, text: &str) -> Result<(), String> {
    if let Some(word) = word.strip_prefix(TEMPLATE) {
        let template = &mut queue.childtemplate;
        match word {
            "maxapplications" => template.maxapplications = count(text)?,
            "guaranteed" => template.resources.guaranteed = amounts(text)?,
            "max" => template.resources.max = amounts(text)?,
            property if properties().contains(&property) => {
                template.properties.insert(property.to_string(), text.to_string());
                property_is_known(property, text)?;
            }
            _ => return Err("possible for queues that placement makes".into()),
        }
        return Ok(());
    }
    if let Some(setting) = Setting::find(of_queue(), word) {
        return setting.read(queue, text);
    }
    queue.properties.insert(word.to_string(), text.to_string());
    Ok(property_is_known(word, text)?)
}

impl Reader {
    /// Error of the first entry, if any.
    fn first(&self) -> Result<(), String> {
        match self.faults.first() {
            None => Ok(()),
            Some(fault) if fault.at.0.is_empty() => Err(format!("possible: {}", fault.says)),
            Some(fault) => Err(format!("possible: {}: {}", fault.at, fault.says)),
        }
    }
}

fn known(is_known: bool, expected: Expected) -> Result<(), Expected> {
    if is_known { Ok(()) } else { Err(expected) }
}

fn is_one_of(text: &str, all: &[&str]) -> bool {
    all.iter().any(|word| text.eq_ignore_ascii_case(word))
}

fn positive_duration(text: &str) -> Result<(), Expected> {
    known(parse_duration(text).is_some_and(|delay| delay > 0), "a duration such as 30s")
}

fn flag(value: &mut bool, text: &str) -> Result<(), String> {
    *value = switch(text)?;
    Ok(())
}

fn words(value: &mut String, text: &str) -> Result<(), String> {
    *value = text.to_string();
    Ok(())
}

fn count(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| "a whole number".into())
}

/// Parses pairs such as `pods 10, ephemeral-storage 5Gi`.
fn pairs(text: &str) -> Result<Vec<(String, String)>, String> {
    let pair = |part: &str| {
        let (resource, value) = part.trim().split_once(' ')?;
        Some((resource.to_string(), value.trim().to_string()))
    };
    let pairs: Option<Vec<_>> = text.split(',').map(pair).collect();
    pairs.ok_or_else(|| "a list such as pods 10, ephemeral-storage 5Gi".into())
}

/// Parses quantities by type.
fn amounts(text: &str) -> Result<Written, String> {
    let mut out = Written::new();
    for (resource, value) in pairs(text)? {
        if parse(&resource, &value).is_none() {
            return Err(format!("possible: {} is no quantity of {resource}", quoted(&value)));
        }
        out.insert(resource, value);
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Defaults are kept as they are written, and mean the same as nothing.
    #[test]
    fn defaults_change_nothing() {
        let (types, omitted) = (["memory", "nvidia.com/gpu", "vcore"].map(String::from).to_vec(), Config::default());
        let mut config = Config::default();
        for setting in PARTITION.iter().filter(|setting| setting.field.default != "none") {
            assert_eq!(setting.read(&mut config, setting.field.default_value()), Ok(()), "{}", setting.field.key);
        }
        assert_eq!(config.partition.preemption_enabled(), omitted.partition.preemption_enabled());
        assert_eq!(config.partition.node_sort(), omitted.partition.node_sort());
        assert_eq!(config.partition.weights(&types), omitted.partition.weights(&types));
    }
}
