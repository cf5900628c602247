//! Width classes of the window and their effect on the panels. Below 768 pixels there is one panel at a time; the
//! stylesheet uses the same breakpoints.

/// Width class for panels side by side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WidthClass {
    /// From 768 to 1060 pixels: SETUP is a rail, unless it was opened manually.
    Narrow,
    /// All other widths.
    #[default]
    Usual,
    /// From 1800 pixels: Division and Tree have a column of their own.
    Wide,
}

impl WidthClass {
    /// The class of a window width in pixels.
    pub fn of(width: f64) -> WidthClass {
        match width {
            width if (768.0..=1060.0).contains(&width) => WidthClass::Narrow,
            width if width >= 1800.0 => WidthClass::Wide,
            _ => WidthClass::Usual,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library;
    use crate::state::command::Command;
    use crate::state::document::Opened;
    use crate::state::document::Origin;
    use crate::state::effect::Effect;
    use crate::state::layout::options::Panel;
    use crate::state::layout::view::View;
    use crate::state::model::Model;
    use crate::state::update::update;

    #[test]
    fn what_was_folded_or_opened_by_hand_stays_so() {
        let mut model = Model::new(Opened::new(library::start(), Origin::Start));
        let mut folded_at = |command: Option<Command>, width: f64| {
            if let Some(command) = command {
                update(&mut model, command);
            }
            update(&mut model, Command::WidthClass(WidthClass::of(width)));
            model.view.setup_folded
        };
        assert!(!folded_at(None, 1440.0));
        assert!(folded_at(None, 1024.0));
        assert!(!folded_at(None, 1061.0));
        assert!(!folded_at(None, 767.0), "one panel at a time");
        assert!(folded_at(None, 768.0));
        assert!(!folded_at(Some(Command::Fold(Panel::Setup, false)), 1024.0), "it was opened");
        assert!(folded_at(Some(Command::Fold(Panel::Setup, true)), 1440.0), "it was folded");
        assert!(folded_at(None, 1920.0));
    }

    #[test]
    fn folded_panels_are_remembered() {
        for (panel, name) in [(Panel::Setup, "setup"), (Panel::Why, "why"), (Panel::Time, "time")] {
            let mut model = Model::new(Opened::new(library::start(), Origin::Start));
            for folded in [true, false] {
                let effects = update(&mut model, Command::Fold(panel, folded));
                assert_eq!(model.view.is_folded(panel), folded, "{name}");
                let kept = |effect: &Effect| matches!(effect, Effect::Remember(of, _) if *of == name);
                assert!(effects.iter().any(kept), "{name}");
            }
        }
    }

    #[test]
    fn a_wide_window_shows_division() {
        let mut view = View::default();
        assert!(!view.has_division());
        view.put(WidthClass::of(1800.0));
        assert!(view.has_division());
        view.put(WidthClass::of(1799.0));
        assert!(!view.has_division());
    }
}
