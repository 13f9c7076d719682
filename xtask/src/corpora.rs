//! `cargo xtask corpora`: builds all documentation repositories in a folder and prints a table of pages,
//! diagnostics, seconds, and peak memory. Repositories that fail are listed with the reason.

use std::path::{Path, PathBuf};

use anyhow::Context;
use serde_json::Value;

use crate::{bench, process};

/// Arguments of the command.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Folder with a checkout of a documentation repository in each subfolder
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// Builds the release binary, then every repository.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let time = bench::program("time")?;
    let binary = bench::release_binary()?;
    let mut folders: Vec<_> = std::fs::read_dir(&arguments.folder)
        .with_context(|| format!("cannot read {}", arguments.folder.display()))?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
        .collect();
    folders.sort();
    println!(
        "\n{:<40} {:>6} {:>7} {:>9} {:>8} {:>7}",
        "repository", "pages", "errors", "warnings", "seconds", "MB"
    );
    let mut failed = 0;
    for folder in &folders {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        match measure(&time, &binary, folder) {
            Ok((summary, kilobytes)) => println!(
                "{name:<40} {:>6} {:>7} {:>9} {:>8.2} {:>7.0}",
                summary["pages"].to_string(),
                summary["errors"].to_string(),
                summary["warnings"].to_string(),
                summary["seconds"].as_f64().unwrap_or_default(),
                kilobytes / 1024.0,
            ),
            Err(error) => {
                failed += 1;
                println!("{name:<40} {error:#}");
            }
        }
    }
    anyhow::ensure!(failed == 0, "{failed} of {} repositories can't be built", folders.len());
    Ok(())
}

/// The summary of a build, and its peak memory in kilobytes.
fn measure(time: &Path, binary: &Path, folder: &Path) -> anyhow::Result<(Value, f64)> {
    let scratch = tempfile::tempdir()?;
    let site = scratch.path().join("site");
    let output = std::process::Command::new(time)
        .args(["-f", "peak %M"])
        .arg(binary)
        .arg("build")
        .arg(folder)
        .args(["--json", "--no-cache", "--out"])
        .arg(&site)
        .current_dir(process::root())
        .output()?;
    let errors = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        let reason = errors.lines().find(|line| line.starts_with("error")).unwrap_or("it crashed");
        anyhow::bail!("{reason}");
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let summary = serde_json::from_str(text.lines().last().unwrap_or_default())?;
    let peak = errors.lines().rev().find_map(|line| line.strip_prefix("peak "));
    Ok((summary, peak.and_then(|peak| peak.parse().ok()).context("time printed no memory")?))
}
