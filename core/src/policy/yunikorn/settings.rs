//! Settings of YuniKorn in a scenario, with the rules that they affect: settings of the partition by name, of a queue as
//! `priority.policy.team-a`, of a user likewise.
//!
//! # Source
//! yunikorn.md 1.1 to 1.4

use super::config::{Queue, Written, parse, property_is_known};
use super::file::Reader;
use super::rules::{
    self, ABOVE_GUARANTEE, APPLICATION, BELOW_GUARANTEE, HEADROOM, LOWERED_MAX, MAX_APPLICATIONS, NODE_ORDER,
    PRIORITY, SHARE, TIE, USER_LIMIT,
};
use super::words::{Config, GROUPS, TEMPLATE};
use crate::format::{Findings, Path, Scenario, quoted, value};
use crate::policy::PRIORITY_CLASS;
use crate::policy::setting::{Setting, choice, priority_class, refused, switch, unknown};
use crate::policy::switches::{Rulebook, Switch};

/// Description of the expected value, for the message.
type Expected = String;

/// Reason for settings that are only preserved for export.
const EXPORT: &str = "kept for an export";
/// Reason for settings of the back-off.
const BACK_OFF: &str = "it changes which applications are skipped, not how they are compared";

/// Settings of the partition.
static PARTITION: [Setting<Config, Expected>; 7] = [
    Setting::new(Switch::of("node-sort", &[&NODE_ORDER]), |config, text| {
        config.partition.nodesortpolicy.kind = text.to_string();
        Ok(choice(text, &[("fair", ()), ("binpacking", ())], "fair or binpacking")?)
    }),
    Setting::new(Switch::of("node-weights", &[&NODE_ORDER]), |config, text| {
        for (of, weight) in pairs(text)? {
            let number = weight.parse::<f64>().ok().filter(|w| w.is_finite() && *w >= 0.0);
            let number = number.ok_or("a list such as vcore 1, memory 0.5")?;
            config.partition.nodesortpolicy.resourceweights.insert(of, number);
        }
        Ok(())
    }),
    Setting::new(Switch::of("preemption", &[&BELOW_GUARANTEE, &ABOVE_GUARANTEE]), |config, text| {
        config.partition.preemption.enabled = Some(switch(text)?);
        Ok(())
    }),
    Setting::new(Switch::of("quota-preemption", &[&LOWERED_MAX]), |config, text| {
        config.partition.preemption.quotapreemptionenabled = switch(text)?;
        Ok(())
    }),
    Setting::new(Switch::without_rules("placement-rules", EXPORT), |config, text| {
        let mut reader = Reader::default();
        let read = value::parse(text, &[]).map_err(|_| "a list in YAML such as [{name: provided}]")?;
        config.partition.placementrules = reader.rules(&read, &Path::default());
        reader.first()
    }),
    Setting::new(Switch::without_rules("partition", EXPORT), |config, text| {
        config.partition.name = text.to_string();
        Ok(())
    }),
    Setting::new(Switch::without_rules("gpu-type", "a name"), |config, text| {
        config.gpu_type = text.to_string();
        Ok(())
    }),
];

/// Groups of a user.
static OF_USER: Switch = Switch::of("groups", &[&USER_LIMIT, &MAX_APPLICATIONS]);

/// Queue properties, by their upstream names.
static PROPERTIES: [Switch; 9] = [
    Switch::of("application.sort.policy", &[&APPLICATION]),
    Switch::of("application.sort.priority", &[&PRIORITY, &SHARE, &APPLICATION, &TIE]),
    Switch::without_rules("application.unschedasks.backoff", BACK_OFF),
    Switch::without_rules("application.unschedasks.backoff.delay", BACK_OFF),
    Switch::of("preemption.delay", &[&BELOW_GUARANTEE]),
    Switch::of("preemption.policy", &[&BELOW_GUARANTEE, &ABOVE_GUARANTEE]),
    Switch::of("priority.offset", &[&PRIORITY]),
    Switch::of("priority.policy", &[&PRIORITY]),
    Switch::of("quota.preemption.delay", &[&LOWERED_MAX]),
];

