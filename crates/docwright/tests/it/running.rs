//! Output and exit status of the program on the command line.

use std::process::{Command, Stdio};

use crate::server::docwright;

/// The output and exit status of a finished program.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) output: String,
    pub(crate) errors: String,
}

/// Runs the program until it exits.
pub(crate) fn ended(arguments: &[&str], variables: &[(&str, &str)]) -> Ended {
    let mut command: Command = docwright(arguments);
    command.envs(variables.iter().copied()).stdin(Stdio::null()).stderr(Stdio::piped());
    let output = command.output().expect("the program starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the output is UTF-8");
    Ended { code: output.status.code(), output: text(output.stdout), errors: text(output.stderr) }
}

impl Ended {
    /// Checks that the program failed with exactly this one-line error. A slow machine also logs slow statements.
    pub(crate) fn failed_with(&self, said: &str) {
        assert_eq!(self.code, Some(1), "{self:?}");
        let lines: Vec<_> = self.errors.lines().filter(|line| !line.starts_with('{')).collect();
        assert!(lines.len() == 1 && lines[0].starts_with("error: "), "{self:?}");
        assert_eq!(self.errors.matches(said).count(), 1, "`{said}` in {self:?}");
    }

    /// Checks that the program refused its arguments.
    pub(crate) fn refused_with(&self, said: &str) {
        assert_eq!(self.code, Some(2), "{self:?}");
        assert!(self.errors.contains(said), "`{said}` in {self:?}");
    }

    /// Checks that the program succeeded. Returns its output.
    pub(crate) fn succeeded(&self) -> &str {
        assert_eq!(self.code, Some(0), "{self:?}");
        &self.output
    }
}
