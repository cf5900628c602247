//! The engine behind its border: the protocol, the serving side, and ways to reach it.

mod convert;
mod import;
pub mod protocol;
pub mod serve;
mod track;
