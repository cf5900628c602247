//! The serving side: questions in, answers out, in slices, so that whoever carries the messages can look for new
//! ones in between. Knows no browser and no clock.
//!
//! One task of each kind is under way at most: a later question replaces an earlier one.

use std::collections::BTreeMap;

use fairground::id::{JobId, QueueId};
use fairground::moment::{self, EventWord, rule_use};
use fairground::sim::{Checkpoint, CycleRecord, Simulation};
use fairground::time::Time;
use fairground::trace::{Event, Level};

use super::preview::{PreviewRequest, Previews};
use super::protocol::{Ask, Frame, Reply, Request, RuleUse, Say, Stop};
use super::report::{Report, ReportRequest};
use super::run_log::{Mark, RunLog};
use super::what_if::WhatIfRuns;
use super::{comparison, imports, reporting};
use crate::engine::plan::{is_small, plan_of};

/// How far a search for the next event runs ahead, in cycles.
const SEARCH_MAX: u32 = 10_000;
/// Roughly how many pods all kept states may hold together.
const KEPT_PODS_MAX: usize = 2_000_000;
/// Most states that are kept to go back to.
const CHECKPOINTS_MAX: usize = 64;

/// Most cycles that are run again to come to the state before one.
const WAY_BACK_MAX: u32 = 256;
/// Most cycles whose steps are listed.
const STEPS_MAX: u32 = 100;

/// The engine's side of the border.
#[derive(Default)]
pub struct Server {
    runner: Option<Runner>,
    task: Option<(u64, Task)>,
    previews: Previews,
    trials: Option<(u64, WhatIfRuns)>,
    comparison: Option<(u64, comparison::Comparison)>,
}

enum Task {
    /// Go to a cycle.
    To(u32),
    /// Go to a moment.
    Until(Time),
    /// Look for an event from here on, up to a cycle.
    Search { from: u32, up_to: u32, wanted: Wanted },
    /// Go on until something happens, at most to a cycle.
    On { stop: Stop, was: bool, up_to: u32 },
}

/// Which events are looked for.
struct Wanted {
    queues: Option<Vec<QueueId>>,
    /// A job; if there is none of that name, nothing is wanted.
    job: Option<Option<JobId>>,
    without: Vec<EventWord>,
}

/// A run and the way back in it.
struct Runner {
    sim: Simulation,
    record: CycleRecord,
    run_log: RunLog,
    /// States by cycle; the opening one always.
    checkpoints: BTreeMap<u32, Checkpoint>,
    stride: u32,
    /// The next cycle, if it was computed before anybody asked.
    ahead: Option<(Simulation, CycleRecord)>,
}

