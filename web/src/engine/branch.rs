//! A run of one scenario: the one that is shown, or one beside it.

use fairground::id::{JobId, QueueId};
use fairground::moment;
use fairground::scenario::Scenario;
use fairground::sim::{Simulation, Timeline};
use fairground::time::Time;
use fairground::trace::{Event, Level};

use super::plan::plan_of;
use super::protocol::{Frame, LadderLevel, Run, Stop};
use super::report::{Report, ReportRequest};
use super::reporting;
use super::run_log::RunLog;

/// Most cycles whose priority steps are listed.
const STEPS_MAX: u32 = 100;

/// A timeline, and what is kept of all its cycles for charts.
pub struct Branch {
    timeline: Timeline,
    run_log: RunLog,
    /// How much is recorded of cycles that are passed on the way.
    on_the_way: Level,
}

impl Branch {
    /// The run that is shown, at its opening state; else the scenario's mistakes. Where reasons cost little, charts of the
    /// whole run know those of every cycle.
    pub fn shown(scenario: &Scenario) -> Result<Branch, Vec<String>> {
        let mut branch = Branch::beside(scenario)?;
        if branch.is_small() {
            branch.on_the_way = Level::Decisive;
        }
        Ok(branch)
    }

    /// A run beside it, as fast as can be.
    pub fn beside(scenario: &Scenario) -> Result<Branch, Vec<String>> {
        let plan = plan_of(scenario)?;
        let timeline = Timeline::new(&plan);
        let run_log = RunLog::new(plan.policy.key(), timeline.present().world(), timeline.record());
        Ok(Branch { timeline, run_log, on_the_way: Level::Outcomes })
    }

    /// The state at the present cycle.
    pub fn sim(&self) -> &Simulation {
        self.timeline.present()
    }
    /// The number of the present cycle.
    pub fn cycle(&self) -> u32 {
        self.sim().cycle()
    }
    /// What is kept of all cycles.
    pub fn run_log(&self) -> &RunLog {
        &self.run_log
    }
    /// Whether a cycle takes so little time that it may be computed in vain.
    pub fn is_small(&self) -> bool {
        self.timeline.is_small()
    }

    /// One cycle on with all reasons, unless the run is over.
    pub fn step_on(&mut self) -> bool {
        !self.sim().is_quiet() && self.step(|timeline| timeline.advance(Level::Decisive))
    }
    /// A step towards a cycle; `false` once it is there.
    pub fn step_towards(&mut self, cycle: u32) -> bool {
        let level = self.on_the_way;
        self.step(|timeline| timeline.step_towards(cycle, level))
    }
    /// A step towards a moment; `false` once it is there.
    pub fn step_until(&mut self, time: Time) -> bool {
        let level = self.on_the_way;
        self.step(|timeline| timeline.step_until(time, level))
    }
    /// One cycle on without reasons, unless the run is over.
    pub fn step_beyond(&mut self) -> bool {
        !self.sim().is_quiet() && self.step(|timeline| timeline.advance(Level::Outcomes))
    }
    /// To the furthest cycle that was computed.
    pub fn wind_on(&mut self) {
        while self.cycle() < self.run_log.last_cycle && self.step_beyond() {}
    }
    /// Computes the next cycle before it is asked for.
    pub fn look_ahead(&mut self) {
        self.timeline.look_ahead();
    }

    fn step(&mut self, step: impl FnOnce(&mut Timeline) -> bool) -> bool {
        let has_stepped = step(&mut self.timeline);
        if has_stepped {
            self.run_log.push(self.timeline.present().world(), self.timeline.record());
        }
        has_stepped
    }

    /// The state before the present cycle, where it is not far back.
    pub fn before(&self) -> Option<Simulation> {
        self.timeline.before()
    }
    /// The present cycle as rows.
    pub fn frame(&self) -> Frame {
        moment::frame(&self.run_log.names, self.sim(), self.timeline.record())
    }
    /// The run in short.
    pub fn run(&self) -> Run {
        self.run_log.run(self.sim().world(), &self.timeline.record().ledger, self.sim().is_quiet())
    }
    /// How the fair share of a queue comes about now.
    pub fn ladder(&self, queue: &str, resource: u8) -> Vec<LadderLevel> {
        moment::ladders::levels(self.sim(), queue, resource)
    }
    /// What is asked of the whole run.
    pub fn report(&self, request: &ReportRequest) -> Report {
        let mut report = reporting::report(self.sim(), &self.run_log, request);
        match &mut report {
            Report::ShareUsage(usage) => {
                usage.assignments = self.before().and_then(|before| reporting::assignments(&before));
            }
            Report::Priorities(priorities) => {
                let last = self.cycle();
                let before = last.saturating_sub(STEPS_MAX);
                priorities.from = before + 1;
                let before = self.timeline.after(before);
                priorities.steps = before.map(|before| reporting::priority_steps(before, last));
            }
            _ => {}
        }
        report
    }

    /// Whether what a run is to stop at came about in the present cycle.
    pub fn is_met(&self, stop: &Stop) -> bool {
        let (cluster, record) = (self.sim().cluster(), self.timeline.record());
        let mut events = record.events.iter().map(|recorded| recorded.event);
        match stop {
            Stop::Starts(job) => events.any(|event| match event {
                Event::Bound { pod, .. } => *cluster.jobs[cluster.pods[pod].job].name == **job,
                _ => false,
            }),
            Stop::Evicts => events.any(|event| matches!(event, Event::Evicted { .. })),
            Stop::Nothing => record.events.is_empty(),
            Stop::Share(queue) => {
                let mut rows = record.ledger.rows.iter();
                let row = rows.find(|row| *cluster.queues[row.queue].name == **queue);
                row.is_some_and(|row| row.allocated.gpu >= row.fair_share.as_ref().unwrap_or(&row.quota).gpu)
            }
        }
    }

    /// A queue and all below it.
    pub fn subtree(&self, name: &str) -> Vec<QueueId> {
        let cluster = self.sim().cluster();
        let below = |id: QueueId| cluster.path_to_root(id).any(|q| &*cluster.queues[q].name == name);
        cluster.queues.ids().filter(|&id| below(id)).collect()
    }
    /// A job by its name.
    pub fn job(&self, name: &str) -> Option<JobId> {
        self.sim().cluster().jobs.iter().find(|(_, job)| &*job.name == name).map(|(id, _)| id)
    }
}
