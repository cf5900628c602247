//! The engine behind its border: the protocol, the serving side, and ways to reach it.

pub mod client;
mod course;
mod cross;
mod foresight;
mod ghost;
mod imports;
mod levels;
mod others;
pub mod protocol;
pub mod serve;
mod stints;
pub mod story;
mod tape;
mod tell;
pub mod transport;
mod trials;
