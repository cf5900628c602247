//! The layout of the page; never part of the document.

pub mod commands;
pub mod embed;
pub mod event_filter;
pub mod gantt_window;
pub mod options;
pub mod present;
pub mod table;
pub mod view;
pub mod width_class;
