//! Previews of texts that aren't saved.
//!
//! The dashboard sends a text to a host below the domain of previews, which answers with the compiled page. So authors'
//! code runs where no session exists, and nothing is stored. A signed access to one page of one member comes with the
//! text, since no cookie does.

use std::{sync::LazyLock, time::Duration};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use docwright_jobs::{
    child::work::BuildOptions,
    page_edit::{PageDraft, compile},
};
use docwright_storage::{Keyring, database::Account};
use docwright_types::{
    preview::PreviewAddresses,
    timestamp::{HOUR, Timestamp},
};
use serde::{Deserialize, Serialize};

use super::{
    PageSource,
    outlines::{SiteOutline, of_site},
    source::{MAXIMUM_TEXT, unreadable},
};
use crate::{
    Allowed, Caller, OperationError, Operations, callers::Member, can, fair_limiter::FairLimiter,
};

/// How long a page can be previewed after it was opened for editing.
const LIFETIME: Timestamp = 12 * HOUR;
/// Hexadecimal digits in the name of a host: 160 bits, so it can't be guessed.
const DIGITS: usize = 40;
/// Simultaneous compilations: in all, and of one person.
static COMPILERS: LazyLock<FairLimiter<String>> = LazyLock::new(|| FairLimiter::new(2, 1));
/// How long a request waits for its turn.
const PATIENCE: Duration = Duration::from_secs(10);

/// The hosts of drafts: one for each domain, below the domain of previews.
#[derive(Debug, Clone)]
pub struct DraftHosts {
    keyring: Keyring,
    addresses: PreviewAddresses,
}

/// Where a member sends texts of one page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DraftAccess {
    /// Origin of the host, without a trailing slash.
    pub origin: String,
    /// Path of the page on that host.
    pub path: String,
    /// What allows it. It comes with each text.
    pub access: String,
}

/// A compiled draft.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompiledPage {
    /// The HTML document. Its author controls it.
    pub html: String,
    /// What is wrong in the text.
    pub diagnostics: Vec<DraftDiagnostic>,
}

/// A diagnostic of a draft.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DraftDiagnostic {
    /// 1-based line; 0 for the whole file.
    pub line: u32,
    /// Whether readers notice it.
    pub is_error: bool,
    /// What is wrong.
    pub message: String,
    /// How to fix it.
    pub help: Option<String>,
}

/// The signed contents of an access.
#[derive(Debug, Serialize, Deserialize)]
struct Claims {
    account: String,
    project: String,
    domain: String,
    path: String,
    commit: String,
    ends: Timestamp,
}

impl DraftHosts {
    /// The hosts of an instance; `None` if it has no previews.
    pub fn of(operations: &Operations) -> Option<Self> {
        let addresses = operations.repositories.previews.as_ref().ok()?.clone();
        Some(Self { keyring: operations.repositories.keyring.clone(), addresses })
    }

    /// The host of drafts of a domain's pages.
    pub fn host(&self, domain: &str) -> String {
        let signature = self.keyring.sign_access(&format!("draft host\n{domain}"));
        let name = signature.get(..DIGITS).unwrap_or_default();
        format!("{name}.{}", self.addresses.domain)
    }

    /// The URL at which the active release of a domain is shown, without a trailing slash.
    pub fn address(&self, domain: &str) -> String {
        self.addresses.url(&self.host(domain))
    }
}

/// The access of a member to previews of a page's text; `None` if the instance has no previews, or for programs.
pub fn draft_access(
    operations: &Operations,
    caller: &Allowed<can::EditPage>,
    project_id: &str,
    source: &PageSource,
) -> Option<DraftAccess> {
    let hosts = DraftHosts::of(operations)?;
    let claims = Claims {
        account: caller.signed_in()?.id.clone(),
        project: project_id.to_owned(),
        domain: source.domain.clone(),
        path: source.path.clone(),
        commit: source.commit.clone(),
        ends: operations.now() + LIFETIME,
    };
    let claims = URL_SAFE_NO_PAD.encode(serde_json::to_vec(&claims).ok()?);
    let signature = operations.repositories.keyring.sign_access(&message(&claims));
    Some(DraftAccess {
        origin: hosts.addresses.url(&hosts.host(&source.domain)),
        path: if source.path == "index" { String::new() } else { source.path.clone() },
        access: format!("{claims}.{signature}"),
    })
}

