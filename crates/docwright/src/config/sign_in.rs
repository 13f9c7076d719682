//! Settings of sign-in with a provider.

use std::{path::PathBuf, str::FromStr};

use anyhow::{Context, ensure};
use docwright_dashboard::provider_callback;
use docwright_operations::callers::openid::{GroupRole, Provider};
use docwright_types::account;

use docwright_http::this_machine::is_this_machine;

/// Settings of a provider of OpenID Connect. Each flag has a variable of the same name.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Sign-in")]
#[expect(clippy::struct_field_names, reason = "fields are named as their flags")]
pub(crate) struct SignInSettings {
    /// OpenID Connect provider for sign-in, by issuer URL
    ///
    /// For example: `https://login.example.com/realms/acme`.
    #[arg(
        long,
        value_name = "URL",
        env = "DOCWRIGHT_OIDC_ISSUER",
        requires = "oidc_client_id",
        hide_short_help = true
    )]
    oidc_issuer: Option<String>,
    /// Client ID at the provider, such as `docwright`
    #[arg(long, value_name = "ID", env = "DOCWRIGHT_OIDC_CLIENT_ID", hide_short_help = true)]
    oidc_client_id: Option<String>,
    /// File with the client secret from the provider
    #[arg(
        long,
        value_name = "FILE",
        env = "DOCWRIGHT_OIDC_CLIENT_SECRET_FILE",
        hide_short_help = true
    )]
    oidc_client_secret_file: Option<PathBuf>,
    /// Claim with the groups of an account
    #[arg(
        long,
        value_name = "NAME",
        env = "DOCWRIGHT_OIDC_GROUPS_CLAIM",
        default_value = "groups",
        hide_short_help = true
    )]
    oidc_groups_claim: String,
    /// Roles that groups grant, such as `writers=Acme:editor`
    ///
    /// Separate several with semicolons. Name an organization by name or ID. The roles are viewer, editor,
    /// and admin.
    #[arg(
        long,
        value_name = "GROUP=ORGANIZATION:ROLE",
        env = "DOCWRIGHT_OIDC_ROLE",
        value_delimiter = ';',
        hide_short_help = true
    )]
    oidc_role: Vec<String>,
}

impl SignInSettings {
    /// The provider, if there is one. `own_url` is the address of the service.
    pub(crate) fn provider(&self, own_url: &str) -> anyhow::Result<Option<Provider>> {
        let (Some(issuer), Some(client_id)) = (&self.oidc_issuer, &self.oidc_client_id) else {
            return Ok(None);
        };
        check_issuer(issuer).context("--oidc-issuer")?;
        let secret = self.oidc_client_secret_file.as_ref().map(|file| {
            let read = std::fs::read_to_string(file);
            read.with_context(|| {
                format!("cannot read the secret of the provider in {}", file.display())
            })
        });
        let secret = secret.transpose()?.map(|secret| secret.trim().to_owned());
        let roles = self.oidc_role.iter().map(|text| group_role(text).context("--oidc-role"));
        let roles = roles.collect::<Result<Vec<_>, _>>()?;
        let claim = self.oidc_groups_claim.clone();
        let back = provider_callback(own_url);
        Provider::new((issuer, client_id.clone(), secret), (claim, roles), back).map(Some)
    }
}

fn check_issuer(issuer: &str) -> anyhow::Result<()> {
    let url = url::Url::parse(issuer).context("the issuer isn't a URL")?;
    let is_safe = url.scheme() == "https" || (url.scheme() == "http" && is_this_machine(&url));
    ensure!(is_safe, "use a URL with https, such as https://login.example.com");
    ensure!(url.query().is_none() && url.fragment().is_none(), "use a URL without a query");
    Ok(())
}

fn group_role(text: &str) -> anyhow::Result<GroupRole> {
    let parts = text.rsplit_once(':');
    // The name of a group can contain `=`, as in a directory.
    let parts = parts.and_then(|(rest, role)| Some((rest.rsplit_once('=')?, role)));
    let ((group, organization), role) = parts.with_context(|| {
        format!("`{text}` must be GROUP=ORGANIZATION:ROLE, such as writers=Acme:editor")
    })?;
    let role = account::Role::from_str(role.trim()).map_err(anyhow::Error::msg)?;
    let (group, organization) = (group.trim().to_owned(), organization.trim().to_owned());
    ensure!(
        !group.is_empty() && !organization.is_empty(),
        "`{text}` has no group or no organization"
    );
    Ok(GroupRole { group, organization, role })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_role_names_group_organization_and_role() {
        let read = group_role("cn=writers,ou=docs=Acme: Docs:editor").unwrap();
        assert_eq!(
            (read.group.as_str(), read.organization.as_str()),
            ("cn=writers,ou=docs", "Acme: Docs")
        );
        assert_eq!(read.role, account::Role::Editor);
        for wrong in [
            "",
            "writers",
            "writers=Acme",
            "Acme:editor",
            "writers=Acme:owner",
            "=Acme:viewer",
            "a=:viewer",
        ] {
            assert!(group_role(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn provider_must_use_https() {
        for valid in [
            "https://login.example.com",
            "https://login.example.com/realms/a",
            "http://localhost:1",
            "http://127.0.0.1:3",
        ] {
            assert!(check_issuer(valid).is_ok(), "{valid}");
        }
        for wrong in [
            "",
            "login.example.com",
            "http://login.example.com",
            "ftp://localhost",
            "https://a.example/?b",
            "https://a.example/#b",
        ] {
            assert!(check_issuer(wrong).is_err(), "{wrong}");
        }
    }
}
