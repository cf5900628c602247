//! Lesson files: all mistakes are reported at once with their field, and the published schema is current.
#![allow(clippy::disallowed_methods, reason = "the published schema is read from the repository")]

use fairground::lesson::{
    Known, Lesson, QuestionKind, is_lesson, lesson_reference, lesson_schema, read, read_unfinished, to_yaml,
};
use fairground::scenario::Scenario;
use serde_json::Value;

const EXAMPLE: &str = include_str!("../../assets/scenarios/start.yaml");
const POOLS: &str = include_str!("../../assets/scenarios/two-pools.yaml");
const PUBLISHED: &str = include_str!("../../assets/lesson.schema.json");
const GUIDE: &str = include_str!("../../docs/guide/lessons.md");

fn example(name: &str) -> Option<Scenario> {
    let text = match name {
        "start" => EXAMPLE,
        "two-pools" => POOLS,
        _ => return None,
    };
    fairground::scenario::read(text).scenario
}

fn lesson(text: &str) -> Result<Lesson, Vec<String>> {
    let known = Known { example: &example, views: &["shares", "division"] };
    read(text, known).map_err(|mistakes| mistakes.iter().map(ToString::to_string).collect())
}

/// A lesson with one frame, and the last one.
fn with(frame: &str) -> String {
    format!(
        "format: fairground-lesson\nversion: 1\ntitle: A\nabout: One learns.\nframes:\n- title: First\n  text: One. Two.\n  \
         example: start\n{frame}\n- title: Last\n  text: Try it.\n  \
         suggestions: [{{label: More, set: {{queues.team-a.gpu.quota: 3}}}}]\n"
    )
}

#[test]
fn scenes_follow_each_other() {
    let text = with(
        "- title: Second\n  text: Two.\n  set: {queues.team-a.gpu.quota: 3}\n  cycle: 2\n  select: job:a2\n  \
         question: {asks: 'Which?', options: [a1, a2], answer: {fact: evicted}, cycle: 3, because: So.}",
    );
    let lesson = lesson(&text).expect("a lesson");
    let [first, second, last] = lesson.frames.as_slice() else { panic!("{lesson:?}") };
    assert_eq!((first.scene.cycle, first.scene.edits.len(), first.scene.view.as_str()), (0, 0, "shares"));
    assert_eq!((second.scene.cycle, second.scene.edits.len()), (2, 1));
    let question = second.question.as_ref().expect("a question");
    assert_eq!(question.kind, QuestionKind::PickOne(vec!["a1".into(), "a2".into()]));
    assert_eq!((question.scene.cycle, &question.scene.scenario), (3, &second.scene.scenario));
    assert_eq!((last.scene.cycle, &last.scene.scenario), (3, &second.scene.scenario), "as the answer shows it");
    assert_ne!(first.scene.scenario, second.scene.scenario);
    assert_eq!(last.suggestions[0].label, "More");
}

#[test]
fn an_edit_to_the_value_that_a_field_has_is_none() {
    let set = "  text: Two.\n  set: {queues.team-a.gpu.quota: 3}";
    let text = with(&format!("- title: Second\n{set}\n- title: Third\n{set}"));
    let first = lesson(&text).expect("a lesson");
    assert_eq!(first.frames.iter().map(|frame| frame.scene.edits.len()).collect::<Vec<_>>(), [0, 1, 0, 0]);
    assert_eq!(lesson(&to_yaml(&first)), Ok(first));
}

#[test]
fn a_scenario_that_edits_lead_to_is_written_as_edits() {
    let frame = |title: &str, quota: u32| {
        format!(
            "- title: {title}\n  text: Two.\n  scenario: {{name: Own, policy: kai, nodes: [{{name: n, gpu: 8}}], \
             queues: [{{name: q, gpu: {{quota: {quota}}}}}]}}\n"
        )
    };
    let first =
        lesson(&with(&(frame("Second", 1) + &frame("Third", 2))).replace("set: {queues.team-a.", "set: {queues.q."))
            .expect("a lesson");
    assert_eq!(first.frames.iter().map(|frame| frame.scene.edits.len()).collect::<Vec<_>>(), [0, 0, 1, 0]);
    let written = to_yaml(&first);
    assert!(written.contains("set: {queues.q.gpu.quota: 2}"), "{written}");
    assert_eq!(lesson(&written), Ok(first));
}

