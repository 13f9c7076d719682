//! Paths of pages.

/// The URL that a provider of OpenID Connect sends people back to, at the URL of the service.
pub fn provider_callback(own_url: &str) -> String {
    format!("{}/sign-in/provider/back", own_url.trim_end_matches('/'))
}

/// Escapes a part of a path.
pub(super) fn encoded(part: &str) -> String {
    url::form_urlencoded::byte_serialize(part.as_bytes()).collect::<String>().replace('+', "%20")
}

/// A path with the given query parameters.
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
    fn path_segment_is_encoded() {
        assert_eq!(encoded("rel_1"), "rel_1");
        assert_eq!(encoded("../keys?x#y z"), "..%2Fkeys%3Fx%23y%20z");
    }

    #[test]
    fn query_has_only_given_values() {
        assert_eq!(with_query("/a", &[("b", None), ("c", Some(""))]), "/a");
        assert_eq!(with_query("/a", &[("b", Some("x&y")), ("c", Some("1"))]), "/a?b=x%26y&c=1");
    }
}
