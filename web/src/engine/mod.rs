//! The engine behind its border: the protocol, the serving side, and ways to reach it.

pub mod amounts;
pub mod client;
mod convert;
mod convert_trace;
mod course;
mod cross;
pub mod event_word;
mod foresight;
mod ghost;
mod imports;
mod ladders;
mod levels;
pub mod moment;
mod orders;
mod others;
pub mod protocol;
pub mod rule_use;
pub mod rulebook;
pub mod serve;
mod states;
mod stints;
pub mod story;
mod tape;
mod tell;
pub mod transport;
mod trials;
pub mod wire;
