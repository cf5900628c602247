//! The page of Fairground and the worker that runs its engine: one program, started twice.
//!
//! [`page::mount`] and [`worker::serve`] are the two ways in; `main` chooses. Everything stands in this
//! library, so that models and charts are tested without a browser.

pub mod chart;
pub mod page;
pub mod worker;
