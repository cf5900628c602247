//! Icons. Decorative: every button with an icon has an accessible name.

use leptos::prelude::*;

/// The product's logo.
#[component]
pub fn Logo() -> impl IntoView {
    view! {
        <svg width="22" height="22" viewBox="0 0 22 22" aria-hidden="true">
            <rect x="1" y="11" width="5" height="10" rx="1.5" fill="var(--q1)" />
            <rect x="8.5" y="6" width="5" height="15" rx="1.5" fill="var(--q2)" />
            <rect x="16" y="8.5" width="5" height="12.5" rx="1.5" fill="var(--q3)" />
            <path d="M0 8.5h22" stroke="var(--ink)" stroke-width="1.6" stroke-dasharray="2.6 2" />
        </svg>
    }
}

/// An icon of strokes, 16 × 16.
#[component]
pub fn Icon(kind: IconKind) -> impl IntoView {
    let (path, filled) = kind.path();
    view! {
        <svg
            class="icon-svg"
            width="16"
            height="16"
            viewBox="0 0 16 16"
            aria-hidden="true"
            fill=if filled { "currentColor" } else { "none" }
            stroke=if filled { "none" } else { "currentColor" }
            stroke-width="1.6"
            stroke-linecap="round"
            stroke-linejoin="round"
        >
            <path d=path />
        </svg>
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IconKind {
    /// A question mark.
    Help,
    /// Take back.
    Undo,
    /// Make again.
    Redo,
    /// A step back.
    Back,
    Play,
    Pause,
    /// To the next event.
    Next,
    /// Opened part.
    Down,
    /// Opens the part above.
    Up,
    /// Folded part.
    Right,
    /// Towards the left.
    Left,
    Close,
    More,
    Plus,
    /// One less.
    Minus,
    /// Checked.
    Tick,
    Bin,
    /// Cannot be evicted.
    Lock,
    /// Something is wrong.
    Problem,
    /// Something is questionable.
    Warning,
}

impl IconKind {
    fn path(self) -> (&'static str, bool) {
        match self {
            IconKind::Undo => ("M6 3L2.8 6.2L6 9.4M3 6.2h6.4a3.6 3.6 0 0 1 0 7.2H7", false),
            IconKind::Redo => ("M10 3l3.2 3.2L10 9.4M13 6.2H6.6a3.6 3.6 0 0 0 0 7.2H9", false),
            IconKind::Back => ("M11 3L5.4 8L11 13ZM3 3h1.8v10H3Z", true),
            IconKind::Play => ("M4.5 2.5L13 8l-8.5 5.5Z", true),
            IconKind::Pause => ("M4 3h3v10H4ZM9 3h3v10H9Z", true),
            IconKind::Next => ("M4 3l5 5l-5 5M12 3v10", false),
            IconKind::Up => ("M4 10l4-4l4 4", false),
            IconKind::Down => ("M4 6l4 4l4-4", false),
            IconKind::Right => ("M6 4l4 4l-4 4", false),
            IconKind::Left => ("M10 4L6 8l4 4", false),
            IconKind::Close => ("M4 4l8 8M12 4l-8 8", false),
            IconKind::More => ("M3 8h.01M8 8h.01M13 8h.01", false),
            IconKind::Plus => ("M8 3v10M3 8h10", false),
            IconKind::Minus => ("M3 8h10", false),
            IconKind::Tick => ("M3 8.5l3.2 3.2L13 5", false),
            IconKind::Bin => ("M3 4.5h10M6.5 4.5V3h3v1.5M4.5 4.5l.6 8.5h5.8l.6-8.5", false),
            IconKind::Help => (
                "M8 1.8a6.2 6.2 0 1 0 0 12.4a6.2 6.2 0 0 0 0-12.4ZM6.2 6.3a1.85 1.85 0 1 1 2.6 1.7c-.5.25-.8.6-.8 1.2M8 11.4v.01",
                false,
            ),
            IconKind::Lock => ("M4 7.5h8v5.5H4ZM5.5 7.5V5.5a2.5 2.5 0 0 1 5 0v2", false),
            IconKind::Problem => ("M8 1.8L14.2 8L8 14.2L1.8 8ZM8 5v3.4M8 10.8v.01", false),
            IconKind::Warning => ("M8 2.2L14.4 13.4H1.6ZM8 6.4v3M8 11.4v.01", false),
        }
    }
}
