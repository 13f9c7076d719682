//! One use of a component, as its renderer sees it.

use crate::mdx::{Node, Value};

/// A JSX element with its attributes evaluated.
#[derive(Debug)]
pub struct Element<'a> {
    /// The name as written (`Tree.Folder`).
    pub name: &'a str,
    /// Attributes in the order written, spreads expanded.
    pub attributes: Vec<(String, Value)>,
    /// Its children.
    pub children: &'a [Node],
    /// 1-based line in the source file.
    pub line: u32,
    /// 1-based column.
    pub column: u32,
    /// Within a paragraph.
    pub inline: bool,
}

impl Element<'_> {
    /// The value of an attribute; the last one wins, as in JSX.
    pub fn value(&self, name: &str) -> Option<&Value> {
        self.attributes.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    /// An attribute as text: strings and numbers; otherwise, `None`.
    pub fn text(&self, name: &str) -> Option<String> {
        match self.value(name)? {
            Value::Text(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        }
    }

    /// An attribute as yes or no: bare, `{true}` and `"true"` are yes.
    pub fn flag(&self, name: &str) -> Option<bool> {
        match self.value(name)? {
            Value::Bool(flag) => Some(*flag),
            Value::Text(text) => Some(text != "false"),
            _ => None,
        }
    }

    /// An attribute as a number: `{2}` and `"2"`.
    pub fn number(&self, name: &str) -> Option<f64> {
        match self.value(name)? {
            Value::Number(number) => Some(*number),
            Value::Text(text) => text.trim().parse().ok(),
            _ => None,
        }
    }
}
