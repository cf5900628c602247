//! How far lessons were played on this device.

use std::collections::BTreeMap;

/// The furthest frame of each lesson that was played, counted from 1, by the lesson's name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress(BTreeMap<String, usize>);

impl Progress {
    /// Parses [`Progress::to_text`]; ignores what it cannot read.
    pub fn from_text(text: &str) -> Progress {
        let entry = |line: &str| {
            let (id, n) = line.split_once(' ')?;
            Some((id.to_string(), n.parse().ok()?))
        };
        Progress(text.lines().filter_map(entry).collect())
    }

    pub(crate) fn to_text(&self) -> String {
        self.0.iter().map(|(id, n)| format!("{id} {n}\n")).collect()
    }

    /// The number of frames of a lesson that were played.
    pub fn of(&self, id: &str) -> usize {
        self.0.get(id).copied().unwrap_or(0)
    }

    /// Records a frame; returns whether it is further than before.
    pub(crate) fn reach(&mut self, id: &str, n: usize) -> bool {
        let furthest = self.0.entry(id.to_string()).or_default();
        let is_further = n > *furthest;
        *furthest = n.max(*furthest);
        is_further
    }
}

#[cfg(test)]
mod tests {
    use super::Progress;

    #[test]
    fn progress_is_read_back_and_only_grows() {
        let mut progress = Progress::default();
        assert!(progress.reach("weights", 3) && !progress.reach("weights", 2) && progress.reach("quota", 1));
        assert_eq!(Progress::from_text(&progress.to_text()), progress);
        assert_eq!((progress.of("weights"), progress.of("none")), (3, 0));
        assert_eq!(Progress::from_text("a\nb x\n\u{0} 1e9\nc 4"), Progress::from_text("c 4"));
    }
}
