//! One folder per view: `view.rs` is the view model (pure), `draw.rs` draws it as SVG text (pure), `component.rs`
//! renders it on the page. Picture and table come from the same view model, so they cannot disagree.

pub mod cluster;
pub mod compared;
pub mod division;
pub mod fairness;
pub mod gantt;
pub mod priorities;
pub mod share_usage;
pub mod shares;
pub mod sketch;
pub mod suggestions;
pub mod tables;
#[cfg(test)]
mod tests;
pub mod timeline;
pub mod tree;
pub mod trends;
pub mod waiting;
pub mod why;
