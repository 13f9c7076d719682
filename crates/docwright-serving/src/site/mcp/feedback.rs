//! The tool `submit_feedback`: feedback of agents on pages, with the limits of readers.

use docwright_operations::OperationError;
use docwright_types::feedback::GivenFrom;
use serde_json::Value;

use super::{
    agent::Agent,
    tools::{Outcome, page_of},
};
use crate::{
    feedback::{FeedbackForm, SiteFeedback},
    site::open_site::OpenSite,
};

/// Stores feedback on a page.
pub(super) async fn submit(
    (feedback, site): (&SiteFeedback, (&str, &OpenSite)),
    agent: Agent,
    given: &Value,
) -> Outcome {
    if agent.is_foreign {
        // Any page could use up the feedback of its reader.
        return Err("pages of other sites can't submit feedback".to_owned());
    }
    let form = read(given)?;
    match feedback.add(site, &form, (GivenFrom::Mcp, agent.address)).await {
        Ok(()) => Ok("The authors of the page get the feedback.".to_owned()),
        Err(error @ (OperationError::Invalid(_) | OperationError::Busy(_))) => {
            Err(error.to_string())
        }
        Err(error) => {
            // Causes are not for clients.
            tracing::error!(%error, "feedback of an agent not stored");
            Err("The feedback can't be stored now. Try again later.".to_owned())
        }
    }
}

fn read(given: &Value) -> Result<FeedbackForm, String> {
    let Some(path) = given["page"].as_str() else {
        return Err("`page` is missing; enter a path from search or list_pages".to_owned());
    };
    let Some(helpful) = given["helpful"].as_bool() else {
        return Err("`helpful` must be true or false".to_owned());
    };
    let comment = match &given["comment"] {
        Value::Null => None,
        Value::String(comment) => Some(comment.clone()),
        _ => return Err("`comment` must be a text".to_owned()),
    };
    Ok(FeedbackForm { page: page_of(path).to_owned(), helpful, comment })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn page_is_read_in_every_form() {
        for page in ["guides/start", "/guides/start", "guides/start.md", "/guides/start.html#a?b"] {
            let form = read(&json!({ "page": page, "helpful": false })).unwrap();
            assert_eq!((&*form.page, form.helpful, form.comment), ("guides/start", false, None));
        }
        assert_eq!(read(&json!({ "page": "/", "helpful": true })).unwrap().page, "index");
    }

    #[test]
    fn wrong_argument_is_named() {
        for (given, expected) in [
            (json!(null), "`page` is missing"),
            (json!({ "page": 1, "helpful": true }), "`page` is missing"),
            (json!({ "page": "a" }), "`helpful` must be"),
            (json!({ "page": "a", "helpful": "yes" }), "`helpful` must be"),
            (json!({ "page": "a", "helpful": true, "comment": [] }), "`comment` must be"),
        ] {
            let error = read(&given).unwrap_err();
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
