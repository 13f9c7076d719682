//! Symbols: names that a page defines, such as fields, environment variables, and commands. Readers who search
//! for one want its definition, not the pages that mention it.

use serde::{Deserialize, Serialize};

use super::extract::attribute;

/// What a symbol names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum SymbolKind {
    /// A field or parameter of an API, an option of a file, a function.
    Field,
    /// An operation of an API: its method and path.
    Operation,
    /// An environment variable or constant.
    Variable,
    /// A command, or an option of one.
    Command,
}

impl SymbolKind {
    /// The kind of a name, by its shape.
    pub(super) fn of(name: &str) -> Self {
        let upper = |letter: char| letter.is_ascii_uppercase() || letter.is_ascii_digit();
        if name.contains('_') && name.chars().all(|letter| upper(letter) || letter == '_') {
            return Self::Variable;
        }
        let (first, rest) = name.split_once(' ').unwrap_or((name, ""));
        if rest.starts_with('/') && first.chars().all(upper) {
            return Self::Operation;
        }
        let small = first.chars().all(|letter| letter.is_ascii_lowercase() || letter == '-');
        if name.starts_with('-') || !rest.is_empty() && small { Self::Command } else { Self::Field }
    }
}

/// A name that a page defines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Symbol {
    /// The name.
    pub name: String,
    /// What it names.
    pub kind: SymbolKind,
    /// Number of its section on the page.
    pub section: usize,
    /// Anchor of the definition.
    pub id: String,
}

/// Longest name of a symbol, in bytes.
const MAXIMUM_NAME: usize = 80;

/// Longest label before a symbol, in bytes.
const MAXIMUM_LABEL: usize = 40;

/// The element that can hold the name of a symbol.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Place {
    #[default]
    Nowhere,
    /// The name of a field.
    Field,
    Heading,
    /// The first cell of a row, or the cell after the number of an error.
    Cell,
    /// An item of a list or a paragraph that starts with code and a colon or dash.
    Item,
}

/// Watches the tags and texts of a page for names of symbols.
#[derive(Debug, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "what surrounds the text, independent of each other"
)]
pub(super) struct Capture {
    place: Place,
    /// The row has no cell yet.
    row: bool,
    in_code: bool,
    /// Inside an item or a paragraph.
    in_item: bool,
    id: String,
    code: String,
    text: String,
    /// Whether it is a link to another page, which has the definition.
    linked: bool,
}

impl Capture {
    /// Sees text; returns the symbol that an item defines.
    pub(super) fn text(&mut self, text: &str, decode: fn(&str, &mut String)) -> Option<Symbol> {
        if self.place == Place::Nowhere {
            return None;
        }
        if self.place == Place::Item && !self.in_code {
            let first = text.trim_start().chars().next()?;
            if self.code.is_empty() {
                // A label, as in "Environment variable: `PORT_NUMBER`".
                decode(text, &mut self.text);
                if self.text.len() > MAXIMUM_LABEL {
                    self.place = Place::Nowhere;
                }
                return None;
            }
            self.place = Place::Nowhere;
            let follows = matches!(first, ':' | '-' | '–' | '—' | '(' | '：');
            return self.symbol(self.text.trim().is_empty() && follows);
        }
        if self.text.len() > MAXIMUM_NAME {
            return None;
        }
        decode(text, if self.in_code { &mut self.code } else { &mut self.text });
        None
    }

    /// Sees a tag; returns the symbol that ends with it.
    pub(super) fn tag(&mut self, name: &str, tag: &str, closing: bool) -> Option<Symbol> {
        match (name, closing) {
            ("tr", false) => self.row = true,
            ("td", false) if self.row => {
                self.row = false;
                self.start(Place::Cell, "");
            }
            ("li" | "p" | "dt", false) if matches!(self.place, Place::Nowhere | Place::Item) => {
                self.start(Place::Item, "");
                self.in_item = true;
            }
            ("li" | "p" | "dt", true) => self.in_item = false,
            ("h1" | "h2" | "h3" | "h4" | "h5" | "h6", false) => self.start(Place::Heading, ""),
            ("a", false) if tag.contains("dw-field-name") => {
                let target = attribute(tag, "href").unwrap_or_default();
                self.start(Place::Field, target.trim_start_matches('#'));
            }
            ("code", _) => {
                self.in_code = !closing && self.place != Place::Nowhere;
                if closing && self.place == Place::Item && self.is_labeled() {
                    self.place = Place::Nowhere;
                    return self.symbol(true);
                }
            }
            ("br", _) if self.in_item => self.start(Place::Item, ""),
            ("a", true) if self.place == Place::Field => return self.end(true),
            ("a", false) => {
                let target = attribute(tag, "href").unwrap_or_default();
                self.linked |= !target.starts_with('#');
            }
            ("td", true) if self.place == Place::Cell => {
                // The name of a numbered error is in the next cell.
                self.row = self.code.trim().is_empty() && is_error_number(self.text.trim());
                return self.end(self.row);
            }
            ("h1" | "h2" | "h3" | "h4" | "h5" | "h6", true) if self.place == Place::Heading => {
                return self.end(false);
            }
            _ => {}
        }
        None
    }

