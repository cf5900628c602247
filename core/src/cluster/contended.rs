//! The resource that the jobs of a cluster compete for, in which amounts of a whole run are given.
//!
//! # Rule
//! GPUs if a node has some and a pod requests some; otherwise CPU or memory, whichever all pods together request more
//! of in relation to the capacity of all nodes. It depends on the scenario alone and is therefore the same at every
//! moment.

use super::Cluster;
use crate::units::{Amount, Resource, ResourceVec};

impl Cluster {
    /// The resource that the jobs compete for.
    pub fn contended_resource(&self) -> Resource {
        let sum = |amounts: &mut dyn Iterator<Item = &ResourceVec>, resource| {
            amounts.map(|amounts| amounts.get(resource).in_base_units()).fold(0, i64::saturating_add)
        };
        let capacity = |resource| sum(&mut self.nodes.values().map(|node| &node.capacity), resource);
        let requested = |resource| sum(&mut self.pods.values().map(|pod| &pod.request.resources), resource);
        let asks_for_gpus = || self.pods.values().any(|pod| pod.request.resources.get(Resource::GPU) > Amount::ZERO);
        if capacity(Resource::GPU) > 0 && asks_for_gpus() {
            return Resource::GPU;
        }
        let load = |resource| requested(resource) as f64 / capacity(resource).max(1) as f64;
        if load(Resource::MEMORY) > load(Resource::CPU) { Resource::MEMORY } else { Resource::CPU }
    }
}
