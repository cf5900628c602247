//! Every published lesson, played frame by frame: each claim and each answer is what the engine does, and leaving
//! restores what was open.

use std::path::PathBuf;
use std::sync::Arc;

use fairground::lesson::{Fact, Lesson, QuestionKind};
use fairground::words::Selection;
use fairground_web::engine::protocol::Frame;
use fairground_web::lessons::{LESSONS, Listed, parse};
use fairground_web::library::Example;
use fairground_web::state::command::Command;
use fairground_web::state::document::{Change, Opened, Origin};
use fairground_web::state::layout::options::{Dialog, NowView};
use fairground_web::state::layout::view::View;
use fairground_web::state::lesson::step::LessonStep;

use crate::whole::Whole;

fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../assets/lessons"))
}

fn text(id: &str) -> String {
    std::fs::read_to_string(folder().join(format!("{id}.yaml"))).expect(id)
}

fn lesson(id: &str) -> Arc<Lesson> {
    Arc::new(parse(&text(id)).unwrap_or_else(|says| panic!("{id}:\n{says}")))
}

fn open(whole: &mut Whole, id: &str, lesson: &Arc<Lesson>) {
    let (id, lesson) = (id.to_string(), lesson.clone());
    whole.dispatch(Command::Lesson(LessonStep::Open { id, lesson, at: 0 }));
}

/// The names of an answer; the empty one only reveals what happens.
fn said_as(said: &str) -> Vec<String> {
    said.split(", ").filter(|name| !name.is_empty()).map(str::to_string).collect()
}

/// Claims that a moment does not fulfil, with its values.
fn wrong(at: &str, claims: &[Fact], frame: &Frame) -> Vec<String> {
    let wrong = claims.iter().filter(|claim| !claim.holds(frame));
    let line = |claim: &Fact| {
        let (of, pool) = (&claim.of, &claim.pool);
        format!("{at}: {:?} of {of} {pool} is {:?}, claimed {:?}", claim.kind, claim.value(frame), claim.is)
    };
    wrong.map(line).collect()
}

/// Plays a lesson; returns what is wrong in it.
fn play(id: &str, lesson: &Arc<Lesson>) -> Vec<String> {
    let mut found = Vec::new();
    let mut whole = Whole::open("start", 1);
    open(&mut whole, id, lesson);
    for (i, shown) in lesson.frames.iter().enumerate() {
        let at = format!("{id}, frame {}", i + 1);
        let frame = whole.model.moment.frame.clone().expect("a frame");
        if frame.cycle != shown.scene.cycle {
            found.push(format!("{at}: cycle {} is shown, not {}", frame.cycle, shown.scene.cycle));
        }
        assert_eq!(whole.model.document.scenario, shown.scene.scenario, "{at}");
        found.extend(wrong(&at, &shown.claims, &frame));
        if shown.claims.is_empty() && shown.question.is_none() {
            found.push(format!("{at}: claims nothing"));
        }
        if let Some(question) = &shown.question {
            whole.dispatch(Command::Lesson(LessonStep::Next));
            let frame = whole.model.moment.frame.clone().expect("a frame");
            found.extend(wrong(&format!("{at}, answer"), &question.claims, &frame));
            let right = question.right(&frame);
            match &question.kind {
                QuestionKind::Order(names) => {
                    let values: Vec<_> = right.iter().map(|name| question.answer.about(name).value(&frame)).collect();
                    let are_distinct = values.windows(2).all(|pair| pair[0] != pair[1]);
                    if names == &right || !are_distinct {
                        found.push(format!("{at}: the order {right:?} of {values:?} is asked for"));
                    }
                }
                _ if right.len() != 1 => found.push(format!("{at}: the answers {right:?} are right")),
                _ => {}
            }
            if matches!(question.kind, QuestionKind::Number | QuestionKind::Order(_)) && question.claims.is_empty() {
                found.push(format!("{at}: the numbers are not claimed"));
            }
            let playing = whole.model.lesson.as_ref().expect("a lesson");
            assert!(playing.outcome.as_ref().is_some_and(|outcome| outcome.says.starts_with("It is ")), "{at}");
            assert!(whole.model.selection.is_some() && whole.model.view.why_open, "{at}");
        }
        whole.dispatch(Command::Lesson(LessonStep::Next));
    }
    for suggestion in &lesson.frames.last().expect("a frame").suggestions {
        let before = whole.model.document.scenario.clone();
        let (name, edits) = (suggestion.label.clone(), suggestion.edits.clone());
        whole.dispatch(Command::Change(Change::Edits { name, edits }));
        assert!(
            whole.model.document.scenario != before && !whole.model.document.has_errors(),
            "{id}: {}",
            suggestion.label
        );
        assert!(whole.model.document.draft.is_none(), "scenarios of lessons are not kept");
        whole.dispatch(Command::Undo);
        assert_eq!(whole.model.document.scenario, before);
    }
    found
}

