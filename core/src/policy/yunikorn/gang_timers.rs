//! What time does to gangs whose placeholders wait, and what a pass leaves of them.
//!
//! # Source
//! yunikorn.md 7

use super::apps::Ending;
use super::cycle::Found;
use super::memory::Memory;
use super::model::AskIx;
use super::placeholders::{INTERVAL, Stage, held_by};
use crate::id::{NodeId, PodId};
use crate::policy::PartitionView;
use crate::trace::{Event, Trace};

impl Memory {
    /// Fires the timers that are due: applications that were Completing end, placeholders that waited for too long go.
    pub fn fire_timers(&mut self, world: PartitionView<'_>, trace: &mut Trace) {
        let Some(core) = &mut self.core else { return };
        let now = world.now.as_millis();
        while let Some((due, timers)) = core.due_timers().filter(|(due, _)| *due <= now) {
            core.now = due;
            for (app, is_of_placeholders) in timers {
                let job = self.gangs.holders.iter().find(|(ask, _)| core.asks[**ask].app == app);
                let job = job.map(|(_, (job, _))| *job);
                let held = held_by(&self.gangs, core, job);
                if is_of_placeholders {
                    core.time_out_placeholders(app);
                } else {
                    core.end_completing(app);
                }
                core.confirm_releases();
                core.timed_out.clear();
                let Some(job) = job else { continue };
                for (pod, node) in held {
                    trace.event(Event::Unclaimed { pod, node: self.nodes[node], by: None }, Vec::new);
                }
                let is_over = core.find_app(&world.cluster.jobs[job].name).is_none();
                if let Some(stage) = self.gangs.stages.get_mut(&job) {
                    *stage = match *stage {
                        Stage::Waits if is_over => Stage::Failed,
                        Stage::Waits => Stage::Resumes { at: due + INTERVAL },
                        other => other,
                    };
                }
                self.gangs.holders.retain(|_, (of, _)| *of != job);
                self.in_step = false;
            }
        }
        core.now = now;
        self.in_step &= !self.gangs.resumes(now);
    }

    /// Confirms what a pass did to placeholders: one was placed, replaced or marked to go.
    pub fn settle_gangs(&mut self, found: Option<&Found>, marked: &[AskIx], trace: &mut Trace) {
        let Some(core) = &mut self.core else { return };
        let placed = found.is_some_and(|found| core.asks[found.ask].placeholder);
        if let Some((ask, placeholder)) = found.and_then(|found| Some((found.ask, found.placeholder?))) {
            core.confirm_replacement(ask, placeholder);
            self.gangs.holders.remove(&placeholder);
            self.in_step = false;
        }
        let mut gone: Vec<AskIx> = marked.iter().copied().filter(|ask| core.asks[*ask].placeholder).collect();
        for &ask in &gone {
            core.release(ask, Ending::Over);
        }
        for &ask in &core.releasing {
            if let (Some(pod), Some(node)) = (self.gangs.pod_of(ask), core.asks[ask].node) {
                trace.event(Event::Unclaimed { pod, node: self.nodes[node], by: None }, Vec::new);
            }
        }
        gone.extend(&core.releasing);
        core.confirm_releases();
        core.timed_out.clear();
        self.gangs.holders.retain(|ask, _| !gone.contains(ask));
        self.in_step &= !placed && gone.is_empty();
    }

    /// The room that placeholders hold.
    pub fn held(&self) -> Vec<(PodId, NodeId)> {
        let Some(core) = self.core() else { return Vec::new() };
        let node = |ask: &AskIx| core.asks[*ask].node.map(|node| self.nodes[node]);
        self.gangs.holders.iter().filter_map(|(ask, (_, pod))| Some((*pod, node(ask)?))).collect()
    }
}
