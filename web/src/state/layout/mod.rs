//! The layout of the page; never part of the document.

pub mod commands;
pub mod embed;
pub mod options;
pub mod table;
pub mod view;
pub mod width_class;
