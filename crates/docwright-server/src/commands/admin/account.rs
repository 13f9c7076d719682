//! `docwright admin account`: people's sign-ins, for the operator.

use anyhow::Context;
use axum::http::Method;
use clap::Subcommand;
use docwright_domain::account::Email;
use serde_json::{Value, json};

use super::{
    Client, Report,
    client::{encoded, text},
    confirm::Confirm,
};

/// What to do with accounts.
#[derive(Debug, Subcommand)]
pub(super) enum Action {
    /// List the accounts of the instance
    List {
        /// Only accounts whose address starts with this text
        #[arg(long)]
        search: Option<String>,
    },
    /// Make an account an operator, or end that
    Update {
        /// Email address of the account
        email: Email,
        /// Whether the account has access to everything in the instance
        #[arg(long, value_name = "BOOL", action = clap::ArgAction::Set)]
        operator: bool,
    },
    /// Permanently delete an account with its sessions, memberships, and API keys
    ///
    /// Releases, jobs, and the audit log stay. The audit log then says "deleted account" and the ID. The only admin of
    /// an organization and the only operator can't be deleted.
    Delete {
        /// Email address of the account
        email: Email,
        #[command(flatten)]
        confirm: Confirm,
    },
    /// Remove an identity of an account, and sign it out everywhere
    ///
    /// The person with this identity can't sign in to the account any more. An account without an identity of
    /// the issuer is linked again when someone with its verified address signs in.
    RemoveIdentity {
        /// Email address of the account
        email: Email,
        /// Address of the issuer, as `account list` shows it
        #[arg(long, value_name = "URL")]
        issuer: String,
        /// The issuer's name for the person, as `account list` shows it
        #[arg(long)]
        subject: String,
    },
}

pub(super) async fn act(client: &Client, action: Action) -> anyhow::Result<Report> {
    match action {
        Action::List { search } => {
            let query = [("search", search.as_deref())];
            let accounts = client.list("/v1/accounts", &query, "accounts").await?;
            Ok(Report::list(
                accounts.into_iter().map(shown),
                &["id", "email", "name", "isOperator", "createdAt"],
                "No accounts found.",
            ))
        }
        Action::Update { email, operator } => {
            let account = find(client, &email).await?;
            let body = json!({ "isOperator": operator });
            let updated = client.send(Method::PATCH, &path(&account), Some(body)).await?;
            Ok(Report::of(shown(updated)))
        }
        Action::Delete { email, confirm } => {
            let account = find(client, &email).await?;
            confirm.ask(&format!(
                "the account {email} ({}) with its sessions, memberships, and the API keys that it created",
                text(&account, "id")
            ))?;
            Ok(Report::of(client.send(Method::DELETE, &path(&account), None).await?))
        }
        Action::RemoveIdentity { email, issuer, subject } => {
            let account = find(client, &email).await?;
            let query = [("issuer", &issuer), ("subject", &subject)];
            let query =
                url::form_urlencoded::Serializer::new(String::new()).extend_pairs(query).finish();
            let path = format!("{}/identities?{query}", path(&account));
            client.send(Method::DELETE, &path, None).await?;
            Ok(Report::of(json!({
                "email": email.as_str(),
                "issuer": issuer,
                "subject": subject,
                "removed": true,
            })))
        }
    }
}

/// The account of an address.
async fn find(client: &Client, email: &Email) -> anyhow::Result<Value> {
    let query = [("email", Some(email.as_str()))];
    let found = client.list("/v1/accounts", &query, "accounts").await?.into_iter().next();
    found.with_context(|| {
        format!("no account found for {email}; see `docwright admin account list`")
    })
}

/// The path of an account in the API.
fn path(account: &Value) -> String {
    format!("/v1/accounts/{}", encoded(text(account, "id")))
}

/// An account whose identities are lines: a table has them below the account.
fn shown(mut account: Value) -> Value {
    let line = |identity: &Value| {
        let [issuer, subject, linked] =
            ["issuer", "subject", "linkedAt"].map(|name| text(identity, name));
        json!(format!("subject {subject} at {issuer}, linked at {linked}"))
    };
    let lines: Vec<_> = account["identities"].as_array().into_iter().flatten().map(line).collect();
    account["identities"] = lines.into();
    account
}
