//! Tests of the command line tool.
//!
//! One program, because linking one takes much less time than linking one for each file.

mod guide;
mod imports;
mod runner;
mod simulators;
