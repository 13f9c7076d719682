//! Retention times, and when the disk is low.

use std::path::Path;

use docwright_jobs::{disk::Disk, upkeep::Retention};
use docwright_types::timestamp::{DAY, Timestamp};

const MIB: u64 = 1024 * 1024;
/// Bytes of the releases of a site.
const RELEASE_BYTES: i64 = 2 * 1024 * 1024 * 1024;
/// Shortest time that releases without a bundle, and heads of branches, are kept. Days.
const UNBUILT: i64 = 30;

/// Settings of retention. Each flag has a variable of the same name; the manual has them as a table.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Data retention")]
pub(crate) struct RetentionSettings {
    /// Latest ready releases to keep per site, plus the active one
    #[arg(long, value_name = "COUNT", env = "DOCWRIGHT_KEEP_RELEASES", default_value_t = 10,
          value_parser = clap::value_parser!(i64).range(1..=1_000_000), hide_short_help = true)]
    keep_releases: i64,
    /// Limit of the releases of a site, in bytes
    ///
    /// The oldest releases are deleted first, never the latest or the active one.
    #[arg(long, value_name = "BYTES", env = "DOCWRIGHT_KEEP_RELEASE_BYTES", default_value_t = RELEASE_BYTES,
          value_parser = clap::value_parser!(i64).range(1..), hide_short_help = true)]
    keep_release_bytes: i64,
    /// Days to keep other ready releases; 0 keeps them for an hour
    #[arg(long, value_name = "DAYS", env = "DOCWRIGHT_KEEP_RELEASES_FOR", default_value_t = 0,
          value_parser = clap::value_parser!(i64).range(0..=36_500), hide_short_help = true)]
    keep_releases_for: i64,
    /// Days to keep exports with their bundles
    ///
    /// The default is permanently.
    #[arg(long, value_name = "DAYS", env = "DOCWRIGHT_KEEP_EXPORTS_FOR", value_parser = days(), hide_short_help = true)]
    keep_exports_for: Option<i64>,
    /// Days until a finished agent job is archived
    #[arg(long, value_name = "DAYS", env = "DOCWRIGHT_ARCHIVE_AGENT_JOBS_AFTER", default_value_t = 30,
          value_parser = days(), hide_short_help = true)]
    archive_agent_jobs_after: i64,
    /// Days to keep events and conversations of archived agent jobs
    #[arg(long, value_name = "DAYS", env = "DOCWRIGHT_KEEP_AGENT_EVENTS_FOR", default_value_t = 30,
          value_parser = days(), hide_short_help = true)]
    keep_agent_events_for: i64,
    /// Days to keep archived agent jobs
    ///
    /// The default is permanently.
    #[arg(long, value_name = "DAYS", env = "DOCWRIGHT_KEEP_AGENT_JOBS_FOR", value_parser = days(), hide_short_help = true)]
    keep_agent_jobs_for: Option<i64>,
    /// Days to keep feedback
    #[arg(long, value_name = "DAYS", env = "DOCWRIGHT_KEEP_FEEDBACK_FOR", default_value_t = 365,
          value_parser = days(), hide_short_help = true)]
    keep_feedback_for: i64,
    /// Days to keep single events of web analytics; 0 for none
    ///
    /// They are files in object storage, for analytics programs.
    #[arg(long, value_name = "DAYS", env = "DOCWRIGHT_KEEP_ANALYTICS_EVENTS_FOR", default_value_t = 90,
          value_parser = clap::value_parser!(i64).range(0..=36_500), hide_short_help = true)]
    keep_analytics_events_for: i64,
    /// Days to list keys that were revoked or expired
    #[arg(long, value_name = "DAYS", env = "DOCWRIGHT_KEEP_ENDED_KEYS_FOR", default_value_t = 90,
          value_parser = days(), hide_short_help = true)]
    keep_ended_keys_for: i64,
    /// Days to keep entries of the audit log
    #[arg(long, value_name = "DAYS", env = "DOCWRIGHT_KEEP_AUDIT_FOR", default_value_t = 730,
          value_parser = days(), hide_short_help = true)]
    keep_audit_for: i64,
    /// Free disk space below which no job starts, in MiB; 0 for no limit
    #[arg(long, value_name = "MIB", env = "DOCWRIGHT_LOW_DISK", default_value_t = 512,
          value_parser = clap::value_parser!(u64).range(0..=1_073_741_824), hide_short_help = true)]
    low_disk: u64,
}

/// At least a day: other nodes can use data for some seconds after it was removed from the database.
fn days() -> clap::builder::RangedI64ValueParser<i64> {
    clap::value_parser!(i64).range(1..=36_500)
}

impl Default for RetentionSettings {
    fn default() -> Self {
        Self {
            keep_releases: 10,
            keep_release_bytes: RELEASE_BYTES,
            keep_releases_for: 0,
            keep_exports_for: None,
            archive_agent_jobs_after: 30,
            keep_agent_events_for: 30,
            keep_agent_jobs_for: None,
            keep_feedback_for: 365,
            keep_analytics_events_for: 90,
            keep_ended_keys_for: 90,
            keep_audit_for: 730,
            low_disk: 512,
        }
    }
}

impl RetentionSettings {
    /// The same in milliseconds. `previews_for` is the time without changes after which previews are closed.
    pub(crate) fn retention(&self, previews_for: Timestamp) -> Retention {
        Retention {
            previews_for,
            releases: self.keep_releases,
            release_bytes: self.keep_release_bytes,
            releases_for: self.keep_releases_for * DAY,
            unbuilt_for: self.keep_releases_for.max(UNBUILT) * DAY,
            exports_for: self.keep_exports_for.map(|days| days * DAY),
            archive_after: self.archive_agent_jobs_after * DAY,
            events_for: self.keep_agent_events_for * DAY,
            agent_jobs_for: self.keep_agent_jobs_for.map(|days| days * DAY),
            feedback_for: self.keep_feedback_for * DAY,
            analytics_events_for: self.keep_analytics_events_for * DAY,
            keys_for: self.keep_ended_keys_for * DAY,
            audit_for: self.keep_audit_for * DAY,
        }
    }

    /// Whether single events of web analytics are kept.
    pub(crate) const fn keeps_events(&self) -> bool {
        self.keep_analytics_events_for > 0
    }

    /// The disk of the data folder.
    pub(crate) fn disk(&self, data: &Path) -> Disk {
        Disk::new(data.to_owned(), self.low_disk * MIB)
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Flags {
        #[command(flatten)]
        retention: RetentionSettings,
    }

    #[test]
    fn defaults_are_the_same_without_flags() {
        let parsed = Flags::try_parse_from(["x"]).unwrap().retention;
        assert_eq!(format!("{parsed:?}"), format!("{:?}", RetentionSettings::default()));
        let exports = ["x", "--keep-exports-for", "2"];
        let parsed = Flags::try_parse_from(exports).unwrap().retention;
        assert_eq!(parsed.retention(DAY).exports_for, Some(2 * DAY));
        let retention = RetentionSettings::default().retention(DAY);
        assert_eq!((retention.releases_for, retention.unbuilt_for), (0, 30 * DAY));
        assert!(Flags::try_parse_from(["x", "--keep-audit-for", "0"]).is_err());
        assert!(Flags::try_parse_from(["x", "--keep-release-bytes", "0"]).is_err());
        assert!(Flags::try_parse_from(["x", "--keep-releases", "0"]).is_err());
    }
}
