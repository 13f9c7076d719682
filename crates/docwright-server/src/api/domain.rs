//! Domains as requests name them: which project has one, if the caller reaches it.

use docwright_domain::domain_name::DomainName;
use docwright_storage::database::Project;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::{authorize::Caller, error::ApiError, request::concerns, state::AppState};

/// A domain, as a bare host name.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(try_from = "String")]
#[schema(
    value_type = String,
    max_length = 253,
    pattern = r"^([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)*[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.*$",
    example = "docs.example.com"
)]
pub(super) struct Domain(pub(super) DomainName);

impl TryFrom<String> for Domain {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        DomainName::parse(&text).map(Self).map_err(|error| error.to_string())
    }
}

/// The project that has a domain. One that the caller does not reach answers as if nobody had it.
pub(super) async fn project(
    app: &AppState,
    caller: &Caller,
    domain: &DomainName,
) -> Result<Project, ApiError> {
    let project = app.database.project_of_domain(domain).await?;
    let own = project.filter(|own| caller.reaches(&own.organization_id, &own.id));
    own.inspect(|own| concerns("project", &own.id)).ok_or_else(|| missing(domain))
}

/// The answer to whoever asks for a domain of others, or of nobody.
pub(super) fn missing(domain: &DomainName) -> ApiError {
    ApiError::NotFound(format!("Nobody has configured the domain {domain}; add it to a project."))
}