    fn start(&mut self, place: Place, id: &str) {
        self.place = place;
        self.in_code = false;
        self.linked = false;
        id.clone_into(&mut self.id);
        self.code.clear();
        self.text.clear();
    }

    /// Whether the code of an item follows a short label with a colon and is shaped like an identifier.
    fn is_labeled(&self) -> bool {
        let label = self.text.trim_end();
        label.ends_with(':') && label.split(' ').count() < 4 && is_identifier(self.code.trim())
    }

    fn end(&mut self, is_name: bool) -> Option<Symbol> {
        self.place = Place::Nowhere;
        let has_code = !self.code.trim().is_empty();
        let alone = self.text.trim().is_empty();
        if !has_code && (is_name || is_identifier(self.text.trim())) {
            self.code = std::mem::take(&mut self.text);
            return self.symbol(true);
        }
        self.symbol(has_code && (alone || self.code.len() * 2 > self.text.len()))
    }

    fn symbol(&mut self, defines: bool) -> Option<Symbol> {
        let name = self.code.trim();
        let fits = !name.is_empty() && name.len() <= MAXIMUM_NAME && !name.contains('\n');
        (defines && fits && !self.linked).then(|| Symbol {
            name: name.to_owned(),
            kind: SymbolKind::of(name),
            section: 0,
            id: std::mem::take(&mut self.id),
        })
    }
}

/// Whether the text of a first cell can be the number of an error or a status, such as `429`.
fn is_error_number(text: &str) -> bool {
    (3..=5).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether text without code markup is shaped like an identifier: one word with an underscore, a capital after
/// a small letter, a call, or a leading dash.
fn is_identifier(text: &str) -> bool {
    let body = text.trim_end_matches("()").trim_start_matches('-');
    let letters = |letter: char| letter.is_ascii_alphanumeric() || "_.-".contains(letter);
    if body.len() < 3 || !body.chars().all(letters) {
        return false;
    }
    let camel = body
        .as_bytes()
        .windows(2)
        .any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    body.contains('_') || camel || body.len() != text.len()
}

#[cfg(test)]
mod tests {
    use super::{super::extract, SymbolKind};

    fn symbols(html: &str) -> Vec<(String, SymbolKind, String)> {
        let found = extract(html).symbols.into_iter();
        found.map(|symbol| (symbol.name, symbol.kind, symbol.id)).collect()
    }

    #[test]
    fn definitions_are_symbols() {
        use SymbolKind::{Command, Field, Operation, Variable};
        let html = r##"<h2 id="env">Environment</h2><p>Mentions <code>NOT_HERE</code> only.</p>
            <table><tr><th>Name</th></tr><tr><td><code>API_KEY</code></td><td><code>other</code></td></tr></table>
            <table><tr><td>7001</td><td><code>Expired</code></td><td><code>no</code></td></tr><tr><td>12</td><td><code>no</code></td></tr></table>
            <p><strong>Variable</strong>: <code>LOG_LEVEL</code><br><strong>Option</strong>: <code>--log-level</code><br>Default: <code>info</code></p>
            <ul><li><code>--force</code>: overwrites</li><li>See <code>x</code>: no</li><li><a href="other.html"><code>elsewhere</code></a>: no</li><li><code>y</code> is no definition</li></ul>
            <h3 id="call"><code>batchSave()</code></h3><h3 id="plain">distinct_id</h3><h3 id="no">Use <code>id</code> in your own requests</h3>
            <div class="field dw-field" id="param-a"><a class="dw-field-name" href="#param-a">page_size</a></div>
            <h2 id="op"><code>POST /v1/users</code></h2>"##;
        let expected = [
            ("API_KEY", Variable, "env"),
            ("7001", Field, "env"),
            ("Expired", Field, "env"),
            ("LOG_LEVEL", Variable, "env"),
            ("--log-level", Command, "env"),
            ("--force", Command, "env"),
            ("batchSave()", Field, "call"),
            ("distinct_id", Field, "plain"),
            ("page_size", Field, "param-a"),
            ("POST /v1/users", Operation, "op"),
        ];
        let expected = expected.map(|(name, kind, id)| (name.to_owned(), kind, id.to_owned()));
        assert_eq!(symbols(html), expected);
    }

    #[test]
    fn kind_follows_shape() {
        assert_eq!(SymbolKind::of("docwright build"), SymbolKind::Command);
        assert_eq!(SymbolKind::of("Content-Type"), SymbolKind::Field);
        assert_eq!(SymbolKind::of("GET /a"), SymbolKind::Operation);
    }
}
