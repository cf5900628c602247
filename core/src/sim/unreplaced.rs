//! Evictions of pods that are never replaced: when all pods of such a job are gone, the job is over.

use std::collections::BTreeMap;

use super::event_log::Log;
use crate::cluster::{Cluster, Restart};
use crate::id::JobId;
use crate::time::Time;
use crate::trace::Event;

/// By job whose pods are not replaced: the latest eviction of one of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Unreplaced(BTreeMap<JobId, (Time, Event)>);

impl Unreplaced {
    /// Adds the evictions of a cycle; returns whether there were any.
    pub fn note(this: &mut std::sync::Arc<Unreplaced>, cluster: &Cluster, now: Time, events: &Log) {
        for recorded in events {
            let Event::Evicted { pod, .. } = recorded.event else { continue };
            let job = cluster.pods[pod].job;
            if cluster.jobs[job].restart == Restart::Never {
                std::sync::Arc::make_mut(this).0.insert(job, (now, recorded.event));
            }
        }
    }

    /// Jobs that are over because of their evictions, in the order in which they ended, each with its latest eviction.
    pub fn ended_jobs(&self, cluster: &Cluster) -> Vec<(Time, Event)> {
        let over = self.0.iter().filter(|(job, _)| cluster.is_evicted(**job));
        let mut over: Vec<_> = over.map(|(job, loss)| (cluster.jobs[*job].ended, *loss)).collect();
        over.sort_by_key(|(ended, _)| *ended);
        over.into_iter().map(|(_, loss)| loss).collect()
    }
}
