//! Views of very large scenarios stay small pictures. Prints the duration of each: `cargo test --release --test large
//! -- --nocapture`.

use fairground_web::state::document::{Opened, Origin};
use fairground_web::state::layout::options::GANTT_ROWS;

use fairground::units::{Resource, ShownResource};
use std::sync::Arc;
use std::time::Instant;

use crate::run::{Page, sent};
use crate::whole::Whole;
use fairground::moment::{self, Names};
use fairground::scenario::check;
use fairground::sim::{Simulation, Summary, Totals};
use fairground::words::{self, Selection};
use fairground_web::chart::alternative::{Alternative, differences};
use fairground_web::engine::protocol::{Frame, QueueRow, Rulebook, Run};
use fairground_web::engine::report::{Fairness, Gantt, GanttBy, Level, Trends};
use fairground_web::state::command::Command;
use fairground_web::views::{fairness, gantt, tree, trends};

/// Prints the duration of some work.
fn timed<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let made = work();
    println!("{what}: {:.1} ms", start.elapsed().as_secs_f64() * 1000.0);
    made
}

const QUEUES: u32 = 5_000;

/// 50 departments of 99 queues each; every third queue has `more` in addition.
fn frame(more: f64) -> Frame {
    let queue = |at: u32| {
        let parent = (!at.is_multiple_of(100)).then_some(at / 100 * 100);
        let has =
            if parent.is_some() { 2.0 + if at.is_multiple_of(3) { more } else { 0.0 } } else { 198.0 + 33.0 * more };
        QueueRow {
            name: format!("queue-{at}"),
            parent,
            allocated: [0.0, 0.0, has].into(),
            request: [0.0, 0.0, has + 1.0].into(),
            fair_share: Some([None, None, Some(has)]),
            ..QueueRow::default()
        }
    };
    let total = [0.0, 0.0, 12_000.0];
    Frame {
        policy: "kai".into(),
        cycle: 50,
        total: total.into(),
        queues: (0..QUEUES).map(queue).collect(),
        ..Frame::default()
    }
}

fn series(more: f64) -> Trends {
    let level = |cycle: u32, held: f64| Level {
        cycle,
        allocated: [0.0, 0.0, held].into(),
        request: [0.0, 0.0, held + 1.0].into(),
        fair_share: Some([None, None, Some(2.0)]),
        ..Level::default()
    };
    let queue = |at: u32| (0..50).map(|cycle| level(cycle, f64::from((cycle + at) % 4) + more)).collect();
    Trends {
        last: 50,
        stride: 1,
        totals: vec![(0, [0.0, 0.0, 12_000.0].into())],
        queues: (0..QUEUES).map(queue).collect(),
    }
}

#[test]
fn five_thousand_queues_stay_small_pictures() {
    let (now, was) = (frame(0.0), frame(1.0));
    let alternative = Alternative { frame: &was, changed: Some("an edit") };
    let selection = Some(Selection::Queue("queue-4321".into()));
    let of =
        |frame: &Frame| tree::view::tree(frame, selection.as_ref(), ShownResource::GPU, tree::view::Measure::Share);
    let view = timed("Tree, what it shows", || of(&now));
    let view = timed("Tree, its ghost", || tree::view::with_alternative(view, &of(&was), alternative));
    let svg = timed("Tree, the picture", || fairground_web::views::tree::draw::tree(&view, 1000.0));
    assert!(svg.matches('<').count() < 2_000, "{} elements", svg.matches('<').count());
    let said = timed("what became of the queues", || differences(&now, &was, ShownResource::GPU));
    assert!(said.ends_with(" more"), "{said}");

    let run = Run { last_cycle: 50, complete: true, ..Run::default() };
    let (report, before) = (series(0.0), series(1.0));
    let mut view = timed("Trends, what they show", || {
        trends::view::trends(&report, &run, &now, selection.as_ref(), (ShownResource::GPU, Default::default()))
    });
    timed("Trends, their ghost", || trends::view::lay_behind(&mut view, (&before, alternative)));
    let svg = timed("Trends, the picture", || fairground_web::views::trends::draw::trends(&view, 1000.0));
    assert!(svg.matches('<').count() < 1_000, "{} elements", svg.matches('<').count());

    let tally = |n: f64| {
        let queues = (0..QUEUES).map(|_| Totals { gpu_seconds_owed: n, ..Totals::default() }).collect();
        let summary = Summary { queues, gpu_seconds_capacity: 1.0, ..Summary::default() };
        Fairness { summary, ..Fairness::default() }
    };
    let (report, other) = (tally(1.0), tally(2.0));
    let mut view = timed("Fairness, what it shows", || fairness::view::fairness(&report, &now, None));
    timed("Fairness, the differences", || {
        fairness::view::put_differences(&mut view, (&report, &now), (&other, alternative));
    });
    assert_eq!(view.table.rows[1][2], "1 (−1)");
}

