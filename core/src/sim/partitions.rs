//! The partitions of a run, each with its own scheduler, memory and rhythm.
//!
//! # Rule
//! All partitions that are due at an instant run in one cycle, in file order. Each scheduler gets its own nodes, its
//! own values of the queues and the jobs that are offered to it; its memory is not visible to others. A job with a list
//! of partitions is offered to one of them at a time: if it is still entirely pending at the end of a cycle in which
//! its partition ran, and it has no reservation there, it moves on to the next partition of the list, cyclically
//! (RC-1). Under a rhythm *on change* the move triggers a run, until every partition has run once more than the longest
//! list has entries without any change.
//!
//! # Source
//! runai.md 3 (RC-1); kai.md 1.2 (shards)

use std::sync::Arc;

use super::agenda::{AgendaEntry, AgendaKind};
use super::partition_state::{PartitionState, sum};
use super::policy_timers::{time_matters, usage_matters};
use super::record::{Log, log};
use super::simulation::Simulation;
use crate::cluster::Phase;
use crate::id::{JobId, PartitionId, PodId};
use crate::policy::{PartitionView, Wake};
use crate::scenario::PlanChange;
use crate::time::{Span, Time};
use crate::trace::{Digest, Event, Ledger, Level, Refusal, Trace};

impl Simulation {
    /// A partition's present view of the world.
    pub(super) fn view(&self, partition: PartitionId) -> PartitionView<'_> {
        PartitionView::new(&self.world, partition, self.state.now)
    }

    /// Whether jobs move between partitions.
    pub(super) fn has_lists(&self) -> bool {
        self.fixed.rounds > 1
    }

    /// Time of the next cycle, if there is one.
    pub fn next_cycle_at(&self) -> Option<Time> {
        self.state.partitions.ids().filter_map(|partition| self.next_run(partition)).min()
    }

    /// Time of the next entry of the timeline, if there is one.
    pub fn next_change_at(&self) -> Option<Time> {
        self.state.agenda.next_trigger(&|(time, kind, _)| (kind == AgendaKind::Change).then_some(time))
    }

    /// Time of a partition's next run.
    fn next_run(&self, partition: PartitionId) -> Option<Time> {
        let now = self.state.now;
        let earliest = if self.state.is_stuck() { now + Span::from_millis(1) } else { now };
        let part = &self.state.partitions[partition];
        let triggered_at = || {
            if part.is_triggered || part.has_offer {
                Some(now)
            } else {
                self.state.agenda.next_trigger(&|entry| self.trigger_time(entry, partition))
            }
        };
        match part.wake {
            Wake::Again => Some(earliest),
            Wake::At(time) => Some(time.max(earliest)),
            Wake::OnChange { not_before } => triggered_at().map(|time| time.max(not_before).max(earliest)),
            Wake::OnChangeOrAt { not_before, at: time } => {
                Some(triggered_at().map_or(time, |triggered_at| triggered_at.max(not_before).min(time)).max(earliest))
            }
        }
    }

    /// Time at which an entry of the agenda triggers a run of a partition: when it is due, or, if it starts a pod, at
    /// the end of that pod.
    fn trigger_time(&self, entry: AgendaEntry, partition: PartitionId) -> Option<Time> {
        let (time, kind, sequence) = entry;
        let cluster = self.cluster();
        let after = match kind {
            AgendaKind::Run => cluster.jobs[cluster.pods[PodId(sequence)].job].lasts?,
            _ => Span::ZERO,
        };
        self.concerns(entry, partition).then_some(time + after)
    }

    /// Whether an entry of the agenda concerns a partition.
    pub(super) fn concerns(&self, (_, kind, sequence): AgendaEntry, partition: PartitionId) -> bool {
        if self.state.partitions.len() == 1 || self.has_lists() {
            return true;
        }
        let cluster = self.cluster();
        let of_job = |job: JobId| cluster.jobs[job].partition == partition;
        match kind {
            AgendaKind::End | AgendaKind::Gone | AgendaKind::Run => of_job(cluster.pods[PodId(sequence)].job),
            AgendaKind::Submit => of_job(JobId(sequence)),
            AgendaKind::Timer => sequence == partition.0,
            AgendaKind::Change => match &self.fixed.timeline[sequence as usize].change {
                PlanChange::Queue { resources, .. } => resources.iter().any(|(p, _)| *p == partition),
                PlanChange::Node { node, .. } => cluster.nodes[*node].partition == partition,
                PlanChange::EndJob { job } => of_job(*job),
                PlanChange::Settings { .. } => true,
            },
        }
    }

    /// Triggers the partitions that an entry of the agenda concerns.
    pub(super) fn trigger(&mut self, entry: AgendaEntry) {
        for partition in self.state.partitions.ids() {
            if entry.1.triggers_run() && self.concerns(entry, partition) {
                self.state.partitions[partition].is_triggered = true;
            }
        }
    }

    /// Runs the scheduler of every partition that is due at an instant, in file order, and applies its decisions.
    pub(super) fn run_due(&mut self, time: Time, explained: Option<PodId>) -> (Trace, Vec<PartitionId>) {
        let is_due = |&partition: &PartitionId| self.next_run(partition).is_some_and(|next| next <= time);
        let due: Vec<PartitionId> = self.state.partitions.ids().filter(is_due).collect();
        let mut combined = Trace { explained, ..Trace::new(self.state.level) };
        for (i, &partition) in due.iter().enumerate() {
            let monitor = self.state.monitor.of_part(i, due.len());
            let part = &mut self.state.partitions[partition];
            (part.is_triggered, part.has_offer) = (false, false);
            if self.state.partitions.len() == 1 {
                self.run_policy(partition, &monitor, &mut combined);
                return (combined, due);
            }
            // A partition that is not due in the next cycle still contributes its refusals, even if the level rises
            // until then.
            let mut trace = Trace { explained, ..Trace::new(self.state.level.max(Level::Decisive)) };
            self.run_policy(partition, &monitor, &mut trace);
            if self.state.level < Level::Decisive {
                trace.events.iter_mut().for_each(|recorded| recorded.checks = Arc::default());
            }
            trace.unfinished.iter_mut().for_each(|entry| entry.after += combined.events.len() as u32);
            combined.unfinished.append(&mut trace.unfinished);
            combined.events.append(&mut trace.events);
            combined.checks.append(&mut trace.checks);
            combined.marks.append(&mut trace.marks);
            if self.state.level > Level::Outcomes {
                combined.not_selected.append(&mut trace.not_selected);
                combined.searches.append(&mut trace.searches);
            }
            self.state.partitions[partition].refusals = trace.refusals;
        }
        if self.state.level > Level::Outcomes {
            combined.refusals = self.refusals();
        }
        (combined, due)
    }

    /// The latest refusals of all partitions, for jobs that are still pending and offered there, by job.
    fn refusals(&self) -> Vec<Refusal> {
        let parts = &self.state.partitions;
        let mut refusals = Vec::new();
        for (partition, part) in parts.iter() {
            let is_current =
                |refusal: &&Refusal| self.cluster().jobs[refusal.job].partition == partition && self.waits(refusal.job);
            refusals.extend(part.refusals.iter().filter(is_current).cloned());
        }
        refusals.sort_by_key(|refusal: &Refusal| refusal.job);
        refusals
    }

    fn waits(&self, job: JobId) -> bool {
        self.cluster().pods_of(job).any(|(_, pod)| matches!(pod.phase, Phase::Pending | Phase::Gated))
    }

    /// Counts runs without a change for the partitions that ran.
    pub(super) fn note_change(&mut self, has_changed: bool, ran: &[PartitionId]) {
        for (partition, part) in self.state.partitions.iter_mut() {
            if has_changed {
                part.n_unchanged = 0;
            } else if ran.contains(&partition) {
                part.n_unchanged = part.n_unchanged.saturating_add(1);
            }
        }
    }

    /// Offers jobs that were not placed by the partitions that ran to the next partition of their lists.
    pub(super) fn offer_to_next(&mut self, ran: &[PartitionId], events: &mut Log) {
        if !self.has_lists() {
            return;
        }
        let mut claimed: Vec<JobId> = Vec::new();
        for recorded in &*events {
            let job_of = |pod: PodId| self.cluster().pods[pod].job;
            match recorded.event {
                Event::Claimed { pod, .. } => claimed.push(job_of(pod)),
                Event::Unclaimed { pod, .. } => claimed.retain(|job| *job != job_of(pod)),
                _ => {}
            }
        }
        // Later rounds repeat the first one as long as nothing changes, so they are not recorded.
        let is_recorded = self.state.partitions.values().any(|part| part.n_unchanged < self.fixed.rounds);
        for job in self.cluster().live_jobs.clone() {
            let j = &self.cluster().jobs[job];
            let Some(next) = j.next_pool().filter(|_| ran.contains(&j.partition)) else { continue };
            let waits = self.cluster().pods_of(job).any(|(_, pod)| pod.phase == Phase::Pending);
            if !waits || self.world.holds_any(job) || claimed.contains(&job) {
                continue;
            }
            self.world.offer(job, next);
            if is_recorded {
                self.state.partitions[next].has_offer = true;
                log(events, Event::Offered { job, partition: next });
            }
        }
    }

    /// Whether every partition has run often enough since the last change to exclude further decisions.
    pub(super) fn is_settled(&self) -> bool {
        let part_is_settled = |part: &PartitionState| part.n_unchanged >= self.fixed.rounds && !part.runs_again();
        self.state.changed_at < self.state.now && self.state.partitions.values().all(part_is_settled)
    }

    /// Whether time alone may change a decision in any partition.
    pub(super) fn time_matters(&self) -> bool {
        let unchanged = self.state.now - self.state.changed_at;
        self.fixed
            .timers
            .iter()
            .any(|(partition, timers)| unchanged <= timers.longest && time_matters(self.view(partition), timers))
    }

    /// Whether measured usage may still change a decision in any partition.
    pub(super) fn usage_matters(&self) -> bool {
        self.fixed.timers.ids().any(|partition| self.usage_matters_in(partition))
    }

    pub(super) fn usage_matters_in(&self, partition: PartitionId) -> bool {
        let unchanged = self.state.now - self.state.changed_at;
        usage_matters(self.view(partition), &self.fixed.timers[partition], unchanged)
    }

    /// Common time of the next run of all partitions; `None`: their times differ, or they are not periodic.
    pub(super) fn common_wake(&self) -> Option<Time> {
        let mut wakes = self.state.partitions.values().map(|part| part.wake);
        let Some(Wake::At(first)) = wakes.next() else { return None };
        let is_same_wake = wakes.all(|wake| wake == Wake::At(first));
        let is_same_rhythm = self.state.partitions.len() == 1 || self.fixed.is_one_rhythm;
        (is_same_wake && is_same_rhythm && !self.has_lists()).then_some(first)
    }

    /// Updates the ledgers and their hashes.
    pub(super) fn close_ledgers(&mut self) {
        let n_parts = self.state.partitions.len();
        let mut any_changed = false;
        for partition in self.state.partitions.ids() {
            let view = self.view(partition);
            let part = &self.state.partitions[partition];
            let ledger = part.policy.ledger(view, &part.memory);
            let part = &mut self.state.partitions[partition];
            let old = &part.ledger;
            part.row_hashes.resize(ledger.rows.len(), 0);
            let mut changed = ledger.total != old.total || ledger.rows.len() != old.rows.len();
            for (i, row) in ledger.rows.iter().enumerate() {
                if old.rows.get(i) != Some(row) {
                    part.row_hashes[i] = Digest::of_row(row);
                    changed = true;
                    self.state.meter.row_changed(partition, row);
                }
            }
            if changed {
                part.ledger = Arc::new(ledger);
            }
            any_changed |= changed;
        }
        if !any_changed {
            return;
        }
        if n_parts == 1 {
            self.state.ledger = self.state.partitions[PartitionId(0)].ledger.clone();
            return;
        }
        let sum = sum(self.state.partitions.values().map(|part| &*part.ledger));
        self.state.ledger = Arc::new(sum);
    }

    /// The ledger of every partition; empty if there is only one.
    pub fn ledgers(&self) -> Vec<Arc<Ledger>> {
        if self.state.partitions.len() == 1 {
            return Vec::new();
        }
        self.state.partitions.values().map(|part| part.ledger.clone()).collect()
    }

    /// Adds the partitions to a digest: totals and rows of the ledgers, and the partition to which each job is offered.
    pub(super) fn digest_parts(&self, digest: &mut Digest) {
        for part in self.state.partitions.values() {
            digest.word(Digest::of_total(&part.ledger.total));
            digest.word(part.row_hashes.iter().fold(0, |sum, &hash| sum.wrapping_add(hash)));
        }
        if self.has_lists() {
            for &job in &self.cluster().live_jobs {
                digest.word(u64::from(job.0) << 32 | u64::from(self.cluster().jobs[job].partition.0));
            }
        }
    }
}
