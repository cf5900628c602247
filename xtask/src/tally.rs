//! Counts tests from the output of test runners.

use std::fmt;

/// Numbers of passed and failed tests.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    /// Passed tests, `flaky` included.
    pub passed: u32,
    /// Browser tests that failed once and passed when they were repeated: each one has a race to mend.
    pub flaky: u32,
    /// Failed tests, and failed checks and builds.
    pub failed: u32,
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed", self.passed)?;
        if self.flaky > 0 {
            write!(f, " ({} only when repeated)", self.flaky)?;
        }
        write!(f, ", {} failed", self.failed)
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
        Self { passed: self.passed + count("passed"), failed: self.failed + count("failed"), ..self }
    }

    /// Counts a line such as `  3 passed (4.1s)`. Every result except passed, flaky and skipped counts as failed.
    pub fn with_playwright(self, line: &str) -> Self {
        let Some((number, word)) = line.trim().split_once(' ') else { return self };
        let Ok(number) = number.parse::<u32>() else { return self };
        match word.split(" (").next().unwrap_or_default() {
            "passed" => Self { passed: self.passed + number, ..self },
            "flaky" => Self { passed: self.passed + number, flaky: self.flaky + number, ..self },
            "failed" | "interrupted" | "did not run" => Self { failed: self.failed + number, ..self },
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
        assert_eq!(cargo, Tally { passed: 5, flaky: 0, failed: 2 });
        assert_eq!(cargo.with_cargo("running 3 tests"), cargo);
        let browser = none.with_playwright("  3 passed (4.1s)").with_playwright("  1 did not run");
        assert_eq!(browser, Tally { passed: 3, flaky: 0, failed: 1 });
        let repeated = browser.with_playwright("  2 flaky");
        assert_eq!(repeated.to_string(), "5 passed (2 only when repeated), 1 failed");
        assert_eq!(browser.with_playwright("  1 error was not a part of any test"), browser);
    }
}
