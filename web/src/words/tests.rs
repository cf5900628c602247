//! Sentences for every kind of decision, from constructed frames and from the engine.
//!
//! Long because each kind is pinned with its whole text.

mod victims;

use expect_test::{Expect, expect};
use fairground::id::{JobId, NodeId, PodId, QueueId};
use fairground::policy::Policy;
use fairground::time::Time;
use fairground::trace::{
    Candidate, Check, DivisionRound, DivisionStep, Event, EvictReason, Gate, NodeReason, NotAccepted, NotSelected, Op,
    Outlook, Protection, Quantity, Refusal, RiseEnd, Subject, Term, Value,
};
use fairground::units::Resource;
use fairground::words::Selection;

use super::*;
use crate::engine::protocol::{EventRow, EventWord, Frame, LadderLevel, LadderLine};
use crate::fixtures;

fn check_verdict(explanation: &Explanation, expected: Expect) {
    expected.assert_eq(&explanation.verdict.to_string());
}

pub fn job_at(frame: &Frame, name: &str) -> Explanation {
    why(frame, None, &Selection::Job(name.into()), None, Resource::GPU)
}

fn refused(gate: Gate, change: impl FnOnce(&mut Frame)) -> String {
    let mut frame = fixtures::start();
    change(&mut frame);
    let job = frame.names.find("b2").expect("a job");
    let (also, checks) = (Vec::new(), Vec::new());
    frame.refusals = vec![Refusal { job, gate, also, checks, outlook: Outlook::NotForeseeable }];
    job_at(&frame, "b2").verdict.to_string()
}

