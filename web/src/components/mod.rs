//! One file per component.

pub mod cluster;
pub mod picture;
pub mod props;
pub mod shares;
pub mod timeline;
pub mod why;
