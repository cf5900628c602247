//! Adapter of Run:ai to the KAI engine: converts its queues, and translates rules to its terms.
//!
//! # Source
//! runai.md 9
//!
//! # Differs
//! The simulator selects the node pool of a workload (RC-1), by calling the scheduler of every pool.

use super::alternative_share::PublishedPool;
use super::config::{Config, Sharing};
use super::queues::queues;
use super::rules::{translate, translate_order, translate_steps};
use crate::format::{Findings, Scalar, Scenario};
use crate::id::{JobId, QueueId};
use crate::policy::Timers;
use crate::policy::description::Description;
use crate::policy::draft::DraftQueue;
use crate::policy::kai::{Kai, Memory, advice};
use crate::policy::setting::Rulebook;
use crate::policy::translator::Translator;
use crate::policy::{Change, PartitionView, Rhythm, Scheduler, Turn};
use crate::trace::{DivisionStep, Ledger, OrderLevel, Trace};
use crate::units::Resource;

/// The scheduler.
#[derive(Clone, Debug, PartialEq)]
pub struct Runai {
    engine: Kai,
    sharing: Sharing,
}

impl Scheduler for Runai {
    const DESCRIPTION: &'static Description = &super::describe::DESCRIPTION;
    type Config = Config;
    type Memory = Memory;

    fn read(scenario: &Scenario, findings: &mut Findings) -> Config {
        super::settings::read(scenario, findings)
    }

    fn advise_queue(draft: &DraftQueue<'_>, findings: &mut Findings) {
        for resource in [Resource::GPU, Resource::CPU, Resource::MEMORY] {
            advice::nothing_allowed(draft, resource, findings);
            advice::limit_below_quota(draft, resource, findings);
        }
        advice::small_units(draft, findings);
    }

    fn timers(config: &Config) -> Timers {
        config.engine.timers()
    }

    fn translate_queues(work: &mut Translator<'_>) {
        super::translate::queues(work);
    }

    fn translate_setting(work: &mut Translator<'_>, name: &str, value: &Scalar) -> bool {
        super::translate::own_setting(work, name, value)
    }

    fn rulebook() -> Rulebook {
        super::settings::rulebook()
    }

    fn new(config: Config, rhythm: Rhythm) -> Runai {
        Runai { engine: Kai::new(config.engine, rhythm), sharing: config.sharing }
    }

    fn observe(&self, world: PartitionView<'_>, change: &Change, memory: &mut Memory) {
        self.engine.observe(world, change, memory);
    }

    fn cycles_skipped(&self, world: PartitionView<'_>, n: u32, memory: &mut Memory) {
        self.engine.cycles_skipped(world, n, memory);
    }

    fn cycle(&self, world: PartitionView<'_>, memory: &mut Memory, trace: &mut Trace) -> Turn {
        let turn = self.engine.cycle_with(|| queues(world, &self.sharing), world, memory, trace);
        translate(trace);
        turn
    }

    fn ledger(&self, world: PartitionView<'_>, memory: &Memory) -> Ledger {
        self.engine.ledger_with(|| queues(world, &self.sharing), world, memory)
    }

    fn derive(
        &self,
        world: PartitionView<'_>,
        memory: &Memory,
        queue: QueueId,
        resource: Resource,
    ) -> Vec<DivisionStep> {
        let queues = queues(world, &self.sharing);
        let mut steps = self.engine.derive_with(|| queues.clone(), world, memory, (queue, resource));
        translate_steps(&mut steps);
        if !steps.is_empty() {
            let ledger = self.ledger(world, memory);
            let pool = PublishedPool { world, sharing: &self.sharing, ranks: &queues, ledger: &ledger, resource };
            steps.extend(pool.alternative_shares(queue));
        }
        steps
    }

    fn order(&self, world: PartitionView<'_>, memory: &Memory, queue: QueueId, job: Option<JobId>) -> Vec<OrderLevel> {
        let mut levels = self.engine.order_with(|| queues(world, &self.sharing), world, memory, (queue, job));
        translate_order(&mut levels);
        levels
    }
}
