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
    failed: Vec<Failure>,
    /// The last failure's output is being read.
    is_open: bool,
    /// A suite of `cargo test` that has no result yet.
    suite: Option<RunningSuite>,
}

/// A suite that runs, as its output tells.
#[derive(Debug)]
struct RunningSuite {
    /// The line that it starts with, such as `running 3 tests`.
    start: String,
    /// The line of the test that ended last.
    last: Option<String>,
}

impl Failures {
    /// Reads a line of `cargo test` or of a runner that writes the Test Anything Protocol.
    pub(crate) fn read(&mut self, line: &str) {
        self.follow(line);
        if let Some(test) = rust_failure(line).or_else(|| tap_failure(line)) {
            self.failed.push(Failure { test: test.to_owned(), output: Vec::new() });
            self.is_open = true;
        } else if line == "failures:" || line.trim() == "..." {
            self.is_open = false;
        } else if self.is_open
            && let Some(failure) = self.failed.last_mut()
        {
            failure.output.push(line.to_owned());
        }
    }

    /// Follows the suites of `cargo test`. One without a result was ended by a signal, and none of its tests has failed.
    fn follow(&mut self, line: &str) {
        if line.starts_with("running ") && (line.ends_with(" tests") || line.ends_with(" test")) {
            self.end();
            self.suite = Some(RunningSuite { start: line.to_owned(), last: None });
        } else if line.starts_with("test result: ") {
            self.suite = None;
        } else if line.starts_with("test ")
            && let Some(suite) = &mut self.suite
        {
            suite.last = Some(line.to_owned());
        }
    }

    /// Ends the output. A suite that is still without a result has failed.
    pub(crate) fn end(&mut self) {
        let Some(RunningSuite { start, last }) = self.suite.take() else { return };
        let test = format!("a suite (\"{start}\") ended without a result");
        self.failed.push(Failure { test, output: last.into_iter().collect() });
        self.is_open = false;
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.failed.is_empty()
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
        for Failure { test, output } in &self.failed {
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
    fn suite_without_a_result_is_a_failure() {
        let output = "running 2 tests\ntest one ... ok\n\nrunning 1 test\ntest a ... ok\n\ntest result: ok. 1 passed\n";
        let expected =
            "failed: a suite (\"running 2 tests\") ended without a result\n    test one ... ok\n";
        assert_eq!(failures(output).to_string(), expected);
        let mut last = failures("running 2 tests\n");
        last.end();
        let expected = "failed: a suite (\"running 2 tests\") ended without a result\n";
        assert_eq!(last.to_string(), expected);
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
