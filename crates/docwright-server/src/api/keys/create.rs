//! `POST /v1/keys`.

use axum::{
    Json,
    extract::State,
    http::{HeaderName, StatusCode, header},
};
use docwright_domain::{
    key::{DEFAULT_DAYS, Scope as KeyScope},
    timestamp::{DAY, iso},
};
use docwright_storage::database::NewKey;
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use super::{Network, Scope};
use crate::{
    api::{body::Body, id::Id, name::Name},
    audit::Change,
    authorize::{Admin, unnamed_organization},
    error::{ApiError, Error},
    state::AppState,
};

/// Projects that one key may be limited to.
const MAXIMUM_PROJECTS: usize = 100;
/// Networks that one key may be limited to.
pub(super) const MAXIMUM_NETWORKS: usize = 100;
/// A hundred years.
pub(super) const MAXIMUM_DAYS: i64 = 36_500;

/// A key to be made.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct CreateKey {
    /// What it is for.
    name: Name,
    /// What it may do; no more than the key that makes it.
    scope: Scope,
    /// Identifier of its organisation; that of the key if left out. Keys of the install name one, but for
    /// keys with the scope `operator`, which belong to none.
    organization_id: Option<Id>,
    /// Identifiers of the only projects that it reaches; all of the organisation if left out.
    #[schema(value_type = Option<Vec<Id>>, min_items = 1, max_items = 100, example = json!(["prj_0199a1b2c3d4e5f60718293a4b5c6d7e"]))]
    projects: Option<Projects>,
    /// Days until it ends; 90 if left out.
    #[schema(minimum = 0, maximum = 36_500, example = 30)]
    days: Option<i64>,
    /// Addresses and networks it may be used from; all if left out.
    #[schema(value_type = Option<Vec<String>>, max_items = 100, example = json!(["192.0.2.0/24"]))]
    allow: Option<Vec<Network>>,
}

/// The projects that a key is limited to. None would read as all of them.
#[derive(Debug, Default, Deserialize)]
#[serde(try_from = "Vec<Id>")]
struct Projects(Vec<String>);

impl TryFrom<Vec<Id>> for Projects {
    type Error = String;

    fn try_from(projects: Vec<Id>) -> Result<Self, String> {
        if !(1..=MAXIMUM_PROJECTS).contains(&projects.len()) {
            return Err(format!("must be an array of 1 to {MAXIMUM_PROJECTS} projects"));
        }
        Ok(Self(projects.iter().map(|id| id.as_str().to_owned()).collect()))
    }
}

/// A key that was made.
#[derive(Serialize, ToSchema)]
pub(crate) struct CreatedKey {
    /// Public id of the key.
    #[schema(example = "0123456789abcdef")]
    id: String,
    /// The key. It is shown this one time.
    #[schema(example = "dw_0123456789abcdef_…")]
    key: String,
}

/// Make a key
///
/// The answer shows the key, this one time: only a hash of it is kept. A key makes none that may more than
/// itself: its scope and its addresses are the most that a new one can have. A key that is limited to
/// projects makes none. A new one may be good for longer.
///
/// An organisation makes 10 keys an hour at most, and so does the install.
#[utoipa::path(
    post,
    path = "/v1/keys",
    tag = "Keys",
    operation_id = "createKey",
    request_body = CreateKey,
    responses(
        (status = 201, description = "The key", body = CreatedKey,
            headers(("Location" = String, description = "Where to read about it")),
            links(
                ("get" = (operation_id = "getKey", parameters(("keyId" = "$response.body#/id")))),
                ("update" = (operation_id = "updateKey", parameters(("keyId" = "$response.body#/id")))),
                ("revoke" = (operation_id = "revokeKey", parameters(("keyId" = "$response.body#/id")))),
            )),
        (status = 404, description = "There is no such organisation or project", body = Error),
        (status = 429, description = "The organisation has made 10 keys within an hour", body = Error, headers(("Retry-After" = i64))),
    ),
)]
pub(crate) async fn create(
    State(app): State<AppState>,
    caller: Admin,
    body: Result<Body<CreateKey>, ApiError>,
) -> Result<(StatusCode, [(HeaderName, String); 1], Json<CreatedKey>), ApiError> {
    let CreateKey { name, scope, organization_id, projects, days, allow } = body?.value;
    let organization = organization_id.as_ref().map(Id::as_str);
    let organization = caller.whole_organization(&app, organization).await?;
    let scope = KeyScope::from(scope);
    let allowlist = networks(allow.unwrap_or_default())?;
    caller.require_no_more(scope, &allowlist)?;
    let organization_id = match (scope, organization) {
        (KeyScope::Operator, None) => None,
        (KeyScope::Operator, Some(_)) => {
            let sentence = "A key with the scope `operator` belongs to no organisation; leave `organizationId` out.";
            return Err(ApiError::Invalid(sentence.to_owned()));
        }
        (_, Some(organization)) => Some(organization.id),
        (_, None) => return Err(unnamed_organization().into()),
    };
    let days = days.unwrap_or(DEFAULT_DAYS);
    check_days(days)?;
    let Projects(projects) = projects.unwrap_or_default();
    for id in &projects {
        let project = caller.project(&app, id).await?;
        if Some(&project.organization_id) != organization_id.as_ref() {
            return Err(crate::authorize::no_project().into());
        }
    }
    let change = Change::of("key.create", organization_id.as_deref()).after(json!({
        "name": name.as_str(),
        "scope": scope.name(),
        "projects": projects,
        "allow": allowlist.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "expiresAt": iso(app.now() + days * DAY),
    }));
    let name = name.to_string();
    let created_by = caller.account_id().map(str::to_owned);
    let days = Some(days);
    let new = NewKey { organization_id, name, scope, projects, allowlist, days, created_by };
    let key = caller.recording(&app, change).create_key(&new, app.now()).await?;
    let location = [(header::LOCATION, format!("/v1/keys/{}", key.id()))];
    let created = CreatedKey { id: key.id().to_owned(), key: key.reveal() };
    Ok((StatusCode::CREATED, location, Json(created)))
}

/// The networks of a list that is not too long.
pub(super) fn networks(allow: Vec<Network>) -> Result<Vec<ipnet::IpNet>, ApiError> {
    if allow.len() > MAXIMUM_NETWORKS {
        let sentence = format!("`allow` must be {MAXIMUM_NETWORKS} networks at most.");
        return Err(ApiError::Invalid(sentence));
    }
    Ok(allow.into_iter().map(|Network(network)| network).collect())
}

/// Fails unless a key may be good for so long.
pub(super) fn check_days(days: i64) -> Result<(), ApiError> {
    if (0..=MAXIMUM_DAYS).contains(&days) {
        return Ok(());
    }
    Err(ApiError::Invalid(format!("`days` must be a whole number from 0 to {MAXIMUM_DAYS}.")))
}
