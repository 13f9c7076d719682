//! The request that the samples of an operation make.

use serde_json::Value;

use super::{
    example::{example, plain},
    fields::Side,
    operation::{Operation, preferred},
};

/// A request that can be written in any language.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Request {
    /// Upper-case.
    pub(super) method: String,
    /// With its query.
    pub(super) url: String,
    /// In the order to be sent.
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Option<Body>,
}

/// The body of a request.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Body {
    Json(Value),
    /// Fields of a form; a file's value starts with `@`.
    Form {
        fields: Vec<(String, String)>,
        multipart: bool,
    },
    Text(String),
}

impl Request {
    /// The request of an operation with an example of its body, and other examples where the spec has them.
    pub(super) fn of(operation: &Operation<'_>, required_only: bool, body: Option<Value>) -> Self {
        let server = operation.servers().into_iter().next();
        let base = server.map_or_else(|| "https://api.example.com".to_owned(), |server| server.url);
        let mut request = Self {
            method: operation.method.clone(),
            url: base + &operation.path,
            ..Self::default()
        };
        let mut query = Vec::new();
        for credential in operation.credentials() {
            let value = format!("{}{}", credential.prefix, credential.placeholder);
            match credential.place {
                "query" => query.push((credential.name, value)),
                "cookie" => {
                    request
                        .headers
                        .push(("Cookie".to_owned(), format!("{}={value}", credential.name)));
                }
                _ => request.headers.push((credential.name, value)),
            }
        }
        request.add_parameters(operation, &mut query, required_only);
        request.add_body(operation, body);
        for (index, (name, value)) in query.iter().enumerate() {
            request.url.push(if index == 0 { '?' } else { '&' });
            request.url.push_str(&format!("{name}={}", encoded(value)));
        }
        request
    }

    fn add_parameters(
        &mut self,
        operation: &Operation<'_>,
        query: &mut Vec<(String, String)>,
        required_only: bool,
    ) {
        for parameter in operation.parameters() {
            let text = |key: &str| parameter.get(key).and_then(Value::as_str).unwrap_or_default();
            let required = parameter.get("required").and_then(Value::as_bool).unwrap_or(false);
            let given = parameter.get("example").cloned();
            let named = parameter.get("examples").and_then(Value::as_object);
            let first = named.and_then(|named| named.values().next()?.get("value").cloned());
            let has_example = given.is_some() || first.is_some();
            let value = given.or(first).unwrap_or_else(|| match parameter.get("schema") {
                Some(schema) => example(&operation.document, schema, Side::Request),
                None => Value::from("<string>"),
            });
            let value = plain(&value);
            let name = text("name").to_owned();
            match text("in") {
                "path" if has_example || !value.starts_with('<') && value != "123" => {
                    self.url = self.url.replace(&format!("{{{name}}}"), &encoded(&value));
                }
                "query" if required || (!required_only && has_example) => query.push((name, value)),
                "header" if required || (!required_only && has_example) => {
                    self.headers.push((name, value));
                }
                _ => {}
            }
        }
    }

    fn add_body(&mut self, operation: &Operation<'_>, body: Option<Value>) {
        let Some((_, media)) = operation.body() else { return };
        let Some((kind, _)) = preferred(&media) else { return };
        let Some(value) = body else { return };
        let multipart = kind.starts_with("multipart/");
        self.body = Some(if kind.contains("json") {
            Body::Json(value)
        } else if multipart || kind.contains("x-www-form-urlencoded") {
            let fields = value.as_object().into_iter().flatten();
            let field = |(name, value): (&String, &Value)| {
                let value = plain(value);
                let value = if value == "<binary>" { "@example-file".to_owned() } else { value };
                (name.clone(), value)
            };
            Body::Form { fields: fields.map(field).collect(), multipart }
        } else {
            Body::Text(plain(&value))
        });
        if !multipart {
            self.headers.push(("Content-Type".to_owned(), kind.to_owned()));
        }
    }
}

/// A value in a URL. Placeholders such as `<token>` stay readable.
fn encoded(value: &str) -> String {
    if value.starts_with('<') && value.ends_with('>') {
        return format!("%3C{}%3E", &value[1..value.len() - 1]);
    }
    percent_encoding::utf8_percent_encode(value, percent_encoding::NON_ALPHANUMERIC)
        .to_string()
        .replace("%2D", "-")
        .replace("%5F", "_")
        .replace("%2E", ".")
        .replace("%7E", "~")
}
