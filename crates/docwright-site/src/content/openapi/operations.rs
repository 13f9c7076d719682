//! Walking an API spec.

use std::collections::HashMap;

use serde_json::Value;

const METHODS: &[&str] = &["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/// One operation or webhook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    /// Upper-case method, or `WEBHOOK`.
    pub method: String,
    /// Path template, or name of the webhook.
    pub path: String,
    /// Summary, or method and path.
    pub title: String,
    /// `x-mint.metadata`: frontmatter of its page.
    pub metadata: serde_json::Map<String, Value>,
    /// `x-mint.content`: MDX at the start of its page.
    pub content: String,
    /// Name of the group: the first tag, or the tag's `x-group`.
    pub group: Option<String>,
    /// The first tag.
    pub tag: Option<String>,
    /// `x-mint.href`: the address its page must have.
    pub href: Option<String>,
    /// `x-hidden`: the page exists, but not in navigation.
    pub hidden: bool,
    /// `x-excluded`: the operation gets no page.
    pub excluded: bool,
    /// Marked as deprecated.
    pub deprecated: bool,
}

/// The operations of a spec in their order, followed by its webhooks.
pub fn operations(spec: &Value) -> Vec<Operation> {
    let groups = groups(spec);
    let mut found = Vec::new();
    for (key, webhook) in [("paths", false), ("webhooks", true)] {
        let Some(Value::Object(items)) = spec.get(key) else { continue };
        for (path, item) in items {
            let Some(item) = item.as_object() else { continue };
            for (method, operation) in item {
                if METHODS.contains(&method.as_str()) && operation.is_object() {
                    let method = if webhook { "WEBHOOK".to_owned() } else { method.to_uppercase() };
                    found.push(read(&groups, method, path, operation));
                }
            }
        }
    }
    found
}

fn read(groups: &HashMap<&str, &str>, method: String, path: &str, operation: &Value) -> Operation {
    let text = |value: Option<&Value>| {
        value.and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let flag = |key: &str| operation.get(key).and_then(Value::as_bool).unwrap_or(false);
    let mint = operation.get("x-mint");
    let metadata = mint.and_then(|mint| mint.get("metadata"));
    let tag = text(operation.get("tags").and_then(|tags| tags.get(0)));
    let title = text(metadata.and_then(|metadata| metadata.get("title")))
        .or_else(|| text(operation.get("summary")))
        .unwrap_or_else(|| format!("{method} {path}"));
    Operation {
        group: tag.as_deref().map(|tag| groups.get(tag).copied().unwrap_or(tag).to_owned()),
        metadata: metadata.and_then(Value::as_object).cloned().unwrap_or_default(),
        content: text(mint.and_then(|mint| mint.get("content"))).unwrap_or_default(),
        href: text(mint.and_then(|mint| mint.get("href"))),
        hidden: flag("x-hidden"),
        excluded: flag("x-excluded"),
        deprecated: flag("deprecated"),
        path: path.to_owned(),
        method,
        title,
        tag,
    }
}

/// The `x-group` of each tag that has one.
fn groups(spec: &Value) -> HashMap<&str, &str> {
    let tags = spec.get("tags").and_then(Value::as_array).into_iter().flatten();
    let mut groups = HashMap::new();
    for tag in tags {
        let text = |key: &str| tag.get(key).and_then(Value::as_str);
        if let (Some(name), Some(group)) = (text("name"), text("x-group")) {
            groups.entry(name).or_insert(group);
        }
    }
    groups
}