#[test]
fn a_written_lesson_is_read_back() {
    let text = with(
        "  notes: |-\n    Say hello.\n    Wait.\n- title: '<b>: \"Second\"'\n  text: Two.\n  set: {queues.team-a.gpu.quota: 3}\n  cycle: 2\n  select: job:a2\n  \
         view: division\n  question: {asks: 'Which?', options: [a1, a2], answer: {fact: evicted}, cycle: 3, set: {queues.team-a.gpu.quota: 4}, \
         because: So., claims: [{fact: allocated, of: team-a, resource: cpu, is: 0.5}]}\n\
         - title: Again\n  text: Three.\n  example: start\n- title: Again\n  text: Three.\n  example: start\n\
         - title: Other\n  text: Three.\n  scenario: {name: Own, cycle: 2s, settings: {k-value: 1}, nodes: [{name: n, gpu: 1, labels: {a: b}}], \
         queues: [{name: q, gpu: {quota: 1}}]}\n  claims: [{fact: free, is: 1}]",
    )
    .replace("queues.team-a.gpu.quota: 3}}]", "queues.q.gpu.quota: 3}}]");
    let first = lesson(&text).expect("a lesson");
    let written = to_yaml(&first);
    let again = lesson(&written).unwrap_or_else(|mistakes| panic!("{mistakes:?}\n{written}"));
    assert_eq!(again, first, "{written}");
    assert_eq!(to_yaml(&again), written, "the same lesson has the same text");
    for says in [
        "  example: start\n",
        "    set: {queues.team-a.gpu.quota: 3}\n",
        "      set: {queues.team-a.gpu.quota: 4}\n",
        "    scenario:\n      name: Own\n",
    ] {
        assert!(written.contains(says), "{says} in\n{written}");
    }
    // Frames in another order have scenarios of their own.
    let mut moved = again;
    moved.frames[..3].reverse();
    let read = lesson(&to_yaml(&moved)).expect("a lesson");
    let scenes = |lesson: &Lesson| lesson.frames.iter().map(|frame| frame.scene.scenario.clone()).collect::<Vec<_>>();
    assert_eq!(scenes(&read), scenes(&moved));
}

#[test]
fn an_order_is_written_and_read_back() {
    let text =
        with("  question: {asks: 'Which first?', order: [b1, a1, a2], answer: {fact: first-start}, because: So.}");
    let first = lesson(&text).expect("a lesson");
    let question = first.questions().next().expect("a question");
    assert_eq!(question.kind, QuestionKind::Order(vec!["b1".into(), "a1".into(), "a2".into()]));
    assert!(question.is_earliest_first());
    assert_eq!(lesson(&to_yaml(&first)), Ok(first));
}

#[test]
fn a_frame_and_its_answer_name_their_node_pools() {
    let frame = |pools: (&str, &str)| {
        with(&format!(
            "- title: Pools\n  text: Two.\n  example: two-pools\n  pool: {}\n  question: {{asks: 'How many?', answer: {{fact: \
             fair-share, of: nlp, pool: t4}}, pool: {}, because: So.}}",
            pools.0, pools.1
        ))
        .replace("queues.team-a", "queues.nlp")
    };
    for pools in [("t4", "a100"), ("t4", "''"), ("''", "t4"), ("t4", "t4")] {
        let first = lesson(&frame(pools)).expect("a lesson");
        let shown = |lesson: &Lesson| {
            let frame = &lesson.frames[1];
            let answer = frame.question.as_ref().map(|question| question.scene.pool.clone());
            (frame.scene.pool.clone(), answer.expect("a question"))
        };
        let expected = (pools.0.replace('\'', ""), pools.1.replace('\'', ""));
        assert_eq!(shown(&first), expected);
        assert_eq!(shown(&lesson(&to_yaml(&first)).expect("a lesson")), expected);
    }
    let found = lesson(&frame(("t5", "t6"))).expect_err("mistakes");
    let says = |at: &str, pool: &str| format!("frames[1].{at}: the scenario has no node pool \"{pool}\"");
    assert_eq!(found, [says("pool", "t5"), says("question.pool", "t6")]);
}

#[test]
fn an_unfinished_lesson_keeps_what_there_is() {
    let known = Known { example: &example, views: &["shares"] };
    let text = with("").replace("One. Two.", "A. B. C. D.").replace("title: A", "title: ''");
    let (lesson, mistakes) = read_unfinished(&text, known);
    assert_eq!((lesson.frames.len(), lesson.frames[0].text.as_str()), (2, "A. B. C. D."));
    let at: Vec<&str> = mistakes.iter().map(|mistake| mistake.at.as_str()).collect();
    assert_eq!(at, ["title", "frames[0].text"]);
    let (again, mistakes) = read_unfinished(&to_yaml(&lesson), known);
    assert_eq!((again.frames, mistakes.len()), (lesson.frames, 2));
}

