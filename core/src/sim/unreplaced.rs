//! Evictions of pods that are not replaced ([`Restart::Never`]): once all pods of such a job are gone, the job is over.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::record::Log;
use crate::cluster::{Cluster, Restart};
use crate::id::JobId;
use crate::time::Time;
use crate::trace::Event;

/// The latest eviction of each job whose pods are not replaced.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Unreplaced(BTreeMap<JobId, (Time, Event)>);

impl Unreplaced {
    /// Records the evictions of a cycle.
    pub fn note(this: &mut Arc<Unreplaced>, cluster: &Cluster, now: Time, events: &Log) {
        for recorded in events {
            let Event::Evicted { pod, .. } = recorded.event else { continue };
            let job = cluster.pods[pod].job;
            if cluster.jobs[job].restart == Restart::Never {
                Arc::make_mut(this).0.insert(job, (now, recorded.event));
            }
        }
    }

    /// Returns the latest eviction of every job that ended because of its evictions, ordered by the end of the job.
    pub fn ended_jobs(&self, cluster: &Cluster) -> Vec<(Time, Event)> {
        let over = self.0.iter().filter(|(job, _)| cluster.is_evicted(**job));
        let mut over: Vec<_> = over.map(|(job, loss)| (cluster.jobs[*job].ended, *loss)).collect();
        over.sort_by_key(|(ended, _)| *ended);
        over.into_iter().map(|(_, loss)| loss).collect()
    }
}
