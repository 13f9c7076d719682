//! Reads the props of an element.

use super::MarkdownVersion;
use crate::{
    mdx::{Attribute, AttributeValue, Node, Value},
    render::{
        components::value_text,
        evaluate::{evaluate, interpolate},
        whole_links::{edited, without_marks},
    },
};

/// The cost of a value that requires running code.
const RUN: usize = 64 * 1024;

/// The attributes of an element.
pub(super) struct Props<'v> {
    pub(super) version: &'v MarkdownVersion<'v>,
    pub(super) attributes: &'v [Attribute],
    pub(super) node: &'v Node,
}

impl Props<'_> {
    /// The value of a prop; the last one wins, as in JSX. Also `None` without room for it.
    pub(super) fn value(&self, name: &str) -> Option<Value> {
        self.attributes.iter().rev().find_map(|attribute| {
            if attribute.name == name {
                self.evaluated(&attribute.value)
            } else if attribute.name.is_empty() {
                let Value::Object(entries) = self.evaluated(&attribute.value)? else { return None };
                entries.into_iter().rev().find(|(key, _)| key == name).map(|(_, value)| value)
            } else {
                None
            }
        })
    }

    fn evaluated(&self, value: &AttributeValue) -> Option<Value> {
        let version = self.version;
        let value = match value {
            AttributeValue::True => return Some(Value::Bool(true)),
            AttributeValue::Text(text) if version.depth == 0 => {
                return Some(Value::Text(text.clone()));
            }
            AttributeValue::Text(text) => Value::Text(interpolate(text, &version.scope)),
            AttributeValue::Known(value) => value.clone(),
            AttributeValue::Expression(_) if version.left.get() == 0 => return None,
            AttributeValue::Expression(expression) => match evaluate(expression, &version.scope) {
                value if value.has_code() => {
                    if !version.has_room_for(RUN) {
                        return None;
                    }
                    let (line, column) = (self.node.line, self.node.column);
                    version.renderer().scripted_value(expression, line, column)
                }
                value => value,
            },
        };
        version.has_room_for(value.size()).then_some(value)
    }

    /// A prop as text: strings and numbers; otherwise, `None`.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        let text = match self.value(name)? {
            Value::Text(text) => text,
            Value::Number(number) => number.to_string(),
            _ => return None,
        };
        let text = without_marks(text.trim()).into_owned();
        (!text.is_empty()).then_some(text)
    }

    /// A prop as yes or no: bare, `{true}` and `"true"` are yes.
    pub(super) fn is(&self, name: &str) -> bool {
        match self.value(name) {
            Some(Value::Bool(flag)) => flag,
            Some(Value::Text(text)) => text != "false",
            _ => false,
        }
    }

    /// A prop with text or JSX, as one line of Markdown. Formatting characters in text are escaped.
    pub(super) fn label(&self, name: &str) -> Option<String> {
        let text = value_text(&self.value(name)?);
        let text = without_marks(&text).split_whitespace().collect::<Vec<_>>().join(" ");
        (!text.is_empty()).then(|| text.replace('<', "\\<").replace('*', "\\*"))
    }

    /// A prop with Markdown or JSX, as one line.
    pub(super) fn markdown(&self, name: &str) -> Option<String> {
        let Some(text) = self.text(name) else { return self.label(name) };
        let line = super::blocks::in_line(&text);
        let mut links = self.version.links();
        links.body = &line;
        let mut edits = Vec::new();
        let mut waiting = crate::mdx::parse(&line, 1).nodes;
        while let Some(node) = waiting.pop() {
            links.complete(&node, &mut edits);
            waiting.extend(node.children);
        }
        Some(edited(&line, 0..line.len(), edits))
    }

    /// The complete address in a prop; `None` if it leads nowhere.
    pub(super) fn address(&self, name: &str) -> Option<String> {
        self.version.links().address(&self.text(name)?)
    }
}
