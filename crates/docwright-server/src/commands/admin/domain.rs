//! `docwright admin domain`: the addresses of sites.

use anyhow::bail;
use axum::http::Method;
use clap::Subcommand;
use docwright_domain::domain_address::DomainAddress;
use serde_json::{Value, json};

use super::{
    Client, Report,
    client::{encoded, text},
    confirm::Confirm,
};
use docwright_operations::service_hosts::ServiceHosts;

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
    /// Delete a domain with its releases, exports and what readers said
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
            let project = client.project(&project).await?["id"].take();
            let body = json!({ "domain": domain.as_str(), "projectId": project, "branch": branch });
            let made = client.send(Method::POST, "/v1/domains", Some(body)).await?;
            let report = Report::of(show(&made));
            if made["state"] == "pending" {
                return Ok(report.then(format!(
                    "docwright admin domain verify {domain}  # as soon as the record is set"
                )));
            }
            let (host, base) = (domain.host(), domain.base());
            let is_local = host.as_str().ends_with(".localhost");
            let reach = if let Some(address) = made["address"].as_str().filter(|_| is_local) {
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
            let project = match &project {
                Some(project) => Some(client.project(project).await?["id"].take()),
                None => None,
            };
            let project = project.as_ref().and_then(Value::as_str);
            let organization = client.organization_id(organization.as_deref()).await?;
            let query = [("projectId", project), ("organizationId", organization.as_deref())];
            let domains = client.list("/v1/domains", &query, "domains").await?;
            Ok(Report::list(
                domains.iter().map(show),
                &["domain", "state", "projectName", "organizationName", "branch", "release"],
                "There is no domain; add one with `docwright admin domain create DOMAIN --project PROJECT`.",
            ))
        }
        Action::Show { domain } => Ok(Report::of(show(&client.get(&path(&domain)).await?))),
        Action::Verify { domain } => {
            let path = format!("{}/verify", path(&domain));
            let verified = client.send(Method::POST, &path, None).await?;
            if let Some(problem) = verified["problem"].as_str() {
                bail!("{problem}");
            }
            Ok(Report::of(show(&verified)))
        }
        Action::Update { domain, branch } => {
            let branch = Some(branch).filter(|branch| !branch.is_empty());
            let body = json!({ "branch": branch });
            Ok(Report::of(show(&client.send(Method::PATCH, &path(&domain), Some(body)).await?)))
        }
        Action::Delete { domain, confirm } => {
            let found = client.get(&path(&domain)).await?;
            confirm.ask(&format!(
                "the domain {domain} of the project {} with its releases, exports and what readers said",
                text(&found, "projectName")
            ))?;
            Ok(Report::of(client.send(Method::DELETE, &path(&domain), None).await?))
        }
    }
}

/// A domain as the operator writes it.
pub(super) fn parse(domain: &str) -> Result<DomainAddress, String> {
    DomainAddress::parse(domain).map_err(|error| format!("it {error}"))
}

fn path(domain: &DomainAddress) -> String {
    format!("/v1/domains/{}", encoded(domain.as_str()))
}

/// A domain as it is shown, with what is to be done for one that is pending.
fn show(domain: &Value) -> Value {
    let mut shown = json!({
        "domain": domain["domain"],
        "address": domain["address"],
        "state": domain["state"],
        "project": domain["projectId"],
        "projectName": domain["projectName"],
        "organization": domain["organizationId"],
        "organizationName": domain["organizationName"],
        "branch": domain["branch"],
        "release": domain["releaseId"],
    });
    for (name, value) in [("record", &domain["records"][0]), ("problem", &domain["problem"])] {
        if domain["state"] == "pending" && !value.is_null() {
            shown[name] = value.clone();
        }
    }
    if let Some(certificate) = domain["certificate"].as_object() {
        shown["certificate"] = certificate["state"].clone();
    }
    shown
}
