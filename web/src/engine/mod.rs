//! The engine behind its border: the protocol, the serving side, and ways to reach it.

pub mod client;
pub mod protocol;
pub mod serve;
pub mod transport;
