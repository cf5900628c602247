//! Settings that matter for a pending job.

use super::super::check::decisive_resource;
use super::super::text::{self, Text};
use super::super::{Control, number};
use super::Case;
use crate::policy::Policy;
use crate::trace::{Check, Gate, NodeReason};
use crate::units::Resource;

impl Case<'_> {
    /// The settings of the minimum runtimes that protect others.
    pub(super) fn min_runtimes(&self) -> Vec<Control> {
        let mut controls: Vec<Control> = Vec::new();
        for subject in self.refusal.checks.iter().map(|check| &check.subject) {
            let Some(queue) = subject.other_queue else { continue };
            let victims = subject.other_job.and_then(|victim| self.frame.names.queue_of(victim));
            let (field, label) = if victims.is_some() && victims == self.own() {
                ("preempt-min-runtime", "minimum runtime before preemption of ")
            } else {
                ("reclaim-min-runtime", "minimum runtime before reclaim of ")
            };
            let control = Control::of_queue(self.frame.queue(queue), field, label);
            if !controls.contains(&control) {
                controls.push(control);
            }
        }
        controls
    }

    /// The resource that the reason or its comparison is about, else the displayed one.
    fn compared_resource(&self) -> Resource {
        let gate = &self.refusal.gate;
        let lacking = match gate {
            Gate::NoNode { reasons, .. } => reasons.iter().find_map(|(reason, _)| match reason {
                NodeReason::Insufficient(resource) => resource.accounted(),
                _ => None,
            }),
            _ => None,
        };
        let failed = || self.refusal.checks.iter().find(|check: &&Check| !check.holds);
        let of_check = match gate {
            Gate::NotEntitled { .. } => self.not_entitled_check().or_else(failed).and_then(decisive_resource),
            _ => None,
        };
        let of_gate = gate.about().1.and_then(Resource::accounted);
        of_gate.or(lacking).or(of_check).unwrap_or(self.resource)
    }

    pub(super) fn controls(&self) -> Vec<Control> {
        let gate = &self.refusal.gate;
        let Some(queue) = self.queue(gate).map(|queue| queue.name.as_str()) else { return Vec::new() };
        let r = self.compared_resource();
        let job = self.frame.job(self.refusal.job);
        let of_queue = |fields: &[&str]| fields.iter().map(|field| Control::queue(queue, r, field)).collect();
        let of_job = |field: &str, label: &str| Control::job(job, field, Text::of(label).then(text::job(job)));
        match gate {
            Gate::OverLimit { .. } if self.refusal.is_over_quota() => of_queue(&["quota"]),
            Gate::OverLimit { .. } => of_queue(&["limit"]),
            Gate::VictimsProtected { .. } => self.min_runtimes(),
            Gate::NotEntitled { .. } | Gate::NoVictims { .. } => of_queue(&["quota", "weight"]),
            Gate::NonPreemptibleOverQuota { .. } => {
                vec![Control::queue(queue, r, "quota"), of_job("preemptible", "preemptibility of ")]
            }
            Gate::TooLarge { resource } if resource.nth_named().is_some() => {
                vec![of_job("resources", "further resources of ")]
            }
            Gate::NoNode { reasons, .. } if !reasons.is_empty() && !lacks_resources(reasons) => Vec::new(),
            Gate::TooLarge { .. } | Gate::NoNode { .. } => {
                vec![of_job(number::resource_key(r), "request of ")]
            }
            Gate::Behind { .. } if reads_priorities(&self.frame.policy) => {
                vec![of_job("priority", "priority of ")]
            }
            Gate::Behind { .. }
            | Gate::NotReady
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

/// Whether some node has too little of a resource.
fn lacks_resources(reasons: &[(NodeReason, u32)]) -> bool {
    reasons.iter().any(|(reason, _)| matches!(reason, NodeReason::Insufficient(_)))
}

/// Whether a policy reads the priorities of jobs.
fn reads_priorities(policy: &str) -> bool {
    Policy::described(policy).is_none_or(|policy| policy.supports.job_priority)
}
