//! The engine behind its border: the protocol, the serving side, and ways to reach it.

mod convert;
pub mod protocol;