/// Other queue settings. `guaranteed` and `max` cover resource types other than CPU, memory and GPU. `absent`: the
/// configuration does not contain the queue yet, or no longer.
static QUEUE: [Setting<Queue, Expected>; 8] = [
    Setting::new(Switch::of("guaranteed", &[&SHARE, &BELOW_GUARANTEE, &ABOVE_GUARANTEE]), |queue, text| {
        amounts(text).map(|all| queue.resources.guaranteed = all)
    }),
    Setting::new(Switch::of("max", &[&HEADROOM, &LOWERED_MAX]), |queue, text| {
        amounts(text).map(|all| queue.resources.max = all)
    }),
    Setting::new(Switch::of("limits", &[&USER_LIMIT, &MAX_APPLICATIONS]), |queue, text| {
        let mut reader = Reader::default();
        let read =
            value::parse(text, &[]).map_err(|_| "a list such as [{users: [a], maxapplications: 2}]")?;
        queue.limits = reader.limits(&read, &Path::default());
        reader.first()
    }),
    Setting::new(Switch::of("maxapplications", &[&MAX_APPLICATIONS]), |queue, text| {
        count(text).map(|n| queue.maxapplications = n)
    }),
    Setting::new(
        Switch::without_rules("absent", "which queues there are, not what they get"),
        |queue, text| {
            queue.absent = switch(text)?;
            Ok(())
        },
    ),
    Setting::new(Switch::without_rules("parent", "affects routing only"), |queue, text| {
        queue.parent = switch(text)?;
        Ok(())
    }),
    Setting::new(Switch::without_rules("submitacl", EXPORT), |queue, text| {
        queue.submitacl = text.to_string();
        Ok(())
    }),
    Setting::new(Switch::without_rules("adminacl", EXPORT), |queue, text| {
        queue.adminacl = text.to_string();
        Ok(())
    }),
];

/// Names of the queue properties.
pub fn properties() -> [&'static str; 9] {
    PROPERTIES.each_ref().map(|property| property.name)
}

/// Names of the other queue settings.
fn queue_words() -> [&'static str; 8] {
    let mut names = QUEUE.each_ref().map(|setting| setting.switch.name);
    names.sort();
    names
}

/// All rules and settings.
pub(super) fn rulebook() -> Rulebook {
    let mut all: Vec<Switch> = PARTITION.iter().map(|setting| setting.switch).collect();
    all.push(OF_USER);
    all.extend(PROPERTIES);
    all.extend(QUEUE.iter().map(|setting| setting.switch));
    Rulebook::new(rules::all(), &all)
}

/// Reads all settings, and reports invalid ones.
pub fn read(s: &Scenario, f: &mut Findings) -> Config {
    let mut config = Config::default();
    for (name, typed) in &s.settings {
        let text = typed.0.trim();
        let known_queue = |queue: &str| queue == "root" || s.queues.iter().any(|q| q.name == queue);
        let result =
            if let Some((word, queue)) = split_queue_setting(name).filter(|(_, queue)| known_queue(queue)) {
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
                let names = PARTITION.each_ref().map(|setting| setting.switch.name);
                unknown(s, name, &names, &known_settings(name, &names), f);
                continue;
            };
        if let Err(wanted) = result {
            refused(name, typed, &wanted, f);
        }
    }
    config
}

/// Splits `WORD.NAME` into a known word and the name.
fn split<'a>(name: &'a str, words: &[&'static str]) -> Option<(&'static str, &'a str)> {
    let of = |word: &&'static str| Some((*word, name.strip_prefix(word)?.strip_prefix('.')?));
    words.iter().filter_map(of).filter(|(_, rest)| !rest.is_empty()).max_by_key(|(word, _)| word.len())
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
        Some((word, of)) => format!("nothing is called {}, of which {word} could be said", quoted(of)),
        None => format!(
            "it has {}; for a queue, as in priority.policy.NAME: {}, {}, and for queues that placement makes below it the \
             same behind {TEMPLATE}; {PRIORITY_CLASS}NAME; {GROUPS}USER",
            of_partition.join(", "),
            properties().join(", "),
            queue_words().join(", ")
        ),
    }
}

fn read_queue_setting(queue: &mut Queue, word: &str, text: &str) -> Result<(), Expected> {
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
    if let Some(setting) = Setting::find(&QUEUE, word) {
        return setting.read(queue, text);
    }
    queue.properties.insert(word.to_string(), text.to_string());
    Ok(property_is_known(word, text)?)
}

impl Reader {
    /// Error of the first entry, if any.
    fn first(&self) -> Result<(), Expected> {
        match self.faults.first() {
            None => Ok(()),
            Some(fault) if fault.at.0.is_empty() => Err(format!("possible: {}", fault.says)),
            Some(fault) => Err(format!("possible: {}: {}", fault.at, fault.says)),
        }
    }
}

fn count(text: &str) -> Result<u64, Expected> {
    text.parse().map_err(|_| "a whole number".into())
}

/// Parses pairs such as `pods 10, ephemeral-storage 5Gi`.
fn pairs(text: &str) -> Result<Vec<(String, String)>, Expected> {
    let pair = |part: &str| {
        let (of, value) = part.trim().split_once(' ')?;
        Some((of.to_string(), value.trim().to_string()))
    };
    let pairs: Option<Vec<_>> = text.split(',').map(pair).collect();
    pairs.ok_or_else(|| "a list such as pods 10, ephemeral-storage 5Gi".into())
}

/// Parses quantities by type.
fn amounts(text: &str) -> Result<Written, Expected> {
    let mut out = Written::new();
    for (of, value) in pairs(text)? {
        if parse(&of, &value).is_none() {
            return Err(format!("possible: {} is no quantity of {of}", quoted(&value)));
        }
        out.insert(of, value);
    }
    Ok(out)
}
