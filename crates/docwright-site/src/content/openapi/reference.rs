//! `[spec] METHOD /path`, as navigation entries and frontmatter name an operation.

use crate::content::document;

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

/// Reads a reference; `None` if the text is something else, such as a page. Names of files may
/// hold blanks, so that the method is the first word that is one.
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

impl<'a> Reference<'a> {
    /// A reference that says of a part only which description it is in.
    pub const fn within(spec: Option<&'a str>) -> Self {
        Self { spec, method: String::new(), path: "" }
    }

    /// Whether the named description is the file at `path`: with or without a leading slash, and
    /// its ending may be left out.
    pub fn names(&self, path: &str) -> bool {
        let Some(mut spec) = self.spec else { return true };
        while let Some(rest) = ["./", "../", "/"].iter().find_map(|start| spec.strip_prefix(start))
        {
            spec = rest;
        }
        is_file(spec, path)
            || path.ends_with(&format!("/{spec}"))
            || stem(path).ends_with(&format!("/{spec}"))
    }

    /// Whether it is a relative path that leads from the file at `from` to the one at `path`.
    pub fn leads_to(&self, from: &str, path: &str) -> bool {
        let relative = self.spec.filter(|spec| spec.starts_with('.'));
        let target = relative.and_then(|spec| document::join(from, spec));
        target.is_some_and(|target| is_file(&target, path))
    }
}

fn is_file(spec: &str, path: &str) -> bool {
    spec == path || spec == stem(path)
}

fn stem(path: &str) -> &str {
    path.rsplit_once('.').map_or(path, |(stem, _)| stem)
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
        assert!(named.names("v1.json") && named.names("specs/v1.json") && !named.names("v2.json"));
        assert_eq!(parse("GET /a").unwrap().spec, None);
        let blanks = parse("my api.json GET /a b").unwrap();
        assert_eq!((blanks.spec, blanks.path), (Some("my api.json"), "/a b"));
        let relative = parse("../api.json get /a").unwrap();
        assert!(relative.names("fr/api.json") && relative.leads_to("fr/x/page.mdx", "fr/api.json"));
        assert!(!relative.leads_to("x/page.mdx", "fr/api.json"));
        assert!(parse("guides/start").is_none());
        assert!(parse("a b c").is_none());
    }
}
