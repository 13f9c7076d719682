//! `oneOf`, `anyOf`, and the conditions of a schema as tabs and groups of fields.

use serde_json::Value as Json;

use super::{
    facts::facts,
    fields::Fields,
    label::type_label,
    nodes::{codes, component, inline_code, paragraph, text, word},
    schema::Schema,
};
use crate::mdx::{Node, Value};

/// Keywords that a label of a type says already.
const SAID_BY_LABEL: [&str; 3] = ["type", "format", "nullable"];

impl<'a> Fields<'_, 'a> {
    /// The alternatives of a schema as tabs, and its other parts as groups.
    pub(super) fn choices(&mut self, view: &Schema<'a>) -> Vec<Node> {
        let mut nodes = discriminator(view).into_iter().collect::<Vec<_>>();
        for (keyword, choice) in view.choices() {
            nodes.extend(self.choice(view, keyword, &choice));
        }
        nodes
    }

    fn choice(&mut self, view: &Schema<'a>, keyword: &str, choice: &[&'a Json]) -> Vec<Node> {
        let schemas: Vec<_> = choice.iter().map(|each| self.document.schema(each)).collect();
        // Simple types are in the label of the field.
        if schemas.iter().all(|schema| is_said_by_label(schema)) {
            return Vec::new();
        }
        let mut tabs = Vec::new();
        for (number, (value, schema)) in choice.iter().zip(&schemas).enumerate() {
            if !self.has_room() || !self.document.budget().take_row() {
                break;
            }
            self.document.places().count();
            let mapping = view.get("discriminator").and_then(|each| each.get("mapping"));
            let mapped = mapping.and_then(Json::as_object).map_or(0, serde_json::Map::len);
            if !self.document.budget().take_steps(mapped) {
                break;
            }
            let values = discriminator_values(view, value, schema);
            tabs.push(self.alternative(number, schema, &values));
        }
        if tabs.is_empty() {
            return tabs;
        }
        let label = if keyword == "oneOf" { "One of:" } else { "Any of:" };
        vec![
            paragraph(vec![text(label)]),
            component("Tabs", vec![("sync", Value::Bool(false))], tabs),
        ]
    }

    fn alternative(&mut self, number: usize, schema: &Schema<'a>, values: &[&str]) -> Node {
        let label = type_label(&self.document, schema);
        let named = schema.text("title").or(schema.name).map(str::to_owned);
        let name = named.unwrap_or_else(|| match label.as_str() {
            "any" | "object" => format!("Option {}", number + 1),
            label => label.to_owned(),
        });
        let title = if values.is_empty() { name.clone() } else { values.join(", ") };
        let mut content = Vec::new();
        if title != name && !name.starts_with("Option ") {
            content.push(paragraph(vec![inline_code(name.as_str())]));
        }
        content.extend(self.description(schema));
        content.extend(facts(&self.document, schema, &name));
        let inside = self.inside(schema, &name);
        content.extend(if inside.is_empty() { self.nested(schema, &name) } else { inside });
        if content.is_empty() {
            content.push(paragraph(vec![inline_code(label)]));
        }
        component("Tab", vec![("title", word(title))], content)
    }

    /// Other schemas within a schema: of items by position, for names, and with conditions.
    pub(super) fn parts(&mut self, view: &Schema<'a>) -> Vec<Node> {
        let mut nodes = Vec::new();
        let items = view.get("items").and_then(Json::as_array);
        let items = view.get("prefixItems").and_then(Json::as_array).or(items);
        for (number, item) in items.into_iter().flatten().enumerate() {
            nodes.extend(self.row(&format!("[{number}]"), item, false));
        }
        for (pattern, schema) in entries(view, "patternProperties") {
            nodes.extend(self.row(&format!("{{{pattern}}}"), schema, false));
        }
        for (key, title) in [
            ("propertyNames", "Names of properties"),
            ("contains", "At least one item matches"),
            ("not", "Must not match"),
            ("if", "If"),
            ("then", "Then"),
            ("else", "Otherwise"),
            ("contentSchema", "Decoded content"),
            ("unevaluatedProperties", "Other properties"),
            ("unevaluatedItems", "Other items"),
        ] {
            let all = std::iter::once(view.clone()).chain(view.lost());
            for schema in all.filter_map(|layer| layer.get(key)).filter(|each| each.is_object()) {
                nodes.extend(self.part(title, schema));
            }
        }
        for (name, schema) in entries(view, "dependentSchemas") {
            nodes.extend(self.part(&format!("With {name}"), schema));
        }
        nodes
    }

    fn part(&mut self, title: &str, schema: &'a Json) -> Option<Node> {
        if !self.has_room() || !self.document.budget().take_row() {
            return None;
        }
        let schema = self.document.schema(schema);
        let mut content = self.description(&schema);
        content.extend(facts(&self.document, &schema, ""));
        let required: Vec<_> = schema.required_in_order();
        if !required.is_empty() && !schema.has_properties() {
            content.push(codes(vec![text("Required: ")], required));
        }
        let inside = self.inside(&schema, title);
        content.extend(if inside.is_empty() { self.nested(&schema, title) } else { inside });
        if content.is_empty() {
            content.push(paragraph(vec![inline_code(type_label(&self.document, &schema))]));
        }
        Some(component("Expandable", vec![("title", word(title))], content))
    }
}

