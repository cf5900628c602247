//! Owned nodes, grace periods and consumers above their limits, in Cluster, Shares, Gantt and WHY.

use fairground::units::{Resource, ShownResource};
use std::fmt::Write;

use crate::whole::Whole;
use expect_test::expect;
use fairground::words::{self, Selection};
use fairground_web::engine::report::Report;
use fairground_web::state::command::Command;
use fairground_web::state::layout::options::NowView;
use fairground_web::views::gantt::view::Line;
use fairground_web::views::{cluster, gantt, shares};

/// Headings with the nodes below them.
fn groups(whole: &Whole) -> String {
    let view = cluster::view::cluster(whole.frame(), 900.0, ShownResource::GPU);
    let mut text = String::new();
    for card in &view.cards {
        writeln!(text, "{} | {} | {}", card.pool, card.name, card.head).expect("a string");
    }
    for (_, heading) in &view.groups {
        writeln!(text, "{heading}").expect("a string");
    }
    text
}

fn rows(whole: &Whole) -> String {
    let view = shares::view::shares(whole.frame(), None, None, ShownResource::GPU, &[]);
    let row = |row: &shares::view::ShareRow| format!("{} | {:?}\n", row.sentence(), row.steps());
    view.rows.iter().map(row).collect()
}

fn verdict(whole: &Whole, about: Selection) -> String {
    let why = words::why(whole.frame(), None, &about, None, Resource::GPU);
    format!("{} {}", why.verdict.spoken(), why.outlook.spoken())
}

#[test]
fn owned_hosts_stand_apart_from_the_public_pool() {
    let whole = Whole::open("ego-owned-and-lent", 1);
    expect![[r#"
        owned by team-a | host-1 | 1 of 1
        owned by team-a | host-2 | 1 of 1
        owned by team-b | host-3 | 1 of 1
        owned by team-b | host-4 | 1 of 1 · lent
        owned by team-a · 2 hosts · 2 of 2 GPUs in use
        owned by team-b · 2 hosts · 2 of 2 GPUs in use
    "#]]
    .assert_eq(&groups(&whole));
    expect![[r#"
        cluster: allocated 4 GPUs, capacity 4, requested 4 | (4.0, 4.0)
        team-a: allocated 3 GPUs, ownership 2 GPUs, share quota 3 GPUs, share limit unlimited, on owned hosts 2 GPUs, requested 3 GPUs | (2.0, 3.0)
        team-b: allocated 1 GPU, ownership 2 GPUs, share quota 1 GPU, share limit unlimited, on owned hosts 1 GPU, requested 1 GPU | (1.0, 1.0)
    "#]].assert_eq(&rows(&whole));
    expect!["host-4: its only GPU is in use. It is owned by team-b, which lends it to others. "]
        .assert_eq(&verdict(&whole, Selection::Node("host-4".into())));
}

#[test]
fn units_above_a_limit_are_marked_before_they_are_reclaimed() {
    let whole = Whole::open("ego-share-limit", 0);
    expect![[r#"
        owned by A | host-1 | 2 of 4
        public pool | host-2 | 4 of 4
        public pool | host-3 | 2 of 4
        owned by A · 1 host · 2 of 4 GPUs in use
        public pool · 2 hosts · 6 of 8 GPUs in use
    "#]]
    .assert_eq(&groups(&whole));
    expect![[r#"
        cluster: allocated 8 GPUs, capacity 12, requested 10 | (8.0, 8.0)
        A: allocated 8 GPUs, ownership 4 GPUs, share quota 8 GPUs, share limit 4 GPUs, on owned hosts 2 GPUs, reclaimed first 2 GPUs, requested 8 GPUs | (2.0, 8.0)
        B: allocated 0 GPUs, ownership 0 GPUs, share quota 2 GPUs, share limit unlimited, on owned hosts 0 GPUs, requested 2 GPUs | (0.0, 0.0)
    "#]].assert_eq(&rows(&whole));
    expect!["A uses 8 GPUs, 4 over its ownership of 4, within its share quota of 8. Reclaimed first: 2 GPUs above its share limit. "].assert_eq(&verdict(&whole, Selection::Queue("A".into())));
}

#[test]
fn a_grace_period_is_counted_down() {
    let mut whole = Whole::open("ego-share-limit", 3);
    let job = Selection::Job("a-6".into());
    expect!["a-6 was reclaimed and is shutting down. a-6 leaves at 0:25, 10 s left. "].assert_eq(&verdict(&whole, job));
    whole.dispatch(Command::ShowView(NowView::Gantt));
    let Some(Report::Gantt(report)) = whole.model.report.as_deref() else { panic!("a report") };
    let run = whole.model.run.as_deref().expect("a run");
    let view = gantt::view::gantt(report, run, whole.frame(), None);
    let rows = view.lines.iter().filter_map(|line| match line {
        Line::Row(row) if row.says.contains("left") => Some(format!("{}: {} | {}\n", row.name, row.says, row.fate)),
        _ => None,
    });
    expect![[r#"
        a-5: a-5 (A): submitted in cycle 0; runs since cycle 0; reclaimed in cycle 1; leaves at 0:25, 10 s left | leaves at 0:25, 10 s left
        a-6: a-6 (A): submitted in cycle 0; runs since cycle 0; reclaimed in cycle 1; leaves at 0:25, 10 s left | leaves at 0:25, 10 s left
    "#]].assert_eq(&rows.collect::<String>());
}
