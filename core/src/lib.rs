//! The engine of Fairground: a deterministic simulator of cluster schedulers. No browser, no clock, no
//! files, no threads.
//!
//! Reading order: [`units`], [`time`], [`id`]; [`cluster`], the simulated cluster; [`trace`], recorded decisions;
//! [`policy`], the interface and the policies; [`scenario`], the interpretation of a scenario file; [`sim`], the
//! progress of time; [`moment`], the state after a cycle as data, and [`words`], decisions as sentences;
//! [`suggestions`], changes that help a job; [`lesson`], texts about moments; [`link`], `import`, `export` and
//! `translate`: links, foreign files and translation to other policies.

pub mod cluster;
pub mod export;
pub mod format;
pub mod id;
pub mod import;
pub mod kit;
pub mod lesson;
pub mod link;
pub mod moment;
pub mod policy;
pub mod scenario;
pub mod sim;
pub mod suggestions;
pub mod time;
#[warn(missing_docs)]
pub mod trace;
pub mod translate;
#[warn(missing_docs)]
pub mod units;
pub mod words;
