//! Failed tests, read from the output of the test runners, so that a report can end with them.

use std::fmt;

/// Lines of a test's output that a report shows.
const SHOWN_LINES: usize = 40;

/// A failed test.
#[derive(Debug, PartialEq, Eq)]
struct Failure {
    test: String,
    output: Vec<String>,
}

/// The failed tests of a suite. Give each line of the runner's output to [`Self::read`].
#[derive(Debug, Default)]
pub(crate) struct Failures {
    failures: Vec<Failure>,
    /// The last failure's output is being read.
    is_open: bool,
}

impl Failures {
    /// Reads a line of `cargo test` or of a runner that writes the Test Anything Protocol.
    pub(crate) fn read(&mut self, line: &str) {
        if let Some(test) = rust_failure(line).or_else(|| tap_failure(line)) {
            self.failures.push(Failure { test: test.to_owned(), output: Vec::new() });
            self.is_open = true;
        } else if line == "failures:" || line.trim() == "..." {
            self.is_open = false;
        } else if self.is_open
            && let Some(failure) = self.failures.last_mut()
        {
            failure.output.push(line.to_owned());
        }
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.failures.is_empty()
    }
}

/// The test whose output starts after this line of `cargo test`.
fn rust_failure(line: &str) -> Option<&str> {
    line.strip_prefix("---- ")?.strip_suffix(" stdout ----")
}

/// The test that failed by this line of the Test Anything Protocol. Tests that are marked as "to do" can fail.
fn tap_failure(line: &str) -> Option<&str> {
    let (_, test) = line.trim_start().strip_prefix("not ok ")?.split_once(" - ")?;
    (!test.contains("# TODO")).then_some(test)
}

impl fmt::Display for Failures {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Failure { test, output } in &self.failures {
            writeln!(formatter, "failed: {test}")?;
            for line in output.iter().take(SHOWN_LINES) {
                writeln!(formatter, "    {line}")?;
            }
            if let Some(more @ 1..) = output.len().checked_sub(SHOWN_LINES) {
                writeln!(formatter, "    ({more} more lines above)")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Failures, SHOWN_LINES};

    fn failures(output: &str) -> Failures {
        let mut failures = Failures::default();
        output.lines().for_each(|line| failures.read(line));
        failures
    }

    #[test]
    fn failures_of_cargo_test_have_their_output() {
        let failures = failures(
            "test one ... ok\ntest two ... FAILED\n\nfailures:\n\n---- two stdout ----\npanicked at a.rs\n\
             left: 1\n---- three stdout ----\nno answer\n\nfailures:\n    two\n    three\n",
        );
        assert_eq!(
            failures.to_string(),
            "failed: two\n    panicked at a.rs\n    left: 1\nfailed: three\n    no answer\n    \n",
        );
    }

    #[test]
    fn failures_of_tap_have_their_details() {
        let failures = failures(
            "ok 1 - one\n  ---\n  ...\n    not ok 2 - two\n      ---\n      error: 'no'\n      ...\nok 3 - three\n\
             not ok 4 - four # TODO\n",
        );
        assert_eq!(failures.to_string(), "failed: two\n          ---\n          error: 'no'\n");
    }

    #[test]
    fn long_output_is_cut() {
        let output = "line\n".repeat(SHOWN_LINES + 2);
        let text = failures(&format!("---- long stdout ----\n{output}")).to_string();
        assert_eq!(text.lines().count(), 1 + SHOWN_LINES + 1);
        assert!(text.ends_with("(2 more lines above)\n"));
    }

    #[test]
    fn passed_tests_are_no_failures() {
        assert!(failures("test one ... ok\nok 1 - one\n# fail 0\n").is_empty());
    }
}