/// 5,000 jobs of 20 pods each; half of them do not fit.
fn scenario() -> String {
    let mut text = String::from(
        "format: fairground-scenario\nversion: 1\npolicy: fifo\ncycle: 10s\nnodes: [{name: node, count: 5000, gpu: 8}]\nqueues:\n",
    );
    for queue in 0..50 {
        text += &format!("- {{name: q{queue}, gpu: {{quota: 800, limit: unlimited, weight: 1}}}}\n");
    }
    text += "jobs:\n";
    for job in 0..5_000 {
        let (queue, lasts) = (job % 50, 20 + job % 7 * 10);
        text += &format!(
            "- {{name: j{job}, queue: q{queue}, pods: 20, gpu: 1, lasts: {lasts}s, submit: {}s}}\n",
            job / 500
        );
    }
    text
}

#[test]
fn a_gantt_of_a_hundred_thousand_pods_is_drawn_in_windows() {
    let mut page = Page::default();
    let text = scenario();
    let (frame, run) = timed("the run of 100,000 pods", || page.main_at(sent(&text), 6));
    for (by, total) in [(GanttBy::Job, 5_000), (GanttBy::Pod, 100_000), (GanttBy::Gpu, 40_000)] {
        for first in [0, total - GANTT_ROWS] {
            let what = format!("{by:?} from row {first}, the report");
            let report = timed(&what, || page.gantt(by, first, GANTT_ROWS, ""));
            assert_eq!((report.rows.len(), report.total), (GANTT_ROWS as usize, total));
            let view = timed("what it shows", || shown(&report, &run, &frame));
            let svg = timed("the picture", || fairground_web::views::gantt::draw::gantt(&view, 1000.0));
            assert!(svg.matches('<').count() < 3_000, "{} elements", svg.matches('<').count());
        }
    }
}

fn shown(report: &Gantt, run: &Run, frame: &Frame) -> gantt::view::GanttView {
    let mut view = gantt::view::gantt(report, run, frame, None);
    gantt::view::lay_behind(&mut view, report, frame, (report, Alternative { frame, changed: None }));
    view
}

/// A cluster opened at its current moment has submitted all its jobs at once.
#[test]
fn a_cycle_with_very_many_events_is_listed_in_short() {
    let text = "format: fairground-scenario\nversion: 1\nnodes: [{name: n, gpu: 8}]\n\
                queues: [{name: q, gpu: {quota: 8, limit: unlimited, weight: 1}}]\n\
                jobs: [{name: j, queue: q, count: 1300, gpu: 1}]\n";
    let (_, frame, _) = Page::open(text, 0);
    assert_eq!(frame.events.len(), 1300);
    let (_, entries) = fairground::words::at_rest(&frame).list.expect("a list");
    assert_eq!(entries.len(), 201);
    assert_eq!(entries[200].text.spoken(), "and 1,100 more");
}

/// The frame does not have its comparisons; what is said is the same.
#[test]
fn what_decided_one_of_very_many_events_is_asked_for() {
    let text = "format: fairground-scenario\nversion: 1\npolicy: kai\nnodes: [{name: n, count: 700, gpu: 8}]\n\
                queues: [{name: q, gpu: {quota: 5600, limit: unlimited, weight: 1}}]\n\
                jobs: [{name: j, queue: q, count: 3000, pods: 2, gpu: 1}]\n";
    let plan = check(&sent(text)).plan.expect("it can run");
    let mut sim = Simulation::new(&plan);
    let names = Arc::new(Names::of(plan.policy.key(), sim.cluster()));
    let record = sim.advance().expect("a cycle");
    let whole = moment::frame(&names, &sim, &record);
    let mut opened = Opened::new((*sent(text)).clone(), Origin::Start);
    opened.moment.cycle = 1;
    let mut page = Whole::of(opened);
    assert!(page.frame().events.iter().all(|event| event.checks.is_empty()), "none is sent with the frame");
    let started = Selection::Job(whole.job_name(&whole.events[17]).to_string());
    let waits = Selection::Job(whole.job(whole.refusals[0].job).to_string());
    for selection in [Selection::Event { cycle: 1, index: 1 }, started, waits] {
        page.dispatch(Command::Select(Some(selection.clone())));
        let event = page.model.moment.event.as_deref();
        let said = words::why_with(page.frame(), None, &selection, None, event, Resource::GPU);
        assert_eq!(said, words::why(&whole, None, &selection, None, Resource::GPU));
        assert!(!said.checks.is_empty(), "{selection:?}");
    }
    page.dispatch(Command::Select(Some(Selection::Rule("kai/score/best-node".into()))));
    let book = page.model.rules.as_deref().expect("the rule book");
    let says =
        |frame: &Frame, book| words::rule(frame, "kai/score/best-node", Some(book), &page.model.document.scenario);
    let said = says(page.frame(), book);
    assert_eq!(said, says(&whole, &Rulebook { used: None, ..book.clone() }));
    assert!(said.list.is_some());
}
