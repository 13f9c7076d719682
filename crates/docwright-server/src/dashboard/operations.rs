//! The way to the API: every request goes through its router, in this process, with the rights of whoever
//! is signed in. So the dashboard can do nothing that the API refuses, and its audit log says all of it.

use axum::{
    body::Body,
    http::{Method, Request, header},
};
use serde::de::DeserializeOwned;
use serde_json::Value;
use tower::ServiceExt;

use super::{Dashboard, refusal::Refusal};
use docwright_operations::callers::Member;

use crate::{error::Cause, request};

/// Longest answer, in bytes: more than any operation gives.
const MAXIMUM_ANSWER: usize = 64 * 1024 * 1024;

/// The operations of the API, as somebody may use them.
#[derive(Debug, Clone)]
pub(crate) struct Operations {
    dashboard: Dashboard,
    member: Member,
    /// The id of the request that asked for the page, which the audit log has too.
    request_id: String,
}

impl Operations {
    pub(super) const fn new(dashboard: Dashboard, member: Member, request_id: String) -> Self {
        Self { dashboard, member, request_id }
    }

    /// Reads something.
    pub(super) async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, Refusal> {
        let answer = self.send(Method::GET, path, None).await?;
        serde_json::from_value(answer).map_err(|error| Refusal::Failed(format!("{path}: {error}")))
    }

    /// Changes something, and gives the answer of the API.
    pub(super) async fn send(
        &self,
        method: Method,
        path: &str,
        body: Option<Value>,
    ) -> Result<Value, Refusal> {
        let mut asked = Request::builder().method(method).uri(path).extension(self.member.clone());
        asked = asked.header("x-request-id", &self.request_id);
        if body.is_some() {
            asked = asked.header(header::CONTENT_TYPE, "application/json");
        }
        let body = body.map(|body| Body::from(body.to_string())).unwrap_or_default();
        let mut asked = asked.body(body).map_err(|error| Refusal::Failed(error.to_string()))?;
        request::identify(&mut asked);
        let Ok(mut response) = self.dashboard.api.clone().oneshot(asked).await;
        let status = response.status();
        let cause = response.extensions_mut().remove().map(|Cause(cause)| cause);
        let bytes = axum::body::to_bytes(response.into_body(), MAXIMUM_ANSWER).await;
        let bytes = bytes.map_err(|error| Refusal::Failed(error.to_string()))?;
        let body: Value = serde_json::from_slice(&bytes).unwrap_or_default();
        if status.is_success() {
            return Ok(body);
        }
        let sentence = body["error"].as_str().unwrap_or_default().to_owned();
        Err(Refusal::of_api(status, sentence, cause))
    }
}

/// A part of a path, whatever is in it.
pub(super) fn encoded(part: &str) -> String {
    url::form_urlencoded::byte_serialize(part.as_bytes()).collect::<String>().replace('+', "%20")
}

/// A path with a query of what is given.
pub(super) fn with_query(path: &str, query: &[(&str, Option<&str>)]) -> String {
    let given = query.iter().filter_map(|(name, value)| Some((*name, (*value)?)));
    let given = given.filter(|(_, value)| !value.is_empty());
    let text = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(given).finish();
    if text.is_empty() { path.to_owned() } else { format!("{path}?{text}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_path_stays_one() {
        assert_eq!(encoded("rel_1"), "rel_1");
        assert_eq!(encoded("../keys?x#y z"), "..%2Fkeys%3Fx%23y%20z");
    }

    #[test]
    fn a_query_holds_what_is_given() {
        assert_eq!(with_query("/a", &[("b", None), ("c", Some(""))]), "/a");
        assert_eq!(with_query("/a", &[("b", Some("x&y")), ("c", Some("1"))]), "/a?b=x%26y&c=1");
    }
}
