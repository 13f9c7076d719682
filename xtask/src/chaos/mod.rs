//! `cargo xtask chaos`: runs jobs of five organizations, one of them hostile, on real services that are
//! killed, stopped, and frozen at random. Then it checks all guarantees.
//!
//! A seed decides the requests and disruptions with their times ([`plan`]). Their effects differ from run to
//! run. A run takes minutes, so CI doesn't use it. The folder `target/chaos` keeps the logs, database, and
//! repositories of the last run.

mod ask;
mod bundle;
mod checks;
mod client;
mod cluster;
mod disrupt;
mod evidence;
mod fairness;
mod logs;
mod pace;
mod plan;
mod push;
mod report;
mod run;
mod shares;
mod sites;
mod tenants;
mod watch;

use anyhow::ensure;
use clap::ValueEnum;

use crate::process;

/// Arguments of a run.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Seed of all random choices [default: random; printed]
    #[arg(long)]
    seed: Option<u64>,
    /// Number of jobs
    #[arg(long, default_value_t = 300, value_parser = clap::value_parser!(u32).range(20..=5000))]
    jobs: u32,
    /// Database: PostgreSQL with two nodes, or SQLite with one
    #[arg(long, value_enum, default_value_t = Databases::Both)]
    database: Databases,
}

/// Databases to run on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Databases {
    /// SQLite in the data folder.
    Sqlite,
    /// A separate PostgreSQL server.
    Postgres,
    /// One after the other.
    Both,
}

/// Runs on each database. Fails if a check fails.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let seed = arguments.seed.unwrap_or_else(|| u64::from(rand::random::<u32>()));
    let jobs = usize::try_from(arguments.jobs)?;
    let program = process::build_docwright()?;
    let mut held = true;
    for (database, name) in [(Databases::Sqlite, "sqlite"), (Databases::Postgres, "postgres")] {
        if arguments.database == database || arguments.database == Databases::Both {
            let wanted = run::RunPlan { seed, jobs, is_postgres: database == Databases::Postgres };
            println!("\nchaos on {name}: {jobs} jobs, --seed {seed}");
            held &= run::run(&program, &process::root().join("target/chaos").join(name), wanted)?;
        }
    }
    ensure!(held, "a check failed; target/chaos has the logs, and --seed {seed} the same plan");
    Ok(())
}
