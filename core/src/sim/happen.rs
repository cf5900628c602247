//! What happens outside the policy: the agenda's entries, applied in its order.

use std::sync::Arc;

use super::agenda::{Agenda, Entry, Kind};
use super::looks::is_torn;
use super::simulation::Simulation;
use crate::cluster::{Cluster, NodeState, Phase, Torn};
use crate::id::{JobId, NodeId, PartitionId, PodId};
use crate::policy::{Change, InCharge};
use crate::scenario::PlanChange;
use crate::time::{Span, Time};
use crate::trace::{Event, EvictReason, Recorded};

/// What happened, in order.
pub type Log = Vec<Recorded>;

fn log(events: &mut Log, event: Event) {
    events.push(Recorded { event, action: "", checks: Vec::new() });
}

impl Simulation {
    /// Applies the agenda up to and at an instant.
    pub(super) fn happen_until(&mut self, by: Time, events: &mut Log) {
        while let Some(entry) = self.state.agenda.take_due(by) {
            let (at, kind, sequence) = entry;
            let at = at.max(self.state.now);
            self.state.meter.move_to(at, &self.world);
            self.state.now = at;
            self.note_news(entry);
            match kind {
                Kind::End => self.end(PodId(sequence), at, events),
                Kind::Gone => self.gone(PodId(sequence), at, events),
                Kind::Run => {
                    self.world.run(PodId(sequence), at);
                    self.schedule(PodId(sequence));
                }
                Kind::Change => self.change(sequence, at, events),
                Kind::Submit => {
                    let job = JobId(sequence);
                    let is_known = self.cluster().live_jobs.binary_search(&job).is_ok();
                    let n_before = self.cluster().joining_of(job).count();
                    let running = self.world.submit(job, at);
                    let n_joined = n_before - self.cluster().joining_of(job).count().min(n_before);
                    log(
                        events,
                        match is_known {
                            true => Event::Joined { job, pods: n_joined as u32 },
                            false => Event::Submitted { job },
                        },
                    );
                    self.tell(Change::Submitted(job));
                    self.find(job, &running, events);
                }
                Kind::Look => {}
            }
            self.log_dealt(events);
        }
    }

    fn log_dealt(&mut self, events: &mut Log) {
        let dealt = self.world.take_dealt();
        for &pod in &dealt {
            let p = &self.cluster().pods[pod];
            if let Some(node) = p.node {
                log(events, Event::Dealt { pod, node, devices: p.devices });
            }
        }
        if !dealt.is_empty() {
            self.tell(Change::Configuration);
        }
    }

    /// Pods that something else placed run when their job becomes known.
    fn find(&mut self, job: JobId, running: &[PodId], events: &mut Log) {
        for &pod in running {
            let p = &self.cluster().pods[pod];
            let (node, devices) = (p.node.expect("a pod that runs is on a node"), p.devices);
            log(events, Event::Found { pod, node, devices });
            self.schedule(pod);
        }
        if !running.is_empty() {
            self.look_after_start(job);
            self.tell(Change::Configuration);
        }
    }

    fn end(&mut self, pod: PodId, at: Time, events: &mut Log) {
        let (node, job_done) = self.world.finish(pod, at);
        log(events, Event::Finished { pod, node });
        if job_done {
            self.log_end(self.cluster().pods[pod].job, events);
        }
        self.tell(Change::PodOver(pod));
    }

    fn gone(&mut self, pod: PodId, at: Time, events: &mut Log) {
        let node = self.world.gone(pod, at);
        log(events, Event::Gone { pod, node });
        self.lost(pod, events);
        self.log_end(self.cluster().pods[pod].job, events);
    }

    /// What comes after a pod that is gone.
    fn lost(&mut self, pod: PodId, events: &mut Log) {
        let is_over = self.cluster().pods[pod].phase.is_over();
        log(events, if is_over { Event::NotReplaced { pod } } else { Event::Requeued { pod } });
        self.tell(Change::PodOver(pod));
        let job = self.cluster().pods[pod].job;
        let (partition, torn) = (self.cluster().jobs[job].partition, is_torn(self.cluster(), job));
        self.state.parts[partition].has_torn |= torn;
    }

    /// If the job is over, says how.
    fn log_end(&self, job: JobId, events: &mut Log) {
        if self.cluster().is_evicted(job) {
            log(events, Event::JobEvicted { job });
        } else if self.cluster().jobs[job].ended.is_some() {
            log(events, Event::JobDone { job });
        }
    }

    /// Applies one entry of the timeline.
    fn change(&mut self, position: u32, at: Time, events: &mut Log) {
        let fixed = self.fixed.clone();
        let planned = &fixed.timeline[position as usize];
        let node = match planned.change {
            PlanChange::Node { node, state, .. } => state.map(|state| (node, state)),
            PlanChange::Queue { .. } | PlanChange::EndJob { .. } | PlanChange::Settings { .. } => None,
        };
        log(events, Event::Changed { entry: planned.entry, node });
        match &planned.change {
            PlanChange::Queue { queue, priority, resources, .. } => {
                for (partition, resources) in resources {
                    self.world.set_queue(*partition, *queue, *priority, *resources);
                }
            }
            PlanChange::Node { node, state, capacity } => {
                if let Some(state) = state {
                    self.set_state(*node, *state, at, events);
                }
                if let Some(capacity) = capacity {
                    self.world.set_capacity(*node, *capacity);
                }
                self.state.meter.nodes_changed(&self.world);
            }
            PlanChange::EndJob { job } => self.withdraw(*job, at, events),
            PlanChange::Settings { scheduling } => {
                for (part, (policy, rhythm)) in self.state.parts.values_mut().zip(scheduling) {
                    part.policy = Arc::new(InCharge::new(policy, *rhythm).0);
                }
            }
        }
        self.tell(Change::Configuration);
    }

