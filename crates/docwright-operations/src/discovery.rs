//! Search, pages, and answers of sites, for programs and pages of other sites.
//!
//! The caller is a key of the assistant, which is of one domain. What reads the sites is a [`SiteReader`]: the part of
//! the service that serves them.

use std::{fmt, net::IpAddr};

use docwright_types::{
    assistant::Event, assistant_key::AssistantSecret, domain_address::DomainAddress,
    key::KeyRefusal,
};
use futures::{future::BoxFuture, stream::BoxStream};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{OperationError, Operations, fields::Text, trace::concerns};

/// Results of a search by default, and at most.
const USUAL_RESULTS: usize = 10;
const MAXIMUM_RESULTS: usize = 50;
/// Longest query, in characters.
const MAXIMUM_QUERY: usize = 1_000;
/// Longest path of a page, in characters.
const MAXIMUM_PATH: usize = 500;

/// Reads the sites of an instance.
pub trait SiteReader: fmt::Debug + Send + Sync {
    /// The best sections of a site, best first.
    fn search<'a>(
        &'a self,
        caller: &'a AssistantCaller,
        search: SearchSite,
    ) -> BoxFuture<'a, Result<Vec<FoundSection>, OperationError>>;

    /// A page of a site as Markdown, by its path.
    fn page<'a>(
        &'a self,
        caller: &'a AssistantCaller,
        path: String,
    ) -> BoxFuture<'a, Result<SitePage, OperationError>>;

    /// The answer to a question: its events. Dropping the stream ends it.
    fn ask<'a>(
        &'a self,
        caller: &'a AssistantCaller,
        question: SiteQuestion,
    ) -> BoxFuture<'a, Result<BoxStream<'static, Event>, OperationError>>;
}

/// The caller with a key of the assistant.
#[derive(Debug, Clone)]
pub struct AssistantCaller {
    /// The domain of the key.
    pub domain: String,
    /// Address of the client, for limits.
    pub address: Option<IpAddr>,
    /// Whether a page of another site sent the request.
    pub is_page: bool,
}

/// A search.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SearchSite {
    /// Search terms.
    #[schema(value_type = String, min_length = 1, max_length = 1000, pattern = r"^[^\x00]*$", example = "add a domain")]
    pub query: Text<MAXIMUM_QUERY>,
    /// Maximum number of results; 10 if omitted.
    #[schema(value_type = Option<i64>, minimum = 1, maximum = 50, example = 10)]
    pub page_size: Option<PageSize>,
    /// Return only results whose score is at least this share of the best one's, from 0 to 1.
    #[schema(value_type = Option<f64>, minimum = 0, maximum = 1, example = 0.5)]
    pub score_threshold: Option<Share>,
    /// Which sections to search.
    pub filter: Option<SearchFilter>,
}

/// Which sections to search.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
pub struct SearchFilter {
    /// Name of a version or product. Pages without any are always included.
    #[schema(example = "v2")]
    pub version: Option<String>,
    /// Code of a language; the main language of the site if omitted or unknown.
    #[schema(example = "en")]
    pub language: Option<String>,
    /// Name of a division, such as a tab or a group: only its pages are returned.
    #[schema(example = "Guides")]
    pub tag: Option<String>,
    /// Accepted without effect. Pages for groups of readers aren't part of search.
    #[schema(example = json!([]))]
    pub groups: Option<Vec<String>>,
}

/// A number of results.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(try_from = "usize")]
pub struct PageSize(usize);

impl TryFrom<usize> for PageSize {
    type Error = String;

    fn try_from(size: usize) -> Result<Self, String> {
        if (1..=MAXIMUM_RESULTS).contains(&size) {
            return Ok(Self(size));
        }
        Err(format!("must be a whole number from 1 to {MAXIMUM_RESULTS}"))
    }
}

/// A number from 0 to 1.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(try_from = "f64")]
pub struct Share(pub f64);

impl TryFrom<f64> for Share {
    type Error = &'static str;

    fn try_from(share: f64) -> Result<Self, &'static str> {
        if (0.0..=1.0).contains(&share) { Ok(Self(share)) } else { Err("must be from 0 to 1") }
    }
}

/// A section that a search found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct FoundSection {
    /// Text of the section in Markdown.
    #[schema(example = "Open **Domains** and enter the hostname.")]
    pub content: String,
    /// Path of the section, below the root of the site.
    #[schema(example = "/run/domains#add-a-domain")]
    pub path: String,
    /// More about the section.
    pub metadata: SectionMetadata,
}

