//! Agenda entries that follow from phases of pods and from the timers of policies.

use super::agenda::{Entry, Kind, end_of};
use super::simulation::Simulation;
use crate::id::{JobId, PartitionId, PodId};
use crate::time::Span;

impl Simulation {
    /// Puts what a pod's phase says about the future on the agenda.
    pub(super) fn schedule(&mut self, pod: PodId) {
        let phase = self.cluster().pods[pod].phase;
        if let Some(entry) = end_of(phase, pod) {
            self.state.agenda.add(entry);
        }
    }

    /// Takes what the pods' phases say about the future off the agenda.
    pub(super) fn unschedule(&mut self, pods: &[PodId]) {
        for &pod in pods {
            let phase = self.cluster().pods[pod].phase;
            if let Some(entry) = end_of(phase, pod) {
                self.state.agenda.cancel(entry);
            }
        }
    }

    /// Puts the moments at which time alone may matter after a start on the agenda.
    pub(super) fn wake_after_start(&mut self, job: JobId) {
        let partition = self.cluster().jobs[job].partition;
        let timers = &self.fixed.timers[partition];
        if let (true, Some(start)) = (timers.on_agenda, self.cluster().jobs[job].last_start) {
            let entries: Vec<Entry> =
                timers.after_start.iter().map(|&s| (start + s, Kind::Timer, partition.0)).collect();
            for entry in entries {
                self.state.agenda.add(entry);
            }
        }
    }

    /// The same where usage is measured and may change a decision.
    pub(super) fn wake_after_usage(&mut self) {
        for (partition, timers) in self.fixed.timers.iter() {
            if let (true, Some(usage)) = (timers.on_agenda, timers.usage)
                && usage.every.is_some()
                && self.usage_matters_in(partition)
            {
                let next = usage.next(self.state.now);
                self.state.agenda.add((next, Kind::Timer, partition.0));
            }
        }
    }

    /// The same after a cycle that has seen an incomplete gang.
    pub(super) fn wake_after_loss(&mut self, partition: PartitionId) {
        let has_incomplete = std::mem::take(&mut self.state.partitions[partition].saw_incomplete_gang);
        let timers = &self.fixed.timers[partition];
        if let (true, true, Some(grace)) = (has_incomplete, timers.on_agenda, timers.after_loss) {
            let grace = grace.max(Span::from_millis(1));
            self.state.agenda.add((self.state.now + grace, Kind::Timer, partition.0));
        }
    }
}
