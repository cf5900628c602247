//! What components use: Leptos' signals and components, and views of [`super`].

pub use leptos::prelude::{
    Callable, Callback, Effect, Get, GetUntracked, GetValue, Memo, NodeRef, RwSignal, Set, SetValue, Signal,
    StoredValue, Update, UpdateValue, With, WithUntracked, WithValue, component, document, on_cleanup,
    provide_context, request_animation_frame, use_context, window, window_event_listener,
};

pub use super::{Children, CollectView, IntoView, Node, field_text, target};
pub use fairground_markup::view;
