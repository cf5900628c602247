//! The Share usage view for the examples of EGO, and for the consumer tree in its documentation.

use std::sync::Arc;

use crate::run::Page;
use expect_test::{Expect, expect};
use fairground::scenario::Scenario;
use fairground_web::chart::table::Section;
use fairground_web::engine::protocol::Frame;
use fairground_web::engine::report::{Report, ReportRequest, ShareUsage};
use fairground_web::library::Example;
use fairground_web::views::share_usage::view::{bars, pools, sections};

/// The report on an example at a cycle.
fn report(example: &str, cycle: u32) -> (ShareUsage, Frame) {
    report_on(Example::find(example).expect("an example").scenario(), cycle)
}

fn report_on(scenario: Scenario, cycle: u32) -> (ShareUsage, Frame) {
    let mut page = Page::default();
    let (frame, _) = page.main_at(Arc::new(scenario), cycle);
    let Report::ShareUsage(usage) = page.report(ReportRequest::ShareUsage) else { panic!("another report") };
    (usage, frame)
}

fn view(example: &str, cycle: u32) -> Vec<Section> {
    let (usage, frame) = report(example, cycle);
    sections(&usage, &frame, None, 0)
}

/// A table as lines, its title first.
fn lines(section: &Section, expected: Expect) {
    let head = format!("{}\n{}\n\n", section.title, section.says);
    let rows = std::iter::once(&section.table.head).chain(&section.table.rows);
    let rows = rows.map(|row| row.join(" | ").trim_end().to_string() + "\n");
    expected.assert_eq(&(head + &rows.collect::<String>()));
}