#[test]
fn every_claim_and_every_answer_is_what_the_engine_does() {
    let found: Vec<String> = LESSONS.iter().flat_map(|listed| play(listed.id, &lesson(listed.id))).collect();
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

#[test]
fn the_list_is_that_of_the_files() {
    let mut ids: Vec<String> = std::fs::read_dir(folder())
        .expect("the lessons")
        .flatten()
        .filter_map(|entry| Some(entry.path().file_stem()?.to_string_lossy().into_owned()))
        .collect();
    ids.sort();
    let mut listed: Vec<&str> = LESSONS.iter().map(|lesson| lesson.id).collect();
    listed.sort_unstable();
    assert_eq!(ids, listed);
    for Listed { id, title, about, frames } in LESSONS {
        let lesson = lesson(id);
        assert_eq!((lesson.title.as_str(), lesson.about.as_str()), (*title, *about), "{id}");
        assert_eq!(lesson.frames.len(), *frames, "{id}");
        assert!((5..=9).contains(frames), "{id}");
    }
}

#[test]
fn a_wrong_claim_and_a_wrong_cycle_are_noticed() {
    for (right, wrong, says) in [
        ("{fact: free, is: 12}", "{fact: free, is: 11}", "Free of  "),
        ("{fact: fair-share, of: medium, is: 1}", "{fact: fair-share, of: medium, is: 2}", "frame 6, answer"),
        ("  cycle: 0\n", "  cycle: 4000\n", "is shown, not 4000"),
    ] {
        let text = text("fair-share");
        assert!(text.contains(right), "{right}");
        let lesson = Arc::new(parse(&text.replacen(right, wrong, 1)).expect("a lesson"));
        let found = play("fair-share", &lesson).join("\n");
        assert!(found.contains(says), "{found}");
    }
}

#[test]
fn an_answer_is_compared_with_what_happens() {
    let lesson = lesson("reclaim");
    let mut whole = Whole::open("start", 0);
    open(&mut whole, "reclaim", &lesson);
    whole.dispatch(Command::Lesson(LessonStep::Next));
    assert_eq!((whole.model.playback.cursor, whole.model.view.why_open), (0, false), "Why would give the answer away");
    for (said, says) in [("a1", "You said a1; it is a2."), ("a2", "As you said: a2."), ("", "It is a2.")] {
        whole.dispatch(Command::Lesson(LessonStep::Answer(said_as(said))));
        let outcome = whole.model.lesson.as_ref().and_then(|playing| playing.outcome.clone());
        assert_eq!(outcome.map(|outcome| outcome.says).as_deref(), Some(says));
        assert_eq!(whole.model.playback.cursor, 1);
        assert_eq!(whole.model.selection, Some(Selection::Job("a2".into())));
    }
    whole.dispatch(Command::Lesson(LessonStep::Next));
    let playing = whole.model.lesson.as_ref().expect("a lesson");
    assert_eq!((playing.at, playing.said.clone(), whole.model.playback.cursor), (2, None, 2));
    whole.dispatch(Command::Lesson(LessonStep::Back));
    assert_eq!((whole.model.playback.cursor, whole.model.lesson.as_ref().expect("a lesson").at), (0, 1));
}

#[test]
fn numbers_and_statements_are_answered() {
    let lesson = lesson("fair-share");
    let says = |frame: usize, said: &str| {
        let mut whole = Whole::open("start", 0);
        let (id, lesson) = ("fair-share".to_string(), lesson.clone());
        whole.dispatch(Command::Lesson(LessonStep::Open { id, lesson, at: frame }));
        whole.dispatch(Command::Lesson(LessonStep::Answer(said_as(said))));
        whole.model.lesson.and_then(|playing| playing.outcome).expect("an outcome").says
    };
    assert_eq!(says(4, "4.0"), "As you said: 4 GPUs.");
    assert_eq!(says(4, "1"), "You said 1 GPU; it is 4 GPUs.");
    assert_eq!(says(4, "many"), "You said many; it is 4 GPUs.");
    assert_eq!(says(5, "True"), "You said true; it is false.");
    assert_eq!(says(5, "False"), "As you said: false.");
}

#[test]
fn names_are_put_in_order() {
    let lesson = lesson("ego-share-usage");
    let says = |said: &str| {
        let mut whole = Whole::open("start", 0);
        let (id, lesson) = ("ego-share-usage".to_string(), lesson.clone());
        whole.dispatch(Command::Lesson(LessonStep::Open { id, lesson, at: 3 }));
        whole.dispatch(Command::Lesson(LessonStep::Answer(said_as(said))));
        whole.model.lesson.and_then(|playing| playing.outcome).expect("an outcome").says
    };
    let right = "B1 (12 GPUs), A2 (4 GPUs), A1 (2 GPUs), B2 (0 GPUs)";
    assert_eq!(says("B1, A2, A1, B2"), format!("As you said: {right}."));
    assert_eq!(says("B1, A1, A2, B2"), format!("You said B1, A1, A2, B2; it is {right}."));
    for incomplete in ["B1, A2", "B1, B1, A2, A1", "B1, A2, A1, B2, B2"] {
        assert!(says(incomplete).starts_with("You said"), "{incomplete}");
    }
    assert_eq!(says(""), format!("It is {right}."));
}

#[test]
fn what_is_selected_in_a_chart_answers_a_question_about_it() {
    let lesson = lesson("reclaim");
    let mut whole = Whole::open("start", 0);
    open(&mut whole, "reclaim", &lesson);
    let said = |whole: &Whole| whole.model.lesson.as_ref().expect("a lesson").said.clone();
    whole.dispatch(Command::Select(Some(Selection::Job("a2".into()))));
    assert_eq!(said(&whole), None, "nothing is asked");
    whole.dispatch(Command::Lesson(LessonStep::Next));
    for other in [Selection::Queue("a2".into()), Selection::Job("b2".into()), Selection::Node("node-1".into())] {
        whole.dispatch(Command::Select(Some(other)));
        assert_eq!(said(&whole), None, "no option");
    }
    whole.dispatch(Command::Select(Some(Selection::Job("a1".into()))));
    assert_eq!(said(&whole), Some(vec!["a1".to_string()]));
    whole.dispatch(Command::Select(Some(Selection::Job("a2".into()))));
    assert_eq!(said(&whole), Some(vec!["a1".to_string()]), "the answer is given");
}

#[test]
fn first_answers_are_in_the_result_code() {
    let lesson = lesson("quota");
    let mut whole = Whole::open("start", 0);
    let code = |whole: &Whole| {
        let code = whole.model.lesson.as_ref().and_then(|playing| playing.result_code());
        code.map(|code| code.to_string().rsplit('-').next().unwrap_or_default().to_string())
    };
    let at = |whole: &mut Whole, at: usize| {
        let (id, lesson) = ("quota".to_string(), lesson.clone());
        whole.dispatch(Command::Lesson(LessonStep::Open { id, lesson, at }));
    };
    let answer = |whole: &mut Whole, said: &str| {
        whole.dispatch(Command::Lesson(LessonStep::Answer(said_as(said))));
    };
    at(&mut whole, 1);
    answer(&mut whole, "");
    assert_eq!(code(&whole), None, "the answer was only shown");
    answer(&mut whole, "4");
    at(&mut whole, 3);
    answer(&mut whole, "True");
    answer(&mut whole, "False");
    assert_eq!(code(&whole).as_deref(), Some("nwn"), "first answers count, also after the frame is opened again");
    at(&mut whole, 4);
    answer(&mut whole, "3");
    assert_eq!(code(&whole).as_deref(), Some("nwr"));
    whole.dispatch(Command::Lesson(LessonStep::Leave));
    let shown = format!("FG1-quota-{:08x}-nwr", lesson.checksum);
    assert_eq!(whole.model.view.dialog, Some(Dialog::ResultCode(shown)));
    // The next time nothing is answered, and the last frame has shown the code.
    at(&mut whole, 4);
    assert_eq!(code(&whole), None);
    answer(&mut whole, "3");
    at(&mut whole, 6);
    whole.dispatch(Command::Lesson(LessonStep::Leave));
    assert_eq!(whole.model.view.dialog, None);
}

#[test]
fn leaving_restores_what_was_open() {
    let mut whole = Whole::open("odd-gpu", 1);
    whole.dispatch(Command::Change(Change::AddNodes));
    whole.dispatch(Command::Select(Some(Selection::Queue("team-a".into()))));
    whole.dispatch(Command::ShowView(NowView::Division));
    let before = whole.model.clone();
    assert!(before.document.draft.is_some() && !before.view.setup_folded);
    open(&mut whole, "gangs", &lesson("gangs"));
    assert!(whole.model.view.setup_folded && whole.model.document.draft.is_none());
    for _ in 0..20 {
        whole.dispatch(Command::Lesson(LessonStep::Next));
    }
    assert!(!whole.model.view.setup_folded, "free play");
    whole.dispatch(Command::Change(Change::AddNodes));
    // Another lesson in between.
    open(&mut whole, "quota", &lesson("quota"));
    whole.dispatch(Command::Lesson(LessonStep::Leave));
    let after = &whole.model;
    assert!(after.lesson.is_none() && Arc::ptr_eq(&after.document.scenario, &before.document.scenario));
    assert_eq!((&after.document.draft, &after.document.history), (&before.document.draft, &before.document.history));
    assert_eq!(
        (after.playback.cursor, &after.selection, after.document.is_changed),
        (1, &before.selection, before.document.is_changed)
    );
    assert_eq!(View { why_closed: before.view.why_closed, ..after.view.clone() }, before.view);
    assert_eq!((after.lessons.of("gangs"), after.lessons.of("quota"), after.lessons.of("weights")), (7, 1, 0));
    whole.dispatch(Command::Undo);
    assert_ne!(whole.model.document.scenario, before.document.scenario);
}

#[test]
fn another_document_ends_a_lesson() {
    let mut whole = Whole::open("start", 0);
    open(&mut whole, "gangs", &lesson("gangs"));
    let scenario = Example::find("odd-gpu").expect("an example").scenario();
    whole.dispatch(Command::Open(Box::new(Opened::new(scenario, Origin::Example("odd-gpu".into())))));
    assert!(whole.model.lesson.is_none() && !whole.model.view.setup_folded);
    whole.dispatch(Command::Lesson(LessonStep::Leave));
    assert_eq!(whole.model.document.scenario.name, "Which queue gets the odd GPU?");
}

/// The frames, from 1, in which Shares leaves fair shares out while the questions are not answered.
fn frames_without_fair_shares(id: &str) -> Vec<usize> {
    let (mut whole, lesson) = (Whole::open("start", 1), lesson(id));
    open(&mut whole, id, &lesson);
    let hides = |at: &usize| {
        let lesson = lesson.clone();
        whole.dispatch(Command::Lesson(LessonStep::Open { id: id.into(), lesson, at: at - 1 }));
        whole.model.lesson.as_ref().expect("a lesson").hides_fair_shares()
    };
    (1..=lesson.frames.len()).filter(hides).collect()
}

#[test]
fn fair_shares_that_are_asked_for_are_left_out_before() {
    // Frames 5 and 6 ask about another scenario than frames 1 to 4 show.
    assert_eq!(frames_without_fair_shares("fair-share"), [5, 6]);
    // Frame 3 asks about the scenario of frames 1 and 2, frame 5 about another one.
    assert_eq!(frames_without_fair_shares("hierarchy"), [1, 2, 3, 5]);
    // Frame 3 asks about pool-a, frame 5 about pool-b.
    assert_eq!(frames_without_fair_shares("runai-pools"), [2, 3, 5]);
}
