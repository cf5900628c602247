//! Cycles that are watched: what is said of their progress, what is answered once they are interrupted, and what goes on.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use fairground::policy::Monitor;
use fairground_web::engine::protocol::{At, BranchId, Message, MomentRequest, Request, Response, ToCompare, Wants};
use fairground_web::engine::serve::Server;
use fairground_web::library::Example;
use fairground_web::state::branches::Others;
use fairground_web::state::command::Command;
use fairground_web::state::effect::Effect;
use fairground_web::state::update::update;

use crate::run::{Page, sent};
use crate::whole::Whole;

#[test]
fn progress_grows_from_the_first_job_to_the_last() {
    let parts = Rc::new(RefCell::new(Vec::new()));
    let monitor = Monitor::new({
        let parts = parts.clone();
        move |part| {
            parts.borrow_mut().extend(part);
            false
        }
    });
    let mut page = Page { server: Server::new(monitor), ..Page::default() };
    let jobs = "{name: a, count: 10, queue: team-a, gpu: 1}, {name: b, count: 10, queue: team-b, gpu: 1, submit: 1.5}";
    let text = format!(
        "format: fairground-scenario\nversion: 1\nname: Progress\npolicy: kai\nnodes: [{{name: node, gpu: 8}}]\n\
         queues: [{{name: team-a, gpu: {{quota: 4}}}}, {{name: team-b, gpu: {{quota: 4}}}}]\njobs: [{jobs}]\n"
    );
    page.main_at(sent(&text), 1);
    parts.borrow_mut().clear();
    page.go_to(2);
    let parts = parts.borrow();
    assert!(parts.len() > 20, "{parts:?}");
    assert!(parts.is_sorted() && parts.iter().all(|part| (0.0..1.0).contains(part)), "{parts:?}");
}

/// A run in the background that was left in the middle of a cycle gives the same answers in the end.
#[test]
fn interrupted_runs_begin_again() {
    let scenario = Arc::new(Example::find("start").expect("an example").scenario());
    let runs = ["kai", "yunikorn"].map(|policy| ToCompare {
        name: policy.into(),
        scenario: scenario.clone(),
        policy: policy.into(),
    });
    let preview = MomentRequest { branch: BranchId::Preview, ..MomentRequest::main_at(&scenario, 3) };
    let requests = [
        Request::Compare { runs: runs.into(), until_ms: None },
        Request::Moment(preview),
        Request::Try { job: "b2".into(), cycle: 1, scenarios: vec![scenario.clone(), scenario.clone()] },
        Request::Csv { is_of_events: true },
        Request::Kit { scenario: scenario.clone() },
    ];
    for request in requests {
        let is_interrupted = Rc::new(Cell::new(false));
        let monitor = Monitor::new({
            let is_interrupted = is_interrupted.clone();
            move |_| is_interrupted.get()
        });
        let mut page = Page { server: Server::new(monitor), ..Page::default() };
        page.main_at(scenario.clone(), 2);
        let begin = |page: &mut Page| page.server.handle(Message { generation: 90, body: request.clone() });
        begin(&mut page);
        let expected = answers(&mut page.server);
        assert!(!expected.is_empty(), "{request:?}");
        for n_cycles in 0..4 {
            begin(&mut page);
            let mut replies: Vec<_> = (0..n_cycles).flat_map(|_| page.server.work()).collect();
            is_interrupted.set(true);
            replies.extend((0..10).flat_map(|_| page.server.work()));
            page.server.handle(Message { generation: 91, body: Request::Cancel });
            is_interrupted.set(false);
            replies.extend(answers(&mut page.server));
            assert_eq!(replies, expected, "interrupted after {n_cycles} cycles: {request:?}");
        }
        assert_eq!(page.go_to(3).0.cycle, 3);
    }
}

fn answers(server: &mut Server) -> Vec<Message<Response>> {
    let mut replies = Vec::new();
    while server.is_busy() {
        replies.extend(server.work());
    }
    replies
}

/// Cancelling a step leaves what is computed in the background.
#[test]
fn comparisons_and_suggestions_are_finished_after_a_step_is_cancelled() {
    for command in [Command::Compare(Others::default()), Command::Suggest("b2".into())] {
        let mut whole = Whole::open("start", 1);
        for effect in update(&mut whole.model, command.clone()) {
            if let Effect::Send(request) = effect {
                whole.server.handle(request);
            }
        }
        whole.server.work();
        whole.dispatch(Command::Cancel);
        let (comparison, help) = (&whole.model.comparison, &whole.model.branches.help);
        assert_eq!(comparison.compared.len(), comparison.n_runs, "{command:?}");
        assert!(comparison.n_runs > 0 || help.as_ref().is_some_and(|help| help.tried().is_some()), "{command:?}");
    }
}

#[test]
fn progress_of_a_run_counts_from_where_it_began() {
    let mut page = Page::default();
    let text = "format: fairground-scenario\nversion: 1\nname: Long\npolicy: kai\nnodes: [{name: node, gpu: 8}]\n\
                queues: [{name: team-a, gpu: {quota: 4}}]\njobs: [{name: a, count: 40, every: 1s, queue: team-a, gpu: 1}]\n";
    page.main_at(sent(text), 20);
    let ask = MomentRequest { branch: BranchId::Main, scenario: None, at: At::Cycle(24), wants: Wants::default() };
    page.server.handle(Message { generation: 90, body: Request::Moment(ask) });
    let mut parts = Vec::new();
    while page.server.work().is_empty() {
        parts.extend(page.server.progress().map(|reply| reply.body));
    }
    let part = |reply: &Response| if let Response::Progress { part, .. } = reply { *part } else { None };
    assert_eq!(parts.iter().map(part).collect::<Vec<_>>(), [Some(0.25), Some(0.5), Some(0.75)]);
}