impl Server {
    /// Takes a question in. Short ones are answered at once, others by [`Server::work`].
    /// Long because it is one table of questions.
    pub fn ask(&mut self, request: Request) -> Vec<Reply> {
        let id = request.generation;
        match request.ask {
            Ask::Load { scenario, cycle, .. } => self.load(id, &scenario, Task::To(cycle)),
            Ask::LoadAt { scenario, time_ms, .. } => {
                self.load(id, &scenario, Task::Until(Time::from_millis(time_ms)))
            }
            Ask::GoTo { cycle } => self.start(id, Task::To(cycle)),
            Ask::RunUntil { time_ms } => self.start(id, Task::Until(Time::from_millis(time_ms))),
            Ask::RunTo { stop } => {
                let up_to = self.runner.as_ref().map_or(0, |r| r.sim.cycle().saturating_add(SEARCH_MAX));
                let was = self.runner.as_ref().is_some_and(|r| r.is_met(&stop));
                self.start(id, Task::On { stop, was, up_to })
            }
            Ask::NextEvent { from, back, queue, job, without } => {
                self.next_event(id, from, back, (queue, job, without))
            }
            Ask::Ladder { cycle, queue, resource } => self.ladder(id, cycle, queue, resource),
            Ask::Order { cycle, queue, job } => {
                let runner = self.runner.as_ref().filter(|runner| runner.sim.cycle() == cycle);
                let levels =
                    runner.map(|r| fairground::moment::orders::orders(&r.sim, &queue, job.as_deref()));
                vec![reply(id, Say::Order(levels.unwrap_or_default()))]
            }
            Ask::Report(report_request) => {
                let report = self.runner.as_ref().map(|r| Box::new(r.report(&report_request)));
                vec![reply(id, Say::Report(report))]
            }
            Ask::Alternative { scenario, cycle, ladder, until, report_request, is_early } => {
                let request = PreviewRequest { id, scenario, cycle, ladder, until, report_request };
                if is_early {
                    self.previews.expect(request)
                } else {
                    self.previews.request(request)
                }
                Vec::new()
            }
            Ask::Try { job, cycle, scenarios } => {
                self.trials = Some((id, WhatIfRuns::new(job, cycle, scenarios)));
                Vec::new()
            }
            Ask::Import { files, options } => vec![reply(id, imports::read(&files, &options))],
            Ask::Export { scenario, original } => {
                vec![reply(id, Say::Exported(imports::export(&scenario, original.as_deref())))]
            }
            Ask::Translate { scenario, policy } => {
                vec![reply(id, comparison::translated(&scenario, &policy))]
            }
            Ask::Compare { scenario, policies, until_ms } => {
                self.comparison = Some((id, comparison::Comparison::new(&scenario, policies, until_ms)));
                Vec::new()
            }
            Ask::Rules { policy } => {
                vec![reply(id, Say::Rules(Box::new(fairground::moment::rulebook::of(policy))))]
            }
            Ask::RuleUse { cycle, rule } => {
                vec![reply(id, Say::RuleUse(Box::new(self.rule_use(cycle, rule))))]
            }
            Ask::Cancel => self.cancel(id),
        }
    }

    /// Whether there is something to work on.
    pub fn is_busy(&self) -> bool {
        let beside = self.trials.is_some() || self.comparison.is_some();
        self.task.is_some() || self.previews.is_busy() || beside
    }

    /// Works for the time of about one cycle.
    pub fn work(&mut self) -> Vec<Reply> {
        if let Some((id, task)) = self.task.take() {
            return self.work_on(id, task);
        }
        if self.previews.is_busy() {
            return self.previews.work().into_iter().map(|(id, say)| reply(id, say)).collect();
        }
        if let Some((id, mut trials)) = self.trials.take() {
            match trials.work() {
                Some(say) => return vec![reply(id, say)],
                None => self.trials = Some((id, trials)),
            }
            return Vec::new();
        }
        if let Some((id, mut comparison)) = self.comparison.take()
            && let Some(told) = comparison.work()
        {
            self.comparison = Some((id, comparison));
            return told.map(|say| reply(id, say)).into_iter().collect();
        }
        Vec::new()
    }

    /// Computes the next cycle, which is what is asked most often; nobody is told before it is asked.
    pub fn look_ahead(&mut self) {
        if !self.is_busy()
            && let Some(runner) = &mut self.runner
        {
            runner.look_ahead();
        }
    }

    /// Computes a little of what the hand that pulls a value may come to next; `false`: there is nothing to do.
    pub fn speculate(&mut self) -> bool {
        // To lay out a large scenario takes long before its first cycle.
        let is_small = self.runner.as_ref().is_some_and(Runner::is_small);
        is_small && !self.is_busy() && self.previews.speculate()
    }

    /// How far the present task came.
    pub fn progress(&self) -> Option<Reply> {
        if self.task.is_none() {
            let (id, comparison) = self.comparison.as_ref()?;
            return comparison.progress().map(|say| reply(*id, say));
        }
        let (id, task) = self.task.as_ref()?;
        let runner = self.runner.as_ref()?;
        let (to_cycle, to_time_ms) = match task {
            Task::To(cycle) => (Some(*cycle), None),
            Task::Until(time) => (None, Some(time.as_millis())),
            Task::On { .. } | Task::Search { .. } => (None, None),
        };
        let (cycle, time_ms) = (runner.sim.cycle(), runner.sim.now().as_millis());
        Some(reply(*id, Say::Progress { cycle, time_ms, to_cycle, to_time_ms }))
    }

