//! `[spec] METHOD /path`, as navigation entries and frontmatter name an operation.

/// A named operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference<'a> {
    /// The description, if it is named.
    pub spec: Option<&'a str>,
    /// Upper-case method, or `WEBHOOK`.
    pub method: String,
    /// Path template, or name of the webhook.
    pub path: &'a str,
}

const METHODS: &[&str] =
    &["GET", "PUT", "POST", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE", "WEBHOOK"];

/// Reads a reference; `None` if the text is something else, such as a page.
pub fn parse(text: &str) -> Option<Reference<'_>> {
    let text = text.trim();
    let (first, rest) = text.split_once(char::is_whitespace)?;
    if let Some(method) = method(first) {
        return Some(Reference { spec: None, method, path: rest.trim() });
    }
    let (second, path) = rest.trim_start().split_once(char::is_whitespace)?;
    Some(Reference { spec: Some(first), method: method(second)?, path: path.trim() })
}

fn method(word: &str) -> Option<String> {
    let upper = word.to_ascii_uppercase();
    METHODS.contains(&upper.as_str()).then_some(upper)
}

impl Reference<'_> {
    /// Whether the named description is the file at `path`: with or without a leading slash, and
    /// its ending may be left out.
    pub fn names(&self, path: &str) -> bool {
        let Some(spec) = self.spec else { return true };
        let spec = spec.trim_start_matches("./").trim_start_matches('/');
        let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
        spec == path
            || spec == stem
            || path.ends_with(&format!("/{spec}"))
            || stem.ends_with(&format!("/{spec}"))
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn references_are_told_from_pages() {
        let named = parse("v1.json post /a/{b}").unwrap();
        assert_eq!(
            (named.spec, named.method.as_str(), named.path),
            (Some("v1.json"), "POST", "/a/{b}")
        );
        assert!(named.names("v1.json") && named.names("specs/v1.json") && !named.names("v2.json"));
        assert_eq!(parse("GET /a").unwrap().spec, None);
        assert!(parse("guides/start").is_none());
        assert!(parse("a b c").is_none());
    }
}
