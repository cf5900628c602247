//! The serving side: requests in, replies out, in slices.
//!
//! Plain Rust without a browser, so that native tests speak to the same engine as the page. The worker calls
//! [`Server::receive`] for each message and [`Server::work`] in small slices between messages, so that a new wish
//! or a cancel is heard while a long run is going on. A slice counts cycles and influences *when* an
//! answer comes, never *what* it says.

use std::collections::VecDeque;

use fairground::scenario::{self, Severity};
use fairground::sim::{CycleRecord, History};
use fairground::time::Time;
use fairground::trace::Level;

use super::convert;
use super::protocol::{Ask, Reply, Request, Say};
use super::track::Track;

/// How many cycles are computed ahead at most to find an event.
const LOOK_AHEAD: u32 = 10_000;

/// A run with what is drawn of it.
struct Present {
    history: History,
    track: Track,
    /// The record of the cycle the history is at.
    record: CycleRecord,
    /// Whether it says why; on the way to somewhere only outcomes are recorded.
    is_decisive: bool,
}

/// Something that takes several slices.
enum Task {
    /// Go to a cycle.
    GoTo { cycle: u32 },
    /// Run to a moment.
    RunUntil { time: Time },
    /// Find the next event, until this cycle at most.
    FindEvent { from: u32, queue: Option<u32>, job: Option<String>, until: u32 },
}

/// The engine as the page sees it.
#[derive(Default)]
pub struct Server {
    present: Option<Present>,
    waiting: VecDeque<Request>,
    task: Option<(u64, Task)>,
}

impl Server {
    /// An engine without a run.
    pub fn new() -> Server {
        Server::default()
    }

    /// Takes a request. A new run, a new place to go to or a cancel replaces what was going on.
    pub fn receive(&mut self, request: Request) {
        match request.ask {
            Ask::Load { .. } => {
                self.waiting.clear();
                self.task = None;
            }
            Ask::GoTo { .. } | Ask::RunUntil { .. } | Ask::NextEvent { .. } => self.task = None,
            Ask::Cancel | Ask::Ladder { .. } | Ask::Import { .. } => {}
        }
        self.waiting.push_back(request);
    }

    /// Whether there is nothing to do.
    pub fn is_idle(&self) -> bool {
        self.waiting.is_empty() && self.task.is_none()
    }

    /// Works for at most `budget` cycles (at least one step is made) and answers, in order.
    pub fn work(&mut self, budget: u32) -> Vec<Reply> {
        let mut replies = Vec::new();
        while let Some(request) = self.waiting.pop_front() {
            self.answer(request, &mut replies);
        }
        if let Some((generation, task)) = self.task.take() {
            self.proceed(generation, task, budget.max(1), &mut replies);
        }
        replies
    }

    fn answer(&mut self, request: Request, replies: &mut Vec<Reply>) {
        let generation = request.generation;
        let mut say = |say| replies.push(Reply { generation, say });
        match request.ask {
            Ask::Load { scenario, cycle } => match load(&scenario) {
                Ok(present) => {
                    self.present = Some(present);
                    self.task = Some((generation, Task::GoTo { cycle }));
                }
                Err(findings) => {
                    self.present = None;
                    say(Say::Refused { findings });
                }
            },
            Ask::GoTo { cycle } => self.task = Some((generation, Task::GoTo { cycle })),
            Ask::RunUntil { time_ms } => {
                self.task = Some((generation, Task::RunUntil { time: Time::from_millis(time_ms) }));
            }
            Ask::NextEvent { from, back, queue, job } => match self.next_event(from, back, queue, job) {
                Ok(cycle) => say(Say::Event { cycle }),
                Err(task) => self.task = Some((generation, task)),
            },
            Ask::Ladder { cycle, queue, resource } => {
                let levels = self.ladder(cycle, &queue, resource);
                say(Say::Ladder { queue, resource, levels });
            }
            Ask::Import { files, options } => say(super::import::read(&files, &options)),
            Ask::Cancel => {
                if self.task.take().is_some() {
                    say(Say::Cancelled);
                    self.show(generation, replies);
                }
            }
        }
    }