    /// Leaves everything that is under way.
    fn drop_work(&mut self) {
        self.task = None;
        self.previews = Previews::default();
        self.trials = None;
        {
            self.comparison = None;
        }
    }

    fn load(&mut self, id: u64, text: &str, task: Task) -> Vec<Reply> {
        self.drop_work();
        match Runner::new(text) {
            Ok(runner) => {
                self.runner = Some(runner);
                self.previews = Previews::of(text);
                self.start(id, task)
            }
            Err(findings) => {
                self.runner = None;
                vec![reply(id, Say::Refused { findings })]
            }
        }
    }

    fn start(&mut self, id: u64, task: Task) -> Vec<Reply> {
        self.task = self.runner.is_some().then_some((id, task));
        Vec::new()
    }

    fn work_on(&mut self, id: u64, task: Task) -> Vec<Reply> {
        let Some(runner) = &mut self.runner else { return Vec::new() };
        match task {
            Task::To(cycle) if runner.step_towards(cycle) => self.task = Some((id, task)),
            Task::To(_) => return vec![arrived(id, runner)],
            Task::Until(time) if runner.step_until(time) => self.task = Some((id, task)),
            Task::Until(_) => {
                // The last cycle was run without reasons; run it again with them.
                let cycle = runner.sim.cycle();
                self.task = Some((id, Task::To(cycle)));
                runner.back_to(cycle);
            }
            Task::On { stop, was, up_to } => {
                let ran = runner.sim.cycle() < up_to && runner.step_on();
                let met = ran && runner.is_met(&stop);
                if ran && (!met || was) {
                    // What holds from the start has to end before it can come about.
                    self.task = Some((id, Task::On { stop, was: was && met, up_to }));
                } else {
                    return vec![arrived(id, runner), reply(id, Say::Stopped { met })];
                }
            }
            Task::Search { from, up_to, wanted } => {
                let found = runner.run_log.next_event(from, false, |mark| wanted.holds(runner, mark));
                let from = runner.run_log.last_cycle;
                if found.is_none() && from < up_to && runner.step_on() {
                    self.task = Some((id, Task::Search { from, up_to, wanted }));
                } else {
                    return vec![reply(id, Say::Event { cycle: found })];
                }
            }
        }
        Vec::new()
    }

    fn next_event(
        &mut self,
        id: u64,
        from: u32,
        back: bool,
        (queue, job, without): (Option<String>, Option<String>, Vec<EventWord>),
    ) -> Vec<Reply> {
        let Some(runner) = &mut self.runner else { return vec![reply(id, Say::Event { cycle: None })] };
        let queues = queue.map(|name| runner.subtree(&name));
        let job = job.map(|name| runner.job(&name));
        let wanted = Wanted { queues, job, without };
        let found = runner.run_log.next_event(from, back, |mark| wanted.holds(runner, mark));
        if found.is_some() || back {
            return vec![reply(id, Say::Event { cycle: found })];
        }
        runner.wind_on();
        let up_to = runner.run_log.last_cycle.saturating_add(SEARCH_MAX);
        self.task = Some((id, Task::Search { from, up_to, wanted }));
        Vec::new()
    }

    fn ladder(&mut self, id: u64, cycle: u32, queue: String, resource: u8) -> Vec<Reply> {
        let levels = match &self.runner {
            Some(runner) if runner.sim.cycle() == cycle => {
                fairground::moment::ladders::levels(&runner.sim, &queue, resource)
            }
            _ => Vec::new(),
        };
        vec![reply(id, Say::Ladder { queue, resource, levels })]
    }

    /// What a rule did in the present cycle; not counted where the cycle before it is far back, or large.
    fn rule_use(&self, cycle: u32, rule: String) -> RuleUse {
        let runner = self.runner.as_ref().filter(|runner| runner.sim.cycle() == cycle);
        let found = runner.and_then(|runner| Some(rule_use::count(runner.before()?, &runner.sim, &rule)));
        found.unwrap_or_else(|| RuleUse { rule, cycle, is_counted: cycle == 0, ..RuleUse::default() })
    }

