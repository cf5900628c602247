//! Every setting of every policy names the rules that it affects, or the reason why it affects none.

use std::collections::BTreeSet;

use fairground::policy::Policy;
use fairground::policy::setting::{Affects, Rulebook};
use fairground::scenario::{check, read};

/// Settings of the policy, as listed in the message about an unknown one.
fn settings(policy: &str) -> Vec<String> {
    let text = format!("format: fairground-scenario\nversion: 1\npolicy: {policy}\nsettings: {{zzz: 1}}\n");
    let found = check(&read(&text).scenario.expect("it can be read")).diagnostics;
    let Some((_, listed)) = found.iter().find_map(|d| d.says.split_once("it has ")) else {
        return Vec::new();
    };
    let (listed, _) = listed.split_once(", and for queues that").unwrap_or((listed, ""));
    // Names of priority classes are arbitrary.
    let (listed, _) = listed.split_once("; priority-class.").unwrap_or((listed, ""));
    let apart =
        ["; for a queue, as in priority.policy.NAME: ", "and for a queue, as in rank.NAME: ", "and for a queue "];
    let listed = apart.iter().fold(listed.to_string(), |listed, words| {
        listed.replace(words, if words.starts_with(';') { ", " } else { "" })
    });
    listed.split(", ").map(|name| name.trim_end_matches(".NAME").to_string()).collect()
}

#[test]
fn every_switch_names_its_rules() {
    for policy in Policy::NAMES {
        let Rulebook { rules, settings } = Policy::rulebook(policy).expect("all policies are built");
        let keys: BTreeSet<_> = rules.iter().map(|rule| rule.key()).collect();
        assert_eq!(keys.len(), rules.len(), "{policy}: two rules have one key");
        for (switch, enters) in &settings {
            let (name, n) = (switch.name, enters.len());
            match switch.affects {
                Affects::Rules(_) => assert!(n > 0, "{policy}: {name} enters no rule and does not say why"),
                Affects::Nothing(why) => assert!(n == 0 && !why.is_empty(), "{policy}: {name}"),
            }
            for rule in enters {
                assert!(keys.contains(rule.key()), "{policy}: {name} enters {}, which it has not", rule.key());
            }
        }
    }
}

#[test]
fn every_setting_is_in_the_table() {
    for policy in Policy::NAMES {
        let book = Policy::rulebook(policy).expect("all policies are built");
        let has: BTreeSet<_> = book.settings.iter().map(|(switch, _)| switch.name.to_string()).collect();
        assert_eq!(has.len(), book.settings.len(), "{policy}: a switch is listed twice");
        let all: BTreeSet<_> = settings(policy).into_iter().collect();
        assert_eq!(all.difference(&has).collect::<Vec<_>>(), Vec::<&String>::new(), "{policy}: without a line");
        // Names of user groups are arbitrary.
        let unknown: Vec<_> = has.difference(&all).filter(|name| *name != "groups").collect();
        assert_eq!(unknown, Vec::<&String>::new(), "{policy}: no such setting");
    }
    assert!(settings("kai").len() > 20 && settings("fifo").is_empty());
}

#[test]
fn a_policy_without_a_name_is_the_default_and_an_unknown_one_has_no_rules() {
    let keys =
        |policy| Policy::rulebook(policy).map(|book| book.rules.iter().map(|rule| rule.key()).collect::<Vec<_>>());
    assert_eq!(keys(""), keys("kai"));
    assert_eq!(keys("zzz"), None);
}
