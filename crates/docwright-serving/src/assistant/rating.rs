//! Ratings of answers.

use axum::body::{Body, to_bytes};
use docwright_assistant::is_thread;
use docwright_storage::database::Rating;
use docwright_types::assistant::RatingReason;
use serde::Deserialize;

use super::refusal::Refusal;

/// Path of the endpoint, below the site root.
pub(crate) const PATH: &str = "/_docwright/assistant/rating";
/// Longest request, in bytes.
const MAXIMUM_BODY: usize = 16 * 1024;
/// Longest comment, in characters.
const MAXIMUM_COMMENT: usize = 1_000;
/// Longest id of an answer, in characters.
const MAXIMUM_ID: usize = 64;

/// A rating as a browser sends it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RatingForm {
    thread: String,
    answer: String,
    helpful: bool,
    reason: Option<RatingReason>,
    comment: Option<String>,
}

/// The rating of an answer.
#[derive(Debug)]
pub(super) struct RatedAnswer {
    pub(super) thread: String,
    pub(super) answer: String,
    pub(super) rating: Rating,
}

impl RatedAnswer {
    /// Reads a rating.
    pub(super) async fn read(body: Body) -> Result<Self, Refusal> {
        let body = to_bytes(body, MAXIMUM_BODY).await;
        let body = body.map_err(|_| Refusal::TooLong("The rating exceeds 16 KiB."))?;
        let form: RatingForm = serde_json::from_slice(&body)
            .map_err(|error| Refusal::Invalid(format!("Invalid rating: {error}.")))?;
        form.check().map_err(Refusal::Invalid)
    }
}

impl RatingForm {
    fn check(self) -> Result<RatedAnswer, String> {
        let Self { thread, answer, helpful, reason, comment } = self;
        let comment = comment.map(|text| text.replace('\0', "").trim().to_owned());
        let comment = comment.filter(|text| !text.is_empty());
        if !is_thread(&thread) {
            return Err("`thread` must have 1 to 64 letters, digits, `-`, or `_`.".to_owned());
        }
        if answer.is_empty() || answer.len() > MAXIMUM_ID || answer.contains('\0') {
            return Err("`answer` must be the ID of an answer.".to_owned());
        }
        if helpful && (reason.is_some() || comment.is_some()) {
            return Err("`reason` and `comment` are only for answers that don't help.".to_owned());
        }
        if comment.as_deref().is_some_and(|text| text.chars().count() > MAXIMUM_COMMENT) {
            return Err("`comment` exceeds 1,000 characters.".to_owned());
        }
        Ok(RatedAnswer { thread, answer, rating: Rating { helpful, reason, comment } })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(json: &str) -> Result<RatedAnswer, String> {
        serde_json::from_str::<RatingForm>(json).map_err(|error| error.to_string())?.check()
    }

    #[test]
    fn reasons_belong_to_answers_that_do_not_help() {
        let own = r#""thread":"t","answer":"a""#;
        let good = checked(&format!(r#"{{{own},"helpful":true}}"#)).unwrap();
        assert_eq!(good.rating, Rating { helpful: true, reason: None, comment: None });
        let bad =
            format!(r#"{{{own},"helpful":false,"reason":"outdated","comment":" Old.\u0000 "}}"#);
        let bad = checked(&bad).unwrap();
        let comment = Some("Old.".to_owned());
        assert_eq!(
            bad.rating,
            Rating { helpful: false, reason: Some(RatingReason::Outdated), comment }
        );
        let blank = checked(&format!(r#"{{{own},"helpful":true,"comment":" "}}"#)).unwrap();
        assert_eq!(blank.rating.comment, None);
        let long = "x".repeat(1_001);
        for wrong in [
            format!(r#"{{{own},"helpful":true,"reason":"wrong"}}"#),
            format!(r#"{{{own},"helpful":true,"comment":"Why?"}}"#),
            format!(r#"{{{own},"helpful":false,"reason":"bad"}}"#),
            format!(r#"{{{own},"helpful":false,"comment":"{long}"}}"#),
            format!(r#"{{{own},"helpful":false,"more":1}}"#),
            r#"{"thread":"","answer":"a","helpful":true}"#.to_owned(),
            r#"{"thread":"t","answer":"","helpful":true}"#.to_owned(),
            r#"{"thread":"t","helpful":true}"#.to_owned(),
        ] {
            assert!(checked(&wrong).is_err(), "{wrong}");
        }
    }
}