/// The documentation's tree: 1/3, 2/3, 0; 1/9, 2/9; 2/3, 0. Long because all of its tables are pinned.
#[test]
fn the_example_tree_has_the_quotas_of_the_document() {
    let view = view("ego-share-usage", 1);
    let rows = &view[0].table.rows;
    let quota = |name: &str| {
        let row = rows.iter().find(|row| row[0].trim() == name).expect("a consumer");
        (row[1].clone(), row[3].clone())
    };
    let both = |text: &str| (text.to_string(), text.to_string());
    assert_eq!(quota("whole pool"), both("1"));
    assert_eq!([quota("A"), quota("B"), quota("C")], ["1/3", "2/3", "0"].map(both));
    assert_eq!([quota("A1"), quota("A2")], ["1/9", "2/9"].map(both));
    assert_eq!([quota("B1"), quota("B2")], ["2/3", "0"].map(both));
    lines(
        &view[0],
        expect![[r#"
            Share usage and quota
            Share usage is allocated units divided by the pool's capacity for their size; parents add up their children. Projected usage is compared with the quota: it leaves out units in their grace period and counts earmarked ones.

            consumer | share usage | usage demand | share usage quota | projected usage | unit size | allocated units | capacity
            whole pool | 1 | 5 | 1 | 1 | – | 18 | –
             A | 1/3 | 2 | 1/3 | 1/3 | – | 6 | –
              A1 | 1/9 | 1 | 1/9 | 1/9 | – | 2 | –
               allocation a1 | 1/9 | 1 | – | 1/9 | 1 GPU | 2 | 18
              A2 | 2/9 | 1 | 2/9 | 2/9 | – | 4 | –
               allocation a2 | 2/9 | 1 | – | 2/9 | 1 GPU | 4 | 18
             B | 2/3 | 2 | 2/3 | 2/3 | – | 12 | –
              B1 | 2/3 | 1 | 2/3 | 2/3 | – | 12 | –
               allocation b1 | 2/3 | 1 | – | 2/3 | 1 GPU | 12 | 18
              B2 | 0 | 1 | 0 | 0 | – | 0 | –
               allocation b2 | 0 | 1 | – | 0 | 1 GPU | 0 | 18
             C | 0 | 1 | 0 | 0 | – | 0 | –
              allocation c | 0 | 1 | – | 0 | 1 GPU | 0 | 18
        "#]],
    );
    lines(
        &view[1],
        expect![[r#"
            How the share usage quota is divided
            The total share usage of the pool, 1, is divided from the top of the tree: priorities from the highest to the lowest, equal ones by share ratio, the smallest demand for its ratio first, no consumer above its usage demand. What one does not need is divided among the others.

            divided | consumer | share priority | left × share ratio | usage demand | share usage quota
            whole pool | B | 2 | 1 × 2/3 = 2/3 | 2 | 2/3 (0.6667)
            whole pool | A | 2 | 1 × 1/3 = 1/3 | 2 | 1/3 (0.3333)
            whole pool | C | 1 | 0 × 1/1 = 0 | 1 | 0, nothing left
            A | A2 | 0 | 1/3 × 2/3 = 2/9 | 1 | 2/9 (0.2222)
            A | A1 | 0 | 1/3 × 1/3 = 1/9 | 1 | 1/9 (0.1111)
            B | B1 | 2 | 2/3 × 1/1 = 2/3 | 1 | 2/3 (0.6667)
            B | B2 | 1 | 0 × 1/1 = 0 | 1 | 0, nothing left
        "#]],
    );
    lines(
        &view[2],
        expect![[r#"
            How free resources are assigned
            Cycle 1 took 23 turns. Satisfied consumers are removed; of those with the highest share priority the one with the smallest share usage / share ratio gets the next unit.

            turn | percentages | share usage / share ratio | assigned to | host | share usage after
            1 | A 33.33 %, B 66.67 %, C 0 %; A1 33.33 %, A2 66.67 % | A 0, B 0; A1 0, A2 0 | A (tie: first in the tree) › A1 (tie: first in the tree) | host-1 | A 1/18, A1 1/18
            2 | A 33.33 %, B 66.67 %, C 0 %; B1 100 %, B2 0 % | A 1/18, B 0; B1 0 | B › B1 | host-1 | B 1/18, B1 1/18
            3 | A 33.33 %, B 66.67 %, C 0 %; B1 100 %, B2 0 % | A 1/18, B 1/36; B1 1/18 | B › B1 | host-1 | B 1/9, B1 1/9
            4 | A 33.33 %, B 66.67 %, C 0 %; A1 33.33 %, A2 66.67 % | A 1/18, B 1/18; A1 1/18, A2 0 | A (tie: first in the tree) › A2 | host-1 | A 1/9, A2 1/18
            5 | A 33.33 %, B 66.67 %, C 0 %; B1 100 %, B2 0 % | A 1/9, B 1/18; B1 1/9 | B › B1 | host-1 | B 1/6, B1 1/6
            6 | A 33.33 %, B 66.67 %, C 0 %; B1 100 %, B2 0 % | A 1/9, B 1/12; B1 1/6 | B › B1 | host-1 | B 2/9, B1 2/9
            7 | A 33.33 %, B 66.67 %, C 0 %; A1 33.33 %, A2 66.67 % | A 1/9, B 1/9; A1 1/18, A2 1/36 | A (tie: first in the tree) › A2 | host-2 | A 1/6, A2 1/9
            8 | A 33.33 %, B 66.67 %, C 0 %; B1 100 %, B2 0 % | A 1/6, B 1/9; B1 2/9 | B › B1 | host-2 | B 5/18, B1 5/18
            9 | A 33.33 %, B 66.67 %, C 0 %; B1 100 %, B2 0 % | A 1/6, B 5/36; B1 5/18 | B › B1 | host-2 | B 1/3, B1 1/3
            10 | A 33.33 %, B 66.67 %, C 0 %; A1 33.33 %, A2 66.67 % | A 1/6, B 1/6; A1 1/18, A2 1/18 | A (tie: first in the tree) › A1 (tie: first in the tree) | host-2 | A 2/9, A1 1/9
            11 | A 33.33 %, B 66.67 %, C 0 %; B1 100 %, B2 0 % | A 2/9, B 1/6; B1 1/3 | B › B1 | host-2 | B 7/18, B1 7/18
            12 | A 33.33 %, B 66.67 %, C 0 %; B1 100 %, B2 0 % | A 2/9, B 7/36; B1 7/18 | B › B1 | host-2 | B 4/9, B1 4/9
            13 | A 33.33 %, B 66.67 %, C 0 %; A1 33.33 %, A2 66.67 % | A 2/9, B 2/9; A1 1/9, A2 1/18 | A (tie: first in the tree) › A2 | host-3 | A 5/18, A2 1/6
            14 | A 33.33 %, B 66.67 %, C 0 %; B1 100 %, B2 0 % | A 5/18, B 2/9; B1 4/9 | B › B1 | host-3 | B 1/2, B1 1/2
            15 | A 33.33 %, B 66.67 %, C 0 %; B1 100 %, B2 0 % | A 5/18, B 1/4; B1 1/2 | B › B1 | host-3 | B 5/9, B1 5/9
            16 | A 33.33 %, B 66.67 %, C 0 %; A1 33.33 %, A2 66.67 % | A 5/18, B 5/18; A1 1/9, A2 1/12 | A (tie: first in the tree) › A2 | host-3 | A 1/3, A2 2/9
            17 | A 33.33 %, B 66.67 %, C 0 %; B1 100 %, B2 0 % | A 1/3, B 5/18; B1 5/9 | B › B1 | host-3 | B 11/18, B1 11/18
            18 | A 33.33 %, B 66.67 %, C 0 %; B1 100 %, B2 0 % | A 1/3, B 11/36; B1 11/18 | B › B1 | host-3 | B 2/3, B1 2/3
            19 | A 33.33 %, B 66.67 %, C 0 %; A1 33.33 %, A2 66.67 % | A 1/3, B 1/3; A1 1/9, A2 1/9 | A (tie: first in the tree) › A1 (tie: first in the tree) | none fits: removed | –
            20 | A 33.33 %, B 66.67 %, C 0 %; A1 removed, A2 100 % | A 1/3, B 1/3; A2 1/9 | A (tie: first in the tree) › A2 | none fits: removed | –
            21 | A removed, B 100 %, C 0 %; B1 100 %, B2 0 % | B 1/3; B1 2/3 | B › B1 | none fits: removed | –
            22 | A removed, B 100 %, C 0 %; B1 removed, B2 100 % | B 1/3; B2 0 | B › B2 | none fits: removed | –
            23 | A removed, B removed, C 100 % | C 0 | C | none fits: removed | –
        "#]],
    );
    lines(
        &view[3],
        expect![[r#"
            Capacity of the pool
            The most units of a size that the hosts of the pool hold when they are empty, host by host.

            unit size | units per host | capacity
            1 GPU | 3 hosts × 6 | 18
        "#]],
    );
    lines(
        &view[4],
        expect![[r#"
            Static and dynamic share quota
            For reference only, not guaranteed: what a consumer gets depends on how units of different sizes are packed onto hosts. The static quota assumes that every consumer has enough work; the dynamic quota counts present demand.

            consumer | static share quota | dynamic share quota
            whole pool | 18 GPUs | 18 GPUs
             A | 4.5 GPUs | 6 GPUs
              A1 | 1.5 GPUs | 2 GPUs
              A2 | 3 GPUs | 4 GPUs
             B | 9 GPUs | 12 GPUs
              B1 | 4.5 GPUs | 12 GPUs
              B2 | 4.5 GPUs | 0 GPUs
             C | 4.5 GPUs | 0 GPUs
        "#]],
    );
}

#[test]
fn what_one_does_not_need_is_divided_again() {
    let slots = view("ego-eighteen-slots", 1);
    lines(
        &slots[0],
        expect![[r#"
            Share usage and quota
            Share usage is allocated units divided by the pool's capacity for their size; parents add up their children. Projected usage is compared with the quota: it leaves out units in their grace period and counts earmarked ones.

            consumer | share usage | usage demand | share usage quota | projected usage | unit size | allocated units | capacity
            whole pool | 1 | 11/9 | 1 | 1 | – | 18 | –
             A | 1/2 | 5/9 | 4/9 | 4/9 | – | 9 | –
              allocation a-1 | 1/18 | 1/18 | – | 1/18 | 1 GPU | 1 | 18
              allocation a-2 | 1/18 | 1/18 | – | 1/18 | 1 GPU | 1 | 18
              allocation a-3 | 1/18 | 1/18 | – | 1/18 | 1 GPU | 1 | 18
              allocation a-4 | 1/18 | 1/18 | – | 1/18 | 1 GPU | 1 | 18
              allocation a-5 | 1/18 | 1/18 | – | 1/18 | 1 GPU | 1 | 18
              allocation a-6 | 1/18 | 1/18 | – | 1/18 | 1 GPU | 1 | 18
              allocation a-7 | 1/18 | 1/18 | – | 1/18 | 1 GPU | 1 | 18
              allocation a-8 | 1/18 | 1/18 | – | 1/18 | 1 GPU | 1 | 18
              allocation a-9 | 1/18 | 1/18 | – | 0 | 1 GPU | 1 | 18
              allocation a-10 | 0 | 1/18 | – | 0 | 1 GPU | 0 | 18
             B | 1/2 | 5/9 | 4/9 | 4/9 | – | 9 | –
              allocation b-1 | 1/18 | 1/18 | – | 1/18 | 1 GPU | 1 | 18
              allocation b-2 | 1/18 | 1/18 | – | 1/18 | 1 GPU | 1 | 18
              allocation b-3 | 1/18 | 1/18 | – | 1/18 | 1 GPU | 1 | 18
              allocation b-4 | 1/18 | 1/18 | – | 1/18 | 1 GPU | 1 | 18
              allocation b-5 | 1/18 | 1/18 | – | 1/18 | 1 GPU | 1 | 18
              allocation b-6 | 1/18 | 1/18 | – | 1/18 | 1 GPU | 1 | 18
              allocation b-7 | 1/18 | 1/18 | – | 1/18 | 1 GPU | 1 | 18
              allocation b-8 | 1/18 | 1/18 | – | 1/18 | 1 GPU | 1 | 18
              allocation b-9 | 1/18 | 1/18 | – | 0 | 1 GPU | 1 | 18
              allocation b-10 | 0 | 1/18 | – | 0 | 1 GPU | 0 | 18
             C | 0 | 1/9 | 1/9 | 1/9 | – | 0 | –
              allocation c-1 | 0 | 1/18 | – | 1/18 | 1 GPU | 0 | 18
              allocation c-2 | 0 | 1/18 | – | 1/18 | 1 GPU | 0 | 18
        "#]],
    );
    lines(
        &slots[1],
        expect![[r#"
            How the share usage quota is divided
            The total share usage of the pool, 1, is divided from the top of the tree: priorities from the highest to the lowest, equal ones by share ratio, the smallest demand for its ratio first, no consumer above its usage demand. What one does not need is divided among the others.

            divided | consumer | share priority | left × share ratio | usage demand | share usage quota
            whole pool | C | 0 | 1 × 1/3 = 1/3 | 1/9 (0.1111) | 1/9 (0.1111), all of its demand
            whole pool | A | 0 | 8/9 × 1/2 = 4/9 | 5/9 (0.5556) | 4/9 (0.4444)
            whole pool | B | 0 | 8/9 × 1/2 = 4/9 | 5/9 (0.5556) | 4/9 (0.4444)
        "#]],
    );
    lines(
        &slots[2],
        expect![[r#"
            How free resources are assigned
            Cycle 1 took 3 turns. Satisfied consumers are removed; of those with the highest share priority the one with the smallest share usage / share ratio gets the next unit.

            turn | percentages | share usage / share ratio | assigned to | host | share usage after
            1 | A 33.33 %, B 33.33 %, C 33.33 % | A 1/2, B 1/2, C 0 | C | none fits: removed | –
            2 | A 50 %, B 50 %, C removed | A 1/2, B 1/2 | A (tie: first in the tree) | none fits: removed | –
            3 | A removed, B 100 %, C removed | B 1/2 | B | none fits: removed | –
        "#]],
    );
}

#[test]
fn nothing_is_divided_where_nobody_waits() {
    let (usage, frame) = report("ego-owned-and-lent", 1);
    assert_eq!(pools(&usage, &frame), ["public pool"]);
    let lent = sections(&usage, &frame, None, 0);
    lines(
        &lent[0],
        expect![[r#"
            Share usage and quota
            Share usage is allocated units divided by the pool's capacity for their size; parents add up their children. Projected usage is compared with the quota: it leaves out units in their grace period and counts earmarked ones.

            consumer | share usage | usage demand | share usage quota | projected usage | unit size | allocated units | capacity
            whole pool | 1 | 1 | 1 | 1 | – | 1 | –
             team-a | 1 | 1 | 1 | 1 | – | 1 | –
              allocation a-3 | 1 | 1 | – | 1 | 1 GPU | 1 | 1
             team-b | 0 | 0 | 0 | 0 | – | 0 | –
        "#]],
    );
    lines(
        &lent[1],
        expect![[r#"
        How the share usage quota is divided
        No consumer has outstanding demand in this pool, so the share usage quota of each is its share usage.

        divided | consumer | share priority | left × share ratio | usage demand | share usage quota
    "#]],
    );
}

#[test]
fn a_slot_plan_says_how_many_slots_are_free() {
    let says = |left_out: &[&str]| {
        let mut scenario = Example::find("ego-slots").expect("an example").scenario();
        Arc::make_mut(&mut scenario.jobs).retain(|job| !left_out.contains(&job.name.as_str()));
        let (usage, frame) = report_on(scenario, 1);
        sections(&usage, &frame, None, 0)[0].says.clone()
    };
    assert!(says(&[]).ends_with(" earmarked ones. 0 of 12 slots are free."), "{}", says(&[]));
    assert!(says(&["b1", "a2"]).ends_with(" 6 of 12 slots are free."));
    assert!(says(&["b1"]).ends_with(" 3 of 12 slots are free."));
    let (usage, _) = report("ego-share-usage", 1);
    assert!(usage.pools.iter().all(|(_, pool)| pool.free_slots.is_none()), "a multidimensional plan has no slots");
}

/// The bars of the picture are the consumers with the numbers of the first table.
#[test]
fn consumers_are_drawn_with_their_usage_and_quota() {
    let (usage, frame) = report("ego-share-usage", 1);
    let bars = bars(&usage, &frame, 0);
    let line = |bar: &fairground_web::views::share_usage::view::UsageBar| {
        format!("{} {}: {}, demand {}\n", bar.depth, bar.name, bar.text, bar.demand)
    };
    expect![[r#"
        0 whole pool: 1 of 1, demand 5
        1 A: 1/3 of 1/3, demand 2
        2 A1: 1/9 of 1/9, demand 1
        2 A2: 2/9 of 2/9, demand 1
        1 B: 2/3 of 2/3, demand 2
        2 B1: 2/3 of 2/3, demand 1
        2 B2: 0 of 0, demand 1
        1 C: 0 of 0, demand 1
    "#]]
    .assert_eq(&bars.iter().map(line).collect::<String>());
    assert!(bars.iter().all(|bar| bar.usage <= 1.0 && bar.quota <= 1.0));
}
