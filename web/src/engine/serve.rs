//! The serving side: questions in, answers out, in slices, so that whoever carries the messages can look for new
//! ones in between. Knows no browser and no clock.
//!
//! One task of each kind is under way at most: a later question replaces an earlier one.

use std::sync::Arc;

use fairground::export::KitRun;
use fairground::id::{JobId, QueueId};
use fairground::moment::{EventWord, orders, rule_use};
use fairground::scenario::Scenario;
use fairground::time::Time;

use super::branch::Branch;
use super::csv_run::CsvRun;
use super::imports::ImportRun;
use super::preview::{PreviewRequest, Previews};
use super::protocol::{Ask, Reply, Request, RuleUse, Say, Stop};
use super::run_log::Mark;
use super::what_if::WhatIfRuns;
use super::{comparison, imports};

/// How far a search for the next event runs ahead, in cycles.
const SEARCH_MAX: u32 = 10_000;
/// The engine's side of the border.
#[derive(Default)]
pub struct Server {
    main: Option<Branch>,
    task: Option<(u64, Task)>,
    previews: Previews,
    trials: Option<(u64, WhatIfRuns)>,
    comparison: Option<(u64, comparison::Comparison)>,
    table: Option<(u64, CsvRun)>,
    kit: Option<(u64, KitRun)>,
    import: Option<(u64, ImportRun)>,
    /// The scenario that is shown.
    scenario: Arc<Scenario>,
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

impl Server {
    /// Takes a question in. Short ones are answered at once, others by [`Server::work`].
    /// Long because it is one table of questions.
    pub fn ask(&mut self, request: Request) -> Vec<Reply> {
        let id = request.generation;
        match request.ask {
            Ask::Load { scenario, cycle, .. } => self.load(id, scenario, Task::To(cycle)),
            Ask::LoadAt { scenario, time_ms, .. } => {
                self.load(id, scenario, Task::Until(Time::from_millis(time_ms)))
            }
            Ask::GoTo { cycle } => self.start(id, Task::To(cycle)),
            Ask::RunUntil { time_ms } => self.start(id, Task::Until(Time::from_millis(time_ms))),
            Ask::RunTo { stop } => {
                let up_to = self.main.as_ref().map_or(0, |r| r.cycle().saturating_add(SEARCH_MAX));
                let was = self.main.as_ref().is_some_and(|r| r.is_met(&stop));
                self.start(id, Task::On { stop, was, up_to })
            }
            Ask::NextEvent { from, back, queue, job, without } => {
                self.next_event(id, from, back, (queue, job, without))
            }
            Ask::Ladder { cycle, queue, resource } => self.ladder(id, cycle, queue, resource),
            Ask::Order { cycle, queue, job } => {
                let main = self.main.as_ref().filter(|main| main.cycle() == cycle);
                let levels = main.map(|main| orders::orders(main.sim(), &queue, job.as_deref()));
                vec![reply(id, Say::Order(levels.unwrap_or_default()))]
            }
            Ask::Report(report_request) => {
                let report = self.main.as_ref().map(|r| Box::new(r.report(&report_request)));
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
            Ask::Import { files, options } => {
                self.import = Some((id, ImportRun::new(files, options)));
                vec![reply(id, Say::Reading)]
            }
            Ask::Export { scenario, format, original } => {
                vec![reply(id, Say::Exported(imports::export(&scenario, &format, original.as_deref())))]
            }
            Ask::Pack { scenario } => {
                let scenario = scenario.as_ref().unwrap_or(&self.scenario);
                vec![reply(id, Say::Packed(fairground::link::encode_within_limit(scenario)))]
            }
            Ask::Kit { scenario } => {
                self.kit = imports::kit(&scenario).map(|kit| (id, kit));
                if self.kit.is_some() { Vec::new() } else { vec![reply(id, Say::Kit(None))] }
            }
            Ask::Translate { scenario, policy } => {
                vec![reply(id, comparison::translated(&scenario, &policy))]
            }
            Ask::Compare { scenario, policies, until_ms } => {
                self.comparison = Some((id, comparison::Comparison::new(scenario, policies, until_ms)));
                Vec::new()
            }
            Ask::Csv { is_of_events } => {
                let last = self.main.as_ref().map(|main| main.run_log().last_cycle);
                let table = last.and_then(|last| CsvRun::new(&self.scenario, last, is_of_events));
                self.table = table.map(|table| (id, table));
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
        let beside = self.trials.is_some() || self.comparison.is_some() || self.table.is_some();
        let beside = beside || self.kit.is_some() || self.import.is_some();
        self.task.is_some() || self.previews.is_busy() || beside
    }

    /// Works for the time of about one cycle.
    pub fn work(&mut self) -> Vec<Reply> {
        // Somebody waits for the preview, and nothing that it takes long to compute shall stand before it.
        if let Some((id, mut import)) = self.import.take() {
            let (say, is_over) = import.work();
            self.import = (!is_over).then_some((id, import));
            return vec![reply(id, say)];
        }
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
        if let Some((id, mut table)) = self.table.take() {
            match table.work() {
                Some(say) => return vec![reply(id, say)],
                None => self.table = Some((id, table)),
            }
            return Vec::new();
        }
        if let Some((id, mut kit)) = self.kit.take() {
            match kit.work() {
                Some(folder) => return vec![reply(id, imports::packed(folder))],
                None => self.kit = Some((id, kit)),
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
            && let Some(main) = &mut self.main
        {
            main.look_ahead();
        }
    }

    /// Computes a part of the next step of a drag in advance; `false`: there is nothing to do.
    pub fn speculate(&mut self) -> bool {
        // To lay out a large scenario takes long before its first cycle.
        let is_small = self.main.as_ref().is_some_and(Branch::is_small);
        is_small && !self.is_busy() && self.previews.speculate()
    }

    /// How far the present task came.
    pub fn progress(&self) -> Option<Reply> {
        if self.task.is_none() {
            let (id, comparison) = self.comparison.as_ref()?;
            return comparison.progress().map(|say| reply(*id, say));
        }
        let (id, task) = self.task.as_ref()?;
        let main = self.main.as_ref()?;
        let (to_cycle, to_time_ms) = match task {
            Task::To(cycle) => (Some(*cycle), None),
            Task::Until(time) => (None, Some(time.as_millis())),
            Task::On { .. } | Task::Search { .. } => (None, None),
        };
        let (cycle, time_ms) = (main.cycle(), main.sim().now().as_millis());
        Some(reply(*id, Say::Progress { cycle, time_ms, to_cycle, to_time_ms }))
    }

    /// Leaves everything that is under way.
    fn drop_work(&mut self) {
        self.task = None;
        self.previews = Previews::default();
        self.trials = None;
        self.comparison = None;
        self.table = None;
        self.kit = None;
    }

    fn load(&mut self, id: u64, scenario: Arc<Scenario>, task: Task) -> Vec<Reply> {
        self.drop_work();
        match Branch::shown(&scenario) {
            Ok(main) => {
                self.main = Some(main);
                self.previews = Previews::of(&scenario);
                self.scenario = scenario;
                self.start(id, task)
            }
            Err(findings) => {
                self.main = None;
                vec![reply(id, Say::Refused { findings })]
            }
        }
    }

    fn start(&mut self, id: u64, task: Task) -> Vec<Reply> {
        self.task = self.main.is_some().then_some((id, task));
        Vec::new()
    }

    fn work_on(&mut self, id: u64, task: Task) -> Vec<Reply> {
        let Some(main) = &mut self.main else { return Vec::new() };
        match task {
            Task::To(cycle) if main.step_towards(cycle) => self.task = Some((id, task)),
            Task::To(_) => return vec![arrived(id, main)],
            Task::Until(time) if main.step_until(time) => self.task = Some((id, task)),
            // Its reasons are missing yet.
            Task::Until(_) => self.task = Some((id, Task::To(main.cycle()))),
            Task::On { stop, was, up_to } => {
                let ran = main.cycle() < up_to && main.step_on();
                let met = ran && main.is_met(&stop);
                if ran && (!met || was) {
                    // What holds from the start has to end before it can come about.
                    self.task = Some((id, Task::On { stop, was: was && met, up_to }));
                } else {
                    return vec![arrived(id, main), reply(id, Say::Stopped { met })];
                }
            }
            Task::Search { from, up_to, wanted } => {
                let found = main.run_log().next_event(from, false, |mark| wanted.holds(main, mark));
                let from = main.run_log().last_cycle;
                if found.is_none() && from < up_to && main.step_on() {
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
        let Some(main) = &mut self.main else { return vec![reply(id, Say::Event { cycle: None })] };
        let queues = queue.map(|name| main.subtree(&name));
        let job = job.map(|name| main.job(&name));
        let wanted = Wanted { queues, job, without };
        let found = main.run_log().next_event(from, back, |mark| wanted.holds(main, mark));
        if found.is_some() || back {
            return vec![reply(id, Say::Event { cycle: found })];
        }
        main.wind_on();
        let up_to = main.run_log().last_cycle.saturating_add(SEARCH_MAX);
        self.task = Some((id, Task::Search { from, up_to, wanted }));
        Vec::new()
    }

    fn ladder(&mut self, id: u64, cycle: u32, queue: String, resource: u8) -> Vec<Reply> {
        let levels = match &self.main {
            Some(main) if main.cycle() == cycle => main.ladder(&queue, resource),
            _ => Vec::new(),
        };
        vec![reply(id, Say::Ladder { queue, resource, levels })]
    }

    /// What a rule did in the present cycle; not counted where the cycle before it is far back, or large.
    fn rule_use(&self, cycle: u32, rule: String) -> RuleUse {
        let main = self.main.as_ref().filter(|main| main.cycle() == cycle);
        let found = main.and_then(|main| Some(rule_use::count(main.before()?, main.sim(), &rule)));
        found.unwrap_or_else(|| RuleUse { rule, cycle, is_counted: cycle == 0, ..RuleUse::default() })
    }

    /// Stops what is going on; what was reached is shown.
    fn cancel(&mut self, id: u64) -> Vec<Reply> {
        let task = self.task.take();
        self.drop_work();
        let mut replies = vec![reply(id, Say::Cancelled)];
        if let Some((task_id, task)) = task
            && let Some(main) = &mut self.main
        {
            replies.push(match task {
                Task::Search { .. } => reply(task_id, Say::Event { cycle: None }),
                _ => arrived(task_id, main),
            });
        }
        replies
    }
}

impl Wanted {
    fn holds(&self, main: &Branch, mark: &Mark) -> bool {
        let queue = || mark.job.map(|job| main.sim().cluster().jobs[job].queue);
        self.queues.as_ref().is_none_or(|queues| queue().is_some_and(|queue| queues.contains(&queue)))
            && self.job.is_none_or(|wanted| wanted.is_some() && wanted == mark.job)
            && !self.without.contains(&mark.kind)
    }
}

fn reply(generation: u64, say: Say) -> Reply {
    Reply { generation, say }
}

fn arrived(id: u64, main: &Branch) -> Reply {
    reply(id, Say::Frame { frame: Box::new(main.frame()), run: Box::new(main.run()) })
}
