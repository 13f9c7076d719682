//! Runs other programs and shows their output immediately.

use std::{
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context, ensure};

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_path_buf).unwrap_or_default()
}

/// A command that runs in the root of the repository.
pub(crate) fn command(program: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(root());
    command
}

/// Builds `docwright` as the tests do. Returns its path.
pub(crate) fn build_docwright() -> anyhow::Result<PathBuf> {
    build_all_targets()?;
    Ok(root().join("target/debug/docwright"))
}

/// Builds all programs with the targets of the Rust tests. With fewer targets, Cargo would compile dependencies again with
/// fewer features.
pub(crate) fn build_all_targets() -> anyhow::Result<()> {
    run(&mut command("cargo", &["build", "--workspace", "--all-targets"]))
}

/// Runs a command. An exit code other than 0 is an error that names the command.
pub(crate) fn run(command: &mut Command) -> anyhow::Result<()> {
    let name = describe(command);
    println!("\n$ {name}");
    let status = command.status().with_context(|| format!("cannot start `{name}`"))?;
    ensure!(status.success(), "`{name}` ended with {status}");
    Ok(())
}

/// Runs a command, shows its standard output, and passes each line to `see`. Returns whether the exit code
/// was 0.
pub(crate) fn run_watched(
    command: &mut Command,
    mut see: impl FnMut(&str),
) -> anyhow::Result<bool> {
    let name = describe(command);
    println!("\n$ {name}");
    let mut child =
        command.stdout(Stdio::piped()).spawn().with_context(|| format!("cannot start `{name}`"))?;
    let output = child.stdout.take().context("the output of a program was not captured")?;
    for line in BufReader::new(output).lines() {
        let line = line?;
        println!("{line}");
        see(&line);
    }
    Ok(child.wait()?.success())
}

/// The standard output of a command, or `None` if it fails.
pub(crate) fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let output = command(program, arguments).stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn describe(command: &Command) -> String {
    let parts = std::iter::once(command.get_program()).chain(command.get_args());
    parts.map(|part| part.to_string_lossy()).collect::<Vec<_>>().join(" ")
}
