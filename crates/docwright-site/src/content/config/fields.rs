//! Parses JSON fields with defaults: a wrong type is a diagnostic with the key, the expected type, and the line.

use serde_json::{Map, Value};

use crate::{
    Diagnostic, Rule,
    content::{
        config::{Icon, Pair, is_hex},
        document::Document,
    },
};

/// An object of the configuration, with its path for messages.
#[derive(Debug)]
pub(super) struct Fields<'a, 'd> {
    pub(super) map: &'a Map<String, Value>,
    path: String,
    document: &'a Document<'a>,
    diagnostics: &'d mut Vec<Diagnostic>,
}

impl<'a, 'd> Fields<'a, 'd> {
    pub(super) fn new(
        map: &'a Map<String, Value>,
        document: &'a Document<'a>,
        diagnostics: &'d mut Vec<Diagnostic>,
    ) -> Self {
        Self { map, path: String::new(), document, diagnostics }
    }

    /// The object below a key; `None` if there is none.
    pub(super) fn object(&mut self, key: &str) -> Option<Fields<'a, '_>> {
        match self.map.get(key)? {
            Value::Object(map) => Some(self.nested(key, map)),
            Value::Null => None,
            other => {
                self.mismatch(key, "an object", other);
                None
            }
        }
    }

    /// Each object of an array.
    pub(super) fn objects<T>(
        &mut self,
        key: &str,
        mut read: impl FnMut(&mut Fields<'a, '_>) -> Option<T>,
    ) -> Vec<T> {
        let mut read_all = Vec::new();
        match self.map.get(key) {
            Some(Value::Array(items)) => {
                for (index, item) in items.iter().enumerate() {
                    match item {
                        Value::Object(map) => {
                            read_all
                                .extend(read(&mut self.nested(&format!("{key}[{index}]"), map)));
                        }
                        other => self.mismatch(&format!("{key}[{index}]"), "an object", other),
                    }
                }
            }
            None | Some(Value::Null) => {}
            Some(other) => self.mismatch(key, "an array", other),
        }
        read_all
    }

    /// A string. A number is accepted as text, since authors leave out quotes.
    pub(super) fn text(&mut self, key: &str) -> Option<String> {
        match self.map.get(key)? {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            Value::Null => None,
            other => {
                self.mismatch(key, "a string", other);
                None
            }
        }
    }

    /// One of a few words, or the first of them.
    pub(super) fn choice(&mut self, key: &str, choices: &[&str]) -> String {
        let default = choices.first().copied().unwrap_or_default().to_owned();
        let Some(text) = self.text(key) else { return default };
        if choices.contains(&text.as_str()) {
            return text;
        }
        let message = format!("`{}` is `{text}`, which is not known", self.full(key));
        let diagnostic = Diagnostic::new(Rule::InvalidValue, "", message)
            .help(format!("use one of: {}", choices.join(", ")));
        self.diagnostics.push(self.document.at(&text, diagnostic));
        default
    }

    /// Yes or no; the strings `"true"` and `"false"` count.
    pub(super) fn flag(&mut self, key: &str) -> Option<bool> {
        match self.map.get(key)? {
            Value::Bool(flag) => Some(*flag),
            Value::String(text) if text == "true" || text == "false" => Some(text == "true"),
            Value::Null => None,
            other => {
                self.mismatch(key, "true or false", other);
                None
            }
        }
    }

    /// A string, or `{light, dark}`.
    pub(super) fn pair(&mut self, key: &str) -> Pair {
        match self.map.get(key) {
            Some(Value::String(both)) => {
                Pair { light: Some(both.clone()), dark: Some(both.clone()) }
            }
            Some(Value::Object(map)) => {
                let mut fields = self.nested(key, map);
                let (light, dark) = (fields.text("light"), fields.text("dark"));
                Pair { light: light.clone().or_else(|| dark.clone()), dark: dark.or(light) }
            }
            None | Some(Value::Null) => Pair::default(),
            Some(other) => {
                self.mismatch(key, "a string or {light, dark}", other);
                Pair::default()
            }
        }
    }

