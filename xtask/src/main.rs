//! Checks and generators of the repository; `cargo xtask --help` lists them. This crate isn't part of the
//! product.

mod advisories;
mod afdocs;
mod bench;
#[cfg(target_os = "linux")]
mod chaos;
mod corpora;
mod diagrams;
mod failures;
mod grouped;
mod instructions;
#[cfg(test)]
mod limits;
mod mutants;
mod peers;
#[allow(unreachable_pub, reason = "the crate for tests exports it")]
#[path = "../../crates/docwright-testing/src/ports.rs"]
mod ports;
mod postgres;
mod process;
mod schemathesis;
mod search;
mod test;
mod tidy;
mod tools;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Debug, Parser)]
#[command(name = "cargo xtask", about = "Checks and generators of the docwright repository")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Install or start what the tests need, run every check and test, print the counts
    Test,
    /// Run the checks that need no test: tidy, formatting, dependencies, Clippy, documentation of code
    Check,
    /// Measure the compiler on a checkout of a documentation repository, or beside other tools
    Bench(bench::Arguments),
    /// Build every documentation repository of a folder and print a table
    Corpora(corpora::Arguments),
    /// Compare the Mermaid diagrams of documentation with what mermaid.js draws
    Diagrams(diagrams::Arguments),
    /// Compare the quality of the search with Pagefind on real repositories
    Search(search::Arguments),
    /// Compare the instructions of hot paths of the compiler with the committed counts
    Instructions(instructions::Arguments),
    /// Check rules that lints can't: order of crates and modules, sizes of files, words
    Tidy,
    /// Check whether AI agents can read the served manual or other documentation
    Afdocs(afdocs::Arguments),
    /// Check dependencies for known vulnerabilities
    Advisories(advisories::Arguments),
    /// Run jobs of five organizations on services that are killed, stopped and frozen at random
    #[cfg(target_os = "linux")]
    Chaos(chaos::Arguments),
    /// Test a service against its API spec with valid and invalid requests
    Schemathesis(schemathesis::Arguments),
    /// Find code that can change without a failing test
    Mutants(mutants::Arguments),
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().task {
        Task::Test => test::run(),
        Task::Check => test::check(),
        Task::Bench(arguments) => bench::run(&arguments),
        Task::Corpora(arguments) => corpora::run(&arguments),
        Task::Diagrams(arguments) => diagrams::run(&arguments),
        Task::Search(arguments) => search::run(&arguments),
        Task::Instructions(arguments) => instructions::run(&arguments),
        Task::Tidy => tidy::run(),
        Task::Afdocs(arguments) => afdocs::run(&arguments),
        Task::Advisories(arguments) => advisories::run(&arguments),
        #[cfg(target_os = "linux")]
        Task::Chaos(arguments) => chaos::run(&arguments),
        Task::Schemathesis(arguments) => schemathesis::run(&arguments),
        Task::Mutants(arguments) => mutants::run(&arguments),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
