//! Domains as requests name them: which project has one, if the caller reaches it.

use docwright_domain::domain_address::DomainAddress;
use docwright_storage::database::Project;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::{authorize::Caller, error::ApiError, request::concerns, state::AppState};

/// A domain: a host, and the base path of a site where the host has several.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(try_from = "String")]
#[schema(
    value_type = String,
    max_length = 453,
    pattern = r"^(?![^/]{253}\.*[^/.])(?![^/]*/.{199}([^/]|/.))([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)*([A-Za-z]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?|(?![0-9]+\.*(/|$)|0[xX])[0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)\.*(/(?!(\.{1,2}|_docwright|\.well-known)(/|$))[A-Za-z0-9._~-]+){0,8}/?$",
    example = "docs.example.com"
)]
pub(super) struct SiteDomain(pub(super) DomainAddress);

impl TryFrom<String> for SiteDomain {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        DomainAddress::parse(&text).map(Self).map_err(|error| error.to_string())
    }
}

/// The project that has a domain. One that the caller does not reach answers as if nobody had it.
pub(super) async fn project(
    app: &AppState,
    caller: &Caller,
    domain: &DomainAddress,
) -> Result<Project, ApiError> {
    let project = app.database.project_of_domain(domain).await?;
    let own = project.filter(|own| caller.reaches(&own.organization_id, &own.id));
    own.inspect(|own| concerns("project", &own.id)).ok_or_else(|| missing(domain))
}

/// The answer to whoever asks for a domain of others, or of nobody.
pub(super) fn missing(domain: &impl std::fmt::Display) -> ApiError {
    ApiError::NotFound(format!("Domain {domain} isn't configured. Add it to a project."))
}
