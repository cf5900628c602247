//! Claims of room that are lost to other jobs, from the events of a run.
//!
//! # Rule
//! A claim is lost when a pod of another job starts on the claimed node before one of the job itself, and pods are then
//! evicted for the job once more. The count ends when a pod of the job starts, or when nothing is evicted for it after
//! its room was taken; a claim that it makes then is its first one.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::record::Log;
use crate::cluster::Cluster;
use crate::id::{JobId, NodeId};
use crate::trace::{Event, LostClaim};

/// The claims of jobs that wait for evicted pods.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LostClaims {
    jobs: BTreeMap<JobId, Claims>,
    /// The jobs with a claim on each node.
    claimants: BTreeMap<NodeId, BTreeSet<JobId>>,
}

/// The claims of a job.
#[derive(Clone, Debug, Default, PartialEq)]
struct Claims {
    /// The job that started in the claimed room; `None`: the room is still claimed.
    taken_by: Option<JobId>,
    /// The last loss.
    lost: Option<LostClaim>,
}

impl LostClaims {
    /// Records the events of a cycle.
    pub fn note(this: &mut Arc<LostClaims>, cluster: &Cluster, events: &Log) {
        let concerns = |event: &Event| matches!(event, Event::Claimed { .. } | Event::Bound { .. });
        if events.iter().any(|recorded| concerns(&recorded.event)) || !this.jobs.is_empty() {
            Arc::make_mut(this).note_cycle(cluster, events);
        }
    }

    fn note_cycle(&mut self, cluster: &Cluster, events: &Log) {
        for recorded in events {
            match recorded.event {
                Event::Bound { pod, node, .. } => self.started(cluster.pods[pod].job, node),
                Event::Evicted { by: Some(claimant), .. } => self.evicted_for(claimant),
                Event::Claimed { pod, node } => {
                    let job = cluster.pods[pod].job;
                    let claims = self.jobs.entry(job).or_default();
                    if claims.taken_by.is_some() {
                        *claims = Claims::default();
                    }
                    self.claimants.entry(node).or_default().insert(job);
                }
                _ => {}
            }
        }
        let is_live = |job: &JobId| cluster.live_jobs.binary_search(job).is_ok();
        self.jobs.retain(|job, claims| claims.taken_by.is_none() && is_live(job));
        let claims_of = &self.jobs;
        self.claimants.retain(|_, jobs| {
            jobs.retain(|job| claims_of.contains_key(job));
            !jobs.is_empty()
        });
    }

    /// A pod of a job started on a node.
    fn started(&mut self, job: JobId, node: NodeId) {
        self.jobs.remove(&job);
        for claimant in self.claimants.remove(&node).unwrap_or_default() {
            if let Some(claims) = self.jobs.get_mut(&claimant) {
                claims.taken_by = Some(job);
            }
        }
    }

    /// A pod was evicted for a job.
    fn evicted_for(&mut self, job: JobId) {
        let Some(claims) = self.jobs.get_mut(&job) else { return };
        if let Some(taker) = claims.taken_by.take() {
            let times = claims.lost.map_or(0, |lost| lost.times) + 1;
            claims.lost = Some(LostClaim { job, taker, times });
        }
    }

    /// The jobs that have lost claims, in order.
    pub fn lost(&self) -> Vec<LostClaim> {
        self.jobs.values().filter_map(|claims| claims.lost).collect()
    }
}
