//! `cargo xtask tidy`: rules of `ARCHITECTURE.md`, `CONTRIBUTING.md`, and `STYLE.md` that lints can't check.

mod crate_paths;
mod glossary;
mod order;
mod sizes;
mod sources;
mod waits;
mod words;

use anyhow::bail;

/// Runs all rules and prints violations. Fails if there are any.
pub(crate) fn run() -> anyhow::Result<()> {
    let sources = sources::read()?;
    let mut problems = order::check_crates()?;
    problems.extend(order::check_modules(&sources));
    problems.extend(sizes::check(&sources));
    problems.extend(sources.iter().filter_map(sources::check_header));
    problems.extend(sources.iter().filter_map(sources::check_name));
    problems.extend(waits::check(&sources));
    problems.extend(glossary::check(&sources)?);
    problems.extend(glossary::check(&sources::read_texts()?)?);
    for problem in &problems {
        println!("tidy: {problem}");
    }
    println!("tidy: {}", sizes::summary(&sources));
    if problems.is_empty() { Ok(()) } else { bail!("{} rules are broken", problems.len()) }
}
