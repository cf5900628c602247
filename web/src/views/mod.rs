//! One folder per picture: `view.rs` says what it shows (pure), `draw.rs` draws it as SVG text (pure),
//! `component.rs` puts it on the screen. Picture and table come from the same view, so they cannot disagree.

pub mod cluster;
pub mod compared;
pub mod division;
pub mod fairness;
pub mod gantt;
pub mod help;
pub mod icicle;
pub mod priorities;
pub mod share_usage;
pub mod shares;
pub mod sketch;
pub mod tables;
#[cfg(test)]
mod tests;
pub mod timeline;
pub mod trends;
pub mod waiting;
pub mod why;
