//! Finds the pod templates of any object that makes pods, with the number of pods of each.
//!
//! # Rule
//! A map with a list `spec.containers` is a pod template, wherever it stands. The counts of the maps around it are
//! multiplied: `replicas`, `numOfHosts`, and `parallelism`, but not more than `completions`. A part is called after the
//! list item or key that it stands in: `Worker`, `headGroupSpec`, `replicatedJobs[].name`.
//!
//! # Source
//! Kubernetes API reference (Job, Deployment); Kubeflow, KubeRay, JobSet, LeaderWorkerSet and Volcano, API types; Spark
//! operator, `docs/api-docs.md`

use crate::import::reader::LocatedValue;

/// Levels below an object in which templates are searched.
const LEVELS_MAX: usize = 10;

/// Whether a value is a pod template.
fn is_template(place: &LocatedValue<'_>) -> bool {
    !place.items(&["spec", "containers"]).is_empty()
}

/// Whether an object contains a pod template.
pub fn has_template(place: &LocatedValue<'_>) -> bool {
    place.get("spec").is_some_and(|spec| has_template_in(&spec))
}

/// Whether a pod template stands anywhere in a value.
pub fn has_template_in(place: &LocatedValue<'_>) -> bool {
    !templates(place).is_empty()
}

/// Returns the templates in a value, in text order.
pub fn templates<'a>(place: &LocatedValue<'a>) -> Vec<PodTemplate<'a>> {
    let mut templates = Vec::new();
    let above = Above { n: 1, least: None, name: String::new(), inner: Vec::new() };
    search(place, &above, LEVELS_MAX, &mut templates);
    templates
}

/// A pod template with what stands around it.
pub struct PodTemplate<'a> {
    pub name: String,
    pub n: u64,
    pub least: Option<u64>,
    /// Objects around it that are made first, such as the Job of a CronJob, the nearest first.
    pub inner: Vec<LocatedValue<'a>>,
    pub place: LocatedValue<'a>,
}

/// What the maps around a template say.
#[derive(Clone)]
struct Above<'a> {
    n: u64,
    least: Option<u64>,
    name: String,
    inner: Vec<LocatedValue<'a>>,
}

/// Returns a number at a path of keys.
pub fn number(place: &LocatedValue<'_>, keys: &[&str]) -> Option<u64> {
    place.whole(keys)
}

fn search<'a>(place: &LocatedValue<'a>, above: &Above<'a>, levels: usize, templates: &mut Vec<PodTemplate<'a>>) {
    if is_template(place) {
        let Above { n, least, name, inner } = above.clone();
        templates.push(PodTemplate { name, n, least, inner, place: place.clone() });
        return;
    }
    if levels == 0 {
        return;
    }
    let n_before = templates.len();
    let mut above = counted(place, above);
    if place.get("metadata").is_some() && place.get("spec").is_some() {
        above.inner.insert(0, place.clone());
    }
    for (i, item) in place.items(&[]).iter().enumerate() {
        let named = ["name", "groupName"].iter().find_map(|key| item.peek(&[key]));
        let name = named.map_or_else(|| format!("{}-{}", above.name, i + 1), str::to_string);
        let n_before = templates.len();
        search(item, &Above { name, least: None, ..above.clone() }, levels - 1, templates);
        if templates.len() > n_before {
            read(item, &["name", "groupName"]);
        }
    }
    for (key, value) in place.entries(&[]) {
        let name = own_name(key).unwrap_or_else(|| above.name.clone());
        // A minimum counts for the template beside it, not for all below it.
        let least = above.least.filter(|_| key.to_ascii_lowercase().ends_with("template"));
        search(&value, &Above { name, least, ..above.clone() }, levels - 1, templates);
    }
    // These count only above a template.
    if templates.len() > n_before {
        read(place, &["suspended"]);
        for key in COUNTS {
            let _: Option<u64> = place.whole(&[key]);
        }
    }
}

/// Remembers that the values of some keys were read.
fn read(place: &LocatedValue<'_>, keys: &[&str]) {
    keys.iter().filter_map(|key| place.get(key)).for_each(|value| value.mark());
}

/// Keys with the number of pods below a map.
const COUNTS: [&str; 6] = ["replicas", "numOfHosts", "parallelism", "completions", "minReplicas", "minAvailable"];

/// Multiplies the counts of a map into those around it.
fn counted<'a>(place: &LocatedValue<'a>, above: &Above<'a>) -> Above<'a> {
    let count = |key: &str| place.peek(&[key]).and_then(|text| text.trim().parse::<u64>().ok());
    let hosts = count("numOfHosts").unwrap_or(1);
    let replicas = match (count("replicas"), count("minReplicas")) {
        // An autoscaler keeps at least the minimum.
        (replicas, Some(least)) => Some(replicas.unwrap_or(least).max(least)),
        // A worker group of Ray without a number has no workers.
        (None, None) if place.get("groupName").is_some() && place.get("rayStartParams").is_some() => Some(0),
        (replicas, None) => replicas,
    };
    let is_suspended = place.peek(&["suspended"]) == Some("true");
    let parallel = count("parallelism").unwrap_or(1).min(count("completions").unwrap_or(u64::MAX));
    let n = [replicas.unwrap_or(1), hosts, parallel, u64::from(!is_suspended)]
        .into_iter()
        .fold(above.n, u64::saturating_mul);
    let least = count("minAvailable").or_else(|| count("minReplicas").filter(|n| *n > 0).map(|n| n * hosts));
    Above { n, least, ..above.clone() }
}

/// Returns the name that a key gives to the parts below it.
fn own_name(key: &str) -> Option<String> {
    let neutral = ["spec", "template", "jobTemplate", "rayClusterSpec", "rayClusterConfig"];
    if neutral.contains(&key) || key.ends_with("ReplicaSpecs") {
        return None;
    }
    let key = key.to_ascii_lowercase();
    let endings = ["groupspec", "podtemplate", "template", "spec"];
    let short = endings.iter().find_map(|ending| key.strip_suffix(ending)).filter(|short| !short.is_empty());
    Some(short.unwrap_or(&key).to_string())
}

/// Whether an object asks for resources of pods anywhere.
pub fn asks(place: &LocatedValue<'_>) -> bool {
    asks_within(place, 12)
}

fn asks_within(place: &LocatedValue<'_>, levels: usize) -> bool {
    let is_amount = |(key, _): &(&str, LocatedValue<'_>)| ["cpu", "memory"].contains(key) || key.contains("gpu");
    let is_asked = |key: &str| place.get(key).is_some_and(|value| value.entries(&[]).iter().any(is_amount));
    let has_items = || place.items(&[]).iter().any(|item| asks_within(item, levels - 1));
    let is_below = || place.entries(&[]).iter().any(|(_, value)| asks_within(value, levels - 1));
    is_asked("requests") || is_asked("limits") || levels > 0 && (is_below() || has_items())
}
