//! Web analytics.

use axum::{
    Json,
    extract::{FromRequestParts, State},
    http::request::Parts,
};
use docwright_http::{
    error::{ApiError, Error},
    parameters::{Path, Query},
};
use docwright_operations::{
    Allowed,
    analytics::{
        self, ActiveReleases, AgentList, AnalyticsQuery, Breakdown, DeadLinks, EffectQuery,
        EmptySearchList, FeedbackByPage, FeedbackEntries, FeedbackStatus, ListBreakdown,
        LiveAnalytics, RatingSort, ReleaseEffect, SearchList, SuggestedRedirects, Timeline,
        UnreadPages, ViewList, VisitorList, WebVitals,
    },
    can,
    lists::Page,
};

use utoipa_axum::{router::OpenApiRouter, routes};

use super::{ProjectPath, releases::ReleasePath};
use crate::state::ApiState;

/// The operations of analytics.
pub(crate) fn router() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(views))
        .routes(routes!(timeline))
        .routes(routes!(live))
        .routes(routes!(active_releases))
        .routes(routes!(release_effect))
        .routes(routes!(visitors))
        .routes(routes!(breakdown))
        .routes(routes!(agents))
        .routes(routes!(dead_links))
        .routes(routes!(suggested_redirects))
        .routes(routes!(searches))
        .routes(routes!(empty_searches))
        .routes(routes!(web_vitals))
        .routes(routes!(unread_pages))
        .routes(routes!(feedback))
        .routes(routes!(feedback_by_page))
}

/// What a request asks: a project, what to count of it, and which page of the list.
struct Asked {
    project_id: String,
    query: AnalyticsQuery,
    page: Page,
}

impl<S: Send + Sync> FromRequestParts<S> for Asked {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let Path(ProjectPath { project_id }) = Path::from_request_parts(parts, state).await?;
        let Query(query) = Query::from_request_parts(parts, state).await?;
        let Query(page) = Query::from_request_parts(parts, state).await?;
        Ok(Self { project_id, query, page })
    }
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
    Asked { project_id, query, page }: Asked,
) -> Result<Json<ViewList>, ApiError> {
    Ok(Json(analytics::views(&app, &caller, &project_id, &query, &page).await?))
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
    Asked { project_id, query, .. }: Asked,
) -> Result<Json<Timeline>, ApiError> {
    Ok(Json(analytics::timeline(&app, &caller, &project_id, &query).await?))
}

/// Get live analytics
///
/// Counts the views of a project's sites in each of the last 30 minutes, and lists the pages, referrers, and AI agents
/// with the most views. Views are counted up to five seconds late.
#[utoipa::path(
    get,
    path = "/v1/analytics/{projectId}/live",
    tag = "Analytics",
    operation_id = "getLiveAnalytics",
    params(ProjectPath),
    responses(
        (status = 200, description = "The views of the last 30 minutes.", body = LiveAnalytics),
        (status = 404, description = "Project not found.", body = Error),
    ),
)]
async fn live(
    State(app): State<ApiState>,
    caller: Allowed<can::GetLiveAnalytics>,
    Path(ProjectPath { project_id }): Path<ProjectPath>,
) -> Result<Json<LiveAnalytics>, ApiError> {
    Ok(Json(analytics::live(&app, &caller, &project_id).await?))
}

/// List active releases
///
/// Lists the releases of a project that became active in a range for the first time, newest first.
#[utoipa::path(
    get,
    path = "/v1/analytics/{projectId}/releases",
    tag = "Analytics",
    operation_id = "listActiveReleases",
    params(ProjectPath, AnalyticsQuery),
    responses(
        (status = 200, description = "The releases.", body = ActiveReleases),
        (status = 404, description = "Project not found.", body = Error),
    ),
)]
async fn active_releases(
    State(app): State<ApiState>,
    caller: Allowed<can::ListActiveReleases>,
    Asked { project_id, query, .. }: Asked,
) -> Result<Json<ActiveReleases>, ApiError> {
    Ok(Json(analytics::active_releases(&app, &caller, &project_id, &query).await?))
}

