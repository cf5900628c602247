//! Global keyboard shortcuts, by the kind of element that has the focus.

use crate::state::command::Command;
use crate::state::document::Change;
use crate::state::layout::options::{Dialog, KeySet, NowView, Panel, Presenting};
use crate::state::lesson::step::LessonStep;
use crate::state::model::Model;

/// A pressed key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pressed {
    /// The browser's name of the key; with Alt, the character it produces without Alt.
    pub key: String,
    /// Ctrl or Cmd.
    pub ctrl: bool,
    pub shift: bool,
    pub alt: bool,
}

/// Kind of element that has the focus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Focus {
    /// A text field or a menu, which handles all keys except those with Ctrl.
    Field,
    /// A grid, chart, slider or tab list, which handles arrows and most letters.
    Composite,
    /// A button or link, which handles Enter and Space.
    Button,
    /// None of these.
    Free,
}

/// Result of a shortcut.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    Do(Command),
    /// Toggles playback.
    PlayOrPause,
    /// Goes to the last known cycle.
    ToEnd,
    /// Moves by a number of cycles, backwards if negative.
    Jump(i32),
    /// Focuses the next region, or the previous one if `true`.
    Region(bool),
    /// Folds or opens the focused panel.
    Fold,
    /// Looks for changes that would help the selected job.
    Help,
    /// Adds a node group and shows it.
    AddNodes,
}

/// The character of a key without Alt, which changes it on some systems. `code` identifies the key by its position on
/// the keyboard.
pub fn without_alt(key: &str, code: &str, shift: bool) -> String {
    let of_place = match code {
        "Slash" if shift => "?",
        "Slash" => "/",
        "Period" => ".",
        "BracketLeft" => "[",
        "BracketRight" => "]",
        "Minus" => "-",
        "Equal" => "+",
        _ => code.strip_prefix("Key").or_else(|| code.strip_prefix("Digit")).unwrap_or(key),
    };
    // An ASCII character comes from the keyboard layout; any other may have been produced by Alt.
    if key.len() == 1 && key.is_ascii() { key.to_string() } else { of_place.to_string() }
}

/// Whether a key types a character, which makes it subject to the key set.
fn is_character(key: &str) -> bool {
    key != " " && key.chars().count() == 1 && !matches!(key, "→" | "←" | "↑" | "↓")
}

/// Label of a key under this key set; `None`: it is off. Several keys are separated by ` / ` or `, `.
pub fn named(key: &str, set: KeySet) -> Option<String> {
    let separator = if key.contains(" / ") { " / " } else { ", " };
    let one = |key: &str| {
        let first = key.trim_start_matches("Shift+");
        let (from, to) = first.split_once(" to ").unwrap_or((first, first));
        match set {
            KeySet::Alt if is_character(from) && is_character(to) => Some(format!("Alt+{key}")),
            KeySet::Off if is_character(from) && is_character(to) => None,
            _ => Some(key.to_string()),
        }
    };
    let keys: Vec<String> = key.split(separator).filter_map(one).collect();
    (!keys.is_empty()).then(|| keys.join(separator))
}

/// Whether a key set has a key, with or without Alt as it is pressed.
fn is_in(Pressed { key, ctrl, alt, .. }: &Pressed, set: KeySet) -> bool {
    let is_character = is_character(key) && !ctrl;
    match set {
        KeySet::Off if is_character => false,
        KeySet::Alt => *alt == is_character,
        _ => !alt,
    }
}