fn entries<'a>(
    view: &Schema<'a>,
    key: &str,
) -> impl Iterator<Item = (&'a String, &'a Json)> + use<'a> {
    view.get(key).and_then(Json::as_object).into_iter().flatten()
}

/// Whether readers learn everything about a schema from the label of its type.
fn is_said_by_label(schema: &Schema<'_>) -> bool {
    !schema.has_properties()
        && schema.lost().is_empty()
        && schema.keywords().all(|key| SAID_BY_LABEL.contains(&key))
}

/// The line that names the property which decides between alternatives.
fn discriminator(view: &Schema<'_>) -> Option<Node> {
    let discriminator = view.get("discriminator")?;
    let name = discriminator.get("propertyName")?.as_str()?;
    let mut line = vec![inline_code(name), text(" decides which alternative applies")];
    let mapping = discriminator.get("mapping").and_then(Json::as_object);
    for (index, (value, target)) in mapping.into_iter().flatten().enumerate() {
        line.push(text(if index == 0 { ": " } else { ", " }));
        line.push(inline_code(value.as_str()));
        let target = target.as_str().and_then(|target| target.rsplit('/').next());
        if let Some(target) = target.filter(|target| target != value) {
            line.push(text(format!(" ({target})")));
        }
    }
    line.push(text("."));
    Some(paragraph(line))
}

/// The values of the discriminator that choose an alternative.
pub(super) fn discriminator_values<'a>(
    view: &Schema<'a>,
    value: &Json,
    schema: &Schema<'a>,
) -> Vec<&'a str> {
    let Some(discriminator) = view.get("discriminator") else { return Vec::new() };
    let mapping = discriminator.get("mapping").and_then(Json::as_object);
    let reference = value.get("$ref").and_then(Json::as_str);
    let is_meant = |target: &Json| {
        let target = target.as_str();
        target.is_some() && (target == reference || target == schema.name)
    };
    let mapped: Vec<_> = mapping
        .into_iter()
        .flatten()
        .filter(|(_, target)| is_meant(target))
        .map(|(key, _)| key.as_str())
        .collect();
    if !mapped.is_empty() {
        return mapped;
    }
    // Without a mapping, the property itself says its value, or the name of the schema is the value.
    let name = discriminator.get("propertyName").and_then(Json::as_str);
    let property = name.and_then(|name| {
        schema.properties().find(|(each, _)| *each == name).map(|(_, property)| property)
    });
    let only = property.and_then(|property| {
        let options = property.get("enum").and_then(Json::as_array);
        let single = options
            .and_then(|options| if let [one] = options.as_slice() { Some(one) } else { None });
        property.get("const").or(single)?.as_str()
    });
    only.or(schema.name).into_iter().collect()
}