    /// Stops what is going on; what was reached is shown.
    fn cancel(&mut self, id: u64) -> Vec<Reply> {
        let task = self.task.take();
        self.drop_work();
        let mut replies = vec![reply(id, Say::Cancelled)];
        if let Some((task_id, task)) = task
            && let Some(runner) = &mut self.runner
        {
            replies.push(match task {
                Task::Search { .. } => reply(task_id, Say::Event { cycle: None }),
                _ => arrived(task_id, runner),
            });
        }
        replies
    }
}

impl Wanted {
    fn holds(&self, runner: &Runner, mark: &Mark) -> bool {
        let queue = || mark.job.map(|job| runner.sim.cluster().jobs[job].queue);
        self.queues.as_ref().is_none_or(|queues| queue().is_some_and(|queue| queues.contains(&queue)))
            && self.job.is_none_or(|wanted| wanted.is_some() && wanted == mark.job)
            && !self.without.contains(&mark.kind)
    }
}

fn reply(generation: u64, say: Say) -> Reply {
    Reply { generation, say }
}

fn arrived(id: u64, runner: &Runner) -> Reply {
    let run = runner.run_log.run(runner.sim.world(), &runner.record.ledger, runner.sim.is_quiet());
    reply(id, Say::Frame { frame: Box::new(runner.frame()), run: Box::new(run) })
}

impl Runner {
    fn new(text: &str) -> Result<Runner, Vec<String>> {
        let plan = plan_of(text)?;
        let sim = Simulation::new(&plan);
        let record = sim.opening().clone();
        let run_log = RunLog::new(plan.policy.key(), sim.world(), &record);
        let checkpoints = BTreeMap::from([(0, sim.checkpoint())]);
        Ok(Runner { sim, record, run_log, checkpoints, stride: 4, ahead: None })
    }

    fn frame(&self) -> Frame {
        moment::frame(&self.run_log.names, &self.sim, &self.record)
    }

    /// One cycle on; `false`: there is none.
    fn step(&mut self, level: Level) -> bool {
        let record = match self.ahead.take() {
            Some((sim, record)) => {
                self.sim = sim;
                record
            }
            None => {
                self.sim.set_level(level);
                let Some(record) = self.sim.advance() else { return false };
                record
            }
        };
        self.run_log.push(self.sim.world(), &record);
        self.record = record;
        self.keep();
        true
    }

    /// One cycle further than the present one, beside it: with all reasons, so that it answers every question.
    fn look_ahead(&mut self) {
        // A cycle of more may take long, and a question that comes meanwhile would wait for it.
        if self.ahead.is_some() || self.sim.is_quiet() || !self.is_small() {
            return;
        }
        let mut sim = self.sim.clone();
        sim.set_level(Level::Decisive);
        self.ahead = sim.advance().map(|record| (sim, record));
    }

    /// One cycle on with all reasons, unless the run is over.
    fn step_on(&mut self) -> bool {
        !self.sim.is_quiet() && self.step(Level::Decisive)
    }

    /// Takes a step towards a cycle; `false` once it is there or the run ends before.
    fn step_towards(&mut self, cycle: u32) -> bool {
        if self.sim.cycle() > cycle {
            self.back_to(cycle);
        }
        if self.sim.cycle() >= cycle || self.sim.is_quiet() {
            return false;
        }
        // Reasons are wanted for the last cycle only; which one that is, the run's end decides as well.
        let level =
            if self.sim.cycle() + 1 >= cycle || self.is_small() { Level::Decisive } else { Level::Outcomes };
        self.step(level)
    }

    /// Takes a step towards a moment; `false` once the next cycle lies beyond it.
    fn step_until(&mut self, time: Time) -> bool {
        if self.sim.now() > time {
            self.back_to(0);
        }
        self.sim.next_cycle_at().is_some_and(|at| at <= time)
            && !self.sim.is_quiet()
            && self.step(if self.is_small() { Level::Decisive } else { Level::Outcomes })
    }

