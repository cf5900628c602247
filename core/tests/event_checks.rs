//! The decisive checks of events, of which a cycle keeps only the first ones.

use fairground::scenario::{check, read};
use fairground::sim::Timeline;
use fairground::trace::{EXPLAINED_MAX, Event, Level};

/// One cycle in which more pods start than are explained.
fn started() -> Timeline {
    let n = EXPLAINED_MAX + 40;
    let text = format!(
        "format: fairground-scenario\nversion: 1\npolicy: kai\nnodes: [{{name: n, count: {}, gpu: 8}}]\n\
         queues: [{{name: q, gpu: {{quota: unlimited, limit: unlimited}}}}]\n\
         jobs: [{{name: j, count: {n}, queue: q, gpu: 1}}]\n",
        n.div_ceil(8)
    );
    let plan = check(&read(&text).scenario.expect("it has the form of a scenario")).plan.expect("it can run");
    let mut timeline = Timeline::new(&plan);
    assert!(timeline.advance(Level::Decisive));
    timeline
}

#[test]
fn checks_that_were_not_kept_are_found_by_running_the_cycle_again() {
    let timeline = started();
    let events = &timeline.record().events;
    assert!(events.len() > EXPLAINED_MAX);
    let (first, last) = (0, events.len() - 1);
    assert!(!events[first].checks.is_empty() && events[last].checks.is_empty());
    for index in [first, last] {
        let Event::Bound { pod, node, .. } = events[index].event else { panic!("{:?}", events[index]) };
        let checks = timeline.event_checks(index);
        assert!(checks.iter().any(|check| check.subject.node == Some(node)), "{checks:?}");
        assert!(checks.iter().all(|check| check.subject.pod.is_none_or(|subject| subject == pod)), "{checks:?}");
    }
    assert_eq!(timeline.event_checks(first), events[first].checks);
    assert_eq!(timeline.event_checks(events.len()), [].into());
}
