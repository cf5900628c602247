//! Sharing: lengths of links, notes in links, and ticket cards.
#![allow(clippy::disallowed_methods, reason = "the examples and the published files are read from the repository")]

use std::fmt::Write;
use std::sync::Arc;

use fairground::export::{is_list_of_names, renamed, restored};
use fairground::link::{Moment, decode, encode};
use fairground::moment::{EventWord, Names, frame};
use fairground::scenario::{Scenario, check, read};
use fairground::sim::Simulation;
use fairground::trace::Level;
use fairground::words::{Selection, ticket};

fn scenario(text: &str) -> Scenario {
    let read = read(text);
    assert!(read.is_clean(), "{:?}", read.diagnostics);
    read.scenario.expect("a scenario")
}

/// Queues in departments, node groups of different sizes, and jobs of different shapes, without patterns.
fn synthetic(n_queues: usize, n_nodes: usize, n_jobs: usize) -> Scenario {
    let mut text = "format: fairground-scenario\nversion: 1\nname: Synthetic\npolicy: kai\nnodes:\n".to_string();
    for i in 0..n_nodes {
        let _ = writeln!(text, "- {{name: node-{i}, gpu: {}}}", if i % 5 == 4 { 4 } else { 8 });
    }
    let n_tops = n_queues.div_ceil(6);
    text += "queues:\n";
    for i in 0..n_queues {
        let parent = if i < n_tops { String::new() } else { format!(", parent: queue-{}", i % n_tops) };
        let (quota, weight) = (i * 7 % 5, 1 + i * 3 % 4);
        let _ = writeln!(
            text,
            "- {{name: queue-{i}{parent}, gpu: {{quota: {quota}, limit: unlimited, weight: {weight}}}}}"
        );
    }
    text += "jobs:\n";
    for i in 0..n_jobs {
        let queue = n_tops + i * 11 % (n_queues - n_tops);
        let (gpu, submit, lasts) = (1 + i * 5 % 8, i * 17 % 240, 60 + i * 37 % 900);
        let pods = if i % 7 == 3 { ", pods: 4" } else { "" };
        let _ = writeln!(
            text,
            "- {{name: job-{i}, queue: queue-{queue}, gpu: {gpu}{pods}, submit: {submit}s, lasts: {lasts}s}}"
        );
    }
    scenario(&text)
}

#[test]
fn links_respect_size_limits() {
    let sizes = [((3, 2, 4), 286), ((8, 8, 20), 606), ((24, 64, 100), 1_720), ((110, 500, 1_000), 13_142)];
    for ((queues, nodes, jobs), most) in sizes {
        let scenario = synthetic(queues, nodes, jobs);
        let link = encode(&scenario);
        println!("{queues} queues, {nodes} nodes, {jobs} jobs: {} of {most} characters", link.len());
        assert!(link.len() <= most, "{queues}/{nodes}/{jobs}: {} of {most}", link.len());
        assert_eq!(decode(&link), Ok(scenario));
    }
}

