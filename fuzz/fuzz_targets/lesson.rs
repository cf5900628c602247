//! A lesson file.

#![no_main]

use fairground::lesson::{Known, is_lesson, read, to_yaml};
use fairground::scenario::{Scenario, read as read_scenario};
use libfuzzer_sys::fuzz_target;

const EXAMPLE: &str = include_str!("../../assets/scenarios/start.yaml");

fuzz_target!(|text: &str| {
    is_lesson(text);
    let example =
        |name: &str| -> Option<Scenario> { read_scenario(EXAMPLE).scenario.filter(|_| !name.is_empty()) };
    let known = || Known { example: &example, views: &["shares", "cluster"] };
    if let Ok(lesson) = read(text, known()) {
        lesson.frames.iter().for_each(|frame| fairground_fuzz::accepted(&frame.scene.scenario));
        let again = read(&to_yaml(&lesson), known()).expect("a written lesson can be read");
        assert_eq!(again, lesson, "what is written is what was read");
    }
});
