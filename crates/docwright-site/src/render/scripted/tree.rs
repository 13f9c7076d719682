//! Converts the engine's output (see `script/runtime.js`) to nodes and values.

use serde_json::{Map, Value as Json};

use crate::{
    mdx::{Attribute, AttributeValue, Node, NodeKind, Value},
    render::nodes::is_phrasing,
};

/// A tree as nodes.
pub(super) fn nodes(tree: &Json) -> Vec<Node> {
    tree.as_array().into_iter().flatten().filter_map(node).collect()
}

fn node(json: &Json) -> Option<Node> {
    if let Some(text) = json.as_str() {
        return Some(plain(NodeKind::Text { value: text.to_owned() }));
    }
    if let Some(index) = json.get("s").and_then(Json::as_u64) {
        return Some(plain(NodeKind::Slot { index: usize::try_from(index).ok()? }));
    }
    if let Some(html) = json.get("html").and_then(Json::as_str) {
        return Some(html_node(html.to_owned()));
    }
    let mut attributes = attributes(json.get("p").and_then(Json::as_object));
    let name = match (json.get("t"), json.get("b"), json.get("m").and_then(Json::as_str)) {
        (Some(name), ..) | (None, Some(name), _) => name.as_str()?.to_owned(),
        (None, None, Some(path)) => {
            let value = AttributeValue::Text(path.to_owned());
            attributes.push(Attribute { name: "file".to_owned(), value });
            "Snippet".to_owned()
        }
        _ => return None,
    };
    let inline = is_phrasing(&name);
    let children = nodes(json.get("c")?);
    Some(Node { children, ..plain(NodeKind::Jsx { name, attributes, inline }) })
}

/// Markup as a node.
pub(super) fn html_node(html: String) -> Node {
    plain(NodeKind::Html { value: html })
}

fn plain(kind: NodeKind) -> Node {
    Node { kind, children: Vec::new(), span: 0..0, line: 0, column: 0 }
}

fn attributes(props: Option<&Map<String, Json>>) -> Vec<Attribute> {
    let attribute = |(name, json): (&String, &Json)| Attribute {
        name: name.clone(),
        value: AttributeValue::Known(value(json)),
    };
    props.into_iter().flatten().map(attribute).collect()
}

/// Data as a value.
pub(super) fn value(json: &Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(flag) => Value::Bool(*flag),
        Json::Number(number) => number.as_f64().map_or(Value::Null, Value::Number),
        Json::String(text) => Value::Text(text.clone()),
        Json::Array(items) => Value::Array(items.iter().map(value).collect()),
        Json::Object(entries) => match entries.get("$jsx") {
            Some(tree) => Value::Jsx(nodes(tree)),
            None => Value::Object(
                entries.iter().map(|(name, json)| (name.clone(), value(json))).collect(),
            ),
        },
    }
}
