//! Selected rules: from the settings of every policy, from links, through edits and undo.

use std::collections::BTreeSet;
use std::sync::Arc;

use fairground_web::state::document::{Change, Opened, Origin};

use crate::run::Page;
use fairground::moment::rulebook;
use fairground::policy::Policy;
use fairground::words::Selection;
use fairground_web::engine::protocol::{Frame, Message, Request, Response, Rulebook};
use fairground_web::library::{self, Example};
use fairground_web::state::command::Command;
use fairground_web::state::effect::Effect;
use fairground_web::state::layout::options::{Panel, SetupTab};
use fairground_web::state::model::Model;
use fairground_web::state::update::update;
use fairground_web::words::{self, Explanation};

use crate::whole::Whole;

fn book(policy: &str) -> Rulebook {
    rulebook::of(policy.to_string())
}

/// Settings for which the table says why they affect no rule.
const WITHOUT_RULE: [&str; 7] =
    ["scheduling-signatures", "gpu-type", "partition", "placement-rules", "placement", "parent", "submitacl"];

#[test]
fn every_switch_on_the_page_leads_to_a_rule() {
    let mut without = BTreeSet::new();
    for policy in Policy::ALL {
        let book = book(policy.key);
        for switch in policy.form.settings.iter().flat_map(|(_, all)| all.iter()) {
            let setting = switch.key;
            if book.rules_of(setting).next().is_none() {
                without.insert(setting);
            }
        }
    }
    let unexpected: Vec<_> = without.iter().filter(|name| !WITHOUT_RULE.contains(name)).collect();
    assert_eq!(unexpected, Vec::<&&str>::new(), "no rule, and no reason");
}

#[test]
fn every_rule_has_a_card() {
    for policy in Policy::NAMES {
        let book = book(policy);
        assert!(!book.rules.is_empty(), "{policy}");
        let mut names = BTreeSet::new();
        for rule in &book.rules {
            let explained = words::rule(&Frame::default(), &rule.key, Some(&book), &library::start());
            let card = explained.rule.expect("it is known");
            assert!(card.is_subject && card.says.ends_with('.'), "{}: {}", rule.key, card.says);
            assert_eq!(explained.verdict.spoken(), card.says);
            assert!(names.insert(words::rule_name(&rule.key)), "{policy} has two rules called alike: {}", rule.key);
        }
    }
}

fn at_cycle(example: &str, cycle: u32) -> Frame {
    let scenario = Arc::new(Example::find(example).expect("an example").scenario());
    Page::default().main_at(scenario, cycle).0
}

fn explanation(example: &str, cycle: u32, key: &str) -> Explanation {
    let scenario = Example::find(example).expect("an example").scenario();
    words::rule(&at_cycle(example, cycle), key, Some(&book(&scenario.policy)), &scenario)
}

#[test]
fn a_rule_says_what_it_decided() {
    let explained = explanation("start", 1, "kai/reclaim/maintain-fair-share");
    assert_eq!(explained.about.spoken(), "rule: reclaim, maintain fair share");
    assert_eq!(explained.when, "decided 1 time in cycle 1");
    let (_, entries) = explained.list.expect("a decision");
    assert_eq!(entries.len(), 1);
    assert!(matches!(entries[0].selection, Some(Selection::Event { cycle: 1, .. })), "{entries:?}");
    let labels: Vec<String> = explained.controls.iter().map(|control| control.label.spoken()).collect();
    assert_eq!(labels, ["consolidating-reclaim: not set"]);
}

/// The rule card's text on how often a rule was used, after the engine has counted.
fn used(example: &str, cycle: u32, key: &str) -> Explanation {
    let mut whole = Whole::open(example, 0);
    whole.dispatch(Command::GoTo(cycle));
    whole.dispatch(Command::Select(Some(Selection::Rule(key.into()))));
    assert_eq!(whole.frame().cycle, cycle);
    words::rule(whole.frame(), key, whole.model.rules.as_deref(), &whole.model.document.scenario)
}