/// Compiles a text of the page that an access names, at a host of a domain. The text isn't stored.
pub async fn preview_draft(
    operations: &Operations,
    (domain, access): (&str, &str),
    text: String,
) -> Result<CompiledPage, OperationError> {
    let claims = read(&operations.repositories.keyring, access, operations.now());
    let claims = claims.filter(|claims| claims.domain == domain).ok_or_else(expired)?;
    if text.len() > MAXIMUM_TEXT {
        return Err(OperationError::Invalid(format!(
            "`text` is longer than {MAXIMUM_TEXT} bytes; make it shorter."
        )));
    }
    let turn = COMPILERS.take(&claims.account, PATIENCE).await;
    let _turn = turn.ok_or_else(|| {
        OperationError::Busy("Other previews are being compiled. Try again soon.".to_owned())
    })?;
    let caller = member(operations, &claims).await?.allowed::<can::EditPage>()?;
    let project = caller.project(operations, &claims.project).await?;
    let site = of_site(operations, &project, Some(domain)).await?.ok_or_else(expired)?;
    let page = site.outline.pages.iter().find(|page| page.path == claims.path);
    let file = page.and_then(|page| page.file.clone()).ok_or_else(expired)?;
    let options = options(operations, &site).await?;
    let draft = PageDraft { commit: claims.commit, file, text, options };
    let launcher = operations.page_lookup.launcher();
    let compiled = compile(&operations.repositories, launcher, &project, draft).await;
    let compiled = compiled.map_err(unreadable)?.ok_or_else(|| {
        OperationError::Conflict("No page is made of this file any more.".to_owned())
    })?;
    let diagnostics = compiled.diagnostics.into_iter().map(|each| DraftDiagnostic {
        line: each.line,
        is_error: each.is_error,
        message: each.message,
        help: each.help,
    });
    Ok(CompiledPage { html: compiled.html, diagnostics: diagnostics.collect() })
}

/// The member of an access, with their present role.
async fn member(operations: &Operations, claims: &Claims) -> Result<Caller, OperationError> {
    let database = &operations.database;
    let account: Account = database.account(&claims.account).await?.ok_or_else(expired)?;
    let project = database.project(&claims.project).await?.ok_or_else(expired)?;
    let memberships = database.memberships(&account.id).await?.into_iter();
    let mut own = memberships.filter(|each| each.organization.id == project.organization_id);
    let membership = own.next().map(|each| (each.organization, each.role));
    let member = Member::new(account, membership, None).ok_or_else(expired)?;
    Ok(member.caller(""))
}

/// Those of a preview of the site.
async fn options(
    operations: &Operations,
    site: &SiteOutline,
) -> Result<BuildOptions, OperationError> {
    let features = match site.release.features.clone() {
        Some(features) => features,
        None => operations.database.cloud_features(&site.release.project_id).await?,
    };
    Ok(BuildOptions {
        site_url: operations.site_address(&site.domain),
        features: features.of_preview(),
        ..BuildOptions::default()
    })
}

fn read(keyring: &Keyring, access: &str, now: Timestamp) -> Option<Claims> {
    let (claims, signature) = access.split_once('.')?;
    if !keyring.is_signed_access(&message(claims), signature) {
        return None;
    }
    let claims: Claims = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(claims).ok()?).ok()?;
    (now < claims.ends).then_some(claims)
}

/// What is signed: no other signature begins so.
fn message(claims: &str) -> String {
    format!("draft\n{claims}")
}

fn expired() -> OperationError {
    OperationError::Forbidden(
        "This preview expired. Copy your text, then open the page for editing again.".to_owned(),
    )
}

#[cfg(test)]
mod tests {
    use docwright_types::{domain_name::DomainName, site_origin::SiteOrigin};

    use super::*;

    fn keyring(digits: &str) -> Keyring {
        Keyring::parse(&digits.repeat(32)).unwrap()
    }

    fn signed(keyring: &Keyring, ends: Timestamp) -> String {
        let text = |text: &str| text.to_owned();
        let (account, project, domain) = (text("acc_1"), text("prj_1"), text("docs.example.com"));
        let (path, commit) = (text("guides/start"), text("8f2c"));
        let claims = Claims { account, project, domain, path, commit, ends };
        let claims = URL_SAFE_NO_PAD.encode(serde_json::to_vec(&claims).unwrap());
        let signature = keyring.sign_access(&message(&claims));
        format!("{claims}.{signature}")
    }

    #[test]
    fn access_is_signed_and_expires() {
        let own = keyring("0a");
        let access = signed(&own, 1000);
        assert_eq!(read(&own, &access, 999).unwrap().path, "guides/start");
        assert!(read(&own, &access, 1000).is_none(), "expired");
        assert!(read(&keyring("0b"), &access, 0).is_none(), "another instance");
        let (claims, signature) = access.split_once('.').unwrap();
        let other = signed(&own, 5000);
        let (later, _) = other.split_once('.').unwrap();
        for wrong in [claims.to_owned(), format!("{later}.{signature}"), String::new(), ".".into()]
        {
            assert!(read(&own, &wrong, 0).is_none(), "{wrong}");
        }
    }

    #[test]
    fn each_domain_has_an_unguessable_host() {
        let domain = DomainName::parse("previews.example.net").unwrap();
        let addresses = PreviewAddresses { domain, origin: SiteOrigin::default() };
        let hosts = |digits| DraftHosts { keyring: keyring(digits), addresses: addresses.clone() };
        let host = hosts("0a").host("docs.example.com");
        assert_eq!(host.len(), DIGITS + ".previews.example.net".len());
        assert_eq!(host, hosts("0a").host("docs.example.com"));
        assert_ne!(host, hosts("0a").host("docs.example.org"));
        assert_ne!(host, hosts("0b").host("docs.example.com"), "another instance");
        DomainName::parse(&host).unwrap();
    }
}
