//! Tests of the page without a browser.
//!
//! One program, because linking one takes much less time than linking one for each file.

mod before;
mod compared;
mod digests;
mod examples;
mod foreign_words;
mod help;
mod jumps;
mod kept_links;
mod large;
mod lessons;
mod model;
mod moments;
mod monitored;
mod own_words;
mod owned_nodes;
mod priorities;
mod recorder;
mod rounds;
mod rules;
mod run;
mod run_charts;
mod run_fairness;
mod saturation;
mod server;
mod share_usage;
mod verdicts;
mod whole;
