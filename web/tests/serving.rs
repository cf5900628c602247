//! The serving order below Shares: requested only while it is shown, and the same order as in WHY.

use crate::whole::Whole;
use expect_test::expect;
use fairground::words::{Selection, order_lines};
use fairground_web::engine::report::Report;
use fairground_web::state::command::Command;
use fairground_web::state::layout::options::NowView;

/// The displayed lines, by pool and level.
fn lines(whole: &Whole) -> String {
    let Some(Report::Serving(serving)) = whole.model.moment.report.as_deref() else { panic!("a report") };
    assert_eq!((serving.cycle, serving.n_left_out), (whole.frame().cycle, 0));
    let levels = serving.pools.iter().flat_map(|(_, levels)| order_lines(whole.frame(), levels));
    let line = |entry: &fairground::words::Entry| format!("  {} {}\n", entry.when, entry.text);
    levels.map(|of| format!("{}\n", of.caption) + &of.entries.iter().map(line).collect::<String>()).collect()
}

#[test]
fn it_is_computed_while_it_is_shown() {
    let mut whole = Whole::open("four-schedulers", 2);
    assert!(whole.model.moment.report.is_none());
    whole.dispatch(Command::Serving(true));
    let first = lines(&whole);
    assert!(first.contains("research"), "{first}");
    whole.dispatch(Command::Step);
    assert_eq!(whole.frame().cycle, 3, "the next cycle has its own");
    lines(&whole);
    whole.dispatch(Command::ShowView(NowView::Tree));
    assert!(whole.model.moment.report.is_none());
    whole.dispatch(Command::ShowView(NowView::Shares));
    lines(&whole);
    whole.dispatch(Command::Serving(false));
    assert!(whole.model.moment.report.is_none());
}

#[test]
fn levels_stand_from_the_root_down_each_once() {
    let mut whole = Whole::open("tenants-and-offsets", 3);
    whole.dispatch(Command::Serving(true));
    expect![[r#"
        Order at the top level
          1. `tenants`: priority 0, share 0.00, waiting 7 GPUs
          2. `system` behind `tenants`: priority −997 against 0
        Order below tenants
          1. `tenant-a`: priority 10, share 0.00, waiting 4 GPUs
          2. `tenant-b` behind `tenant-a`: priority 0 against 10
        Order below tenant-a
          1. `child-a-1`: priority 8, share 0.00, waiting 2 GPUs
          2. `child-a-2` behind `child-a-1`: priority 6 against 8
        Order in child-a-1
          1. `a1-P8`: priority 8, submitted 0:00
          2. `a1-P5` behind `a1-P8`: priority 5 against 8
        Order in child-a-2
          1. `a2-P6`: priority 6, submitted 0:00
          2. `a2-P4` behind `a2-P6`: priority 4 against 6
        Order below tenant-b
          1. `child-b-1`: priority 9, share 0.00, waiting 2 GPUs
          2. `child-b-2` behind `child-b-1`: priority 8 against 9
        Order in child-b-1
          1. `b1-P9`: priority 9, submitted 0:00
          2. `b1-P7` behind `b1-P9`: priority 7 against 9
    "#]]
    .assert_eq(&lines(&whole));
}

#[test]
fn it_is_the_order_that_the_explanation_of_a_queue_tells() {
    let mut whole = Whole::open("quota-is-a-floor-six", 2);
    whole.dispatch(Command::Select(Some(Selection::Queue("team-a".into()))));
    let of_why = whole.model.moment.order.as_ref().expect("an order").levels.clone();
    whole.dispatch(Command::Serving(true));
    let Some(Report::Serving(serving)) = whole.model.moment.report.as_deref() else { panic!("a report") };
    let texts = |levels: &[_]| {
        let levels = order_lines(whole.frame(), levels);
        levels.into_iter().flat_map(|of| of.entries).map(|entry| entry.text.to_string()).collect::<Vec<_>>()
    };
    let all = texts(&serving.pools[0].1);
    assert!(texts(&of_why).iter().all(|line| all.contains(line)), "{all:?}");
}

#[test]
fn where_nothing_waits_there_is_no_order() {
    let mut whole = Whole::open("four-schedulers", 0);
    whole.dispatch(Command::Serving(true));
    let Some(Report::Serving(serving)) = whole.model.moment.report.as_deref() else { panic!("a report") };
    assert!(serving.pools.iter().all(|(_, levels)| !levels.is_empty()), "{serving:?}");
}
