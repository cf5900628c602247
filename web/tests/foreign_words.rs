//! The page uses the vocabulary of the policy.

use fairground::units::{Resource, ShownResource};
use std::collections::BTreeSet;

use crate::run::Page;
use fairground::words::{Ladder, Selection, Terms};
use fairground_web::engine::protocol::{Frame, Run};
use fairground_web::library::EXAMPLES;
use fairground_web::views::{cluster, shares};
use fairground_web::words::{self, Explanation, Text};

/// Terms for which a policy has its own.
fn foreign(policy: &str) -> &'static [&'static str] {
    match policy {
        "runai" => &["queue", "queues", "job", "jobs", "fair share", "fair shares"],
        "ego" => &["queue", "queues", "job", "jobs", "pod", "pods", "node", "nodes", "quota", "fair share", "evicted"],
        "yunikorn" => &["job", "jobs", "quota", "fair share"],
        "max-min" | "drf" => &["quota", "quotas"],
        _ => &[],
    }
}

/// The foreign term in a text, as a whole word. EGO has its own share usage quota.
fn found(text: &str, policy: &str) -> Option<&'static str> {
    let own = ["share usage quota", "share quotas", "share quota"]
        .iter()
        .fold(text.to_lowercase(), |text, own| text.replace(own, ""));
    let joins = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '/' | '.');
    let is_whole = |at: usize, word: &str| {
        let (before, after) = (own[..at].chars().next_back(), own[at + word.len()..].chars());
        // A full stop ends a sentence, or is part of a name.
        let mut after = after.take(2);
        let joined = match (after.next(), after.next()) {
            (Some('.'), next) => next.is_some_and(|c| c.is_alphanumeric()),
            (next, _) => next.is_some_and(joins),
        };
        !before.is_some_and(joins) && !joined
    };
    foreign(policy).iter().copied().find(|word| own.match_indices(word).any(|(at, _)| is_whole(at, word)))
}

/// The words of a text, without names.
fn said(text: &Text) -> String {
    use words::Piece::{Amount, Job, Name, Node, Plain, Queue, Rule};
    let pieces = text.0.iter().map(|piece| match piece {
        Plain(words) => words.as_str(),
        Amount(shown, _) => shown.as_str(),
        Queue(_) | Job(_) | Node(_) | Rule(_) | Name(_) => "…",
    });
    pieces.collect()
}

/// Everything that WHY shows of an explanation.
fn all(why: &Explanation, terms: &Terms) -> Vec<String> {
    let mut texts = vec![said(&why.about), said(&why.verdict), said(&why.outlook)];
    texts.extend(why.also.iter().chain(why.checks.iter().map(|check| &check.text)).map(said));
    texts.extend(why.controls.iter().map(|control| said(&control.label)));
    texts.extend(why.ladder.iter().flat_map(|step| [said(&step.text), step.sum.clone()]));
    texts.extend(why.order.iter().flat_map(|level| level.entries.iter()).map(|entry| said(&entry.text)));
    texts.extend(why.list.iter().map(|(caption, _)| terms.fill(caption)));
    let entries = why.list.iter().flat_map(|(_, entries)| entries).chain(&why.others).chain(&why.history);
    texts.extend(entries.map(|entry| said(&entry.text)));
    texts.extend(why.evidence.iter().flat_map(|evidence| {
        let head = evidence.head.iter().chain([&evidence.caption]).map(said);
        head.chain(evidence.rows.iter().map(|row| terms.fill(row.0))).collect::<Vec<_>>()
    }));
    texts.extend(why.rule.iter().map(|rule| rule.says.clone()));
    texts
}

fn selections(frame: &Frame) -> Vec<Selection> {
    let queues = frame.queues.iter().map(|queue| Selection::Queue(queue.name.clone()));
    let jobs = frame.jobs.iter().map(|job| Selection::Job(job.name.clone()));
    let nodes = frame.nodes.iter().map(|node| Selection::Node(node.name.clone()));
    let events = (0..frame.events.len() as u32).map(|index| Selection::Event { cycle: frame.cycle, index });
    queues.chain(jobs).chain(nodes).chain(events).collect()
}

/// All texts at a moment, without names.
fn texts(frame: &Frame, run: &Run, ladders: &[Ladder]) -> Vec<String> {
    let terms = Terms::of(&frame.policy);
    let mut texts = all(&words::at_rest(frame), terms);
    for selection in selections(frame) {
        let ladder = ladders.iter().find(|ladder| selection == Selection::Queue(ladder.queue.clone()));
        texts.extend(all(&words::why(frame, Some(run), &selection, ladder, Resource::GPU), terms));
    }
    texts.push(words::announce(frame, Resource::GPU));
    let view = shares::view::shares(frame, None, None, ShownResource::GPU, &[]);
    texts.push(view.summary.clone());
    texts.extend(view.rows.iter().map(|row| row.sentence()));
    texts.extend(shares::view::table(&view).head);
    texts.extend(cluster::view::table(&cluster::view::cluster(frame, 640.0, ShownResource::GPU), terms).head);
    texts
}

#[test]
fn every_policy_speaks_its_own_words() {
    let mut wrong = BTreeSet::new();
    for example in EXAMPLES {
        let scenario = example.scenario();
        let policy = if scenario.policy.is_empty() { "kai".to_string() } else { scenario.policy.clone() };
        let scenario = std::sync::Arc::new(scenario);
        let mut page = Page::default();
        for cycle in 0..6 {
            let (frame, run) = page.main_at(scenario.clone(), cycle);
            let queues = frame.queues.iter();
            let ladders: Vec<Ladder> = queues.map(|queue| page.ladder(&queue.name, Resource::GPU)).collect();
            for text in texts(&frame, &run, &ladders) {
                if let Some(word) = found(&text, &policy) {
                    wrong.insert(format!("{policy} says {word:?}: {text}"));
                }
            }
        }
    }
    let wrong: Vec<String> = wrong.into_iter().collect();
    assert!(wrong.is_empty(), "{} texts:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_foreign_word_is_found_whole() {
    assert_eq!(found("The queue.", "ego"), Some("queue"));
    assert_eq!(found("its share usage quota is 3", "ego"), None);
    assert_eq!(found("queue-1 and queues.yaml", "ego"), None);
    assert_eq!(found("a pod of it", "runai"), None);
}
