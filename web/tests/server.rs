//! The engine's server as used by page and worker.

use std::sync::Arc;

use fairground::id::PodId;
use fairground::scenario::Scenario;
use fairground::units::Resource;
use fairground_web::engine::protocol::{
    Amounts, At, BranchId, Compared, EventWord, Frame, Message, MomentRequest, Request, Response, Subjects, ToCompare,
};
use fairground_web::engine::report::{Report, ReportRequest};
use fairground_web::library::{EXAMPLES, Example};

use crate::run::{Page, preview_at, sent};
use crate::whole::Whole;

impl Page {
    /// The cycle of the next or previous event, of a job or of any.
    fn event(&mut self, from: u32, back: bool, job: Option<&str>) -> Option<u32> {
        let job = job.map(str::to_string);
        match self.ask(Request::NextEvent { from, back, queue: None, job, without: Vec::new() }).pop() {
            Some(Message { body: Response::Event { cycle }, .. }) => cycle,
            other => panic!("an event was expected, not {other:?}"),
        }
    }

    fn load(&mut self, example: &str, cycle: u32) -> Frame {
        let scenario = Arc::new(Example::find(example).expect("an example").scenario());
        self.main_at(scenario, cycle).0
    }
}

fn kinds(frame: &Frame) -> Vec<(&str, &str)> {
    frame.events.iter().map(|e| (e.word().name(), frame.job_name(e))).collect()
}

#[test]
fn the_start_scenario_runs_step_by_step() {
    let mut page = Page::default();
    let opening = page.load("start", 0);
    assert_eq!(opening.cycle, 0);
    let cells = |frame: &Frame| {
        let pods = |cell: &fairground_web::engine::protocol::Cell| {
            cell.pods.iter().map(|p| frame.job(p.job)).collect::<Vec<_>>().join("+")
        };
        frame.nodes.iter().map(|n| n.cells.iter().map(pods).collect::<Vec<_>>()).collect::<Vec<_>>()
    };
    assert_eq!(cells(&opening), [["a1", "a1"], ["a2", "b1"]]);
    let first = page.go_to(1).0;
    assert_eq!(kinds(&first), [("submitted", "b2"), ("reclaimed", "a2"), ("claimed", "b2")]);
    let cell = &first.nodes[1].cells[0];
    assert!(cell.pods[0].leaving && cell.pods[0].changed);
    assert_eq!(cell.claimed.as_ref().map(|c| first.job(c.job)), Some("b2"));
    let reclaimed = &first.events[1];
    let by = reclaimed.by().map(|by| first.job(by));
    assert_eq!((by, reclaimed.checks.is_empty()), (Some("b2"), false));
    assert_eq!((first.queues[0].leaving[2], first.queues[1].claimed[2]), (1.0, 1.0));
    let second = page.go_to(2).0;
    assert!(kinds(&second).contains(&("started", "b2")));
    assert_eq!(cells(&second), [["a1", "a1"], ["b2", "b1"]]);
    assert_eq!(second.refusals.iter().map(|r| second.job(r.job)).collect::<Vec<_>>(), ["a2"]);
    let late = page.go_to(50).0;
    assert!(late.quiet && late.cycle < 50, "the run ends by itself");
}

#[test]
fn back_equals_forward() {
    for example in EXAMPLES {
        let mut page = Page::default();
        page.load(example.id, 0);
        let forward: Vec<Frame> = (0..6).map(|cycle| page.go_to(cycle).0).collect();
        for cycle in (0..6).rev() {
            assert_eq!(page.go_to(cycle).0, forward[cycle as usize], "{} at {cycle}", example.id);
        }
        assert_eq!(Page::default().load(example.id, 5), forward[5], "{}", example.id);
    }
}

#[test]
fn looking_ahead_changes_no_answer() {
    for example in EXAMPLES {
        let (mut plain, mut ahead) = (Page::default(), Page::default());
        plain.load(example.id, 0);
        ahead.load(example.id, 0);
        for cycle in [1, 2, 5, 3, 4, 4, 9, 0, 1] {
            ahead.server.look_ahead();
            let (plain, ahead) = (plain.go_to(cycle), ahead.go_to(cycle));
            assert_eq!(plain, ahead, "{} at {cycle}", example.id);
        }
    }
}

