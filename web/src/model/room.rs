//! How much room the window has for panels, and what follows of it. Below 768 pixels there is one panel at a time; the
//! stylesheet knows the same widths.

use super::command::Effect;
use super::ladder::ask_about;
use super::{Model, NowView, View};

/// The room for panels side by side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Room {
    /// From 768 to 1060 pixels: SETUP is a rail, unless it was opened by hand.
    Narrow,
    /// All else.
    #[default]
    Usual,
    /// From 1800 pixels on: Division and Tree have a column of their own.
    Wide,
}

impl Room {
    /// The room of a window that is so many pixels wide.
    pub fn of(width: f64) -> Room {
        match width {
            width if (768.0..=1060.0).contains(&width) => Room::Narrow,
            width if width >= 1800.0 => Room::Wide,
            _ => Room::Usual,
        }
    }
}

impl View {
    /// Puts panels where they belong in that room; what was folded or opened by hand stays so.
    pub fn put(&mut self, room: Room) {
        self.room = room;
        self.setup_folded = self.setup_by_hand.map_or(room == Room::Narrow, |is_open| !is_open);
    }

    /// Whether Division is on screen.
    pub fn has_division(&self) -> bool {
        self.now == NowView::Division || self.room == Room::Wide
    }
}

/// The window got another room.
pub(super) fn moved(model: &mut Model, room: Room, fx: &mut Vec<Effect>) {
    if model.view.room != room {
        model.view.put(room);
        ask_about(model, fx);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library;
    use crate::model::{Command, Opened, Origin, update};

    #[test]
    fn what_was_folded_or_opened_by_hand_stays_so() {
        let mut model = Model::new(Opened::new(library::start(), Origin::Start));
        let mut folded_at = |command: Option<Command>, width: f64| {
            if let Some(command) = command {
                update(&mut model, command);
            }
            update(&mut model, Command::Room(Room::of(width)));
            model.view.setup_folded
        };
        assert!(!folded_at(None, 1440.0));
        assert!(folded_at(None, 1024.0));
        assert!(!folded_at(None, 1061.0));
        assert!(!folded_at(None, 767.0), "one panel at a time");
        assert!(folded_at(None, 768.0));
        assert!(!folded_at(Some(Command::FoldSetup(false)), 1024.0), "it was opened");
        assert!(folded_at(Some(Command::FoldSetup(true)), 1440.0), "it was folded");
        assert!(folded_at(None, 1920.0));
    }

    #[test]
    fn a_wide_window_shows_division() {
        let mut view = View::default();
        assert!(!view.has_division());
        view.put(Room::of(1800.0));
        assert!(view.has_division());
        view.put(Room::of(1799.0));
        assert!(!view.has_division());
    }
}
