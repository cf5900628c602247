//! Other runs than the present one: the baseline of the last edit, the preview of the next, what-if runs, policies
//! side by side; and what is reported of a whole run.

pub mod alternative;
pub mod baseline;
pub mod commands;
pub mod ideas;
pub mod kept;
pub mod kept_run;
pub mod report;
pub mod what_if;
