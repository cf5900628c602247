//! Timers of gangs, and the confirmation of placeholder changes after a pass.
//!
//! # Source
//! yunikorn.md 7

use super::apps::ReleaseReason;
use super::cycle::CycleResult;
use super::memory::Memory;
use super::model::AskIx;
use super::placeholders::{GangState, INTERVAL, held_by};
use crate::id::{NodeId, PodId};
use crate::policy::PartitionView;
use crate::trace::{Event, Trace};

impl Memory {
    /// Fires due timers: ends Completing applications and releases placeholders that timed out.
    pub fn fire_timers(&mut self, world: PartitionView<'_>, trace: &mut Trace) {
        let core = &mut self.core;
        let now = world.now.as_millis();
        while let Some((due, timers)) = core.due_timers().filter(|(due, _)| *due <= now) {
            core.now = due;
            for (app, is_of_placeholders) in timers {
                let job = self.gangs.holders.iter().find(|(ask, _)| core.asks[**ask].app == app);
                let job = job.map(|(_, (job, _))| *job);
                let holders = held_by(&self.gangs, core, job);
                if is_of_placeholders {
                    core.time_out_placeholders(app);
                } else {
                    core.end_completing(app);
                }
                core.confirm_releases();
                core.timed_out.clear();
                let Some(job) = job else { continue };
                for (pod, node) in holders {
                    trace.event(Event::Unclaimed { pod, node: self.nodes[node], by: None }, Vec::new);
                }
                let is_over = core.find_app(&world.cluster.jobs[job].name).is_none();
                if let Some(state) = self.gangs.states.get_mut(&job) {
                    *state = match *state {
                        GangState::Pending if is_over => GangState::Failed,
                        GangState::Pending => GangState::Resuming { at: due + INTERVAL },
                        other => other,
                    };
                }
                self.gangs.holders.retain(|_, (holder, _)| *holder != job);
                self.in_step = false;
            }
        }
        core.now = now;
        self.in_step &= !self.gangs.resumes(now);
    }

    /// Confirms placeholder changes of a pass: placed, replaced or marked for eviction.
    pub fn settle_gangs(&mut self, outcome: Option<&CycleResult>, marked: &[AskIx], trace: &mut Trace) {
        let core = &mut self.core;
        let placed = outcome.is_some_and(|result| core.asks[result.ask].placeholder);
        if let Some((ask, placeholder)) = outcome.and_then(|result| Some((result.ask, result.placeholder?))) {
            core.confirm_replacement(ask, placeholder);
            self.gangs.holders.remove(&placeholder);
            self.in_step = false;
        }
        let mut released: Vec<AskIx> = marked.iter().copied().filter(|ask| core.asks[*ask].placeholder).collect();
        for &ask in &released {
            core.release(ask, ReleaseReason::Over);
        }
        for &ask in &core.releasing {
            if let (Some(pod), Some(node)) = (self.gangs.pod_of(ask), core.asks[ask].node) {
                trace.event(Event::Unclaimed { pod, node: self.nodes[node], by: None }, Vec::new);
            }
        }
        released.extend(&core.releasing);
        core.confirm_releases();
        core.timed_out.clear();
        self.gangs.holders.retain(|ask, _| !released.contains(ask));
        self.in_step &= !placed && released.is_empty();
    }

    /// Nodes held by placeholders, with the pods for which they are held.
    pub fn held(&self) -> Vec<(PodId, NodeId)> {
        let node = |ask: &AskIx| self.core.asks[*ask].node.map(|node| self.nodes[node]);
        self.gangs.holders.iter().filter_map(|(ask, (_, pod))| Some((*pod, node(ask)?))).collect()
    }
}
