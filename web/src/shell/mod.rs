//! The frame of the page: header, transport, notices, dividers, and the app component.

pub mod app;
pub mod bar;
mod control;
pub mod divider;
pub mod embed;
mod lesson_bar;
pub mod note;
pub mod notice_bar;
pub mod peek;
mod present;
mod recorder;
mod recorder_fields;
mod recorder_question;
pub mod runs;
pub mod sheet;
mod speaker_notes;
pub mod transport;
mod view_tabs;
