//! `docwright admin domain`: the addresses of sites.

use anyhow::{Context, ensure};
use clap::Subcommand;
use docwright_domain::domain_address::DomainAddress;
use docwright_storage::{StorageError, database::Domain};
use serde_json::{Value, json};

use super::{Install, Report, confirm::Confirm};
use crate::hosts::ServiceHosts;

/// What to do with domains.
#[derive(Debug, Subcommand)]
pub(super) enum Action {
    /// Give a domain to a project
    Create {
        /// The domain: a host name such as docs.example.com, or with a base path as in example.com/docs
        #[arg(value_parser = parse)]
        domain: DomainAddress,
        /// Id or name of the project
        #[arg(long)]
        project: String,
        /// The branch that it shows, if not the repository's default branch
        #[arg(long)]
        branch: Option<String>,
        /// Address at which clients reach the service, which can't be a domain
        #[arg(long, value_name = "URL", env = "DOCWRIGHT_PUBLIC_URL")]
        public_url: Option<url::Url>,
    },
    /// List domains
    List {
        /// Only those of this project; its id or name
        #[arg(long, conflicts_with = "organization")]
        project: Option<String>,
        /// Only those of this organisation; its id or name
        #[arg(long)]
        organization: Option<String>,
    },
    /// Show a domain
    Show {
        /// The domain
        #[arg(value_parser = parse)]
        domain: DomainAddress,
    },
    /// Let a domain show another branch. It goes on with its release until the new branch is built
    Update {
        /// The domain
        #[arg(value_parser = parse)]
        domain: DomainAddress,
        /// The branch; empty for the repository's default branch
        #[arg(long)]
        branch: String,
    },
    /// Delete a domain with its releases, exports and what readers said
    Delete {
        /// The domain
        #[arg(value_parser = parse)]
        domain: DomainAddress,
        #[command(flatten)]
        confirm: Confirm,
    },
}

pub(super) async fn act(install: &Install, action: Action) -> anyhow::Result<Report> {
    let database = &install.database;
    match action {
        Action::Create { domain, project, branch, public_url } => {
            ServiceHosts::new(public_url.as_ref()).refuse(domain.host())?;
            let project = install.project(&project).await?;
            let added = database.add_domain(&domain, &project.id, branch.as_deref(), install.now);
            added.await.map_err(|error| match error {
                StorageError::Exists(whose) => anyhow::anyhow!(
                    "{whose}; to give it to another one, delete it there first with `docwright admin domain delete {domain}`"
                ),
                other => other.into(),
            })?;
            let (host, base) = (domain.host(), domain.base());
            let reach = if host.as_str().ends_with(".localhost") {
                format!(
                    "open http://{host}:8080{base}/, or the port that `docwright serve` listens on"
                )
            } else if base.is_empty() {
                format!("let the DNS record of {host} lead to this service")
            } else {
                format!(
                    "let the web server of {host} pass {base} to this service, with the host and the whole path"
                )
            };
            Ok(Report::of(show(&find(install, &domain).await?))
                .then(format!("docwright admin release create --domain {domain}  # a running `docwright serve` builds it"))
                .then(reach))
        }
        Action::List { project, organization } => {
            let mut domains = database.all_domains().await?;
            if let Some(project) = project {
                let id = install.project(&project).await?.id;
                domains.retain(|domain| domain.project_id == id);
            }
            if let Some(organization) = organization {
                let id = install.organization(&organization).await?.id;
                domains.retain(|domain| domain.organization_id == id);
            }
            Ok(Report::list(
                domains.iter().map(show),
                &["domain", "projectName", "organizationName", "branch", "release"],
                "There is no domain; add one with `docwright admin domain create DOMAIN --project PROJECT`.",
            ))
        }
        Action::Show { domain } => Ok(Report::of(show(&find(install, &domain).await?))),
        Action::Update { domain, branch } => {
            let branch = Some(branch.as_str()).filter(|branch| !branch.is_empty());
            let known = database.set_branch(&domain, branch, install.now).await?;
            ensure!(known, "{}", missing(&domain));
            Ok(Report::of(show(&find(install, &domain).await?)))
        }
        Action::Delete { domain, confirm } => {
            let Domain { project, .. } = find(install, &domain).await?;
            confirm.ask(&format!(
                "the domain {domain} of the project {project} with its releases, exports and what readers said"
            ))?;
            let report = install.deletion().await?.domain(&domain).await?;
            ensure!(report.is_some(), "somebody else has deleted {domain} meanwhile");
            Ok(Report::of(json!(report)))
        }
    }
}

/// A domain as the operator writes it.
pub(super) fn parse(domain: &str) -> Result<DomainAddress, String> {
    DomainAddress::parse(domain).map_err(|error| format!("it {error}"))
}

/// What is said of a domain that no project has.
pub(super) fn missing(domain: &DomainAddress) -> String {
    format!("there is no domain {domain}; see `docwright admin domain list`")
}

async fn find(install: &Install, domain: &DomainAddress) -> anyhow::Result<Domain> {
    install.database.domain(domain).await?.with_context(|| missing(domain))
}

fn show(domain: &Domain) -> Value {
    json!({
        "domain": domain.name,
        "project": domain.project_id,
        "projectName": domain.project,
        "organization": domain.organization_id,
        "organizationName": domain.organization,
        "branch": domain.branch,
        "release": domain.release_id,
    })
}