#[test]
fn events_are_found_in_both_directions() {
    let mut page = Page::default();
    page.load("min-runtime-on", 0);
    assert_eq!(page.event(0, false, None), Some(4));
    assert_eq!(page.event(0, false, Some("b2")), Some(4));
    assert_eq!(page.event(4, true, Some("b2")), Some(0));
    assert_eq!(page.event(100, false, Some("no-such-job")), None);
    assert_eq!(page.go_to(4).0.cycle, 4);
}

#[test]
fn a_preview_leaves_the_run_alone() {
    let mut page = Page::default();
    page.load("start", 3);
    page.go_to(1);
    let edited = EXAMPLES[0].text.replacen("quota: 2", "quota: 3", 1);
    let report = Some(ReportRequest::Fairness { resource: Resource::GPU });
    let said = page.preview_at(&sent(&edited), 1, Subjects { report, ..Subjects::default() });
    let [Response::Moment(preview), Response::Moment(rest)] = &said[..] else {
        panic!("a preview and its run were expected, not {said:?}");
    };
    assert_eq!(kinds(preview.frame.as_ref().expect("a frame")), [("submitted", "b2")]);
    assert_eq!(rest.run.as_ref().map(|run| run.last_cycle), Some(2), "nothing further happens");
    let Some((_, Report::Fairness(tally))) = &preview.report else { panic!("{said:?}") };
    assert_eq!(tally.summary.cycles, 1, "it is of the moment");
    assert_eq!(page.go_to(1).0.events.len(), 3);
    let wrong = Arc::new(Scenario { policy: "unknown".into(), ..Scenario::default() });
    let replies = page.preview_at(&wrong, 1, Subjects::default());
    assert!(matches!(replies[..], [Response::Refused { .. }]), "no preview was expected");
}

/// The preview goes first, and what it interrupts goes on after it.
#[test]
fn a_preview_does_not_displace_another_run() {
    let mut page = Page::default();
    page.load("start", 3);
    let scenario = sent(EXAMPLES[0].text);
    for (generation, branch) in [(10, BranchId::Baseline), (11, BranchId::Preview)] {
        let ask = MomentRequest { branch, ..MomentRequest::main_at(&scenario, 2) };
        page.server.handle(Message { generation, body: Request::Moment(ask) });
        page.server.work();
    }
    let mut replies = Vec::new();
    while page.server.is_busy() {
        replies.extend(page.server.work().into_iter().map(|reply| reply.generation));
    }
    assert_eq!(replies, [11, 11, 10, 10]);
}

#[test]
fn a_long_run_can_be_stopped_where_it_is() {
    let mut page = Page::default();
    page.load("past-counts", 0);
    let long = MomentRequest { at: At::Time(1_000_000), ..MomentRequest::go_to(0) };
    page.server.handle(Message { generation: 90, body: Request::Moment(long) });
    page.server.work();
    page.server.work();
    let replies = page.server.handle(Message { generation: 91, body: Request::Cancel });
    assert!(matches!(replies[0], Message { generation: 91, body: Response::Cancelled { goes_back_to: Some(2) } }));
    let mut replies = Vec::new();
    while page.server.is_busy() {
        replies.extend(page.server.work());
    }
    let Some(Message { generation: 90, body: Response::Moment(moment) }) = replies.pop() else { panic!("a moment") };
    let frame = moment.frame.expect("the moment with its frame");
    assert_eq!(frame.cycle, 2);
    assert!(frame.refusals.iter().any(|refusal| !refusal.checks.is_empty()), "its reasons are known");
}

#[test]
fn a_fair_share_is_derived_down_the_tree() {
    let mut page = Page::default();
    let frame = page.load("tree-decides", 1);
    let levels = page.ladder("vision", Resource::GPU).levels;
    assert_eq!(levels.iter().map(|l| l.queue.as_str()).collect::<Vec<_>>(), ["research", "vision"]);
    let vision = frame.queues.iter().find(|q| q.name == "vision").expect("a queue");
    let shown = vision.fair_share.expect("a share")[2];
    assert_eq!(levels.last().map(|l| Some(l.fair_share)), Some(shown));
}

