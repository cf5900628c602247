//! Settings that matter for a pending job.

use super::super::text::Text;
use super::super::{Control, number};
use super::Case;
use crate::trace::Gate;

impl Case<'_> {
    /// The settings of the minimum runtimes that protect others.
    pub(super) fn min_runtimes(&self) -> Vec<Control> {
        let mut controls: Vec<Control> = Vec::new();
        for subject in self.refusal.checks.iter().map(|check| &check.subject) {
            let Some(queue) = subject.other_queue else { continue };
            let victims = subject.other_job.and_then(|victim| self.frame.names.queue_of(victim));
            let (field, label) = match victims.is_some() && victims == self.own() {
                true => ("preempt-min-runtime", "minimum runtime before preemption of "),
                false => ("reclaim-min-runtime", "minimum runtime before reclaim of "),
            };
            let control = Control::of_queue(self.frame.queue(queue), field, label);
            if !controls.contains(&control) {
                controls.push(control);
            }
        }
        controls
    }

    pub(super) fn controls(&self) -> Vec<Control> {
        let gate = &self.refusal.gate;
        let Some(queue) = self.queue(gate).map(|queue| queue.name.as_str()) else { return Vec::new() };
        let r = self.resource(gate.about().1);
        let job = self.frame.job(self.refusal.job);
        let of_queue = |fields: &[&str]| fields.iter().map(|field| Control::queue(queue, r, field)).collect();
        let of_job = |field: &str, label: &str| Control::job(job, field, Text::of(label).job(job));
        match gate {
            Gate::OverLimit { .. } => of_queue(&["limit"]),
            Gate::VictimsProtected { .. } => self.min_runtimes(),
            Gate::NotEntitled { .. } | Gate::NoVictims { .. } => of_queue(&["quota", "weight"]),
            Gate::NonPreemptibleOverQuota { .. } => {
                vec![Control::queue(queue, r, "quota"), of_job("preemptible", "preemptibility of ")]
            }
            Gate::TooLarge { resource } if resource.nth_named().is_some() => {
                vec![of_job("resources", "further resources of ")]
            }
            Gate::TooLarge { .. } | Gate::NoNode { .. } => {
                vec![of_job(number::resource_key(r), "request of ")]
            }
            Gate::Behind { .. } => vec![of_job("priority", "priority of ")],
            Gate::NotReady
            | Gate::NotALeaf
            | Gate::NotAccepted { .. }
            | Gate::UserLimit { .. }
            | Gate::TooManyJobs { .. }
            | Gate::WaitingForVictims { .. }
            | Gate::GangIncomplete { .. }
            | Gate::GangFailed
            | Gate::GangRefused
            | Gate::NoDevice { .. }
            | Gate::PreemptedTooLittle
            | Gate::Delayed { .. }
            | Gate::TriedOnce
            | Gate::LikeFailed { .. } => Vec::new(),
        }
    }
}
