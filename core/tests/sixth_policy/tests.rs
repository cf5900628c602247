//! A folder and a line in the registry give a policy everything that the others have.

use crate::format::{Edit, Segment, codes};
use crate::moment::rulebook;
use crate::policy::Policy;
use crate::scenario::{Scenario, check, read};
use crate::sim::Simulation;
use crate::time::Time;
use crate::translate::{NoteKind, translate};

fn scenario(policy: &str, settings: &str) -> Scenario {
    let text = format!(
        "format: fairground-scenario\nversion: 1\npolicy: {policy}\nsettings: {{{settings}}}\n\
         nodes: [{{name: n, gpu: 2}}]\nqueues: [{{name: q, gpu: {{quota: 1, weight: 3, limit: unlimited}}}}]\n\
         jobs: [{{name: c, queue: q, gpu: 1}}, {{name: a, queue: q, gpu: 1}}, {{name: b, queue: q, gpu: 1}}]\n"
    );
    read(&text).scenario.expect("it has the form of a scenario")
}

/// Jobs that run after some cycles.
fn running(scenario: &Scenario) -> Vec<String> {
    let plan = check(scenario).plan.expect("it can be run");
    let mut sim = Simulation::new(&plan);
    while sim.now() < Time::from_seconds(5) && sim.advance().is_some() {}
    let cluster = sim.cluster();
    let runs = |job| cluster.pods_of(job).all(|(_, pod)| pod.phase.holds());
    cluster.jobs.ids().filter(|&job| runs(job)).map(|job| cluster.jobs[job].name.to_string()).collect()
}

/// The menu, the forms and the rule book are loops over this list.
#[test]
fn it_is_listed_with_its_form_and_its_rules() {
    assert!(Policy::NAMES.contains(&"by-name"));
    assert!(Policy::baselines().any(|policy| policy.key == "by-name" && policy.title == "In order of names"));
    let policy = Policy::described("by-name").expect("it is registered");
    let fields: Vec<_> = policy.form.settings.iter().flat_map(|(_, fields)| fields.iter()).collect();
    assert_eq!(fields.iter().map(|field| field.key).collect::<Vec<_>>(), ["reverse"]);
    let book = rulebook::of("by-name".into());
    assert_eq!(book.rule("by-name/order").map(|rule| rule.formula.as_str()), Some("name(first) ≤ name(job)"));
    assert!(book.rules_of("reverse").any(|rule| rule.key == "by-name/order"));
}

#[test]
fn its_setting_is_checked() {
    let found = |settings: &str| check(&scenario("by-name", settings)).diagnostics;
    assert!(!found("reverse: true").iter().any(|found| found.code != codes::NOT_EXPRESSED));
    let wrong = found("reverse: maybe");
    let wrong = wrong.iter().find(|found| found.code == codes::SETTING_VALUE).expect("no such value");
    assert_eq!(wrong.says, "reverse \"maybe\" is not true or false");
    let wrong = found("revers: true");
    let wrong = wrong.iter().find(|found| found.code == codes::SETTING).expect("no such setting");
    assert_eq!(wrong.says, "the policy has no setting \"revers\"; did you mean `reverse`?");
    let edits = wrong.fix.as_ref().map(|fix| fix.edits.as_slice()).unwrap_or_default();
    let Some(Edit::Set { at, value }) = edits.last() else { panic!("{edits:?}") };
    assert_eq!((at.0.last(), value.as_str()), (Some(&Segment::Field("reverse".into())), "true"));
    let unknown = check(&scenario("by-nam", "")).diagnostics;
    assert!(unknown.iter().any(|found| found.code == codes::POLICY && found.says.contains("by-name")));
}

/// Queue values that it does not read are reported, in checks and in translations.
#[test]
fn scenarios_of_others_become_its_own() {
    let ignored = check(&scenario("by-name", "")).diagnostics;
    assert!(ignored.iter().any(|found| found.code == codes::NOT_EXPRESSED), "{ignored:?}");
    let made = translate(&scenario("kai", "gpu-placement: spread, seed: 3"), "by-name").expect("both exist");
    assert_eq!((made.scenario.policy.as_str(), made.scenario.settings.len()), ("by-name", 0));
    let dropped: Vec<_> = made.notes.iter().filter(|note| note.kind == NoteKind::Dropped).collect();
    for says in [
        "in order of names has no quotas",
        "in order of names has no weights",
        "in order of names has no seed",
        "in order of names has one way to choose nodes",
    ] {
        assert!(dropped.iter().any(|note| note.says == says), "{says}: {dropped:?}");
    }
    assert_eq!(running(&made.scenario), ["a", "b"]);
}

/// The path of the runner and the page: text, plan, simulation, rows.
#[test]
fn it_runs() {
    assert_eq!(running(&scenario("by-name", "")), ["a", "b"]);
    assert_eq!(running(&scenario("by-name", "reverse: true")), ["c", "b"]);
    let plan = check(&scenario("by-name", "")).plan.expect("it can be run");
    assert_eq!(plan.policy.key(), "by-name");
}
