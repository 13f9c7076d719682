//! `docwright export`: the bundle of a docs root, without a server.

use std::{fs::File, io::BufWriter, path::PathBuf, process::ExitCode, time::Instant};

use anyhow::Context;
use docwright_flows::publish::bundle_folder;
use docwright_site::output::Folder;

use super::{
    compile::{self, CompileArguments},
    summary::{Summary, print_diagnostics},
};

/// Make the bundle of a docs root, without a server.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    compile: CompileArguments,
    /// File to write the bundle to
    #[arg(long, value_name = "FILE.tar.gz")]
    out: PathBuf,
}
