//! Finding, parsing and typing a frontmatter block.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::Frontmatter;
use crate::{
    Diagnostic, Rule,
    content::{config, yaml},
};

/// A longer block is not frontmatter. Bytes.
const MAXIMUM_LENGTH: usize = 256 * 1024;

/// A page's text, divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Split<'a> {
    /// The YAML between the `---` lines; `None` without a block.
    pub yaml: Option<&'a str>,
    /// Byte offset of the body.
    pub body_offset: usize,
    /// 1-based line of the body.
    pub body_line: u32,
}

/// Divides the text of a page. An opening line without a closing one is not frontmatter.
pub fn split(text: &str) -> Split<'_> {
    let none = Split { yaml: None, body_offset: 0, body_line: 1 };
    let start = text.len() - text.trim_start_matches(['\n', '\r', ' ', '\t']).len();
    let Some(first_end) = line_end(text, start) else { return none };
    if text[start..first_end].trim_end() != "---" {
        return none;
    }
    let skipped = text[..first_end].matches('\n').count();
    let (mut at, mut line) = (first_end, u32::try_from(skipped).unwrap_or(0) + 1);
    while let Some(end) = line_end(text, at) {
        line += 1;
        if text[at..end].trim_end() == "---" {
            return Split { yaml: Some(&text[first_end..at]), body_offset: end, body_line: line };
        }
        if end - first_end > MAXIMUM_LENGTH {
            return none;
        }
        at = end;
    }
    none
}

/// The end of the line at `at`, after its line break; `None` at the end of the text.
fn line_end(text: &str, at: usize) -> Option<usize> {
    (at < text.len()).then(|| text[at..].find('\n').map_or(text.len(), |index| at + index + 1))
}

/// Types the block of the page at `path`. Even if it is invalid, the page gets a title.
pub fn read(
    path: &str,
    slug: &str,
    yaml: Option<&str>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Frontmatter {
    let map = yaml.map(|yaml| parse(path, yaml, diagnostics)).unwrap_or_default();
    typed(map, slug)
}

/// Types values from other sources, such as an API spec.
pub fn typed(mut map: Map<String, Value>, slug: &str) -> Frontmatter {
    let icon = config::icon(&map);
    map.remove("icon");
    map.remove("iconType");
    let mut fields = Taken { map };
    let title = fields.text("title").filter(|title| !title.trim().is_empty());
    Frontmatter {
        has_title: title.is_some(),
        title: title.unwrap_or_else(|| title_of(slug)),
        sidebar_title: fields.text("sidebarTitle"),
        description: fields.text("description").filter(|text| !text.trim().is_empty()),
        icon,
        tag: fields.text("tag"),
        mode: fields.text("mode").unwrap_or_else(|| "default".to_owned()),
        hidden: fields.flag("hidden"),
        noindex: fields.flag("noindex").unwrap_or(false),
        searchable: fields.flag("searchable"),
        boost: fields.map.remove("boost").and_then(|boost| boost.as_f64()),
        keywords: fields.texts("keywords"),
        deprecated: fields.flag("deprecated").unwrap_or(false),
        url: fields.text("url"),
        openapi: fields.text("openapi"),
        openapi_schema: fields.text("openapi-schema"),
        asyncapi: fields.text("asyncapi"),
        api: fields.text("api"),
        hide_api_marker: fields.flag("hideApiMarker").unwrap_or(false),
        hide_footer_pagination: fields.flag("hideFooterPagination").unwrap_or(false),
        timestamp: fields.flag("timestamp"),
        last_updated: fields.text("lastUpdatedDate"),
        rss: fields.flag("rss").unwrap_or(false),
        canonical: fields.text("canonical"),
        robots: fields.text("robots"),
        contextual: fields.map.remove("contextual"),
        related: fields.map.remove("related"),
        playground: fields.text("playground"),
        auth_method: fields.text("authMethod"),
        meta: fields.meta(),
    }
}

/// The last part of the path, dashes and underscores as spaces, the first letter capital.
pub(super) fn title_of(slug: &str) -> String {
    let name = slug.rsplit('/').next().unwrap_or(slug).replace(['-', '_'], " ");
    let mut letters = name.trim().chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => "Untitled".to_owned(),
    }
}

