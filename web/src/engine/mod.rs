//! The engine behind its border: the protocol, the serving side, and ways to reach it.

pub mod client;
mod course;
#[cfg(any(feature = "whole", test))]
mod cross;
mod desk;
mod foresight;
mod ghost;
#[cfg(any(feature = "whole", test))]
mod imports;
mod levels;
mod others;
pub mod parcel;
pub mod protocol;
pub mod serve;
mod stints;
pub mod story;
mod tape;
mod tell;
pub mod transport;
mod trials;
