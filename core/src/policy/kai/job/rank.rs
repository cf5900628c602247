//! A job's rank among all jobs, as one integer.
//!
//! # Source
//! kai.md 3.2

/// Active pods compared with the minimum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::policy::kai) enum Filled {
    Below,
    Exactly,
    Above,
}

/// A job's rank as one integer: priority, fill, age and name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::policy::kai) struct JobRank(u64);

impl JobRank {
    const FILLED: u32 = 30;
    /// `priority` and `age` count the distinct priorities and the jobs that come before.
    fn new(priority: usize, age: usize) -> Self {
        JobRank((priority as u64) << (Self::FILLED + 2) | age as u64)
    }
    /// The same rank with another fill.
    pub fn with(self, filled: Filled) -> Self {
        JobRank(self.0 & !(3 << Self::FILLED) | (filled as u64) << Self::FILLED)
    }
}

/// Ranks of jobs from (priority, creation), given in order of their names; fill is set later.
pub(in crate::policy::kai) fn job_ranks(jobs: &[(i64, f64)], has_priorities: bool) -> Vec<JobRank> {
    let mut priorities: Vec<i64> = Vec::new();
    if has_priorities {
        priorities.extend(jobs.iter().map(|job| job.0));
        priorities.sort_by_key(|&p| std::cmp::Reverse(p));
        priorities.dedup();
    }
    let mut by_age: Vec<usize> = (0..jobs.len()).collect();
    by_age.sort_by(|&l, &r| jobs[l].1.partial_cmp(&jobs[r].1).expect("moments are never NaN"));
    let mut ranks = vec![JobRank::default(); jobs.len()];
    for (age, i) in by_age.into_iter().enumerate() {
        let rank = priorities.binary_search_by(|p| jobs[i].0.cmp(p)).unwrap_or(0);
        ranks[i] = JobRank::new(rank, age);
    }
    ranks
}
