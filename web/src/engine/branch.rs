//! A run of one scenario: the displayed one, or one computed in the background.

use std::sync::Arc;

use fairground::id::{JobId, QueueId};
use fairground::moment::{self, orders, rulebook};
use fairground::policy::Monitor;
use fairground::scenario::{self, Plan, Scenario, Severity};
use fairground::sim::{Simulation, Timeline};
use fairground::time::Time;
use fairground::trace::{Event, Level, Recorded};
use fairground::units::Resource;
use fairground::words::{Ladder, Order, Selection};

use super::protocol::{
    EventChecks, Frame, LadderLevel, Moment, RuleUse, Run, Stop, Subjects, Wants, is_without_checks,
};
use super::report::{Report, ReportRequest};
use super::reporting;
use super::run_log::RunLog;

/// Largest number of cycles whose priority steps are listed.
const STEPS_MAX: u32 = 100;

/// A timeline with the run log of all its cycles.
pub struct Branch {
    timeline: Timeline,
    run_log: RunLog,
    /// Level of detail for cycles that are passed on the way to a target.
    transit_level: Level,
}

impl Branch {
    /// The displayed run in its opening state, or the errors of the scenario. If cycles are cheap, all are computed
    /// with refusals, so that charts of the whole run include jobs that failed.
    pub fn shown(scenario: &Scenario) -> Result<Branch, Vec<String>> {
        let mut branch = Branch::background(scenario)?;
        if branch.timeline.is_small() {
            branch.transit_level = Level::Refusals;
        }
        Ok(branch)
    }

    /// A run in the background, computed without reasons as fast as possible.
    pub fn background(scenario: &Scenario) -> Result<Branch, Vec<String>> {
        let plan = plan_of(scenario)?;
        let timeline = Timeline::new(&plan);
        let run_log = RunLog::new(plan.policy.key(), timeline.present().world(), timeline.record());
        Ok(Branch { timeline, run_log, transit_level: Level::Outcomes })
    }

    /// Sets what may interrupt the computation of a cycle.
    pub fn set_monitor(&mut self, monitor: Monitor) {
        self.timeline.set_monitor(monitor);
    }

    /// State at the current cycle.
    pub fn sim(&self) -> &Simulation {
        self.timeline.present()
    }
    /// Number of the current cycle.
    pub fn cycle(&self) -> u32 {
        self.sim().cycle()
    }
    /// The current cycle, or the one before the cycle that was interrupted.
    pub fn reached(&self) -> u32 {
        self.timeline.reached()
    }
    pub fn run_log(&self) -> &RunLog {
        &self.run_log
    }

    /// Computes a cycle on the way to another; `false`: the run is over.
    pub fn step_in_transit(&mut self) -> bool {
        let level = self.transit_level;
        !self.sim().is_quiet() && self.step(|timeline| timeline.advance(level))
    }
    /// One step towards a cycle; `false` once it is reached.
    pub fn step_towards(&mut self, cycle: u32) -> bool {
        let level = self.transit_level;
        self.step(|timeline| timeline.step_towards(cycle, level))
    }
    /// One step towards a moment; `false` once it is reached.
    pub fn step_until(&mut self, time: Time) -> bool {
        let level = self.transit_level;
        self.step(|timeline| timeline.step_until(time, level))
    }
    /// Computes a cycle without reasons; `false`: the run is over.
    pub fn step_outcomes(&mut self) -> bool {
        !self.sim().is_quiet() && self.step(|timeline| timeline.advance(Level::Outcomes))
    }
    /// Goes to the furthest computed cycle.
    pub fn go_to_furthest(&mut self) {
        while self.cycle() < self.run_log.last_cycle && self.step_outcomes() {}
    }
    /// Computes the next cycle in advance.
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

