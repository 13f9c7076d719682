//! Counts instructions with Valgrind.
//!
//! Counts must not depend on the machine. One thread does the work, and the environment is empty. Valgrind shows every
//! processor with AVX2 as the same one, so libraries that choose code by the features of the processor choose the same.

use std::{
    path::Path,
    process::{Command, Output},
};

use anyhow::{Context, ensure};

use super::counts::Counts;
use crate::process;

/// The tool of Valgrind that counts instructions in the shortest time.
const COUNTING: &[&str] =
    &["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"];
/// What stands before the count in its output.
const COUNT: &str = "refs:";

/// Counts the instructions of all paths of a program.
pub(super) fn count_all(valgrind: &Path, program: &Path) -> anyhow::Result<Counts> {
    let names = run(&mut Command::new(program))?;
    let names = String::from_utf8(names.stdout)?;
    let count = |name: &str| {
        println!("counting the instructions of {name}");
        let count = count(valgrind, program, name).with_context(|| name.to_owned())?;
        Ok((name.to_owned(), count))
    };
    let paths = names.lines().map(count).collect::<anyhow::Result<_>>()?;
    Ok(Counts { tools: tools(valgrind), paths })
}

fn count(valgrind: &Path, program: &Path, name: &str) -> anyhow::Result<u64> {
    let folder = tempfile::tempdir()?;
    run(single_threaded(&mut Command::new(program)).args(["prepare", name]).arg(folder.path()))?;
    let mut command = Command::new(valgrind);
    command.args(COUNTING).arg(program).args(["run", name]).arg(folder.path());
    let output = String::from_utf8_lossy(&run(single_threaded(&mut command))?.stderr).into_owned();
    read_count(&output).with_context(|| format!("Valgrind printed no count: {output}"))
}

/// Takes the environment away from a command, and the threads of Rayon except one.
fn single_threaded(command: &mut Command) -> &mut Command {
    command.env_clear().env("RAYON_NUM_THREADS", "1")
}

fn run(command: &mut Command) -> anyhow::Result<Output> {
    let output = command.output().with_context(|| format!("cannot start {command:?}"))?;
    let error = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{command:?} ended with {}: {error}", output.status);
    Ok(output)
}

/// The count in the output of Valgrind.
fn read_count(output: &str) -> Option<u64> {
    let line = output.lines().find_map(|line| line.split_once(COUNT));
    line?.1.trim().replace(',', "").parse().ok()
}

/// Versions of what changes counts without a change of the code.
fn tools(valgrind: &Path) -> String {
    let version = |program: &str, arguments: &[&str]| {
        let output = process::output(program, arguments).unwrap_or_default();
        output.split(" (").next().unwrap_or_default().to_owned()
    };
    [
        version("rustc", &["--version"]),
        version(&valgrind.display().to_string(), &["--version"]).replace('-', " "),
        version("getconf", &["GNU_LIBC_VERSION"]),
    ]
    .join(", ")
}

#[cfg(test)]
mod tests {
    use super::read_count;

    #[test]
    fn count_is_read_from_output_of_valgrind() {
        let output = "==12== Cachegrind\n==12== \n==12== I   refs:      1,234,567\n";
        assert_eq!(read_count(output), Some(1_234_567));
        for output in ["", "==12== I   refs:      none\n", "==12== Process terminating\n"] {
            assert_eq!(read_count(output), None);
        }
    }
}
