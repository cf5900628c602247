//! Runs and the engine's reports on them, without a browser.

use fairground::units::Resource;
use std::sync::Arc;

use fairground::scenario::Scenario;
use fairground::words::{Ladder, Order, Selection};
use fairground_web::engine::protocol::{
    At, BranchId, Frame, Message, Moment, MomentRequest, Request, Response, Run, Subjects, Wants,
};
use fairground_web::engine::report::{Gantt, GanttBy, Report, ReportRequest};
use fairground_web::engine::serve::Server;
use fairground_web::state::document::from_text;
use fairground_web::views::gantt::view::{GanttView, Line};

/// A scenario in the form sent to the engine.
pub fn sent(text: &str) -> Arc<Scenario> {
    Arc::new(from_text(text).expect("it is clean"))
}

/// A request for a cycle of another scenario than the displayed one.
pub fn preview_at(scenario: &Arc<Scenario>, cycle: u32, subjects: Subjects) -> Request {
    let (branch, wants) = (BranchId::Preview, Wants::Subjects(subjects));
    Request::Moment(MomentRequest { branch, wants, ..MomentRequest::main_at(scenario, cycle) })
}

/// The engine, used as by the page.
#[derive(Default)]
pub struct Page {
    pub server: Server,
    pub generation: u64,
}

impl Page {
    pub fn open(text: &str, cycle: u32) -> (Page, Frame, Run) {
        let mut page = Page::default();
        let (frame, run) = page.main_at(sent(text), cycle);
        (page, frame, run)
    }

    /// Sends a request and lets the engine work until it is idle.
    pub fn ask(&mut self, ask: Request) -> Vec<Message<Response>> {
        self.generation += 1;
        let mut replies = self.server.handle(Message { generation: self.generation, body: ask });
        while self.server.is_busy() {
            replies.extend(self.server.work());
        }
        replies
    }

    /// Asks for a moment, which must be the only reply.
    fn moment(&mut self, ask: MomentRequest) -> Moment {
        match &mut self.ask(Request::Moment(ask))[..] {
            [Message { generation, body: Response::Moment(moment) }] if *generation == self.generation => {
                std::mem::take(moment)
            }
            other => panic!("a moment was expected, not {other:?}"),
        }
    }

    fn frame(&mut self, ask: MomentRequest) -> (Frame, Run) {
        let Moment { frame, run, .. } = self.moment(ask);
        (*frame.expect("a frame"), *run.expect("a run"))
    }

    /// Runs a scenario to a cycle.
    pub fn main_at(&mut self, scenario: Arc<Scenario>, cycle: u32) -> (Frame, Run) {
        self.frame(MomentRequest::main_at(&scenario, cycle))
    }

    /// Goes to another cycle of that run.
    pub fn go_to(&mut self, cycle: u32) -> (Frame, Run) {
        self.frame(MomentRequest::go_to(cycle))
    }

    fn here(&mut self, subjects: Subjects) -> Moment {
        self.moment(MomentRequest { at: At::Here, wants: Wants::Subjects(subjects), ..MomentRequest::go_to(0) })
    }

    pub fn report(&mut self, request: ReportRequest) -> Report {
        self.here(Subjects { report: Some(request), ..Subjects::default() }).report.expect("a report").1
    }

    /// How the fair share of a queue is derived at the current cycle.
    pub fn ladder(&mut self, queue: &str, resource: Resource) -> Ladder {
        let ladder = Some((queue.to_string(), resource));
        self.here(Subjects { ladder, ..Subjects::default() }).ladder.expect("a ladder")
    }

    /// The serving order around a selection at the current cycle.
    pub fn order(&mut self, of: &Selection) -> Order {
        self.here(Subjects { order: Some(of.clone()), ..Subjects::default() }).order.expect("an order")
    }

    /// Runs another scenario to a cycle, beside the displayed run; the replies are its frame and then its run.
    pub fn preview_at(&mut self, scenario: &Arc<Scenario>, cycle: u32, subjects: Subjects) -> Vec<Response> {
        self.ask(preview_at(scenario, cycle, subjects)).into_iter().map(|reply| reply.body).collect()
    }

    pub fn gantt(&mut self, by: GanttBy, first: u32, n: u32, about: &str) -> Gantt {
        let request = ReportRequest::Gantt { by, first, n, about: about.into(), named: Vec::new() };
        match self.report(request) {
            Report::Gantt(gantt) => gantt,
            other => panic!("{other:?}"),
        }
    }
}

/// One team holds everything, another reclaims half; the evicted pod restarts once the other has ended.
pub const RESTART: &str = "format: fairground-scenario
version: 1
policy: kai
cycle: 1s
nodes: [{name: node, count: 1, gpu: 2}]
queues:
- {name: team-a, gpu: {quota: 1, limit: unlimited, weight: 1}, cpu: {quota: unlimited, limit: unlimited, weight: 1}, memory: {quota: unlimited, limit: unlimited, weight: 1}}
- {name: team-b, gpu: {quota: 1, limit: unlimited, weight: 1}, cpu: {quota: unlimited, limit: unlimited, weight: 1}, memory: {quota: unlimited, limit: unlimited, weight: 1}}
jobs:
- {name: a1, queue: team-a, submit: 0s, gpu: 1, lasts: 20s}
- {name: a2, queue: team-a, submit: 1s, gpu: 1, lasts: 8s}
- {name: b1, queue: team-b, submit: 3s, gpu: 1, lasts: 5s}
";

/// Two teams with adapters, a named resource; a job of team-b waits for one.
pub const ADAPTERS: &str = "format: fairground-scenario
version: 1
policy: kai
cycle: 1s
nodes: [{name: n, gpu: 4, cpu: 16, resources: {rdma: 2}}, {name: m, gpu: 4}]
queues:
- {name: a, gpu: {quota: 4, limit: unlimited, weight: 1}, cpu: {quota: unlimited, limit: unlimited, weight: 1}, \
   memory: {quota: unlimited, limit: unlimited, weight: 1}}
- {name: b, gpu: {quota: 4, limit: unlimited, weight: 1}, cpu: {quota: unlimited, limit: unlimited, weight: 1}, \
   memory: {quota: unlimited, limit: unlimited, weight: 1}}
jobs:
- {name: a1, queue: a, gpu: 1, cpu: 4, resources: {rdma: 2}, lasts: 10s}
- {name: b1, queue: b, gpu: 1, resources: {rdma: 1}}
";

/// The lines of a Gantt chart as text.
pub fn lines(view: &GanttView) -> String {
    let line = |line: &Line| match line {
        Line::Queue(name, _) => format!("[{name}]\n"),
        Line::Row(row) => format!("{}\n", row.says),
    };
    view.lines.iter().map(line).collect::<String>() + &view.summary
}
