//! The engine's end of the protocol: handles requests in slices, so that the transport can receive further messages
//! between them. Depends neither on a browser nor on a clock.
//!
//! There is at most one task of each kind: a later request replaces an earlier one.

use std::collections::BTreeMap;
use std::sync::Arc;

use fairground::export::KitRun;
use fairground::id::{JobId, QueueId};
use fairground::moment::EventWord;
use fairground::policy::Monitor;
use fairground::scenario::Scenario;
use fairground::suggestions::Trials;
use fairground::time::Time;

use super::branch::Branch;
use super::csv_run::CsvRun;
use super::imports::ImportRun;
use super::preview::Previews;
use super::protocol::{At, BranchId, Message, Moment, MomentRequest, Request, Response, Stop, Wants};
use super::run_log::Mark;
use super::{comparison, imports};

/// Largest number of cycles that a search for the next event computes.
const SEARCH_MAX: u32 = 10_000;

/// Handles requests and owns the runs.
#[derive(Default)]
pub struct Server {
    main: Option<Branch>,
    task: Option<(u64, Task)>,
    /// Cycle and time of the displayed run when the task began.
    begun_at: (u32, Time),
    /// What the reply to the task contains besides the frame.
    wants: Wants,
    /// Runs besides the displayed one.
    previews: BTreeMap<BranchId, Previews>,
    trials: Option<(u64, Trials)>,
    comparison: Option<(u64, comparison::Comparison)>,
    table: Option<(u64, CsvRun)>,
    kit: Option<(u64, KitRun)>,
    import: Option<(u64, ImportRun)>,
    /// The displayed scenario.
    scenario: Arc<Scenario>,
    /// Watches all cycles, and interrupts them while a request to cancel waits to be handled.
    monitor: Monitor,
}

enum Task {
    /// Go to a cycle; `is_met`: see [`Moment`].
    To { cycle: u32, is_met: Option<bool> },
    /// Go to a moment.
    Until(Time),
    /// Search for an event, at most up to a cycle.
    Search { from: u32, up_to: u32, wanted: SearchFilter },
    /// Run until a condition is met, at most up to a cycle.
    ToStop { stop: Stop, was_met: bool, up_to: u32 },
}

/// Filter of the events that a search stops at.
struct SearchFilter {
    queues: Option<Vec<QueueId>>,
    /// `Some(None)`: there is no job of the requested name, so no event matches.
    job: Option<Option<JobId>>,
    without: Vec<EventWord>,
}

impl Server {
    /// A server whose cycles are watched, and left once the monitor interrupts them.
    pub fn new(monitor: Monitor) -> Server {
        Server { monitor, ..Server::default() }
    }

    /// Handles a request: short ones immediately, others in [`Server::work`].
    pub fn handle(&mut self, request: Message<Request>) -> Vec<Message<Response>> {
        let id = request.generation;
        match request.body {
            Request::Moment(request) if request.branch == BranchId::Main => self.go(id, request),
            Request::Moment(request) => {
                let until = self.main.as_ref().map_or(0, |main| main.run_log().last_cycle);
                self.previews.entry(request.branch).or_default().request(id, request, until);
                Vec::new()
            }
            Request::NextEvent { from, back, queue, job, without } => {
                self.next_event(id, from, back, (queue, job, without))
            }
            Request::Try { job, cycle, scenarios } => {
                self.trials = Some((id, Trials::new(job, cycle, scenarios, self.monitor.clone())));
                Vec::new()
            }
            Request::Import { files, options } => {
                self.import = Some((id, ImportRun::new(files, options)));
                vec![reply(id, Response::Reading)]
            }
            Request::Export { scenario, format, original } => {
                vec![reply(id, Response::Exported(imports::export(&scenario, &format, original.as_deref())))]
            }
            Request::Pack { scenario } => {
                let scenario = scenario.as_ref().unwrap_or(&self.scenario);
                vec![reply(id, Response::Packed(fairground::link::encode_within_limit(scenario)))]
            }
            Request::Kit { scenario } => {
                let Ok(mut kit) = KitRun::new(&scenario) else { return vec![reply(id, Response::Kit(None))] };
                kit.set_monitor(self.monitor.clone());
                self.kit = Some((id, kit));
                Vec::new()
            }
            Request::Translate { scenario, policy } => {
                vec![reply(id, comparison::translated(&scenario, &policy))]
            }
            Request::Compare { runs, until_ms } => {
                self.comparison = Some((id, comparison::Comparison::new(runs, until_ms, self.monitor.clone())));
                Vec::new()
            }
            Request::Csv { is_of_events } => {
                let last = self.main.as_ref().map(|main| main.run_log().last_cycle);
                let of = |last| CsvRun::new(self.scenario.clone(), last, is_of_events, self.monitor.clone());
                let table = last.and_then(of);
                self.table = table.map(|table| (id, table));
                Vec::new()
            }
            Request::Rules { policy } => {
                vec![reply(id, Response::Rules(Box::new(fairground::moment::rulebook::of(policy))))]
            }
            Request::Cancel => self.cancel(id),
        }
    }

