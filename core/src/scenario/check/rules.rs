//! Placement rules as in Kubernetes: taints, tolerations, required node affinity; and scheduling gates.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Location;
use crate::cluster::{Effect, LabelOperator, NodeState, PodRules, Requirement, Taint, Toleration};
use crate::format::{Findings, JobEntry, PodSetEntry, Scalar, codes, quoted};

/// The effects by name.
const EFFECTS: [(&str, Effect); 3] = [
    ("NoSchedule", Effect::NoSchedule),
    ("NoExecute", Effect::NoExecute),
    ("PreferNoSchedule", Effect::PreferNoSchedule),
];

/// Values for nodes that are down, the plain one first; the others are conditions of Kubernetes.
const NOT_READY: [&str; 7] =
    ["down", "cordoned", "not-ready", "memory-pressure", "disk-pressure", "pid-pressure", "network-unavailable"];

/// Parses the state of a node; reports an unknown one.
pub fn node_state(typed: &Scalar, location: Location<'_>, f: &mut Findings) -> Option<NodeState> {
    let text = typed.0.trim();
    match text {
        "ready" => return Some(NodeState::Ready),
        "draining" => return Some(NodeState::Draining),
        _ if NOT_READY.contains(&text) => return Some(NodeState::Down),
        _ => {}
    }
    let all = NOT_READY.join(", ");
    let message = format!("state {} is neither ready nor draining nor one of {all}", quoted(text));
    f.suggest(codes::CHOICE, location.field("state"), message, "down", "Set the state to down");
    None
}

/// The taints of a node.
pub fn taints(texts: &[String], location: Location<'_>, f: &mut Findings) -> Vec<Taint> {
    let expected = "a taint such as gpu:NoSchedule or pool=a:NoExecute";
    let all = each(texts, "taints", expected, location, f, &|text| {
        let (key, value, effect) = key_value_effect(text)?;
        Some(Taint { key: key?, value: value.unwrap_or_else(|| Arc::from("")), effect: effect? })
    });
    all.into_iter().flatten().collect()
}

/// The rules of one kind of pods; `None` if it sets none.
pub fn pod_rules(
    entry: &JobEntry,
    set: &PodSetEntry,
    (job, location): (Location<'_>, Location<'_>),
    shared: &Shared,
    f: &mut Findings,
) -> Option<Arc<PodRules>> {
    let mut labels: BTreeMap<&str, &str> = BTreeMap::new();
    for (key, value) in entry.labels.iter().chain(&set.labels) {
        labels.insert(key, value);
    }
    let of_job = yes_no(&entry.gated, "gated", job, f);
    let gated = if entry.pod_sets.is_empty() { of_job } else { yes_no(&set.gated, "gated", location, f).or(of_job) };
    let mut affinity = shared.affinity.clone();
    affinity.extend(requirements(&set.affinity, location, f));
    let rules = PodRules {
        affinity,
        tolerations: shared.tolerations.clone(),
        labels: labels.into_iter().map(|(key, value)| (key.into(), value.into())).collect(),
        gated: gated.unwrap_or(false),
        nominated_node: set.nominated_node.as_ref().or(entry.nominated_node.as_ref()).map(|n| n.as_str().into()),
        application: entry.application.as_deref().map(Arc::from),
        is_originator: shared.is_originator,
        never_preempts: shared.never_preempts,
        groups: entry.groups.iter().map(|group| group.trim().into()).collect(),
        required_node: entry.required_node.as_deref().map(Arc::from),
    };
    (rules != PodRules::default()).then(|| Arc::new(rules))
}

/// Rules shared by all pods of a job.
#[derive(Debug, Default)]
pub struct Shared {
    affinity: Vec<Requirement>,
    tolerations: Vec<Toleration>,
    is_originator: bool,
    never_preempts: bool,
}

/// Resolves the rules shared by all pods of a job.
pub fn shared(entry: &JobEntry, location: Location<'_>, f: &mut Findings) -> Shared {
    let expected = "a toleration such as gpu, pool=a, gpu:NoSchedule or *";
    let tolerations = each(&entry.tolerations, "tolerations", expected, location, f, &|text| {
        let (key, value, effect) = key_value_effect(text)?;
        Some(Toleration { key, value, effect })
    });
    Shared {
        affinity: requirements(&entry.affinity, location, f),
        tolerations: tolerations.into_iter().flatten().collect(),
        is_originator: yes_no(&entry.originator, "originator", location, f) == Some(true),
        never_preempts: yes_no(&entry.preempts, "preempts", location, f) == Some(false),
    }
}

/// Required node affinity.
fn requirements(texts: &[String], location: Location<'_>, f: &mut Findings) -> Vec<Requirement> {
    let expected = "a requirement such as `zone in (a, b)`, `zone notin (a)`, `zone` or `!zone`";
    each(texts, "affinity", expected, location, f, &requirement).into_iter().flatten().collect()
}

/// Parses each text of a list; reports invalid ones.
fn each<T>(
    texts: &[String],
    field: &str,
    expected: &str,
    location: Location<'_>,
    f: &mut Findings,
    read: &dyn Fn(&str) -> Option<T>,
) -> Vec<Option<T>> {
    let mut all = Vec::with_capacity(texts.len());
    for text in texts {
        let value = read(text.trim());
        if value.is_none() {
            let message = format!("{} is not {expected}", quoted(text));
            f.suggest(codes::PLACEMENT_RULE, location.field(field), message, "", format!("Remove the {field}"));
        }
        all.push(value);
    }
    all
}

