//! `POST /v1/organizations`.

use axum::{
    Json,
    extract::State,
    http::{HeaderName, StatusCode, header},
};
use docwright_domain::plan;
use serde::Deserialize;
use utoipa::ToSchema;

use super::{Organization, Plan, state};
use crate::{
    api::{body::Body, name::Name},
    audit::Change,
    authorize::Operator,
    error::{ApiError, Error, taken},
    state::AppState,
};

/// An organisation to be made.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewOrganization {
    /// Its name, which no other organisation has.
    name: Name,
    /// Its plan; `enterprise` if left out.
    #[schema(value_type = Option<Plan>)]
    plan: Option<Plan>,
}

/// Make an organisation
#[utoipa::path(
    post,
    path = "/v1/organizations",
    tag = "Organisations",
    operation_id = "createOrganization",
    request_body = NewOrganization,
    responses(
        (status = 201, description = "The organisation", body = Organization,
            headers(("Location" = String, description = "Where it is")),
            links(
                ("get" = (operation_id = "getOrganization", parameters(("organizationId" = "$response.body#/id")))),
                ("update" = (operation_id = "updateOrganization", parameters(("organizationId" = "$response.body#/id")))),
                ("delete" = (operation_id = "deleteOrganization", parameters(("organizationId" = "$response.body#/id")))),
            )),
        (status = 409, description = "Another organisation has this name", body = Error),
    ),
)]
pub(crate) async fn create(
    State(app): State<AppState>,
    caller: Operator,
    body: Result<Body<NewOrganization>, ApiError>,
) -> Result<(StatusCode, [(HeaderName, String); 1], Json<Organization>), ApiError> {
    let NewOrganization { name, plan } = body?.value;
    let plan = plan.map_or(plan::Plan::Enterprise, plan::Plan::from);
    let change = Change::of("organization.create", None).after(state(name.as_str(), plan));
    let database = caller.recording(&app, change);
    let made = database.create_organization(name.as_str(), plan, app.now()).await;
    let made = made.map_err(taken)?;
    let location = [(header::LOCATION, format!("/v1/organizations/{}", made.id))];
    Ok((StatusCode::CREATED, location, Json(made.into())))
}