    pub fn is_busy(&self) -> bool {
        let has_other = self.trials.is_some() || self.comparison.is_some() || self.table.is_some();
        let has_other = has_other || self.kit.is_some() || self.import.is_some();
        self.task.is_some() || self.previews.values().any(Previews::is_busy) || has_other
    }

    /// Works for about one cycle.
    pub fn work(&mut self) -> Vec<Message<Response>> {
        // The import dialog waits for the preview, so imports go before long tasks.
        if let Some((id, mut import)) = self.import.take() {
            let (say, is_over) = import.work();
            self.import = (!is_over).then_some((id, import));
            return vec![reply(id, say)];
        }
        if let Some((id, task)) = self.task.take() {
            return self.work_on(id, task);
        }
        self.work_in_background()
    }

    /// Works for about one cycle on runs besides the displayed one. If it is interrupted, for a request about the displayed
    /// run, that cycle or the whole run is computed again.
    fn work_in_background(&mut self) -> Vec<Message<Response>> {
        if let Some(previews) = self.previews.values_mut().find(|previews| previews.is_busy()) {
            return previews.work(&self.monitor).into_iter().map(|(id, say)| reply(id, say)).collect();
        }
        if let Some((id, mut trials)) = self.trials.take() {
            match trials.work() {
                Some(tried) => return vec![reply(id, Response::Tried(tried.map(Box::new)))],
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
            && let Some(result) = comparison.work()
        {
            self.comparison = Some((id, comparison));
            return result.map(|say| reply(id, say)).into_iter().collect();
        }
        Vec::new()
    }

    /// Computes the next cycle in advance, since a step is the most frequent request; sends nothing.
    pub fn look_ahead(&mut self) {
        if !self.is_busy()
            && let Some(main) = &mut self.main
        {
            main.look_ahead();
        }
    }

    /// Number of the request whose cycle of the displayed run is computed next.
    pub fn task_id(&self) -> Option<u64> {
        self.task.as_ref().map(|(id, _)| *id)
    }

    /// Progress of the current task, unless the next reply ends it.
    pub fn progress(&self) -> Option<Message<Response>> {
        if self.task.is_none() {
            let (id, comparison) = self.comparison.as_ref()?;
            return comparison.progress().map(|say| reply(*id, say));
        }
        let (id, task) = self.task.as_ref()?;
        let main = self.main.as_ref()?;
        let (cycle, time_ms) = (main.cycle(), main.sim().now().as_millis());
        let part = match task {
            Task::To { cycle: to, .. } => part_done(self.begun_at.0.into(), cycle.into(), (*to).into()),
            Task::Until(to) => part_done(self.begun_at.1.as_millis() as f64, time_ms as f64, to.as_millis() as f64),
            Task::ToStop { .. } | Task::Search { .. } => None,
        };
        if part == Some(1.0) {
            return None;
        }
        Some(reply(*id, Response::Progress { cycle, time_ms, part }))
    }

    /// Drops all tasks.
    fn drop_work(&mut self) {
        self.task = None;
        self.previews.clear();
        self.trials = None;
        self.comparison = None;
        self.table = None;
        self.kit = None;
    }

    /// Starts to compute a moment of the displayed run.
    fn go(&mut self, id: u64, request: MomentRequest) -> Vec<Message<Response>> {
        let MomentRequest { scenario, at, wants, .. } = request;
        if let Some(scenario) = scenario {
            self.drop_work();
            self.main = None;
            match Branch::shown(&scenario) {
                Ok(mut main) => {
                    main.set_monitor(self.monitor.clone());
                    self.main = Some(main);
                }
                Err(findings) => return vec![reply(id, Response::Refused { findings })],
            }
            self.scenario = scenario;
        }
        let Some(main) = &self.main else { return Vec::new() };
        let task = match at {
            At::Here => {
                return vec![reply(id, Response::Moment(Box::new(main.explained(wants.subjects(None)))))];
            }
            At::Cycle(cycle) => Task::To { cycle, is_met: None },
            At::Time(time_ms) => Task::Until(Time::from_millis(time_ms)),
            At::Until(stop) => {
                let was_met = main.is_met(&stop);
                Task::ToStop { stop, was_met, up_to: main.cycle().saturating_add(SEARCH_MAX) }
            }
        };
        self.begun_at = (main.cycle(), main.sim().now());
        self.task = Some((id, task));
        self.wants = wants;
        Vec::new()
    }

    fn work_on(&mut self, id: u64, task: Task) -> Vec<Message<Response>> {
        let Some(main) = &mut self.main else { return Vec::new() };
        match task {
            Task::To { cycle, .. } if main.step_towards(cycle) => self.task = Some((id, task)),
            Task::To { is_met, .. } => return vec![arrived(id, main, &self.wants, is_met)],
            Task::Until(time) if main.step_until(time) => self.task = Some((id, task)),
            // That cycle was computed without reasons; compute it again with them.
            Task::Until(_) => self.task = Some((id, Task::To { cycle: main.cycle(), is_met: None })),
            Task::ToStop { stop, was_met, up_to } => {
                let ran = main.cycle() < up_to && main.step_in_transit();
                let met = ran && main.is_met(&stop);
                if ran && (!met || was_met) {
                    // A condition that holds at the start must cease to hold before it can be met.
                    self.task = Some((id, Task::ToStop { stop, was_met: was_met && met, up_to }));
                } else {
                    self.task = Some((id, Task::To { cycle: main.cycle(), is_met: Some(met) }));
                }
            }
            Task::Search { from, up_to, wanted } => {
                let found = main.run_log().next_event(from, false, |mark| wanted.holds(main, mark));
                let from = main.run_log().last_cycle;
                if found.is_none() && from < up_to && main.step_in_transit() {
                    self.task = Some((id, Task::Search { from, up_to, wanted }));
                } else {
                    return vec![reply(id, Response::Event { cycle: found })];
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
    ) -> Vec<Message<Response>> {
        let Some(main) = &mut self.main else { return vec![reply(id, Response::Event { cycle: None })] };
        let queues = queue.map(|name| main.subtree(&name));
        let job = job.map(|name| main.job(&name));
        let wanted = SearchFilter { queues, job, without };
        let found = main.run_log().next_event(from, back, |mark| wanted.holds(main, mark));
        if found.is_some() || back {
            return vec![reply(id, Response::Event { cycle: found })];
        }
        main.go_to_furthest();
        let up_to = main.run_log().last_cycle.saturating_add(SEARCH_MAX);
        self.task = Some((id, Task::Search { from, up_to, wanted }));
        Vec::new()
    }

    /// Stops the current task of the displayed run where it is; the moment follows, since its cycle may have to be
    /// computed again with reasons.
    fn cancel(&mut self, id: u64) -> Vec<Message<Response>> {
        let (mut event, mut goes_back_to) = (None, None);
        if let Some((task_id, task)) = self.task.take()
            && let Some(main) = &self.main
        {
            match task {
                Task::Search { .. } => event = Some(reply(task_id, Response::Event { cycle: None })),
                _ => {
                    let cycle = main.reached();
                    goes_back_to = Some(cycle);
                    self.task = Some((task_id, Task::To { cycle, is_met: None }));
                }
            }
        }
        [reply(id, Response::Cancelled { goes_back_to })].into_iter().chain(event).collect()
    }
}

impl SearchFilter {
    fn holds(&self, main: &Branch, mark: &Mark) -> bool {
        let queue = || mark.job.map(|job| main.sim().cluster().jobs[job].queue);
        self.queues.as_ref().is_none_or(|queues| queue().is_some_and(|queue| queues.contains(&queue)))
            && self.job.is_none_or(|wanted| wanted.is_some() && wanted == mark.job)
            && !self.without.contains(&mark.kind)
    }
}

fn reply(generation: u64, body: Response) -> Message<Response> {
    Message { generation, body }
}

fn arrived(id: u64, main: &Branch, wants: &Wants, is_met: Option<bool>) -> Message<Response> {
    let moment = Moment { is_met, ..main.moment(wants.clone()) };
    reply(id, Response::Moment(Box::new(moment)))
}

/// The fraction of the way to a point that is done, from 0 to 1; from the start if the way leads back.
fn part_done(from: f64, at: f64, to: f64) -> Option<f64> {
    let from = if from < to { from } else { 0.0 };
    let part = (at - from) / (to - from);
    part.is_finite().then(|| part.clamp(0.0, 1.0))
}
