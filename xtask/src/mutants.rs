//! `cargo xtask mutants`: changes code in small ways and counts the changes that no test detects, with
//! cargo-mutants. It takes minutes to hours, so CI doesn't run it.
//!
//! Each mutant runs the tests of its own crate. `--workspace-tests` runs the tests of all crates. This is
//! fairer to code that only the real program tests, but linking the program and running its tests takes
//! minutes per mutant instead of seconds.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, ensure};

use crate::{postgres::Postgres, process, tools};

/// The code whose errors hurt most: packages, and files below their folder (empty for all).
const TARGETS: &[(&str, &[&str])] = &[
    ("docwright-types", &[]),
    ("docwright-agent", &["src/run.rs", "src/driver.rs", "src/policy/**"]),
    (
        "docwright-storage",
        &[
            "src/keyring.rs",
            "src/database/agent_jobs.rs",
            "src/database/builds.rs",
            "src/database/credentials.rs",
            "src/database/deletion.rs",
            "src/database/export_jobs.rs",
            "src/database/keys.rs",
            "src/database/leases.rs",
            "src/database/releases.rs",
            "src/database/retention.rs",
            "src/database/sites.rs",
        ],
    ),
    ("docwright-jobs", &["src/queue/**", "src/repositories.rs", "src/scratch.rs", "src/upkeep/**"]),
];

/// Packages whose tests need a PostgreSQL server.
const DATABASE_USERS: &[&str] = &["docwright-storage", "docwright-jobs", "docwright"];

/// Percentage of viable mutants that tests must detect.
const WANTED: usize = 90;

/// The code to change.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Crates such as docwright-types, or files such as `crates/docwright-agent/src/run.rs` [default: all
    /// targets listed in xtask]
    #[arg(value_name = "CRATE|FILE")]
    names: Vec<String>,
    /// Run the tests of all crates
    #[arg(long)]
    workspace_tests: bool,
}

/// A package and patterns of its files, relative to the repository (empty for all).
#[derive(Debug, PartialEq, Eq)]
struct Target {
    package: String,
    files: Vec<String>,
}

/// Tests each target. Fails if a target has too many missed mutants.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let targets = targets(&arguments.names)?;
    tools::cargo_mutants()?;
    let uses_database = |target: &Target| DATABASE_USERS.contains(&target.package.as_str());
    let needs_server = arguments.workspace_tests || targets.iter().any(uses_database);
    let postgres = needs_server.then(Postgres::start).transpose()?;
    let folder = process::root().join("target/mutants");
    // The build folder is kept between runs, since third-party crates don't change.
    let build = folder.join("build");
    let mut summary = Vec::new();
    for target in &targets {
        let output = folder.join(&target.package);
        fs::create_dir_all(&output)?;
        let mut command = process::command("cargo", &["mutants", "--package", &target.package]);
        command.arg("--output").arg(&output).env("CARGO_TARGET_DIR", &build);
        command.args(target.files.iter().flat_map(|file| ["--file", file]));
        if arguments.workspace_tests {
            command.args(["--test-workspace", "true"]);
        }
        command.args(["--", "--", "--include-ignored", "--skip", "measure_"]);
        command.envs(postgres.iter().map(|server| ("DOCWRIGHT_TEST_POSTGRES_URL", server.url())));
        // cargo-mutants fails for any missed mutant; this command allows some.
        let ended = process::run(&mut command);
        let counts =
            Counts::read(&output.join("mutants.out")).or_else(|error| ended.and(Err(error)));
        summary.push((target, counts?));
    }
    println!();
    for (target, counts) in &summary {
        println!("{:<20} {counts}", target.package);
    }
    let enough = summary.iter().all(|(_, counts)| counts.is_enough());
    ensure!(
        enough,
        "tests must catch {WANTED} of 100 viable mutants; target/mutants lists the others"
    );
    Ok(())
}

/// The targets with these names.
fn targets(names: &[String]) -> anyhow::Result<Vec<Target>> {
    if names.is_empty() {
        return Ok(TARGETS.iter().map(|(package, files)| target(package, files)).collect());
    }
    let each = names.iter().map(|name| {
        if let Some((package, files)) = TARGETS.iter().find(|(package, _)| package == name) {
            return Ok(target(package, files));
        }
        let package = name.strip_prefix("crates/").and_then(|path| path.split_once('/'));
        let (package, _) = package.with_context(|| {
            format!(
                "`{name}` is no crate of xtask/src/mutants.rs and no file such as crates/…/a.rs"
            )
        })?;
        Ok(Target { package: package.to_owned(), files: vec![name.clone()] })
    });
    each.collect()
}

fn target(package: &str, files: &[&str]) -> Target {
    let files = files.iter().map(|file| format!("crates/{package}/{file}")).collect();
    Target { package: package.to_owned(), files }
}

/// Compiled mutants of a target.
#[derive(Debug, PartialEq, Eq)]
struct Counts {
    caught: usize,
    missed: usize,
}

impl Counts {
    /// Reads the output of cargo-mutants. A test that never ends counts as detection.
    fn read(folder: &Path) -> anyhow::Result<Self> {
        let lines = |name: &str| {
            let path: PathBuf = folder.join(name);
            let text = fs::read_to_string(&path);
            text.map(|text| text.lines().count())
                .with_context(|| format!("cargo-mutants left no {}", path.display()))
        };
        let counts = Self {
            caught: lines("caught.txt")? + lines("timeout.txt")?,
            missed: lines("missed.txt")?,
        };
        ensure!(
            counts.caught + counts.missed > 0,
            "no mutant was tested: see {}",
            folder.display()
        );
        Ok(counts)
    }

    fn is_enough(&self) -> bool {
        self.caught * 100 >= (self.caught + self.missed) * WANTED
    }
}

impl std::fmt::Display for Counts {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let all = self.caught + self.missed;
        write!(formatter, "{} of {all} caught ({} %)", self.caught, self.caught * 100 / all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_file_exists() {
        for target in targets(&[]).unwrap() {
            for file in &target.files {
                let path = process::root().join(file.trim_end_matches("/**"));
                assert!(path.exists(), "xtask/src/mutants.rs lists {file}, which is gone");
            }
        }
    }

    #[test]
    fn names_are_crates_or_files() {
        let named = |name: &str| targets(&[name.to_owned()]);
        assert_eq!(named("docwright-types").unwrap(), [target("docwright-types", &[])]);
        let file = "crates/docwright-site/src/mdx/mod.rs";
        assert_eq!(named(file).unwrap(), [target("docwright-site", &["src/mdx/mod.rs"])]);
        assert!(named("nonsense").unwrap_err().to_string().contains("`nonsense` is no crate"));
    }

    #[test]
    fn missed_mutants_count_and_empty_run_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        assert!(Counts::read(folder.path()).is_err());
        write("caught.txt", "");
        write("timeout.txt", "");
        write("missed.txt", "");
        assert!(Counts::read(folder.path()).is_err());
        write("caught.txt", "a\nb\nc\nd\ne\nf\ng\nh\n");
        write("timeout.txt", "i\n");
        write("missed.txt", "j\n");
        let counts = Counts::read(folder.path()).unwrap();
        assert_eq!(counts, Counts { caught: 9, missed: 1 });
        assert!(counts.is_enough() && counts.to_string() == "9 of 10 caught (90 %)");
        assert!(!Counts { caught: 8, missed: 1 }.is_enough());
    }
}