    /// The answer if it is known already, otherwise the task that finds it.
    fn next_event(
        &self,
        from: u32,
        back: bool,
        queue: Option<String>,
        job: Option<String>,
    ) -> Result<Option<u32>, Task> {
        let Some(present) = &self.present else { return Ok(None) };
        let queues = &present.history.present().cluster().queues;
        let queue = queue.and_then(|name| queues.iter().find(|(_, q)| *q.name == *name).map(|(id, _)| id.0));
        let found = present.track.next_event(from, back, |j, q| wanted(queue, job.as_deref(), j, q));
        if found.is_some() || back || present.history.last().is_some() {
            return Ok(found);
        }
        Err(Task::FindEvent {
            from,
            queue,
            job,
            until: present.history.furthest().saturating_add(LOOK_AHEAD),
        })
    }

    fn proceed(&mut self, generation: u64, task: Task, budget: u32, replies: &mut Vec<Reply>) {
        let Some(present) = &mut self.present else { return };
        let is_done = match &task {
            Task::GoTo { cycle } => present.go_to(*cycle, budget),
            Task::RunUntil { time } => present.run_until(*time, budget),
            Task::FindEvent { from, queue, job, until } => {
                let found = present.find_event(*from, *queue, job.as_deref(), *until, budget);
                if let Some(cycle) = found {
                    replies.push(Reply { generation, say: Say::Event { cycle } });
                    return;
                }
                false
            }
        };
        if is_done {
            self.show(generation, replies);
            return;
        }
        let (to_cycle, to_time_ms) = match &task {
            Task::GoTo { cycle } => (Some(*cycle), None),
            Task::RunUntil { time } => (None, Some(time.as_millis())),
            Task::FindEvent { until, .. } => (Some(*until), None),
        };
        let simulation = present.history.present();
        let (cycle, time_ms) = (simulation.cycle(), simulation.now().as_millis());
        replies.push(Reply { generation, say: Say::Progress { cycle, time_ms, to_cycle, to_time_ms } });
        self.task = Some((generation, task));
    }

    /// Answers with the frame of the cycle the history is at.
    fn show(&mut self, generation: u64, replies: &mut Vec<Reply>) {
        let Some(present) = &mut self.present else { return };
        present.settle();
        let frame = convert::frame(present.history.present(), &present.record);
        let say = Say::Frame { frame: Box::new(frame), run: Box::new(present.track.run()) };
        replies.push(Reply { generation, say });
    }

    fn ladder(&mut self, cycle: u32, queue: &str, resource: u8) -> Vec<super::protocol::LadderLevel> {
        let Some(present) = &mut self.present else { return Vec::new() };
        if present.record.cycle != cycle {
            if cycle > present.history.furthest() {
                return Vec::new();
            }
            present.seek(cycle);
        }
        convert::ladder(present.history.present(), queue, resource)
    }
}

impl Present {
    /// One cycle beyond the furthest; `false` when the run has ended.
    fn extend(&mut self, level: Level) -> bool {
        if self.history.last().is_some() {
            return false;
        }
        let furthest = self.history.furthest();
        if self.history.present().cycle() != furthest {
            self.history.seek(furthest);
        }
        self.history.set_level(level);
        let record = self.history.advance();
        self.history.set_level(Level::Decisive);
        match record {
            Some(record) => {
                self.track.add(self.history.present().cluster(), &record);
                self.record = record;
                self.is_decisive = level >= Level::Decisive;
                true
            }
            None => {
                self.track.complete();
                false
            }
        }
    }

    /// Goes towards a cycle; `true` once it is there or the run has ended.
    fn go_to(&mut self, cycle: u32, budget: u32) -> bool {
        for _ in 0..budget {
            let furthest = self.history.furthest();
            if furthest >= cycle {
                if self.record.cycle != cycle || self.history.present().cycle() != cycle {
                    self.seek(cycle);
                }
                return true;
            }
            let level = if furthest + 1 == cycle { Level::Decisive } else { Level::Outcomes };
            if !self.extend(level) {
                return true;
            }
        }
        false
    }

    /// Goes towards a moment; `true` once the next cycle would be later or the run has ended.
    fn run_until(&mut self, time: Time, budget: u32) -> bool {
        for _ in 0..budget {
            let furthest = self.history.furthest();
            if self.history.present().cycle() != furthest {
                self.history.seek(furthest);
            }
            let is_there = self.history.present().next_cycle_at().is_none_or(|at| at > time);
            if is_there || !self.extend(Level::Outcomes) {
                return true;
            }
        }
        false
    }

