//! What WHY says of the examples of Run:ai and EGO.

use expect_test::expect;
use fairground_web::engine::protocol::{Ask, Frame, Request, Say};
use fairground_web::engine::serve::Server;
use fairground_web::library::Example;
use fairground_web::model::Selection;
use fairground_web::words;

fn frames(example: &str, cycles: u32) -> Vec<Frame> {
    let mut server = Server::default();
    let scenario = Example::find(example).expect("an example").text.to_string();
    let mut frames = Vec::new();
    for cycle in 0..=cycles {
        let ask = Ask::Load { scenario: scenario.clone(), policy: String::new(), cycle };
        let mut replies = server.ask(Request { generation: u64::from(cycle), ask });
        while server.is_busy() {
            replies.extend(server.work());
        }
        for reply in replies {
            if let Say::Frame { frame, .. } = reply.say {
                frames.push(*frame);
            }
        }
    }
    frames
}

/// The verdicts on some things, one a line.
fn told(frame: &Frame, about: &[Selection]) -> String {
    let verdicts = about.iter().map(|selection| words::why(frame, None, selection, None, 2).verdict);
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
        `a1` was reclaimed for `b2`: `team-a` held 3 GPUs, one above its fairshare of 2; `team-b`, with `b2`, stays within its own 2.
    "#]]
    .assert_eq(&told(&frames[1], &[job("a1")]));
    expect![[r#"
        `team-a` would hold 3 GPUs with `a1`, its fairshare is 2: it may not take from others.
        `team-a` holds 2 GPUs, all it is due, and wants 3.
    "#]]
    .assert_eq(&told(&frames[2], &[job("a1"), queue("team-a")]));
}

#[test]
fn ego_speaks_of_parts_of_a_pool() {
    let slots = frames("ego-eighteen-slots", 2);
    expect![[r#"
        `b-9` was reclaimed for `c-1`: `B` used 50 % of the pool, more than its share usage quota of 44.4 %; `C` used 0 %, less than its 11.1 %.
        `a-9` was reclaimed for `c-2`: `A` used 50 % of the pool, more than its share usage quota of 44.4 %; `C` used 5.6 %, less than its 11.1 %.
    "#]]
    .assert_eq(&told(&slots[1], &[job("b-9"), job("a-9")]));
    expect![[r#"
        `A` uses 44.4 % of the pool; its share usage quota is 44.4 %, so it may not take from others.
    "#]]
    .assert_eq(&told(&slots[2], &[job("a-10")]));
    let lent = frames("ego-owned-and-lent", 4);
    expect![[r#"
        `a-3` was reclaimed for `b2`: `team-b` owns `host-4`, had lent it and has work of its own.
        `team-b` holds 1 GPU of its share quota of 2 and wants 2: it is 1 short.
    "#]]
    .assert_eq(&told(&lent[2], &[job("a-3"), queue("team-b")]));
    expect![[r#"
        `a-3` waits: no GPU is free. 4 hosts looked at, all owned by others, or barred by a share limit.
    "#]]
    .assert_eq(&told(&lent[4], &[job("a-3")]));
}

/// What decided has a card that says where its documents leave something open.
#[test]
fn rule_cards_say_what_is_our_choice() {
    let card = |example: &str, name: &str| {
        let why = words::why(&frames(example, 1)[1], None, &job(name), None, 2);
        why.rule.expect("a rule")
    };
    let over = card("ego-eighteen-slots", "b-9");
    assert_eq!(over.key, "ego/over-quota");
    assert!(over.is_our_choice() && over.source.contains("IBM"), "{over:?}");
    let fairshare = card("runai-quick-start", "a1");
    assert_eq!(fairshare.key, "runai/reclaim/fairshare");
    assert!(!fairshare.is_our_choice(), "{fairshare:?}");
}
