//! Programs that tests write and then start.
//!
//! Linux doesn't start a program that any process has open for writing (`ETXTBSY`), and a child process that another
//! thread starts has all open files of this process until it runs its own program. So a child process writes them.

use std::{
    io::Write,
    path::Path,
    process::{Command, Stdio},
};

/// Writes an executable script.
///
/// # Panics
///
/// If the file can't be written.
pub fn write(path: &Path, script: &str) {
    let mut shell = Command::new("sh");
    shell.args(["-c", r#"cat >"$0" && chmod 755 "$0""#]).arg(path).stdin(Stdio::piped());
    let mut shell = shell.spawn().unwrap();
    shell.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
    assert!(shell.wait().unwrap().success(), "cannot write {}", path.display());
}

/// Copies a program.
///
/// # Panics
///
/// If the program can't be copied.
pub fn copy(from: &Path, to: &Path) {
    let copied = Command::new("cp").args([from, to]).status().unwrap();
    assert!(copied.success(), "cannot copy {} to {}", from.display(), to.display());
}
