//! Labels and annotations of YuniKorn on pods: application, queue, user and task groups.
//!
//! # Source
//! Apache YuniKorn, `docs/user_guide/labels_and_annotations_in_yunikorn.md`, `docs/user_guide/gang_scheduling.md`

use super::objects::Object;
use crate::import::reader::LocatedValue;
use crate::policy::yunikorn::DESCRIPTION;
use crate::scenario::value::{Is, Value, parse};

/// Annotation with the task group of a pod.
pub const TASK_GROUP_NAME: &str = "yunikorn.apache.org/task-group-name";

/// Prefix of YuniKorn's labels and annotations.
const PREFIX: &str = "yunikorn.apache.org/";

/// Policy of a scenario with pods of YuniKorn.
pub const POLICY: &str = DESCRIPTION.key;

/// Whether a pod names YuniKorn as its scheduler.
pub fn is_scheduler(pod: &LocatedValue<'_>) -> bool {
    pod.scalar(&["spec", "schedulerName"]).is_some_and(|name| DESCRIPTION.is_scheduler(name))
}

/// Returns a label or annotation of YuniKorn.
fn labelled<'a>(object: &Object<'a>, key: &str) -> Option<&'a str> {
    let key = format!("{PREFIX}{key}");
    object.label(&key).or_else(|| object.annotation(&key))
}

/// Whether a pod has a label or annotation in YuniKorn's own domain that names its application or queue.
pub fn has_own_label(object: &Object<'_>) -> bool {
    labelled(object, "app-id").or_else(|| labelled(object, "queue")).is_some()
}

/// Returns the application of a pod.
pub fn application_of<'a>(object: &Object<'a>) -> Option<&'a str> {
    labelled(object, "app-id").or_else(|| object.label("applicationId")).or_else(|| object.label("spark-app-selector"))
}

/// Returns the queue path of a pod.
pub fn queue_of<'a>(object: &Object<'a>) -> Option<&'a str> {
    labelled(object, "queue").or_else(|| object.label("queue"))
}

/// Whether a pod is a placeholder for others of its gang.
pub fn is_placeholder(object: &Object<'_>) -> bool {
    object.annotation("yunikorn.apache.org/placeholder") == Some("true")
}

/// Returns the user that submitted a pod.
pub fn user_of(object: &Object<'_>) -> Option<String> {
    let info = parse(object.annotation("yunikorn.apache.org/user.info")?, &[]).ok()?;
    text(&info, "user")
}

/// Whether a pod may not be preempted.
pub fn is_kept(object: &Object<'_>) -> bool {
    object.annotation("yunikorn.apache.org/allow-preemption") == Some("false")
}

/// Returns the gang scheduling style and placeholder timeout, in seconds, of an application with task groups.
pub fn gang_of(pods: &[&Object<'_>]) -> Option<(String, Option<String>)> {
    let annotation = |key: &str| {
        let key = format!("{PREFIX}{key}");
        pods.iter().find_map(|pod| pod.annotation(&key))
    };
    annotation("task-groups")?;
    let words = annotation("schedulingPolicyParameters").unwrap_or_default();
    let word = |key: &str| words.split_whitespace().find_map(|word| word.strip_prefix(key)?.strip_prefix('='));
    let style = word("gangSchedulingStyle").unwrap_or("Soft").to_ascii_lowercase();
    let timeout = word("placeholderTimeoutInSeconds").filter(|n| n.parse::<u32>().is_ok());
    Some((style, timeout.map(|n| format!("{n}s"))))
}

/// Returns name and minimum number of pods of each task group of an application.
pub fn task_groups(pods: &[&Object<'_>]) -> Vec<(String, i64)> {
    let written = pods.iter().find_map(|pod| pod.annotation("yunikorn.apache.org/task-groups"));
    let Some(Ok(Value { is: Is::List(groups), .. })) = written.map(|text| parse(text, &[])) else {
        return Vec::new();
    };
    let group = |group: &Value| Some((text(group, "name")?, text(group, "minMember")?.parse().ok()?));
    groups.iter().filter_map(group).collect()
}

fn text(metadata: &Value, key: &str) -> Option<String> {
    match &metadata.get(key)?.is {
        Is::Scalar(text) => Some(text.clone()),
        _ => None,
    }
}