type KeyValueEffect = (Option<Arc<str>>, Option<Arc<str>>, Option<Effect>);

/// `key`, `key=value`, `key:Effect`, `key=value:Effect`, `*`, `*:Effect`.
fn key_value_effect(text: &str) -> Option<KeyValueEffect> {
    let (rest, effect) = match text.rsplit_once(':') {
        None => (text, None),
        Some((rest, name)) => {
            let (_, effect) = EFFECTS.iter().find(|(effect, _)| *effect == name.trim())?;
            (rest.trim(), Some(*effect))
        }
    };
    let (key, value) = match rest.split_once('=') {
        None => (rest, None),
        Some((key, value)) => (key.trim(), Some(value.trim())),
    };
    let key = match key {
        "*" if value.is_none() => None,
        key => Some(word(key)?),
    };
    Some((key, value.map(Arc::from), effect))
}

/// `key in (a, b)`, `key notin (a, b)`, `key`, `!key`.
fn requirement(text: &str) -> Option<Requirement> {
    let requirement = |key: &str, operator: LabelOperator| Some(Requirement { key: word(key)?, is: operator });
    if let Some(key) = text.strip_prefix('!') {
        return requirement(key.trim(), LabelOperator::DoesNotExist);
    }
    let Some((head, values)) = text.split_once('(') else { return requirement(text, LabelOperator::Exists) };
    let values: Vec<Arc<str>> = values.strip_suffix(')')?.split(',').map(|v| v.trim().into()).collect();
    let (key, operator) = head.trim().rsplit_once(char::is_whitespace)?;
    match operator {
        "in" => requirement(key.trim(), LabelOperator::In(values)),
        "notin" => requirement(key.trim(), LabelOperator::NotIn(values)),
        _ => None,
    }
}

/// Parses a key: not empty, and without separators.
fn word(text: &str) -> Option<Arc<str>> {
    let is_separator = |c: char| c.is_whitespace() || matches!(c, '(' | ')' | ',' | '=' | ':' | '!' | '*');
    (!text.is_empty() && !text.contains(is_separator)).then(|| text.into())
}

/// Parses a value that is true or false; `None`: it is omitted or invalid.
fn yes_no(typed: &Option<Scalar>, field: &str, location: Location<'_>, f: &mut Findings) -> Option<bool> {
    match typed.as_ref()?.0.trim() {
        "true" => Some(true),
        "false" => Some(false),
        other => {
            let message = format!("{field} {} is neither true nor false", quoted(other));
            f.suggest(codes::CHOICE, location.field(field), message, "", "Leave it out");
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn met(text: &str, labels: &[(&str, &str)]) -> Option<bool> {
        let labels: Vec<(Arc<str>, Arc<str>)> = labels.iter().map(|&(k, v)| (k.into(), v.into())).collect();
        requirement(text).map(|r| r.is_met(&labels))
    }

    #[test]
    fn requirements_mean_what_they_mean_in_kubernetes() {
        let east = [("zone", "east")];
        assert_eq!(met("zone in (west, east)", &east), Some(true));
        assert_eq!(met("zone in (west)", &east), Some(false));
        assert_eq!(met("zone in (west)", &[]), Some(false));
        assert_eq!(met("zone notin (west)", &east), Some(true));
        assert_eq!(met("zone notin (east)", &east), Some(false));
        assert_eq!(met("zone notin (east)", &[]), Some(true));
        assert_eq!(met("zone", &east), Some(true));
        assert_eq!(met("zone", &[]), Some(false));
        assert_eq!(met("!zone", &east), Some(false));
        assert_eq!(met("!zone", &[]), Some(true));
        for wrong in ["", "zone in", "zone in (a", "zone like (a)", "in (a)", "a b"] {
            assert_eq!(met(wrong, &east), None, "{wrong}");
        }
    }

    #[test]
    fn tolerations_cover_taints() {
        let covers = |toleration: &str, taint: &str| {
            let (key, value, effect) = key_value_effect(toleration)?;
            let (taint_key, taint_value, taint_effect) = key_value_effect(taint)?;
            let taint =
                Taint { key: taint_key?, value: taint_value.unwrap_or_else(|| "".into()), effect: taint_effect? };
            Some(Toleration { key, value, effect }.covers(&taint))
        };
        for (toleration, taint, expected) in [
            ("gpu", "gpu:NoSchedule", true),
            ("gpu", "gpu=a100:NoExecute", true),
            ("gpu=a100", "gpu=a100:NoSchedule", true),
            ("gpu=a100", "gpu=h100:NoSchedule", false),
            ("gpu:NoExecute", "gpu:NoSchedule", false),
            ("*", "gpu:NoSchedule", true),
            ("*:NoExecute", "gpu:NoSchedule", false),
            ("cpu", "gpu:NoSchedule", false),
        ] {
            assert_eq!(covers(toleration, taint), Some(expected), "{toleration} {taint}");
        }
        assert_eq!(covers("gpu", "gpu:Sometimes"), None);
        assert_eq!(covers("", "gpu:NoSchedule"), None);
    }
}
