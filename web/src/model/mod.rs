//! The model of the page: plain data and one function that changes it. No signals, no browser.

pub mod selection;

pub use selection::Selection;
