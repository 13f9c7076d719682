//! `docwright admin member`: people who sign in to the dashboard.

use anyhow::Context;
use axum::http::Method;
use clap::Subcommand;
use docwright_domain::account::{Email, Role};
use serde_json::{Value, json};

use super::{
    Client, Report,
    client::{encoded, text},
    link::ServiceAddress,
};

/// What to do with members.
#[derive(Debug, Subcommand)]
pub(super) enum Action {
    /// List the members of an organisation
    List {
        /// Id or name of the organisation
        #[arg(long)]
        organization: String,
    },
    /// Change the role of a member
    Set {
        /// The address that they sign in with
        email: Email,
        /// Id or name of the organisation
        #[arg(long)]
        organization: String,
        /// What they may do: viewer, editor or admin, each of which includes those before it
        #[arg(long)]
        role: Role,
    },
    /// Remove a member; their account stays, and so do the keys of the organisation
    Remove {
        /// The address that they sign in with
        email: Email,
        /// Id or name of the organisation
        #[arg(long)]
        organization: String,
    },
    /// Invite somebody, by a link that works once and is shown this one time
    Invite {
        /// The address that they will sign in with
        email: Email,
        /// Id or name of the organisation
        #[arg(long)]
        organization: String,
        /// What they may do: viewer, editor or admin, each of which includes those before it
        #[arg(long, default_value = "viewer")]
        role: Role,
        #[command(flatten)]
        address: ServiceAddress,
    },
}

pub(super) async fn act(client: &Client, action: Action) -> anyhow::Result<Report> {
    match action {
        Action::List { organization } => {
            let path = members(client, &organization).await?;
            Ok(Report::list(
                client.list(&path, &[], "members").await?,
                &["accountId", "name", "email", "role", "joinedAt"],
                "There is no member; invite somebody with `docwright admin member invite EMAIL --organization ORGANIZATION`.",
            ))
        }
        Action::Set { email, organization, role } => {
            let path = member(client, &organization, &email).await?;
            let body = json!({ "role": role.name() });
            Ok(Report::of(client.send(Method::PATCH, &path, Some(body)).await?))
        }
        Action::Remove { email, organization } => {
            let path = member(client, &organization, &email).await?;
            client.send(Method::DELETE, &path, None).await?;
            Ok(Report::of(json!({ "email": email.as_str(), "removed": true })))
        }
        Action::Invite { email, organization, role, address } => {
            let organization = client.organization(&organization).await?;
            let id = encoded(text(&organization, "id"));
            let path = format!("/v1/organizations/{id}/invitations");
            let body = json!({ "email": email.as_str(), "role": role.name() });
            let mut made = client.send(Method::POST, &path, Some(body)).await?;
            made["link"] = address.link(text(&made, "link")).into();
            let next = "send them the link; it works once, for seven days, and is not shown again";
            Ok(address.hint(Report::of(made).then(next)))
        }
    }
}

/// The path of the members of an organisation.
async fn members(client: &Client, organization: &str) -> anyhow::Result<String> {
    let organization = client.organization(organization).await?;
    Ok(format!("/v1/organizations/{}/members", encoded(text(&organization, "id"))))
}

/// The path of one of them.
async fn member(client: &Client, organization: &str, email: &Email) -> anyhow::Result<String> {
    let path = members(client, organization).await?;
    let found = client.list(&path, &[("email", Some(email.as_str()))], "members").await?;
    let found: Option<&Value> = found.first();
    let found = found.with_context(|| {
        format!("the organisation has no member {email}; see `docwright admin member list`")
    })?;
    Ok(format!("{path}/{}", encoded(text(found, "accountId"))))
}
