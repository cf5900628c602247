//! Thumbnails of scenarios, for lists.

pub mod draw;
pub mod view;
