//! Writes a lesson as a file. A frame names its example; otherwise, if its scenario differs from that of the frame
//! before in values only, it names these values, and else it has the whole scenario. Reading the file returns the same
//! lesson.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::entries::{FactEntry, FrameEntry, LessonEntry, QuestionEntry, SuggestionEntry};
use super::fact::name_of;
use super::{FORMAT, Fact, Lesson, LessonFrame, Question, QuestionKind, Scene};
use crate::format::shape_to_yaml;
use crate::scenario::{Edit, Scalar, Scenario, dotted, edits_between};
use crate::units::Resource;
use crate::words::Selection;

/// Writes a lesson as YAML.
pub fn to_yaml(lesson: &Lesson) -> String {
    let mut before = None;
    let entry = LessonEntry {
        format: FORMAT.to_string(),
        version: Some("1".into()),
        title: lesson.title.clone(),
        about: lesson.about.clone(),
        frames: lesson.frames.iter().map(|frame| frame_entry(frame, &mut before)).collect(),
    };
    shape_to_yaml(&entry)
}

/// Writes a frame; `before` is the scenario that it follows, and then that which the next one follows.
fn frame_entry(frame: &LessonFrame, before: &mut Option<Arc<Scenario>>) -> FrameEntry {
    let scene = &frame.scene;
    let set = before.as_deref().and_then(|before| set_of(&edits_between(before, &scene.scenario)?));
    let is_new = set.is_none() || scene.example.is_some();
    let scenario = (is_new && scene.example.is_none()).then(|| Scenario::clone(&scene.scenario));
    *before = Some(scene.scenario.clone());
    FrameEntry {
        title: frame.title.clone(),
        text: frame.text.clone(),
        example: scene.example.clone().filter(|_| is_new),
        scenario: scenario.unwrap_or_default(),
        set: set.filter(|_| !is_new).unwrap_or_default(),
        cycle: Some(Scalar(scene.cycle.to_string())),
        select: selection(scene),
        view: Some(scene.view.clone()),
        question: frame.question.as_ref().map(|question| question_entry(question, scene, before)).unwrap_or_default(),
        claims: frame.claims.iter().map(fact_entry).collect(),
        suggestions: frame
            .suggestions
            .iter()
            .map(|suggestion| SuggestionEntry {
                label: suggestion.label.clone(),
                set: set_of(&suggestion.edits).unwrap_or_default(),
            })
            .collect(),
        notes: frame.notes.clone(),
        pool: Some(scene.pool.clone()).filter(|pool| !pool.is_empty()),
    }
}

fn question_entry(question: &Question, shown: &Scene, before: &mut Option<Arc<Scenario>>) -> QuestionEntry {
    let scene = &question.scene;
    let set = before.as_deref().and_then(|before| set_of(&edits_between(before, &scene.scenario)?));
    if set.is_some() {
        *before = Some(scene.scenario.clone());
    }
    let (options, order) = match &question.kind {
        QuestionKind::PickOne(options) => (options.clone(), Vec::new()),
        QuestionKind::Order(order) => (Vec::new(), order.clone()),
        QuestionKind::TrueOrFalse | QuestionKind::Number => Default::default(),
    };
    QuestionEntry {
        asks: question.asks.clone(),
        options,
        order,
        answer: fact_entry(&question.answer),
        set: set.unwrap_or_default(),
        cycle: Some(Scalar(scene.cycle.to_string())).filter(|_| scene.cycle != shown.cycle),
        select: selection(scene),
        view: Some(scene.view.clone()).filter(|view| *view != shown.view),
        because: question.because.clone(),
        claims: question.claims.iter().map(fact_entry).collect(),
        pool: Some(scene.pool.clone()).filter(|pool| *pool != shown.pool),
    }
}

fn selection(scene: &Scene) -> Option<String> {
    scene.selection.as_ref().map(Selection::to_text)
}

fn fact_entry(fact: &Fact) -> FactEntry {
    let text = |text: &str| Some(text.to_string()).filter(|text| !text.is_empty());
    FactEntry {
        fact: fact.kind.name().to_string(),
        of: text(&fact.of),
        resource: name_of(fact.resource).filter(|_| fact.resource != Resource::GPU).map(str::to_string),
        pool: text(&fact.pool),
        is: fact.is.map(|is| Scalar(is.to_string())),
    }
}

/// Values to set by their paths; `None` if one has no path of one word.
fn set_of(edits: &[Edit]) -> Option<BTreeMap<String, Scalar>> {
    let pair = |edit: &Edit| match edit {
        Edit::Set { at, value } => Some((dotted(at)?, Scalar(value.clone()))),
        _ => None,
    };
    edits.iter().map(pair).collect()
}
