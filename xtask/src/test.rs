//! `cargo xtask test`: all checks and tests that must pass before a change lands.

use std::{
    process::Command,
    time::{Duration, Instant},
};

use anyhow::{Context, bail};

use crate::{
    advisories, afdocs, failures::Failures, instructions, postgres::Postgres, process, tidy, tools,
};

/// Numbers of tests.
#[derive(Debug, Default, Clone, Copy)]
struct Counts {
    passed: usize,
    failed: usize,
}

/// What the tests of a suite gave.
#[derive(Debug, Default)]
struct Results {
    counts: Counts,
    failures: Failures,
}

/// A finished suite.
#[derive(Debug)]
struct Suite {
    name: &'static str,
    results: Results,
    has_passed: bool,
    time: Duration,
}

/// The finished suites.
#[derive(Debug, Default)]
struct Report(Vec<Suite>);

/// Runs the checks and the tests, and prints the counts and time of each suite and the failed tests. All suites
/// must pass.
pub(crate) fn run() -> anyhow::Result<()> {
    tools::require_base()?;
    let chromium = tools::chromium()?;
    tools::archivers()?;
    tools::web_servers()?;
    tools::certificate_authority()?;
    tools::recipe_programs()?;
    tools::optional();
    let mut report = Report::default();
    report.run("checks", |_| check().map(|()| true))?;
    report.run("cargo test", run_rust_tests)?;
    report.run("cargo test -- --ignored", run_ignored_tests)?;
    report.run("browser", |results| run_browser_tests(&chromium, results))?;
    report.run("instructions", compare_instructions)?;
    report.run("API spec", run_description_tests)?;
    report.run("deploy", run_deploy_tests)?;
    report.run("prose", run_prose_tests)?;
    report.run("agents read the manual", |_| read_as_agents())?;
    println!("\n{report}");
    if report.0.iter().all(Suite::is_good) { Ok(()) } else { bail!("some tests failed") }
}

impl Suite {
    const fn is_good(&self) -> bool {
        self.has_passed && self.results.counts.failed == 0 && self.results.failures.is_empty()
    }
}

impl Report {
    /// Runs a suite, which returns whether it passed and fills in its results. An error ends the report.
    fn run(
        &mut self,
        name: &'static str,
        suite: impl FnOnce(&mut Results) -> anyhow::Result<bool>,
    ) -> anyhow::Result<()> {
        let (started, mut results) = (Instant::now(), Results::default());
        let has_passed = suite(&mut results).context(name)?;
        self.0.push(Suite { name, results, has_passed, time: started.elapsed() });
        Ok(())
    }
}

impl std::fmt::Display for Report {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut sum = (Counts::default(), 0);
        writeln!(formatter, "{:<26}{:>8}{:>8}{:>9}", "suite", "passed", "failed", "seconds")?;
        for suite in &self.0 {
            let Counts { passed, failed } = suite.results.counts;
            let (seconds, mark) =
                (suite.time.as_secs(), if suite.is_good() { "" } else { "  failed" });
            writeln!(formatter, "{:<26}{passed:>8}{failed:>8}{seconds:>9}{mark}", suite.name)?;
            sum.0 = Counts { passed: sum.0.passed + passed, failed: sum.0.failed + failed };
            sum.1 += seconds;
        }
        let (Counts { passed, failed }, seconds) = sum;
        writeln!(formatter, "{:<26}{passed:>8}{failed:>8}{seconds:>9}", "all")?;
        for Suite { name, results, .. } in
            self.0.iter().filter(|suite| !suite.results.failures.is_empty())
        {
            write!(formatter, "\n{name}\n{}", results.failures)?;
        }
        Ok(())
    }
}

/// Checks without tests.
pub(crate) fn check() -> anyhow::Result<()> {
    tidy::run()?;
    process::run(&mut process::command("cargo", &["fmt", "--all", "--check"]))?;
    check_dependencies()?;
    lint()
}

