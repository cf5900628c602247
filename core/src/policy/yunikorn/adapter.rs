//! Adapter between the simulator and the core: follows the cluster and runs one pass per cycle.
//!
//! # Rule
//! A job is an application, a pod an ask; quota is `guaranteed`, limit is `max`, the priority of a queue its
//! `priority.offset`. A pass with a result is followed by the next one at the same instant; otherwise the next pass
//! takes place when the cluster changes, or when an ask becomes old enough to reserve or to preempt.
//!
//! # Source
//! yunikorn.md 1.8, 3.1, 5.1
//!
//! # Differs
//! a fraction of a GPU counts as a whole one; without placeholders (see [`super::placeholders`]) the pods of a gang do
//! not wait for each other

use std::collections::BTreeMap;

use super::cycle::ResultType;
use super::memory::Memory;
use super::wake::quota_due;
use super::words::Config;
use super::{explain, order, priority_steps, refuse, spared};
use crate::format::{Findings, JobEntry, Scalar, Scenario, codes, quoted, set};
use crate::id::{JobId, NodeId, PodId, QueueId};
use crate::policy::description::Description;
use crate::policy::draft::Draft;
use crate::policy::setting::Rulebook;
use crate::policy::translator::Translator;
use crate::policy::{Change, PartitionView, Rhythm, Scheduler, Turn, Wake};
use crate::trace::{Ledger, Level, OrderLevel, QueuePriority, Trace};

/// Apache YuniKorn.
#[derive(Clone, Debug, PartialEq)]
pub struct YuniKorn {
    /// Settings of the scenario.
    pub config: Config,
    /// Interval of cycles.
    pub rhythm: Rhythm,
}

impl Scheduler for YuniKorn {
    const DESCRIPTION: &'static Description = &super::describe::DESCRIPTION;
    type Config = Config;
    type Memory = Memory;

    fn read(scenario: &Scenario, findings: &mut Findings) -> Config {
        super::settings::read(scenario, findings)
    }

    /// Adds resource types that only later configurations name, so that positions of types never change.
    fn with_later_configs(config: &mut Config, later: &[&Config]) {
        later.iter().for_each(|later| later.collect_types(&mut config.later_types));
    }

    fn advise(config: &Config, draft: &Draft<'_>, findings: &mut Findings) {
        applications(draft, findings);
        super::advice::advice(config, draft, findings);
    }

    fn translate_setting(work: &mut Translator<'_>, name: &str, value: &Scalar) -> bool {
        super::translate::setting(work, name, value)
    }

    fn rulebook() -> Rulebook {
        super::settings::rulebook()
    }

    fn new(config: Config, rhythm: Rhythm) -> YuniKorn {
        YuniKorn { config, rhythm }
    }

    fn observe(&self, _world: PartitionView<'_>, _change: &Change, memory: &mut Memory) {
        memory.in_step = false;
    }

    fn cycle(&self, world: PartitionView<'_>, memory: &mut Memory, trace: &mut Trace) -> Turn {
        memory.repeat_checks(world.now, self.rhythm);
        memory.fire_timers(world, trace);
        if !memory.in_step {
            memory.follow(world, &self.config);
            memory.changed_at = world.now;
        }
        memory.in_step = true;
        let core = &mut memory.core;
        core.now = world.now.as_millis();
        if quota_due(core).is_some_and(|due| due <= core.now) {
            core.poll_quotas();
            let marked = std::mem::take(&mut core.marked);
            if !marked.is_empty() {
                let mut decisions = Vec::new();
                memory.evict(world, &marked, trace, &mut decisions);
                return Turn { decisions, wake: Wake::Again };
            }
        }
        let explains = trace.level >= Level::Refusals;
        core.recording = explains;
        let orders = if explains { explain::orders(core) } else { Vec::new() };
        let before = (trace.level >= Level::Every).then(|| priority_steps::Priorities::of(core));
        let result = core.cycle();
        let marked = std::mem::take(&mut core.marked);
        let both = before.as_ref().zip(result.as_ref());
        trace.priority_steps.extend(both.and_then(|(before, result)| priority_steps::step(before, memory, result)));
        let mut decisions = Vec::new();
        memory.bind(world, result.as_ref(), &orders, trace, &mut decisions);
        memory.evict(world, &marked, trace, &mut decisions);
        if explains {
            trace.not_selected.extend(result.iter().flat_map(|result| spared::spared(world, memory, result)));
            refuse::refuse(world, memory, &orders, result.as_ref(), trace);
        }
        memory.settle_gangs(result.as_ref(), &marked, trace);
        // The level of recording is not part of the state.
        memory.core.recording = false;
        memory.core.tried.clear();
        let goes_on = result.is_some_and(|result| result.kind != ResultType::Idle) || !marked.is_empty();
        let wake = if goes_on { Wake::Again } else { memory.wake(world.now, self.rhythm) };
        Turn { decisions, wake }
    }

    fn ledger(&self, world: PartitionView<'_>, _memory: &Memory) -> Ledger {
        explain::ledger(world)
    }

    fn order(&self, world: PartitionView<'_>, memory: &Memory, queue: QueueId, job: Option<JobId>) -> Vec<OrderLevel> {
        let memory = memory.now(world, &self.config);
        order::levels(world, &memory, queue, job)
    }

    fn held(&self, _world: PartitionView<'_>, memory: &Memory) -> Vec<(PodId, NodeId)> {
        memory.held()
    }

    fn priorities(&self, world: PartitionView<'_>, memory: &Memory) -> Vec<QueuePriority> {
        let memory = memory.now(world, &self.config);
        order::priorities(world, &memory)
    }
}

/// Reports jobs that cannot belong to the application that they name.
pub fn applications(draft: &Draft<'_>, f: &mut Findings) {
    let s = draft.scenario;
    let mut first: BTreeMap<&str, &JobEntry> = BTreeMap::new();
    let is_alone = |job: &&JobEntry| job.count.is_none() && job.application.is_none();
    first.extend(s.jobs.iter().filter(is_alone).map(|job| (job.name.as_str(), job)));
    for (i, job) in s.jobs.iter().enumerate() {
        let Some(application) = job.application.as_deref() else { continue };
        let job_path = (draft.job_at)(i);
        if job.gang.is_some() {
            let message = "a gang is an application by itself; remove application or gang".to_string();
            let path = job_path.field("gang");
            f.add(codes::CONFLICT, path.clone(), message, set(path, "", "Remove gang"));
        }
        let first_job = *first.entry(application).or_insert(job);
        let user = |job: &JobEntry| job.user.clone().unwrap_or_default();
        let groups = |job: &JobEntry| job.groups.join(", ");
        for (field, what, value, expected) in [
            ("queue", "queue", job.queue.clone(), first_job.queue.clone()),
            ("user", "user", user(job), user(first_job)),
            ("groups", "list of groups", groups(job), groups(first_job)),
        ] {
            if value != expected {
                let message = format!(
                    "application {} has one {what}: {} of {}, not {}",
                    quoted(application),
                    quoted(&expected),
                    quoted(&first_job.name),
                    quoted(&value)
                );
                let path = job_path.field(field);
                f.add(codes::CONFLICT, path.clone(), message, set(path, expected, "Use that of the application"));
            }
        }
    }
}
