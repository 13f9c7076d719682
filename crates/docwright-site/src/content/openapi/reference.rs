//! `[spec] METHOD /path`, the form of operations in navigation entries and frontmatter.

/// A named operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference<'a> {
    /// The spec, if named.
    pub spec: Option<&'a str>,
    /// Upper-case method, or `WEBHOOK`.
    pub method: String,
    /// Path template, or name of the webhook.
    pub path: &'a str,
}

const METHODS: &[&str] =
    &["GET", "PUT", "POST", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE", "WEBHOOK"];

/// Parses a reference; `None` for other texts, such as a page. File names can contain spaces, so the method is
/// the first word that is a method.
pub fn parse(text: &str) -> Option<Reference<'_>> {
    let text = text.trim();
    let mut start = 0;
    for word in text.split_inclusive(char::is_whitespace) {
        let (before, rest) = (text[..start].trim(), text[start + word.len()..].trim());
        start += word.len();
        if let Some(method) = method(word.trim())
            && !rest.is_empty()
        {
            let spec = Some(before).filter(|spec| !spec.is_empty());
            return Some(Reference { spec, method, path: rest });
        }
    }
    None
}

fn method(word: &str) -> Option<String> {
    let upper = word.to_ascii_uppercase();
    METHODS.contains(&upper.as_str()).then_some(upper)
}

/// `[spec] Name`, the form of schemas in frontmatter: the optional spec and the name.
pub fn split_schema(text: &str) -> (Option<&str>, &str) {
    let text = text.trim();
    match text.rsplit_once(char::is_whitespace) {
        Some((spec, name)) => (Some(spec.trim()), name),
        None => (None, text),
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn references_differ_from_pages() {
        let named = parse("v1.json post /a/{b}").unwrap();
        assert_eq!(
            (named.spec, named.method.as_str(), named.path),
            (Some("v1.json"), "POST", "/a/{b}")
        );
        assert_eq!(parse("GET /a").unwrap().spec, None);
        let blanks = parse("my api.json GET /a b").unwrap();
        assert_eq!((blanks.spec, blanks.path), (Some("my api.json"), "/a b"));
        assert!(parse("guides/start").is_none());
        assert!(parse("a b c").is_none());
    }
}
