//! Runs other than the current one: the baseline of the last edit, the preview of the next, what-if runs, comparison of
//! policies; and reports on whole runs.

pub mod alternative;
pub mod baseline;
pub mod commands;
pub mod kept;
pub mod kept_run;
pub mod report;
pub mod shown;
pub mod what_if;