    /// A text for both color modes, or `{light, dark}`, of which either can be left out.
    pub(super) fn each_mode(&mut self, key: &str) -> Pair {
        let mut pair = self.pair(key);
        if let Some(Value::Object(map)) = self.map.get(key) {
            let given = |mode: &str| map.get(mode).is_some_and(Value::is_string);
            pair.light = pair.light.filter(|_| given("light"));
            pair.dark = pair.dark.filter(|_| given("dark"));
        }
        pair
    }

    /// `icon` with `iconType`, or `{name, style}`.
    pub(super) fn icon(&mut self) -> Option<Icon> {
        icon(self.map)
    }

    /// A string or an array of strings.
    pub(super) fn texts(&mut self, key: &str) -> Vec<String> {
        match self.map.get(key) {
            Some(Value::String(text)) => vec![text.clone()],
            Some(Value::Array(items)) => {
                items.iter().filter_map(Value::as_str).map(str::to_owned).collect()
            }
            None | Some(Value::Null) => Vec::new(),
            Some(other) => {
                self.mismatch(key, "a string or an array of strings", other);
                Vec::new()
            }
        }
    }

    /// Reports a text or number that the key doesn't accept.
    pub(super) fn refuse(&mut self, key: &str, reason: &str, help: &str) {
        let (text, place) = match self.map.get(key) {
            Some(Value::String(text)) => (text.clone(), text.as_str()),
            other => (other.map(Value::to_string).unwrap_or_default(), key),
        };
        let message = format!("`{}` is `{text}`, which {reason}", self.full(key));
        let diagnostic = Diagnostic::new(Rule::InvalidValue, "", message).help(help);
        self.diagnostics.push(self.document.at(place, diagnostic));
    }

    fn nested<'b>(&'b mut self, key: &str, map: &'a Map<String, Value>) -> Fields<'a, 'b> {
        let path = self.full(key);
        Fields { map, path, document: self.document, diagnostics: self.diagnostics }
    }

    fn full(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }

    fn mismatch(&mut self, key: &str, expected: &str, found: &Value) {
        let found = match found {
            Value::Null => "null",
            Value::Bool(_) => "true or false",
            Value::Number(_) => "a number",
            Value::String(_) => "a string",
            Value::Array(_) => "an array",
            Value::Object(_) => "an object",
        };
        let message = format!("`{}` must be {expected}, but is {found}", self.full(key));
        let last = key.split('[').next().unwrap_or(key);
        let diagnostic =
            Diagnostic::new(Rule::InvalidValue, "", message).help("the default is used instead");
        self.diagnostics.push(self.document.at(last, diagnostic));
    }
}

/// A color for both modes, or `{light, dark}`; only what is a color.
pub fn color_pair(value: Option<&Value>) -> Pair {
    let color = |value: Option<&Value>| {
        value.and_then(Value::as_str).filter(|color| is_hex(color)).map(str::to_owned)
    };
    let mode = |key: &str| color(value.and_then(|value| value.get(key)));
    let both = color(value);
    let (light, dark) = (both.clone().or_else(|| mode("light")), both.or_else(|| mode("dark")));
    Pair { light: light.clone().or_else(|| dark.clone()), dark: dark.or(light) }
}

/// The icon of a JSON object with `icon` and perhaps `iconType`.
pub fn icon(map: &Map<String, Value>) -> Option<Icon> {
    let style = map.get("iconType").and_then(Value::as_str).map(str::to_owned);
    match map.get("icon")? {
        Value::String(name) if !name.is_empty() => Some(Icon { name: name.clone(), style }),
        Value::Object(icon) => Some(Icon {
            name: icon.get("name")?.as_str()?.to_owned(),
            style: icon.get("style").and_then(Value::as_str).map(str::to_owned).or(style),
        }),
        _ => None,
    }
}