    /// Looks for an event ahead: the answer, once there is one.
    fn find_event(
        &mut self,
        from: u32,
        queue: Option<u32>,
        job: Option<&str>,
        until: u32,
        budget: u32,
    ) -> Option<Option<u32>> {
        for _ in 0..budget {
            let is_over = self.history.furthest() >= until || !self.extend(Level::Outcomes);
            let found = self.track.next_event(from, false, |j, q| wanted(queue, job, j, q));
            if found.is_some() || is_over {
                return Some(found);
            }
        }
        None
    }

    /// Makes the record of the present cycle complete: on the way only outcomes were recorded.
    fn settle(&mut self) {
        if !self.is_decisive {
            self.seek(self.history.present().cycle());
        }
    }

    fn seek(&mut self, cycle: u32) {
        self.record = self.history.seek(cycle);
        self.is_decisive = true;
    }
}

fn wanted(queue: Option<u32>, job: Option<&str>, event_job: &str, event_queue: u32) -> bool {
    queue.is_none_or(|q| q == event_queue) && job.is_none_or(|j| j == event_job)
}

/// Starts a run, or says what is wrong.
fn load(text: &str) -> Result<Present, Vec<String>> {
    let read = scenario::read(text);
    let lines = |found: &[scenario::Diagnostic]| {
        let errors = found.iter().filter(|d| d.severity == Severity::Error);
        errors.map(|d| format!("{}: {}", d.at, d.says)).collect::<Vec<_>>()
    };
    let scenario = match read.scenario {
        Some(scenario) if lines(&read.diagnostics).is_empty() => scenario,
        _ => return Err(lines(&read.diagnostics)),
    };
    let checked = scenario::check(&scenario);
    let Some(plan) = checked.plan else { return Err(lines(&checked.diagnostics)) };
    let history = History::new(&plan);
    let record = history.present().opening().clone();
    let track = Track::new(history.present().cluster(), &record);
    Ok(Present { history, track, record, is_decisive: true })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCENARIO: &str = r"
format: fairground-scenario
version: 1
name: One node
policy: fifo
cycle: 1s
nodes:
  - {name: n, gpu: 2}
queues:
  - {name: a, gpu: {quota: 2, limit: unlimited, weight: 1}}
jobs:
  - {name: first, queue: a, gpu: 2, submit: 1s, lasts: 10s}
  - {name: second, queue: a, gpu: 1, submit: 2s, lasts: 10s}
";

    fn ask(server: &mut Server, ask: Ask) -> Vec<Say> {
        server.receive(Request { generation: 1, ask });
        let mut said = Vec::new();
        while !server.is_idle() {
            said.extend(server.work(2).into_iter().map(|reply| reply.say));
        }
        said
    }

    fn frame(said: &[Say]) -> super::super::protocol::Frame {
        match said.last() {
            Some(Say::Frame { frame, .. }) => (**frame).clone(),
            other => panic!("a frame was expected, not {other:?}"),
        }
    }

    #[test]
    fn back_equals_forward() {
        let mut server = Server::new();
        let load = Ask::Load { scenario: SCENARIO.to_string(), cycle: 0 };
        assert_eq!(frame(&ask(&mut server, load)).cycle, 0);
        let first = frame(&ask(&mut server, Ask::GoTo { cycle: 1 }));
        assert_eq!(first.nodes[0].cells[0].pods[0].job, "first");
        let tenth = frame(&ask(&mut server, Ask::GoTo { cycle: 10 }));
        assert_eq!(tenth.refusals[0].job, "second");
        assert_eq!(frame(&ask(&mut server, Ask::GoTo { cycle: 1 })), first);
        assert_eq!(frame(&ask(&mut server, Ask::GoTo { cycle: 10 })), tenth);
    }

    #[test]
    fn the_next_event_is_found_ahead() {
        let mut server = Server::new();
        ask(&mut server, Ask::Load { scenario: SCENARIO.to_string(), cycle: 2 });
        let next = Ask::NextEvent { from: 2, back: false, queue: None, job: Some("second".to_string()) };
        assert_eq!(ask(&mut server, next).last(), Some(&Say::Event { cycle: Some(11) }));
    }

    #[test]
    fn a_broken_scenario_is_refused_with_its_findings() {
        let mut server = Server::new();
        let said = ask(&mut server, Ask::Load { scenario: "queues: 7".to_string(), cycle: 0 });
        assert!(matches!(said.last(), Some(Say::Refused { findings }) if !findings.is_empty()));
    }
}
