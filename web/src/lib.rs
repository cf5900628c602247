//! The page of Fairground, a pure view of one model, and the worker that runs its engine behind [`engine`]: one
//! program, started twice.
//!
//! [`page::mount`] and [`worker::serve`] are the two ways in; `main` chooses. Everything stands in this
//! library, so that models and charts are tested without a browser.

pub mod chart;
pub mod charts;
pub mod components;
pub mod engine;
pub mod model;
pub mod page;
pub mod view_model;
pub mod words;
pub mod worker;

#[cfg(test)]
mod fixtures;
#[cfg(test)]
mod preview;
