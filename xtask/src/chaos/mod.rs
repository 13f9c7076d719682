//! `cargo xtask chaos`: jobs of five organizations, one of them hostile, on real services that are
//! killed, stopped and frozen at random; then everything that must hold is checked.
//!
//! A seed decides what is asked and what goes wrong, and when ([`plan`]). What the machine makes of it
//! differs from run to run. Takes minutes, so CI does not run it. The folder `target/chaos` keeps the
//! logs, the database and the repositories of the last run.

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

/// What to run.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Decides everything that is left to chance; printed if it is left out
    #[arg(long)]
    seed: Option<u64>,
    /// How many jobs to ask for
    #[arg(long, default_value_t = 300, value_parser = clap::value_parser!(u32).range(20..=5000))]
    jobs: u32,
    /// On which database: two nodes share PostgreSQL, one node has SQLite for itself
    #[arg(long, value_enum, default_value_t = Databases::Both)]
    database: Databases,
}

/// Databases to run on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Databases {
    /// The one in the data folder.
    Sqlite,
    /// A server of its own.
    Postgres,
    /// One after the other.
    Both,
}

/// Runs on each database; fails if a check does not hold on one.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let seed = arguments.seed.unwrap_or_else(|| u64::from(rand::random::<u32>()));
    let jobs = usize::try_from(arguments.jobs)?;
    process::run(&mut process::command("cargo", &["build", "--package", "docwright"]))?;
    let program = process::root().join("target/debug/docwright");
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
