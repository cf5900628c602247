//! Agenda entries derived from the phases of pods and from the timers of policies.

use super::agenda::{AgendaKind, end_of};
use super::simulation::Simulation;
use crate::cluster::Phase;
use crate::id::{JobId, PartitionId, PodId};
use crate::time::Span;

impl Simulation {
    /// Adds the end of a pod's phase to the agenda.
    pub(super) fn schedule(&mut self, pod: PodId) {
        let phase = self.cluster().pods[pod].phase;
        if let Some(entry) = end_of(phase, pod) {
            self.state.agenda.add(entry);
        }
        let Phase::Terminating { since, until } = phase else { return };
        let partition = self.cluster().jobs[self.cluster().pods[pod].job].partition;
        let stuck_at = self.fixed.timers[partition].after_eviction.map(|span| since + span);
        if let Some(time) = stuck_at.filter(|&time| time < until && time > self.state.now) {
            self.state.agenda.add((time, AgendaKind::Timer, partition.0));
        }
    }

    /// Removes the ends of the pods' phases from the agenda.
    pub(super) fn unschedule(&mut self, pods: &[PodId]) {
        for &pod in pods {
            let phase = self.cluster().pods[pod].phase;
            if let Some(entry) = end_of(phase, pod) {
                self.state.agenda.cancel(entry);
            }
        }
    }

    /// Adds the ends of the minimum runtimes that begin with a start of the job.
    pub(super) fn wake_after_start(&mut self, job: JobId) {
        let partition = self.cluster().jobs[job].partition;
        let timers = &self.fixed.timers[partition];
        if timers.on_agenda
            && let Some(start) = self.cluster().jobs[job].last_start
        {
            for &span in &timers.after_start {
                self.state.agenda.add((start + span, AgendaKind::Timer, partition.0));
            }
        }
    }

    /// Adds the next measurement of usage for each partition in which it may change a decision.
    pub(super) fn wake_after_usage(&mut self) {
        for (partition, timers) in self.fixed.timers.iter() {
            if timers.on_agenda
                && let Some(usage) = timers.usage
                && usage.every.is_some()
                && self.usage_matters_in(partition)
            {
                let next = usage.next(self.state.now);
                self.state.agenda.add((next, AgendaKind::Timer, partition.0));
            }
        }
    }

    /// Adds the end of the grace period after a cycle in which a gang was incomplete.
    pub(super) fn wake_after_incomplete_gang(&mut self, partition: PartitionId) {
        let has_incomplete = std::mem::take(&mut self.state.partitions[partition].saw_incomplete_gang);
        let timers = &self.fixed.timers[partition];
        if let Some(grace) = timers.after_incomplete_gang.filter(|_| has_incomplete && timers.on_agenda) {
            let grace = grace.max(Span::from_millis(1));
            self.state.agenda.add((self.state.now + grace, AgendaKind::Timer, partition.0));
        }
    }
}
