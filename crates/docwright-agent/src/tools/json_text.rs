//! JSON with the position of each value in its text, so that a change keeps the layout of the rest.

use std::ops::Range;

/// A value and its position.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) span: Range<usize>,
    pub(super) kind: Kind,
}

/// The type of a value.
#[derive(Debug)]
pub(super) enum Kind {
    /// Fields: position of the name, the name, the value.
    Object(Vec<(usize, String, Node)>),
    Array(Vec<Node>),
    String(String),
    /// A number, `true`, `false`, `null`.
    Other,
}

impl Node {
    /// The value of a field.
    pub(super) fn get(&self, name: &str) -> Option<&Self> {
        match &self.kind {
            Kind::Object(fields) => {
                fields.iter().find(|field| field.1 == name).map(|field| &field.2)
            }
            _ => None,
        }
    }

    /// The text of a string.
    pub(super) fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::String(text) => Some(text),
            _ => None,
        }
    }
}

/// Parses a text. Errors come from `serde_json`.
pub(super) fn parse(text: &str) -> Result<Node, String> {
    serde_json::from_str::<serde_json::Value>(text).map_err(|error| error.to_string())?;
    let mut scanner = Scanner { text, at: 0 };
    scanner.value().ok_or_else(|| "it can't be read".to_owned())
}

/// Walks through valid JSON.
struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl Scanner<'_> {
    fn skip_space(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    /// The next byte that isn't white space.
    fn peek(&mut self) -> Option<u8> {
        self.skip_space();
        self.text.as_bytes().get(self.at).copied()
    }

    fn value(&mut self) -> Option<Node> {
        let first = self.peek()?;
        let start = self.at;
        let kind = match first {
            b'{' => Kind::Object(self.object()?),
            b'[' => Kind::Array(self.array()?),
            b'"' => Kind::String(self.string()?),
            _ => {
                let rest = &self.text[self.at..];
                self.at += rest.find([',', ']', '}', ' ', '\n', '\r', '\t']).unwrap_or(rest.len());
                Kind::Other
            }
        };
        Some(Node { span: start..self.at, kind })
    }

    fn object(&mut self) -> Option<Vec<(usize, String, Node)>> {
        let mut fields = Vec::new();
        self.at += 1;
        while self.peek()? != b'}' {
            let start = self.at;
            let name = self.string()?;
            self.skip_space();
            // The colon.
            self.at += 1;
            fields.push((start, name, self.value()?));
            self.skip_comma()?;
        }
        self.at += 1;
        Some(fields)
    }

    fn array(&mut self) -> Option<Vec<Node>> {
        let mut entries = Vec::new();
        self.at += 1;
        while self.peek()? != b']' {
            entries.push(self.value()?);
            self.skip_comma()?;
        }
        self.at += 1;
        Some(entries)
    }

    fn skip_comma(&mut self) -> Option<()> {
        if self.peek()? == b',' {
            self.at += 1;
        }
        Some(())
    }

    fn string(&mut self) -> Option<String> {
        let start = self.at;
        let bytes = self.text.as_bytes();
        self.at += 1;
        while *bytes.get(self.at)? != b'"' {
            self.at += if bytes[self.at] == b'\\' { 2 } else { 1 };
        }
        self.at += 1;
        serde_json::from_str(self.text.get(start..self.at)?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_positions() {
        let text = "{ \"a\\\"b\": [1, \"zwei\", {\"c\": null}], \"d\": -1.5e3 }\n";
        let node = parse(text).unwrap();
        let Kind::Array(entries) = &node.get("a\"b").unwrap().kind else { panic!() };
        let spans: Vec<_> = entries.iter().map(|entry| &text[entry.span.clone()]).collect();
        assert_eq!(spans, ["1", "\"zwei\"", "{\"c\": null}"]);
        assert_eq!(entries[1].text(), Some("zwei"));
        assert_eq!(&text[node.get("d").unwrap().span.clone()], "-1.5e3");
        assert!(parse("{").is_err() && parse("[1,]").is_err());
    }
}
