//! `docwright admin organization`: those who own projects and keys.

use axum::http::Method;
use clap::Subcommand;
use docwright_domain::plan::Plan;
use serde_json::json;

use super::{
    Client, Report,
    client::{encoded, text},
    confirm::Confirm,
};
use docwright_operations::fields::Name;

/// What to do with organisations.
#[derive(Debug, Subcommand)]
pub(super) enum Action {
    /// Make an organisation
    Create {
        /// Its name, which no other organisation has
        name: Name,
        /// Its plan: free, pro or enterprise
        #[arg(long, default_value = "enterprise")]
        plan: Plan,
    },
    /// List organisations
    List,
    /// Show an organisation
    Show {
        /// Its id or name
        organization: String,
    },
    /// Change the name or the plan of an organisation
    #[command(group = clap::ArgGroup::new("change").required(true).multiple(true))]
    Update {
        /// Its id or name
        organization: String,
        /// Its new name
        #[arg(long, group = "change")]
        name: Option<Name>,
        /// Its new plan: free, pro or enterprise
        #[arg(long, group = "change")]
        plan: Option<Plan>,
    },
    /// Delete an organisation with its projects, domains, releases, exports, jobs and keys
    Delete {
        /// Its id or name
        organization: String,
        #[command(flatten)]
        confirm: Confirm,
    },
}

pub(super) async fn act(client: &Client, action: Action) -> anyhow::Result<Report> {
    match action {
        Action::Create { name, plan } => {
            let body = json!({ "name": name, "plan": plan.to_string() });
            let made = client.send(Method::POST, "/v1/organizations", Some(body)).await?;
            let next =
                format!("docwright admin project create NAME --organization {}", text(&made, "id"));
            Ok(Report::of(made).then(next))
        }
        Action::List => Ok(Report::list(
            client.list("/v1/organizations", &[], "organizations").await?,
            &["id", "name", "plan"],
            "There is no organisation yet; make one with `docwright admin organization create NAME`.",
        )),
        Action::Show { organization } => Ok(Report::of(client.organization(&organization).await?)),
        Action::Update { organization, name, plan } => {
            let path = path(&client.organization(&organization).await?);
            let body = json!({ "name": name, "plan": plan.map(|plan| plan.to_string()) });
            Ok(Report::of(client.send(Method::PATCH, &path, Some(body)).await?))
        }
        Action::Delete { organization, confirm } => {
            let found = client.organization(&organization).await?;
            confirm.ask(&format!(
                "the organisation {} ({}) with its projects, domains, releases, exports, jobs and keys",
                text(&found, "name"),
                text(&found, "id")
            ))?;
            Ok(Report::of(client.send(Method::DELETE, &path(&found), None).await?))
        }
    }
}

fn path(organization: &serde_json::Value) -> String {
    format!("/v1/organizations/{}", encoded(text(organization, "id")))
}
