//! `cargo xtask instructions`: counts the instructions of hot paths of the compiler, and compares them with the committed
//! counts. The paths are those of `crates/docwright-site/examples/hot_paths`.
//!
//! It counts in the debug build of the tests, since compiling the dependencies in another profile would take longer than
//! all tests. Therefore, counts show how much work is done, and not how fast the shipped program is.

mod comparison;
mod counts;
mod measure;

use std::path::PathBuf;

use anyhow::{bail, ensure};

use crate::{process, tools};
pub(crate) use comparison::Comparison;
use counts::Counts;

/// The committed counts.
const COMMITTED: &str = "bench/instructions.json";

/// Arguments of the command.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Write the counts to bench/instructions.json instead of comparing them
    #[arg(long)]
    update: bool,
}

/// Compares the counts with the committed ones, and fails if one is too high. With `--update`, commits them.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let Some(compared) = compare()? else {
        ensure!(!arguments.update, "cannot count instructions here");
        return Ok(());
    };
    if arguments.update {
        println!("\nwritten: {COMMITTED}");
        return compared.now.write(&committed());
    }
    if compared.problems().is_empty() {
        Ok(())
    } else {
        bail!("{}", compared.problems().join("; "))
    }
}

/// Counts instructions, and prints them with the committed ones. `None` if that isn't possible here; says why.
pub(crate) fn compare() -> anyhow::Result<Option<Comparison>> {
    let valgrind = match tools::valgrind() {
        Ok(valgrind) => valgrind,
        Err(error) => {
            println!("left out: instructions of hot paths: {error:#}");
            return Ok(None);
        }
    };
    process::build_all_targets()?;
    let now =
        measure::count_all(&valgrind, &process::root().join("target/debug/examples/hot_paths"))?;
    let compared = Comparison { committed: Counts::read(&committed())?, now };
    println!("\n{compared}");
    Ok(Some(compared))
}

fn committed() -> PathBuf {
    process::root().join(COMMITTED)
}
