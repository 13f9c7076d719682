//! Values of JSX attributes and expressions that are known without running code.

use super::Node;

/// A JavaScript value that can be a literal.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "names are those of JavaScript")]
pub enum Value {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    Array(Vec<Value>),
    Object(Vec<(String, Value)>),
    /// JSX in an expression (`icon={<svg … />}`), as a tree.
    Jsx(Vec<Node>),
    /// Needs a JavaScript engine; the expression as written.
    Code(String),
}

impl Value {
    /// Whether it is truthy; `None` if unknown.
    pub fn is_truthy(&self) -> Option<bool> {
        Some(match self {
            Self::Null => false,
            Self::Bool(flag) => *flag,
            Self::Number(number) => *number != 0.0,
            Self::Text(text) => !text.is_empty(),
            Self::Array(_) | Self::Object(_) | Self::Jsx(_) => true,
            Self::Code(_) => return None,
        })
    }

    /// Whether a part of it needs a JavaScript engine. JSX is checked when it is rendered.
    pub fn has_code(&self) -> bool {
        match self {
            Self::Code(_) => true,
            Self::Array(items) => items.iter().any(Self::has_code),
            Self::Object(entries) => entries.iter().any(|(_, value)| value.has_code()),
            _ => false,
        }
    }

    /// Whether its meaning is independent of its place.
    pub fn is_data(&self) -> bool {
        match self {
            Self::Code(_) | Self::Jsx(_) => false,
            Self::Array(items) => items.iter().all(Self::is_data),
            Self::Object(entries) => entries.iter().all(|(_, value)| value.is_data()),
            _ => true,
        }
    }

    /// Its approximate size in bytes.
    pub fn size(&self) -> usize {
        const EACH: usize = 16;
        EACH + match self {
            Self::Null | Self::Bool(_) | Self::Number(_) => 0,
            Self::Text(text) | Self::Code(text) => text.len(),
            Self::Array(items) => items.iter().map(Self::size).sum(),
            Self::Object(entries) => {
                entries.iter().map(|(key, value)| key.len() + value.size()).sum()
            }
            Self::Jsx(nodes) => nodes.iter().map(Node::size).sum(),
        }
    }

    /// As a string, if the kind has a plain one.
    pub fn to_text(&self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text.clone()),
            Self::Number(number) => Some(number.to_string()),
            Self::Bool(flag) => Some(flag.to_string()),
            _ => None,
        }
    }
}
