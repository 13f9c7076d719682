//! Web analytics.

use axum::{Json, extract::State};
use docwright_http::{
    error::{ApiError, Error},
    parameters::{Path, Query},
};
use docwright_operations::{
    Allowed,
    analytics::{
        self, AnalyticsQuery, Breakdown, DeadLinks, ListBreakdown, Timeline, ViewList, VisitorList,
    },
    can,
    lists::Page,
};

use utoipa_axum::{router::OpenApiRouter, routes};

use super::ProjectPath;
use crate::state::ApiState;

/// The operations of analytics.
pub(crate) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(views))
        .routes(routes!(timeline))
        .routes(routes!(visitors))
        .routes(routes!(breakdown))
        .routes(routes!(dead_links))
}

/// List views
///
/// Counts the views of a project's sites by people and AI agents, and lists the pages with views, the most read
/// first.
#[utoipa::path(
    get,
    path = "/v1/analytics/{projectId}/views",
    tag = "Analytics",
    operation_id = "listViews",
    params(ProjectPath, AnalyticsQuery, Page),
    responses(
        (status = 200, description = "The views, and a page of pages.", body = ViewList),
        (status = 404, description = "Project not found.", body = Error),
    ),
)]
async fn views(
    State(app): State<ApiState>,
    caller: Allowed<can::ListViews>,
    Path(ProjectPath { project_id }): Path<ProjectPath>,
    query: Result<Query<AnalyticsQuery>, ApiError>,
    page: Result<Query<Page>, ApiError>,
) -> Result<Json<ViewList>, ApiError> {
    Ok(Json(analytics::views(&app, &caller, &project_id, &query?.0, &page?.0).await?))
}

/// Get a timeline
///
/// Counts the views of a project's sites in each hour or day of a range.
#[utoipa::path(
    get,
    path = "/v1/analytics/{projectId}/timeline",
    tag = "Analytics",
    operation_id = "getTimeline",
    params(ProjectPath, AnalyticsQuery),
    responses(
        (status = 200, description = "The steps with views.", body = Timeline),
        (status = 404, description = "Project not found.", body = Error),
    ),
)]
async fn timeline(
    State(app): State<ApiState>,
    caller: Allowed<can::GetTimeline>,
    Path(ProjectPath { project_id }): Path<ProjectPath>,
    query: Result<Query<AnalyticsQuery>, ApiError>,
) -> Result<Json<Timeline>, ApiError> {
    Ok(Json(analytics::timeline(&app, &caller, &project_id, &query?.0).await?))
}

/// List visitors
///
/// Counts the unique visitors of a project's sites in each day (UTC) of a range. Visitors of different days and
/// sites can't be recognized, so sums count them again.
#[utoipa::path(
    get,
    path = "/v1/analytics/{projectId}/visitors",
    tag = "Analytics",
    operation_id = "listVisitors",
    params(ProjectPath, AnalyticsQuery, Page),
    responses(
        (status = 200, description = "The visitors, and a page of days.", body = VisitorList),
        (status = 404, description = "Project not found.", body = Error),
    ),
)]
async fn visitors(
    State(app): State<ApiState>,
    caller: Allowed<can::ListVisitors>,
    Path(ProjectPath { project_id }): Path<ProjectPath>,
    query: Result<Query<AnalyticsQuery>, ApiError>,
    page: Result<Query<Page>, ApiError>,
) -> Result<Json<VisitorList>, ApiError> {
    Ok(Json(analytics::visitors(&app, &caller, &project_id, &query?.0, &page?.0).await?))
}

/// Get a breakdown
///
/// Counts the views of a project's sites in whole days by a property of their readers, the most frequent value
/// first.
#[utoipa::path(
    get,
    path = "/v1/analytics/{projectId}/breakdown",
    tag = "Analytics",
    operation_id = "getBreakdown",
    params(ProjectPath, ListBreakdown, AnalyticsQuery, Page),
    responses(
        (status = 200, description = "A page of values.", body = Breakdown),
        (status = 404, description = "Project not found.", body = Error),
    ),
)]
async fn breakdown(
    State(app): State<ApiState>,
    caller: Allowed<can::GetBreakdown>,
    Path(ProjectPath { project_id }): Path<ProjectPath>,
    list: Result<Query<ListBreakdown>, ApiError>,
    query: Result<Query<AnalyticsQuery>, ApiError>,
    page: Result<Query<Page>, ApiError>,
) -> Result<Json<Breakdown>, ApiError> {
    let asked = (list?.0, &query?.0);
    Ok(Json(analytics::breakdown(&app, &caller, &project_id, asked, &page?.0).await?))
}

/// List dead links
///
/// Lists the paths without a page that readers requested in whole days, the most frequent first. Requests of bots
/// don't count.
#[utoipa::path(
    get,
    path = "/v1/analytics/{projectId}/dead-links",
    tag = "Analytics",
    operation_id = "listDeadLinks",
    params(ProjectPath, AnalyticsQuery, Page),
    responses(
        (status = 200, description = "A page of dead links.", body = DeadLinks),
        (status = 404, description = "Project not found.", body = Error),
    ),
)]
async fn dead_links(
    State(app): State<ApiState>,
    caller: Allowed<can::ListDeadLinks>,
    Path(ProjectPath { project_id }): Path<ProjectPath>,
    query: Result<Query<AnalyticsQuery>, ApiError>,
    page: Result<Query<Page>, ApiError>,
) -> Result<Json<DeadLinks>, ApiError> {
    Ok(Json(analytics::dead_links(&app, &caller, &project_id, &query?.0, &page?.0).await?))
}