#[test]
fn what_cannot_run_is_refused_with_reasons() {
    let mut page = Page::default();
    let wrong = Arc::new(Scenario { policy: "unknown".into(), ..Scenario::default() });
    let replies = page.ask(Request::Moment(MomentRequest::main_at(&wrong, 0)));
    let [Message { body: Response::Refused { findings }, .. }] = replies.as_slice() else { panic!("{replies:?}") };
    assert_eq!(findings.len(), 1);
    assert!(page.ask(Request::Moment(MomentRequest::go_to(3))).is_empty());
}

#[test]
fn a_run_stops_where_it_was_asked_to_and_says_why() {
    use fairground_web::engine::protocol::Stop;
    use fairground_web::state::command::Command;
    let said = |example: &str, stop: Stop| {
        let mut whole = Whole::open(example, 0);
        whole.dispatch(Command::RunTo(stop));
        assert_eq!(whole.model.playback.cursor, whole.frame().cycle);
        (whole.model.playback.cursor, whole.model.notices.last().expect("a notice").text.clone())
    };
    let b1 = said("min-runtime-on", Stop::Starts("b1".into()));
    assert_eq!(b1, (5, "Stopped at cycle 5: b1 started.".to_string()));
    let evicts = said("min-runtime-on", Stop::Evicts);
    assert_eq!(evicts, (4, "Stopped at cycle 4: first eviction.".to_string()));
    let share = said("start", Stop::Share("team-b".into()));
    assert_eq!(share, (2, "Stopped at cycle 2: team-b reached its share.".to_string()));
    let (_, never) = said("limit-is-a-ceiling", Stop::Starts("a5".into()));
    assert!(never.starts_with("Nothing further happens after cycle"), "{never}");
    assert!(never.ends_with("a5 did not start."), "{never}");
}

#[test]
fn jumps_pass_over_kinds_that_are_left_out() {
    use fairground::moment::EventKind;
    use fairground_web::state::command::Command;
    let mut whole = Whole::open("min-runtime-on", 0);
    whole.dispatch(Command::NextEvent { back: false });
    assert_eq!(whole.model.playback.cursor, 4);
    let mut whole = Whole::open("min-runtime-on", 0);
    for kind in [EventKind::Reclaimed, EventKind::Claimed] {
        whole.dispatch(Command::ShowEvents(kind, false));
    }
    whole.dispatch(Command::NextEvent { back: false });
    assert_eq!(whole.model.playback.cursor, 5);
}

/// The pods on each cell that are not being evicted.
fn staying(frame: &Frame) -> Vec<Vec<Vec<PodId>>> {
    let of_cell = |cell: &fairground_web::engine::protocol::Cell| {
        let mut pods: Vec<PodId> = cell.pods.iter().filter(|p| !p.leaving).map(|p| p.pod).collect();
        pods.sort();
        pods
    };
    frame.nodes.iter().map(|node| node.cells.iter().map(of_cell).collect()).collect()
}

