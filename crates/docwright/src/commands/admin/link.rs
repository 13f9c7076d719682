//! Links that only the instance's machine can create: the setup link, and sign-in links.

use anyhow::{Context, bail};
use docwright_operations::callers::links::{self, LIFETIME};
use docwright_storage::database::Change;
use docwright_types::{account::Email, timestamp::iso};
use serde_json::json;
use url::Url;

use super::{Report, client::Local};

/// Public URL of the service.
#[derive(Debug, clap::Args)]
pub(super) struct ServiceAddress {
    /// Public URL of the service, such as `https://docs-admin.example.com`
    #[arg(long, value_name = "URL", env = "DOCWRIGHT_PUBLIC_URL")]
    public_url: Option<Url>,
}

impl ServiceAddress {
    /// A link, which can be a path without a host.
    pub(super) fn link(&self, link: &str) -> String {
        match &self.public_url {
            Some(address) if link.starts_with('/') => {
                format!("{}{link}", address.as_str().trim_end_matches('/'))
            }
            _ => link.to_owned(),
        }
    }

    /// Explains how to open a link without a host, if there is no public URL.
    pub(super) fn hint(&self, report: Report) -> Report {
        if self.public_url.is_some() {
            return report;
        }
        report.then("open a link without a host at the address of the service, or add the address with --public-url")
    }
}

/// Returns the setup link, as long as there is no account.
pub(super) async fn to_setup(local: &Local, address: &ServiceAddress) -> anyhow::Result<Report> {
    if !local.operations.database.has_no_accounts().await? {
        bail!(
            "this instance is already set up; sign in, or create a link with `docwright admin sign-in-link EMAIL`"
        );
    }
    let path = docwright_dashboard::setup_path(&local.operations.repositories.keyring);
    let report = Report::of(json!({ "link": address.link(&path) }));
    Ok(address.hint(report.then("open the link in a browser, and create the first account")))
}

/// Returns a link that signs someone in once.
pub(super) async fn to_sign_in(
    local: &Local,
    email: &Email,
    address: &ServiceAddress,
) -> anyhow::Result<Report> {
    let operations = &local.operations;
    let found = operations.database.account_of_email(email).await?;
    let (account, _) = found.with_context(|| format!("no account found for {email}"))?;
    let now = operations.now();
    let expires_at = now + LIFETIME;
    let change = Change {
        organization_id: None,
        actor: local.user.actor(),
        action: "account.sign_in_link",
        address: None,
        request_id: String::new(),
        before: None,
        after: Some(json!({ "email": account.email, "expiresAt": iso(expires_at) })),
        at: now,
    };
    let database = operations.database.recording(change);
    let token = database.create_sign_in_link(&account.id, now, expires_at).await?;
    let link = address.link(&links::path(&token));
    let report = Report::of(json!({ "link": link, "expiresAt": iso(expires_at) }));
    Ok(address.hint(report.then("open the link in a browser within 15 minutes; it works once")))
}
