//! `docwright export`: the bundle of a docs root, without a server.

use std::{
    io,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::Context;
use docwright_site::{
    bundle::{BundleWriter, StreamedBundle},
    stamp::{FileOnDisk, SeenFile, Snapshot},
};

use crate::{
    compile::{self, Compilation, CompileArguments, Compiled},
    config::EmbeddingOptions,
    diagnostic_report::{DiagnosticArguments, conclude},
    hashing_file::HashingFile,
    last_build::{LastBuildEntry, Outcome},
    partial_file,
    result_cache::{CacheArguments, Results},
    timings::{TimingArguments, Timings},
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
    timings: TimingArguments,
    #[command(flatten)]
    embeddings: EmbeddingOptions,
    #[command(flatten)]
    diagnostic_report: DiagnosticArguments,
}

/// Runs the command.
pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let judge = arguments.diagnostic_report.judge()?;
    let json = arguments.diagnostic_report.json;
    let timings = arguments.timings.start();
    let outcome = arguments
        .export(&timings, json)
        .with_context(|| format!("cannot export {}", arguments.compile.dir.display()))?;
    let diagnostic_report = judge.judge(outcome.report)?;
    timings.print();
    conclude(&diagnostic_report, "Exported", &arguments.compile.dir, json)?;
    Ok(diagnostic_report.exit_code(arguments.strict))
}

impl Arguments {
    /// Exports the docs root, unless nothing changed since the last time.
    fn export(&self, timings: &Timings, silent: bool) -> anyhow::Result<Outcome> {
        let embedder = self.embeddings.section_embedder(self.cache.vectors())?;
        let compilation =
            Compilation::new((&self.compile, embedder.as_deref()), Some(&self.out), timings)?;
        let results = self.cache.open(&self.compile.dir);
        let entry = results.last_build("export", (compilation.root(), &self.out));
        if let Some(entry) = &entry
            && let Ok(present) = self.bundle_on_disk()
            && let Some(outcome) = compilation.unchanged(entry, &[present])?
        {
            compile::print_unchanged(&outcome, &self.out, silent);
            return Ok(outcome);
        }
        self.write((compilation, timings), (&results, entry), silent)
    }

    fn write(
        &self,
        (compilation, timings): (Compilation<'_>, &Timings),
        (results, entry): (&Results, Option<LastBuildEntry>),
        silent: bool,
    ) -> anyhow::Result<Outcome> {
        let folder = self.out.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        let spool = tempfile::tempfile_in(folder)
            .with_context(|| format!("cannot write to {}", folder.display()))?;
        let writer = match results.cache() {
            Some(cache) => BundleWriter::with_cache(spool, cache),
            None => BundleWriter::new(spool),
        };
        let failed = || format!("cannot write {}", self.out.display());
        // A temporary name of its own, so a failure or another export to the same file leaves no partial bundle.
        let partial = partial_file::create(folder).with_context(failed)?;
        let file = HashingFile::new(partial.as_file().try_clone()?, entry.is_some());
        let bundle = StreamedBundle::new(writer, file);
        let Compiled { outcome, inputs } = compilation.run(&bundle, silent)?;
        timings.begin("write");
        let contents = bundle.finish(outcome.report.about())?.finish()?;
        partial.persist(&self.out).with_context(failed)?;
        if let Some(entry) = entry {
            let FileOnDisk { path, stamp, .. } = self.bundle_on_disk()?;
            // Another program can have written to it right now.
            let is_settled = false;
            let file = SeenFile { path, stamp, is_settled, contents };
            entry.add(inputs, Snapshot { files: vec![file] }, &outcome);
        }
        timings.begin("save");
        results.save(silent);
        Ok(outcome)
    }

    fn bundle_on_disk(&self) -> io::Result<FileOnDisk> {
        FileOnDisk::at(&self.out, self.out.display().to_string())
    }
}