#[test]
fn the_decisions_of_a_cycle_lead_from_its_opening_to_its_end() {
    use fairground::moment::EventWord;
    use fairground_web::state::playback::decision_step::{event_of, moment_after, n_decisions};
    let mut n_seen = 0;
    for example in EXAMPLES {
        let mut page = Page::default();
        let mut before = page.load(example.id, 0);
        for cycle in 1..6 {
            let end = page.go_to(cycle).0;
            if end.cycle != cycle {
                break;
            }
            // What ends between two cycles is gone before the first decision.
            if end.events.iter().any(|event| event.word() == EventWord::Finished) {
                before = end;
                continue;
            }
            let n = n_decisions(&end);
            n_seen += n;
            let opening = moment_after(&end, 0);
            assert_eq!(staying(&opening), staying(&before), "{} before cycle {cycle}", example.id);
            let held = |frame: &Frame| {
                let rounded = |amount: f64| (amount * 1e6).round();
                frame.queues.iter().map(|q| q.allocated.map(rounded)).collect::<Vec<_>>()
            };
            assert_eq!(held(&opening), held(&before), "{} before cycle {cycle}", example.id);
            // Only claims for a gang existed before.
            let claimed = |frame: &Frame| {
                let cells = frame.nodes.iter().flat_map(|n| &n.cells);
                cells.filter(|cell| cell.claimed.is_some()).count()
            };
            let kept = if example.id.starts_with("gang-") { claimed(&before) } else { 0 };
            assert!(claimed(&opening) <= kept, "{} before cycle {cycle}", example.id);
            // With a grace period longer than a cycle, some pods are already terminating.
            for (now, then) in opening.queues.iter().zip(&before.queues) {
                let is_kept = |now: Amounts, then: Amounts| now.iter().zip(then.iter()).all(|(now, then)| now <= then);
                assert!(is_kept(now.claimed, then.claimed), "{} before cycle {cycle}", example.id);
                assert!(is_kept(now.leaving, then.leaving), "{} before cycle {cycle}", example.id);
            }
            for k in 1..=n {
                let moment = moment_after(&end, k);
                let at = event_of(&end, k).expect("a decision") as usize;
                assert!(moment.events.len() > at);
                let changed = |f: &Frame| {
                    let pods = f.nodes.iter().flat_map(|n| &n.cells).flat_map(|c| &c.pods);
                    pods.filter(|p| p.changed).map(|p| p.pod).collect::<Vec<_>>()
                };
                let pod = end.events[at].pod();
                assert!(changed(&moment).iter().all(|of| Some(*of) == pod));
            }
            let last = moment_after(&end, n);
            assert_eq!((staying(&last), &last.queues, &last.jobs), (staying(&end), &end.queues, &end.jobs));
            before = end;
        }
    }
    assert!(n_seen > 100, "{n_seen} decisions seen");
}

#[test]
fn stepping_by_decisions_visits_every_moment_both_ways() {
    use fairground_web::state::command::Command;
    let mut whole = Whole::open("quota-is-a-floor", 0);
    let mut places = Vec::new();
    for _ in 0..14 {
        whole.dispatch(Command::StepDecision { back: false });
        places.push((whole.model.playback.cursor, whole.model.playback.decision));
    }
    assert_eq!(&places[..3], [(1, Some(1)), (1, Some(2)), (1, Some(3))]);
    assert!(places.contains(&(1, None)) && places.contains(&(2, Some(1))) && places.contains(&(2, None)));
    assert_eq!(whole.model.moment.within_cycle, None, "the end of a cycle is its frame");
    for (at, place) in places.iter().enumerate().rev() {
        if places.get(at + 1) != Some(place) {
            assert_eq!((whole.model.playback.cursor, whole.model.playback.decision), *place);
            whole.dispatch(Command::StepDecision { back: true });
            if whole.model.playback.decision == Some(0) {
                whole.dispatch(Command::StepDecision { back: true });
            }
        }
    }
    assert_eq!((whole.model.playback.cursor, whole.model.playback.decision), (0, None));
    whole.dispatch(Command::StepDecision { back: false });
    whole.dispatch(Command::Step);
    assert_eq!(
        (whole.model.playback.cursor, whole.model.playback.decision),
        (1, None),
        "a step goes to the end of the cycle first"
    );
}

#[test]
fn what_is_selected_has_a_place_at_every_moment() {
    use fairground::words::Selection;
    use fairground_web::state::command::Command;
    let mut whole = Whole::open("tenants-and-offsets", 0);
    let selection = Some(Selection::Queue("system".into()));
    whole.dispatch(Command::Select(selection.clone()));
    let place = |whole: &Whole| {
        let order = whole.model.moment.order.clone().expect("an order");
        assert_eq!((order.cycle, Some(&order.of)), (whole.model.playback.cursor, selection.as_ref()));
        order.levels[0].places.iter().find(|place| place.is_subject).expect("a place").position
    };
    assert_eq!(place(&whole), 1);
    whole.dispatch(Command::GoTo(3));
    assert_eq!(place(&whole), 2, "only P3 with its offset of -1000 is left");
    let mut kai = Whole::open("tree-decides", 1);
    kai.dispatch(Command::Select(Some(Selection::Queue("vision".into()))));
    let order = kai.model.moment.order.clone().expect("an order");
    let is_absent: Vec<bool> = order.levels.iter().map(|level| level.subject_is_absent).collect();
    assert_eq!(is_absent, [false, true], "only its parent has work that waits");
    let mut ego = Whole::open("ego-share-usage", 1);
    ego.dispatch(Command::Select(Some(Selection::Queue("A".into()))));
    let order = ego.model.moment.order.clone().expect("an order");
    let places: Vec<&str> = order.levels[0].places.iter().map(|place| place.name.as_str()).collect();
    assert_eq!(places, ["A", "B", "C"]);
}