/// More about a section.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SectionMetadata {
    /// Title of the page.
    #[schema(example = "Domains")]
    pub title: String,
    /// Heading of the section; empty for the text before the first heading.
    #[schema(example = "Add a domain")]
    pub heading: String,
    /// Score, as a share of the best one's.
    #[schema(minimum = 0, maximum = 1, example = 1.0)]
    pub score: f64,
}

/// A page to read.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ReadPage {
    /// Path of the page, below the root of the site.
    #[schema(value_type = String, min_length = 1, max_length = 500, pattern = r"^[^\x00]*$", example = "run/domains")]
    pub path: Text<MAXIMUM_PATH>,
}

/// A page as Markdown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SitePage {
    /// Path of the page.
    #[schema(example = "/run/domains")]
    pub path: String,
    /// The page in Markdown.
    #[schema(example = "# Domains")]
    pub content: String,
}

/// A question with its context.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SiteQuestion {
    /// The question.
    pub question: String,
    /// Earlier questions with their answers, oldest first.
    pub history: Vec<(String, String)>,
    /// Id of the conversation.
    pub thread: Option<String>,
    /// Path of the page that it is about.
    pub page: Option<String>,
    /// Text that it is about.
    pub selection: Option<String>,
    /// Code of the language to search in.
    pub language: Option<String>,
    /// Name of the version or product to search in.
    pub version: Option<String>,
}

impl SearchSite {
    /// The requested number of results.
    pub fn results(&self) -> usize {
        self.page_size.map_or(USUAL_RESULTS, |size| size.0)
    }
}

/// Finds the caller of a request that is about a domain. A key of another domain is as wrong as an unknown one.
pub async fn caller(
    operations: &Operations,
    presented: Option<&AssistantSecret>,
    domain: &str,
    (origin, address): (Option<&str>, Option<IpAddr>),
) -> Result<AssistantCaller, OperationError> {
    let Some(presented) = presented else {
        operations.failed_sign_ins.record(KeyRefusal::Malformed, None);
        return Err(OperationError::Unauthorized(
            "Assistant key missing. Send `Authorization: Bearer dwp_…`.",
        ));
    };
    let domain = DomainAddress::parse(domain).map(|domain| domain.to_string());
    let known = operations.database.assistant_key(presented.id()).await?.ok_or(KeyRefusal::Unknown);
    let known = known.and_then(|key| {
        let is_same = presented.has_hash(&key.secret_hash);
        if is_same { Ok(key) } else { Err(KeyRefusal::WrongSecret) }
    });
    let known = known.and_then(|key| match &domain {
        Ok(domain) if *domain == key.domain => Ok(key),
        _ => Err(KeyRefusal::Unknown),
    });
    let key = known.map_err(|why| {
        operations.failed_sign_ins.record(why, Some(presented.id()));
        OperationError::Unauthorized("The assistant key is invalid, or it is of another domain.")
    })?;
    concerns("project", &key.project_id);
    if origin.is_some_and(|origin| !key.origins.iter().any(|own| own == origin)) {
        return Err(OperationError::Forbidden(
            "The assistant key doesn't list the origin of this page. Create a key that does."
                .to_owned(),
        ));
    }
    Ok(AssistantCaller { domain: key.domain, address, is_page: origin.is_some() })
}

/// Whether pages of an origin can use a key of a domain. Browsers ask that without the key.
pub async fn is_listed(
    operations: &Operations,
    domain: &str,
    origin: &str,
) -> Result<bool, OperationError> {
    let Ok(domain) = DomainAddress::parse(domain) else { return Ok(false) };
    let keys = operations.database.assistant_keys_of_domain(domain.as_str()).await?;
    Ok(keys.iter().any(|key| key.origins.iter().any(|own| own == origin)))
}

/// Searches a site.
pub async fn search(
    sites: &dyn SiteReader,
    caller: &AssistantCaller,
    input: SearchSite,
) -> Result<Vec<FoundSection>, OperationError> {
    sites.search(caller, input).await
}

/// Reads a page of a site.
pub async fn page(
    sites: &dyn SiteReader,
    caller: &AssistantCaller,
    input: ReadPage,
) -> Result<SitePage, OperationError> {
    sites.page(caller, input.path.into()).await
}

/// Asks the assistant of a site.
pub async fn ask(
    sites: &dyn SiteReader,
    caller: &AssistantCaller,
    question: SiteQuestion,
) -> Result<BoxStream<'static, Event>, OperationError> {
    sites.ask(caller, question).await
}
