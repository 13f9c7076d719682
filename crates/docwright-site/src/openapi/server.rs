//! Base addresses of an API.

use serde_json::Value;

/// Maximum length of an address in bytes, since variables in it can be as long as the file.
const MAXIMUM_LENGTH: usize = 4_096;

/// A base address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Server {
    /// With variables replaced by their defaults.
    pub(super) url: String,
    pub(super) description: Option<String>,
}

/// A server of a description.
pub(super) fn server(value: &Value) -> Option<Server> {
    let url = value.get("url")?.as_str()?.trim_end_matches('/');
    let variables = value.get("variables");
    let default = |name: &str| {
        let default = variables?.get(name)?.get("default").and_then(Value::as_str)?;
        Some(default).filter(|text| !text.is_empty())
    };
    let description = value.get("description").and_then(Value::as_str).map(str::to_owned);
    Some(Server { url: filled_in(url, default), description })
}

/// Replaces each `{name}` in a template once. Values aren't templates, or a few short names could expand to an
/// endless address.
fn filled_in<'a>(template: &str, value: impl Fn(&str) -> Option<&'a str>) -> String {
    let mut filled = String::new();
    let mut rest = template;
    while let Some(open) = rest.find('{') {
        let Some(close) = rest[open..].find('}').map(|length| open + length) else { break };
        filled.push_str(&rest[..open]);
        let known = value(&rest[open + 1..close]);
        match known.filter(|known| filled.len() + known.len() <= MAXIMUM_LENGTH) {
            Some(known) => filled.push_str(known),
            None => filled.push_str(&rest[open..=close]),
        }
        rest = &rest[close + 1..];
    }
    filled.push_str(rest);
    filled
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use super::*;

    #[test]
    fn variables_are_replaced_once() {
        let value = json!({
            "url": "https://{region}.example.com/{version}/{other}/",
            "variables": {"region": {"default": "{version}"}, "version": {"default": "v1"}}
        });
        assert_eq!(server(&value).unwrap().url, "https://{version}.example.com/v1/{other}");
    }

    #[test]
    fn variables_of_variables_do_not_multiply() {
        let variable = |level: usize| {
            let default = format!("{{v{}}}", level + 1).repeat(10);
            (format!("v{level}"), json!({ "default": default }))
        };
        let variables: Map<_, _> = (0..12).map(variable).collect();
        let value = json!({"url": "https://{v0}/", "variables": variables});
        assert_eq!(server(&value).unwrap().url.len(), "https://".len() + 40);
        let long =
            json!({"url": "{a}".repeat(9_000), "variables": {"a": {"default": "b".repeat(4_000)}}});
        assert!(server(&long).unwrap().url.len() < 40_000);
    }
}