#[test]
fn stepping_by_actions_visits_the_end_of_each_both_ways() {
    use fairground_web::state::command::Command;
    use fairground_web::state::playback::decision_step;
    let mut n_several = 0;
    for example in EXAMPLES {
        for cycle in 1..4 {
            let frame = Page::default().load(example.id, cycle);
            let actions = decision_step::actions(&frame);
            let n = decision_step::n_decisions(&frame);
            assert!(actions.windows(2).all(|pair| pair[0].1 < pair[1].1), "{}", example.id);
            assert_eq!(actions.last().map_or(0, |last| last.1), n, "{}: all decisions are of actions", example.id);
            let n_events: usize =
                actions.iter().map(|action| decision_step::events_of_action(&frame, action.1).len()).sum();
            assert_eq!(n_events, n as usize, "{}", example.id);
            let is_kai = matches!(frame.policy.as_str(), "kai" | "runai");
            assert!(!is_kai || actions.iter().all(|action| !action.0.is_empty()), "{}", example.id);
            n_several += usize::from(actions.len() > 1);
        }
    }
    assert!(n_several > 3, "{n_several} cycles with several actions");
    let mut whole = Whole::open("elastic-gives-back", 0);
    let mut places = Vec::new();
    for _ in 0..6 {
        whole.dispatch(Command::Action { back: false });
        places.push((whole.model.playback.cursor, whole.model.playback.decision));
    }
    let frame = whole.model.moment.frame.clone().expect("a moment");
    assert!(frame.cycle > 0 && whole.model.moment.within_cycle.is_none() == whole.model.playback.decision.is_none());
    for (at, place) in places.iter().enumerate().rev() {
        if places.get(at + 1) != Some(place) {
            assert_eq!((whole.model.playback.cursor, whole.model.playback.decision), *place);
            whole.dispatch(Command::Action { back: true });
            if whole.model.playback.decision == Some(0) {
                whole.dispatch(Command::Action { back: true });
            }
        }
    }
    assert_eq!((whole.model.playback.cursor, whole.model.playback.decision), (0, None));
    whole.announced.clear();
    whole.dispatch(Command::Action { back: false });
    let [said] = &whole.announced[..] else { panic!("one announcement, not {:?}", whole.announced) };
    assert!(said.starts_with("Cycle 1, "), "{said}");
}

/// A drag sends requests faster than replies arrive: the current one is finished, the latest one comes next, and those
/// in between are dropped.
#[test]
fn alternatives_arrive_during_a_drag() {
    let mut page = Page::default();
    page.load("start", 3);
    let text = Example::find("start").expect("an example").text;
    let ask = |page: &mut Page, weight: u32| {
        page.generation += 1;
        let text = text.replacen("weight: 1", &format!("weight: {weight}"), 1);
        let ask = preview_at(&sent(&text), 3, Subjects::default());
        let replies = page.server.handle(Message { generation: page.generation, body: ask });
        assert!(replies.is_empty());
        page.generation
    };
    let first = ask(&mut page, 2);
    assert!(page.server.work().is_empty(), "it has only begun");
    let asked: Vec<u64> = (3..8).map(|weight| ask(&mut page, weight)).collect();
    let mut answered = Vec::new();
    while page.server.is_busy() {
        answered.extend(page.server.work());
    }
    let ids: Vec<u64> = answered.iter().map(|reply| reply.generation).collect();
    assert_eq!(ids, [first, asked[4], asked[4]], "a run only where nothing later waits");
    let has = |reply: &Message<Response>| match &reply.body {
        Response::Moment(moment) => (moment.frame.as_ref().map(|frame| frame.cycle), moment.run.is_some()),
        _ => panic!("a moment was expected, not {reply:?}"),
    };
    let has: Vec<_> = answered.iter().map(has).collect();
    assert_eq!(has, [(Some(3), false), (Some(3), false), (None, true)]);
}

