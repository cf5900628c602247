//! GPUs that pods ask for by resource claims (dynamic resource allocation).
//!
//! # Rule
//! A claim, or the template of one, that is in the text and asks for an exact number of devices of a class of GPUs is
//! that many whole GPUs. Any other claim counts as none, and the report says so for each pod.
//!
//! # Source
//! Kubernetes API reference, `resource.k8s.io` (`v1`, `v1beta2`, `v1beta1`); KAI Scheduler, `docs/dra`
//!
//! # Differs
//! A claim is not an object of its own: it lasts as long as its pod.

use std::collections::BTreeMap;

use super::objects::{Object, ObjectKind, Objects};
use crate::import::reader::LocatedValue;

/// Classes of devices that are whole GPUs, and the drivers that offer them.
const GPU_CLASSES: [&str; 3] = ["gpu.nvidia.com", "gpu.amd.com", "gpu.intel.com"];

/// Claims by their users, to find shared ones.
pub struct Claims<'a> {
    /// Number of pods that name each claim, by namespace and name.
    users: BTreeMap<(&'a str, &'a str), u64>,
}

impl<'a> Claims<'a> {
    /// Counts the pods that name each claim.
    pub fn of(users: &[(Object<'a>, u64)]) -> Claims<'a> {
        let mut claims = Claims { users: BTreeMap::new() };
        for (pod, n) in users {
            for reference in pod.place.items(&["spec", "resourceClaims"]) {
                if let Some(name) = named(&reference, "resourceClaimName") {
                    *claims.users.entry((pod.namespace, name)).or_default() += n;
                }
            }
        }
        claims
    }

    /// Returns the number of GPUs that a pod claims, and why some claims are not counted.
    pub fn gpus(&self, pod: &Object<'_>, objects: &Objects<'_>) -> (i64, Vec<String>) {
        let mut gpus = 0_i64;
        let mut unread = Vec::new();
        for reference in pod.place.items(&["spec", "resourceClaims"]) {
            match self.claim(pod, &reference, objects) {
                Ok(n) => gpus = gpus.saturating_add(n),
                Err(why) => unread.push(why),
            }
        }
        (gpus, unread)
    }

    fn claim(&self, pod: &Object<'_>, reference: &LocatedValue<'_>, objects: &Objects<'_>) -> Result<i64, String> {
        let find = |kind: ObjectKind, name: &str| {
            let mut all = objects.of_kind(kind).iter();
            all.find(|object| object.name == name && object.namespace == pod.namespace).cloned()
        };
        if let Some(name) = named(reference, "resourceClaimTemplateName") {
            let template = find(ObjectKind::ClaimTemplate, name);
            let template = template.ok_or_else(|| format!("ResourceClaimTemplate {name} is not in the text"))?;
            return devices(&template, &["spec", "spec", "devices", "requests"], objects);
        }
        let name = named(reference, "resourceClaimName").ok_or("a claim without a name")?;
        if self.users.get(&(pod.namespace, name)).is_some_and(|n| *n > 1) {
            return Err(format!("ResourceClaim {name} is shared by several pods"));
        }
        let claim = find(ObjectKind::Claim, name);
        let claim = claim.ok_or_else(|| format!("ResourceClaim {name} is not in the text"))?;
        devices(&claim, &["spec", "devices", "requests"], objects)
    }
}

/// Returns the name in a reference, which older versions write below `source`.
fn named<'a>(reference: &LocatedValue<'a>, key: &str) -> Option<&'a str> {
    reference.scalar(&[key]).or_else(|| reference.scalar(&["source", key]))
}

/// Returns the number of GPUs that a claim asks for.
fn devices(claim: &Object<'_>, path: &[&str], objects: &Objects<'_>) -> Result<i64, String> {
    let requests = claim.place.items(path);
    let devices = |request: &LocatedValue<'_>| {
        let (kind, name) = (claim.kind.1, claim.name);
        let wrong = |why: &str| Err(format!("{kind} {name} {why}"));
        if request.get("firstAvailable").is_some() {
            return wrong("asks for the first available of several");
        }
        // Version v1beta1 has the fields in the request itself.
        let exactly = request.get("exactly").unwrap_or_else(|| request.clone());
        let class = exactly.scalar(&["deviceClassName"]).unwrap_or_default();
        if !is_gpu(class, objects) {
            return wrong(&format!("asks for devices of the class {class}"));
        }
        if !exactly.items(&["selectors"]).is_empty() {
            return wrong("has selectors");
        }
        if exactly.scalar(&["adminAccess"]) == Some("true") {
            return wrong("has the access of an administrator");
        }
        if exactly.scalar(&["allocationMode"]).is_some_and(|mode| mode != "ExactCount") {
            return wrong("asks for all devices");
        }
        match exactly.scalar(&["count"]).map_or(Ok(1), str::parse::<i64>) {
            Ok(n) if n > 0 => Ok(n.saturating_mul(1000)),
            _ => wrong("has a count that is no positive number"),
        }
    };
    if requests.is_empty() {
        return Err(format!("{} {} has no requests", claim.kind.1, claim.name));
    }
    requests.iter().map(devices).try_fold(0_i64, |sum, n| Ok(sum.saturating_add(n?)))
}

/// Whether a class is one of whole GPUs: by its usual name, or by a class in the text that names only the driver.
fn is_gpu(class: &str, objects: &Objects<'_>) -> bool {
    if GPU_CLASSES.contains(&class) {
        return true;
    }
    let listed = objects.of_kind(ObjectKind::DeviceClass).iter().find(|object| object.name == class);
    let selectors = listed.map(|class| class.place.items(&["spec", "selectors"])).unwrap_or_default();
    let [only] = selectors.as_slice() else { return false };
    let rule = only.scalar(&["cel", "expression"]).unwrap_or_default();
    let rule: String = rule.chars().filter(|c| !c.is_whitespace()).collect();
    GPU_CLASSES.iter().any(|driver| rule.replace('\'', "\"") == format!("device.driver==\"{driver}\""))
}

/// Returns the number of GPUs that the drivers offer on a node, in thousandths.
pub fn offered(node: &str, objects: &Objects<'_>) -> i64 {
    let slices = objects.of_kind(ObjectKind::ResourceSlice).iter();
    let of_node = slices.filter(|slice| slice.place.scalar(&["spec", "nodeName"]) == Some(node));
    let drivers =
        of_node.filter(|slice| slice.place.scalar(&["spec", "driver"]).is_some_and(|name| GPU_CLASSES.contains(&name)));
    // A partition of a device has another type.
    let is_whole = |device: &LocatedValue<'_>| {
        let kind_at = |keys: &[&str]| device.at(keys)?.scalar(&["type", "string"]);
        let kind = kind_at(&["attributes"]).or_else(|| kind_at(&["basic", "attributes"]));
        kind.is_none_or(|kind| kind == "gpu")
    };
    let n: usize =
        drivers.map(|slice| slice.place.items(&["spec", "devices"]).iter().filter(|d| is_whole(d)).count()).sum();
    n as i64 * 1000
}
