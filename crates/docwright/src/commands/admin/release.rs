//! `docwright admin release`: asks for releases, lists them, activates one.

use anyhow::bail;
use clap::Subcommand;
use docwright_operations::{
    fields::SiteDomain,
    releases::{CreateRelease, DomainReleases},
};
use docwright_types::domain_address::DomainAddress;
use serde_json::{json, to_value};

use super::{Client, Report, domain};

/// Releases that are listed unless the command says how many.
const LISTED: usize = 20;

/// What to do with releases.
#[derive(Debug, Subcommand)]
pub(super) enum Action {
    /// Build the newest commit of a domain's branch; a running server does the work
    Create {
        /// The domain
        #[arg(long, value_parser = domain::parse)]
        domain: DomainAddress,
    },
    /// List the releases of a project, newest first
    List {
        /// Id or name of the project
        #[arg(long, required_unless_present = "domain")]
        project: Option<String>,
        /// The project's domain, in place of its name
        #[arg(long, value_parser = domain::parse, conflicts_with = "project")]
        domain: Option<DomainAddress>,
        /// How many to list
        #[arg(long, default_value_t = LISTED, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=100_000))]
        limit: usize,
    },
    /// Show a release
    Show {
        /// Id of the release
        release: String,
    },
    /// Serve a ready release, such as an earlier one; it stays until a newer commit is released
    Activate {
        /// Id of the release
        release: String,
    },
}

pub(super) async fn act(client: &Client, action: Action) -> anyhow::Result<Report> {
    match action {
        Action::Create { domain } => {
            let input = CreateRelease { domain: SiteDomain(domain) };
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
                (None, None) => bail!("name a project or a domain"),
            };
            Ok(Report::rows(
                &releases,
                &["id", "status", "active", "pages", "warnings", "createdAt", "message", "error"],
                "There is no release; ask for one with `docwright admin release create --domain DOMAIN`.",
            )?)
        }
        Action::Show { release } => Ok(Report::of(to_value(client.get_release(&release).await?)?)),
        Action::Activate { release } => {
            client.activate_release(&release).await?;
            Ok(Report::of(json!({ "id": release, "active": true })))
        }
    }
}
