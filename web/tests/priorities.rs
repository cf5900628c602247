//! The Priorities view: the tables of YuniKorn's documentation, step by step.

use crate::whole::Whole;
use expect_test::expect;
use fairground_web::chart::table::Section;
use fairground_web::engine::report::Report;
use fairground_web::state::command::Command;
use fairground_web::state::layout::options::NowView;
use fairground_web::views::priorities::view::{flows, sections};

fn view(example: &str, cycle: u32) -> Vec<Section> {
    let mut whole = Whole::open(example, cycle);
    whole.dispatch(Command::ShowView(NowView::Priorities));
    let Some(Report::Priorities(of)) = whole.model.moment.report.as_deref() else { panic!("a report") };
    sections(of, whole.frame(), None)
}

fn lines(section: &Section) -> String {
    section.table.rows.iter().map(|row| row.join(" | ") + "\n").collect()
}

/// *App & Queue Priorities*, the last table: order of scheduling and changes of effective queue priority.
const DOCUMENT: [(&str, &str, &str); 11] = [
    ("system-high", "P1", "system-high: 1001 -> n/a system: 1001 -> 10"),
    ("system-normal", "P10", "system-normal: 10 -> 2 system: 10 -> 2"),
    ("system-normal", "P2", "system-normal: 2 -> n/a system: 2 -> -997"),
    ("child-a-1", "P8", "child-a-1: 8 -> 5"),
    ("child-a-2", "P6", "child-a-2: 6 -> 4"),
    ("child-a-1", "P5", "child-a-1: 5 -> n/a"),
    ("child-a-2", "P4", "child-a-2: 4 -> n/a tenant-a: 10 -> n/a"),
    ("child-b-1", "P9", "child-b-1: 9 -> 7"),
    ("child-b-2", "P8", "child-b-2: 8 -> n/a"),
    ("child-b-1", "P7", "child-b-1: 7 -> n/a tenant-b: 0 -> n/a tenants: 0 -> n/a"),
    ("system-low", "P3", "system-low: -997 -> n/a system: -997 -> n/a"),
];

#[test]
fn the_example_has_the_eleven_steps_of_the_document() {
    let view = view("tenants-and-offsets", 11);
    let rows = view[0].table.rows.iter().rev().map(|row| {
        let task = row[2].rsplit('-').next().expect("a task");
        (row[0].clone(), row[1].clone(), task.to_string(), row[3].replace(',', "").replace('→', "->"))
    });
    let expected = DOCUMENT.iter().enumerate().map(|(at, (queue, task, result))| {
        ((at + 1).to_string(), queue.to_string(), task.to_string(), result.to_string())
    });
    assert!(rows.eq(expected), "{}", lines(&view[0]));
}

/// The list before the first step, and the queues behind a fence.
#[test]
fn queues_have_the_priorities_of_the_document_before_the_first_step() {
    expect![[r#"
        system | 1001 | 0 | default | 1001
         system-normal | 10 | 0 | default | 10
         system-high | 1 | 1000 | default | 1001
         system-low | 3 | -1000 | default | -997
        tenants | 10 | 0 | fence | 0
         tenant-a | 8 | 10 | fence | 10
          child-a-1 | 8 | 0 | default | 8
          child-a-2 | 6 | 0 | default | 6
         tenant-b | 9 | 0 | fence | 0
          child-b-1 | 9 | 0 | default | 9
          child-b-2 | 8 | 0 | default | 8
    "#]]
    .assert_eq(&lines(&view("tenants-and-offsets", 0)[1]));
    assert_eq!(view("tenants-and-offsets", 0)[0].says, "No cycle has run yet.");
}

/// 20 drops to 10 once the request with higher priority is placed, and with the offset 25 to 15.
#[test]
fn an_application_falls_with_its_requests() {
    expect![[r#"
        3 | batch | etl-P10 | batch: 15 → n/a | etl: 10 → n/a
        2 | reports | report-P18 | reports: 18 → n/a | report-P18: 18 → n/a
        1 | batch | etl-P20 | batch: 25 → 15 | etl: 20 → 10
    "#]]
    .assert_eq(&lines(&view("requests-of-two-priorities", 3)[0]));
    expect![[r#"
        batch | 10 | 5 | default | 25 → 15
        reports | 18 | 0 | default | 18
    "#]]
    .assert_eq(&lines(&view("requests-of-two-priorities", 1)[1]));
}

#[test]
fn other_policies_have_their_division_instead() {
    assert_eq!(NowView::Priorities.under("kai"), NowView::Division);
    assert_eq!(NowView::Priorities.under("yunikorn"), NowView::Priorities);
}

/// In the picture a thick line leads from each queue up to the one that gives it its priority.
#[test]
fn a_parent_has_its_priority_from_the_highest_queue_below() {
    let mut whole = Whole::open("tenants-and-offsets", 0);
    whole.dispatch(Command::ShowView(NowView::Priorities));
    let flows = flows(whole.frame());
    let ways = flows.iter().filter(|flow| flow.is_highest).map(|flow| {
        let parent = flow.parent.map_or("", |parent| flows[parent].name.as_str());
        format!("{} → {parent}\n", flow.name)
    });
    expect![[r#"
        system-high → system
        tenant-a → tenants
        child-a-1 → tenant-a
        child-b-1 → tenant-b
    "#]]
    .assert_eq(&ways.collect::<String>());
}
