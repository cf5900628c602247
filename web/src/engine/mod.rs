//! The engine behind its protocol: messages, the server, and transports.

mod branch;
pub mod comparison;
mod csv_run;
pub mod dominant;
mod imports;
mod others;
pub mod parcel;
pub mod placement_intervals;
pub mod preview;
pub mod protocol;
pub mod report;
pub mod reporting;
pub mod run_log;
pub mod serve;
pub mod transport;
