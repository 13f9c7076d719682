//! `cargo xtask bench`: measures pages per second and peak memory of `docwright build` and `docwright export`
//! with public tools (hyperfine for time, GNU time for memory), and the time of an agent job without its
//! model (`bench/agent.mjs`). `cargo xtask bench peers` compares builds with other tools. It is never a test.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use serde_json::Value;

use crate::{peers, process, tools};

/// Arguments of the benchmark.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    comparison: Option<Comparison>,
    /// Checkout of a documentation repository, such as github.com/mintlify/docs
    #[arg(long, value_name = "DIR", required = true)]
    repo: Option<PathBuf>,
    /// Runs of each measurement
    #[arg(long, default_value_t = 5)]
    runs: u32,
}

#[derive(Debug, clap::Subcommand)]
enum Comparison {
    /// Build generated pages with docwright and with the installed peers
    Peers(peers::Arguments),
}

/// Runs the comparison, or measures a repository.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    match (&arguments.comparison, &arguments.repo) {
        (Some(Comparison::Peers(arguments)), _) => {
            peers::run(arguments, &program("time")?, release_binary)
        }
        (None, Some(repository)) => measure_repository(repository, arguments.runs),
        (None, None) => bail!("--repo is missing"),
    }
}

/// Builds docwright for release, then measures `build`, `export` and an agent job on the repository.
fn measure_repository(repository: &Path, runs: u32) -> anyhow::Result<()> {
    let hyperfine = program("hyperfine")?;
    let time = program("time")?;
    let binary = release_binary()?;
    let scratch = tempfile::tempdir()?;
    println!("cores            {}", std::thread::available_parallelism()?);
    for (name, target) in [("build", "site"), ("export", "bundle.tar.gz")] {
        let target = scratch.path().join(target);
        let mut command = vec![
            binary.display().to_string(),
            name.to_owned(),
            repository.display().to_string(),
            "--json".to_owned(),
            "--out".to_owned(),
            target.display().to_string(),
        ];
        // Each run renders all pages.
        command.push("--no-cache".to_owned());
        let pages = count_pages(&command)?;
        let seconds = measure_time(&hyperfine, &command, &target, scratch.path(), runs)?;
        let kilobytes = measure_memory(&time, &command)?;
        println!("\n{name}");
        println!("pages            {pages}");
        println!("seconds (median) {seconds:.3}");
        println!("pages a second   {:.0}", pages / seconds);
        println!("peak memory      {:.0} MB\n", kilobytes / 1024.0);
    }
    let agent = measure_agent(&binary, repository)?;
    println!(
        "agent job        {:.0} ms (median of {}), {:.0} ms at most",
        agent.0, AGENT_JOBS, agent.1
    );
    Ok(())
}

/// Builds the release binary.
pub(crate) fn release_binary() -> anyhow::Result<PathBuf> {
    let build = ["build", "--profile", "dist", "--package", "docwright"];
    process::run(&mut process::command("cargo", &build))?;
    Ok(process::root().join("target/dist/docwright"))
}

/// Finds or installs a measuring tool.
pub(crate) fn program(name: &str) -> anyhow::Result<PathBuf> {
    let find = || Some(Path::new("/usr/bin").join(name)).filter(|path| path.exists());
    tools::find_or_install(find, &[name]).with_context(|| format!("{name} is missing: install it"))
}

/// Number of measured agent jobs.
const AGENT_JOBS: u32 = 30;

/// Median and slowest time of an agent job, in milliseconds.
fn measure_agent(binary: &Path, repository: &Path) -> anyhow::Result<(f64, f64)> {
    let script = process::root().join("bench/agent.mjs").display().to_string();
    let (binary, repository) = (binary.display().to_string(), repository.display().to_string());
    let output = process::output("node", &[&script, &binary, &repository, &AGENT_JOBS.to_string()]);
    let output = output.context("bench/agent.mjs failed")?;
    let times: Value = serde_json::from_str(output.lines().last().unwrap_or_default())?;
    let time = |name: &str| times[name].as_f64().context("bench/agent.mjs printed no time");
    Ok((time("median")?, time("slowest")?))
}

fn count_pages(command: &[String]) -> anyhow::Result<f64> {
    let arguments: Vec<_> = command[1..].iter().map(String::as_str).collect();
    let output = process::output(&command[0], &arguments).context("the build failed")?;
    let summary: Value = serde_json::from_str(output.lines().last().unwrap_or_default())?;
    println!("{summary}");
    summary["pages"].as_f64().context("the build printed no page count")
}

fn measure_time(
    hyperfine: &Path,
    command: &[String],
    target: &Path,
    scratch: &Path,
    runs: u32,
) -> anyhow::Result<f64> {
    let results = scratch.join("hyperfine.json");
    let mut hyperfine =
        process::command(&hyperfine.display().to_string(), &["--warmup", "1", "--runs"]);
    // Each run writes to a new folder. Earlier folders stay until the end, because a file system that has
    // just deleted thousands of files creates new ones slowly.
    let aside = format!("if [ -e {0} ]; then mv {0} {0}-$(date +%s%N); fi", target.display());
    hyperfine.arg(runs.to_string()).arg("--prepare").arg(aside);
    hyperfine.arg("--export-json").arg(&results).arg(command.join(" "));
    process::run(&mut hyperfine)?;
    let results: Value = serde_json::from_str(&std::fs::read_to_string(results)?)?;
    results["results"][0]["median"].as_f64().context("hyperfine gave no median")
}

fn measure_memory(time: &Path, command: &[String]) -> anyhow::Result<f64> {
    let mut measured = process::command(&time.display().to_string(), &["--format", "%M"]);
    let output = measured.args(command).output()?;
    ensure!(output.status.success(), "the build failed under GNU time");
    let errors = String::from_utf8_lossy(&output.stderr);
    let peak = errors.lines().last().and_then(|line| line.trim().parse().ok());
    peak.context("GNU time gave no peak memory")
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::Arguments;

    #[derive(Debug, Parser)]
    struct Program {
        #[command(flatten)]
        arguments: Arguments,
    }

    #[test]
    fn repository_is_needed_unless_peers_are_compared() {
        let parse = |line: &str| Program::try_parse_from(line.split(' '));
        assert!(parse("bench").is_err());
        assert!(parse("bench --repo docs peers").is_err());
        let measured = parse("bench --repo docs --runs 2").expect("a repository").arguments;
        assert_eq!((measured.repo, measured.runs), (Some("docs".into()), 2));
        let compared = parse("bench peers --only hugo,zola --large").expect("peers").arguments;
        assert!(compared.comparison.is_some());
    }
}
