//! `<ParamField>` and `<ResponseField>`: a named, typed value of an API.

use maud::{Markup, html};

use super::Component;
use crate::render::{Element, PageRenderer, Value};

pub(super) const PARAMETER: Component = Component {
    names: &["ParamField"],
    props: &[
        "path",
        "query",
        "body",
        "header",
        "cookie",
        "type",
        "required",
        "deprecated",
        "default",
        "placeholder",
        "optional",
        "name",
        "pre",
        "post",
        "initialValue",
        "description",
    ],
    render: parameter,
};

pub(super) const RESPONSE: Component = Component {
    names: &["ResponseField"],
    props: &[
        "name",
        "type",
        "required",
        "default",
        "deprecated",
        "pre",
        "post",
        "optional",
        "description",
        "defaultOpen",
    ],
    render: response,
};

fn parameter(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    let place = ["path", "query", "body", "header", "cookie"]
        .into_iter()
        .find(|place| element.value(place).is_some());
    let name = place.and_then(|place| element.text(place)).or_else(|| element.text("name"));
    if name.is_none() {
        let message = "<ParamField> has no name".to_owned();
        page.warn(element, "missing-prop", message, "give it `path`, `query`, `body` or `header`");
    }
    field(element, page, &name.unwrap_or_default(), place)
}

fn response(element: &Element<'_>, page: &mut PageRenderer<'_>) -> Markup {
    let name = element.text("name");
    if name.is_none() {
        page.warn(
            element,
            "missing-prop",
            "<ResponseField> has no `name`".to_owned(),
            "name the field",
        );
    }
    field(element, page, &name.unwrap_or_default(), None)
}

fn field(
    element: &Element<'_>,
    page: &mut PageRenderer<'_>,
    name: &str,
    place: Option<&str>,
) -> Markup {
    let id = page.claim_id(&format!("param-{}", name.to_lowercase().replace([' ', '_', '.'], "-")));
    let flag = |prop: &str| element.flag(prop) == Some(true);
    let default = element.value("default").and_then(Value::to_text);
    let description = element.text("description").map(|text| page.inline_markdown(&text));
    let body = page.nodes(element.children);
    html! {
        div.field id=(id) {
            div.field-head {
                @for pill in pills(element, "pre") { span.field-pill { (pill) } }
                a.field-name href={ "#" (id) } { (name) }
                @if let Some(kind) = element.text("type") { span.field-type { (kind) } }
                @if let Some(place) = place { span.field-pill { (place) } }
                @if let Some(default) = default { span.field-pill { "default: " (default) } }
                @if flag("required") { span.field-required { "required" } }
                @if flag("deprecated") { span.field-deprecated { "deprecated" } }
                @for pill in pills(element, "post") { span.field-pill { (pill) } }
            }
            div.field-content {
                @if let Some(description) = description { p { (description) } }
                (body)
            }
        }
    }
}

fn pills(element: &Element<'_>, prop: &str) -> Vec<String> {
    match element.value(prop) {
        Some(Value::Array(items)) => items.iter().filter_map(Value::to_text).collect(),
        Some(value) => value.to_text().into_iter().collect(),
        None => Vec::new(),
    }
}
