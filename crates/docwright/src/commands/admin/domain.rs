//! `docwright admin domain`: the addresses of sites.

use anyhow::bail;
use clap::Subcommand;
use docwright_operations::{
    domains::{DomainChange, DomainDetails, DomainState, ListDomains, NewDomain},
    fields::{SiteDomain, field},
    service_hosts::ServiceHosts,
};
use docwright_types::domain_address::DomainAddress;
use serde_json::{Value, json, to_value};

use super::{Client, Report, client::command_error, confirm::Confirm, optional};

/// What to do with domains.
#[derive(Debug, Subcommand)]
pub(super) enum Action {
    /// Give a domain to a project
    Create {
        /// The domain: a hostname such as docs.example.com, or with a base path as in example.com/docs
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
        /// Only those of this organization; its id or name
        #[arg(long)]
        organization: Option<String>,
    },
    /// Show a domain
    Show {
        /// The domain
        #[arg(value_parser = parse)]
        domain: DomainAddress,
    },
    /// Check the DNS record of a domain
    Verify {
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
    /// Delete a domain with its releases, exports, and feedback
    Delete {
        /// The domain
        #[arg(value_parser = parse)]
        domain: DomainAddress,
        #[command(flatten)]
        confirm: Confirm,
    },
}

pub(super) async fn act(client: &Client, action: Action) -> anyhow::Result<Report> {
    match action {
        Action::Create { domain, project, branch, public_url } => {
            ServiceHosts::new(public_url.as_ref()).refuse(domain.host())?;
            let project = client.project(&project).await?;
            let input = NewDomain {
                domain: SiteDomain(domain.clone()),
                project_id: field("projectId", project.id).map_err(command_error)?,
                branch: optional("branch", branch)?,
            };
            let created = client.create_domain(input).await?;
            let report = Report::of(show(&created));
            if created.state == DomainState::Pending {
                return Ok(report.then(format!(
                    "docwright admin domain verify {domain}  # as soon as the record is set"
                )));
            }
            let (host, base) = (domain.host(), domain.base());
            let is_local = host.as_str().ends_with(".localhost");
            let reach = if let Some(address) = created.address.filter(|_| is_local) {
                format!("open {address}/")
            } else if is_local {
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
            Ok(report
                .then(format!("docwright admin release create --domain {domain}  # a running `docwright serve` builds it"))
                .then(reach))
        }
        Action::List { project, organization } => {
            let project_id = client.project_id(project.as_deref()).await?;
            let organization_id = client.organization_id(organization.as_deref()).await?;
            let filter = ListDomains { project_id, organization_id, search: None };
            let domains = client.list_domains(&filter).await?;
            Ok(Report::list(
                domains.iter().map(show),
                &["domain", "state", "projectName", "organizationName", "branch", "release"],
                "There is no domain; add one with `docwright admin domain create DOMAIN --project PROJECT`.",
            ))
        }
        Action::Show { domain } => {
            Ok(Report::of(show(&client.get_domain(&SiteDomain(domain)).await?)))
        }
        Action::Verify { domain } => {
            let verified = client.verify_domain(&SiteDomain(domain)).await?;
            if let Some(problem) = &verified.problem {
                bail!("{problem}");
            }
            Ok(Report::of(show(&verified)))
        }
        Action::Update { domain, branch } => {
            let branch = Some(branch).filter(|branch| !branch.is_empty());
            let input = DomainChange { branch: optional("branch", branch)? };
            Ok(Report::of(show(&client.update_domain(&SiteDomain(domain), input).await?)))
        }
        Action::Delete { domain, confirm } => {
            let domain = SiteDomain(domain);
            let found = client.get_domain(&domain).await?;
            confirm.ask(&format!(
                "the domain {} of the project {} with its releases, exports, and feedback",
                domain.0, found.project_name
            ))?;
            Ok(Report::of(to_value(client.delete_domain(&domain).await?)?))
        }
    }
}

/// A domain as the operator writes it.
pub(super) fn parse(domain: &str) -> Result<DomainAddress, String> {
    DomainAddress::parse(domain).map_err(|error| format!("it {error}"))
}

/// A domain as it is shown, with the next step for one that is pending.
fn show(domain: &DomainDetails) -> Value {
    let mut shown = json!({
        "domain": domain.domain,
        "address": domain.address,
        "state": domain.state,
        "project": domain.project_id,
        "projectName": domain.project_name,
        "organization": domain.organization_id,
        "organizationName": domain.organization_name,
        "branch": domain.branch,
        "release": domain.release_id,
    });
    if domain.state == DomainState::Pending {
        if let Some(record) = domain.records.first() {
            shown["record"] = json!(record);
        }
        if let Some(problem) = &domain.problem {
            shown["problem"] = json!(problem);
        }
    }
    if let Some(certificate) = &domain.certificate {
        shown["certificate"] = json!(certificate.state);
    }
    shown
}
