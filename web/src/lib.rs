//! The page of Fairground, a pure view of one model, and the worker that runs its engine behind [`engine`]: one
//! program, started twice.
//!
//! The entry points are [`page::mount`] and [`worker::serve`]; `main` chooses between them. Everything else is in this
//! library, so that models and charts can be tested without a browser.

// Views that are rendered to text have deeply nested types.
#![recursion_limit = "256"]

pub mod address;
pub mod agreement;
pub mod chart;
pub mod checked;
pub mod clipboard;
pub mod dialogs;
pub mod downloads;
pub mod drafts;
pub mod drop;
pub mod effects;
pub mod engine;
pub mod first_frame;
mod focus;
pub mod input_normalisation;
pub mod keys;
pub mod lessons;
pub mod library;
mod linked;
pub mod page;
pub mod setup;
pub mod shell;
pub mod startup;
pub mod state;
pub mod storage;
pub mod store;
pub mod tabs;
pub mod views;
pub mod widgets;
pub mod words;
pub mod worker;

#[cfg(test)]
mod design;
#[cfg(test)]
mod fixtures;
#[cfg(test)]
mod texts;
