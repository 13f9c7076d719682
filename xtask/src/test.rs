//! `cargo xtask test`: everything that must hold before a change lands.

use std::process::Command;

use anyhow::{Context, bail};

use crate::{advisories, afdocs, postgres::Postgres, process, tidy, tools};

/// Tests that ran, over all runners.
#[derive(Debug, Default)]
struct Counts {
    passed: usize,
    failed: usize,
}

/// Runs the checks, then the tests, and prints the counts. Every step must pass.
pub(crate) fn run() -> anyhow::Result<()> {
    tools::require_base()?;
    let chromium = tools::chromium()?;
    tools::archivers()?;
    tools::web_servers()?;
    tools::certificate_authority()?;
    tidy::run()?;
    process::run(&mut process::command("cargo", &["fmt", "--all", "--check"]))?;
    check_dependencies()?;
    lint()?;
    let mut counts = Counts::default();
    let rust = run_rust_tests(&mut counts)?;
    let browser = run_browser_tests(&chromium, &mut counts)?;
    let description = run_description_tests(&mut counts)?;
    afdocs::run(&afdocs::Arguments::default()).context("agents can't read the manual well")?;
    println!("\n{} passed, {} failed", counts.passed, counts.failed);
    if rust && browser && description && counts.failed == 0 {
        Ok(())
    } else {
        bail!("some tests failed")
    }
}

fn check_dependencies() -> anyhow::Result<()> {
    tools::cargo_deny()?;
    process::run(&mut process::command(
        "cargo",
        &["deny", "check", "bans", "licenses", "sources"],
    ))?;
    advisories::run(&advisories::Arguments::from_environment())
}

fn lint() -> anyhow::Result<()> {
    let clippy = ["clippy", "--workspace", "--all-targets", "--quiet", "--", "--deny", "warnings"];
    process::run(&mut process::command("cargo", &clippy))?;
    let mut doc = process::command("cargo", &["doc", "--workspace", "--no-deps", "--quiet"]);
    process::run(doc.env("RUSTDOCFLAGS", "--deny warnings"))
}

fn run_rust_tests(counts: &mut Counts) -> anyhow::Result<bool> {
    let postgres = Postgres::start()?;
    tools::install_packages("tests/mocks")?;
    install_python_packages("tests/mocks")?;
    let mut command = process::command("cargo", &["test", "--workspace", "--no-fail-fast"]);
    command.env("DOCWRIGHT_TEST_POSTGRES_URL", postgres.url());
    process::run_watched(&mut command, |line| {
        if let Some(result) = line.strip_prefix("test result: ") {
            counts.passed += number_before(result, " passed");
            counts.failed += number_before(result, " failed");
        }
    })
}

fn run_browser_tests(chromium: &std::path::Path, counts: &mut Counts) -> anyhow::Result<bool> {
    let folder = tools::install_packages("tests/browser")?;
    // The binary that the Rust tests built. Without their targets, Cargo would build dependencies again, with fewer
    // features.
    process::run(&mut process::command("cargo", &["build", "--workspace", "--all-targets"]))?;
    let binary = process::root().join("target/debug/docwright");
    let mut command = process::command("node", &["--test", "--test-reporter=tap"]);
    command.current_dir(&folder).env("DOCWRIGHT", binary).env("DOCWRIGHT_TEST_CHROMIUM", chromium);
    run_node_tests(&mut command, counts).context("cannot run the browser tests")
}

/// Runs validators of others on the description of the API, and compiles a client against it.
fn run_description_tests(counts: &mut Counts) -> anyhow::Result<bool> {
    let folder = tools::install_packages("tests/description")?;
    install_python_packages("tests/description")?;
    let arguments = ["--test", "--test-reporter=tap", "description.test.mjs"];
    let mut command = process::command("node", &arguments);
    command.current_dir(&folder);
    run_node_tests(&mut command, counts).context("cannot run the tests of the description")
}

fn run_node_tests(command: &mut Command, counts: &mut Counts) -> anyhow::Result<bool> {
    process::run_watched(command, |line| {
        counts.passed += number_after(line, "# pass ");
        counts.failed += number_after(line, "# fail ");
    })
}

/// Installs the Python packages of a folder into an environment of its own there.
pub(crate) fn install_python_packages(folder: &str) -> anyhow::Result<()> {
    let folder = process::root().join(folder);
    let run = |program: &str, arguments: &[&str]| {
        process::run(process::command(program, arguments).current_dir(&folder))
    };
    run(&tools::python()?.display().to_string(), &["-m", "venv", ".venv"])?;
    let pip = folder.join(".venv/bin/pip").display().to_string();
    let install = ["install", "--quiet", "--disable-pip-version-check"];
    run(&pip, &[&install[..], &["--requirement", "requirements.txt"]].concat())
}

fn number_before(text: &str, word: &str) -> usize {
    let before = text.split(word).next().unwrap_or_default();
    before.rsplit([' ', ';']).next().and_then(|number| number.parse().ok()).unwrap_or(0)
}

fn number_after(text: &str, prefix: &str) -> usize {
    text.strip_prefix(prefix).and_then(|number| number.trim().parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::{number_after, number_before};

    #[test]
    fn counts_are_read_from_the_runners_lines() {
        let line = "ok. 12 passed; 3 failed; 0 ignored; 0 measured";
        assert_eq!(number_before(line, " passed"), 12);
        assert_eq!(number_before(line, " failed"), 3);
        assert_eq!(number_after("# pass 7", "# pass "), 7);
        assert_eq!(number_after("ok 1 - a test", "# pass "), 0);
    }
}
