//! Verdicts on cases, counted by file.

use std::fmt;

/// Verdict on one case.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// Equal to the only recorded outcome.
    Equal,
    /// Equal to one of the recorded outcomes.
    InSet,
    /// Within 1e-9 of one of the outcomes of a set that cannot be complete.
    Near,
    /// The case needs this feature, which is not implemented.
    NotBuilt(&'static str),
    /// A scenario file does not support this feature of the case.
    CannotSay(&'static str),
    /// Differs for a reason listed in `known-differences.yaml`.
    Known(String),
    /// Differs; contains the first differing decision.
    Failed(String),
}

impl From<Result<(), String>> for Verdict {
    fn from(compared: Result<(), String>) -> Verdict {
        compared.map_or_else(Verdict::Failed, |()| Verdict::Equal)
    }
}

/// Numbers of cases by verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub equal: usize,
    pub in_set: usize,
    pub near: usize,
    pub not_built: usize,
    pub cannot_say: usize,
    pub known: usize,
    pub failed: usize,
}

impl Counts {
    /// Counts a verdict.
    pub fn add(&mut self, verdict: &Verdict) {
        let count = match verdict {
            Verdict::Equal => &mut self.equal,
            Verdict::InSet => &mut self.in_set,
            Verdict::Near => &mut self.near,
            Verdict::NotBuilt(_) => &mut self.not_built,
            Verdict::CannotSay(_) => &mut self.cannot_say,
            Verdict::Known(_) => &mut self.known,
            Verdict::Failed(_) => &mut self.failed,
        };
        *count += 1;
    }

    /// Adds the counts of another file.
    pub fn merge(&mut self, other: Counts) {
        self.equal += other.equal;
        self.in_set += other.in_set;
        self.near += other.near;
        self.not_built += other.not_built;
        self.cannot_say += other.cannot_say;
        self.known += other.known;
        self.failed += other.failed;
    }

    /// Number of cases that agree with the recording.
    pub fn agree(&self) -> usize {
        self.equal + self.in_set + self.near
    }

    /// Number of cases.
    pub fn of(&self) -> usize {
        self.agree() + self.not_built + self.cannot_say + self.known + self.failed
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counts { equal, in_set, near, not_built, cannot_say, known, failed } = self;
        write!(
            f,
            "{equal:>5} equal {in_set:>4} in set {near:>3} near {not_built:>5} not built {cannot_say:>5} cannot be said {known:>3} known difference {failed:>5} failed"
        )
    }
}

/// Verdict on a case with its position.
#[derive(Clone, Debug, PartialEq)]
pub struct CaseReport {
    /// Line in the file, from 1.
    pub line: usize,
    /// Id of the case; empty if it could not be parsed.
    pub id: String,
    pub verdict: Verdict,
}

/// Cases of one file.
#[derive(Clone, Debug, PartialEq)]
pub struct FileReport {
    /// Path as given or found.
    pub file: String,
    /// Recorded revision; empty for other products.
    pub revision: String,
    /// Cases in file order.
    pub cases: Vec<CaseReport>,
}

impl FileReport {
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for case in &self.cases {
            counts.add(&case.verdict);
        }
        counts
    }

    /// Features that are not implemented, with the number of cases that need each, in order of appearance.
    pub fn not_built(&self) -> Vec<(&'static str, usize)> {
        self.features(|verdict| if let Verdict::NotBuilt(feature) = verdict { Some(feature) } else { None })
    }

    /// Features that a scenario file does not support, with the number of cases that have each, in order of appearance.
    pub fn cannot_say(&self) -> Vec<(&'static str, usize)> {
        self.features(|verdict| if let Verdict::CannotSay(feature) = verdict { Some(feature) } else { None })
    }

    fn features(&self, of: impl Fn(&Verdict) -> Option<&'static str>) -> Vec<(&'static str, usize)> {
        let mut features: Vec<(&'static str, usize)> = Vec::new();
        for feature in self.cases.iter().filter_map(|case| of(&case.verdict)) {
            match features.iter_mut().find(|(f, _)| *f == feature) {
                Some((_, n)) => *n += 1,
                None => features.push((feature, 1)),
            }
        }
        features
    }
}

/// Counts of all files.
pub fn total(files: &[FileReport]) -> Counts {
    let mut total = Counts::default();
    for file in files {
        total.merge(file.counts());
    }
    total
}