/// The action of a key; `None`: not a shortcut.
pub fn action(pressed: &Pressed, focus: Focus, set: KeySet) -> Option<Action> {
    let Pressed { key, ctrl, shift, .. } = pressed;
    if !is_in(pressed, set) {
        return None;
    }
    if key == "F6" {
        return Some(Action::Region(*shift));
    }
    if *ctrl {
        return match (key.to_ascii_lowercase().as_str(), shift) {
            ("s", false) => Some(Action::Do(Command::Share)),
            ("s", true) => Some(Action::Do(Command::Dialog(Some(Dialog::Share)))),
            ("z", shift) if focus != Focus::Field => {
                Some(Action::Do(if *shift { Command::Redo } else { Command::Undo }))
            }
            ("k", false) => Some(Action::Do(Command::Dialog(Some(Dialog::Palette)))),
            ("y", false) if focus != Focus::Field => Some(Action::Do(Command::Redo)),
            _ => None,
        };
    }
    if key == "Escape" && focus != Focus::Field {
        return Some(Action::Do(Command::ForgetBaseline));
    }
    match focus {
        Focus::Field => None,
        Focus::Composite => plain(key).filter(|_| is_of_page(key)),
        _ if *shift && key == "ArrowRight" => Some(Action::Do(Command::StepDecision { back: false })),
        _ if *shift && key == "ArrowLeft" => Some(Action::Do(Command::StepDecision { back: true })),
        Focus::Button if key == " " || key == "Enter" => None,
        _ if key.eq_ignore_ascii_case("a") => Some(Action::Do(Command::Action { back: *shift })),
        Focus::Button | Focus::Free => plain(key),
    }
}

/// The step of a key while a lesson is played. In its last frame, free play, arrows move in time as usual.
pub fn lesson_step(pressed: &Pressed, focus: Focus, is_last: bool) -> Option<LessonStep> {
    let has_modifier = pressed.ctrl || pressed.shift || pressed.alt;
    if has_modifier || matches!(focus, Focus::Field | Focus::Composite) {
        return None;
    }
    match pressed.key.as_str() {
        "ArrowRight" if !is_last => Some(LessonStep::Next),
        "ArrowLeft" if !is_last => Some(LessonStep::Back),
        "PageDown" => Some(LessonStep::Next),
        "PageUp" => Some(LessonStep::Back),
        _ => None,
    }
}

/// The command of a key while the page is presented: those of a presenter, and some for who stands at the keyboard.
pub fn presented(pressed: &Pressed, focus: Focus, model: &Model) -> Option<Command> {
    if focus == Focus::Field || pressed.ctrl || pressed.shift || !is_in(pressed, model.view.keys) {
        return None;
    }
    if model.view.presenting == Presenting::Black {
        return Some(Command::Present(Presenting::On));
    }
    let step = |lesson, time| match &model.lesson {
        Some(playing) if !playing.is_last() => Command::Lesson(lesson),
        _ => time,
    };
    match pressed.key.as_str() {
        "Escape" | "p" | "P" => Some(Command::Present(Presenting::Off)),
        "." | "b" | "B" => Some(Command::Present(Presenting::Black)),
        "c" | "C" => Some(Command::ShowView(match model.view.now {
            NowView::Shares => NowView::Division,
            _ => NowView::Shares,
        })),
        "PageUp" if model.lesson.is_some() => Some(Command::Lesson(LessonStep::Back)),
        "PageDown" => Some(step(LessonStep::Next, Command::Step)),
        "PageUp" => Some(Command::Back),
        "ArrowRight" if focus != Focus::Composite => Some(step(LessonStep::Next, Command::Step)),
        "ArrowLeft" if focus != Focus::Composite => Some(step(LessonStep::Back, Command::Back)),
        " " if focus == Focus::Free => Some(step(LessonStep::Next, Command::Step)),
        _ => None,
    }
}

