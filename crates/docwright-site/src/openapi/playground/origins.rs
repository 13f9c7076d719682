//! The origins that a page's playground sends requests to: scheme, host, and port. A proxy sends requests to no
//! others.
//!
//! A variable in an address counts with the values of its enumeration. Without one, it counts with its default only:
//! any other value would make the proxy send requests to hosts that no author named.

use std::collections::BTreeSet;

use serde_json::Value;
use url::Url;

/// Largest number of addresses that the variables of one server make.
const MOST: usize = 100;

/// The origins of the servers and token URLs in the data of a playground. Addresses below the site itself have none.
pub fn request_origins(data: &Value) -> BTreeSet<String> {
    let servers = data["servers"].as_array().into_iter().flatten().flat_map(addresses);
    let schemes = data["schemes"].as_object().into_iter().flat_map(|all| all.values());
    let tokens = schemes.filter_map(|scheme| scheme.pointer("/flow/tokenUrl")?.as_str());
    servers.chain(tokens.map(str::to_owned)).filter_map(|address| origin(&address)).collect()
}

/// The origin of an address; `None` if it has none, or another scheme than `http` and `https`.
pub fn origin(address: &str) -> Option<String> {
    let url = match address.strip_prefix("//") {
        Some(rest) => Url::parse(&format!("https://{rest}")),
        None => Url::parse(address),
    };
    let url = url.ok()?;
    // The braces of an unknown variable can be part of a host.
    let has_braces = url.host_str().is_some_and(|host| host.contains(['{', '}']));
    let is_plain = url.username().is_empty() && url.password().is_none() && !has_braces;
    (matches!(url.scheme(), "http" | "https") && is_plain)
        .then(|| url.origin().ascii_serialization())
}

/// The addresses of a server without their paths.
fn addresses(server: &Value) -> Vec<String> {
    let mut rest = server["url"].as_str().map(without_path).unwrap_or_default();
    let mut addresses = vec![String::new()];
    while let Some(open) = rest.find('{') {
        let Some(close) = rest[open..].find('}').map(|length| open + length) else { break };
        let values = values(&server["variables"][&rest[open + 1..close]]);
        let each = |address: String| {
            let before = address + &rest[..open];
            values.iter().map(move |value| format!("{before}{value}")).collect::<Vec<_>>()
        };
        addresses = addresses.into_iter().flat_map(each).take(MOST).collect();
        rest = &rest[close + 1..];
    }
    addresses.into_iter().map(|address| address + rest).collect()
}

/// A template up to its path. Slashes in the name of a variable don't end it.
fn without_path(template: &str) -> &str {
    let host = template.find("//").map_or(0, |slashes| slashes + 2);
    let mut is_inside = false;
    let end = template[host..].find(|letter| {
        match letter {
            '{' => is_inside = true,
            '}' => is_inside = false,
            _ => {}
        }
        !is_inside && matches!(letter, '/' | '?' | '#')
    });
    &template[..end.map_or(template.len(), |end| host + end)]
}

fn values(variable: &Value) -> Vec<String> {
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    match variable["enum"].as_array().filter(|all| !all.is_empty()) {
        Some(all) => all.iter().filter_map(text).collect(),
        None => text(&variable["default"]).into_iter().collect(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(servers: &Value) -> Vec<String> {
        request_origins(&json!({ "servers": servers })).into_iter().collect()
    }

    #[test]
    fn origin_has_scheme_host_and_port() {
        for (address, expected) in [
            ("https://api.example.com/v1", Some("https://api.example.com")),
            ("https://API.example.com:443", Some("https://api.example.com")),
            ("http://api.example.com:8080/", Some("http://api.example.com:8080")),
            ("https://bücher.example", Some("https://xn--bcher-kva.example")),
            ("http://0x7f000001/", Some("http://127.0.0.1")),
            ("//api.example.com/v1", Some("https://api.example.com")),
            ("https://me@api.example.com", None),
            ("https://me:secret@api.example.com", None),
            ("ftp://api.example.com", None),
            ("javascript:alert(1)", None),
            ("/v1", None),
            ("v1", None),
            ("", None),
        ] {
            assert_eq!(origin(address).as_deref(), expected, "{address}");
        }
    }

    #[test]
    fn variable_counts_with_its_enumeration_or_its_default() {
        let region = json!({ "default": "eu", "enum": ["eu", "us"] });
        let servers = json!([{
            "url": "{scheme}://{region}.example.com:{port}/{version}",
            "variables": {
                "scheme": { "default": "https" },
                "region": region,
                "port": { "default": 8443, "enum": [443, 8443] },
                "version": { "default": "v1", "enum": ["v1", "v2"] },
            },
        }]);
        let expected = [
            "https://eu.example.com",
            "https://eu.example.com:8443",
            "https://us.example.com",
            "https://us.example.com:8443",
        ];
        assert_eq!(of(&servers), expected);
        let base = json!([{
            "url": "{base}/v1",
            "variables": { "base": { "default": "https://api.example.com/docs" } },
        }]);
        assert_eq!(of(&base), ["https://api.example.com"]);
        let without_default = json!([{ "url": "https://{tenant}.example.com" }]);
        assert_eq!(of(&without_default), Vec::<String>::new());
        let once = json!([{
            "url": "https://{a}.example.com",
            "variables": { "a": { "default": "{b}" }, "b": { "default": "inner" } },
        }]);
        assert_eq!(of(&once), Vec::<String>::new());
    }

    #[test]
    fn variables_do_not_multiply_without_limit() {
        let names: Vec<_> = (0..100).map(|name| format!("n{name}")).collect();
        let servers = json!([{
            "url": "https://{a}{b}{c}{d}.example.com",
            "variables": {
                "a": { "enum": names }, "b": { "enum": names },
                "c": { "enum": names }, "d": { "enum": names },
            },
        }]);
        assert_eq!(of(&servers).len(), MOST);
    }

    #[test]
    fn token_urls_are_origins_of_requests() {
        let data = json!({
            "servers": [],
            "schemes": {
                "oauth": { "flow": { "tokenUrl": "https://login.example.com/token" } },
                "key": { "in": "header", "name": "X-Key" },
            },
        });
        assert_eq!(Vec::from_iter(request_origins(&data)), ["https://login.example.com"]);
    }
}