#[test]
fn links_contain_notes() {
    let moment =
        Moment { note: Some("Why is b2 waiting? — 4 GPUs & \"free\"".into()), why: true, ..Moment::default() };
    let text = moment.to_string();
    assert!(text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.&=".contains(&b)), "{text}");
    assert_eq!(Moment::parse(&format!("https://example.org/#d1.x{text}")), moment);
    let long = Moment { note: Some("x".repeat(2_000)), ..Moment::default() };
    assert_eq!(Moment::parse(&long.to_string()).note.map(|note| note.len()), Some(500));
    assert_eq!(Moment::parse("&note=%%%").note, None);
    assert_eq!(Moment::parse("&at=3&note=").note, None);
}

#[test]
fn a_ticket_card_is_plain_text() {
    let scenario = scenario(include_str!("../../assets/scenarios/start.yaml"));
    let plan = check(&scenario).plan.expect("it runs");
    let mut simulation = Simulation::new(&plan);
    simulation.set_level(Level::Decisive);
    let names = Arc::new(Names::of("kai", simulation.cluster()));
    let record = simulation.advance().expect("a cycle");
    let frame = frame(&names, &simulation, &record);
    let selection = Selection::from_text("job:b2");
    let card = ticket(&frame, &scenario.name, selection.as_ref(), None, "https://example.org/#d1.x");
    expect_test::expect_file!["sharing.txt"].assert_eq(&card);
}

/// Every example with neutral names: none of its own names is left, and the events are the same in every cycle.
#[test]
fn neutral_names_preserve_the_run() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../assets/scenarios");
    for entry in std::fs::read_dir(folder).expect("the examples").flatten() {
        let own = read(&std::fs::read_to_string(entry.path()).expect("a text")).scenario.expect("a scenario");
        let made = renamed(&own);
        let at = entry.path();
        let names = made.scenario.queues.iter().map(|queue| queue.name.as_str());
        let names = names.chain(made.scenario.jobs.iter().map(|job| job.name.as_str()));
        assert!(names.into_iter().all(|name| name.starts_with("queue-") || name.starts_with("job-")), "{at:?}");
        assert_eq!((made.scenario.name.as_str(), made.scenario.note.as_str()), ("", ""));
        let kinds = |scenario: &Scenario| {
            let checked = check(scenario);
            let mut simulation =
                Simulation::new(&checked.plan.unwrap_or_else(|| panic!("{at:?}: {:?}", checked.diagnostics)));
            let mut kinds = Vec::new();
            for _ in 0..30 {
                let Some(record) = simulation.advance() else { break };
                let mut words: Vec<_> = record.events.iter().map(|e| EventWord::of_event(&e.event)).collect();
                words.sort_unstable();
                kinds.push(words);
            }
            kinds
        };
        assert_eq!(kinds(&made.scenario), kinds(&own), "{at:?}");
        let key = made.key();
        assert_eq!(key.lines().count(), made.names.len() + 1);
        assert!(is_list_of_names(key.as_bytes()) && !is_list_of_names(&key.as_bytes()[1..]));
        // The list restores every name, also with a byte order mark and other line endings.
        for list in [key.clone(), format!("\u{feff}{}", key.replace("\r\n", "\n"))] {
            let back = restored(&made.scenario, &list).expect("a list of names");
            assert_eq!(back.n_names, made.names.len());
            assert_eq!(renamed(&back.scenario), made, "{at:?}");
            assert!(back.scenario.settings == own.settings, "{at:?}");
            let queues =
                |scenario: &Scenario| scenario.queues.iter().map(|queue| queue.name.clone()).collect::<Vec<_>>();
            assert_eq!(queues(&back.scenario), queues(&own), "{at:?}");
        }
    }
}

/// Later additions, notes included, stay; a damaged list is reported with its position.
#[test]
fn a_renaming_is_reverted_by_its_list() {
    let own = read(
        "format: fairground-scenario\nversion: 1\nsettings: {maxapplications.team: 3}\npolicy: yunikorn\n\
         nodes: [{name: rack, count: 2, gpu: 4}]\nqueues: [{name: team}]\n\
         jobs: [{name: 'a, \"b\"', queue: team, user: eve, gpu: 1, on: [rack-2]}]\n",
    );
    let own = own.scenario.expect("a scenario");
    let made = renamed(&own);
    let mut edited = made.scenario.clone();
    edited.name = "Looked at".into();
    std::sync::Arc::make_mut(&mut edited.queues)[0].note = "too small".into();
    let back = restored(&edited, &made.key()).expect("a list of names").scenario;
    assert_eq!((back.name.as_str(), back.queues[0].note.as_str()), ("Looked at", "too small"));
    assert_eq!((&back.jobs, &back.nodes, &back.settings), (&own.jobs, &own.nodes, &own.settings));
    let wrong = |list: String| restored(&edited, &list).expect_err("it is damaged");
    let line = made.key().lines().nth(1).expect("a line").to_string();
    assert!(wrong(format!("{}{line}\r\n", made.key())).contains("is listed twice"));
    assert!(wrong(made.key().replace("queue,", "thing,")).starts_with("line "));
}
