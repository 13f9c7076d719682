//! `cargo xtask search`: measures the quality of the search. Builds the repositories with queries in
//! `bench/search/queries`, runs the queries, and prints hits in the first three results and mean reciprocal
//! rank beside Pagefind's values on the same pages.

use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

use crate::{bench, process, tools};

/// Arguments of the command.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Folder with a checkout of each repository, named `owner+name`
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Program to measure [default: a new release build]
    #[arg(long, value_name = "FILE")]
    docwright: Option<PathBuf>,
    /// Folder with the queries [default: bench/search/queries]
    #[arg(long, value_name = "DIR")]
    queries: Option<PathBuf>,
    /// List queries without a hit
    #[arg(long)]
    misses: bool,
}

/// Builds the sites, then measures them.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let folder = tools::install_packages("bench/search")?;
    let binary = match &arguments.docwright {
        Some(binary) => binary.canonicalize().with_context(|| binary.display().to_string())?,
        None => bench::release_binary()?,
    };
    let sites = tempfile::tempdir()?;
    let queries = match &arguments.queries {
        Some(queries) => queries.canonicalize().with_context(|| queries.display().to_string())?,
        None => folder.join("queries"),
    };
    for name in repositories(&queries)? {
        build(&binary, &arguments.folder.join(&name), &sites.path().join(&name))?;
    }
    let mut measure = process::command("node", &["measure.mjs"]);
    measure.arg(sites.path()).arg(&queries).args(arguments.misses.then_some("--misses"));
    process::run(measure.current_dir(&folder))
}

/// The repositories that have queries.
fn repositories(queries: &Path) -> anyhow::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(queries)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        names.extend(name.strip_suffix(".txt").map(str::to_owned));
    }
    names.sort();
    Ok(names)
}

fn build(binary: &Path, checkout: &Path, site: &Path) -> anyhow::Result<()> {
    ensure!(
        checkout.is_dir(),
        "{} is missing: clone the repository there, with `+` for `/` in its name",
        checkout.display()
    );
    let mut command = process::command(&binary.display().to_string(), &["build", "--no-cache"]);
    let output = command.arg(checkout).arg("--out").arg(site).output()?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "cannot build {}: {errors}", checkout.display());
    Ok(())
}