    fn is_small(&self) -> bool {
        is_small(&self.sim)
    }

    /// Whether what a run is to stop at came about in the present cycle.
    fn is_met(&self, stop: &Stop) -> bool {
        let cluster = self.sim.cluster();
        let mut events = self.record.events.iter().map(|recorded| recorded.event);
        match stop {
            Stop::Starts(job) => events.any(|event| match event {
                Event::Bound { pod, .. } => *cluster.jobs[cluster.pods[pod].job].name == **job,
                _ => false,
            }),
            Stop::Evicts => events.any(|event| matches!(event, Event::Evicted { .. })),
            Stop::Nothing => self.record.events.is_empty(),
            Stop::Share(queue) => {
                let mut rows = self.record.ledger.rows.iter();
                let row = rows.find(|row| *cluster.queues[row.queue].name == **queue);
                row.is_some_and(|row| row.allocated.gpu >= row.fair_share.as_ref().unwrap_or(&row.quota).gpu)
            }
        }
    }

    /// Resumes the latest kept state before a cycle, so that the cycle itself is run again with its reasons.
    fn back_to(&mut self, cycle: u32) {
        let before = self.checkpoints.range(..cycle.max(1)).next_back();
        if let Some((_, checkpoint)) = before {
            self.sim = Simulation::resume(checkpoint);
            self.ahead = None;
            self.record = self.sim.opening().clone();
        }
    }

    fn before(&self) -> Option<Simulation> {
        self.state_after(self.sim.cycle().checked_sub(1)?)
    }

    /// The state after a cycle, if it is near one that was kept.
    fn state_after(&self, cycle: u32) -> Option<Simulation> {
        let (from, kept) = self.checkpoints.range(..=cycle).next_back()?;
        if !self.is_small() || cycle - from > WAY_BACK_MAX {
            return None;
        }
        let mut sim = Simulation::resume(kept);
        sim.set_level(Level::Outcomes);
        while sim.cycle() < cycle {
            sim.advance()?;
        }
        Some(sim)
    }

    fn report(&self, report_request: &ReportRequest) -> Report {
        let mut report = reporting::report(&self.sim, &self.run_log, report_request);
        let last = self.sim.cycle();
        match &mut report {
            Report::ShareUsage(usage) => {
                usage.assignments = self.before().and_then(|before| reporting::assignments(&before));
            }
            Report::Priorities(of) => {
                let before = last.saturating_sub(STEPS_MAX);
                of.from = before + 1;
                of.steps = self.state_after(before).map(|before| reporting::priority_steps(before, last));
            }
            _ => {}
        }
        report
    }

    fn wind_on(&mut self) {
        let last = self.run_log.last_cycle;
        while self.sim.cycle() < last && self.step(Level::Outcomes) {}
    }

    /// Keeps the present state if it is time; thins what is kept.
    fn keep(&mut self) {
        let cycle = self.sim.cycle();
        if !cycle.is_multiple_of(self.stride) || self.checkpoints.contains_key(&cycle) {
            return;
        }
        self.checkpoints.insert(cycle, self.sim.checkpoint());
        let most = (KEPT_PODS_MAX / self.sim.cluster().pods.len().max(1)).clamp(4, CHECKPOINTS_MAX);
        while self.checkpoints.len() > most {
            self.stride *= 2;
            let stride = self.stride;
            self.checkpoints.retain(|c, _| c.is_multiple_of(stride));
        }
    }

    fn subtree(&self, name: &str) -> Vec<QueueId> {
        let cluster = self.sim.cluster();
        let below = |id: QueueId| cluster.path_to_root(id).any(|q| &*cluster.queues[q].name == name);
        cluster.queues.ids().filter(|&id| below(id)).collect()
    }

    fn job(&self, name: &str) -> Option<JobId> {
        self.sim.cluster().jobs.iter().find(|(_, job)| &*job.name == name).map(|(id, _)| id)
    }
}
