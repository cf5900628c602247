//! Applications of several jobs: their jobs share one queue, one user and one list of groups.
//!
//! # Source
//! yunikorn.md 1.1 to 1.4

use std::collections::BTreeMap;

use crate::format::{Findings, JobEntry, codes, quoted, set};
use crate::policy::draft::Draft;

/// Reports jobs that cannot belong to the application that they name.
pub fn applications(draft: &Draft<'_>, f: &mut Findings) {
    let s = draft.scenario;
    let mut first: BTreeMap<&str, &JobEntry> = BTreeMap::new();
    let is_alone = |job: &&JobEntry| job.count.is_none() && job.application.is_none();
    first.extend(s.jobs.iter().filter(is_alone).map(|job| (job.name.as_str(), job)));
    for (i, job) in s.jobs.iter().enumerate() {
        let Some(application) = job.application.as_deref() else { continue };
        let job_path = (draft.job_at)(i);
        if job.gang.is_some() {
            let message = "a gang is an application by itself; remove application or gang".to_string();
            let path = job_path.field("gang");
            f.add(codes::CONFLICT, path.clone(), message, set(path, "", "Remove gang"));
        }
        let first_job = *first.entry(application).or_insert(job);
        let user = |job: &JobEntry| job.user.clone().unwrap_or_default();
        let groups = |job: &JobEntry| job.groups.join(", ");
        for (field, what, value, expected) in [
            ("queue", "queue", job.queue.clone(), first_job.queue.clone()),
            ("user", "user", user(job), user(first_job)),
            ("groups", "list of groups", groups(job), groups(first_job)),
        ] {
            if value != expected {
                let message = format!(
                    "application {} has one {what}: {} of {}, not {}",
                    quoted(application),
                    quoted(&expected),
                    quoted(&first_job.name),
                    quoted(&value)
                );
                let path = job_path.field(field);
                f.add(codes::CONFLICT, path.clone(), message, set(path, expected, "Use that of the application"));
            }
        }
    }
}