fn parse(path: &str, text: &str, diagnostics: &mut Vec<Diagnostic>) -> Map<String, Value> {
    match yaml::parse(text) {
        Ok(Value::Object(map)) => map,
        Ok(Value::Null) => Map::new(),
        Ok(_) => {
            diagnostics.push(
                Diagnostic::new(
                    Rule::InvalidFrontmatter,
                    path,
                    "the frontmatter is not a list of `key: value` lines",
                )
                .at(2, 0)
                .help("write one `key: value` a line"),
            );
            Map::new()
        }
        Err(error) => {
            diagnostics.push(
                Diagnostic::new(Rule::InvalidFrontmatter, path, format!("the frontmatter is not valid YAML: {}", error.message))
                    .at(error.line + 1, 0)
                    .help("put quotes around values that hold `: `, `#`, or begin with a special character"),
            );
            by_lines(text)
        }
    }
}

/// The obvious meaning of broken YAML: each unindented `key: value` line.
fn by_lines(text: &str) -> Map<String, Value> {
    let pairs = text.lines().filter_map(|line| {
        let (key, value) = line.split_once(':')?;
        let plain =
            !key.is_empty() && !key.contains(char::is_whitespace) && !key.starts_with(['-', '#']);
        let value = value.trim();
        let unquoted = value.strip_prefix(['"', '\'']).unwrap_or(value);
        let value = unquoted.strip_suffix(['"', '\'']).unwrap_or(unquoted);
        plain.then(|| match value {
            "true" => (key.to_owned(), Value::Bool(true)),
            "false" => (key.to_owned(), Value::Bool(false)),
            value => (key.to_owned(), Value::String(value.to_owned())),
        })
    });
    pairs.collect()
}

struct Taken {
    map: Map<String, Value>,
}

impl Taken {
    fn text(&mut self, key: &str) -> Option<String> {
        match self.map.remove(key)? {
            Value::String(text) => Some(text),
            Value::Number(number) => Some(number.to_string()),
            Value::Bool(flag) => Some(flag.to_string()),
            _ => None,
        }
    }

    fn flag(&mut self, key: &str) -> Option<bool> {
        match self.map.remove(key)? {
            Value::Bool(flag) => Some(flag),
            Value::String(text) => match text.trim() {
                "true" | "yes" => Some(true),
                "false" | "no" => Some(false),
                _ => None,
            },
            _ => None,
        }
    }

    /// Meta tags, such as `og:title`.
    fn meta(self) -> BTreeMap<String, String> {
        let tags = self.map.into_iter().filter_map(|(key, value)| match value {
            Value::String(text) if key.contains(':') => Some((key, text)),
            _ => None,
        });
        tags.collect()
    }

    fn texts(&mut self, key: &str) -> Vec<String> {
        match self.map.remove(key) {
            Some(Value::Array(items)) => items
                .into_iter()
                .filter_map(|item| match item {
                    Value::String(text) => Some(text),
                    Value::Number(number) => Some(number.to_string()),
                    _ => None,
                })
                .collect(),
            Some(Value::String(list)) => {
                list.split(',').map(|word| word.trim().to_owned()).collect()
            }
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn block_is_split_off() {
        let split = split("---\ntitle: A\n---\nbody");
        assert_eq!(split.yaml, Some("title: A\n"));
        assert_eq!((split.body_offset, split.body_line), (17, 4));
    }

    #[test]
    fn windows_line_ends_are_accepted() {
        let split = split("---\r\ntitle: A\r\n---\r\nbody");
        assert_eq!(split.yaml, Some("title: A\r\n"));
        assert_eq!(split.body_line, 4);
    }

    #[test]
    fn text_without_a_block_is_all_body() {
        for text in ["", "hello", "---\nnever closed", "--- x\n---\n"] {
            assert_eq!(split(text), Split { yaml: None, body_offset: 0, body_line: 1 }, "{text:?}");
        }
    }

    #[test]
    fn broken_yaml_keeps_plain_values() {
        let mut diagnostics = Vec::new();
        let frontmatter =
            read("a.mdx", "a", Some("title: Fees: an overview\nicon: [\n"), &mut diagnostics);
        assert_eq!(frontmatter.title, "Fees: an overview");
        assert_eq!(diagnostics[0].rule, Rule::InvalidFrontmatter);
    }

    #[test]
    fn title_is_derived_from_path() {
        assert_eq!(title_of("guides/getting-started_now"), "Getting started now");
    }
}
