//! The frame around the pictures: header, transport, notices, dividers, the app itself.

pub mod app;
pub mod bar;
pub mod divider;
pub mod embed;
pub mod note;
pub mod notice_bar;
pub mod peek;
pub mod runs;
pub mod sheet;
pub mod transport;
