//! What WHY shows for the examples of Run:ai, EGO and YuniKorn.

use fairground::units::Resource;
use std::sync::Arc;

use crate::run::Page;
use expect_test::expect;
use fairground::words::Selection;
use fairground_web::engine::protocol::Frame;
use fairground_web::library::Example;
use fairground_web::words;

fn frames(example: &str, cycles: u32) -> Vec<Frame> {
    let scenario = Arc::new(Example::find(example).expect("an example").scenario());
    let mut page = Page::default();
    (0..=cycles).map(|cycle| page.main_at(scenario.clone(), cycle).0).collect()
}

/// The verdicts on some subjects, one per line.
fn verdicts(frame: &Frame, about: &[Selection]) -> String {
    let verdicts = about.iter().map(|selection| words::why(frame, None, selection, None, Resource::GPU).verdict);
    verdicts.map(|verdict| format!("{verdict}\n")).collect()
}

fn job(name: &str) -> Selection {
    Selection::Job(name.into())
}

fn queue(name: &str) -> Selection {
    Selection::Queue(name.into())
}

#[test]
fn run_ai_speaks_of_projects_and_fairshares() {
    let frames = frames("runai-quick-start", 2);
    expect![[r#"
        `a1` was evicted so that `b2` can run. `team-a` was using 3 GPUs, 1 over its fairshare of 2; with `b2`, `team-b` uses exactly its fairshare of 2.
    "#]]
    .assert_eq(&verdicts(&frames[1], &[job("a1")]));
    expect![[r#"
        `a1` is waiting: no GPU is free, and `team-a` cannot reclaim for it: with `a1`, it would use 3 GPUs, over its fairshare of 2.
        `team-a` uses 2 GPUs, its whole share, and requests 3.
    "#]]
    .assert_eq(&verdicts(&frames[2], &[job("a1"), queue("team-a")]));
}

#[test]
fn ego_speaks_of_parts_of_a_pool() {
    let slots = frames("ego-eighteen-slots", 2);
    expect![[r#"
        `b-9` was reclaimed so that `c-1` can run. `B` used 50 % of the pool, above its share usage quota of 44.4 %; `C` used 0 %, below its 11.1 %.
        `a-9` was reclaimed so that `c-2` can run. `A` used 50 % of the pool, above its share usage quota of 44.4 %; `C` used 5.6 %, below its 11.1 %.
    "#]]
    .assert_eq(&verdicts(&slots[1], &[job("b-9"), job("a-9")]));
    expect![[r#"
        `a-10` is waiting: all 18 GPUs are in use, and `A` uses 44.4 % of the pool, not less than its share usage quota of 44.4 %, so it cannot reclaim.
    "#]]
    .assert_eq(&verdicts(&slots[2], &[job("a-10")]));
    let lent = frames("ego-owned-and-lent", 4);
    expect![[r#"
        `a-3` was reclaimed so that `b2` can run. `team-b` owns `host-4`, which it had lent, and has pending work of its own.
        `team-b` is 1 GPU below its share quota: it uses 1 GPU of 2 and requests 2.
    "#]]
    .assert_eq(&verdicts(&lent[2], &[job("a-3"), queue("team-b")]));
    expect![[r#"
        `a-3` is waiting: no GPU was free on the hosts that it may use. Hosts checked: 2 with too few free GPUs, 2 held by another consumer.
    "#]]
    .assert_eq(&verdicts(&lent[4], &[job("a-3")]));
}

/// Every decisive rule has a card that says where its documentation leaves something open.
#[test]
fn rule_cards_say_what_is_an_assumption() {
    let card = |example: &str, name: &str| {
        let why = words::why(&frames(example, 1)[1], None, &job(name), None, Resource::GPU);
        why.rule.expect("a rule")
    };
    let over = card("ego-eighteen-slots", "b-9");
    assert_eq!(over.key, "ego/over-quota");
    assert!(over.is_assumption() && over.source.contains("IBM"), "{over:?}");
    let fairshare = card("runai-quick-start", "a1");
    assert_eq!(fairshare.key, "runai/reclaim/fairshare");
    assert!(!fairshare.is_assumption(), "{fairshare:?}");
}

/// What WHY shows of the order around a selection after a cycle, one item per line.
fn orders(scenario: &str, cycle: u32, of: &Selection) -> String {
    let (mut page, frame, _) = Page::open(scenario, cycle);
    let order = page.order(of);
    let mut why = words::why(&frame, None, of, None, Resource::GPU);
    words::put_order(&mut why, &frame, of, Some(&order));
    let mut lines = String::new();
    for level in &why.order {
        lines += &format!("{}\n", level.caption);
        for entry in &level.entries {
            let mark = if entry.current { "  <-" } else { "" };
            lines += &format!("  {} {}{mark}\n", entry.when, entry.text);
        }
    }
    lines
}

#[test]
fn the_serving_order_is_explained() {
    let text = |id: &str| Example::find(id).expect("an example").text;
    expect![[r#"
        Order at the top level
          1. `system`: priority 1,001, share 0.00, waiting 4 GPUs
          2. `tenants` behind `system`: priority 0 against 1,001  <-
        Order below tenants
          1. `tenant-a`: priority 10, share 0.00, waiting 4 GPUs  <-
          2. `tenant-b` behind `tenant-a`: priority 0 against 10
        Order below tenant-a
          1. `child-a-1`: priority 8, share 0.00, waiting 2 GPUs  <-
          2. `child-a-2` behind `child-a-1`: priority 6 against 8
        Order in child-a-1
          1. `a1-P8`: priority 8, submitted 0:00
          2. `a1-P5` behind `a1-P8`: priority 5 against 8  <-
    "#]]
    .assert_eq(&orders(text("tenants-and-offsets"), 0, &job("a1-P5")));
    expect![[r#"
        Order at the top level
          1. `system`: share 0.06, priority 10, waiting 3 GPUs
          2. `tenants` behind `system` at equal share 0.06: priority 0 against 10  <-
        Order below tenants
          1. `tenant-b`: share 0.00, priority 0, waiting 3 GPUs  <-
          2. `tenant-a` behind `tenant-b`: share 0.06 against 0.00
        Order below tenant-b
          1. `child-b-1`: share 0.00, priority 9, waiting 2 GPUs
          2. `child-b-2` behind `child-b-1` at equal share 0.00: priority 8 against 9
    "#]]
    .assert_eq(&orders(text("tenants-fairness-first"), 2, &queue("tenant-b")));
    let ties = "format: fairground-scenario\nversion: 1\npolicy: yunikorn\nnodes: [{name: n, gpu: 20}]\n\
                queues: [{name: a, gpu: {limit: 8}}, {name: b, gpu: {limit: 4}}, {name: c, gpu: {limit: 10}}, {name: d}]\n\
                jobs:\n- {name: ra, queue: a, gpu: 4, on: [n]}\n- {name: rb, queue: b, gpu: 3, on: [n]}\n\
                - {name: rc, queue: c, gpu: 2, on: [n]}\n- {name: ja, queue: a, gpu: 1}\n- {name: jb, queue: b, gpu: 1}\n\
                - {name: jc, queue: c, gpu: 1}\n- {name: jc2, queue: c, gpu: 1, submit: 1s}\n";
    expect![[r#"
        Order at the top level
          1. `a`: priority 0, share 0.50, waiting 1 GPU
          2. `c` behind `a` at equal priority 0 and share 0.50 by the maximum of another queue: tied; the first name goes first
          3. `b` behind `c` at equal priority 0: share 0.75 against 0.20
           Nothing is pending here, so the next cycle skips it.
    "#]]
    .assert_eq(&orders(ties, 0, &queue("d")));
    expect![[r#"
        Order at the top level
          1. `a`: priority 0, share 0.50, waiting 1 GPU
          2. `c` behind `a` at equal priority 0 and share 0.50 by the maximum of another queue: tied; the first name goes first  <-
          3. `b` behind `c` at equal priority 0: share 0.75 against 0.20
    "#]].assert_eq(&orders(ties, 0, &queue("c")));
}

#[test]
fn a_queue_says_what_became_of_the_priorities_below_it() {
    let frame = &frames("tenants-and-offsets", 0)[0];
    let evidence = |name: &str| {
        let evidence = words::why(frame, None, &queue(name), None, Resource::GPU).evidence.expect("numbers");
        let rows = evidence.rows.iter().rev().take(3).rev();
        rows.map(|(what, cells, _)| format!("{what}: {}\n", cells.join(" "))).collect::<String>()
    };
    expect![[r#"
        priority from below: 9
        offset: 0, fence: not passed on
        priority among siblings: 0
        priority from below: 3
        offset: −1,000
        priority among siblings: −997
    "#]]
    .assert_eq(&(evidence("tenant-b") + &evidence("system-low")));
}
