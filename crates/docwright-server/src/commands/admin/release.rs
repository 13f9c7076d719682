//! `docwright admin release`: asks for releases, lists them, activates one.

use anyhow::bail;
use axum::http::Method;
use clap::Subcommand;
use docwright_domain::domain_address::DomainAddress;
use serde_json::json;

use super::{
    Client, Report,
    client::{encoded, text},
    domain,
};

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
            let body = json!({ "domain": domain.as_str() });
            let made = client.send(Method::POST, "/v1/releases", Some(body)).await?;
            let next = format!(
                "docwright admin release show {}  # a running `docwright serve` builds it",
                text(&made, "id")
            );
            Ok(Report::of(made).then(next))
        }
        Action::List { project, domain, limit } => {
            let (path, domain) = match (project, domain) {
                (Some(project), _) => {
                    let project = client.project(&project).await?;
                    (format!("/v1/projects/{}/releases", encoded(text(&project, "id"))), None)
                }
                (None, Some(domain)) => ("/v1/releases".to_owned(), Some(domain.to_string())),
                (None, None) => bail!("name a project or a domain"),
            };
            let query = [("domain", domain.as_deref())];
            let rows = client.first(&path, &query, "releases", limit).await?;
            Ok(Report::list(
                rows,
                &["id", "status", "active", "pages", "warnings", "createdAt", "message", "error"],
                "There is no release; ask for one with `docwright admin release create --domain DOMAIN`.",
            ))
        }
        Action::Show { release } => {
            Ok(Report::of(client.get(&format!("/v1/releases/{}", encoded(&release))).await?))
        }
        Action::Activate { release } => {
            let path = format!("/v1/releases/{}/activate", encoded(&release));
            client.send(Method::POST, &path, None).await?;
            Ok(Report::of(json!({ "id": release, "active": true })))
        }
    }
}
