//! Fair shares that past usage has lowered.
//!
//! # Rule
//! The division is repeated without past usage; where a queue would have more, both shares are compared. No decision
//! depends on it.
//!
//! # Source
//! kai.md 2.3 pass O, 2.6
//!
//! # Differs
//! nothing

use crate::policy::kai::number::Quantities;
use crate::policy::kai::record::notes::{real, shown};
use crate::policy::kai::session::Session;
use crate::policy::kai::share::shares;
use crate::policy::kai::share::usage::USAGE;
use crate::policy::kai::task::QueueRef;
use crate::trace::{Check, Op, Quantity, Subject};
use crate::units::Resource;

impl Session<'_> {
    /// The fair share that every queue would have without past usage; empty if usage counts nothing.
    pub(super) fn shares_without_usage(&self) -> Vec<Quantities> {
        let params = self.inputs.config.division_params();
        let is_used = self.state.queues.iter().any(|queue| queue.usage != Quantities::default());
        if !self.inputs.plugins.proportion || params.k == 0.0 || !is_used {
            return Vec::new();
        }
        let mut queues = self.state.queues.clone();
        for queue in &mut queues {
            (queue.usage, queue.fair_share) = (Quantities::default(), Quantities::default());
        }
        shares::divide(&mut queues, self.inputs.total, params);
        queues.into_iter().map(|queue| queue.fair_share).collect()
    }

    /// The fair share of a queue compared with the one without past usage, if that is larger.
    pub(super) fn lowered_by_usage(&self, queue_ref: QueueRef, without: &[Quantities], r: usize) -> Option<Check> {
        let queue = &self.state.queues[queue_ref.ix()];
        let shares = [queue.fair_share, *without.get(queue_ref.ix())?];
        let [share, without] = shares.map(|share| shown(share.to_array()[r]));
        let resource = Some(Resource::ACCOUNTED[r]);
        let subject = Subject { queue: Some(queue.id), resource, ..Subject::default() };
        let usage = vec![real(Quantity::Usage, queue.usage.to_array()[r])];
        let share = real(Quantity::FairShare, share).computed_from(usage);
        let without = real(Quantity::FairShareWithoutUsage, without);
        Some(Check::new(USAGE, subject, share, Op::Less, without)).filter(|check| check.holds)
    }
}
