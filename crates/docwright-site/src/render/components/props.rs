//! Reads the props of components and reports errors in them.
//!
//! All readers tolerate invalid values: the component renders without them.

use maud::Markup;

use super::{Component, Prop};
use crate::Rule;
use crate::content::closest::closest;
use crate::render::{Element, PageRenderer, Value, plain_text};

/// Props that every component takes.
const EVERYWHERE: &[&str] = &["className", "class", "id", "style", "key", "children"];

/// A prop that can be left out.
pub(super) const fn prop(name: &'static str, example: &'static str, means: &'static str) -> Prop {
    Prop { name, example, means, required: false }
}

/// A required prop.
pub(super) const fn required(
    name: &'static str,
    example: &'static str,
    means: &'static str,
) -> Prop {
    Prop { name, example, means, required: true }
}

/// Reports unknown props and missing required ones.
pub(super) fn check(component: &Component, element: &Element<'_>, page: &mut PageRenderer<'_>) {
    for (index, (name, _)) in element.attributes.iter().enumerate() {
        let repeated = || element.attributes[..index].iter().any(|(earlier, _)| earlier == name);
        if !is_known(component, name) && !repeated() {
            let message = format!("<{}> has no prop `{name}`", element.name);
            page.warn(element, Rule::UnknownProp, message, &advice(component, name));
        }
    }
    // The names in a spread aren't always known.
    if element.attributes.iter().any(|(name, _)| name.is_empty()) {
        return;
    }
    for prop in component.props.iter().filter(|prop| prop.required) {
        if matches!(element.value(prop.name), None | Some(Value::Null)) {
            report_missing(element, page, prop.name);
        }
    }
}

/// Reports a missing required prop.
pub(super) fn report_missing(element: &Element<'_>, page: &mut PageRenderer<'_>, name: &str) {
    let message = format!("<{}> has no `{name}`", element.name);
    let help = format!("write <{} {name}=\"…\">", element.name);
    page.warn(element, Rule::MissingProp, message, &help);
}

fn is_known(component: &Component, name: &str) -> bool {
    name.is_empty()
        || component.props.iter().any(|prop| prop.name == name)
        || component.ignored.contains(&name)
        || EVERYWHERE.contains(&name)
        || name.starts_with("data-")
        || name.starts_with("aria-")
}

fn advice(component: &Component, name: &str) -> String {
    let names: Vec<_> = component.props.iter().map(|prop| prop.name).collect();
    match closest(name, names.iter().copied()) {
        Some(known) => format!("did you mean `{known}`?"),
        None if names.is_empty() => "it takes none: leave it out".to_owned(),
        None => format!("its props are: {}", names.join(", ")),
    }
}

/// A prop that accepts text or JSX.
#[derive(Debug)]
pub(super) struct Label {
    /// As HTML.
    pub(super) html: Markup,
    /// Without markup.
    pub(super) text: String,
}

/// A label, unless the prop is missing or empty.
pub(super) fn label(
    element: &Element<'_>,
    page: &mut PageRenderer<'_>,
    prop: &str,
) -> Option<Label> {
    let value = element.value(prop)?;
    let html = page.value(value);
    let label = Label { html, text: text(value) };
    (!label.html.0.trim().is_empty()).then_some(label)
}

/// A value as text without markup; empty for values without text.
pub(crate) fn text(value: &Value) -> String {
    match value {
        Value::Text(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Jsx(nodes) => plain_text(nodes),
        Value::Array(values) => values.iter().map(text).collect(),
        Value::Null | Value::Bool(_) | Value::Object(_) | Value::Code(_) => String::new(),
    }
}

/// A prop with a list of texts; a single text is a list, too.
pub(super) fn texts(element: &Element<'_>, prop: &str) -> Vec<String> {
    let values = match element.value(prop) {
        Some(Value::Array(values)) => values.as_slice(),
        Some(value) => std::slice::from_ref(value),
        None => &[],
    };
    values.iter().map(text).filter(|text| !text.trim().is_empty()).collect()
}

/// A prop with a whole number: `{2}` or `"2"`.
pub(super) fn whole_number(element: &Element<'_>, prop: &str) -> Option<u16> {
    element.text(prop)?.trim().parse().ok()
}

/// A prop with a fixed set of values. Another value gives a diagnostic and is ignored.
pub(super) fn choice(
    element: &Element<'_>,
    page: &mut PageRenderer<'_>,
    prop: &str,
    choices: &[&'static str],
) -> Option<&'static str> {
    let written = element.text(prop)?;
    let found = choices.iter().find(|choice| written.trim().eq_ignore_ascii_case(choice));
    if found.is_none() && !written.trim().is_empty() {
        let message = format!("`{prop}` of <{}> can't be `{written}`", element.name);
        let help = format!("choose one of: {}", choices.join(", "));
        page.warn(element, Rule::InvalidProp, message, &help);
    }
    found.copied()
}