/// Get the effect of a release
///
/// Compares the days before a release became active with as many days after: views, visitors, searches without result,
/// unanswered questions, dead links, and bad ratings, and the pages that the release changed.
#[utoipa::path(
    get,
    path = "/v1/releases/{releaseId}/effect",
    tag = "Analytics",
    operation_id = "getReleaseEffect",
    params(ReleasePath, EffectQuery),
    responses(
        (status = 200, description = "The numbers before and after.", body = ReleaseEffect),
        (status = 404, description = "Release not found.", body = Error),
        (status = 409, description = "The release was never active.", body = Error),
    ),
)]
async fn release_effect(
    State(app): State<ApiState>,
    caller: Allowed<can::GetReleaseEffect>,
    Path(ReleasePath { release_id }): Path<ReleasePath>,
    Query(query): Query<EffectQuery>,
) -> Result<Json<ReleaseEffect>, ApiError> {
    Ok(Json(analytics::effect(&app, &caller, &release_id, query).await?))
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
    Asked { project_id, query, page }: Asked,
) -> Result<Json<VisitorList>, ApiError> {
    Ok(Json(analytics::visitors(&app, &caller, &project_id, &query, &page).await?))
}

/// Get a breakdown
///
/// Counts the views of a project's sites in whole days by a property of their readers, or by what they do, the most
/// frequent value first. Of a path, only the most frequent values of each day are counted: ten of a page, and a hundred
/// of a folder.
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
    Asked { project_id, query, page }: Asked,
    list: Result<Query<ListBreakdown>, ApiError>,
) -> Result<Json<Breakdown>, ApiError> {
    let asked = (list?.0, &query);
    Ok(Json(analytics::breakdown(&app, &caller, &project_id, asked, &page).await?))
}

/// List AI agents
///
/// Lists the AI agents that read pages in whole days, those with the most views first.
#[utoipa::path(
    get,
    path = "/v1/analytics/{projectId}/agents",
    tag = "Analytics",
    operation_id = "listAgents",
    params(ProjectPath, AnalyticsQuery, Page),
    responses(
        (status = 200, description = "A page of AI agents.", body = AgentList),
        (status = 404, description = "Project not found.", body = Error),
    ),
)]
async fn agents(
    State(app): State<ApiState>,
    caller: Allowed<can::ListAgents>,
    Asked { project_id, query, page }: Asked,
) -> Result<Json<AgentList>, ApiError> {
    Ok(Json(analytics::agents(&app, &caller, &project_id, &query, &page).await?))
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
    Asked { project_id, query, page }: Asked,
) -> Result<Json<DeadLinks>, ApiError> {
    Ok(Json(analytics::dead_links(&app, &caller, &project_id, &query, &page).await?))
}

/// List suggested redirects
///
/// Compares the dead links that readers met with the pages of the active releases, and suggests a redirect for those
/// that resemble one. Send its `prompt` to an agent job to add it.
#[utoipa::path(
    get,
    path = "/v1/analytics/{projectId}/redirects",
    tag = "Analytics",
    operation_id = "listSuggestedRedirects",
    params(ProjectPath, AnalyticsQuery, Page),
    responses(
        (status = 200, description = "Redirects for a page of dead links.", body = SuggestedRedirects),
        (status = 404, description = "Project not found.", body = Error),
    ),
)]
async fn suggested_redirects(
    State(app): State<ApiState>,
    caller: Allowed<can::ListSuggestedRedirects>,
    Asked { project_id, query, page }: Asked,
) -> Result<Json<SuggestedRedirects>, ApiError> {
    let list = analytics::suggested_redirects(&app, &caller, &project_id, &query, &page).await?;
    Ok(Json(list))
}

/// List searches without a result
///
/// Lists what readers searched in whole days and didn't find, the most frequent first. Queries that search the same are
/// one search. To answer a search, start an agent job with its `prompt`.
#[utoipa::path(
    get,
    path = "/v1/analytics/{projectId}/empty-searches",
    tag = "Analytics",
    operation_id = "listEmptySearches",
    params(ProjectPath, AnalyticsQuery, Page),
    responses(
        (status = 200, description = "Searches for a page of queries.", body = EmptySearchList),
        (status = 404, description = "Project not found.", body = Error),
    ),
)]
async fn empty_searches(
    State(app): State<ApiState>,
    caller: Allowed<can::ListEmptySearches>,
    Asked { project_id, query, page }: Asked,
) -> Result<Json<EmptySearchList>, ApiError> {
    Ok(Json(analytics::empty_searches(&app, &caller, &project_id, &query, &page).await?))
}

