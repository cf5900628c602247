//! Names and their orders, which never change while a scenario runs.
//!
//! # Rule
//! None of its own. A session takes nodes, jobs and the pods of a job by name; texts are made and compared once per run,
//! not once per cycle.
//!
//! # Source
//! kai.md 1
//!
//! # Differs
//! nothing

use std::sync::Arc;

use crate::cluster::{Cluster, Devices};
use crate::id::{Id, JobId, NodeId, PodId};

/// Nodes, jobs and pods by name, and what has no name in the cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Names {
    nodes: Vec<NodeId>,
    /// By job: how many come before it.
    ranks: Vec<u32>,
    /// One job after the other.
    pods: Vec<PodId>,
    /// The devices of a node.
    devices: Vec<Arc<str>>,
}

impl Names {
    /// Of a cluster.
    pub fn of(cluster: &Cluster) -> Arc<Names> {
        let mut nodes: Vec<NodeId> = cluster.nodes.ids().collect();
        nodes.sort_by(|&l, &r| cluster.nodes[l].name.cmp(&cluster.nodes[r].name));
        let mut jobs: Vec<JobId> = cluster.jobs.ids().collect();
        jobs.sort_by(|&l, &r| cluster.jobs[l].name.cmp(&cluster.jobs[r].name));
        let mut ranks = vec![0; jobs.len()];
        (0..).zip(&jobs).for_each(|(rank, job)| ranks[job.index()] = rank);
        let mut pods: Vec<PodId> = cluster.pods.ids().collect();
        for job in cluster.jobs.ids() {
            let of_job = &mut pods[cluster.jobs[job].pod_range()];
            of_job.sort_by(|&l, &r| cluster.pods[l].name.cmp(&cluster.pods[r].name));
        }
        let devices = (0..64).map(|device| Arc::from(format!("device-{device:02}"))).collect();
        Arc::new(Names { nodes, ranks, pods, devices })
    }

    /// What some devices of a node are called, which sort as their numbers do.
    pub fn devices(&self, devices: Devices) -> Vec<Arc<str>> {
        devices.iter().map(|device| self.devices[device as usize].clone()).collect()
    }

    /// All nodes, by name.
    pub fn nodes(&self) -> &[NodeId] {
        &self.nodes
    }

    /// Puts jobs in order of their names.
    pub fn sort(&self, jobs: &mut [JobId]) {
        jobs.sort_by_key(|job| self.ranks[job.index()]);
    }

    /// The pods of a job, by name.
    pub fn pods_of(&self, cluster: &Cluster, job: JobId) -> &[PodId] {
        &self.pods[cluster.jobs[job].pod_range()]
    }
}
