//! Who took the last pods of jobs whose pods nobody replaces: such a job is over then, and its end is asked about later.

use std::collections::BTreeMap;

use super::happen::Log;
use super::simulation::Simulation;
use crate::cluster::Restart;
use crate::id::JobId;
use crate::kit::sort::sort_by_key;
use crate::time::Time;
use crate::trace::Event;

/// The latest eviction of a pod of each job whose pods nobody replaces.
pub type Losses = BTreeMap<JobId, (Time, Event)>;

impl Simulation {
    /// Jobs that are over because nobody replaced their evicted pods, by when they ended: the latest eviction of a pod of each.
    pub fn evicted_jobs(&self) -> Vec<(Time, Event)> {
        let cluster = self.cluster();
        let over = self.state.losses.iter().filter(|(job, _)| cluster.is_evicted(**job));
        let mut over: Vec<_> = over.map(|(job, loss)| (cluster.jobs[*job].ended, *loss)).collect();
        sort_by_key(&mut over, |(ended, _)| *ended);
        over.into_iter().map(|(_, loss)| loss).collect()
    }

    /// Keeps the evictions of pods that nobody replaces.
    pub(super) fn note_losses(&mut self, events: &Log) {
        for recorded in events {
            let Event::Evicted { pod, .. } = recorded.event else { continue };
            let job = self.cluster().pods[pod].job;
            if self.cluster().jobs[job].restart == Restart::Never {
                let loss = (self.state.now, recorded.event);
                std::sync::Arc::make_mut(&mut self.state.losses).insert(job, loss);
            }
        }
    }
}