/// List searches
///
/// Lists the queries that readers searched in whole days, the most frequent first, with the share whose results were
/// opened.
#[utoipa::path(
    get,
    path = "/v1/analytics/{projectId}/searches",
    tag = "Analytics",
    operation_id = "listSearches",
    params(ProjectPath, AnalyticsQuery, Page),
    responses(
        (status = 200, description = "A page of queries.", body = SearchList),
        (status = 404, description = "Project not found.", body = Error),
    ),
)]
async fn searches(
    State(app): State<ApiState>,
    caller: Allowed<can::ListSearches>,
    Asked { project_id, query, page }: Asked,
) -> Result<Json<SearchList>, ApiError> {
    Ok(Json(analytics::searches(&app, &caller, &project_id, &query, &page).await?))
}

/// Get Web Vitals
///
/// Returns how fast pages were for readers in whole days, and a page of pages, the most measured first.
#[utoipa::path(
    get,
    path = "/v1/analytics/{projectId}/web-vitals",
    tag = "Analytics",
    operation_id = "getWebVitals",
    params(ProjectPath, AnalyticsQuery, Page),
    responses(
        (status = 200, description = "The Web Vitals.", body = WebVitals),
        (status = 404, description = "Project not found.", body = Error),
    ),
)]
async fn web_vitals(
    State(app): State<ApiState>,
    caller: Allowed<can::GetWebVitals>,
    Asked { project_id, query, page }: Asked,
) -> Result<Json<WebVitals>, ApiError> {
    Ok(Json(analytics::web_vitals(&app, &caller, &project_id, &query, &page).await?))
}

/// List unread pages
///
/// Lists the pages of the active releases of a project's sites without a view in a range, by path.
#[utoipa::path(
    get,
    path = "/v1/analytics/{projectId}/unread-pages",
    tag = "Analytics",
    operation_id = "listUnreadPages",
    params(ProjectPath, AnalyticsQuery, Page),
    responses(
        (status = 200, description = "A page of pages.", body = UnreadPages),
        (status = 404, description = "Project not found.", body = Error),
    ),
)]
async fn unread_pages(
    State(app): State<ApiState>,
    caller: Allowed<can::ListUnreadPages>,
    Asked { project_id, query, page }: Asked,
) -> Result<Json<UnreadPages>, ApiError> {
    Ok(Json(analytics::unread_pages(&app, &caller, &project_id, &query, &page).await?))
}

/// List feedback in a range
///
/// Returns a page of a project's feedback entries in a range of time, newest first.
#[utoipa::path(
    get,
    path = "/v1/analytics/{projectId}/feedback",
    tag = "Analytics",
    operation_id = "listFeedbackInRange",
    params(ProjectPath, FeedbackStatus, AnalyticsQuery, Page),
    responses(
        (status = 200, description = "A page of feedback entries.", body = FeedbackEntries),
        (status = 404, description = "Project not found.", body = Error),
    ),
)]
async fn feedback(
    State(app): State<ApiState>,
    caller: Allowed<can::ListFeedbackInRange>,
    Asked { project_id, query, page }: Asked,
    list: Result<Query<FeedbackStatus>, ApiError>,
) -> Result<Json<FeedbackEntries>, ApiError> {
    let list = list?.0;
    let asked = (&list, &query);
    Ok(Json(analytics::feedback(&app, &caller, &project_id, asked, &page).await?))
}

/// List feedback by page
///
/// Counts the ratings of a project's pages in a range of time.
#[utoipa::path(
    get,
    path = "/v1/analytics/{projectId}/feedback/by-page",
    tag = "Analytics",
    operation_id = "listFeedbackByPage",
    params(ProjectPath, RatingSort, AnalyticsQuery, Page),
    responses(
        (status = 200, description = "A page of pages.", body = FeedbackByPage),
        (status = 404, description = "Project not found.", body = Error),
    ),
)]
async fn feedback_by_page(
    State(app): State<ApiState>,
    caller: Allowed<can::ListFeedbackByPage>,
    Asked { project_id, query, page }: Asked,
    list: Result<Query<RatingSort>, ApiError>,
) -> Result<Json<FeedbackByPage>, ApiError> {
    let asked = (list?.0, &query);
    Ok(Json(analytics::feedback_by_page(&app, &caller, &project_id, asked, &page).await?))
}
