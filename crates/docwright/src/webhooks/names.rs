//! The names that each git host gives its deliveries and events.

use axum::http::HeaderMap;

/// Longest stored name, in characters.
const MAXIMUM_NAME: usize = 100;

/// Headers with the id of a delivery, by host. A repeated delivery has the same id.
const IDS: [&str; 7] = [
    "x-forgejo-delivery",
    "x-gitea-delivery",
    "x-github-delivery",
    "idempotency-key",
    "x-gitlab-event-uuid",
    "x-request-uuid",
    // Bitbucket Data Center; last, because proxies also set it.
    // <https://confluence.atlassian.com/bitbucketserver/event-payload-938025882.html>
    "x-request-id",
];
/// Headers with the event, by host.
const EVENTS: [&str; 5] =
    ["x-forgejo-event", "x-gitea-event", "x-github-event", "x-gitlab-event", "x-event-key"];

/// The id of a delivery.
pub(super) fn delivery(headers: &HeaderMap) -> Option<String> {
    first(headers, &IDS)
}

/// The event of a delivery.
pub(super) fn event(headers: &HeaderMap) -> Option<String> {
    first(headers, &EVENTS)
}

/// The first of some headers that exists, cut to the stored length.
fn first(headers: &HeaderMap, names: &[&str]) -> Option<String> {
    let values = names.iter().filter_map(|name| headers.get(*name)?.to_str().ok());
    let mut texts = values.map(str::trim).filter(|text| !text.is_empty());
    texts.next().map(|text| text.chars().take(MAXIMUM_NAME).collect())
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderMap, HeaderName, HeaderValue};

    use super::{delivery, event};

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let pair = |(name, value): &(&'static str, &'static str)| {
            (HeaderName::from_static(name), HeaderValue::from_static(value))
        };
        pairs.iter().map(pair).collect()
    }

    #[test]
    fn deliveries_of_each_host_have_an_id_and_an_event() {
        for (id, event_header, name) in [
            ("x-github-delivery", "x-github-event", "push"),
            ("x-gitlab-event-uuid", "x-gitlab-event", "Push Hook"),
            ("x-gitea-delivery", "x-gitea-event", "push"),
            ("x-forgejo-delivery", "x-forgejo-event", "push"),
            ("x-request-uuid", "x-event-key", "repo:push"),
            ("x-request-id", "x-event-key", "repo:refs_changed"),
        ] {
            let headers = headers(&[(id, "72d3162e"), (event_header, name)]);
            assert_eq!(delivery(&headers).as_deref(), Some("72d3162e"), "{id}");
            assert_eq!(event(&headers).as_deref(), Some(name), "{event_header}");
        }
    }

    #[test]
    fn name_of_host_precedes_that_of_proxy() {
        let both = headers(&[("x-request-id", "proxy"), ("x-github-delivery", "72d3162e")]);
        assert_eq!(delivery(&both).as_deref(), Some("72d3162e"));
    }

    #[test]
    fn missing_and_empty_names_are_none() {
        let empty = headers(&[("x-github-delivery", " "), ("x-github-event", "")]);
        assert_eq!((delivery(&empty), event(&empty)), (None, None));
    }
}
