//! One file per component.

pub mod props;
