//! `docwright admin release`: requests, lists, and activates releases.

use anyhow::bail;
use clap::Subcommand;
use docwright_operations::{
    fields::SiteDomain,
    releases::{CreateRelease, DomainReleases},
};
use docwright_types::domain_address::DomainAddress;
use serde_json::{json, to_value};

use super::{Client, Report, domain};

/// Default number of listed releases.
const LISTED: usize = 20;

/// What to do with releases.
#[derive(Debug, Subcommand)]
pub(super) enum Action {
    /// Build the latest commit of a domain's branch
    ///
    /// A running server builds it.
    Create {
        /// Domain, such as docs.example.com
        #[arg(long, value_parser = domain::parse)]
        domain: DomainAddress,
        /// Build every page anew, even if the latest commit has a release
        #[arg(long)]
        no_cache: bool,
    },
    /// List the releases of a project, newest first
    List {
        /// Id or name of the project
        #[arg(long, required_unless_present = "domain")]
        project: Option<String>,
        /// Domain of the project, instead of its ID or name
        #[arg(long, value_parser = domain::parse, conflicts_with = "project")]
        domain: Option<DomainAddress>,
        /// Number of releases to list
        #[arg(long, default_value_t = LISTED, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=100_000))]
        limit: usize,
    },
    /// Show a release
    Show {
        /// ID of the release
        release: String,
    },
    /// Activate a ready release, such as an earlier one
    ///
    /// It stays active until a newer commit is released.
    Activate {
        /// ID of the release
        release: String,
    },
    /// Cancel a queued or building release
    ///
    /// Its exports fail.
    Cancel {
        /// ID of the release
        release: String,
    },
}

pub(super) async fn act(client: &Client, action: Action) -> anyhow::Result<Report> {
    match action {
        Action::Create { domain, no_cache } => {
            let input = CreateRelease { domain: SiteDomain(domain), without_cache: no_cache };
            let created = client.create_release(input).await?;
            let next = format!(
                "docwright admin release show {}  # a running `docwright serve` builds it",
                created.id
            );
            Ok(Report::of(to_value(created)?).then(next))
        }
        Action::List { project, domain, limit } => {
            let releases = match (project, domain) {
                (Some(project), _) => {
                    let project = client.project(&project).await?;
                    client.list_releases(&project.id, limit).await?
                }
                (None, Some(domain)) => {
                    let of = DomainReleases { domain: SiteDomain(domain) };
                    client.list_releases_of_domain(&of, limit).await?
                }
                (None, None) => bail!("add a project or --domain"),
            };
            Ok(Report::rows(
                &releases,
                &[
                    "id",
                    "number",
                    "domain",
                    "status",
                    "active",
                    "heldErrors",
                    "pages",
                    "warnings",
                    "createdAt",
                    "message",
                    "error",
                ],
                "No releases yet. Create one with `docwright admin release create --domain DOMAIN`.",
            )?)
        }
        Action::Show { release } => Ok(Report::of(to_value(client.get_release(&release).await?)?)),
        Action::Activate { release } => {
            client.activate_release(&release).await?;
            Ok(Report::of(json!({ "id": release, "active": true })))
        }
        Action::Cancel { release } => {
            Ok(Report::of(to_value(client.cancel_release(&release).await?)?))
        }
    }
}