#[test]
fn jumps_find_what_is_only_counted() {
    let text = "\
format: fairground-scenario
version: 1
policy: kai
nodes: [{name: n, gpu: 2}]
queues: [{name: a, gpu: {quota: 2, limit: unlimited}, cpu: {limit: unlimited}, memory: {limit: unlimited}}]
jobs:
- {name: first, queue: a, gpu: 1, submit: 3s, lasts: 2s}
- {name: many, queue: a, gpu: 1, count: 1800, every: 2s, submit: 10s, lasts: 1s}
";
    let mut page = Page::default();
    let (_, opening) = page.main_at(sent(text), 0);
    assert!(opening.earlier.is_empty());
    let (end, run) = page.go_to(3_500);
    assert_eq!(end.cycle, 3_500);
    let n_listed = run.events.len();
    assert!(n_listed <= 5_000 && n_listed > 4_900 && !run.earlier.is_empty(), "{n_listed}");
    let started = run.n_events(u32::MAX, |kind| kind == EventWord::Started);
    assert_eq!(started, run.n_events(u32::MAX, |kind| kind == EventWord::Submitted), "each has started");
    assert!(
        started > 1_700 && run.events.iter().all(|event| event.2.is_some_and(|job| run.names.job(job) != "first")),
        "{started}"
    );
    let first = page.event(0, false, Some("first")).expect("it was submitted");
    assert!(first <= 4 && page.event(3_400, true, Some("first")).is_some_and(|cycle| cycle < 10));
    // An event of a frame has the index that the run states.
    let (at, word, job) = run.events[0];
    let frame = page.go_to(at).0;
    assert_eq!((frame.events[0].word(), frame.job_of(&frame.events[0])), (word, job));
}

#[test]
fn moments_of_runai_have_states_and_others_none() {
    let queues = |example: &str| {
        let frame = Page::default().load(example, 1);
        frame.queues.into_iter().map(|row| row.states).collect::<Vec<_>>()
    };
    let states: Vec<String> = queues("runai-department-empty").into_iter().map(|s| s[3].clone()).collect();
    assert_eq!(states, ["in-quota", "in-quota", "over-fairshare", "in-quota", "in-quota"]);
    assert!(queues("start").iter().all(Vec::is_empty));
}

#[test]
fn four_schedulers_decide_differently() {
    let policies = ["kai", "runai", "yunikorn", "ego"];
    let scenario = Arc::new(Example::find("four-schedulers").expect("an example").scenario());
    let run = |of: &str| ToCompare { scenario: scenario.clone(), policy: of.into(), ..Default::default() };
    let runs = policies.map(run).to_vec();
    let replies = Page::default().ask(Request::Compare { runs, until_ms: Some(60_000) });
    let columns = replies.into_iter().filter_map(|reply| match reply.body {
        Response::Compared(run) => Some(*run),
        _ => None,
    });
    let columns: Vec<Compared> = columns.collect();
    assert_eq!(columns.iter().map(|column| &*column.policy).collect::<Vec<_>>(), policies);
    for column in &columns {
        let Some(run) = column.run.as_ref().filter(|_| column.findings.is_empty()) else {
            panic!("{}: {:?}", column.policy, column.findings)
        };
        let until = run.summary.until.as_millis();
        assert_eq!((until, run.queues.len()), (60_000, 3), "{}", column.policy);
        assert_eq!(run.held.iter().sum::<f64>(), 12.0, "{}", column.policy);
    }
    let all = |column: &Compared| column.run.as_ref().expect("it ran").summary.all.clone();
    let [kai, runai, yunikorn, ego] = &columns[..] else { panic!("four policies") };
    assert!(kai.notes.is_empty() && !yunikorn.notes.is_empty() && !ego.notes.is_empty());
    assert_ne!(all(kai).evictions, all(yunikorn).evictions);
    assert_ne!(all(kai).evictions, all(ego).evictions);
    assert_eq!(kai.first_difference, None, "it is the first");
    assert_eq!(runai.first_difference, None, "the same engine");
    let differ = |column: &Compared| column.first_difference.is_some();
    assert!(differ(yunikorn) && differ(ego), "{columns:?}");
    // YuniKorn preempts only for requests that have been pending for half a minute.
    assert!(all(yunikorn).waits.max_s >= 30.0 && all(kai).waits.max_s <= 1.0);
}
