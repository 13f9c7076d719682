//! `docwright export`: the bundle of a docs root, without a server.

use std::{
    fs::File,
    io::{BufWriter, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::Context;
use docwright_site::{build::Report, bundle::BundleWriter};

use crate::{
    compile::{self, CompileArguments},
    config::EmbeddingOptions,
    diagnostic_report::{DiagnosticArguments, conclude},
    result_cache::CacheArguments,
};

/// Export a docs root as a bundle.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    compile: CompileArguments,
    /// File for the bundle
    #[arg(long, value_name = "FILE.tar.gz")]
    out: PathBuf,
    /// Exit with status 1 if there are errors; the bundle is still written
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    cache: CacheArguments,
    #[command(flatten)]
    embeddings: EmbeddingOptions,
    #[command(flatten)]
    diagnostic_report: DiagnosticArguments,
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let judge = arguments.diagnostic_report.judge()?;
    let folder = arguments.out.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let spool = tempfile::tempfile_in(folder)
        .with_context(|| format!("cannot write to {}", folder.display()))?;
    let results = arguments.cache.open(&arguments.compile.dir);
    let writer = match results.cache() {
        Some(cache) => BundleWriter::with_cache(spool, cache),
        None => BundleWriter::new(spool),
    };
    let embedder = arguments.embeddings.section_embedder(arguments.cache.vectors())?;
    let compiled = (&arguments.compile, embedder.as_deref());
    let report = compile::compile(compiled, &writer, arguments.diagnostic_report.json)
        .with_context(|| format!("cannot export {}", arguments.compile.dir.display()))?;
    write_bundle(writer, &report, &arguments.out)?;
    results.save(arguments.diagnostic_report.json);
    let diagnostic_report = judge.judge(report)?;
    conclude(
        &diagnostic_report,
        "Exported",
        &arguments.compile.dir,
        arguments.diagnostic_report.json,
    )?;
    Ok(diagnostic_report.exit_code(arguments.strict))
}

/// Writes the bundle under a temporary name first, so a failure leaves no partial file.
fn write_bundle(writer: BundleWriter, report: &Report, target: &Path) -> anyhow::Result<()> {
    let partial = target.with_added_extension("partial");
    let file =
        File::create(&partial).with_context(|| format!("cannot write {}", partial.display()))?;
    let mut file = BufWriter::new(file);
    writer.finish(report.about(), &mut file)?;
    file.flush()?;
    std::fs::rename(&partial, target).with_context(|| format!("cannot write {}", target.display()))
}
