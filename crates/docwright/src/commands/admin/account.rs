//! `docwright admin account`: people's sign-ins, for the operator.

use anyhow::Context;
use clap::Subcommand;
use docwright_operations::{
    accounts::{Account, DeleteIdentity, ListAccounts, UpdateAccount},
    lists::Search,
};
use docwright_types::account::Email;
use serde_json::{Value, json, to_value};

use super::{Client, Report, confirm::Confirm};

/// What to do with accounts.
#[derive(Debug, Subcommand)]
pub(super) enum Action {
    /// List the accounts of the instance
    List {
        /// Show only accounts whose email address starts with this text
        #[arg(long)]
        search: Option<Search>,
    },
    /// Update whether an account is an operator
    Update {
        /// Email address of the account
        email: Email,
        /// Whether the account has access to everything in the instance
        #[arg(long, value_name = "BOOL", action = clap::ArgAction::Set)]
        operator: bool,
    },
    /// Permanently delete an account with its sessions, memberships, and API keys
    ///
    /// Releases, jobs, and the audit log are kept. The audit log then shows "deleted account" and
    /// the ID. You can't delete the only admin of an organization or the only operator.
    Delete {
        /// Email address of the account
        email: Email,
        #[command(flatten)]
        confirm: Confirm,
    },
    /// Remove an identity from an account, and end its sessions
    ///
    /// The person can no longer sign in with this identity. An account without an identity at the
    /// issuer is linked again when someone with its verified email address signs in.
    RemoveIdentity {
        /// Email address of the account
        email: Email,
        /// URL of the issuer, as shown by `account list`
        #[arg(long, value_name = "URL")]
        issuer: String,
        /// The issuer's ID for the person, as shown by `account list`
        #[arg(long)]
        subject: String,
    },
}

pub(super) async fn act(client: &Client, action: Action) -> anyhow::Result<Report> {
    match action {
        Action::List { search } => {
            let filter = ListAccounts { search, ..ListAccounts::default() };
            let accounts = client.list_accounts(&filter).await?;
            let rows: Vec<_> = accounts.iter().map(shown).collect::<Result<_, _>>()?;
            let columns = &["id", "email", "name", "isOperator", "createdAt"];
            Ok(Report::list(rows, columns, "No accounts found."))
        }
        Action::Update { email, operator } => {
            let account = find(client, &email).await?;
            let input = UpdateAccount { is_operator: operator };
            let updated = client.update_account(&account.id, &input).await?;
            Ok(Report::of(shown(&updated)?))
        }
        Action::Delete { email, confirm } => {
            let account = find(client, &email).await?;
            confirm.ask(&format!(
                "the account {email} ({}) with its sessions, memberships, and the API keys that it created",
                account.id
            ))?;
            Ok(Report::of(to_value(client.delete_account(&account.id).await?)?))
        }
        Action::RemoveIdentity { email, issuer, subject } => {
            let account = find(client, &email).await?;
            let identity = DeleteIdentity { issuer, subject };
            client.delete_identity(&account.id, &identity).await?;
            Ok(Report::of(json!({
                "email": email.as_str(),
                "issuer": identity.issuer,
                "subject": identity.subject,
                "removed": true,
            })))
        }
    }
}

/// Finds the account with an email address.
async fn find(client: &Client, email: &Email) -> anyhow::Result<Account> {
    let filter = ListAccounts { email: Some(email.to_string()), ..ListAccounts::default() };
    let found = client.list_accounts(&filter).await?.into_iter().next();
    found.with_context(|| {
        format!("no account found for {email}; see `docwright admin account list`")
    })
}

/// Returns an account with its identities as lines: a table has them below the account.
fn shown(account: &Account) -> serde_json::Result<Value> {
    let lines = account.identities.iter().map(|identity| {
        let (subject, issuer, linked) = (&identity.subject, &identity.issuer, &identity.linked_at);
        format!("subject {subject} at {issuer}, linked at {linked}")
    });
    let mut shown = to_value(account)?;
    shown["identities"] = lines.collect();
    Ok(shown)
}
