//! Alternative fairshares for display: the exact one, and that of the published formula. Neither affects decisions.
//!
//! # Rule
//! The exact fairshare divides every level of the tree without rounding to whole GPUs, from the pool down. The
//! published one is one sum over all projects of the pool: `quota + weight / Σ weights · unused`; it is shown only if
//! every project has a quota.
//!
//! # Source
//! runai.md 4.3, 4.4
//!
//! # Differs
//! RC-4: the engine's whole value decides. Neither is shown with usage history, whose shares are not exact numbers.

use super::config::Sharing;
use super::exact::Exact;
use super::fairshare::{Member, ProjectTerms, exact as divide, published};
use super::queues::Terms;
use crate::id::{Id, QueueId};
use crate::policy::PartitionView;
use crate::policy::kai::queues::QueueSpec;
use crate::trace::{DivisionStep, Ledger, Rule, RuleRecord};
use crate::units::Resource;

/// Division without rounding.
pub static EXACT: Rule = Rule(&RuleRecord {
    key: "runai/fairshare/exact",
    says: "without rounding to whole GPUs",
    formula: "quota in use + weight / Σ weights · unused, level by level",
    source: "runai.md 4.3",
    differs: "for teaching; the whole value decides",
});

/// The published formula.
pub static PUBLISHED: Rule = Rule(&RuleRecord {
    key: "runai/fairshare/published-formula",
    says: "by the published formula",
    formula: "quota + weight / Σ weights · unused, over all projects of the pool",
    source: "docs.run.ai, The Run:ai Scheduler",
    differs: "assumption (RC-4): no departments, no caps by requests or limits; the engine's value decides",
});

/// A pool, for one resource.
pub(super) struct PublishedPool<'a> {
    pub world: PartitionView<'a>,
    pub sharing: &'a Sharing,
    /// Queues of the engine, in the order of the cluster.
    pub ranks: &'a [QueueSpec],
    pub ledger: &'a Ledger,
    pub resource: Resource,
}

impl PublishedPool<'_> {
    /// Returns the alternative fairshares of a queue.
    pub fn alternative_shares(&self, queue: QueueId) -> Vec<DivisionStep> {
        let has_past = |r: Resource| self.ledger.rows.iter().any(|row| row.usage.is_some_and(|u| u.get(r) != 0.0));
        if has_past(self.resource) {
            return Vec::new();
        }
        let exact = self.exact_share(queue).map(|share| (EXACT, share));
        let paper = self.published_share(queue).map(|share| (PUBLISHED, share));
        let step =
            |(rule, share): (Rule, Exact)| DivisionStep::AlternativeShare { rule, queue, fair_share: share.as_real() };
        [exact, paper].into_iter().flatten().map(step).collect()
    }

    fn exact_share(&self, queue: QueueId) -> Option<Exact> {
        let queues = self.world.queues();
        let parent = queues[queue].parent;
        let total = match parent {
            Some(parent) => self.exact_share(parent)?,
            None => self.amount(self.ledger.total.get(self.resource))?,
        };
        let siblings: Vec<QueueId> = queues.ids().filter(|id| queues[*id].parent == parent).collect();
        let members: Option<Vec<Member<'_>>> = siblings.iter().map(|id| self.member(*id)).collect();
        let index = siblings.iter().position(|id| *id == queue)?;
        divide(total, Exact::ZERO, &members?)?.get(index).copied()
    }

    fn member(&self, id: QueueId) -> Option<Member<'_>> {
        let queue = &self.world.queues()[id];
        let Terms { quota, limit, weight, .. } = Terms::of(queue, self.resource, self.sharing);
        Some(Member {
            name: &queue.name,
            rank: self.ranks.get(id.index())?.priority,
            quota,
            limit,
            weight,
            request: self.request(id)?,
            usage: Exact::ZERO,
        })
    }

    fn published_share(&self, queue: QueueId) -> Option<Exact> {
        let queues = self.world.queues();
        let projects: Vec<QueueId> = queues.ids().filter(|id| queues[*id].children.is_empty()).collect();
        let paper = |id: &QueueId| {
            let terms = Terms::of(&queues[*id], self.resource, self.sharing);
            let weight = terms.over_quota.then_some(terms.weight);
            Some(ProjectTerms { quota: terms.quota?, request: self.request(*id)?, weight })
        };
        let papers: Option<Vec<ProjectTerms>> = projects.iter().map(paper).collect();
        let index = projects.iter().position(|id| *id == queue)?;
        let total = self.amount(self.ledger.total.get(self.resource))?;
        published(total, &papers?)?.get(index).copied()
    }

    fn request(&self, queue: QueueId) -> Option<Exact> {
        self.amount(self.ledger.rows.get(queue.index())?.request.get(self.resource))
    }

    /// Converts an amount of the ledger, exact to milli-GPUs and to whole units of other resources.
    fn amount(&self, amount: f64) -> Option<Exact> {
        let parts = if self.resource == Resource::GPU { 1000.0 } else { 1.0 };
        Exact::new((amount * parts).round() as i128, parts as i128)
    }
}
