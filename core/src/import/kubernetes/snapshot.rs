//! Streaming reader of KAI's snapshot: only the lists and fields that the import uses become values.
//!
//! # Source
//! KAI Scheduler, `docs/plugins/snapshot.md`, `pkg/scheduler/plugins/snapshot`

use std::fmt;
use std::io::{BufReader, Read};

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::scenario::value::{DEPTH_MAX, Is, Value};

/// Maximum number of kept values.
const VALUES_MAX: usize = 10_000_000;

/// Large or irrelevant fields of Kubernetes objects.
const NOISE: [&str; 30] = [
    "managedFields",
    "kubectl.kubernetes.io/last-applied-configuration",
    "resourceVersion",
    "selfLink",
    "generation",
    "finalizers",
    "env",
    "envFrom",
    "args",
    "command",
    "image",
    "images",
    "imagePullPolicy",
    "volumes",
    "volumeMounts",
    "volumesAttached",
    "volumesInUse",
    "livenessProbe",
    "readinessProbe",
    "startupProbe",
    "securityContext",
    "terminationMessagePath",
    "terminationMessagePolicy",
    "nodeInfo",
    "addresses",
    "daemonEndpoints",
    "podIPs",
    "containerStatuses",
    "initContainerStatuses",
    "ephemeralContainerStatuses",
];

/// Lists of a snapshot that are not read.
const OTHER_LISTS: [&str; 10] = [
    "configMaps",
    "persistentVolumes",
    "persistentVolumeClaims",
    "csiStorageCapacities",
    "storageClasses",
    "csiDrivers",
    "resourceClaims",
    "resourceSlices",
    "deviceClasses",
    "discovery",
];

/// Reads a snapshot. The error contains line and column.
pub fn read(file: impl Read) -> Result<Value, String> {
    let mut n_values = 0;
    let mut reader = serde_json::Deserializer::from_reader(BufReader::with_capacity(1 << 16, file));
    let part = Part { depth: 0, n_values: &mut n_values };
    let value = part.deserialize(&mut reader).map_err(|error| format!("the snapshot cannot be read: {error}"))?;
    reader.end().map_err(|error| format!("the snapshot cannot be read: {error}"))?;
    Ok(value)
}

/// Deserialises a part of the snapshot at a depth.
struct Part<'n> {
    depth: usize,
    n_values: &'n mut usize,
}

impl Part<'_> {
    fn count<E: Error>(&mut self) -> Result<Part<'_>, E> {
        *self.n_values += 1;
        if *self.n_values > VALUES_MAX {
            return Err(E::custom(format!("more than {VALUES_MAX} values")));
        }
        if self.depth > DEPTH_MAX {
            return Err(E::custom(format!("nested more than {DEPTH_MAX} levels deep")));
        }
        Ok(Part { depth: self.depth + 1, n_values: self.n_values })
    }
}

fn scalar(text: String) -> Value {
    Value { at: (1, 1), is: Is::Scalar(text) }
}

impl<'de> DeserializeSeed<'de> for Part<'_> {
    type Value = Value;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Part<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }
    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(scalar(value.to_string()))
    }
    fn visit_i64<E: Error>(self, n: i64) -> Result<Value, E> {
        Ok(scalar(n.to_string()))
    }
    fn visit_u64<E: Error>(self, n: u64) -> Result<Value, E> {
        Ok(scalar(n.to_string()))
    }
    fn visit_f64<E: Error>(self, n: f64) -> Result<Value, E> {
        Ok(scalar(n.to_string()))
    }
    fn visit_str<E: Error>(self, text: &str) -> Result<Value, E> {
        Ok(scalar(text.to_string()))
    }
    fn visit_string<E: Error>(self, text: String) -> Result<Value, E> {
        Ok(scalar(text))
    }
    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value { at: (1, 1), is: Is::Null })
    }
    fn visit_seq<A: SeqAccess<'de>>(mut self, mut seq: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element_seed(self.count()?)? {
            items.push(item);
        }
        Ok(Value { at: (1, 1), is: Is::List(items) })
    }
    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Value, A::Error> {
        let mut entries: Vec<(String, Value)> = Vec::new();
        while let Some(key) = map.next_key::<String>()? {
            let is_noise = NOISE.contains(&key.as_str()) || self.depth <= 1 && OTHER_LISTS.contains(&key.as_str());
            if is_noise {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            let value = map.next_value_seed(self.count()?)?;
            entries.push((key, value));
        }
        Ok(Value { at: (1, 1), is: Is::Map(entries) })
    }
}
