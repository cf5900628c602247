//! Descriptions of policies are complete: every setting has a form field, and every field is a setting that can be
//! read.

use fairground::moment::rulebook;
use fairground::policy::Policy;
use fairground::policy::form::{Ask, Attribute, Group};
use fairground::scenario::{check, read};

fn attributes(groups: &[Group]) -> impl Iterator<Item = &Attribute> {
    groups.iter().flat_map(|(_, all)| all.iter())
}

/// A setting without a form field could not be set on the page. Per-queue settings do not include stale gang eviction,
/// and groups belong to users.
#[test]
fn every_setting_has_a_form_field() {
    for policy in Policy::ALL {
        let book = Policy::rulebook(policy.key).expect("a policy has rules");
        let settings = attributes(policy.form.settings).map(|a| a.key);
        let of_queues = attributes(policy.form.queue.unwrap_or_default()).map(|a| a.key);
        let known: Vec<&str> = settings.chain(of_queues).collect();
        for (switch, _) in &book.settings {
            let elsewhere = ["queue-depth-stalegangeviction", "groups", "priority.offset"];
            let is_known = known.contains(&switch.name) || elsewhere.contains(&switch.name);
            assert!(is_known, "{}: {} has no field", policy.key, switch.name);
        }
    }
}

/// Every choice of a form is accepted by the policy.
#[test]
fn every_choice_is_accepted() {
    for policy in Policy::ALL {
        for attribute in attributes(policy.form.settings) {
            let name = attribute.key;
            let (Ask::Choice(choices) | Ask::Usual(choices)) = attribute.ask else { continue };
            for (value, _) in choices {
                let text = format!(
                    "format: fairground-scenario\nversion: 1\npolicy: {}\nsettings: {{{name}: {value}}}\n",
                    policy.key
                );
                let scenario = read(&text).scenario.expect("it has the form of a scenario");
                let found = check(&scenario).diagnostics;
                let wrong = found.iter().find(|d| ["S012", "S013"].contains(&d.code.0));
                assert_eq!(wrong, None, "{}: {name} {value}", policy.key);
            }
        }
    }
}

/// Defaults that a form shows in words, with the value in a file; empty: only an omitted setting has it.
const IN_WORDS: [(&str, &str); 6] = [
    ("all five, in order", "allocate, consolidation, reclaim, preempt, stalegangeviction"),
    ("KAI's default plugins", ""),
    ("all", "unlimited"),
    ("any number", "0"),
    ("none", ""),
    ("the termination time", ""),
];

/// Settings that are kept as they are written, for an export; a unit test compares what they mean.
const AS_WRITTEN: [&str; 4] = ["node-sort", "node-weights", "preemption", "partition"];

/// The default in a form is that of the configuration.
#[test]
fn every_default_is_the_value_of_an_omitted_setting() {
    for policy in Policy::ALL {
        let configured = |settings: &str| {
            let text = format!(
                "format: fairground-scenario\nversion: 1\npolicy: {}\nsettings: {{{settings}}}\n\
                 nodes: [{{name: n}}]\nqueues: [{{name: q}}]\n",
                policy.key
            );
            check(&read(&text).scenario.expect("it has the form of a scenario")).plan.expect("a plan").policy
        };
        for attribute in attributes(policy.form.settings) {
            let (name, shown) = (attribute.key, attribute.default);
            let in_words = IN_WORDS.iter().find(|(words, _)| *words == shown && attribute.ask == Ask::Text);
            let value = in_words.map_or(attribute.default_value(), |(_, value)| value);
            let is_of_root = name.ends_with(".root");
            if value.is_empty() || is_of_root || AS_WRITTEN.contains(&name) {
                continue;
            }
            let given = configured(&format!("{name}: {value:?}"));
            assert_eq!(given, configured(""), "{}: {name} {shown}", policy.key);
            if policy.translation.default_priority == Some(name) {
                assert_eq!(shown, policy.jobs.priority.to_string(), "{}", policy.key);
            }
        }
    }
}

/// Every policy has all names, and they are unique.
#[test]
fn names_are_complete_and_unique() {
    for (i, policy) in Policy::ALL.iter().enumerate() {
        for name in [policy.key, policy.name, policy.title, policy.short] {
            assert!(!name.is_empty(), "{policy:?}");
        }
        for other in &Policy::ALL[..i] {
            assert!(policy.key != other.key && policy.title != other.title && policy.short != other.short);
        }
    }
}

#[test]
fn a_setting_of_a_queue_is_the_switch_that_it_says() {
    let book = rulebook::of("yunikorn".into());
    let keys = |setting: &str| book.rules_of(setting).map(|rule| rule.key.clone()).collect::<Vec<_>>();
    assert_eq!(keys("preemption"), ["yunikorn/below-guarantee", "yunikorn/above-guarantee"]);
    assert_eq!(keys("preemption.delay.root"), ["yunikorn/below-guarantee"]);
    assert_eq!(keys("childtemplate.priority.offset.a.b"), ["yunikorn/priority"]);
    assert_eq!(keys("groups.alice").len(), 2);
    assert!(keys("partition").is_empty() && keys("zzz").is_empty());
    assert!(book.switches_of("yunikorn/priority").any(|name| name == "priority.policy"));
    assert!(book.is_of("preemption.policy.team-a", "preemption.policy"));
    assert!(!book.is_of("preemption.policy.team-a", "preemption"));
    assert_eq!(rulebook::of("zzz".into()).rules, []);
}