/// Whether a key means the same in every chart and list.
fn is_of_page(key: &str) -> bool {
    matches!(key, "e" | "E" | "h" | "H" | "f" | "F" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8")
}

fn plain(key: &str) -> Option<Action> {
    let command = match key {
        "ArrowRight" | "." => Command::Step,
        "ArrowLeft" => Command::Back,
        " " => return Some(Action::PlayOrPause),
        "+" | "=" => Command::Speed(1),
        "-" | "−" => Command::Speed(-1),
        "]" => Command::NextEvent { back: false },
        "[" => Command::NextEvent { back: true },
        "g" | "G" => Command::Dialog(Some(Dialog::GoTo)),
        "Home" => Command::GoTo(0),
        "End" => return Some(Action::ToEnd),
        "PageUp" => return Some(Action::Jump(-10)),
        "PageDown" => return Some(Action::Jump(10)),
        "q" | "Q" => Command::Change(Change::AddQueue { parent: None }),
        "w" | "W" => Command::Change(Change::AddJob { queue: None }),
        "n" | "N" => return Some(Action::AddNodes),
        "e" | "E" => Command::Panel(Panel::Why),
        "1" => Command::ShowView(NowView::Shares),
        "2" => Command::ShowView(NowView::Division),
        "3" => Command::ShowView(NowView::Tree),
        "4" => Command::ShowView(NowView::Gantt),
        "5" => Command::ShowView(NowView::Fairness),
        "6" => Command::ShowView(NowView::Trends),
        "7" => Command::ShowView(NowView::ShareUsage),
        "8" => Command::ShowView(NowView::Priorities),
        "h" | "H" => return Some(Action::Help),
        "f" | "F" => return Some(Action::Fold),
        "p" | "P" => Command::Present(Presenting::On),
        "/" => Command::Dialog(Some(Dialog::Palette)),
        "?" => Command::Dialog(Some(Dialog::Keys)),
        _ => return None,
    };
    Some(Action::Do(command))
}

/// The list of shortcuts, by group.
pub const LIST: &[(&str, &[(&str, &str)])] = &[
    (
        "Time",
        &[
            ("→ / ←", "Step forward, back"),
            ("Shift+→ / Shift+←", "Next, previous decision inside the cycle"),
            ("A / Shift+A", "Next, previous action inside the cycle, such as reclaim"),
            ("Space", "Play, pause"),
            ("+ / −", "Faster, slower"),
            ("] / [", "Next, previous event, of the selection or as chosen"),
            ("Enter on a mark of the lane", "Select its event, which E explains"),
            ("Shift+← / Shift+→, Shift+Home / Shift+End", "In the timeline: select a range of cycles; Esc: clear it"),
            ("+ / −, 0", "In the timeline: zoom in, out; all cycles. With the pointer: Ctrl and the wheel"),
            ("G", "Go to a cycle"),
            ("Home / End", "First cycle, last known cycle"),
            ("PageUp / PageDown", "Ten cycles back, forward"),
        ],
    ),
    (
        "Lesson",
        &[
            ("PageDown / PageUp", "Next, previous frame; keys of a presenter"),
            ("→ / ←", "The same, except in the last frame, where they step through time"),
        ],
    ),
    (
        "Present",
        &[
            ("P", "Begin; Esc: end"),
            ("→ / ←, PageDown / PageUp, Space", "Next, previous cycle or frame of the lesson"),
            ("C", "Shares or Division; 1 to 8: any chart"),
            (".", "Black screen"),
        ],
    ),
    (
        "Scenario",
        &[
            ("Enter or F2", "Edit the cell"),
            ("Alt+Enter", "Edit all fields of the row"),
            ("↑ / ↓", "One more, one less while editing; with Shift ten"),
            ("Ctrl+Enter", "Try a range of values of the number being edited"),
            ("Esc", "Cancel the edit; hide the comparison"),
            ("Q, W, N", "Add a queue, a job, nodes"),
            ("Alt+↑ / Alt+↓", "Move a queue up, down"),
            ("Alt+→ / Alt+←", "Move a queue below its neighbour, out of its parent"),
            ("Shift+↑ / Shift+↓, Ctrl+Space", "Select rows to edit or remove them together"),
            ("Delete", "Remove the row"),
            ("Ctrl+Z / Ctrl+Shift+Z", "Undo, redo"),
        ],
    ),
    (
        "Page",
        &[
            ("E", "Explain the selection"),
            ("H", "What would help the selected job"),
            ("1 to 8", "Shares, Division, Tree, Gantt, Fairness, Trends; Share usage, Priorities where there is one"),
            ("T in a chart", "Its table, in Timeline also that of events"),
            ("Ctrl+C in a chart", "Copy its table, tab-separated"),
            ("← / →, Esc", "On a draggable mark: decrease, increase; Esc to revert"),
            ("↑ / ↓ in Shares", "Next row or mark"),
            ("Ctrl+K, /", "Search or run a command"),
            ("Ctrl+S", "Copy a link to this moment"),
            ("F6 / Shift+F6", "Next, previous region"),
            ("F", "Collapse or open Setup, Why or Timeline, whichever has the focus"),
            ("?", "This list"),
        ],
    ),
];

#[cfg(test)]
mod tests {
    use super::super::state::document::Opened;
    use super::*;
    use crate::library;
    use crate::state::document::Origin;

    fn action(pressed: &Pressed, focus: Focus) -> Option<Action> {
        super::action(pressed, focus, KeySet::Plain)
    }

    fn press(key: &str) -> Pressed {
        Pressed { key: key.into(), ..Pressed::default() }
    }

    #[test]
    fn characters_can_be_pressed_with_alt_or_be_off() {
        let with_alt = |key: &str| Pressed { alt: true, ..press(key) };
        let free = |pressed: &Pressed, set| super::action(pressed, Focus::Free, set);
        for key in ["q", "Q", "1", "]", "/", "?", ".", "+"] {
            assert!(free(&press(key), KeySet::Plain).is_some(), "{key}");
            assert_eq!(free(&press(key), KeySet::Alt), None, "{key}");
            assert_eq!(free(&press(key), KeySet::Off), None, "{key}");
            assert_eq!(free(&with_alt(key), KeySet::Alt), free(&press(key), KeySet::Plain), "{key}");
            assert_eq!(free(&with_alt(key), KeySet::Off), None, "{key}");
        }
        for set in [KeySet::Plain, KeySet::Alt, KeySet::Off] {
            assert_eq!(free(&press("ArrowRight"), set), Some(Action::Do(Command::Step)));
            assert_eq!(free(&press(" "), set), Some(Action::PlayOrPause));
            // Reserved by the browser.
            assert_eq!(free(&with_alt("ArrowLeft"), set), None);
            let palette = Pressed { ctrl: true, ..press("k") };
            assert_eq!(free(&palette, set), Some(Action::Do(Command::Dialog(Some(Dialog::Palette)))));
        }
        // Characters as some systems and keyboards produce them.
        assert_eq!(without_alt("œ", "KeyQ", false).to_lowercase(), "q");
        assert_eq!(without_alt("¿", "Slash", true), "?");
        assert_eq!(without_alt("a", "KeyQ", false), "a");
        assert_eq!(without_alt("ArrowLeft", "ArrowLeft", false), "ArrowLeft");
    }

    #[test]
    fn keys_are_named_as_they_are_pressed() {
        let named = |key: &str, set| super::named(key, set).unwrap_or_default();
        assert_eq!(named("A / Shift+A", KeySet::Alt), "Alt+A / Alt+Shift+A");
        assert_eq!(named("Q, W, N", KeySet::Alt), "Alt+Q, Alt+W, Alt+N");
        assert_eq!(named("1 to 6", KeySet::Alt), "Alt+1 to 6");
        assert_eq!(named("Ctrl+K, /", KeySet::Off), "Ctrl+K");
        assert_eq!(named("G", KeySet::Off), "");
        for key in ["→ / ←", "Space", "Ctrl+S", "Alt+↑ / Alt+↓", "Delete", "Home / End"] {
            for set in [KeySet::Alt, KeySet::Off] {
                assert_eq!(named(key, set), key);
            }
        }
    }

    #[test]
    fn letters_act_only_where_nobody_types() {
        assert_eq!(action(&press("ArrowRight"), Focus::Free), Some(Action::Do(Command::Step)));
        assert_eq!(action(&press("ArrowRight"), Focus::Button), Some(Action::Do(Command::Step)));
        for focus in [Focus::Field, Focus::Composite] {
            assert_eq!(action(&press("q"), focus), None);
            assert_eq!(action(&press("ArrowRight"), focus), None);
            assert_eq!(action(&press("F6"), focus), Some(Action::Region(false)));
        }
        let explain = action(&press("e"), Focus::Free);
        assert_eq!(action(&press("e"), Focus::Composite), explain);
        assert_eq!(action(&press("h"), Focus::Composite), Some(Action::Help));
        assert_eq!(action(&press("h"), Focus::Field), None);
        assert_eq!(action(&press("Escape"), Focus::Field), None);
        assert_eq!(action(&press("Escape"), Focus::Composite), Some(Action::Do(Command::ForgetBaseline)));
        assert_eq!(action(&press(" "), Focus::Button), None);
        assert_eq!(action(&press(" "), Focus::Free), Some(Action::PlayOrPause));
    }

    #[test]
    fn a_presenter_steps_blacks_out_and_ends() {
        let mut model = Model::new(Opened::new(library::start(), Origin::Start));
        model.view.presenting = Presenting::On;
        let pressed = |key: &str, model: &Model| presented(&press(key), Focus::Free, model);
        for key in ["ArrowRight", "PageDown", " "] {
            assert_eq!(pressed(key, &model), Some(Command::Step), "{key}");
        }
        assert_eq!(pressed("PageUp", &model), Some(Command::Back));
        assert_eq!(pressed("c", &model), Some(Command::ShowView(NowView::Division)));
        assert_eq!(pressed(".", &model), Some(Command::Present(Presenting::Black)));
        assert_eq!(pressed("Escape", &model), Some(Command::Present(Presenting::Off)));
        assert_eq!(presented(&press(" "), Focus::Button, &model), None);
        assert_eq!(presented(&press("."), Focus::Field, &model), None);
        model.view.keys = KeySet::Off;
        assert_eq!(pressed(".", &model), None);
        assert_eq!(pressed("PageDown", &model), Some(Command::Step));
        model.view.presenting = Presenting::Black;
        assert_eq!(pressed("PageDown", &model), Some(Command::Present(Presenting::On)));
    }

    #[test]
    fn arrows_and_a_presenter_lead_through_a_lesson() {
        for (key, step) in [("ArrowRight", LessonStep::Next), ("ArrowLeft", LessonStep::Back)] {
            assert_eq!(lesson_step(&press(key), Focus::Button, false), Some(step));
            assert_eq!(lesson_step(&press(key), Focus::Free, true), None, "free play");
        }
        for is_last in [false, true] {
            assert_eq!(lesson_step(&press("PageDown"), Focus::Free, is_last), Some(LessonStep::Next));
            assert_eq!(lesson_step(&press("PageUp"), Focus::Button, is_last), Some(LessonStep::Back));
        }
        assert_eq!(lesson_step(&press("ArrowRight"), Focus::Field, false), None);
        assert_eq!(lesson_step(&Pressed { shift: true, ..press("ArrowRight") }, Focus::Free, false), None);
    }

    #[test]
    fn the_browsers_own_keys_are_left_alone() {
        for key in ["l", "f", "t", "w", "r", "p"] {
            assert_eq!(action(&Pressed { ctrl: true, ..press(key) }, Focus::Free), None);
        }
        assert_eq!(action(&Pressed { alt: true, ..press("ArrowLeft") }, Focus::Free), None);
        assert_eq!(action(&Pressed { ctrl: true, ..press("z") }, Focus::Field), None);
        let undo = action(&Pressed { ctrl: true, ..press("z") }, Focus::Composite);
        assert_eq!(undo, Some(Action::Do(Command::Undo)));
    }
}
