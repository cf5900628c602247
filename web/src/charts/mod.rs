//! Pure functions from view models to SVG text, drawn with plotters over [`backend`].

pub mod backend;
pub mod cluster;
pub mod compared;
pub mod division;
pub mod export;
pub mod gantt;
pub mod icicle;
pub mod marks;
pub mod multiples;
pub mod paint;
pub mod shares;
pub mod sketch;
pub mod timeline;
pub mod timeline_over;

#[cfg(test)]
mod tests;
