//! The lesson recorder: frames are taken from the screen, and what is recorded is a lesson that can be played.

use std::sync::Arc;

use fairground::lesson::{Fact, FactKind, Lesson, Question, QuestionKind, to_yaml};
use fairground::scenario::{Edit, Path};
use fairground::units::Resource;
use fairground::words::Selection;
use fairground_web::lessons::{parse, unfinished};
use fairground_web::state::command::Command;
use fairground_web::state::document::Change;
use fairground_web::state::effect::Effect;
use fairground_web::state::layout::options::NowView;
use fairground_web::state::lesson::step::{LessonStep, RecordStep};
use fairground_web::state::update::update;

use crate::whole::Whole;

fn record(whole: &mut Whole, step: RecordStep) {
    whole.dispatch(Command::Record(step));
}

fn quota(whole: &mut Whole, value: &str) {
    let at = Path::default().field("queues").named("team-a").field("gpu").field("quota");
    whole.dispatch(Command::Set { at, value: value.into() });
}

fn edit(whole: &mut Whole, change: impl FnOnce(&mut Lesson)) {
    let mut lesson = Lesson::clone(&whole.model.recorder.lesson);
    change(&mut lesson);
    record(whole, RecordStep::Edit(Box::new(lesson)));
}

/// Three frames: the example, an edit of it at cycle 1 with a question, and a suggestion.
fn recorded() -> Whole {
    let mut whole = Whole::open("start", 0);
    record(&mut whole, RecordStep::Open(true));
    record(&mut whole, RecordStep::Take);
    quota(&mut whole, "3");
    whole.dispatch(Command::Select(Some(Selection::Job("a2".into()))));
    whole.dispatch(Command::ShowView(NowView::Division));
    record(&mut whole, RecordStep::Take);
    quota(&mut whole, "2");
    whole.dispatch(Command::Step);
    let question = Question {
        asks: "Which job is evicted?".into(),
        kind: QuestionKind::PickOne(vec!["a1".into(), "a2".into()]),
        answer: Fact {
            kind: FactKind::Evicted,
            of: String::new(),
            resource: Resource::GPU,
            pool: String::new(),
            is: None,
        },
        scene: whole.model.recorder.frame().expect("a frame").scene.clone(),
        because: "The newest goes first.".into(),
        claims: Vec::new(),
    };
    edit(&mut whole, |lesson| lesson.frames[1].question = Some(question));
    record(&mut whole, RecordStep::TakeAnswer);
    record(&mut whole, RecordStep::Take);
    quota(&mut whole, "4");
    record(&mut whole, RecordStep::Suggest);
    edit(&mut whole, |lesson| {
        (lesson.title, lesson.about) = ("Own".into(), "One learns.".into());
        for frame in &mut lesson.frames {
            (frame.title, frame.text, frame.notes) = ("T".into(), "One. Two.".into(), "Say: hello".into());
        }
    });
    whole
}

#[test]
fn what_is_recorded_is_a_lesson() {
    let mut whole = recorded();
    let text = to_yaml(&whole.model.recorder.lesson);
    let lesson = parse(&text).unwrap_or_else(|says| panic!("{says}\n{text}"));
    assert_eq!(Lesson { checksum: 0, ..lesson.clone() }.frames.len(), 3);
    for says in
        ["example: start", "set: {queues.team-a.gpu.quota: 3}", "select: \"job:a2\"", "view: division", "cycle: 1\n"]
    {
        assert!(text.contains(says), "{says} in\n{text}");
    }
    assert!(!text.contains("scenario:"), "{text}");
    let [Edit::Set { value, .. }] = lesson.frames[2].suggestions[0].edits.as_slice() else { panic!("{text}") };
    assert_eq!((value.as_str(), lesson.frames[2].suggestions[0].label.as_str()), ("4", "quota of team-a 2 → 4"));
    // It is played, and the recorder is there again afterwards.
    whole.dispatch(Command::Lesson(LessonStep::Open { id: String::new(), lesson: Arc::new(lesson), at: 1 }));
    whole.dispatch(Command::Lesson(LessonStep::Answer(vec!["a2".into()])));
    let outcome = whole.model.lesson.as_ref().and_then(|playing| playing.outcome.clone());
    assert_eq!(outcome.map(|outcome| outcome.says).as_deref(), Some("As you said: a2."));
    whole.dispatch(Command::Lesson(LessonStep::Leave));
    assert!(whole.model.recorder.is_open && whole.model.recorder.lesson.frames.len() == 3);
}

#[test]
fn frames_are_shown_moved_removed_and_restored() {
    let mut whole = recorded();
    record(&mut whole, RecordStep::Show(1));
    assert_eq!((whole.model.playback.cursor, whole.model.selection.clone()), (0, Some(Selection::Job("a2".into()))));
    assert_eq!(whole.model.view.now, NowView::Division);
    assert_eq!(whole.model.document.scenario, whole.model.recorder.lesson.frames[1].scene.scenario);
    let before = whole.model.recorder.lesson.clone();
    record(&mut whole, RecordStep::Move(0));
    assert_eq!((whole.model.recorder.at, &whole.model.recorder.lesson.frames[0]), (0, &before.frames[1]));
    assert!(parse(&to_yaml(&whole.model.recorder.lesson)).is_ok(), "the first frame has a scenario of its own now");
    record(&mut whole, RecordStep::Move(9));
    record(&mut whole, RecordStep::Remove);
    record(&mut whole, RecordStep::Remove);
    record(&mut whole, RecordStep::Remove);
    assert!(whole.model.recorder.lesson.frames.is_empty() && whole.model.recorder.frame().is_none());
    record(&mut whole, RecordStep::Show(3));
    for _ in 0..4 {
        record(&mut whole, RecordStep::Undo);
    }
    assert_eq!(whole.model.recorder.lesson, before);
}

#[test]
fn every_change_is_kept_on_the_device_as_it_can_be_read() {
    let mut whole = recorded();
    let effects = update(&mut whole.model, Command::Record(RecordStep::Retake));
    let kept = effects.iter().find_map(|effect| match effect {
        Effect::Remember("lesson", text) => Some(text.clone()),
        _ => None,
    });
    let (read, _) = unfinished(&kept.expect("the draft"));
    assert_eq!(to_yaml(&read), to_yaml(&whole.model.recorder.lesson));
}

#[test]
fn what_no_value_says_is_refused_with_the_reason() {
    let mut whole = recorded();
    whole.dispatch(Command::Change(Change::AddNodes));
    let before = whole.model.recorder.clone();
    for step in [RecordStep::Suggest, RecordStep::TakeAnswer] {
        record(&mut whole, step);
        assert!(whole.model.notices.last().is_some_and(|notice| notice.text.contains("Only changed values")));
    }
    assert_eq!(whole.model.recorder, before);
    record(&mut whole, RecordStep::Take);
    let text = to_yaml(&whole.model.recorder.lesson);
    assert!(text.contains("  - scenario:\n"), "{text}");
}

#[test]
fn a_lesson_that_is_played_can_be_edited() {
    let mut whole = Whole::open("odd-gpu", 0);
    let lesson = Arc::new(parse(&to_yaml(&recorded().model.recorder.lesson)).expect("a lesson"));
    whole.dispatch(Command::Lesson(LessonStep::Open { id: String::new(), lesson: lesson.clone(), at: 0 }));
    record(&mut whole, RecordStep::Replace(lesson.clone()));
    assert!(whole.model.lesson.is_none() && whole.model.recorder.is_open);
    assert_eq!(whole.model.recorder.lesson, lesson);
    assert_eq!(whole.model.document.scenario, lesson.frames[0].scene.scenario);
}