#[test]
fn a_reclaim_names_both_sides() {
    let frame = fixtures::reclaimed();
    let explanation = job_at(&frame, "a2");
    check_verdict(
        &explanation,
        expect![
            "`a2` was evicted so that `b2` can run. `team-a` was using 3 GPUs, 1 over its fair share of 2; with `b2`, `team-b` uses exactly its fair share of 2."
        ],
    );
    let evidence = explanation.evidence.expect("both sides have numbers");
    let row = |at: usize| (evidence.rows[at].0, evidence.rows[at].1.join(" "));
    assert_eq!(row(2), ("uses before", "3 1".into()));
    assert_eq!(row(3), ("uses after", "2 2".into()));
    assert_eq!(explanation.rule.map(|rule| rule.key).as_deref(), Some("kai/reclaim/maintain-fair-share"));
    assert_eq!(explanation.controls[0].path.to_string(), r#"queues["team-a"].gpu.quota"#);
}

#[test]
fn a_reclaim_is_told_at_the_level_where_paths_split() {
    let explanation = job_at(&fixtures::departments(), "v4");
    check_verdict(
        &explanation,
        expect![
            "`v4` was evicted so that `n3` can run. `vision` was using 11 GPUs, 2 over its fair share of 9; with `n3`, `nlp` uses exactly its fair share of 9."
        ],
    );
    let caption = explanation.evidence.map(|evidence| evidence.caption.to_string());
    assert_eq!(caption.as_deref(), Some("`vision` and `nlp` compared, both below `research`"));
}

#[test]
fn a_reclaim_without_recorded_checks_has_no_numbers() {
    let mut frame = fixtures::reclaimed();
    frame.events[0].checks = Default::default();
    check_verdict(&job_at(&frame, "a2"), expect!["`a2` was evicted so that `b2` can run."]);
}

/// Numbers at the end of the cycle, after other decisions, are not those that were compared.
#[test]
fn a_reclaim_keeps_the_numbers_of_its_decision() {
    let mut frame = fixtures::reclaimed();
    let told = job_at(&frame, "a2");
    for queue in &mut frame.queues {
        queue.fair_share = Some([None, None, Some(7.0)]);
        (queue.quota[2], queue.allocated[2]) = (Some(7.0), 7.0);
    }
    let later = job_at(&frame, "a2");
    assert_eq!(later.verdict, told.verdict);
    // The fair shares that the charts show then stand in a row of their own.
    let is_after = |row: &(&str, Vec<Cell>, bool)| row.0 == "[fair share] after";
    let mut evidence = later.evidence.expect("a table");
    let after: Vec<_> = evidence.rows.extract_if(.., |row| is_after(row)).flat_map(|(_, cells, _)| cells).collect();
    assert_eq!(after.iter().map(|cell| cell.shown.as_str()).collect::<Vec<_>>(), ["7", "7"]);
    let in_any_order = |mut rows: Vec<(&'static str, Vec<Cell>, bool)>| {
        rows.sort_by_key(|(name, ..)| *name);
        rows
    };
    assert_eq!(in_any_order(evidence.rows), in_any_order(told.evidence.expect("a table").rows));
}

#[test]
fn other_evictions_have_their_words() {
    let told = |reason: EvictReason, by: &str| {
        let mut frame = fixtures::start();
        let by = frame.names.find(by);
        let event = Event::Evicted { pod: PodId(1), node: NodeId(1), by, reason };
        frame.events = vec![EventRow::of(event)];
        job_at(&frame, "a2").verdict.to_string()
    };
    assert_eq!(
        told(EvictReason::Preempted, "a9"),
        "`a2` was evicted so that `a9` can run: `a9` has the higher priority in `team-a`."
    );
    assert_eq!(
        told(EvictReason::Moved, "w1"),
        "`a2` is moved from `node-2` so that `w1` fits. It restarts on another node; its queue loses nothing."
    );
    assert_eq!(
        told(EvictReason::StaleGang, ""),
        "`a2` was evicted: fewer pods of its gang ran than its minimum for too long."
    );
    assert_eq!(told(EvictReason::NodeLost, ""), "`a2` was stopped: its node is gone.");
}

#[test]
fn every_gate_has_its_sentence() {
    let (queue, resource) = (QueueId(1), Resource::GPU);
    let lack = NodeReason::Insufficient(resource);
    let no_node =
        |reasons: &[(NodeReason, u32)]| Gate::NoNode { placed: 0, of: 0, reasons: reasons.to_vec(), free: None };
    let until = Time::from_millis(20_000);
    let lines = [
        refused(Gate::NotReady, |_| {}),
        refused(Gate::NotALeaf, |_| {}),
        refused(Gate::NotAccepted { why: NotAccepted::NoQueue }, |_| {}),
        refused(Gate::NotAccepted { why: NotAccepted::Draining }, |_| {}),
        refused(Gate::TooLarge { resource }, |_| {}),
        refused(Gate::OverLimit { queue, resource }, |frame| frame.queues[1].limit[2] = Some(1.0)),
        refused(Gate::NonPreemptibleOverQuota { queue, resource }, |frame| {
            frame.queues[1].non_preemptible[2] = 1.0;
        }),
        refused(Gate::UserLimit { queue, resource }, |_| {}),
        refused(Gate::TooManyJobs { queue }, |_| {}),
        refused(Gate::GangIncomplete { held: 2, of: 5, until: Some(until) }, |_| {}),
        refused(Gate::GangFailed, |_| {}),
        refused(Gate::GangRefused, |_| {}),
        refused(Gate::NotEntitled { queue }, |_| {}),
        refused(Gate::NoVictims { tried: 3, ancestor: None }, |_| {}),
        refused(Gate::VictimsProtected { until }, |_| {}),
        refused(no_node(&[(lack, 2)]), |_| {}),
        refused(no_node(&[(lack, 1), (NodeReason::NotReady, 1)]), |frame| {
            frame.nodes[0].used[2] = 1.0;
            frame.jobs[3].gpus = 2.0;
            frame.jobs[3].request[2] = 2.0;
        }),
        refused(Gate::Behind { job: JobId(2) }, |_| {}),
        refused(Gate::LikeFailed { job: JobId(2) }, |_| {}),
        refused(Gate::NoDevice { node: NodeId(0) }, |_| {}),
        refused(Gate::TriedOnce, |_| {}),
        refused(Gate::WaitingForVictims { until: Some(until) }, |_| {}),
    ];
    expect![[r#"
        `b2` is waiting: not all of its pods exist yet.
        Jobs cannot be placed in `team-b`: it has child queues.
        `b2` was not accepted into `team-b`: the scheduler's configuration does not have this queue.
        `b2` was not accepted into `team-b`: the queue is draining and takes no new jobs.
        `b2` cannot start: a pod of it needs more GPU than any node has; the largest node has 2.
        `b2` is waiting: `team-b` is at its limit.
        `b2` is non-preemptible, and `team-b` has no more quota for non-preemptible jobs. Non-preemptible jobs cannot run over quota, even when resources are free.
        `b2` is waiting: its user has reached a limit in `team-b`.
        `b2` is waiting: `team-b`, or its user there, already runs the maximum of jobs.
        `b2` is waiting: 2 of 5 gang pods are reserved; the reservation expires at 0:20.
        `b2` has failed: its gang did not get room for all pods in time.
        `b2` was refused: `team-b` does not accept a gang of this size, or any gang because it sorts applications by fair.
        `b2` is waiting: `team-b` cannot reclaim for it: with `b2`, it would use more than it may reclaim.
        `b2` is waiting: no eviction that the rules allow frees enough (3 combinations tried).
        `b2` is waiting: the jobs to evict are protected by their minimum runtime (until 0:20).
        `b2` is waiting: no node that it may use has room. Nodes checked: 2 with too few free GPUs.
        `b2` is waiting: no node that it may use has room. Nodes checked: 1 with too few free GPUs, 1 down.
        `b2` is waiting behind `b1`, which comes first in `team-b`.
        `b2` is waiting: no eviction that the rules allow frees enough for `b1`, which requests no more and was tried first.
        `b2` is waiting: it was placed on `node-1`, which has no free GPU left for it, so its pod cannot be bound.
        `b2` is waiting: it was tried once in its node pool and is not tried again (its scheduling-backoff is 1).
        `b2` is waiting: the room claimed for it becomes free at 0:20.
    "#]]
    .assert_eq(&(lines.join("\n") + "\n"));
}

#[test]
fn who_is_on_its_way_is_told_whose_place_it_gets() {
    check_verdict(
        &job_at(&fixtures::reclaimed(), "b2"),
        expect!["`b2` is waiting for `a2` to shut down at 0:02 and has claimed its place."],
    );
}

#[test]
fn queues_are_judged_against_share_and_quota() {
    let verdict = |frame: &Frame, name: &str| {
        why(frame, None, &Selection::Queue(name.into()), None, Resource::GPU).verdict.to_string()
    };
    let frame = fixtures::start();
    assert_eq!(
        verdict(&frame, "team-a"),
        "`team-a` uses 3 GPUs, 1 over its fair share of 2. Queues below their fair share can reclaim it."
    );
    assert_eq!(verdict(&frame, "team-b"), "`team-b` is 1 GPU below its fair share: it uses 1 GPU of 2 and requests 2.");
    let frame = fixtures::departments();
    assert_eq!(
        verdict(&frame, "product"),
        "`product` uses 13 GPUs, 1 over its quota of 12, within its fair share of 13."
    );
    assert_eq!(verdict(&frame, "ads"), "`ads` uses 4 GPUs, all it requests, within its quota of 6.");
    assert_eq!(verdict(&frame, "<b>"), "`<b>` is not a queue of this scenario.");
}

#[test]
fn any_check_is_a_sentence() {
    let frame = fixtures::reclaimed();
    let lines: Vec<String> =
        frame.events[0].checks.iter().map(|check| says(&frame, check).filled(&Terms::PLAIN).to_string()).collect();
    assert_eq!(
        lines,
        [
            "`team-b`: allocated with the job (2 GPUs) is at most fair share (2 GPUs).",
            "`team-a`: allocated before this eviction (3 GPUs) is more than the larger of quota and fair share (2 GPUs).",
        ]
    );
    let subject = Subject { job: Some(JobId(0)), ..Subject::default() };
    let full = term(Quantity::Saturation, Value::Real(f64::INFINITY));
    let check = Check::new(a_rule(), subject, full, Op::Less, term(Quantity::Constant, Value::Real(1.0)));
    assert_eq!(says(&frame, &check).to_string(), "`a1`: saturation ratio (∞) is at least 1.");
}

fn term(quantity: Quantity, value: Value) -> Term {
    Term::new(quantity, value)
}

/// Steps in neutral words.
fn lines(steps: Vec<LadderStep>) -> String {
    let terms = &Terms::PLAIN;
    let line = |step: LadderStep| format!("{} | {} | {}\n", step.text.filled(terms), terms.fill(&step.sum), step.value);
    steps.into_iter().map(line).collect()
}

fn a_rule() -> fairground::trace::Rule {
    Policy::rulebook(Policy::DEFAULT.key).expect("a policy has rules").rules[0]
}

#[test]
fn the_ladder_ends_in_the_shown_value() {
    let (rule, queue) = (a_rule(), QueueId(0));
    let line = |name: &str, step: DivisionStep| LadderLine { queue: name.into(), step };
    let quota = |name: &str, remaining: f64| {
        line(name, DivisionStep::Quota { rule, queue, quota: 1.0, requestable: 3.0, granted: 1.0, remaining })
    };
    let part = DivisionRound {
        rule,
        priority: 0,
        round: 1,
        queue,
        pot: 3.0,
        weight: 1.0,
        past: None,
        part: (1.0, 2.0),
        offer: 1.5,
        wanted: 2.0,
        given: 1.0,
    };
    let round = |name: &str| line(name, DivisionStep::Round(part));
    let left = line("a", DivisionStep::Remainder { rule, queue, fraction: 0.5, given: 1.0 });
    let level = LadderLevel {
        capacity: 5.0,
        lines: vec![quota("a", 4.0), quota("b", 3.0), round("a"), round("b"), left],
        queue: "a".into(),
        fair_share: 3.0,
        ..LadderLevel::default()
    };
    let view = crate::views::division::view::division(&fixtures::reclaimed(), &level, Resource::GPU, usize::MAX);
    let rows: String = view.table.rows.iter().map(|row| row.join(" | ") + "\n").collect();
    expect![[r#"
        before |  |  | 5
        quotas granted | +1 | +1 | 3
        priority 0, round 1 | 3 × 1/2 = 1.5 → 1 | 3 × 1/2 = 1.5 → 1 | 1
        1 GPU left over goes to a, which lost most to rounding (0.5) | +1 | – | 0
        fair share | 3 | 2 | 0
    "#]]
    .assert_eq(&rows);
    let text = lines(ladder(&[level], Resource::GPU));
    expect![[r#"
        The cluster has |  | 5 GPUs
        `a`: quota actually requested | smaller of quota 1 and requested 3 | 1
        `b`: quota actually requested | smaller of quota 1 and requested 3 | 1
        remains after quotas | 5 − 2 | 3
        `a`: round 1, weight 1 of 2 | 3 × 1 / 2 = 1.5, rounded down | + 1
        `b`: round 1, weight 1 of 2 | 3 × 1 / 2 = 1.5, rounded down | + 1
        `a`: remaining unit | lost 0.5 to rounding; the largest fraction wins, then the oldest queue | + 1
        fair share of `a` | 1 + 1 + 1 | 3 GPUs
    "#]]
    .assert_eq(&text);
}

#[test]
fn the_moment_lists_what_happened() {
    let explanation = at_rest(&fixtures::reclaimed());
    check_verdict(&explanation, expect!["2 things happened in cycle 1. Select one to see what decided it."]);
    let (_, entries) = explanation.list.expect("two things happened");
    let lines: Vec<String> = entries.iter().map(|entry| entry.text.to_string()).collect();
    assert_eq!(lines, ["`a2` reclaimed for `b2`, 1 GPU", "1 GPU claimed for `b2` on `node-2`"]);
}

#[test]
fn a_job_has_its_history() {
    let run = fixtures::departments_run();
    let entries = history(&run, "v4", 12);
    let lines: Vec<String> = entries.iter().map(|entry| format!("{}: {}", entry.when, entry.text)).collect();
    assert_eq!(lines, ["cycle 4: submitted", "cycle 5: started", "cycle 12: reclaimed"]);
    assert!(entries[2].current);
}

#[test]
fn names_are_never_words() {
    let mut frame = fixtures::reclaimed();
    frame.queues[0].name = "<script>".into();
    let pieces = job_at(&frame, "a2").verdict.0;
    assert!(pieces.contains(&Piece::Queue("<script>".into())));
    assert!(pieces.iter().all(|piece| !matches!(piece, Piece::Plain(text) if text.contains("<script>"))));
}

/// The frame of a scenario at a cycle, computed by the engine.
pub(super) fn real(id: &str, cycle: u32) -> Frame {
    use crate::engine::protocol::{Message, MomentRequest, Request, Response};
    use crate::engine::serve::Server;
    let scenario = std::sync::Arc::new(crate::library::Example::find(id).expect("an example").scenario());
    let ask = Request::Moment(MomentRequest::main_at(&scenario, cycle));
    let mut server = Server::default();
    let mut replies = server.handle(Message { generation: 1, body: ask });
    while server.is_busy() {
        replies.extend(server.work());
    }
    let frame = replies.into_iter().rev().find_map(|reply| match reply.body {
        Response::Moment(moment) => moment.frame,
        _ => None,
    });
    *frame.expect("a frame")
}

#[test]
fn the_start_scenario_keeps_what_is_promised() {
    let frames: Vec<Frame> = (0..4).map(|cycle| real("start", cycle)).collect();
    let said: String = frames.iter().map(|frame| announce(frame, Resource::GPU) + "\n").collect();
    expect![[r#"
        At the start: a1, a2 and b1 were submitted.
        Cycle 1: team-a gives up 1 GPU: a2 makes room for b2. team-a 2, team-b 1.
        Cycle 2: b2 started on node-2; a2 waits again. team-a 2, team-b 2.
        Cycle 3: nothing changed, and nothing more will happen; a2 still waits.
    "#]]
    .assert_eq(&said);
    let told = frames.iter().find(|frame| frame.events.iter().any(|event| event.word() == EventWord::Reclaimed));
    let explanation = job_at(told.expect("a2 is reclaimed"), "a2");
    let mut text = format!("{}\n", explanation.verdict);
    for (what, cells, key) in explanation.evidence.iter().flat_map(|evidence| &evidence.rows) {
        let what = Terms::PLAIN.fill(what);
        text += &format!("{what}: {}{}\n", cells.join(" | "), if *key { " *" } else { "" });
    }
    for check in &explanation.checks {
        text += &format!("{}\n", check.text);
    }
    text += &format!("{}\n", job_at(told.expect("a2 is reclaimed"), "b2").verdict);
    expect![[r#"
        `a2` was evicted so that `b2` can run. `team-a` was using 3 GPUs, 1 over its fair share of 2; with `b2`, `team-b` uses exactly its fair share of 2.
        fair share: 2 | 2 *
        quota: 2 | 
        uses before: 3 | 1
        uses after: 2 | 2
        saturation ratio after:  | 1.00
        `team-a`: allocated before this eviction (3 GPUs) is more than the larger of quota and fair share (2 GPUs).
        `team-b`: saturation ratio (1.00) is at most 1.
        `team-b`: allocated with the job (2 GPUs) is at most fair share (2 GPUs).
        `b2` is waiting for `a2` to shut down and has claimed its place.
    "#]].assert_eq(&text);
}

#[test]
fn examples_explain_why_jobs_wait() {
    let mut text = String::new();
    for id in ["gang-of-four", "fragments-pinned", "may-not-borrow", "limit-is-a-ceiling", "ten-promised-seven-there"] {
        for refusal in real(id, 2).refusals.iter().take(2) {
            let frame = real(id, 2);
            let explanation = job_at(&frame, frame.job(refusal.job));
            text += &format!("{id}: {} {}\n", explanation.verdict, explanation.outlook);
            for also in &explanation.also {
                text += &format!("  also: {also}\n");
            }
            for check in &explanation.checks {
                text += &format!("  {}\n", check.text);
            }
        }
    }
    expect![[r#"
        gang-of-four: `gang` is waiting: it needs 4 GPUs and only 2 were free, and `team-a` cannot reclaim for it: with `gang`, it would use 6 GPUs, over its fair share of 4. Nothing more will happen. Change something to go on.
          also: `gang` is waiting: it needs 1 GPU for each of 4 pods; 2 were free, at most 2 on one node (2 of 4 pods could be placed). Nodes checked: 2 with too few free GPUs.
          `team-a`: allocated with the job (6 GPUs) is more than fair share (4 GPUs).
          `gang`: requested (1 GPU) is at most free or being freed on one node (2 GPUs).
          `gang`: priority (50) is at most `small`: priority (50).
        fragments-pinned: `wide` is waiting: it needs 2 GPUs on one node; 4 were free, at most 1 on one node. Nodes checked: 4 with too few free GPUs. Nothing more will happen. Change something to go on.
          also: `wide` is waiting: no eviction that the rules allow frees enough.
          `wide`: requested (2 GPUs) is more than free or being freed on one node (1 GPU).
          `wide`: no other preemptible job runs.
        may-not-borrow: `build-2` is non-preemptible, and `team-a` already uses its whole quota of 1 GPU for non-preemptible jobs. Non-preemptible jobs cannot run over quota, even when resources are free. It can start when `build-1` ends. That job has no end time, so this needs a change.
          `team-a`: allocated to non-preemptible jobs with the job (2 GPUs) is more than quota (1 GPU).
        limit-is-a-ceiling: `a4` is waiting: with it, `team-a` would use 4 GPUs, over its limit of 3. Nothing more will happen. Change something to go on.
          also: `a4` is waiting: `team-a` cannot reclaim for it: with `a4`, it would use 4 GPUs, over its fair share of 3.
          `team-a`: allocated with the job (4 GPUs) is more than limit (3 GPUs).
          `team-a`: allocated with the job (4 GPUs) is more than fair share (3 GPUs).
          `a4`: priority (50) is at most `a1`: priority (50).
        limit-is-a-ceiling: `a5` is waiting: with it, `team-a` would use 4 GPUs, over its limit of 3. Nothing more will happen. Change something to go on.
          also: `a5` is waiting: `team-a` cannot reclaim for it: with `a5`, it would use 4 GPUs, over its fair share of 3.
          `team-a`: allocated with the job (4 GPUs) is more than limit (3 GPUs).
          `team-a`: allocated with the job (4 GPUs) is more than fair share (3 GPUs).
        ten-promised-seven-there: `b3` is waiting: no GPU is free, and no eviction that the rules allow frees enough (5 combinations tried). `team-a` uses 5 GPUs, which is within its quota and fair share of 5 GPUs. Nothing more will happen. Change something to go on.
          `team-a`: allocated before this eviction (5 GPUs) is at most the larger of quota and fair share (5 GPUs).
          `team-b`: allocated with the job (3 GPUs) is at most quota (5 GPUs).
          `team-a`: allocated before this eviction (5 GPUs) is at most quota (5 GPUs).
          `b3`: priority (50) is at most `b1`: priority (50).
          `b3`: requested (1 GPU) is more than free or being freed on one node (0 GPUs).
        ten-promised-seven-there: `b4` is waiting: no GPU is free, and no eviction that the rules allow frees enough for `b3`, which requests no more and was tried first. `team-a` uses 5 GPUs, which is within its quota and fair share of 5 GPUs. Nothing more will happen. Change something to go on.
          `b4`: requested (1 GPU) is more than free or being freed on one node (0 GPUs).
    "#]].assert_eq(&text);
}

#[test]
fn the_words_are_those_of_the_policy() {
    let evicted = "`a2` was [evicted] so that `b2` can run. `team-a` was using 3 GPUs, 1 over its [fair share] of 2; with `b2`, `team-b` uses exactly its [fair share] of 2.";
    for policy in Policy::ALL {
        let frame = Frame { policy: policy.key.into(), ..fixtures::reclaimed() };
        let verdict = job_at(&frame, "a2").verdict.to_string();
        assert_eq!(verdict, policy.terms.fill(evicted), "{}", policy.key);
    }
}

/// Under DRF, the explanation lists how dominant shares rise and why each stops.
#[test]
fn dominant_shares_rise_in_words() {
    let rise = |name: &str, shares: Option<(f64, f64)>, dominant: Resource, given: f64, end: RiseEnd| {
        let (rule, queue, round) = (a_rule(), QueueId(0), if shares.is_some() { 1 } else { 2 });
        let weight = if shares.is_some() { 1.0 } else { 0.0 };
        let step = DivisionStep::Rise { rule, round, queue, shares, dominant, weight, wanted: 20.0, given, end };
        LadderLine { queue: name.into(), step }
    };
    let shares = Some((0.0, 2.0 / 3.0));
    let level = LadderLevel {
        queue: "A".into(),
        capacity: 9.0,
        fair_share: 6.0,
        lines: vec![
            rise("A", shares, Resource::GPU, 6.0, RiseEnd::UsedUp(Resource::CPU)),
            rise("B", shares, Resource::MEMORY, 2.0, RiseEnd::GoesOn),
            rise("C", None, Resource::GPU, 1.0, RiseEnd::HasAll),
        ],
        ..LadderLevel::default()
    };
    let told = lines(ladder(std::slice::from_ref(&level), Resource::GPU));
    expect![[r#"
        The cluster has |  | 9 GPUs
        `A`: round 1, its dominant share, of GPUs, rises from 0 % to 66.7 % | then no CPU is left, which it needs too | + 6
        `B`: round 1, its dominant share, of memory, rises from 0 % to 66.7 % | all shares rise equally, next round | + 2
        `C`: weight 0, gets what the others left | then its whole request is met | + 1
        fair share of `A` |  | 6 GPUs
    "#]].assert_eq(&told);
    let view = crate::views::division::view::division(&fixtures::reclaimed(), &level, Resource::GPU, 1);
    expect![[r#"
        round 1, all dominant shares from 0 % to 66.7 %; 1 GPU left; no CPU is left for those who need it.
        [["before", "", "", "", "9"], ["round 1, all dominant shares from 0 % to 66.7 %", "+6", "+2", "–", "1"], ["unused capacity to C (weight 0)", "–", "–", "+1", "0"], ["fair share", "6", "2", "1", "0"]]"#]].assert_eq(&format!("{}\n{:?}", view.caption, view.table.rows));
}

#[test]
fn a_queue_with_many_jobs_says_how_many_are_not_listed() {
    let mut frame = fixtures::reclaimed();
    let job = frame.jobs[0].clone();
    frame.jobs = (0..16).map(|n| crate::engine::protocol::JobRow { name: format!("j{n}"), ..job.clone() }).collect();
    let queue = Selection::Queue(frame.queues[job.queue as usize].name.clone());
    let listed = |frame: &Frame| {
        let list = super::why(frame, None, &queue, None, Resource::GPU).list.expect("its jobs").1;
        (list.len(), list.last().map(|entry| entry.text.to_string()))
    };
    assert_eq!(listed(&frame), (13, Some("and 4 more jobs".to_string())));
    frame.jobs.truncate(12);
    assert_eq!(listed(&frame).0, 12);
}