fn read_as_agents() -> anyhow::Result<bool> {
    afdocs::run(&afdocs::Arguments::default()).context("agents can't read the manual well")?;
    Ok(true)
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

/// Runs the tests of plain `cargo test` before anything else is installed or started, since they must not
/// need it.
fn run_rust_tests(results: &mut Results) -> anyhow::Result<bool> {
    cargo_test(&mut process::command("cargo", CARGO_TEST), results)
}

/// The tests that need more than plain `cargo test`, except measurements.
fn run_ignored_tests(results: &mut Results) -> anyhow::Result<bool> {
    let postgres = Postgres::start()?;
    tools::install_packages("tests/mocks")?;
    install_python_packages("tests/mocks")?;
    let mut command = process::command("cargo", CARGO_TEST);
    command.args(["--", "--ignored", "--skip", "measure_"]);
    cargo_test(command.env("DOCWRIGHT_TEST_POSTGRES_URL", postgres.url()), results)
}

/// No documentation has examples to run.
const CARGO_TEST: &[&str] = &["test", "--workspace", "--all-targets", "--no-fail-fast"];

fn cargo_test(command: &mut Command, results: &mut Results) -> anyhow::Result<bool> {
    let has_passed = process::run_watched(command, |line| {
        results.failures.read(line);
        if let Some(result) = line.strip_prefix("test result: ") {
            results.counts.passed += number_before(result, " passed");
            results.counts.failed += number_before(result, " failed");
        }
    });
    results.failures.end();
    has_passed
}

/// The limit of a test and of a file, in milliseconds. Without it, one that hangs ends nothing and isn't named.
const LONGEST_BROWSER_TEST: &str = "--test-timeout=600000";

fn run_browser_tests(chromium: &std::path::Path, results: &mut Results) -> anyhow::Result<bool> {
    let folder = tools::install_packages("tests/browser")?;
    let binary = process::build_docwright()?;
    // Much of a file's time is waiting, so two of them run at once.
    let arguments = ["--test", "--test-concurrency=2", "--test-reporter=tap", LONGEST_BROWSER_TEST];
    let mut command = process::command("node", &arguments);
    command.current_dir(&folder).env("DOCWRIGHT", binary).env("DOCWRIGHT_TEST_CHROMIUM", chromium);
    run_node_tests(&mut command, results).context("cannot run the browser tests")
}

/// Compares the instructions of hot paths with the committed counts, where they can be counted.
fn compare_instructions(results: &mut Results) -> anyhow::Result<bool> {
    let Some(compared) = instructions::compare()? else { return Ok(true) };
    let problems = compared.problems();
    results.counts = Counts { passed: compared.passed(), failed: problems.len() };
    for problem in &problems {
        results.failures.read(&format!("not ok - {problem}"));
    }
    Ok(true)
}

/// Runs third-party validators on the API spec, and compiles a client for it.
fn run_description_tests(results: &mut Results) -> anyhow::Result<bool> {
    let folder = tools::install_packages("tests/description")?;
    install_python_packages("tests/description")?;
    let arguments = ["--test", "--test-reporter=tap", "description.test.mjs"];
    let mut command = process::command("node", &arguments);
    command.current_dir(&folder);
    run_node_tests(&mut command, results).context("cannot run the tests of the description")
}

/// Renders the chart, and checks the other files of `deploy`. Helm's engine has no package for some machines; the
/// tests then name what they leave out.
fn run_deploy_tests(results: &mut Results) -> anyhow::Result<bool> {
    let folder = tools::install_packages("tests/deploy")?;
    if let Err(error) = install_python_packages("tests/deploy") {
        println!("left out: the packages of tests/deploy/requirements.txt: {error:#}");
    }
    let mut command = process::command("node", &["--test", "--test-reporter=tap"]);
    run_node_tests(command.current_dir(&folder), results)
        .context("cannot check the files of deploy")
}

/// Runs a grammar checker on the manual and the texts of the program.
fn run_prose_tests(results: &mut Results) -> anyhow::Result<bool> {
    let folder = tools::install_packages("tests/prose")?;
    let mut command = process::command("node", &["--test", "--test-reporter=tap"]);
    run_node_tests(command.current_dir(&folder), results).context("cannot check the prose")
}

fn run_node_tests(command: &mut Command, results: &mut Results) -> anyhow::Result<bool> {
    process::run_watched(command, |line| {
        results.failures.read(line);
        results.counts.passed += number_after(line, "# pass ");
        results.counts.failed += number_after(line, "# fail ");
    })
}

/// Installs a folder's Python packages into a virtual environment there.
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
    use anyhow::bail;

    use super::{Counts, Report, Results, Suite, number_after, number_before};

    #[test]
    fn report_shows_each_suite_and_fails_with_any() {
        let mut report = Report::default();
        let good = |results: &mut Results| {
            results.counts = Counts { passed: 3, failed: 0 };
            Ok(true)
        };
        report.run("good", good).unwrap();
        assert!(report.0.iter().all(Suite::is_good));
        let one_failed = |results: &mut Results| {
            results.counts = Counts { passed: 1, failed: 1 };
            results.failures.read("not ok 2 - one page is shown");
            Ok(true)
        };
        report.run("one failed", one_failed).unwrap();
        assert!(!report.0[1].is_good());
        report.run("ended with an error code", |_| Ok(false)).unwrap();
        assert!(!report.0[2].is_good());
        let error = report.run("not started", |_| bail!("no such program")).unwrap_err();
        assert_eq!(format!("{error:#}"), "not started: no such program");
        let text = report.to_string();
        let rows: Vec<Vec<_>> = text
            .lines()
            .map(|line| line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect())
            .collect();
        assert_eq!(rows[0], ["suite", "passed", "failed", "seconds"]);
        assert_eq!(rows[1], ["good", "3", "0", "0"]);
        assert_eq!(rows[2], ["one failed", "1", "1", "0", "failed"]);
        assert_eq!(rows[4], ["all", "4", "1", "0"]);
        assert!(text.ends_with("\none failed\nfailed: one page is shown\n"), "{text}");
    }

    #[test]
    fn counts_are_read_from_the_runners_lines() {
        let line = "ok. 12 passed; 3 failed; 0 ignored; 0 measured";
        assert_eq!(number_before(line, " passed"), 12);
        assert_eq!(number_before(line, " failed"), 3);
        assert_eq!(number_after("# pass 7", "# pass "), 7);
        assert_eq!(number_after("ok 1 - a test", "# pass "), 0);
    }
}
