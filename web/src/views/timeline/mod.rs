//! Timeline: allocation by cycle, and the lane of events.

pub mod component;
pub mod condense;
pub mod draw;
pub mod draw_overlays;
pub mod event_lane;
pub mod overlays;
pub mod plane;
pub mod view;
pub mod zoom;
