//! Feedback of readers on pages of sites: from the pages themselves, and from agents.

mod readers;

use std::net::IpAddr;

use axum::{body::to_bytes, extract::Request, http::StatusCode};
use docwright_http::{client::ClientAddress, error::ApiError, origin};
use docwright_jobs::clock::Clock;
use docwright_operations::OperationError;
use docwright_storage::{Database, database::NewFeedback};
use docwright_types::feedback::GivenFrom;
use serde::Deserialize;

use crate::{media_type::is_json, site::OpenSite};
use readers::Readers;

/// Path of feedback.
pub(crate) const PATH: &str = "/_docwright/feedback";
/// Longest comment, in characters.
pub(crate) const MAXIMUM_COMMENT: usize = 2_000;
/// Longest request, in bytes.
const MAXIMUM_BODY: usize = 16 * 1024;

/// What a reader says about a page.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FeedbackForm {
    /// Path of the page, without extension.
    pub(crate) page: String,
    /// Whether the page helped.
    pub(crate) helpful: bool,
    /// The reader's comment.
    pub(crate) comment: Option<String>,
}

/// Accepts feedback on the sites of a database.
#[derive(Debug)]
pub struct SiteFeedback {
    database: Database,
    clock: Clock,
    readers: Readers,
}

/// A site, and the name of its domain.
type NamedSite<'a> = (&'a str, &'a OpenSite);

impl SiteFeedback {
    /// Stores feedback in a database.
    pub fn new(database: Database, clock: Clock) -> Self {
        Self { database, clock, readers: Readers::default() }
    }

    /// Accepts feedback on a page of a domain's site, if one of its pages sent it.
    pub(crate) async fn take(
        &self,
        site: NamedSite<'_>,
        request: Request,
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
        let invalid = |message: String| OperationError::Invalid(message);
        let body = to_bytes(body, MAXIMUM_BODY).await;
        let body = body.map_err(|_| invalid("The feedback exceeds 16 kB.".to_owned()))?;
        let form = serde_json::from_slice(&body)
            .map_err(|error| invalid(format!("Invalid feedback: {error}.")))?;
        let from = (GivenFrom::Site, ClientAddress::of(&parts).address);
        self.add(site, &form, from).await?;
        Ok(StatusCode::NO_CONTENT)
    }

    /// Stores feedback within the limits of the reader and the site.
    pub(crate) async fn add(
        &self,
        (domain, site): NamedSite<'_>,
        form: &FeedbackForm,
        (given_from, address): (GivenFrom, Option<IpAddr>),
    ) -> Result<(), OperationError> {
        let invalid = |message: &str| Err(OperationError::Invalid(message.to_owned()));
        let page = form.page.trim_matches('/');
        if site.find(&format!("{page}.html")).is_none() {
            return invalid("`page` isn't a page of this site.");
        }
        let comment = form.comment.as_deref().map(str::trim).filter(|text| !text.is_empty());
        if comment.is_some_and(|text| text.chars().count() > MAXIMUM_COMMENT) {
            return invalid("`comment` exceeds 2,000 characters.");
        }
        if comment.is_some_and(|text| text.contains('\0')) {
            return invalid("`comment` contains a NUL character. Remove it.");
        }
        let new = NewFeedback { domain, page, helpful: form.helpful, comment, given_from };
        let now = self.clock.now();
        let busy = |sentence: &str| Err(OperationError::Busy(sentence.to_owned()));
        let Some(counted) = self.readers.count(domain, address, now) else {
            return busy("Too much feedback from you. Try again in an hour.");
        };
        let kept = self.database.add_feedback(new, now).await;
        if !matches!(kept, Ok(true)) {
            self.readers.take_back(counted);
        }
        if kept? { Ok(()) } else { busy("Too much feedback for this site. Try again in an hour.") }
    }
}
