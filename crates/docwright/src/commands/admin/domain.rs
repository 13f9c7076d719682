//! `docwright admin domain`: the addresses of sites.

use anyhow::bail;
use clap::Subcommand;
use docwright_operations::{
    domains::{DomainChange, DomainDetails, DomainState, ListDomains, NewDomain, RenameDomain},
    fields::{SiteDomain, field},
    service_hosts::ServiceHosts,
};
use docwright_types::domain_address::DomainAddress;
use serde_json::{Value, json, to_value};

use super::{Client, Report, client::command_error, confirm::Confirm, optional};

/// What to do with domains.
#[derive(Debug, Subcommand)]
pub(super) enum Action {
    /// Add a domain to a project
    Create {
        /// Domain: a hostname, or a hostname with a base path
        ///
        /// For example: docs.example.com or example.com/docs.
        #[arg(value_parser = parse)]
        domain: DomainAddress,
        /// ID or name of the project
        #[arg(long)]
        project: String,
        /// Branch to serve, if not the repository's default branch
        #[arg(long)]
        branch: Option<String>,
        /// Public URL of the service; its host can't be a domain
        #[arg(long, value_name = "URL", env = "DOCWRIGHT_PUBLIC_URL")]
        public_url: Option<url::Url>,
    },
    /// List domains
    List {
        /// Show only domains of this project, by ID or name
        #[arg(long, conflicts_with = "organization")]
        project: Option<String>,
        /// Show only domains of this organization, by ID or name
        #[arg(long)]
        organization: Option<String>,
    },
    /// Show a domain
    Show {
        /// Domain, such as docs.example.com
        #[arg(value_parser = parse)]
        domain: DomainAddress,
    },
    /// Check the DNS record of a domain
    Verify {
        /// Domain, such as docs.example.com
        #[arg(value_parser = parse)]
        domain: DomainAddress,
    },
    /// Change the branch of a domain
    ///
    /// The current release stays active until the new branch is built.
    Update {
        /// Domain, such as docs.example.com
        #[arg(value_parser = parse)]
        domain: DomainAddress,
        /// Branch to serve; empty for the repository's default branch
        #[arg(long)]
        branch: String,
    },
    /// Rename a domain, and redirect its former name
    ///
    /// Releases, exports, feedback, and analytics stay. The site is served at the new name immediately.
    Rename {
        /// Domain, such as docs.example.com
        #[arg(value_parser = parse)]
        domain: DomainAddress,
        /// New name, such as help.example.com
        #[arg(value_parser = parse)]
        name: DomainAddress,
        /// Don't redirect the former name
        #[arg(long)]
        no_redirect: bool,
    },
    /// Remove the redirect of a former name to a domain
    EndRedirect {
        /// Domain, such as help.example.com
        #[arg(value_parser = parse)]
        domain: DomainAddress,
        /// Former name, such as docs.example.com
        #[arg(value_parser = parse)]
        name: DomainAddress,
    },
    /// Permanently delete a domain with its releases, exports, feedback, and analytics
    Delete {
        /// Domain, such as docs.example.com
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
            Ok(with_next_steps(&domain, created))
        }
        Action::List { project, organization } => {
            let project_id = client.project_id(project.as_deref()).await?;
            let organization_id = client.organization_id(organization.as_deref()).await?;
            let filter = ListDomains { project_id, organization_id, search: None };
            let domains = client.list_domains(&filter).await?;
            Ok(Report::list(
                domains.iter().map(show),
                &["domain", "state", "projectName", "organizationName", "branch", "release"],
                "No domains yet. Add one with `docwright admin domain create DOMAIN --project PROJECT`.",
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
            let input = DomainChange { branch: optional("branch", branch)?, revision: None };
            Ok(Report::of(show(&client.update_domain(&SiteDomain(domain), input).await?)))
        }
        Action::Rename { domain, name, no_redirect } => {
            let input =
                RenameDomain { domain: SiteDomain(name), redirect: !no_redirect, revision: None };
            Ok(Report::of(show(&client.rename_domain(&SiteDomain(domain), input).await?)))
        }
        Action::EndRedirect { domain, name } => {
            let (domain, name) = (SiteDomain(domain), SiteDomain(name));
            Ok(Report::of(show(&client.end_domain_redirect(&domain, &name).await?)))
        }
        Action::Delete { domain, confirm } => {
            let domain = SiteDomain(domain);
            let found = client.get_domain(&domain).await?;
            confirm.ask(&format!(
                "the domain {} of the project {} with its releases, exports, feedback, and analytics",
                domain.0, found.project_name
            ))?;
            Ok(Report::of(to_value(client.delete_domain(&domain).await?)?))
        }
    }
}

/// A new domain, with what to do next.
fn with_next_steps(domain: &DomainAddress, created: DomainDetails) -> Report {
    let report = Report::of(show(&created));
    if created.state == DomainState::Pending {
        return report
            .then(format!("docwright admin domain verify {domain}  # after you add the record"));
    }
    let (host, base) = (domain.host(), domain.base());
    let is_local = host.as_str().ends_with(".localhost");
    let reach = if let Some(address) = created.address.filter(|_| is_local) {
        format!("open {address}/")
    } else if is_local {
        format!("open http://{host}:8080{base}/, or the port that `docwright serve` listens on")
    } else if base.is_empty() {
        format!("point the DNS record of {host} to this service")
    } else {
        format!(
            "configure the web server of {host} to pass {base} to this service, with the full path and the Host header"
        )
    };
    report
        .then(format!(
            "docwright admin release create --domain {domain}  # a running `docwright serve` builds it"
        ))
        .then(reach)
}

/// Parses a domain.
pub(super) fn parse(domain: &str) -> Result<DomainAddress, String> {
    DomainAddress::parse(domain).map_err(|error| format!("it {error}"))
}

/// Returns a domain, with the next step if it is pending.
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
        "revision": domain.revision,
    });
    if domain.state == DomainState::Pending {
        if let Some(record) = domain.records.first() {
            shown["record"] = json!(record);
        }
        if let Some(problem) = &domain.problem {
            shown["problem"] = json!(problem);
        }
    }
    if let Some(dns) = &domain.dns {
        shown["dns"] = json!(dns.state);
        if let Some(problem) = &dns.problem {
            shown["problem"] = json!(problem);
        }
    }
    if !domain.redirects_from.is_empty() {
        shown["redirectsFrom"] = json!(domain.redirects_from);
    }
    if let Some(certificate) = &domain.certificate {
        shown["certificate"] = json!(certificate.state);
    }
    shown
}