    fn set_state(&mut self, node: NodeId, state: NodeState, at: Time, events: &mut Log) {
        if state == NodeState::Down {
            let on_node: Vec<PodId> = self.world.pods_on(node).collect();
            self.unschedule(&on_node);
        }
        let mut jobs = Vec::new();
        for torn in self.world.set_state(node, state, at) {
            log_torn(events, torn, EvictReason::NodeLost);
            self.lost(torn.pod, events);
            jobs.push(self.cluster().pods[torn.pod].job);
        }
        jobs.dedup();
        for job in jobs {
            self.log_end(job, events);
        }
    }

    fn withdraw(&mut self, job: JobId, at: Time, events: &mut Log) {
        let j = &self.cluster().jobs[job];
        let (was_open, submit) = (j.ended.is_none(), j.submit);
        let pods: Vec<PodId> = j.pod_ids().collect();
        self.unschedule(&pods);
        let joins: Vec<Time> = pods.iter().filter_map(|&pod| self.cluster().joins_at(pod)).collect();
        for at in joins.into_iter().chain([submit]) {
            self.state.agenda.cancel((at, Kind::Submit, job.0));
        }
        for torn in self.world.withdraw(job, at) {
            log_torn(events, torn, EvictReason::Withdrawn);
        }
        for pod in pods {
            self.tell(Change::PodOver(pod));
        }
        if was_open {
            log(events, Event::JobDone { job });
        }
    }

    /// Puts what a pod's phase says about the future on the agenda.
    pub(super) fn schedule(&mut self, pod: PodId) {
        let phase = self.cluster().pods[pod].phase;
        if let Some(entry) = next_of(phase, pod) {
            self.state.agenda.add(entry);
        }
    }

    /// Takes what the pods' phases say about the future off the agenda.
    pub(super) fn unschedule(&mut self, pods: &[PodId]) {
        for &pod in pods {
            let phase = self.cluster().pods[pod].phase;
            if let Some(entry) = next_of(phase, pod) {
                self.state.agenda.cancel(entry);
            }
        }
    }

    /// Puts the moments at which time alone may matter after a start on the agenda.
    pub(super) fn look_after_start(&mut self, job: JobId) {
        let partition = self.cluster().jobs[job].partition;
        let looks = &self.fixed.charges[partition].looks;
        if let (true, Some(start)) = (looks.on_agenda, self.cluster().jobs[job].last_start) {
            let entries: Vec<Entry> =
                looks.after_start.iter().map(|&s| (start + s, Kind::Look, partition.0)).collect();
            for entry in entries {
                self.state.agenda.add(entry);
            }
        }
    }

    /// The same where usage is measured and may change a decision.
    pub(super) fn look_after_usage(&mut self) {
        for (partition, charge) in self.fixed.charges.iter() {
            let looks = &charge.looks;
            if let (true, Some(usage)) = (looks.on_agenda, looks.usage)
                && usage.every.is_some()
                && self.usage_matters_in(partition)
            {
                let next = usage.next(self.state.now);
                self.state.agenda.add((next, Kind::Look, partition.0));
            }
        }
    }

    /// The same after a cycle that has seen an incomplete gang.
    pub(super) fn look_after_loss(&mut self, partition: PartitionId) {
        let torn = std::mem::take(&mut self.state.parts[partition].has_torn);
        let looks = &self.fixed.charges[partition].looks;
        if let (true, true, Some(grace)) = (torn, looks.on_agenda, looks.after_loss) {
            let grace = grace.max(Span::from_millis(1));
            self.state.agenda.add((self.state.now + grace, Kind::Look, partition.0));
        }
    }
}

/// What is known from the start: the timeline and every job's arrival.
pub fn agenda_of(cluster: &Cluster, timeline: &[crate::scenario::Planned]) -> Agenda {
    let changes = timeline.iter().zip(0..).map(|(planned, position)| (planned.at, Kind::Change, position));
    let is_future = |pod: PodId| cluster.pods[pod].phase == Phase::Future;
    let is_known = |job: JobId| cluster.live_jobs.binary_search(&job).is_ok();
    let later =
        cluster.jobs.iter().filter(|(id, job)| !is_known(*id) && job.pod_ids().next().is_some_and(is_future));
    let arrivals = later.map(|(id, job)| (job.submit, Kind::Submit, id.0));
    // Pods that join at one moment are one entry.
    let yet = cluster.joining.iter().filter(|joining| is_future(joining.pod));
    let mut joins: Vec<_> =
        yet.map(|joining| (joining.at, Kind::Submit, cluster.pods[joining.pod].job.0)).collect();
    joins.dedup();
    joins.sort();
    joins.dedup();
    Agenda::new(changes.chain(arrivals).chain(joins).collect())
}

/// When a phase ends by itself, and how.
fn next_of(phase: Phase, pod: PodId) -> Option<Entry> {
    match phase {
        Phase::Starting { until } => Some((until, Kind::Run, pod.0)),
        Phase::Running { until: Some(until), .. } => Some((until, Kind::End, pod.0)),
        Phase::Terminating { until } => Some((until, Kind::Gone, pod.0)),
        _ => None,
    }
}

fn log_torn(events: &mut Log, torn: Torn, reason: EvictReason) {
    let Torn { pod, node, was_leaving } = torn;
    if !was_leaving {
        log(events, Event::Evicted { pod, node, by: None, reason });
    }
    log(events, Event::Gone { pod, node });
}
