//! Readers' answers to the question whether a page helped.

use axum::{body::to_bytes, extract::Request, http::StatusCode};
use docwright_domain::timestamp::Timestamp;
use docwright_storage::{Database, database::NewFeedback};
use serde::Deserialize;

use crate::{error::ApiError, serving::OpenSite};

/// Where answers go.
pub(super) const PATH: &str = "/_docwright/feedback";
/// Longest answer. Bytes.
const MAXIMUM_BODY: usize = 16 * 1024;
/// Longest comment. Characters.
const MAXIMUM_COMMENT: usize = 2_000;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    page: String,
    helpful: bool,
    comment: Option<String>,
}

/// Takes an answer about a page of a domain's site.
pub(super) async fn take(
    database: &Database,
    (domain, site): (&str, &OpenSite),
    request: Request,
    now: Timestamp,
) -> Result<StatusCode, ApiError> {
    let invalid = |message: &str| ApiError::Invalid(message.to_owned());
    let body = to_bytes(request.into_body(), MAXIMUM_BODY).await;
    let body = body.map_err(|_| invalid("The answer is longer than 16 kB."))?;
    let answer: Answer = serde_json::from_slice(&body)
        .map_err(|error| ApiError::Invalid(format!("The answer is no feedback: {error}.")))?;
    let page = answer.page.trim_matches('/');
    if site.find(&format!("{page}.html")).is_none() {
        return Err(invalid("`page` is no page of this site."));
    }
    let comment = answer.comment.as_deref().map(str::trim).filter(|text| !text.is_empty());
    if comment.is_some_and(|text| text.chars().count() > MAXIMUM_COMMENT) {
        return Err(invalid("`comment` is longer than 2,000 characters."));
    }
    let new = NewFeedback { domain, page, helpful: answer.helpful, comment };
    let kept = database.add_feedback(new, now).await?;
    Ok(if kept { StatusCode::NO_CONTENT } else { StatusCode::TOO_MANY_REQUESTS })
}
