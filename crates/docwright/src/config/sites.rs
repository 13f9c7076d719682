//! Settings of served sites.

const MIB: u64 = 1024 * 1024;

/// Settings of sites. Each flag has a variable of the same name.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Sites")]
pub(crate) struct SiteSettings {
    /// Disk space for the cache of bundles from object storage, in MiB
    #[arg(long, value_name = "MIB", env = "DOCWRIGHT_BUNDLE_CACHE", default_value_t = 10_240,
          value_parser = clap::value_parser!(u64).range(1..=1_073_741_824), hide_short_help = true)]
    bundle_cache: u64,
}

impl Default for SiteSettings {
    fn default() -> Self {
        Self { bundle_cache: 10_240 }
    }
}

impl SiteSettings {
    /// Size limit of copies of bundles, in bytes.
    pub(crate) const fn bundle_cache(&self) -> u64 {
        self.bundle_cache * MIB
    }
}
