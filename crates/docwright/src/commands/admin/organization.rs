//! `docwright admin organization`: owners of projects and keys.

use clap::Subcommand;
use docwright_operations::{
    fields::Name,
    organizations::{CreateOrganization, ListOrganizations, UpdateOrganization},
};
use docwright_types::plan::Plan;
use serde_json::to_value;

use super::{Client, Report, confirm::Confirm};

/// What to do with organizations.
#[derive(Debug, Subcommand)]
pub(super) enum Action {
    /// Create an organization
    Create {
        /// Name of the organization; must be unique in the instance
        name: Name,
        /// Plan: free, pro, or enterprise
        #[arg(long, default_value = "enterprise")]
        plan: Plan,
    },
    /// List organizations
    List,
    /// Show an organization
    Show {
        /// ID or name of the organization
        organization: String,
    },
    /// Update the name or plan of an organization
    #[command(group = clap::ArgGroup::new("change").required(true).multiple(true))]
    Update {
        /// ID or name of the organization
        organization: String,
        /// New name
        #[arg(long, group = "change")]
        name: Option<Name>,
        /// New plan: free, pro, or enterprise
        #[arg(long, group = "change")]
        plan: Option<Plan>,
    },
    /// Permanently delete an organization with all of its projects and keys
    ///
    /// Its domains, releases, exports, and jobs are deleted too.
    Delete {
        /// ID or name of the organization
        organization: String,
        #[command(flatten)]
        confirm: Confirm,
    },
}

pub(super) async fn act(client: &Client, action: Action) -> anyhow::Result<Report> {
    match action {
        Action::Create { name, plan } => {
            let input = CreateOrganization { name, plan: Some(plan) };
            let created = client.create_organization(input).await?;
            let next = format!("docwright admin project create NAME --organization {}", created.id);
            Ok(Report::of(to_value(created)?).then(next))
        }
        Action::List => Ok(Report::rows(
            &client.list_organizations(&ListOrganizations::default()).await?,
            &["id", "name", "plan"],
            "No organizations yet. Create one with `docwright admin organization create NAME`.",
        )?),
        Action::Show { organization } => {
            Ok(Report::of(to_value(client.organization(&organization).await?)?))
        }
        Action::Update { organization, name, plan } => {
            let found = client.organization(&organization).await?;
            let input = UpdateOrganization { name, plan, revision: None };
            Ok(Report::of(to_value(client.update_organization(&found.id, input).await?)?))
        }
        Action::Delete { organization, confirm } => {
            let found = client.organization(&organization).await?;
            confirm.ask(&format!(
                "the organization {} ({}) with its projects, domains, releases, exports, jobs, and keys",
                found.name, found.id
            ))?;
            Ok(Report::of(to_value(client.delete_organization(&found.id).await?)?))
        }
    }
}
