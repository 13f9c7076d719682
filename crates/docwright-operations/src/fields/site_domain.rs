//! Domains in inputs.

use docwright_types::domain_address::DomainAddress;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A domain: a hostname, then the base path of the site if the hostname has several.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(try_from = "String", into = "String")]
#[schema(
    value_type = String,
    max_length = 453,
    pattern = r"^(?![^/]{253}\.*[^/.])(?![^/]*/.{199}([^/]|/.))([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)*([A-Za-z]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?|(?![0-9]+\.*(/|$)|0[xX])[0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)\.*(/(?!(\.{1,2}|_docwright|\.well-known)(/|$))[A-Za-z0-9._~-]+){0,8}/?$",
    example = "docs.example.com"
)]
pub struct SiteDomain(pub DomainAddress);

impl TryFrom<String> for SiteDomain {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        DomainAddress::parse(&text).map(Self).map_err(|error| error.to_string())
    }
}

impl From<SiteDomain> for String {
    fn from(SiteDomain(domain): SiteDomain) -> Self {
        domain.to_string()
    }
}