#[test]
fn the_example_of_the_guide_is_a_lesson() {
    let text = GUIDE.split("```").nth(1).and_then(|code| code.strip_prefix("yaml\n")).expect("an example");
    assert!(is_lesson(text) && !is_lesson(EXAMPLE));
    assert_eq!(lesson(text).map(|lesson| lesson.frames.len()), Ok(2));
}

#[test]
fn all_mistakes_are_reported_with_their_field() {
    let text = with(
        "  titel: x\n  cycle: 1e9\n  view: shapes\n  select: job:zz\n  set: {queues.team-z.gpu.quota: 1, nodes.node.gpu: many}\n  \
         claims: [{fact: alocated, of: team-a, is: 1}, {fact: allocated, of: team-z, is: 1}, {fact: running, of: a1}]\n  \
         question: {asks: Which?, options: [a1], answer: {fact: evicted}, because: One. Two. Three.}\n\
         - title: Order\n  text: Two.\n  question: {asks: Which?, options: [a1, zz], order: [a1, a1], answer: {fact: running}, because: So.}",
    );
    let found = lesson(&text).expect_err("mistakes").join("\n");
    for says in [
        "unknown field \"titel\"; did you mean `title`?",
        "frames[0].cycle",
        "frames[0].view: there is no view \"shapes\"; views: shares, division",
        "frames[0].select",
        "frames[0].set.queues.team-z.gpu.quota",
        "frames[0].claims[0].fact: unknown fact \"alocated\"; did you mean `allocated`?",
        "frames[0].claims[1]: the scenario has nothing of that name",
        "frames[0].claims[2]: a claim has a value: `is`",
        "frames[0].question.options: there are 2 to 6 names",
        "frames[1].question: a question has options or an order, not both",
        "frames[1].question.order: \"a1\" is there twice",
        "frames[0].question.because",
    ] {
        assert!(found.contains(says), "{says} in\n{found}");
    }
}

#[test]
fn what_is_no_lesson_is_refused() {
    for (text, says) in [
        ("", "title"),
        ("- a\n", "keys and values"),
        ("format: fairground-scenario\nversion: 1\n", "format: a lesson begins"),
        ("{\"format\": [", "line 1"),
        ("a: &x 1\nb: *x\n", "line"),
        (&with("").replace("example: start", "example: none"), "there is no example \"none\""),
        (&with("").replace("  example: start\n", ""), "the first frame needs an example or a scenario"),
        (&with("").replace("One. Two.", "One. Two. Three! Four?"), "4 sentences"),
        (&with("").replace("suggestions", "claims"), "unknown field"),
        (&with("  suggestions: [{label: a, set: {cycle: 2s}}]"), "the last frame has up to 3 suggestions"),
        (&with("").replace("quota: 3", "quota: -3"), "suggestions[0].set"),
        (&format!("title: {}", "x".repeat(300_000)), "the file has"),
        (&with(&"- {title: a, text: b.}\n".repeat(30)), "there are 32 frames"),
    ] {
        let found = lesson(text).expect_err(says).join("\n");
        assert!(found.contains(says), "{says} in\n{found}");
    }
}

#[test]
fn the_published_schema_and_the_guide_are_current() {
    let rest = GUIDE.split_once(FIELDS).expect("the fields").0;
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
        std::fs::write(format!("{root}/assets/lesson.schema.json"), lesson_schema()).expect("written");
        let guide = format!("{rest}{FIELDS}{}", lesson_reference());
        std::fs::write(format!("{root}/docs/guide/lessons.md"), guide).expect("written");
        return;
    }
    assert!(PUBLISHED == lesson_schema(), "run this test with UPDATE_EXPECT=1");
    assert!(GUIDE == format!("{rest}{FIELDS}{}", lesson_reference()), "run this test with UPDATE_EXPECT=1");
    let schema: Value = serde_json::from_str(PUBLISHED).expect("JSON");
    let frame = &schema["properties"]["frames"]["items"]["properties"];
    assert_eq!(frame["scenario"]["$ref"], "scenario.schema.json");
    assert_eq!(frame["claims"]["items"]["properties"]["fact"]["enum"][1], "fair-share");
}

/// Heading of the fields in the guide.
const FIELDS: &str = "\n## Fields\n";