    /// State before the current cycle; `None`: it is too far back.
    pub fn before(&self) -> Option<Simulation> {
        self.timeline.before()
    }
    /// The current cycle as rows, without the comparisons of its events if there are too many.
    pub fn frame(&self) -> Frame {
        let mut frame = moment::frame(&self.run_log.names, self.sim(), self.timeline.record());
        if is_without_checks(&frame) {
            frame.events.iter_mut().for_each(|event| event.checks = Arc::default());
        }
        frame
    }
    /// Summary of the run.
    pub fn run(&self) -> Run {
        self.run_log.run(self.sim().world(), &self.timeline.record().ledger, self.sim().is_quiet())
    }
    /// Explanation of a queue's fair share at the current cycle.
    pub fn ladder(&self, queue: &str, resource: Resource) -> Vec<LadderLevel> {
        moment::ladders::levels(self.sim(), queue, resource)
    }
    /// The current cycle with all that is wanted of it.
    pub fn moment(&self, wants: Wants) -> Moment {
        let frame = Box::new(self.frame());
        let explained = self.explained(wants.subjects(Some(&frame)));
        Moment { frame: Some(frame), run: Some(Box::new(self.run())), ..explained }
    }
    /// What is wanted of the current cycle besides its frame.
    pub fn explained(&self, Subjects { ladder, order, rule, event, report }: Subjects) -> Moment {
        let (cycle, sim) = (self.cycle(), self.sim());
        let order = order.map(|of| {
            let levels = match &of {
                Selection::Job(job) => orders::orders(sim, "", Some(job)),
                Selection::Queue(queue) => orders::orders(sim, queue, None),
                _ => Vec::new(),
            };
            Order { cycle, of, levels }
        });
        Moment {
            ladder: ladder.map(|(queue, resource)| Ladder {
                levels: self.ladder(&queue, resource),
                cycle,
                queue,
                resource,
            }),
            order,
            rule_use: rule.map(|rule| self.rule_use(rule)),
            event: event.map(|index| self.event_checks(index)),
            report: report.map(|request| {
                let report = self.report(&request);
                (request, report)
            }),
            ..Moment::default()
        }
    }
    /// What a rule did in the current cycle; not counted if the previous cycle is too far back or too large.
    fn rule_use(&self, rule: String) -> RuleUse {
        let (before, cycle) = (self.before(), self.cycle());
        let found = before.map(|before| rulebook::count_uses(before, self.sim(), &rule));
        let is_by = |recorded: &Recorded| recorded.checks.iter().any(|check| check.rule.key() == rule);
        let events = (0..).zip(&self.timeline.record().events).filter(|(_, recorded)| is_by(recorded));
        let events = events.map(|(at, _)| at).collect();
        let found = found.unwrap_or_else(|| RuleUse { is_counted: cycle == 0, ..RuleUse::default() });
        RuleUse { rule, cycle, events, ..found }
    }
    /// The comparisons of an event of the current cycle.
    fn event_checks(&self, index: u32) -> EventChecks {
        EventChecks { cycle: self.cycle(), index, checks: self.timeline.event_checks(index as usize) }
    }
    /// A report on the whole run.
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

    /// Whether the current cycle meets a stop condition.
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

    /// A queue and its descendants.
    pub fn subtree(&self, name: &str) -> Vec<QueueId> {
        let cluster = self.sim().cluster();
        let below = |id: QueueId| cluster.path_to_root(id).any(|q| &*cluster.queues[q].name == name);
        cluster.queues.ids().filter(|&id| below(id)).collect()
    }
    /// Looks up a job by its name.
    pub fn job(&self, name: &str) -> Option<JobId> {
        self.sim().cluster().jobs.iter().find(|(_, job)| &*job.name == name).map(|(id, _)| id)
    }
}

/// The plan of a scenario, or its errors.
pub(super) fn plan_of(scenario: &Scenario) -> Result<Plan, Vec<String>> {
    let checked = scenario::check(scenario);
    checked.plan.ok_or_else(|| {
        let errors = checked.diagnostics.into_iter().filter(|d| d.severity == Severity::Error);
        errors.map(|d| d.says).collect()
    })
}
