//! Events from outside the policy: entries of the agenda, applied in its order, and added for the phases of pods and the
//! timers of policies.

use std::sync::Arc;

use super::agenda::{AgendaKind, end_of};
use super::policy_timers::has_incomplete_gang;
use super::record::{Log, log};
use super::simulation::Simulation;
use crate::cluster::{Displaced, NodeState, Phase};
use crate::id::{JobId, NodeId, PartitionId, PodId};
use crate::policy::{Change, PartitionScheduler};
use crate::scenario::PlanChange;
use crate::time::{Span, Time};
use crate::trace::{Event, EvictReason};

impl Simulation {
    /// Applies the agenda up to and at an instant.
    pub(super) fn apply_until(&mut self, until: Time, events: &mut Log) {
        while let Some(entry) = self.state.agenda.take_due(until) {
            let (time, kind, sequence) = entry;
            let time = time.max(self.state.now);
            self.move_to(time);
            self.trigger(entry);
            match kind {
                AgendaKind::End => self.end(PodId(sequence), time, events),
                AgendaKind::Gone => self.gone(PodId(sequence), time, events),
                AgendaKind::Run => {
                    self.world.run(PodId(sequence), time);
                    self.schedule(PodId(sequence));
                }
                AgendaKind::Change => self.change(sequence, time, events),
                AgendaKind::Submit => {
                    let job = JobId(sequence);
                    let is_known = self.cluster().live_jobs.binary_search(&job).is_ok();
                    let n_before = self.cluster().joining_of(job).count();
                    let running = self.world.submit(job, time);
                    let n_joined = n_before - self.cluster().joining_of(job).count().min(n_before);
                    log(
                        events,
                        if is_known { Event::Joined { job, pods: n_joined as u32 } } else { Event::Submitted { job } },
                    );
                    self.notify(Change::Submitted(job));
                    self.record_found(job, &running, events);
                }
                AgendaKind::Timer => {}
            }
            self.log_dealt(events);
        }
    }

    fn log_dealt(&mut self, events: &mut Log) {
        let dealt = self.world.take_dealt();
        for &pod in &dealt {
            let p = &self.cluster().pods[pod];
            if let Some(node) = p.node {
                log(events, Event::DevicesChanged { pod, node, devices: p.devices });
            }
        }
        if !dealt.is_empty() {
            self.notify(Change::Configuration);
        }
    }

    /// Records pods that already run when their job is submitted.
    fn record_found(&mut self, job: JobId, running: &[PodId], events: &mut Log) {
        for &pod in running {
            let p = &self.cluster().pods[pod];
            let (node, devices) = (p.node.expect("a pod that runs is on a node"), p.devices);
            log(events, Event::Found { pod, node, devices });
            self.schedule(pod);
        }
        if !running.is_empty() {
            self.wake_after_start(job);
            self.notify(Change::Configuration);
        }
    }

    fn end(&mut self, pod: PodId, time: Time, events: &mut Log) {
        let (node, job_done) = self.world.finish(pod, time);
        log(events, Event::Finished { pod, node });
        if job_done {
            self.log_end(self.cluster().pods[pod].job, events);
        }
        self.notify(Change::PodOver(pod));
    }

    fn gone(&mut self, pod: PodId, time: Time, events: &mut Log) {
        let node = self.world.gone(pod, time);
        log(events, Event::Gone { pod, node });
        self.record_loss(pod, events);
        self.log_end(self.cluster().pods[pod].job, events);
    }

    /// Records what follows the loss of a pod: it is requeued, or not replaced.
    fn record_loss(&mut self, pod: PodId, events: &mut Log) {
        let is_over = self.cluster().pods[pod].phase.is_over();
        log(events, if is_over { Event::NotReplaced { pod } } else { Event::Requeued { pod } });
        self.notify(Change::PodOver(pod));
        let job = self.cluster().pods[pod].job;
        let partition = self.cluster().jobs[job].partition;
        self.state.partitions[partition].saw_incomplete_gang |= has_incomplete_gang(self.cluster(), job);
    }

    /// Logs the end of a job, if it has ended.
    fn log_end(&self, job: JobId, events: &mut Log) {
        if self.cluster().is_evicted(job) {
            log(events, Event::JobEvicted { job });
        } else if self.cluster().jobs[job].ended.is_some() {
            log(events, Event::JobDone { job });
        }
    }

    /// Applies one entry of the timeline.
    fn change(&mut self, position: u32, time: Time, events: &mut Log) {
        let fixed = self.fixed.clone();
        let planned = &fixed.timeline[position as usize];
        let (node, ended) = match planned.change {
            PlanChange::Node { node, state, .. } => (state.map(|state| (node, state)), None),
            PlanChange::EndJob { job } => (None, Some(job)),
            PlanChange::Queue { .. } | PlanChange::Settings { .. } => (None, None),
        };
        log(events, Event::Changed { entry: planned.entry, node, ended });
        match &planned.change {
            PlanChange::Queue { queue, priority, resources, .. } => {
                for (partition, resources) in resources {
                    self.world.set_queue(*partition, *queue, *priority, *resources);
                }
            }
            PlanChange::Node { node, state, capacity } => {
                if let Some(state) = state {
                    self.set_state(*node, *state, time, events);
                }
                if let Some(capacity) = capacity {
                    self.world.set_capacity(*node, *capacity);
                }
                self.state.meter.nodes_changed(&self.world);
            }
            PlanChange::EndJob { job } => self.withdraw(*job, time, events),
            PlanChange::Settings { scheduling } => {
                for (part, (policy, rhythm)) in self.state.partitions.values_mut().zip(scheduling) {
                    part.policy = Arc::new(PartitionScheduler::new(policy, *rhythm).0);
                }
            }
        }
        self.notify(Change::Configuration);
    }

    fn set_state(&mut self, node: NodeId, state: NodeState, time: Time, events: &mut Log) {
        if state == NodeState::Down {
            let on_node: Vec<PodId> = self.world.pods_on(node).collect();
            self.unschedule(&on_node);
        }
        let mut jobs = Vec::new();
        for displaced in self.world.set_state(node, state, time) {
            log_displaced(events, displaced, EvictReason::NodeLost);
            self.record_loss(displaced.pod, events);
            jobs.push(self.cluster().pods[displaced.pod].job);
        }
        jobs.dedup();
        for job in jobs {
            self.log_end(job, events);
        }
    }

    fn withdraw(&mut self, job: JobId, time: Time, events: &mut Log) {
        let j = &self.cluster().jobs[job];
        let (was_open, submit) = (j.ended.is_none(), j.submit);
        let pods: Vec<PodId> = j.pod_ids().collect();
        self.unschedule(&pods);
        let joins: Vec<Time> = pods.iter().filter_map(|&pod| self.cluster().joins_at(pod)).collect();
        for time in joins.into_iter().chain([submit]) {
            self.state.agenda.cancel((time, AgendaKind::Submit, job.0));
        }
        for displaced in self.world.withdraw(job, time) {
            log_displaced(events, displaced, EvictReason::Withdrawn);
        }
        for pod in pods {
            self.notify(Change::PodOver(pod));
        }
        if was_open {
            log(events, Event::JobDone { job });
        }
    }
}

fn log_displaced(events: &mut Log, displaced: Displaced, reason: EvictReason) {
    let Displaced { pod, node, was_leaving } = displaced;
    if !was_leaving {
        log(events, Event::Evicted { pod, node, by: None, reason });
    }
    log(events, Event::Gone { pod, node });
}

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
