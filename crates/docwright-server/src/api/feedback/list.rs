//! `GET /v1/feedback`.

use axum::{Json, extract::State};
use docwright_storage::database::PageFeedback;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::{
    api::domain::{self, SiteDomain},
    authorize::Reader,
    error::{ApiError, Error},
    parameters::Query,
    state::AppState,
};

/// Whose feedback to list.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct FeedbackFilter {
    /// The domain, as a bare host name.
    #[param(inline)]
    domain: SiteDomain,
}

/// What readers say of the pages of a domain.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Feedback {
    /// The pages that somebody said something of; those that helped least first.
    pages: Vec<PageOpinion>,
}

/// What readers say of one page.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PageOpinion {
    /// Slug of the page.
    #[schema(example = "guides/start")]
    page: String,
    /// It helped so many.
    #[schema(example = 12)]
    helpful: i64,
    /// It did not help so many.
    #[schema(example = 3)]
    unhelpful: i64,
    /// What they wrote, the newest first.
    #[schema(example = json!(["Say which version this is for."]))]
    comments: Vec<String>,
}

impl From<PageFeedback> for PageOpinion {
    fn from(PageFeedback { page, helpful, unhelpful, comments }: PageFeedback) -> Self {
        Self { page, helpful, unhelpful, comments }
    }
}

/// List feedback
///
/// What readers said of the pages of a domain, those that helped least first.
#[utoipa::path(
    get,
    path = "/v1/feedback",
    tag = "Feedback",
    operation_id = "listFeedback",
    params(FeedbackFilter),
    responses(
        (status = 200, description = "What readers said", body = Feedback),
        (status = 404, description = "There is no such domain", body = Error),
    ),
)]
pub(crate) async fn list(
    State(app): State<AppState>,
    caller: Reader,
    filter: Result<Query<FeedbackFilter>, ApiError>,
) -> Result<Json<Feedback>, ApiError> {
    let Query(FeedbackFilter { domain: SiteDomain(domain) }) = filter?;
    domain::project(&app, &caller, &domain).await?;
    let pages = app.database.feedback(domain.as_str()).await?;
    Ok(Json(Feedback { pages: pages.into_iter().map(PageOpinion::from).collect() }))
}
