//! `docwright admin domain`: the addresses of sites.

use anyhow::{Context, ensure};
use clap::Subcommand;
use docwright_domain::{domain_name::DomainName, timestamp::Timestamp};
use docwright_storage::Database;
use serde_json::{Value, json};

use super::{confirm::Confirm, deletion, project};
use crate::{config::Settings, hosts::ServiceHosts};

/// What to do with domains.
#[derive(Debug, Subcommand)]
pub(super) enum Action {
    /// Give a domain to a project
    Add {
        /// The domain, as a bare host name
        domain: String,
        /// Id of the project
        #[arg(long)]
        project: String,
        /// The branch that it shows, if not the repository's default branch
        #[arg(long)]
        branch: Option<String>,
    },
    /// List the domains of a project
    List {
        /// Id of the project
        #[arg(long)]
        project: String,
    },
    /// Let a domain show another branch. It goes on with its release until the new branch is built
    Update {
        /// The domain
        domain: String,
        /// The branch; empty for the repository's default branch
        #[arg(long)]
        branch: String,
    },
    /// Delete a domain with its releases, exports and what readers said
    Delete {
        /// The domain
        domain: String,
        #[command(flatten)]
        confirm: Confirm,
    },
}

pub(super) async fn act(
    database: &Database,
    settings: &Settings,
    action: Action,
    now: Timestamp,
) -> anyhow::Result<Value> {
    match action {
        Action::Add { domain, project, branch } => {
            let domain = parse(&domain)?;
            ServiceHosts::new(settings.public_url.as_ref()).refuse(&domain)?;
            project::find(database, &project).await?;
            database.add_domain(&domain, &project, branch.as_deref(), now).await?;
            Ok(json!({ "domain": domain.to_string(), "project": project, "branch": branch }))
        }
        Action::List { project } => {
            project::find(database, &project).await?;
            let sites = database.sites(&project).await?;
            let show = |domain: String| {
                let address = format!("https://{domain}");
                let site = sites.iter().find(|site| site.address == address);
                json!({
                    "domain": domain,
                    "branch": site.and_then(|site| site.branch.clone()),
                    "release": site.and_then(|site| site.active_release_id.clone()),
                })
            };
            Ok(database.domains(&project).await?.into_iter().map(show).collect())
        }
        Action::Update { domain, branch } => {
            let domain = parse(&domain)?;
            let branch = Some(branch.as_str()).filter(|branch| !branch.is_empty());
            ensure!(database.set_branch(&domain, branch, now).await?, "{}", missing(&domain));
            Ok(json!({ "domain": domain.to_string(), "branch": branch }))
        }
        Action::Delete { domain, confirm } => {
            let domain = parse(&domain)?;
            let project = database.project_of_domain(&domain).await?;
            let project = project.with_context(|| missing(&domain))?;
            confirm.ask(&format!(
                "the domain {domain} of the project {} with its releases, exports and what readers said",
                project.name
            ))?;
            let report = deletion(database, settings).await?.domain(&domain).await?;
            ensure!(report.is_some(), "somebody else has deleted {domain} meanwhile");
            Ok(json!(report))
        }
    }
}

/// A domain as the operator writes it.
pub(super) fn parse(domain: &str) -> anyhow::Result<DomainName> {
    DomainName::parse(domain).with_context(|| format!("`{domain}`"))
}

/// What is said of a domain that nobody added.
pub(super) fn missing(domain: &DomainName) -> String {
    format!("there is no domain {domain}; see `docwright admin domain list`")
}
