//! The page of Fairground, a pure view of one model, and the worker that runs its engine behind [`engine`]: one
//! program, started twice.
//!
//! [`page::mount`] and [`worker::serve`] are the two ways in; `main` chooses. Everything stands in this
//! library, so that models and charts are tested without a browser.

pub mod address;
pub mod agreement;
pub mod charts;
pub mod checked;
#[cfg(feature = "page")]
pub mod components;
pub mod deeds;
pub mod dom;
pub mod drop;
pub mod edge;
pub mod engine;
#[cfg(feature = "page")]
mod focus;
pub mod keys;
pub mod library;
pub mod model;
pub mod opening;
#[cfg(feature = "page")]
pub mod page;
pub mod props;
pub mod storage;
pub mod store;
pub mod tabs;
pub mod view_model;
pub mod words;
pub mod worker;

#[cfg(test)]
mod design;
#[cfg(test)]
mod fixtures;
#[cfg(test)]
mod preview;
