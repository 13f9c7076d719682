//! `cargo xtask advisories`: checks dependencies for known vulnerabilities with cargo-deny and a copy of the
//! Rust project's advisory database. <https://rustsec.org>
//!
//! A vulnerability fails the command. Without a network and without a copy, nothing can be checked; the
//! command prints a line and succeeds.

use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

use crate::{process, tools};

/// Arguments of the check.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Copy of github.com/RustSec/advisory-db: a clone, a mirror, or a plain folder of its files
    #[arg(long, value_name = "DIR", env = VARIABLE)]
    database: Option<PathBuf>,
}

impl Arguments {
    /// Reads the arguments from the environment, for tasks without their own arguments.
    pub(crate) fn from_environment() -> Self {
        Self { database: std::env::var_os(VARIABLE).map(PathBuf::from) }
    }
}

/// The variable with the path of a copy of the database.
const VARIABLE: &str = "DOCWRIGHT_ADVISORY_DATABASE";
/// The URL of the database that cargo-deny uses.
const ADDRESS: &str = "https://github.com/RustSec/advisory-db";
/// The branch of the database that cargo-deny reads.
const BRANCH: &str = "main";

/// Checks the lock file against the given copy; without one, against the newest database; offline, against
/// the last copy that cargo-deny fetched.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    tools::cargo_deny()?;
    if let Some(database) = &arguments.database {
        return check(database);
    }
    if process::output("cargo", &["deny", "fetch", "db"]).is_none() {
        println!("\nadvisories: {ADDRESS} can't be reached");
    }
    let Some(database) = fetched(&cargo_home()) else {
        println!(
            "advisories: NOT CHECKED: there is no copy of the advisory database; name one with \
             --database or {VARIABLE}"
        );
        return Ok(());
    };
    check(&database)
}

fn cargo_home() -> PathBuf {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    home.or_else(|| std::env::home_dir().map(|home| home.join(".cargo"))).unwrap_or_default()
}

/// The copy that cargo-deny keeps in Cargo's home folder.
fn fetched(cargo_home: &Path) -> Option<PathBuf> {
    let entries = std::fs::read_dir(cargo_home.join("advisory-dbs")).ok()?;
    let mut folders = entries.flatten().map(|entry| entry.path());
    folders.find(|folder| is_repository(folder))
}

fn is_repository(folder: &Path) -> bool {
    folder.join(".git").is_dir() || folder.join("HEAD").is_file()
}

/// Runs cargo-deny with a copy, which it clones instead of using the network.
fn check(database: &Path) -> anyhow::Result<()> {
    let scratch = tempfile::tempdir()?;
    let database = database.canonicalize();
    let database = database.context("the copy of the advisory database can't be read")?;
    let source = if is_repository(&database) {
        database
    } else {
        let files = scratch.path().join("files");
        commit(&database, &files)?;
        files
    };
    let date = git(&source, &["log", "-1", "--format=%cs", BRANCH])?;
    println!("\nadvisories: {} as of {}", source.display(), date.trim());
    let config = scratch.path().join("deny.toml");
    std::fs::write(&config, configuration(&scratch.path().join("databases"))?)?;
    let config = config.display().to_string();
    let arguments = ["deny", "--locked", "--config", &config, "check", "advisories"];
    let mut command = process::command("cargo", &arguments);
    command.env("GIT_CONFIG_COUNT", "1").env("GIT_CONFIG_VALUE_0", ADDRESS);
    command.env("GIT_CONFIG_KEY_0", format!("url.file://{}.insteadOf", source.display()));
    process::run(&mut command)
}

/// The settings of `deny.toml`, with a temporary folder for the database.
fn configuration(databases: &Path) -> anyhow::Result<String> {
    let settings = std::fs::read_to_string(process::root().join("deny.toml"))?;
    let section = "[advisories]\n";
    ensure!(settings.contains(section), "deny.toml has no section [advisories]");
    Ok(settings.replacen(section, &format!("{section}db-path = '{}'\n", databases.display()), 1))
}

/// Creates a repository from a plain folder without changing the folder.
fn commit(folder: &Path, repository: &Path) -> anyhow::Result<()> {
    ensure!(
        folder.join("crates").is_dir(),
        "{} is no copy of {ADDRESS}: it has no folder `crates`",
        folder.display()
    );
    std::fs::create_dir_all(repository)?;
    git(repository, &["init", "--quiet", "--initial-branch", BRANCH])?;
    let folder = folder.display().to_string();
    git(repository, &["--work-tree", &folder, "add", "--all", "--force"])?;
    let author = ["-c", "user.name=xtask", "-c", "user.email=xtask@localhost"];
    let commit = ["commit", "--quiet", "--no-gpg-sign", "--message", "Advisories"];
    git(repository, &[author.as_slice(), &commit].concat()).map(drop)
}

fn git(folder: &Path, arguments: &[&str]) -> anyhow::Result<String> {
    let folder = folder.display().to_string();
    let all = [["-C", folder.as_str()].as_slice(), arguments].concat();
    process::output("git", &all)
        .with_context(|| format!("`git {}` failed in {folder}", arguments.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A database with one advisory.
    fn database(package: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let advisories = folder.path().join("crates").join(package);
        std::fs::create_dir_all(&advisories).unwrap();
        let text = format!(
            "```toml\n[advisory]\nid = \"RUSTSEC-2026-9999\"\npackage = \"{package}\"\n\
             date = \"2026-01-01\"\n\n[versions]\npatched = [\">=9999.0.0\"]\n```\n\n# A hole\n\nText.\n"
        );
        std::fs::write(advisories.join("RUSTSEC-2026-9999.md"), text).unwrap();
        folder
    }

    #[test]
    fn vulnerable_dependency_is_a_failure() {
        tools::cargo_deny().unwrap();
        let vulnerable = check(database("serde").path()).unwrap_err().to_string();
        assert!(vulnerable.contains("check advisories` ended with exit status: 1"), "{vulnerable}");
        check(database("a-crate-that-nothing-uses").path()).unwrap();
    }

    #[test]
    fn invalid_advisory_database_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        assert!(check(folder.path()).unwrap_err().to_string().contains("no folder `crates`"));
        let missing = check(&folder.path().join("missing")).unwrap_err();
        assert!(missing.to_string().contains("can't be read"), "{missing}");
    }

    #[test]
    fn advisory_database_of_cargo_deny_is_found() {
        let home = tempfile::tempdir().unwrap();
        assert_eq!(fetched(home.path()), None);
        let copy = home.path().join("advisory-dbs/advisory-db-3157b0e258782691");
        std::fs::create_dir_all(&copy).unwrap();
        assert_eq!(fetched(home.path()), None, "an empty folder is no copy");
        std::fs::create_dir(copy.join(".git")).unwrap();
        assert_eq!(fetched(home.path()), Some(copy));
    }
}
