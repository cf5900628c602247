//! Result codes of lessons: written and read back, refused with the reason, added up by lesson and version.

use fairground::lesson::result_code::{Answer, LINES_MAX, Mistake, ResultCode, Tally, add_up};
use fairground::lesson::{Known, Lesson, read};
use proptest::prelude::*;

const EXAMPLE: &str = include_str!("../../assets/scenarios/start.yaml");

/// A lesson with two questions.
const LESSON: &str = "format: fairground-lesson\nversion: 1\ntitle: A\nabout: One learns.\nframes:\n\
    - {title: First, text: One., example: start, question: {asks: 'Which?', options: [a1, a2], answer: {fact: evicted}, cycle: 1, because: So.}}\n\
    - {title: Second, text: Two., question: {asks: 'How many?', answer: {fact: allocated, of: team-a}, cycle: 1, because: So.}}\n\
    - {title: Last, text: Try it., suggestions: [{label: More, set: {queues.team-a.gpu.quota: 3}}]}\n";

fn lesson() -> Lesson {
    let example = |name: &str| fairground::scenario::read(EXAMPLE).scenario.filter(|_| name == "start");
    read(LESSON, Known { example: &example, views: &["shares"] }).expect("a lesson")
}

fn decoded(text: &str) -> Result<ResultCode, Mistake> {
    text.parse()
}

fn answer() -> impl Strategy<Value = Answer> {
    prop_oneof![Just(Answer::Right), Just(Answer::Wrong), Just(Answer::NotAnswered)]
}

proptest! {
    #[test]
    fn a_code_is_read_back(
        lesson in "[a-z0-9]([a-z0-9-]{0,58}[a-z0-9])?",
        checksum: u32,
        answers in prop::collection::vec(answer(), 1..=20),
    ) {
        let code = ResultCode { lesson, checksum, answers };
        prop_assert_eq!(decoded(&format!("  {code}\r")), Ok(code));
    }

    #[test]
    fn any_text_is_added_up(text in ".{0,200}", lines in prop::collection::vec("FG1-[a-z-]{0,9}-[0-9a-f-]{0,9}-[rwnx]{0,22}", 0..9)) {
        let text = format!("{text}\n{}", lines.join("\n"));
        let sums = add_up(&text, |_| None);
        let counted: usize = sums.tables.iter().map(|table| table.n_codes).sum();
        prop_assert_eq!(counted + sums.mistakes.len(), text.lines().filter(|line| !line.trim().is_empty()).count());
    }
}

#[test]
fn what_is_no_code_is_refused_with_the_reason() {
    let long = format!("FG1-{}-00000000-r", "a".repeat(1_000_000));
    let many = format!("FG1-a-00000000-{}", "r".repeat(21));
    for (text, mistake) in [
        ("", Mistake::NotACode),
        ("quota", Mistake::NotACode),
        ("FG2-quota-1a2b3c4d-rr", Mistake::NotACode),
        ("FG1", Mistake::NotACode),
        ("<script>alert(1)</script>", Mistake::NotACode),
        ("FG1-", Mistake::Truncated),
        ("FG1-fair-share", Mistake::Truncated),
        ("FG1-quota-1a2b3c4d", Mistake::Truncated),
        ("FG1-fair-share-1a2b3c4d", Mistake::Truncated),
        ("FG1-fair-share-1a2b3c4d-", Mistake::Truncated),
        ("FG1-quota-1a2b3c4-rr", Mistake::Checksum),
        ("FG1-quota-+a2b3c4d-rr", Mistake::Checksum),
        ("FG1-quota-1A2B3C4D-rr", Mistake::Checksum),
        ("FG1--1a2b3c4d-rr", Mistake::Name),
        ("FG1-Quota<b>-1a2b3c4d-rr", Mistake::Name),
        ("FG1-qu\u{f6}ta-1a2b3c4d-rr", Mistake::Name),
        ("FG1-quota-1a2b3c4d-r\u{202e}r", Mistake::Answer('\u{202e}')),
        ("FG1-quota-1a2b3c4d-r r", Mistake::Answer(' ')),
        (&long, Mistake::TooLong),
        (&many, Mistake::TooLong),
    ] {
        assert_eq!(decoded(text), Err(mistake), "{:.60}", text);
    }
    assert_eq!(Mistake::Answer('\u{202e}').to_string(), "unexpected \"\\u{202e}\"; answers are r, w or n");
}

#[test]
fn codes_are_added_up_by_lesson_and_version() {
    let lesson = lesson();
    let current = format!("FG1-own-{:08x}", lesson.checksum);
    let text = format!(
        "{current}-rw\n\n{current}-rw\n{current}-nr\nFG1-own-00000000-rrr\nhello\n{current}-r\nFG1-own-00000000-rr\nFG1-gangs-00000000-n\n"
    );
    let sums = add_up(&text, |name| (name == "own").then_some(&lesson));
    let shown: Vec<_> =
        sums.tables.iter().map(|table| (table.lesson.as_str(), table.checksum, table.n_codes)).collect();
    assert_eq!(shown, [("own", lesson.checksum, 3), ("own", 0, 1), ("gangs", 0, 1)]);
    let tally = |right, wrong, not_answered| Tally { right, wrong, not_answered };
    assert_eq!(sums.tables[0].questions, [tally(2, 0, 1), tally(1, 2, 0)]);
    let mistakes = [
        (6, Mistake::NotACode),
        (7, Mistake::Questions { are: 1, expected: 2 }),
        (8, Mistake::Questions { are: 2, expected: 3 }),
    ];
    assert_eq!(sums.mistakes, mistakes);
}

#[test]
fn lines_beyond_the_limit_are_named_once() {
    let sums = add_up(&"FG1-a-00000000-r\n".repeat(LINES_MAX + 9), |_| None);
    assert_eq!(sums.tables[0].n_codes, LINES_MAX);
    assert_eq!(sums.mistakes, [(LINES_MAX + 1, Mistake::TooManyLines)]);
}

#[test]
fn another_text_is_another_version() {
    let example = |name: &str| fairground::scenario::read(EXAMPLE).scenario.filter(|_| name == "start");
    let text = LESSON.replace("Which?", "Which one?");
    let other = read(&text, Known { example: &example, views: &["shares"] }).expect("a lesson");
    assert_ne!(other.checksum, lesson().checksum);
    assert_eq!(other.n_questions(), 2);
    let text = format!("# Of the first week\n{LESSON}");
    let same = read(&text, Known { example: &example, views: &["shares"] }).expect("a lesson");
    assert_eq!(same.checksum, lesson().checksum, "a comment says nothing new");
}
