//! Counts tests from the output of test runners.

use std::fmt;

/// Numbers of passed and failed tests.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    pub passed: u32,
    /// Failed tests, and failed checks and builds.
    pub failed: u32,
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)
    }
}

impl Tally {
    /// Counts a line such as `test result: ok. 5 passed; 0 failed; 0 ignored; ...`.
    pub fn with_cargo(self, line: &str) -> Self {
        let Some(result) = line.strip_prefix("test result: ") else { return self };
        let count = |word: &str| {
            result
                .split([';', '.'])
                .find_map(|part| part.trim().strip_suffix(word)?.trim().parse::<u32>().ok())
                .unwrap_or(0)
        };
        Self { passed: self.passed + count("passed"), failed: self.failed + count("failed") }
    }

    /// Counts a line such as `  3 passed (4.1s)`. Every result except passed and skipped counts as failed.
    pub fn with_playwright(self, line: &str) -> Self {
        let Some((number, word)) = line.trim().split_once(' ') else { return self };
        let Ok(number) = number.parse::<u32>() else { return self };
        match word.split(" (").next().unwrap_or_default() {
            "passed" => Self { passed: self.passed + number, ..self },
            "failed" | "flaky" | "interrupted" | "did not run" => Self { failed: self.failed + number, ..self },
            _ => self,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Tally;

    #[test]
    fn results_are_counted() {
        let none = Tally::default();
        let cargo = none.with_cargo("test result: FAILED. 5 passed; 2 failed; 0 ignored; 0 measured");
        assert_eq!(cargo, Tally { passed: 5, failed: 2 });
        assert_eq!(cargo.with_cargo("running 3 tests"), cargo);
        let browser = none.with_playwright("  3 passed (4.1s)").with_playwright("  1 did not run");
        assert_eq!(browser, Tally { passed: 3, failed: 1 });
        assert_eq!(browser.with_playwright("  1 error was not a part of any test"), browser);
    }
}
