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
        /// Only accounts whose address starts with this text
        #[arg(long)]
        search: Option<Search>,
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

/// The account of an address.
async fn find(client: &Client, email: &Email) -> anyhow::Result<Account> {
    let filter = ListAccounts { email: Some(email.to_string()), ..ListAccounts::default() };
    let found = client.list_accounts(&filter).await?.into_iter().next();
    found.with_context(|| {
        format!("no account found for {email}; see `docwright admin account list`")
    })
}

/// An account whose identities are lines: a table has them below the account.
fn shown(account: &Account) -> serde_json::Result<Value> {
    let lines = account.identities.iter().map(|identity| {
        let (subject, issuer, linked) = (&identity.subject, &identity.issuer, &identity.linked_at);
        format!("subject {subject} at {issuer}, linked at {linked}")
    });
    let mut shown = to_value(account)?;
    shown["identities"] = lines.collect();
    Ok(shown)
}