#[test]
fn rules_that_decide_no_event_by_themselves_say_what_they_compared_and_divided() {
    let order = |n| used("odd-gpu", 1, &format!("kai/queue-order/{n}"));
    let card = (1..=8).map(order).find(|card| card.when.starts_with("compared "));
    let card = card.expect("two queues with work are compared");
    assert!(card.when.ends_with(" in cycle 1"), "{}", card.when);
    assert!(card.list.is_some_and(|(caption, rows)| caption == "Comparisons by this rule" && !rows.is_empty()));
    for (example, cycle, key) in [
        ("start", 1, "kai/division/quota"),
        ("odd-gpu", 1, "kai/division/round"),
        ("odd-gpu", 1, "kai/division/remainder"),
        ("ego-eighteen-slots", 1, "ego/dynamic-quota"),
    ] {
        let card = used(example, cycle, key);
        assert!(
            card.when.starts_with("used in ") && card.when.contains(" of the division in cycle "),
            "{example} {key}: {}",
            card.when
        );
    }
    // *Not used* appears only after the engine has searched.
    assert_eq!(used("start", 2, "kai/stale-gang/grace").when, "not used in cycle 2");
    assert_eq!(used("past-forgotten", 1, "kai/usage").when, "not used in cycle 1");
    assert_eq!(explanation("start", 2, "kai/queue-order/5").when, "cycle 2: counting");
}

#[test]
fn a_rule_speaks_the_words_of_the_policy_that_runs() {
    let explained = explanation("runai-quick-start", 1, "kai/reclaim/keeps-order");
    assert!(explained.verdict.spoken().contains("fairshare"), "{}", explained.verdict);
    let explained = words::rule(&Frame::default(), "ego/under-quota", Some(&book("ego")), &library::start());
    assert!(explained.verdict.spoken().contains("share usage quota"), "{}", explained.verdict);
}

#[test]
fn settings_of_queues_are_said_with_their_values() {
    let mut scenario = library::start();
    scenario.policy = "yunikorn".into();
    for (name, value) in [("preemption.delay.team-a", "5s"), ("preemption", "false")] {
        scenario.settings.insert(name.into(), fairground::scenario::Scalar(value.into()));
    }
    let explained = words::rule(&Frame::default(), "yunikorn/below-guarantee", Some(&book("yunikorn")), &scenario);
    let labels: Vec<String> = explained.controls.iter().map(|control| control.label.spoken()).collect();
    assert!(labels.contains(&"preemption.delay.team-a: 5s".to_string()), "{labels:?}");
    assert!(labels.contains(&"preemption: false".to_string()), "{labels:?}");
    assert!(labels.contains(&"preemption.policy: not set".to_string()), "{labels:?}");
}

#[test]
fn unknown_rules_are_reported() {
    for key in ["kai/zzz", "", "/", "ego/grace", "zzz/é/"] {
        let explained = words::rule(&Frame::default(), key, Some(&book("kai")), &library::start());
        assert!(
            explained.rule.is_none() && explained.verdict.spoken().contains("is no rule of KAI"),
            "{}",
            explained.verdict
        );
    }
    let explained = words::rule(&Frame::default(), "kai/backoff", None, &library::start());
    assert_eq!(explained.verdict.spoken(), "Loading.");
}

fn model() -> Model {
    Model::new(Opened::new(library::start(), Origin::Start))
}

/// Applies a command and replies to its requests about rules; returns their number.
fn act(model: &mut Model, command: Command) -> usize {
    let effects = update(model, command);
    let mut n = 0;
    for effect in effects {
        let Effect::Send(Message { generation, body: Request::Rules { policy } }) = effect else {
            continue;
        };
        n += 1;
        let say = Response::Rules(Box::new(book(&policy)));
        update(model, Command::Replied(Box::new(Message { generation, body: say })));
    }
    n
}

#[test]
fn rules_are_asked_for_once_for_each_policy() {
    let mut model = model();
    let rule = Selection::Rule("kai/division/round".into());
    assert_eq!(act(&mut model, Command::Tab(SetupTab::Nodes)), 0);
    assert_eq!(act(&mut model, Command::Tab(SetupTab::Rules)), 1);
    assert_eq!(act(&mut model, Command::Select(Some(rule.clone()))), 0);
    assert_eq!(model.view.panel, Panel::Why, "on a phone the card is shown");
    assert!(model.view.why_open);
    let removed = Command::Change(Change::RemoveJob("a1".into()));
    assert_eq!(act(&mut model, removed), 0);
    assert_eq!(act(&mut model, Command::Undo), 0);
    assert_eq!(model.selection, Some(rule.clone()), "it lasts");
    let fifo = fairground::scenario::Path::default().field("policy");
    assert_eq!(act(&mut model, Command::Set { at: fifo, value: "fifo".into() }), 1);
    assert_eq!(model.rules.as_ref().map(|book| book.policy.as_str()), Some("fifo"));
    assert_eq!(act(&mut model, Command::Undo), 1);
    assert_eq!(model.selection, Some(rule));
}
