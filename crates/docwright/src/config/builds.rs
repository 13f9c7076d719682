//! Settings of builds: how many run at once, and the limits of each.

use std::{path::PathBuf, time::Duration};

use docwright_jobs::child::Limits;

const MIB: u64 = 1024 * 1024;

/// Settings of builds. Each flag has a variable of the same name.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Builds")]
pub(crate) struct BuildSettings {
    /// Fetch API specs and fonts from other hosts; keep copies in this folder
    #[arg(long, value_name = "DIR", env = "DOCWRIGHT_REMOTE_SPECS", hide_short_help = true)]
    pub(crate) remote_specs: Option<PathBuf>,
    /// Releases that are built at the same time
    #[arg(long, value_name = "COUNT", env = "DOCWRIGHT_BUILDS", default_value_t = 2,
          value_parser = clap::value_parser!(u16).range(1..=64), hide_short_help = true)]
    pub(crate) builds: u16,
    /// Time limit of a build or check, in seconds
    #[arg(long, value_name = "SECONDS", env = "DOCWRIGHT_BUILD_SECONDS", default_value_t = 600,
          value_parser = clap::value_parser!(u64).range(1..), hide_short_help = true)]
    build_seconds: u64,
    /// Processor time limit of a build or check, in seconds
    ///
    /// The limit counts all cores together.
    #[arg(long, value_name = "SECONDS", env = "DOCWRIGHT_BUILD_PROCESSOR_SECONDS", default_value_t = 900,
          value_parser = clap::value_parser!(u64).range(1..), hide_short_help = true)]
    build_processor_seconds: u64,
    /// Memory limit of a build or check, in MiB
    #[arg(long, value_name = "MIB", env = "DOCWRIGHT_BUILD_MEMORY", default_value_t = 4096,
          value_parser = clap::value_parser!(u64).range(64..=1_048_576), hide_short_help = true)]
    build_memory: u64,
}

impl Default for BuildSettings {
    fn default() -> Self {
        Self {
            remote_specs: None,
            builds: 2,
            build_seconds: 600,
            build_processor_seconds: 900,
            build_memory: 4096,
        }
    }
}

impl BuildSettings {
    /// Limits of a child process.
    pub(crate) fn limits(&self) -> Limits {
        Limits {
            wall_time: Duration::from_secs(self.build_seconds),
            processor_time: Duration::from_secs(self.build_processor_seconds),
            memory: self.build_memory * MIB,
            ..Limits::default()
        }
    }
}
