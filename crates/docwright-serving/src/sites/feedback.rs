//! Feedback of readers on pages.

use axum::{body::to_bytes, extract::Request, http::StatusCode};
use docwright_http::{client::ClientAddress, error::ApiError, origin};
use docwright_operations::OperationError;
use docwright_storage::{Database, database::NewFeedback};
use docwright_types::timestamp::Timestamp;
use serde::Deserialize;

use super::readers::Readers;
use crate::{media_type::is_json, site::OpenSite};

/// Path of feedback.
pub(super) const PATH: &str = "/_docwright/feedback";
/// Longest request, in bytes.
const MAXIMUM_BODY: usize = 16 * 1024;
/// Longest comment, in characters.
const MAXIMUM_COMMENT: usize = 2_000;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FeedbackForm {
    page: String,
    helpful: bool,
    comment: Option<String>,
}

/// Accepts feedback on a page of a domain's site, if one of its pages sent it.
pub(super) async fn take(
    (database, readers): (&Database, &Readers),
    (domain, site): (&str, &OpenSite),
    request: Request,
    now: Timestamp,
) -> Result<StatusCode, ApiError> {
    let (parts, body) = request.into_parts();
    if !origin::is_own(&parts) {
        let sentence =
            "This feedback was sent from another site. Send it from a page of this site.";
        return Err(OperationError::Forbidden(sentence.to_owned()).into());
    }
    if !is_json(&parts) {
        return Err(ApiError::MediaType);
    }
    let invalid = |message: &str| OperationError::Invalid(message.to_owned());
    let body = to_bytes(body, MAXIMUM_BODY).await;
    let body = body.map_err(|_| invalid("The feedback exceeds 16 kB."))?;
    let answer: FeedbackForm = serde_json::from_slice(&body)
        .map_err(|error| OperationError::Invalid(format!("Invalid feedback: {error}.")))?;
    let page = answer.page.trim_matches('/');
    if site.find(&format!("{page}.html")).is_none() {
        return Err(invalid("`page` isn't a page of this site.").into());
    }
    let comment = answer.comment.as_deref().map(str::trim).filter(|text| !text.is_empty());
    if comment.is_some_and(|text| text.chars().count() > MAXIMUM_COMMENT) {
        return Err(invalid("`comment` exceeds 2,000 characters.").into());
    }
    let new = NewFeedback { domain, page, helpful: answer.helpful, comment };
    let Some(counted) = readers.count(domain, ClientAddress::of(&parts).address, now) else {
        let sentence = "Too much feedback from you. Try again in an hour.";
        return Err(OperationError::Busy(sentence.to_owned()).into());
    };
    let kept = database.add_feedback(new, now).await;
    if !matches!(kept, Ok(true)) {
        readers.take_back(counted);
    }
    if kept? {
        return Ok(StatusCode::NO_CONTENT);
    }
    let sentence = "Too much feedback for this site. Try again in an hour.";
    Err(OperationError::Busy(sentence.to_owned()).into())
}
