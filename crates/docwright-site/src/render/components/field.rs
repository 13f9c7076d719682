//! `ParamField` and `ResponseField`: one property of a request or an answer.

use maud::{Markup, html};

use super::props::{prop, required};
use super::root::Root;
use super::{Component, props};
use crate::{
    Rule,
    content::words::{self, Word},
    render::{Element, PageRenderer, Value},
};

/// Locations of a parameter; the prop with that name contains the parameter's name.
pub(crate) const LOCATIONS: &[&str] = &["path", "query", "body", "header", "cookie"];

/// A parameter of a request.
pub(super) const PARAM: Component = Component {
    names: &["ParamField"],
    about: "A request parameter. One of `path`, `query`, `body`, `header`, and `cookie` contains its name.",
    props: &[
        prop("path", r#"="id""#, "Name in the path"),
        prop("query", r#"="limit""#, "Name in the query"),
        prop("body", r#"="name""#, "Name in the body"),
        prop("header", r#"="X-Key""#, "Name of a header"),
        prop("cookie", r#"="session""#, "Name of a cookie"),
        prop("name", r#"="id""#, "Name, if none of these is set"),
        prop("type", r#"="string[]""#, "Type"),
        prop("required", "={true}", "Required"),
        prop("deprecated", "={true}", "Deprecated"),
        prop("default", r#"="10""#, "Default value"),
        prop("description", r#"="The id""#, "Text, in addition to its children"),
        prop("pre", r#"={["beta"]}"#, "Labels before the name"),
        prop("post", r#"={["beta"]}"#, "Labels after the name"),
    ],
    ignored: &["optional", "placeholder", "initialValue", "defaultOpen"],
    render: render_param,
};

/// A property of a response.
pub(super) const RESPONSE: Component = Component {
    names: &["ResponseField"],
    about: "A property of a response.",
    props: &[
        required("name", r#"="id""#, "Name"),
        prop("type", r#"="string[]""#, "Type"),
        prop("required", "={true}", "Always present"),
        prop("deprecated", "={true}", "Deprecated"),
        prop("default", r#"="10""#, "Default value"),
        prop("description", r#"="The id""#, "Text, in addition to its children"),
        prop("pre", r#"={["beta"]}"#, "Labels before the name"),
        prop("post", r#"={["beta"]}"#, "Labels after the name"),
    ],
    ignored: &["optional", "defaultOpen"],
    render: render_response,
};

fn render_param(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    let named = LOCATIONS.iter().find_map(|location| Some((*location, element.text(location)?)));
    let (location, name) = match named {
        Some((location, name)) => (Some(location), name),
        None => (None, element.text("name").unwrap_or_default()),
    };
    if name.trim().is_empty() {
        let message = "this <ParamField> names no parameter".to_owned();
        let help = "write its name as path, query, body or header: <ParamField query=\"…\">";
        page.warn(element, Rule::MissingProp, message, help);
    }
    let header = Header { name: name.trim(), location };
    render(element, page, &header)
}

fn render_response(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    let name = element.text("name").unwrap_or_default();
    render(element, page, &Header { name: name.trim(), location: None })
}

/// The text for the id `param-name`, or `param-parent-name` for a nested field. Underscores become dashes.
fn anchor(path: &str) -> String {
    format!("param-{}", path.replace('_', "-"))
}

/// The differences between the two kinds of fields.
struct Header<'a> {
    name: &'a str,
    location: Option<&'static str>,
}

fn render(element: &Element<'_>, page: &mut PageRenderer<'_>, header: &Header<'_>) -> Markup {
    let (path, is_nested) = match page.nesting.field() {
        Some(parent) => (format!("{parent}.{}", header.name), true),
        None => (header.name.to_owned(), false),
    };
    // Deep fields of an API spec have an empty id: readers don't link to them, and ids make pages larger.
    let is_unlinked = element.text("id").is_some_and(|id| id.is_empty());
    let root = if header.name.is_empty() || is_unlinked {
        Root::new(element, page, "field dw-field")
    } else {
        Root::anchored(element, page, "field dw-field", &anchor(&path))
    };
    if let Some(field) = page.nesting.current() {
        field.field = Some(path);
    }
    // The playground reads only parameters that aren't part of another one.
    let is_read = element.name != RESPONSE.names[0] && !is_nested;
    let place = is_read.then(|| header.location.unwrap_or("body"));
    let description = element.text("description").map(|text| page.inline_markdown(&text));
    let body = page.nodes(element.children);
    html! {
        div class=(root.class) id=[&root.id] style=[&root.style]
            data-field=[place]
            data-deprecated[element.flag("deprecated").unwrap_or(false)] {
            div.dw-field-head { (facts(element, page, header, root.id.as_deref())) }
            @if description.is_some() || !body.0.trim().is_empty() {
                div.dw-field-content.dw-prose {
                    @if let Some(description) = description { p { (description) } }
                    (body)
                }
            }
        }
    }
}

/// The line above the description: the name, and facts about the values. Spaces separate them in plain text.
fn facts(
    element: &Element<'_>,
    page: &mut PageRenderer<'_>,
    header: &Header<'_>,
    id: Option<&str>,
) -> Markup {
    let kind = props::label(element, page, "type");
    let default = element.value("default").map(literal).filter(|text| !text.is_empty());
    let is = |prop| element.flag(prop).unwrap_or(false);
    let word = |name| words::word(&page.page.language, name);
    html! {
        @for pill in props::texts(element, "pre") { span.dw-field-pill { (pill) } " " }
        @if !header.name.is_empty() {
            @match id {
                Some(id) => { a.dw-field-name href={ "#" (id) } { (header.name) } }
                None => { span.dw-field-name { (header.name) } }
            }
        }
        @if let Some(kind) = kind { " " span.dw-field-type { (kind.html) } }
        @if let Some(location) = header.location { " " span.dw-field-pill { (location) } }
        @if is("required") { " " span.dw-field-required { (word(Word::Required)) } }
        @if is("deprecated") { " " span.dw-field-deprecated { (word(Word::Deprecated)) } }
        @if let Some(default) = default {
            " " span.dw-field-pill { (word(Word::Default)) ": " (default) }
        }
        @for pill in props::texts(element, "post") { " " span.dw-field-pill { (pill) } }
    }
}

/// A value as a JavaScript literal, but text without quotes if it is the whole value.
pub(crate) fn literal(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(flag) => flag.to_string(),
        Value::Array(values) => {
            let values: Vec<_> = values.iter().map(nested_literal).collect();
            format!("[{}]", values.join(", "))
        }
        Value::Object(entries) => {
            let entry =
                |(key, value): &(String, Value)| format!("{key}: {}", nested_literal(value));
            let entries: Vec<_> = entries.iter().map(entry).collect();
            format!("{{{}}}", entries.join(", "))
        }
        Value::Text(_) | Value::Number(_) | Value::Jsx(_) | Value::Code(_) => props::text(value),
    }
}

fn nested_literal(value: &Value) -> String {
    match value {
        Value::Text(text) => format!("{text:?}"),
        value => literal(value),
    }
}
